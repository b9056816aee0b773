//! The baseline: old findings that are accepted. It only shrinks: a finding that is gone must be
//! removed from it.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::{Finding, Report, Severity};
use crate::commands::findings;
use crate::output::Printer;
use cerberus_model::text::plural;

/// An accepted finding. It has no line, so that it holds when lines above it change.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Accepted {
    pub(crate) file: String,
    pub(crate) check: String,
    pub(crate) claim: String,
}

impl From<&Finding> for Accepted {
    fn from(finding: &Finding) -> Self {
        let (file, check) = (finding.file.clone(), finding.check.to_owned());
        Self { file, check, claim: finding.claim.clone() }
    }
}

/// Reads a baseline.
pub(super) fn read(path: &Path) -> Result<BTreeSet<Accepted>> {
    let write = format!("cerberus check --baseline {} --update-baseline", path.display());
    let repair = format!("write it anew: {write}");
    Ok(findings::read_baseline(path, &write, &repair)?.into_iter().collect())
}

/// Removes the accepted findings. Returns their number, and the accepted ones that were not found.
pub(super) fn accept(
    accepted: &BTreeSet<Accepted>,
    findings: &mut Vec<Finding>,
) -> (usize, Vec<Accepted>) {
    let n_all = findings.len();
    let mut found = BTreeSet::new();
    findings.retain(|finding| {
        let key = Accepted::from(finding);
        let is_accepted = finding.severity == Severity::Error && accepted.contains(&key);
        if is_accepted {
            found.insert(key);
        }
        !is_accepted
    });
    (n_all - findings.len(), accepted.difference(&found).cloned().collect())
}

/// Writes the findings of a report to a baseline.
pub(super) fn update(path: &Path, report: &Report, root: &Path, out: &mut Printer) -> Result<()> {
    let errors = report.findings.iter().filter(|it| it.severity == Severity::Error);
    let accepted: BTreeSet<Accepted> = errors.map(Accepted::from).collect();
    let n = plural(accepted.len(), "finding");
    findings::write_baseline(path, root, accepted.into_iter().collect())?;
    let shown = out.safe(&path.display().to_string());
    out.line(&format!("the baseline `{shown}` accepts {n}"));
    Ok(())
}
