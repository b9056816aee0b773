//! `cerberus memory sections`.

use anyhow::Result;

use crate::cli::SectionsArgs;
use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::sections;
use crate::output::{BAD, FAINT, GOOD, NAME, ODD, Printer};

pub(super) fn run(
    args: &SectionsArgs,
    settings: &Settings,
    out: &mut Printer,
) -> Result<ExitStatus> {
    let report = sections::sections(&settings.project, &args.id)?;
    let failed = args.validate && !report.diagnostics.is_empty();
    let status = if failed { ExitStatus::CheckFailed } else { ExitStatus::Done };
    out.warn(&report.warnings);
    if out.json {
        out.document(&report)?;
        return Ok(status);
    }
    if !args.validate {
        let rows: Vec<Vec<String>> = report
            .sections
            .iter()
            .map(|it| {
                vec![
                    it.id.clone(),
                    it.origin.to_owned(),
                    format!("{}-{}", it.start_line, it.end_line),
                    it.tokens.to_string(),
                ]
            })
            .collect();
        out.rows(&["section", "from", "lines", "tokens"], &rows);
        let whole = format!(
            "{} has {} tokens ({})",
            report.file, report.full_file_tokens, report.tokenizer
        );
        out.line(&out.painted(FAINT, &whole));
    }
    for found in &report.diagnostics {
        let place = format!("{}:{}:{}", report.file, found.line, found.column);
        let style = if args.validate { BAD } else { ODD };
        let code = out.painted(style, found.code);
        out.line(&format!("{}: {code}: {}", out.styled(NAME, &place), out.safe(&found.message)));
        if let Some(hint) = &found.hint {
            out.line(&format!("  hint: {}", out.safe(hint)));
        }
    }
    if args.validate && !failed {
        let n = report.sections.len();
        out.line(
            &out.painted(
                GOOD,
                &format!("the tags of {} are well formed ({n} sections)", report.file),
            ),
        );
    }
    Ok(status)
}
