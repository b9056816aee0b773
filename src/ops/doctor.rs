//! `doctor`: diagnoses the bank, the store, git and the configuration, and suggests fixes.
//!
//! Read-only: checks that need a store use a temporary one. A failed check does not stop the
//! others. Problems that another operation detects are reported by calling
//! that operation.

use std::path::PathBuf;

use anyhow::Result;
use serde::Serialize;

use crate::bank::MemoryFile;
use crate::error::{ExitStatus, UserError};

use super::Project;

mod anchors;
mod hosts;
mod memories;
mod surroundings;

/// The severity of a finding, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Severity {
    /// The check itself could not run.
    Unchecked,
    /// A problem that needs fixing.
    Error,
    Info,
}

impl Severity {
    /// Returns the spelling in output.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Unchecked => "unchecked",
            Self::Error => "error",
            Self::Info => "info",
        }
    }
}

/// A reported problem or remark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Finding {
    pub(crate) severity: Severity,
    /// The name of the check: `configuration`, `bank`, `memories` and so on.
    pub(crate) check: &'static str,
    pub(crate) message: String,
    /// How to fix it, preferably a command to type.
    pub(crate) next: String,
}

/// A setting with the file that sets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Setting {
    pub(crate) key: String,
    pub(crate) value: String,
    pub(crate) file: String,
}

/// The results of the checks of the environment, from `config`.
#[derive(Debug, Default)]
pub(crate) struct Request {
    /// How the root of the project was found.
    pub(crate) root_source: String,
    pub(crate) settings: Vec<Setting>,
    /// Problems of the configuration and the environment.
    pub(crate) findings: Vec<Finding>,
    /// The folders of `PATH`.
    pub(crate) program_folders: Vec<PathBuf>,
    pub(crate) memory_enabled: bool,
}

/// The findings and the checks that ran.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    /// Whether all findings are of severity `info`.
    pub(crate) ok: bool,
    pub(crate) root: String,
    pub(crate) root_source: String,
    pub(crate) bank: String,
    /// The worst first.
    pub(crate) findings: Vec<Finding>,
    /// The checked items, with counts.
    pub(crate) checks: Vec<String>,
    pub(crate) settings: Vec<Setting>,
}

impl Report {
    /// Returns the highest severity of the findings.
    pub(crate) fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).min()
    }
}

/// The precondition of a check; each stage includes the previous ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Project,
    /// The bank is readable.
    Bank,
    /// The lock file is readable.
    Anchors,
}

