//! The rules for a task that the user gives an agent.

use std::collections::BTreeSet;

use anyhow::Result;
use cerberus_bank::Workspace;
use cerberus_bank::ops::search::signals;
use cerberus_engine::examples::{Options, Query};
use cerberus_store::given_rules::Given;

use super::relevance::Focus;
use super::{InjectedMemory, Report, Request, inject};

/// How often the rules are selected again because another hook of the session gave some of them meanwhile.
const MAX_SELECTIONS: usize = 3;

/// The most files that a task is expected to change. In the trial of `benches/route`, three have the file with the most changes for 19 of 32
/// tasks, and one for 14.
const MAX_LIKELY_FILES: usize = 3;

/// Returns the text with the most relevant rules for a task, without those that the session was `given`. It is
/// empty if the text names no task. `claim` records the rules, and returns which of them are new to the session.
pub(crate) fn rules_for_task(
    project: &Workspace,
    task: &str,
    given: &BTreeSet<String>,
    claim: impl FnMut(&[Given]) -> Result<Vec<bool>>,
) -> Result<String> {
    let task = signals::part_to_read(task);
    let focus = Focus {
        query: Some(task.to_owned()),
        ..Focus::default()
    };
    if focus.task_without_files().is_none() {
        return Ok(String::new());
    }
    let mut request = Request {
        query: Some(task.to_owned()),
        without_pins: true,
        excluded: given.clone(),
        ..Request::default()
    };
    let report = inject_new(project, &mut request, None, claim)?;
    Ok(if report.given().is_empty() {
        String::new()
    } else {
        report.text
    })
}

/// Returns the files that a task will probably change, whose code is most similar to its text. Their rules can be
/// given before any of them is named.
pub(super) fn likely_files(project: &Workspace, task: &str) -> Result<BTreeSet<String>> {
    let query = Query {
        rule: task.to_owned(),
        ..Query::default()
    };
    let options = Options::distinct(MAX_LIKELY_FILES, 0.0);
    let ranking = project.rank(&[query], options)?.pop();
    let mut files = BTreeSet::new();
    if let Some(ranking) = ranking {
        files.extend(ranking.candidates.into_iter().map(|ranked| ranked.file));
    }
    Ok(files)
}

/// Injects memories that are new to a session. `claim` records them, and returns which of them are new. Some agents run several
/// hooks at once: rules that another one gave meanwhile are excluded.
pub(crate) fn inject_new(
    project: &Workspace,
    request: &mut Request,
    pins_session: Option<&str>,
    mut claim: impl FnMut(&[Given]) -> Result<Vec<bool>>,
) -> Result<Report> {
    let mut own = BTreeSet::new();
    for _ in 1..MAX_SELECTIONS {
        let report = inject(project, request, pins_session)?;
        let given = report.given();
        let mut known = Vec::new();
        for (rule, is_new) in given.iter().zip(claim(&given)?) {
            if is_new {
                own.insert(rule.memory.to_owned());
            } else {
                known.push(rule.memory.to_owned());
            }
        }
        known.retain(|id| !own.contains(id));
        let n_excluded = request.excluded.len();
        request.excluded.extend(known);
        if request.excluded.len() == n_excluded {
            return Ok(report);
        }
    }
    let report = inject(project, request, pins_session)?;
    claim(&report.given())?;
    Ok(report)
}

impl Report {
    /// Returns the memories whose whole text is given.
    pub(crate) fn given(&self) -> Vec<Given<'_>> {
        let whole = self.memories.iter().filter(|memory| !memory.is_shortened);
        whole.map(given).collect()
    }
}

fn given(memory: &InjectedMemory) -> Given<'_> {
    let with_code = memory.example.is_some() || !memory.candidates.is_empty();
    Given {
        memory: &memory.id,
        with_code,
    }
}
