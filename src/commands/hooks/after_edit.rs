//! Findings in an edit, or at a stop in all changes: the patterns of rules, code that their texts forbid, and what an
//! instruction file says that is not true.

use std::collections::BTreeMap;

use anyhow::Result;
use cerberus_bank::Workspace;
use cerberus_model::Severity;

use super::edit::Written;
use super::payload::Event;
use super::{answer, in_session, session};
use crate::commands::check;
use crate::commands::review_diff::{self, Finding, ReviewDiffArgs};
use crate::config::{GlobalArgs, Settings};

/// Minimum number of bytes of a part of a line; shorter ones, such as brackets, are in any line.
const MIN_PART: usize = 4;

/// Returns the findings in written texts, given by path, or an empty text. The rules that
/// they break are counted for the session.
pub(super) fn findings(
    settings: &Settings,
    session: Option<&str>,
    written: &BTreeMap<String, Written>,
) -> Result<String> {
    let project = &settings.project;
    let mut items = Vec::new();
    let mut broken = Vec::new();
    for (file, Written { text, .. }) in written {
        for finding in check::of_edit(settings, file)? {
            if text.is_empty() || is_written(text, &finding.claim) {
                items.push(check::in_one_line(&finding));
            }
        }
        for finding in review_diff::review_file(project, file)?.findings {
            // Other lines were there before this edit, and an earlier answer has them.
            if text.is_empty() || is_written(text, &finding.code) {
                items.push(item(&finding));
                broken.push(finding.id);
            }
        }
    }
    record_broken(project, session, &broken)?;
    Ok(answer::about("Findings in this edit:", &items))
}

/// Returns whether a line of code is in a written text. An edit may replace only a part of a line.
fn is_written(text: &str, code: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    text.contains(code) || lines.any(|line| line.len() >= MIN_PART && code.contains(line))
}

/// Counts the rules that a session broke.
pub(super) fn record_broken(
    project: &Workspace,
    session: Option<&str>,
    memories: &[String],
) -> Result<()> {
    let Some(session) = session.filter(|_| !memories.is_empty()) else {
        return Ok(());
    };
    in_session(project, session, |rules| rules.record_broken(memories))
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
    let mut items = Vec::new();
    for finding in &report.findings {
        if finding.severity == Severity::Error {
            items.push(item(finding));
        }
    }
    if items.is_empty() || !in_session(project, session, |rules| rules.claim_stop())? {
        return none;
    }
    Ok(answer::about(
        "The changes break rules of this project:",
        &items,
    ))
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
    let example = match &finding.example {
        Some(example) => format!(" Like this: {example}."),
        None => String::new(),
    };
    format!("{file}:{line}: {severity}: {message} (`{id}`).{example} If it is right here: {allow}")
}
