//! The wanted sections of a memory, with what asking for no more of it saves.

use serde::Serialize;

use crate::markdown::sections::{self, Section};
use crate::text::LineIndex;
use crate::tokens;

/// Where a returned section stands in its file.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SectionPlace {
    pub(crate) id: String,
    pub(crate) start_line: usize,
    pub(crate) end_line: usize,
}

impl SectionPlace {
    pub(super) fn of(section: &Section, lines: &LineIndex) -> Self {
        let span = section.outer;
        Self {
            id: section.id.clone(),
            start_line: lines.line(span.start) + 1,
            end_line: lines.line(span.end.saturating_sub(1).max(span.start)) + 1,
        }
    }
}

/// A section that was asked for and is not there.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Missing {
    pub(crate) id: String,
    pub(crate) nearest: Option<String>,
}

/// What the slicing saved.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TokenMetrics {
    pub(crate) actual_tokens: usize,
    pub(crate) full_file_tokens: usize,
    /// Negative where the sections cost more than the file; none where nothing was found.
    pub(crate) savings_percent: Option<f64>,
    pub(crate) tokenizer: &'static str,
}

/// Sections of one memory.
#[derive(Debug)]
pub(super) struct Slice {
    pub(super) content: String,
    pub(super) sections: Vec<SectionPlace>,
    pub(super) missing: Vec<Missing>,
    pub(super) metrics: TokenMetrics,
    known: Vec<String>,
    /// What is wrong with the memory's tags, each with its printed line.
    faults: Vec<(usize, String)>,
}

/// Returns the sections of `text` that are asked for; `raw` keeps the tags in them.
pub(super) fn slice(text: &str, requested: &[String], raw: bool) -> Slice {
    let parsed = sections::parse(text);
    let lines = LineIndex::new(text);
    let selection = sections::select(&parsed, requested);
    let found = selection.found.iter();
    let parts: Vec<String> =
        found.clone().map(|section| sections::content(text, section, &parsed, raw)).collect();
    let content = parts.join(sections::SEPARATOR);
    let full = tokens::count(text);
    let actual = if parts.is_empty() { 0 } else { tokens::count(&content) };
    let saved = (full as f64 - actual as f64) / (full.max(1) as f64) * 100.0;
    let missing = selection
        .missing
        .iter()
        .map(|it| Missing { id: it.id.clone(), nearest: it.suggestion.clone() });
    Slice {
        content,
        sections: found.map(|section| SectionPlace::of(section, &lines)).collect(),
        missing: missing.collect(),
        metrics: TokenMetrics {
            actual_tokens: actual,
            full_file_tokens: full,
            savings_percent: (!parts.is_empty()).then(|| (saved * 10.0).round() / 10.0),
            tokenizer: tokens::NAME,
        },
        known: parsed.list.iter().map(|section| section.id.clone()).collect(),
        faults: parsed.diagnostics.iter().map(|it| (it.line + 1, it.message.clone())).collect(),
    }
}

impl Slice {
    /// Returns what is missing, with what there is, and what is wrong with the tags.
    pub(super) fn warnings(&self, id: &str, file: &str) -> Vec<String> {
        let known = match self.known[..] {
            [] => "it has none".to_owned(),
            _ => format!("it has {}", self.known.join(", ")),
        };
        let missing = self.missing.iter().map(|it| {
            let near = it.nearest.as_ref().map(|near| format!("; did you mean `{near}`?"));
            format!("`{id}` has no section `{}`: {known}{}", it.id, near.unwrap_or_default())
        });
        let faults = self.faults.iter().map(|(line, message)| format!("{file}:{line}: {message}"));
        missing.chain(faults).collect()
    }
}
