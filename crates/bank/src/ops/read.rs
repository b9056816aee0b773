//! Reads a memory or some of its sections.

use anyhow::Result;
use cerberus_markdown::sections::{self, MissingSection};
use cerberus_model::text::LineIndex;
use serde::Serialize;

use crate::ops::Project;
use crate::ops::metadata::Metadata;
use crate::ops::section_selection::{self, SectionPlace, TokenMetrics};
use crate::{MemoryFile, Workspace};

/// The part of a memory to read.
#[derive(Debug, Default)]
pub struct Request {
    /// Id of the memory, or a unique prefix of it.
    pub id: String,
    /// Only these sections.
    pub sections: Vec<String>,
    /// Whether section tags remain; the complete file is read byte for byte.
    pub raw: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    #[serde(flatten)]
    pub metadata: Metadata,
    pub content: String,
    /// The requested sections, or all sections if none was requested.
    pub sections: Vec<SectionPlace>,
    pub missing: Vec<MissingSection>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_metrics: Option<TokenMetrics>,
    pub warnings: Vec<String>,
    /// Bytes of the file, for `--raw` without sections.
    #[serde(skip)]
    pub bytes: Option<Vec<u8>>,
}

/// Returns the content of a memory, or of the requested sections of it.
pub fn read(project: &Workspace, request: &Request) -> Result<Report> {
    let memories = project.memories()?;
    let stored = memories.find(&request.id)?;
    let mut report = Report {
        metadata: stored.into(),
        content: String::new(),
        sections: Vec::new(),
        missing: Vec::new(),
        token_metrics: None,
        warnings: Vec::new(),
        bytes: None,
    };
    if !request.sections.is_empty() {
        let selection = section_selection::select(&stored.text, &request.sections, request.raw);
        report
            .warnings
            .extend(selection.warnings(&stored.memory.id, &stored.file));
        report.content = selection.content;
        report.sections = selection.sections;
        report.missing = selection.missing;
        report.token_metrics = Some(selection.metrics);
        return Ok(report);
    }
    let lines = LineIndex::new(&stored.text);
    let parsed = sections::parse(&stored.text);
    report.sections = parsed
        .list
        .iter()
        .map(|section| SectionPlace::new(section, &lines))
        .collect();
    if request.raw {
        report.content = stored.text.clone();
        report.bytes = raw_bytes(project, stored)?;
    } else {
        report.content = stored.memory.body.trim().to_owned();
    }
    Ok(report)
}

fn raw_bytes(project: &Project, stored: &MemoryFile) -> Result<Option<Vec<u8>>> {
    match project.bank.utf8_text(stored) {
        Ok(text) => Ok(Some(text.into_bytes())),
        // Not valid UTF-8.
        Err(_) => project.bank.bytes(&stored.file),
    }
}
