//! `cerberus memory sections`: lists the sections of a memory with their token counts, and closes
//! sections that have no closing tag.

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use similar::TextDiff;

use crate::config::Settings;
use crate::output::{DIM, ERROR, NAME, OK, Printer, WARN};
use cerberus_bank::MemoryFile;
use cerberus_bank::ops::Project;
use cerberus_bank::ops::memories::Memories;
use cerberus_bank::ops::section_selection::SectionPlace;
use cerberus_bank::tokens;
use cerberus_markdown::sections;
use cerberus_markdown::sections::fix::{self, Fixed};
use cerberus_model::error::ExitStatus;
use cerberus_model::text::LineIndex;

#[derive(Debug, Args)]
pub(crate) struct SectionsArgs {
    /// Memory id or a unique prefix of it
    pub(crate) id: String,
    /// Fail if a section tag is invalid
    #[arg(long)]
    pub(crate) validate: bool,
    /// Close unclosed sections and show the change
    #[arg(long)]
    pub(crate) fix: bool,
    /// Show the change and write nothing
    #[arg(long, requires = "fix", conflicts_with = "validate")]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) id: String,
    pub(crate) file: String,
    pub(crate) full_file_tokens: usize,
    pub(crate) tokenizer: &'static str,
    pub(crate) sections: Vec<Section>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Result of `--fix`. The other fields then describe the fixed text.
    pub(crate) fix: Option<Fix>,
    pub(crate) warnings: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Fix {
    pub(crate) closed: Vec<SectionPlace>,
    /// Unified diff; empty without changes.
    pub(crate) diff: String,
    pub(crate) written: bool,
}

/// Section with its location and size.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Section {
    pub(crate) id: String,
    pub(crate) origin: &'static str,
    pub(crate) start_line: usize,
    pub(crate) end_line: usize,
    pub(crate) tokens: usize,
}

/// Error in a section tag.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Diagnostic {
    pub(crate) code: &'static str,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

/// Lists the sections of a memory and, with `--fix`, closes unclosed ones.
pub(crate) fn sections(project: &Project, args: &SectionsArgs) -> Result<Report> {
    let is_write = args.fix && !args.dry_run;
    let _guard = is_write.then(|| project.bank.lock_for_writing()).transpose()?;
    let memories = Memories::load(project)?;
    let stored = memories.find(&args.id)?;
    if !args.fix {
        return Ok(list(stored, &stored.text));
    }
    let text = project.bank.utf8_text(stored)?;
    let fixed = fix::fix(&text);
    let written = is_write && fixed.text != text;
    if written {
        project.bank.rewrite(&stored.file, &fixed.text)?;
    }
    Ok(fix_report(stored, &text, &fixed, written))
}

fn fix_report(stored: &MemoryFile, text: &str, fixed: &Fixed, written: bool) -> Report {
    let lines = LineIndex::new(&fixed.text);
    let mut report = list(stored, &fixed.text);
    for unclosed in &fixed.skipped {
        let (line, column) = lines.line_column(unclosed.start);
        let position = (line + 1, column + 1);
        let diagnostic = report.diagnostics.iter_mut().find(|diagnostic| {
            (diagnostic.line, diagnostic.column) == position && diagnostic.code == "unclosed"
        });
        if let Some(diagnostic) = diagnostic {
            let hint = diagnostic.hint.take().unwrap_or_default();
            diagnostic.hint = Some(format!("{}: {hint}", unclosed.reason));
        }
    }
    let closed = fixed.closed.iter().map(|section| SectionPlace {
        id: section.id.clone(),
        start_line: lines.line(section.start) + 1,
        end_line: lines.line(section.closing.start) + 1,
    });
    let (old, new) = (format!("a/{}", stored.file), format!("b/{}", stored.file));
    let diff =
        TextDiff::from_lines(text, &fixed.text).unified_diff().header(&old, &new).to_string();
    report.fix = Some(Fix { closed: closed.collect(), diff, written });
    report
}

