//! `sections`: the sections of a memory with what each costs to read.

use anyhow::Result;
use serde::Serialize;

use crate::markdown::sections;
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
    pub(crate) warnings: Vec<String>,
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
    let parsed = sections::parse(&stored.text);
    let lines = LineIndex::new(&stored.text);
    let listed = parsed.list.iter().map(|section| Section {
        id: section.id.clone(),
        origin: section.origin.as_str(),
        start_line: lines.line(section.outer.start) + 1,
        end_line: lines.line(section.outer.end.saturating_sub(1).max(section.outer.start)) + 1,
        tokens: tokens::count(&sections::content(&stored.text, section, &parsed, false)),
    });
    let diagnostics = parsed.diagnostics.iter().map(|found| Diagnostic {
        code: found.code,
        line: found.line + 1,
        column: found.column + 1,
        message: found.message.clone(),
        hint: found.hint.clone(),
    });
    Ok(Report {
        id: stored.memory.id.clone(),
        file: stored.file.clone(),
        full_file_tokens: tokens::count(&stored.text),
        tokenizer: tokens::NAME,
        sections: listed.collect(),
        diagnostics: diagnostics.collect(),
        warnings: stored.warnings.clone(),
    })
}
