//! The baseline: old findings that are accepted. It only shrinks: a finding that is gone must be
//! removed from it.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use cerberus_bank::{ExternalFile, external_file};
use cerberus_model::Severity;
use cerberus_model::error::UserError;
use cerberus_model::text::plural;
use serde::{Deserialize, Serialize};

use super::Finding;
use crate::commands::json_error;

/// The version of the format.
const VERSION: u32 = 1;

/// A file with accepted findings.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Baseline {
    version: u32,
    accepted: BTreeSet<Accepted>,
}

/// An accepted finding. It has no line, so that it holds when lines above it change.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Accepted {
    pub(crate) file: String,
    pub(crate) check: String,
    pub(crate) claim: String,
    #[serde(default, skip_serializing_if = "AcceptedLevel::is_error")]
    pub(crate) level: AcceptedLevel,
}

/// The level up to which a finding is accepted.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Default,
    Serialize,
    Deserialize
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AcceptedLevel {
    /// An error, and a warning about the same name. Files of older versions have only errors.
    #[default]
    Error,
    /// A warning: it is reported if it becomes an error.
    Warning,
}

impl AcceptedLevel {
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde calls it with a reference"
    )]
    fn is_error(&self) -> bool {
        *self == Self::Error
    }
}

impl From<&Finding> for Accepted {
    fn from(finding: &Finding) -> Self {
        let level = match finding.severity {
            Severity::Warning => AcceptedLevel::Warning,
            _ => AcceptedLevel::Error,
        };
        Self {
            file: finding.file.clone(),
            check: finding.check.as_str().to_owned(),
            claim: finding.claim.clone(),
            level,
        }
    }
}

/// Reads a baseline.
pub(super) fn read(path: &Path) -> Result<BTreeSet<Accepted>> {
    let shown = path.display();
    let write = format!("cerberus check --baseline {shown} --update-baseline");
    if !path.exists() {
        return Err(
            UserError::usage(format!("the baseline `{shown}` does not exist"))
                .hint(format!("create it: {write}"))
                .into(),
        );
    }
    let bytes = external_file::read(path)?;
    let file: Baseline =
        serde_json::from_str(&cerberus_model::text::decode(&bytes).0).map_err(|error| {
            let (message, column) = json_error(&error);
            let place = format!("{shown}:{}:{column}", error.line());
            UserError::usage(format!("failed to read the baseline `{place}`: {message}"))
                .hint(format!("write it anew: {write}"))
        })?;
    if file.version != VERSION {
        let version = file.version;
        return Err(UserError::usage(format!(
            "the baseline `{shown}` has version {version}, supported: {VERSION}"
        ))
        .hint("upgrade cerberus")
        .into());
    }
    Ok(file.accepted)
}

/// Removes the accepted findings. Returns their number, and the accepted ones that were not found.
pub(super) fn accept(
    accepted: &BTreeSet<Accepted>,
    findings: &mut Vec<Finding>,
) -> (usize, BTreeSet<Accepted>) {
    let n_all = findings.len();
    let mut outdated = accepted.clone();
    findings.retain(|finding| {
        if !finding.is_reported() {
            return true;
        }
        let own = Accepted::from(finding);
        let as_error = Accepted {
            level: AcceptedLevel::Error,
            ..own.clone()
        };
        outdated.remove(&own);
        outdated.remove(&as_error);
        !accepted.contains(&own) && !accepted.contains(&as_error)
    });
    (n_all - findings.len(), outdated)
}

/// Writes a baseline. Returns a message about it.
pub(super) fn write(path: &Path, accepted: BTreeSet<Accepted>, root: &Path) -> Result<String> {
    let n = plural(accepted.len(), "finding");
    let text = serde_json::to_string_pretty(&Baseline {
        version: VERSION,
        accepted,
    })? + "\n";
    let written = ExternalFile::open(path, root)?.write(text.as_bytes());
    written.with_context(|| format!("failed to write `{}`", path.display()))?;
    Ok(format!("the baseline `{}` accepts {n}", path.display()))
}
