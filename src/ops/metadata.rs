//! The metadata of a memory in reports.

use serde::Serialize;

use crate::bank::MemoryFile;
use crate::model::{ExampleChoice, MemoryStatus, MemoryType, RuleKind};

/// Metadata of a memory. Reports flatten it into their own fields.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Metadata {
    pub(crate) id: String,
    pub(crate) file: String,
    #[serde(rename = "type")]
    pub(crate) memory_type: MemoryType,
    pub(crate) kind: Option<RuleKind>,
    pub(crate) category: Option<String>,
    pub(crate) heading: Option<String>,
    pub(crate) scope: String,
    pub(crate) paths: Vec<String>,
    pub(crate) status: MemoryStatus,
    pub(crate) tags: Vec<String>,
    pub(crate) hints: Vec<String>,
    pub(crate) example: Option<ExampleChoice>,
    pub(crate) created_at: Option<String>,
    pub(crate) updated_at: Option<String>,
}

impl From<&MemoryFile> for Metadata {
    fn from(stored: &MemoryFile) -> Self {
        let memory = &stored.memory;
        Self {
            id: memory.id.clone(),
            file: stored.file.clone(),
            memory_type: memory.memory_type,
            kind: memory.kind,
            category: memory.category.clone(),
            heading: memory.heading.clone(),
            scope: memory.scope.to_string(),
            paths: memory.paths.clone(),
            status: memory.status,
            tags: memory.tags.clone(),
            hints: memory.hints.clone(),
            example: memory.example,
            created_at: memory.created_at.map(|time| time.to_string()),
            updated_at: memory.updated_at.map(|time| time.to_string()),
        }
    }
}
