//! `cerberus hooks run … after-edit`: the patterns of rules that an edit hits, and functions that exist already.

use std::collections::BTreeMap;

use anyhow::Result;

use super::edit::{self, Written};
use super::{HookTool, answer, payload};
use crate::commands::review_diff::{self, Finding, Severity};
use crate::config::GlobalArgs;
use crate::ops::{Project, envelope};
use crate::output::Printer;
use crate::text::{escaped, plural};

/// Maximum number of findings.
const MAX_ITEMS: usize = 8;

/// Minimum number of bytes of a part of a line; shorter ones, such as brackets, are in any line.
const MIN_PART: usize = 4;

pub(super) fn run(tool: HookTool, global: &GlobalArgs, out: &mut Printer) -> Result<()> {
    let Some(event) = payload::read(tool) else { return Ok(()) };
    let Some((settings, written)) = edit::written(&event, global)? else { return Ok(()) };
    let text = findings(&settings.project, &written)?;
    if !text.is_empty() {
        answer::print_after(tool, &text, out)?;
    }
    Ok(())
}

/// Returns what the written texts hit, by path, or an empty text.
pub(super) fn findings(project: &Project, written: &BTreeMap<String, Written>) -> Result<String> {
    let mut items = Vec::new();
    for (file, Written { text, .. }) in written {
        let report = review_diff::review_file(project, file)?;
        // Other lines were there before this edit, and an earlier answer has them.
        // An edit may replace only a part of a line.
        let is_part = |line: &str, code: &str| line.len() >= MIN_PART && code.contains(line);
        let is_written = |it: &&Finding| {
            text.is_empty()
                || text.contains(it.code.as_str())
                || text.lines().any(|line| is_part(line.trim(), &it.code))
        };
        items.extend(report.findings.iter().filter(is_written).map(item));
    }
    if items.is_empty() {
        return Ok(String::new());
    }
    let n_more = items.len().saturating_sub(MAX_ITEMS);
    items.truncate(MAX_ITEMS);
    if n_more > 0 {
        items.push(format!("- and {}\n", plural(n_more, "other")));
    }
    let text = format!("Findings in this edit:\n{}", items.concat());
    Ok(envelope::wrapped(&envelope::escaped(&escaped(&text))))
}

fn item(finding: &Finding) -> String {
    let severity = match finding.severity {
        Severity::Error => "error",
        Severity::Hint => "hint",
    };
    let Finding { file, line, message, id, allow, .. } = finding;
    let example = finding.example.as_ref();
    let example = example.map(|it| format!(" Like this: {it}.")).unwrap_or_default();
    format!(
        "- {file}:{line}: {severity}: {message} (`{id}`).{example} If it is right here: {allow}\n"
    )
}
