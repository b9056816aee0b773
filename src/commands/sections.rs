//! `cerberus memory sections`: lists the sections of a memory with their token counts, and what is
//! wrong with their tags.

use cerberus_bank::ops::sections::{self, Report, Section};
use cerberus_model::error::ExitStatus;
use clap::Args;

use crate::config::Settings;
use crate::output::{CliResult, DIM, ERROR, NAME, OK, Printer, WARN};

#[derive(Debug, Args)]
pub(crate) struct SectionsArgs {
    /// Memory id or a unique prefix of it
    pub(crate) id: String,
    /// Fail if a section tag is invalid
    #[arg(long)]
    pub(crate) validate: bool,
}

pub(crate) fn run(args: &SectionsArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let memories = settings.project.memories()?;
    let report = sections::list(memories.find(&args.id)?);
    let failed = args.validate && !report.diagnostics.is_empty();
    out.report(&report, |report, out| {
        if !args.validate {
            print_sections(report, out);
        }
        for diagnostic in &report.diagnostics {
            let position = format!("{}:{}:{}", report.file, diagnostic.line, diagnostic.column);
            let position = out.style(NAME, &position);
            let code = out.paint(if args.validate { ERROR } else { WARN }, diagnostic.code);
            out.line(&format!(
                "{position}: {code}: {}",
                out.safe(&diagnostic.message)
            ));
            if let Some(hint) = &diagnostic.hint {
                out.line(&format!("  hint: {}", out.safe(hint)));
            }
        }
        if args.validate && !failed {
            let n = report.sections.len();
            let text = format!(
                "all section tags of {} are valid ({n} sections)",
                report.file
            );
            out.line(&out.paint(OK, &text));
        }
    })?;
    Ok(ExitStatus::of_check(!failed))
}

fn print_sections(report: &Report, out: &mut Printer) {
    let row = |section: &Section| {
        let lines = format!("{}-{}", section.start_line, section.end_line);
        [
            section.id.clone(),
            section.origin.to_owned(),
            lines,
            section.tokens.to_string(),
        ]
    };
    out.rows(
        &["section", "from", "lines", "tokens"],
        report.sections.iter().map(row),
    );
    let Report {
        file,
        full_file_tokens,
        tokenizer,
        ..
    } = report;
    let total = format!("{file} has {full_file_tokens} tokens ({tokenizer})");
    out.line(&out.paint(DIM, &total));
}
