//! What an edit hits: the patterns of rules, and functions that exist already.

use anyhow::Result;

use super::answer;
use crate::commands::findings::Severity;
use crate::commands::review_diff::{self, Finding, ReviewDiffArgs};
use cerberus_bank::ops::{Project, envelope};
use cerberus_model::text::escaped;

/// Minimum number of bytes of a part of a line; shorter ones, such as brackets, are in any line.
const MIN_PART: usize = 4;

/// Returns what the written texts hit, given with the paths of their files, or an empty text.
pub(super) fn findings<'a>(
    project: &Project,
    written: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<String> {
    let mut items = Vec::new();
    for (file, text) in written {
        // Other lines were there before this edit, and an earlier answer has them.
        // An edit may replace only a part of a line.
        let is_part = |line: &str, code: &str| line.len() >= MIN_PART && code.contains(line);
        let is_written = |it: &&Finding| {
            text.is_empty()
                || text.contains(it.code.as_str())
                || text.lines().any(|line| is_part(line.trim(), &it.code))
        };
        let report = review_diff::review_file(project, file)?;
        items.extend(report.findings.iter().filter(is_written).map(item));
    }
    if items.is_empty() {
        return Ok(String::new());
    }
    let text = format!("Findings in this edit:\n{}", answer::listed(&items));
    Ok(envelope::wrapped(&escaped(&text)))
}

/// Returns the accepted patterns that uncommitted changes hit, or an empty text.
pub(super) fn open_errors(project: &Project) -> Result<String> {
    let report = review_diff::review(project, &ReviewDiffArgs::default(), &|_, _| {})?;
    let errors = report.findings.iter().filter(|it| it.severity == Severity::Error);
    let items: Vec<String> = errors.map(item).collect();
    if items.is_empty() {
        return Ok(String::new());
    }
    let text = format!("The changes break rules of this project:\n{}", answer::listed(&items));
    Ok(envelope::wrapped(&escaped(&text)))
}

fn item(finding: &Finding) -> String {
    let Finding { file, line, message, id, allow, .. } = finding;
    let severity = finding.severity.as_str();
    let example = finding.example.as_ref();
    let example = example.map(|it| format!(" Like this: {it}.")).unwrap_or_default();
    format!("{file}:{line}: {severity}: {message} (`{id}`).{example} If it is right here: {allow}")
}
