//! The metadata of a memory in reports.

use cerberus_model::Memory;
use serde::Serialize;

use crate::MemoryFile;

/// Metadata of a memory. Reports flatten it into their own fields.
#[derive(Debug, Clone, Serialize)]
pub struct Metadata {
    /// Without its text.
    #[serde(flatten)]
    pub memory: Memory,
    pub file: String,
}

impl From<&MemoryFile> for Metadata {
    fn from(stored: &MemoryFile) -> Self {
        let memory = Memory {
            body: String::new(),
            ..stored.memory.clone()
        };
        Self {
            memory,
            file: stored.file.clone(),
        }
    }
}
