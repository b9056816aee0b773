//! The baseline: old findings that are accepted. It only shrinks: a finding that is gone must be
//! removed from it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::{Finding, Report, Severity};
use crate::bank::external_file::{self, ExternalFile};
use crate::error::{ExitStatus, UserError};
use crate::output::Printer;
use crate::text::plural;

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

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    accepted: BTreeSet<Accepted>,
}

/// The version of the file's format.
const VERSION: u32 = 1;

pub(super) struct Baseline {
    accepted: BTreeSet<Accepted>,
    /// The accepted findings that were found.
    found: RefCell<BTreeSet<Accepted>>,
}

impl Baseline {
    /// Reads a baseline. A missing one is an error, because a typo would accept nothing.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let found = RefCell::default();
        let shown = path.display();
        if !path.exists() {
            return Err(UserError::usage(format!("the baseline `{shown}` does not exist"))
                .hint(format!("create it: cerberus check --baseline {shown} --update-baseline"))
                .into());
        }
        let bytes = external_file::read(path)?;
        let file: File = serde_json::from_slice(&bytes).map_err(|error| {
            let (message, column) = crate::commands::json_error(&error);
            let place = format!("{shown}:{}:{column}", error.line());
            UserError::usage(format!("failed to read the baseline `{place}`: {message}"))
                .hint(format!("write it anew: cerberus check --baseline {shown} --update-baseline"))
        })?;
        if file.version != VERSION {
            return Err(UserError::usage(format!(
                "the baseline `{shown}` has version {}, supported: {VERSION}",
                file.version
            ))
            .hint("upgrade cerberus")
            .into());
        }
        Ok(Self { accepted: file.accepted, found })
    }

    /// Removes the accepted findings, and returns their number.
    pub(super) fn accept(&self, findings: &mut Vec<Finding>) -> usize {
        let n_all = findings.len();
        findings.retain(|finding| {
            let key = Accepted::from(finding);
            let is_accepted = finding.severity == Severity::Error && self.accepted.contains(&key);
            if is_accepted {
                self.found.borrow_mut().insert(key);
            }
            !is_accepted
        });
        n_all - findings.len()
    }

    /// Returns the accepted findings that were not found.
    pub(super) fn outdated(&self) -> Vec<Accepted> {
        self.accepted.difference(&self.found.borrow()).cloned().collect()
    }
}

/// Writes the findings of a report to a baseline.
pub(super) fn update(
    path: &Path,
    report: &Report,
    root: &Path,
    out: &mut Printer,
) -> Result<ExitStatus> {
    let errors = report.findings.iter().filter(|it| it.severity == Severity::Error);
    let file = File { version: VERSION, accepted: errors.map(Accepted::from).collect() };
    let shown = path.display().to_string();
    let text = serde_json::to_string_pretty(&file)? + "\n";
    let target = ExternalFile::open(path, root)?;
    target.write(text.as_bytes()).with_context(|| format!("failed to write `{shown}`"))?;
    let n = plural(file.accepted.len(), "finding");
    out.line(&format!("the baseline `{}` accepts {n}", out.safe(&shown)));
    Ok(ExitStatus::Done)
}
