//! What cerberus does, one file per operation: options in, report out.
//!
//! An operation prints nothing and reads neither environment nor clock: all that is
//! in [`Project`]. Reports are plain data; `--json` prints them as they are, so their
//! fields are a contract.

use std::path::PathBuf;

use jiff::Timestamp;

use crate::bank::Bank;
use crate::engine::CodeBase;
use crate::engine::rank::calibrate::Weights;
use crate::engine::rank::fusion::Recency;
pub(crate) use crate::engine::{Progress, rounded};
use crate::model::Scope;

pub(crate) mod anchors;
pub(crate) mod complete;
pub(crate) mod doctor;
pub(crate) mod document;
pub(crate) mod export;
pub(crate) mod feedback;
pub(crate) mod hooks;
pub(crate) mod inject;
pub(crate) mod links;
pub(crate) mod managed_block;
pub(crate) mod memories;
pub(crate) mod metadata;
pub(crate) mod pins;
pub(crate) mod search;
pub(crate) mod section_selection;
pub(crate) mod similar;
pub(crate) mod sync;

/// Where an operation works and what the user has settled for it.
#[derive(Debug, Clone)]
pub(crate) struct Project {
    /// The folder that holds the code.
    pub(crate) root: PathBuf,
    pub(crate) bank: Bank,
    /// The file of the store.
    pub(crate) store: PathBuf,
    /// Globs of code that is never an example.
    pub(crate) exclude: Vec<String>,
    pub(crate) min_quality: f64,
    pub(crate) weights: Weights,
    /// How much a search lifts what is new.
    pub(crate) recency: Recency,
    pub(crate) pins: pins::Settings,
    pub(crate) inject: inject::Settings,
    pub(crate) now: Timestamp,
}

impl Project {
    /// Returns the part of the project that the engine works on.
    pub(crate) fn code(&self) -> CodeBase<'_> {
        CodeBase {
            root: &self.root,
            store: &self.store,
            exclude: &self.exclude,
            weights: &self.weights,
            now: i64::try_from(self.now.as_nanosecond()).unwrap_or(i64::MAX),
        }
    }
}

/// A memory without a scope is about the project that holds it, by the name of its folder.
pub(crate) fn default_scope(project: &Project) -> Scope {
    let name = project.root.file_name().map(|name| name.to_string_lossy().into_owned());
    Scope::Project(name)
}

/// A time to the second: what people read in frontmatter.
pub(crate) fn seconds(now: Timestamp) -> Timestamp {
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}
