//! The metadata of a memory in reports.

use serde::Serialize;

use crate::MemoryFile;
use crate::shared::{self, SharedFiles};
use cerberus_model::Memory;

/// Metadata of a memory. Reports flatten it into their own fields.
#[derive(Debug, Clone, Serialize)]
pub struct Metadata {
    /// Without its text.
    #[serde(flatten)]
    pub memory: Memory,
    pub file: String,
    /// The shared bank that it is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bank: Option<SharedOrigin>,
    /// The shared memory that it replaces in this project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overrides: Option<Override>,
    /// The shared memories with its text, which the project does not use.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repeats: Vec<SharedMemory>,
}

/// A memory of a shared bank.
#[derive(Debug, Clone, Serialize)]
pub struct SharedMemory {
    pub id: String,
    pub bank: String,
}

/// The pinned bank of a shared memory.
#[derive(Debug, Clone, Serialize)]
pub struct SharedOrigin {
    pub name: String,
    pub commit: String,
}

/// Why a memory of the project replaces one of a shared bank.
#[derive(Debug, Clone, Serialize)]
pub struct Override {
    pub bank: String,
    pub reason: Option<String>,
}

impl Metadata {
    /// Returns the metadata with its relation to the shared banks.
    pub fn in_project(stored: &MemoryFile, shared: &SharedFiles) -> Self {
        let mut metadata = Self {
            memory: Memory { body: String::new(), ..stored.memory.clone() },
            file: stored.file.clone(),
            bank: None,
            overrides: None,
            repeats: Vec::new(),
        };
        if let Some(name) = shared::bank_of(&stored.file) {
            let commit = shared.pin(name).map(|pin| pin.commit.clone()).unwrap_or_default();
            metadata.bank = Some(SharedOrigin { name: name.to_owned(), commit });
            return metadata;
        }
        let mut same = shared.memories().filter(|other| other.memory.id == stored.memory.id);
        metadata.overrides = same.next().map(|other| Override {
            bank: shared::bank_of(&other.file).unwrap_or_default().to_owned(),
            reason: stored.memory.override_reason.clone(),
        });
        let repeats = shared.with_text_of(&stored.memory).map(|other| SharedMemory {
            id: other.memory.id.clone(),
            bank: shared::bank_of(&other.file).unwrap_or_default().to_owned(),
        });
        metadata.repeats = repeats.collect();
        metadata
    }
}
