//! What cerberus does, one file per operation: options in, report out.
//!
//! An operation prints nothing and reads neither environment nor clock: all that is
//! in [`Project`]. Reports are plain data; `--json` prints them as they are, so their
//! fields are a contract.

use std::path::PathBuf;

use jiff::Timestamp;

use crate::bank::Bank;
use crate::model::Scope;
use crate::rank::calibrate::Weights;
use crate::rank::fusion::Recency;

pub(crate) mod add;
pub(crate) mod anchor;
pub(crate) mod anchor_test;
pub(crate) mod append;
mod code_index;
pub(crate) mod complete;
pub(crate) mod create;
pub(crate) mod demo;
mod discover;
pub(crate) mod doctor;
pub(crate) mod document;
pub(crate) mod export;
pub(crate) mod feedback;
pub(crate) mod follow;
pub(crate) mod hooks;
pub(crate) mod import;
pub(crate) mod index;
pub(crate) mod init;
pub(crate) mod inject;
mod kin;
pub(crate) mod linked;
pub(crate) mod links;
pub(crate) mod marked;
pub(crate) mod memories;
pub(crate) mod merge;
mod per_thread;
pub(crate) mod pins;
pub(crate) mod read;
pub(crate) mod reanchor;
mod recency;
pub(crate) mod report;
pub(crate) mod search;
pub(crate) mod sections;
pub(crate) mod show;
mod slices;
pub(crate) mod stats;
mod sync;
pub(crate) mod trash;
pub(crate) mod update;

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

/// Told how many of how many steps are done.
pub(crate) type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// Rounds a score to the four digits that are shown and kept.
pub(crate) fn rounded(score: f64) -> f64 {
    (score * 1e4).round() / 1e4
}

/// A memory without a scope is about the project that holds it, by the name of its folder.
fn default_scope(project: &Project) -> Scope {
    let name = project.root.file_name().map(|name| name.to_string_lossy().into_owned());
    Scope::Project(name)
}

/// A time to the second: what people read in frontmatter.
fn seconds(now: Timestamp) -> Timestamp {
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}