/// Runs all checks.
pub(crate) fn doctor<'p>(project: &'p Project, request: Request) -> Report {
    let mut doctor = Doctor {
        project,
        stage: Stage::Project,
        memory_enabled: request.memory_enabled,
        program_folders: request.program_folders,
        scratch: None,
        memories: None,
        findings: request.findings,
        checks: vec!["configuration".to_owned()],
    };
    // In the order in which they run.
    let checks: [(Stage, fn(&mut Doctor<'p>)); 10] = [
        (Stage::Project, Doctor::code),
        (Stage::Project, Doctor::bank),
        (Stage::Bank, Doctor::memories),
        (Stage::Bank, Doctor::pins),
        (Stage::Bank, Doctor::anchors),
        (Stage::Anchors, Doctor::links),
        (Stage::Anchors, Doctor::blocks),
        (Stage::Project, Doctor::store),
        (Stage::Project, Doctor::git),
        (Stage::Project, Doctor::hooks),
    ];
    for (needed, check) in checks {
        if doctor.stage >= needed {
            check(&mut doctor);
        }
    }
    doctor.findings.sort_by_key(|finding| finding.severity);
    Report {
        ok: doctor.findings.iter().all(|finding| finding.severity == Severity::Info),
        root: project.root.display().to_string(),
        root_source: request.root_source,
        bank: shown(project, project.bank.folder()),
        findings: doctor.findings,
        checks: doctor.checks,
        settings: request.settings,
    }
}

/// Converts an error of a check to a finding: `unchecked` if the environment failed, otherwise
/// `error`.
pub(crate) fn failed(check: &'static str, error: &anyhow::Error) -> Finding {
    let failure = error.chain().find_map(|cause| cause.downcast_ref::<UserError>());
    let severity = match failure.map(|failure| failure.status) {
        Some(ExitStatus::Usage | ExitStatus::CheckFailed) => Severity::Error,
        _ => Severity::Unchecked,
    };
    let hint = failure.and_then(|failure| failure.hints.first().cloned());
    let next = hint.unwrap_or_else(|| "check that it exists and is readable".to_owned());
    Finding { severity, check, message: in_one_line(&format!("{error:#}")), next }
}

fn in_one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The state of a run.
struct Doctor<'a> {
    project: &'a Project,
    stage: Stage,
    memory_enabled: bool,
    program_folders: Vec<PathBuf>,
    /// The project with a temporary store, and the folder of that store.
    scratch: Option<(Project, tempfile::TempDir)>,
    /// The readable memories.
    memories: Option<Vec<MemoryFile>>,
    findings: Vec<Finding>,
    checks: Vec<String>,
}

impl Doctor<'_> {
    fn error(&mut self, check: &'static str, message: impl Into<String>, next: impl Into<String>) {
        self.put(Severity::Error, check, message.into(), next.into());
    }

    fn info(&mut self, check: &'static str, message: impl Into<String>, next: impl Into<String>) {
        self.put(Severity::Info, check, message.into(), next.into());
    }

    fn put(&mut self, severity: Severity, check: &'static str, message: String, next: String) {
        self.findings.push(Finding { severity, check, message: in_one_line(&message), next });
    }

    fn failed(&mut self, check: &'static str, error: &anyhow::Error) {
        self.findings.push(failed(check, error));
    }

    /// Creates the temporary store for [`Self::with_store`].
    fn create_scratch(&mut self) {
        match tempfile::tempdir() {
            Ok(folder) => {
                let store = folder.path().join("cerberus.db");
                self.scratch = Some((Project { store, ..self.project.clone() }, folder));
            }
            Err(error) => {
                let message = format!("failed to create a temporary store: {}", error.kind());
                let next = "set TMPDIR to a writable folder".to_owned();
                self.put(Severity::Unchecked, "environment", message, next);
            }
        }
    }

    /// Runs a check with the temporary store, if there is one.
    fn with_store(
        &mut self,
        check: &'static str,
        run: impl FnOnce(&mut Self, &Project) -> Result<()>,
    ) {
        if let Some(scratch) = self.scratch.as_ref().map(|(project, _)| project.clone())
            && let Err(error) = run(self, &scratch)
        {
            self.failed(check, &error);
        }
    }
}

/// Returns a path relative to the root of the project if it is inside.
fn shown(project: &Project, path: &std::path::Path) -> String {
    path.strip_prefix(&project.root).unwrap_or(path).display().to_string()
}

/// Joins the first names of a list and says how many more there are.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let first = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(SHOWN) {
        None | Some(0) => first,
        Some(more) => format!("{first} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut() {
        let names = |n: usize| (1..=n).map(|n| n.to_string()).collect::<Vec<_>>();
        assert_eq!(listed(&names(0)), "");
        assert_eq!(listed(&names(5)), "1, 2, 3, 4, 5");
        assert_eq!(listed(&names(7)), "1, 2, 3, 4, 5 and 2 more");
    }

    #[test]
    fn the_severity_of_a_failed_check_depends_on_the_cause() {
        let finding = failed("pins", &UserError::usage("odd").hint("fix it").into());
        assert_eq!((finding.severity, finding.next.as_str()), (Severity::Error, "fix it"));
        let error =
            anyhow::Error::from(std::io::Error::other("disk")).context("failed to read `x`");
        let finding = failed("bank", &error);
        assert_eq!(finding.severity, Severity::Unchecked);
        assert_eq!(finding.message, "failed to read `x`: disk");
        assert!(!finding.next.is_empty());
    }
}
