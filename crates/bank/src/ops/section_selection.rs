//! Selected sections of a memory, and the tokens saved by not returning all of it.

use cerberus_markdown::sections::{MissingSection, Section};
use cerberus_markdown::{Diagnostic, sections};
use cerberus_model::LineIndex;
use serde::Serialize;

use crate::tokens;

/// Location of a section in its file.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SectionPlace {
    pub id: String,
    pub start_line: usize,
    pub end_line: usize,
}

impl SectionPlace {
    /// Returns the place of a section in lines.
    pub fn new(section: &Section, lines: &LineIndex) -> Self {
        let span = section.outer;
        Self {
            id: section.id.clone(),
            start_line: lines.line(span.start) + 1,
            end_line: lines.line(span.end.saturating_sub(1).max(span.start)) + 1,
        }
    }
}

/// Tokens of the selected sections, compared with the complete file.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenMetrics {
    pub actual_tokens: usize,
    pub full_file_tokens: usize,
    /// Negative if the sections have more tokens than the file; `None` if no section was found.
    pub savings_percent: Option<f64>,
    pub tokenizer: &'static str,
}

/// Selected sections of one memory.
#[derive(Debug)]
pub struct SectionSelection {
    pub content: String,
    pub sections: Vec<SectionPlace>,
    pub missing: Vec<MissingSection>,
    pub metrics: TokenMetrics,
    /// Ids of all sections of the memory.
    known: Vec<String>,
    /// Errors in the section tags.
    diagnostics: Vec<Diagnostic>,
}

/// Returns the requested sections of `text`. If `raw` is set, their content includes tags.
pub fn select(text: &str, requested: &[String], raw: bool) -> SectionSelection {
    let parsed = sections::parse(text);
    let lines = LineIndex::new(text);
    let selection = sections::select(&parsed, requested);
    let found = selection.found.iter();
    let parts: Vec<String> = found
        .clone()
        .map(|section| sections::content(text, section, &parsed, raw))
        .collect();
    let content = parts.join(sections::SEPARATOR);
    let full = tokens::count(text);
    let actual = if parts.is_empty() {
        0
    } else {
        tokens::count(&content)
    };
    let saved = (full as f64 - actual as f64) / (full.max(1) as f64) * 100.0;
    SectionSelection {
        content,
        sections: found
            .map(|section| SectionPlace::new(section, &lines))
            .collect(),
        missing: selection.missing,
        metrics: TokenMetrics {
            actual_tokens: actual,
            full_file_tokens: full,
            savings_percent: (!parts.is_empty()).then(|| (saved * 10.0).round() / 10.0),
            tokenizer: tokens::NAME,
        },
        known: parsed
            .list
            .iter()
            .map(|section| section.id.clone())
            .collect(),
        diagnostics: parsed.diagnostics,
    }
}

impl SectionSelection {
    /// Returns warnings about missing sections and invalid tags.
    pub fn warnings(&self, id: &str, file: &str) -> Vec<String> {
        let known = match self.known[..] {
            [] => "it has no sections".to_owned(),
            _ => format!("it has {}", self.known.join(", ")),
        };
        let mut warnings = Vec::new();
        for missing in &self.missing {
            let near = match &missing.nearest {
                Some(near) => format!("; did you mean `{near}`?"),
                None => String::new(),
            };
            let section = &missing.id;
            warnings.push(format!("`{id}` has no section `{section}`: {known}{near}"));
        }
        for found in &self.diagnostics {
            let line = found.line + 1;
            warnings.push(format!("{file}:{line}: {}", found.message));
        }
        warnings
    }
}
