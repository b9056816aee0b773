//! The sections of a memory with their token counts, and the faults of their tags.

use cerberus_markdown::{Diagnostic, sections};
use cerberus_model::text::LineIndex;
use serde::Serialize;

use super::section_selection::SectionPlace;
use crate::{MemoryFile, tokens};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    pub id: String,
    pub file: String,
    pub full_file_tokens: usize,
    pub tokenizer: &'static str,
    pub sections: Vec<Section>,
    /// Errors in section tags; lines and columns from 1.
    pub diagnostics: Vec<Diagnostic>,
    pub warnings: Vec<String>,
}

/// Section with its location and size.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Section {
    pub id: String,
    pub origin: &'static str,
    pub start_line: usize,
    pub end_line: usize,
    pub tokens: usize,
}

/// Returns the sections and diagnostics of a memory.
pub fn list(stored: &MemoryFile) -> Report {
    let text = &stored.text;
    let parsed = sections::parse(text);
    let lines = LineIndex::new(text);
    let mut found = Vec::new();
    for section in &parsed.list {
        let place = SectionPlace::new(section, &lines);
        found.push(Section {
            id: place.id,
            origin: section.origin.as_str(),
            start_line: place.start_line,
            end_line: place.end_line,
            tokens: tokens::count(&sections::content(text, section, &parsed, false)),
        });
    }
    let mut diagnostics = parsed.diagnostics;
    for fault in &mut diagnostics {
        fault.line += 1;
        fault.column += 1;
    }
    Report {
        id: stored.memory.id.clone(),
        file: stored.file.clone(),
        full_file_tokens: tokens::count(text),
        tokenizer: tokens::NAME,
        sections: found,
        diagnostics,
        warnings: Vec::new(),
    }
}
