//! `sections`: the sections of a memory with what each costs to read, and closing those
//! that are never closed.

use anyhow::Result;
use serde::Serialize;
use similar::TextDiff;

use crate::bank::MemoryFile;
use crate::markdown::sections;
use crate::markdown::sections::fix::{self, Fixed};
use crate::text::LineIndex;
use crate::tokens;

use super::Project;
use super::memories::Memories;

/// The sections of a memory.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) id: String,
    pub(crate) file: String,
    pub(crate) full_file_tokens: usize,
    pub(crate) tokenizer: &'static str,
    pub(crate) sections: Vec<Section>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// What was closed, where that was asked for; all else is told of the text after it.
    pub(crate) fix: Option<Fix>,
    pub(crate) warnings: Vec<String>,
}

/// What became of the sections that were never closed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Fix {
    pub(crate) closed: Vec<Closed>,
    /// The change in the unified form; empty where there is none.
    pub(crate) diff: String,
    /// Whether the file is changed.
    pub(crate) written: bool,
}

/// A section that was closed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Closed {
    pub(crate) id: String,
    pub(crate) start_line: usize,
    pub(crate) end_line: usize,
}

/// A section and its place.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Section {
    pub(crate) id: String,
    pub(crate) origin: &'static str,
    pub(crate) start_line: usize,
    pub(crate) end_line: usize,
    pub(crate) tokens: usize,
}

/// What is wrong with a memory's tags.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Diagnostic {
    pub(crate) code: &'static str,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

/// Returns the sections of the memory that `typed` means.
pub(crate) fn sections(project: &Project, typed: &str) -> Result<Report> {
    let memories = Memories::load(project)?;
    let stored = memories.find(typed)?;
    Ok(report(stored, &stored.text))
}

/// Closes what is unclosed in the memory that `typed` means.
pub(crate) fn fix(project: &Project, typed: &str) -> Result<Report> {
    let _guard = project.bank.lock_for_writing()?;
    let memories = Memories::load(project)?;
    let stored = memories.find(typed)?;
    let text = project.bank.read_utf8(&stored.file)?;
    let fixed = fix::fix(&text);
    let written = fixed.text != text;
    if written {
        project.bank.rewrite(&stored.file, &fixed.text)?;
    }
    Ok(fix_report(stored, &text, &fixed, written))
}

/// Returns what [`fix()`] would do, and writes nothing.
pub(crate) fn fix_preview(project: &Project, typed: &str) -> Result<Report> {
    let memories = Memories::load(project)?;
    let stored = memories.find(typed)?;
    let text = project.bank.read_utf8(&stored.file)?;
    Ok(fix_report(stored, &text, &fix::fix(&text), false))
}

fn fix_report(stored: &MemoryFile, text: &str, fixed: &Fixed, written: bool) -> Report {
    let lines = LineIndex::new(&fixed.text);
    let mut report = report(stored, &fixed.text);
    for left in &fixed.skipped {
        let (line, column) = lines.line_column(left.start);
        let place = (line + 1, column + 1);
        let mut at_place = report.diagnostics.iter_mut().filter(|it| (it.line, it.column) == place);
        if let Some(diagnostic) = at_place.find(|it| it.code == "unclosed") {
            let by_hand = diagnostic.hint.take().unwrap_or_default();
            diagnostic.hint = Some(format!("{}: {by_hand}", left.reason));
        }
    }
    let closed = fixed.closed.iter().map(|it| Closed {
        id: it.id.clone(),
        start_line: lines.line(it.start) + 1,
        end_line: lines.line(it.closing.start) + 1,
    });
    let (old, new) = (format!("a/{}", stored.file), format!("b/{}", stored.file));
    let diff =
        TextDiff::from_lines(text, &fixed.text).unified_diff().header(&old, &new).to_string();
    report.fix = Some(Fix { closed: closed.collect(), diff, written });
    report
}

/// Returns the sections of `text`, which is what the memory holds or will hold.
pub(crate) fn report(stored: &MemoryFile, text: &str) -> Report {
    let parsed = sections::parse(text);
    let lines = LineIndex::new(text);
    let listed = parsed.list.iter().map(|section| Section {
        id: section.id.clone(),
        origin: section.origin.as_str(),
        start_line: lines.line(section.outer.start) + 1,
        end_line: lines.line(section.outer.end.saturating_sub(1).max(section.outer.start)) + 1,
        tokens: tokens::count(&sections::content(text, section, &parsed, false)),
    });
    let diagnostics = parsed.diagnostics.iter().map(|found| Diagnostic {
        code: found.code,
        line: found.line + 1,
        column: found.column + 1,
        message: found.message.clone(),
        hint: found.hint.clone(),
    });
    Report {
        id: stored.memory.id.clone(),
        file: stored.file.clone(),
        full_file_tokens: tokens::count(text),
        tokenizer: tokens::NAME,
        sections: listed.collect(),
        diagnostics: diagnostics.collect(),
        fix: None,
        warnings: stored.warnings.clone(),
    }
}
