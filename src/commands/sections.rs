//! `cerberus memory sections`: lists the sections of a memory with their token counts, and what is
//! wrong with their tags.

use cerberus_bank::ops::section_selection::SectionPlace;
use cerberus_bank::{MemoryFile, tokens};
use cerberus_markdown::{Diagnostic, sections};
use cerberus_model::error::ExitStatus;
use cerberus_model::text::LineIndex;
use clap::Args;
use serde::Serialize;

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

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) id: String,
    pub(crate) file: String,
    pub(crate) full_file_tokens: usize,
    pub(crate) tokenizer: &'static str,
    pub(crate) sections: Vec<Section>,
    /// Errors in section tags; lines and columns from 1.
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) warnings: Vec<String>,
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

/// Returns the sections and diagnostics of a memory.
pub(crate) fn list(stored: &MemoryFile) -> Report {
    let text = &stored.text;
    let parsed = sections::parse(text);
    let lines = LineIndex::new(text);
    let section = |section| {
        let SectionPlace {
            id,
            start_line,
            end_line,
        } = SectionPlace::new(section, &lines);
        let tokens = tokens::count(&sections::content(text, section, &parsed, false));
        Section {
            id,
            origin: section.origin.as_str(),
            start_line,
            end_line,
            tokens,
        }
    };
    let sections = parsed.list.iter().map(section).collect();
    let diagnostics = parsed.diagnostics.into_iter();
    let diagnostics = diagnostics.map(|it| Diagnostic {
        line: it.line + 1,
        column: it.column + 1,
        ..it
    });
    Report {
        id: stored.memory.id.clone(),
        file: stored.file.clone(),
        full_file_tokens: tokens::count(text),
        tokenizer: tokens::NAME,
        sections,
        diagnostics: diagnostics.collect(),
        warnings: Vec::new(),
    }
}

pub(crate) fn run(args: &SectionsArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let memories = settings.project.memories()?;
    let report = list(memories.find(&args.id)?);
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
