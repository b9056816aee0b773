//! The rules for what the user asks an agent to do.

use std::collections::BTreeSet;

use anyhow::Result;

use super::relevance::Focus;
use super::{InjectedMemory, Report, Request, inject};
use cerberus_bank::ops::Project;
use cerberus_store::given_rules::Given;

/// How often the rules are selected again because another hook of the session gave some of them meanwhile.
const MAX_SELECTIONS: usize = 3;

/// Returns the text with the most relevant rules for a task, without those that the session was `given`. It is
/// empty if the text names no task. `claim` records the rules, and returns which of them are new to the session.
pub(crate) fn rules_for_task(
    project: &Project,
    task: &str,
    given: &BTreeSet<String>,
    mut claim: impl FnMut(&[Given]) -> Result<Vec<bool>>,
) -> Result<String> {
    let focus = Focus { query: Some(task.to_owned()), ..Focus::default() };
    if focus.task_without_files().is_none() {
        return Ok(String::new());
    }
    let mut request = Request {
        query: Some(task.to_owned()),
        without_pins: true,
        excluded: given.clone(),
        ..Request::default()
    };
    for _ in 0..MAX_SELECTIONS {
        let report = inject(project, &request, None)?;
        let given = report.given();
        if given.is_empty() {
            break;
        }
        let is_new = claim(&given)?;
        if is_new.iter().all(|it| *it) {
            return Ok(report.text);
        }
        let known = given.iter().zip(is_new).filter(|(_, is_new)| !is_new);
        request.excluded.extend(known.map(|(it, _)| it.memory.to_owned()));
    }
    Ok(String::new())
}

impl Report {
    /// Returns the memories whose whole text is given.
    pub(crate) fn given(&self) -> Vec<Given<'_>> {
        let whole = self.memories.iter().filter(|it| !it.is_shortened);
        whole.map(given).collect()
    }
}

fn given(memory: &InjectedMemory) -> Given<'_> {
    let with_code = memory.example.is_some() || !memory.candidates.is_empty();
    Given { memory: &memory.id, with_code }
}
