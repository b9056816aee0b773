//! `feedback`: whether memories help, apart for those with and without an example.

use anyhow::Result;
use serde::Serialize;

use crate::store::{Store, feedback as table};

use super::Project;
use super::memories::Memories;

/// A verdict that was recorded.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) id: String,
    pub(crate) good: bool,
    /// Whether the memory has an example.
    pub(crate) anchored: bool,
    pub(crate) warnings: Vec<String>,
}

/// The verdicts on memories with and without an example.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Approval {
    pub(crate) with_example: Verdicts,
    pub(crate) without_example: Verdicts,
}

/// How many verdicts were good.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Verdicts {
    pub(crate) good: usize,
    pub(crate) bad: usize,
    /// The good ones of all; none where nothing was said.
    pub(crate) percent: Option<f64>,
}

/// Records whether a memory has helped.
pub(crate) fn feedback(project: &Project, typed: &str, is_good: bool) -> Result<Report> {
    let memories = Memories::load(project)?;
    let id = memories.find(typed)?.memory.id.clone();
    let anchored = memories.anchors.contains_key(&id);
    let mut store = Store::open(&project.store)?;
    store.check_persistent()?;
    store.transaction(|connection| {
        table::insert(connection, &project.now.to_string(), &id, is_good, anchored)
    })?;
    let mut warnings = memories.warnings;
    warnings.append(&mut store.warnings);
    Ok(Report { id, good: is_good, anchored, warnings })
}

/// Returns what was said so far.
pub(crate) fn approval(project: &Project) -> Result<Approval> {
    let store = Store::open(&project.store)?;
    let verdicts = |is_anchored: bool| -> Result<Verdicts> {
        let (good, bad) = table::counts(store.reader(), is_anchored)?;
        let percent = (good as f64 / (good + bad).max(1) as f64 * 1e3).round() / 10.0;
        Ok(Verdicts { good, bad, percent: (good + bad > 0).then_some(percent) })
    };
    Ok(Approval { with_example: verdicts(true)?, without_example: verdicts(false)? })
}
