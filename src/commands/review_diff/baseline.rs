//! The baseline: old hits that are accepted. An update removes hits from it and adds none.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::{Finding, Report};
use crate::bank::external_file::{self, ExternalFile};
use crate::error::{ExitStatus, UserError};
use crate::output::Printer;
use crate::text::plural;

/// Accepted hits of a rule on equal lines of a file. They have no line number, so that they hold
/// when lines above them change.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Accepted {
    file: String,
    rule: String,
    code: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(flatten)]
    accepted: Accepted,
    count: usize,
}

#[derive(Debug, Serialize, Deserialize)]
struct File {
    version: u32,
    accepted: Vec<Entry>,
}

/// The version of the file's format.
const VERSION: u32 = 1;

/// The accepted hits with their numbers.
pub(super) struct Baseline(BTreeMap<Accepted, usize>);

impl Baseline {
    /// Reads a baseline. A missing one is an error, because a typo would accept nothing.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let shown = path.display();
        if !path.exists() {
            let command =
                format!("cerberus memory review-diff --all --baseline {shown} --update-baseline");
            return Err(UserError::usage(format!("the baseline `{shown}` does not exist"))
                .hint(format!("create it: {command}"))
                .into());
        }
        let bytes = external_file::read(path)?;
        let file: File = serde_json::from_slice(&bytes).map_err(|error| {
            let (message, column) = crate::commands::json_error(&error);
            let place = format!("{shown}:{}:{column}", error.line());
            UserError::usage(format!("failed to read the baseline `{place}`: {message}"))
                .hint("delete it, and write it anew with --all and --update-baseline")
        })?;
        if file.version != VERSION {
            return Err(UserError::usage(format!(
                "the baseline `{shown}` has version {}, supported: {VERSION}",
                file.version
            ))
            .hint("upgrade cerberus")
            .into());
        }
        Ok(Self(file.accepted.into_iter().map(|it| (it.accepted, it.count)).collect()))
    }

    /// Removes the accepted hits, and returns their number.
    pub(super) fn accept(mut self, findings: &mut Vec<Finding>) -> usize {
        let n_all = findings.len();
        findings.retain(|finding| {
            let left = self.0.get_mut(&key(finding)).filter(|n_left| **n_left > 0);
            left.map(|n_left| *n_left -= 1).is_none()
        });
        n_all - findings.len()
    }
}

fn key(finding: &Finding) -> Accepted {
    Accepted { file: finding.file.clone(), rule: finding.id.clone(), code: finding.code.clone() }
}

/// Creates a baseline with the hits of a report, or removes what is no longer hit.
pub(super) fn update(
    path: &Path,
    report: &Report,
    root: &Path,
    out: &mut Printer,
) -> Result<ExitStatus> {
    let mut counts: BTreeMap<Accepted, usize> = BTreeMap::new();
    for finding in &report.findings {
        *counts.entry(key(finding)).or_default() += 1;
    }
    if path.exists() {
        let old = Baseline::read(path)?;
        counts = old
            .0
            .into_iter()
            .filter_map(|(key, n_old)| Some((key.clone(), n_old.min(*counts.get(&key)?))))
            .collect();
    }
    let n_hits: usize = counts.values().sum();
    let accepted = counts.into_iter().map(|(accepted, count)| Entry { accepted, count }).collect();
    let text = serde_json::to_string_pretty(&File { version: VERSION, accepted })? + "\n";
    let shown = path.display().to_string();
    let target = ExternalFile::open(path, root)?;
    target.write(text.as_bytes()).with_context(|| format!("failed to write `{shown}`"))?;
    out.line(&format!("the baseline `{}` accepts {}", out.safe(&shown), plural(n_hits, "hit")));
    Ok(ExitStatus::Done)
}
