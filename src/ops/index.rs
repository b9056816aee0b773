//! `index`: brings the code index up to date and says what it holds.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::Result;
use serde::Serialize;

use crate::store::code;

use super::{Progress, Project};
use crate::engine::examples;

/// What the code index holds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) root: String,
    pub(crate) store: String,
    pub(crate) files: usize,
    pub(crate) bytes: u64,
    pub(crate) languages: BTreeMap<String, usize>,
    /// How many files have their symbols at hand.
    pub(crate) parsed: u64,
    pub(crate) changed: usize,
    pub(crate) removed: usize,
    pub(crate) elapsed_ms: f64,
    pub(crate) warnings: Vec<String>,
}

/// Brings the index up to date; `full` parses every file too.
pub(crate) fn index(project: &Project, full: bool, progress: Progress<'_>) -> Result<Report> {
    let started = Instant::now();
    let mut index = examples::open_index(project.code())?;
    let n_files = index.files.len();
    if full {
        index.parse_all(progress)?;
    }
    let mut languages = BTreeMap::new();
    for file in &index.files {
        *languages.entry(file.language.to_string()).or_insert(0) += 1;
    }
    Ok(Report {
        root: project.root.display().to_string(),
        store: project.store.display().to_string(),
        files: n_files,
        bytes: index.files.iter().map(|file| file.size).sum(),
        languages,
        parsed: code::n_parsed_contents(index.store().reader())?,
        changed: index.n_changed,
        removed: index.n_removed,
        elapsed_ms: (started.elapsed().as_secs_f64() * 1e6).round() / 1e3,
        warnings: std::mem::take(&mut index.warnings),
    })
}
