//! What an edit, or at a stop all changes, hit: the patterns of rules, and code that their texts forbid.

use std::collections::BTreeMap;

use anyhow::Result;
use cerberus_bank::ops::Project;
use cerberus_model::Severity;

use super::edit::Written;
use super::payload::Event;
use super::{answer, in_session, session};
use crate::commands::review_diff::{self, Finding, ReviewDiffArgs};
use crate::config::GlobalArgs;

/// Minimum number of bytes of a part of a line; shorter ones, such as brackets, are in any line.
const MIN_PART: usize = 4;

/// Returns what the written texts hit, given with the paths of their files, or an empty text. The rules that
/// they break are counted for the session.
pub(super) fn findings(
    project: &Project,
    session: Option<&str>,
    written: &BTreeMap<String, Written>,
) -> Result<String> {
    let (mut items, mut broken) = (Vec::new(), Vec::new());
    for (file, Written { text, .. }) in written {
        // Other lines were there before this edit, and an earlier answer has them.
        // An edit may replace only a part of a line.
        let is_part = |line: &str, code: &str| line.len() >= MIN_PART && code.contains(line);
        let is_written = |it: &&Finding| {
            text.is_empty()
                || text.contains(it.code.as_str())
                || text.lines().any(|line| is_part(line.trim(), &it.code))
        };
        let report = review_diff::review_file(project, file)?;
        for finding in report.findings.iter().filter(is_written) {
            items.push(item(finding));
            broken.push(finding.id.clone());
        }
    }
    record_broken(project, session, &broken)?;
    Ok(answer::about("Findings in this edit:", &items))
}

/// Counts the rules that a session broke.
pub(super) fn record_broken(
    project: &Project,
    session: Option<&str>,
    memories: &[String],
) -> Result<()> {
    let Some(session) = session.filter(|_| !memories.is_empty()) else {
        return Ok(());
    };
    in_session(project, session, |it| it.record_broken(memories))
}

/// Returns the accepted patterns that uncommitted changes hit, which an agent that says it has finished must
/// still correct, or an empty text.
pub(super) fn at_stop(event: &Event, global: &GlobalArgs) -> Result<String> {
    let none = Ok(String::new());
    // An agent that goes on because of a hook is not asked again, and a subagent did not make all changes.
    if event.is_repeated_stop || event.is_subagent {
        return none;
    }
    let Some(session) = &event.session else {
        return none;
    };
    let Some(settings) = session::settings(Some(event), global)? else {
        return none;
    };
    let project = &settings.project;
    let report = review_diff::review(project, &ReviewDiffArgs::default(), &|_, _| {})?;
    let errors = report
        .findings
        .iter()
        .filter(|it| it.severity == Severity::Error);
    let items: Vec<String> = errors.map(item).collect();
    let is_new = !items.is_empty() && in_session(project, session, |it| it.claim_stop())?;
    let title = "The changes break rules of this project:";
    if is_new {
        Ok(answer::about(title, &items))
    } else {
        none
    }
}

fn item(finding: &Finding) -> String {
    let Finding {
        file,
        line,
        message,
        id,
        allow,
        ..
    } = finding;
    let severity = finding.severity.as_str();
    let example = finding.example.as_ref();
    let example = example
        .map(|it| format!(" Like this: {it}."))
        .unwrap_or_default();
    format!("{file}:{line}: {severity}: {message} (`{id}`).{example} If it is right here: {allow}")
}
