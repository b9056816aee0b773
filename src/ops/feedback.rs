//! Totals of the recorded feedback, separately for memories with and without an example.

use anyhow::Result;
use serde::Serialize;

use crate::store::{Store, feedback as table};

use super::Project;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Approval {
    pub(crate) with_example: Verdicts,
    pub(crate) without_example: Verdicts,
}

/// Counts of helpful (`good`) and unhelpful (`bad`) verdicts.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Verdicts {
    pub(crate) good: usize,
    pub(crate) bad: usize,
    /// The percentage of helpful verdicts, if there are any.
    pub(crate) percent: Option<f64>,
}

/// Returns the totals.
pub(super) fn approval(project: &Project) -> Result<Approval> {
    let store = Store::open(&project.store)?;
    let verdicts = |is_anchored: bool| -> Result<Verdicts> {
        let (good, bad) = table::counts(store.reader(), is_anchored)?;
        let percent = (good as f64 / (good + bad).max(1) as f64 * 1e3).round() / 10.0;
        Ok(Verdicts { good, bad, percent: (good + bad > 0).then_some(percent) })
    };
    Ok(Approval { with_example: verdicts(true)?, without_example: verdicts(false)? })
}
