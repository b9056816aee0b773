//! `cerberus memory sections`.

use anyhow::Result;
use clap::Args;

use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::sections::{self, Fix, Report};
use crate::output::{DIM, ERROR, NAME, OK, Printer, WARN};

#[derive(Debug, Args)]
pub(crate) struct SectionsArgs {
    /// The memory, or a unique start of its id
    pub(crate) id: String,
    /// Fail if any section tag is wrong
    #[arg(long)]
    pub(crate) validate: bool,
    /// Close the sections that are never closed and show the change
    #[arg(long)]
    pub(crate) fix: bool,
    /// Show the change and write nothing
    #[arg(long, requires = "fix", conflicts_with = "validate")]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(
    args: &SectionsArgs,
    settings: &Settings,
    out: &mut Printer,
) -> Result<ExitStatus> {
    let (project, id) = (&settings.project, &args.id);
    let report = match (args.fix, args.dry_run) {
        (false, _) => sections::sections(project, id)?,
        (true, false) => sections::fix(project, id)?,
        (true, true) => sections::fix_preview(project, id)?,
    };
    let failed = args.validate && !report.diagnostics.is_empty();
    let status = if failed { ExitStatus::CheckFailed } else { ExitStatus::Done };
    out.warn(&report.warnings);
    if out.json {
        out.json(&report)?;
        return Ok(status);
    }
    if let Some(fix) = &report.fix {
        show_fix(fix, &report, out);
    } else if !args.validate {
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
        out.line(&out.paint(DIM, &whole));
    }
    for found in &report.diagnostics {
        let place = format!("{}:{}:{}", report.file, found.line, found.column);
        let style = if args.validate { ERROR } else { WARN };
        let code = out.paint(style, found.code);
        out.line(&format!("{}: {code}: {}", out.style(NAME, &place), out.safe(&found.message)));
        if let Some(hint) = &found.hint {
            out.line(&format!("  hint: {}", out.safe(hint)));
        }
    }
    if args.validate && !failed {
        let n = report.sections.len();
        out.line(
            &out.paint(OK, &format!("the tags of {} are well formed ({n} sections)", report.file)),
        );
    }
    Ok(status)
}

/// Prints the change, and in a line what it is.
fn show_fix(fix: &Fix, report: &Report, out: &mut Printer) {
    if out.terminal.out_is_terminal {
        for line in fix.diff.lines() {
            // Nothing is taken away, and nothing that begins with `+` put in.
            let is_new = line.starts_with('+') && !line.starts_with("+++");
            let style = if is_new { OK } else { DIM };
            out.line(&out.style(style, line));
        }
    } else {
        out.raw(fix.diff.as_bytes());
    }
    let file = out.safe(&report.file);
    let is_open = report.diagnostics.iter().any(|it| it.code == "unclosed");
    let n = fix.closed.len();
    let sections = if n == 1 { "section" } else { "sections" };
    let said = match (n, fix.written) {
        (0, _) if is_open => format!("nothing was closed in {file}"),
        (0, _) => format!("every section of {file} is closed"),
        (_, true) => format!("closed {n} {sections} of {file}"),
        (_, false) => format!("would close {n} {sections} of {file}"),
    };
    out.line(&out.paint(if n == 0 { DIM } else { OK }, &said));
}
