//! `read`: the text of a memory, or just the wanted sections of it.

use anyhow::Result;
use serde::Serialize;

use crate::markdown::sections;
use crate::model::{MemoryStatus, MemoryType};
use crate::text::LineIndex;

use super::Project;
use super::memories::Memories;
use super::section_selection::{self, Missing, SectionPlace, TokenMetrics};

/// What to read.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) id: String,
    /// The sections to return, instead of the whole text.
    pub(crate) sections: Vec<String>,
    /// Whether sections keep the tags in them, and a whole memory is its file to the byte.
    pub(crate) raw: bool,
}

/// A memory's text with what is known of it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) id: String,
    pub(crate) file: String,
    #[serde(rename = "type")]
    pub(crate) memory_type: MemoryType,
    pub(crate) category: Option<String>,
    pub(crate) scope: String,
    pub(crate) status: MemoryStatus,
    pub(crate) tags: Vec<String>,
    pub(crate) hints: Vec<String>,
    pub(crate) created_at: Option<String>,
    pub(crate) updated_at: Option<String>,
    pub(crate) content: String,
    /// Those that were asked for; all of them where none was.
    pub(crate) sections: Vec<SectionPlace>,
    pub(crate) missing: Vec<Missing>,
    /// What asking for sections saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) token_metrics: Option<TokenMetrics>,
    pub(crate) warnings: Vec<String>,
    /// The file itself, where it was asked for.
    #[serde(skip)]
    pub(crate) bytes: Option<Vec<u8>>,
}

/// Reads the memory that is meant.
pub(crate) fn read(project: &Project, request: &Request) -> Result<Report> {
    let memories = Memories::load(project)?;
    let stored = memories.find(&request.id)?;
    let memory = &stored.memory;
    let mut report = Report {
        id: memory.id.clone(),
        file: stored.file.clone(),
        memory_type: memory.memory_type,
        category: memory.category.clone(),
        scope: memory.scope.to_string(),
        status: memory.status,
        tags: memory.tags.clone(),
        hints: memory.hints.clone(),
        created_at: memory.created_at.map(|time| time.to_string()),
        updated_at: memory.updated_at.map(|time| time.to_string()),
        content: String::new(),
        sections: Vec::new(),
        missing: Vec::new(),
        token_metrics: None,
        warnings: stored.warnings.clone(),
        bytes: None,
    };
    if request.sections.is_empty() {
        let parsed = sections::parse(&stored.text);
        let lines = LineIndex::new(&stored.text);
        report.sections =
            parsed.list.iter().map(|section| SectionPlace::of(section, &lines)).collect();
        if request.raw {
            report.content = stored.text.clone();
            report.bytes = project.bank.bytes(&stored.file)?;
        } else {
            report.content = memory.body.trim().to_owned();
        }
        return Ok(report);
    }
    let slice = section_selection::slice(&stored.text, &request.sections, request.raw);
    report.warnings.extend(slice.warnings(&memory.id, &stored.file));
    report.content = slice.content;
    report.sections = slice.sections;
    report.missing = slice.missing;
    report.token_metrics = Some(slice.metrics);
    Ok(report)
}
