//! The baseline: old hits that are accepted. An update removes hits from it and adds none.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::{Finding, Report};
use crate::commands::findings;
use crate::output::Printer;
use cerberus_model::text::plural;

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

/// The accepted hits with their numbers.
type Baseline = BTreeMap<Accepted, usize>;

fn read(path: &Path) -> Result<Baseline> {
    let shown = path.display();
    let write = format!("cerberus memory review-diff --all --baseline {shown} --update-baseline");
    let repair = "delete it, and write it anew with --all and --update-baseline";
    let entries: Vec<Entry> = findings::read_baseline(path, &write, repair)?;
    Ok(entries.into_iter().map(|it| (it.accepted, it.count)).collect())
}

/// Removes the hits that a baseline accepts, and returns their number.
pub(super) fn accept(path: &Path, findings: &mut Vec<Finding>) -> Result<usize> {
    let mut accepted = read(path)?;
    let n_all = findings.len();
    findings.retain(|finding| {
        let left = accepted.get_mut(&key(finding)).filter(|n_left| **n_left > 0);
        left.map(|n_left| *n_left -= 1).is_none()
    });
    Ok(n_all - findings.len())
}

fn key(finding: &Finding) -> Accepted {
    Accepted { file: finding.file.clone(), rule: finding.id.clone(), code: finding.code.clone() }
}

/// Creates a baseline with the hits of a report, or removes what is no longer hit.
pub(super) fn update(path: &Path, report: &Report, root: &Path, out: &mut Printer) -> Result<()> {
    let mut counts = Baseline::new();
    for finding in &report.findings {
        *counts.entry(key(finding)).or_default() += 1;
    }
    if path.exists() {
        let mut old = read(path)?;
        old.retain(|key, n_old| {
            *n_old = counts.get(key).map_or(0, |n| *n.min(n_old));
            counts.contains_key(key)
        });
        counts = old;
    }
    let n_hits: usize = counts.values().sum();
    let entries = counts.into_iter().map(|(accepted, count)| Entry { accepted, count }).collect();
    findings::write_baseline(path, root, entries)?;
    let shown = out.safe(&path.display().to_string());
    out.line(&format!("the baseline `{shown}` accepts {}", plural(n_hits, "hit")));
    Ok(())
}