/// Returns the sections and diagnostics of `text`, the current or fixed text of a memory.
pub(crate) fn list(stored: &MemoryFile, text: &str) -> Report {
    let parsed = sections::parse(text);
    let lines = LineIndex::new(text);
    let sections = parsed.list.iter().map(|section| {
        let SectionPlace { id, start_line, end_line } = SectionPlace::new(section, &lines);
        let tokens = tokens::count(&sections::content(text, section, &parsed, false));
        Section { id, origin: section.origin.as_str(), start_line, end_line, tokens }
    });
    let diagnostics = parsed.diagnostics.iter().map(|diagnostic| Diagnostic {
        code: diagnostic.code,
        line: diagnostic.line + 1,
        column: diagnostic.column + 1,
        message: diagnostic.message.clone(),
        hint: diagnostic.hint.clone(),
    });
    Report {
        id: stored.memory.id.clone(),
        file: stored.file.clone(),
        full_file_tokens: tokens::count(text),
        tokenizer: tokens::NAME,
        sections: sections.collect(),
        diagnostics: diagnostics.collect(),
        fix: None,
        warnings: Vec::new(),
    }
}

pub(crate) fn run(
    args: &SectionsArgs,
    settings: &Settings,
    out: &mut Printer,
) -> Result<ExitStatus> {
    let report = sections(&settings.project, args)?;
    let failed = args.validate && !report.diagnostics.is_empty();
    let status = if failed { ExitStatus::CheckFailed } else { ExitStatus::Done };
    out.warn(&report.warnings);
    if out.json {
        out.json(&report)?;
        return Ok(status);
    }
    if let Some(fix) = &report.fix {
        print_fix(fix, &report, out);
    } else if !args.validate {
        print_sections(&report, out);
    }
    for diagnostic in &report.diagnostics {
        let position = format!("{}:{}:{}", report.file, diagnostic.line, diagnostic.column);
        let position = out.style(NAME, &position);
        let code = out.paint(if args.validate { ERROR } else { WARN }, diagnostic.code);
        out.line(&format!("{position}: {code}: {}", out.safe(&diagnostic.message)));
        if let Some(hint) = &diagnostic.hint {
            out.line(&format!("  hint: {}", out.safe(hint)));
        }
    }
    if args.validate && !failed {
        let n = report.sections.len();
        let text = format!("all section tags of {} are valid ({n} sections)", report.file);
        out.line(&out.paint(OK, &text));
    }
    Ok(status)
}

fn print_sections(report: &Report, out: &mut Printer) {
    let row = |section: &Section| {
        let lines = format!("{}-{}", section.start_line, section.end_line);
        vec![section.id.clone(), section.origin.to_owned(), lines, section.tokens.to_string()]
    };
    let rows: Vec<Vec<String>> = report.sections.iter().map(row).collect();
    out.rows(&["section", "from", "lines", "tokens"], &rows);
    let Report { file, full_file_tokens, tokenizer, .. } = report;
    let total = format!("{file} has {full_file_tokens} tokens ({tokenizer})");
    out.line(&out.paint(DIM, &total));
}

/// Prints the diff and a summary.
fn print_fix(fix: &Fix, report: &Report, out: &mut Printer) {
    if out.terminal.out_is_terminal {
        for line in fix.diff.lines() {
            let is_added = line.starts_with('+') && !line.starts_with("+++");
            let style = if is_added { OK } else { DIM };
            out.line(&out.style(style, line));
        }
    } else {
        out.raw(fix.diff.as_bytes());
    }
    let file = out.safe(&report.file);
    let has_unclosed = report.diagnostics.iter().any(|it| it.code == "unclosed");
    let n = fix.closed.len();
    let sections = if n == 1 { "section" } else { "sections" };
    let summary = match (n, fix.written) {
        (0, _) if has_unclosed => format!("no section of {file} was closed"),
        (0, _) => format!("all sections of {file} are closed"),
        (_, true) => format!("closed {n} {sections} of {file}"),
        (_, false) => format!("would close {n} {sections} of {file}"),
    };
    out.line(&out.paint(if n == 0 { DIM } else { OK }, &summary));
}
