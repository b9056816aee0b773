//! `doctor`: what is wrong with this bank, store, git and configuration, and what mends it.
//!
//! Changes nothing: what needs a store gets a throw-away one. Each check stands alone, so
//! that what is broken in one place does not hide what is in another. Decides nothing that
//! another operation decides already: it asks those.

use std::path::PathBuf;

use anyhow::Result;
use serde::Serialize;

use crate::error::{ExitStatus, UserError};

use super::Project;

mod anchors;
mod hosts;
mod memories;
mod surroundings;

/// How much a finding matters, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Severity {
    /// It could not be looked at.
    Broken,
    /// It needs mending.
    Wrong,
    /// It is good to know.
    Remark,
}

impl Severity {
    /// Returns the spelling in output.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Wrong => "wrong",
            Self::Remark => "remark",
        }
    }
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Finding {
    pub(crate) severity: Severity,
    /// What was looked at: `configuration`, `bank`, `memories` and so on.
    pub(crate) check: &'static str,
    pub(crate) message: String,
    /// What mends it, best a command to type.
    pub(crate) next: String,
}

/// A setting that some file makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Setting {
    pub(crate) key: String,
    pub(crate) value: String,
    pub(crate) file: String,
}

/// What was found outside the project, and how the project was.
#[derive(Debug, Default)]
pub(crate) struct Request {
    /// Why the project's root is what it is.
    pub(crate) root_by: String,
    pub(crate) settings: Vec<Setting>,
    /// What is wrong with the configuration and the environment.
    pub(crate) findings: Vec<Finding>,
    /// The folders that programs are looked for in.
    pub(crate) program_folders: Vec<PathBuf>,
    /// Whether memories are switched on.
    pub(crate) memory_enabled: bool,
}

/// What is wrong, and what was looked at.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    /// Whether nothing needs mending; remarks alone do not count.
    pub(crate) ok: bool,
    pub(crate) root: String,
    pub(crate) root_by: String,
    pub(crate) bank: String,
    /// The worst first.
    pub(crate) findings: Vec<Finding>,
    pub(crate) looked_at: Vec<String>,
    pub(crate) settings: Vec<Setting>,
}

impl Report {
    /// Returns the worst that was found.
    pub(crate) fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).min()
    }
}

/// Looks at everything.
pub(crate) fn doctor(project: &Project, request: Request) -> Report {
    let mut doctor = Doctor {
        project,
        scratch: None,
        findings: request.findings,
        looked_at: vec!["configuration".to_owned()],
    };
    doctor.code();
    if !request.memory_enabled {
        doctor.remark(
            "configuration",
            "memory is switched off for this project",
            "set `enabled = true` under `[memory]` in `cerberus.toml`",
        );
    } else if doctor.bank() {
        // Held until all checks are done.
        let _folder = doctor.with_scratch();
        let memories = doctor.memories();
        doctor.pins();
        // Without the anchors nothing else of the memories can be told either.
        if doctor.anchors(memories.as_ref()) {
            doctor.links();
            doctor.blocks();
        }
    }
    doctor.store();
    doctor.git();
    doctor.hooks(&request.program_folders);
    doctor.findings.sort_by_key(|finding| finding.severity);
    Report {
        ok: doctor.findings.iter().all(|finding| finding.severity == Severity::Remark),
        root: project.root.display().to_string(),
        root_by: request.root_by,
        bank: shown(project, project.bank.folder()),
        findings: doctor.findings,
        looked_at: doctor.looked_at,
        settings: request.settings,
    }
}

/// Returns what went wrong, as a finding: it could not be looked at where the environment
/// failed, and is wrong otherwise.
pub(crate) fn failed(check: &'static str, error: &anyhow::Error) -> Finding {
    let failure = error.chain().find_map(|cause| cause.downcast_ref::<UserError>());
    let severity = match failure.map(|failure| failure.status) {
        Some(ExitStatus::Usage | ExitStatus::CheckFailed) => Severity::Wrong,
        _ => Severity::Broken,
    };
    let hint = failure.and_then(|failure| failure.hints.first().cloned());
    let next = hint.unwrap_or_else(|| "see that it is there and may be read".to_owned());
    Finding { severity, check, message: in_one_line(&format!("{error:#}")), next }
}

fn in_one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What is found bit by bit.
struct Doctor<'a> {
    project: &'a Project,
    /// The project with a store that is thrown away.
    scratch: Option<Project>,
    findings: Vec<Finding>,
    looked_at: Vec<String>,
}

impl Doctor<'_> {
    fn wrong(&mut self, check: &'static str, message: impl Into<String>, next: impl Into<String>) {
        self.put(Severity::Wrong, check, message.into(), next.into());
    }

    fn remark(&mut self, check: &'static str, message: impl Into<String>, next: impl Into<String>) {
        self.put(Severity::Remark, check, message.into(), next.into());
    }

    fn put(&mut self, severity: Severity, check: &'static str, message: String, next: String) {
        self.findings.push(Finding { severity, check, message: in_one_line(&message), next });
    }

    fn failed(&mut self, check: &'static str, error: &anyhow::Error) {
        self.findings.push(failed(check, error));
    }

    /// Gives the checks that need a store one of their own, in a folder to be held.
    fn with_scratch(&mut self) -> Option<tempfile::TempDir> {
        match tempfile::tempdir() {
            Ok(folder) => {
                let store = folder.path().join("cerberus.db");
                self.scratch = Some(Project { store, ..self.project.clone() });
                Some(folder)
            }
            Err(error) => {
                let message = format!("no throw-away store can be made: {}", error.kind());
                let next = "set TMPDIR to a folder that can be written".to_owned();
                self.put(Severity::Broken, "environment", message, next);
                None
            }
        }
    }

    /// Runs a check that needs a store.
    fn with_store(
        &mut self,
        check: &'static str,
        look: impl FnOnce(&mut Self, &Project) -> Result<()>,
    ) {
        if let Some(scratch) = self.scratch.clone()
            && let Err(error) = look(self, &scratch)
        {
            self.failed(check, &error);
        }
    }
}

/// Returns a path as people write it: from the root where it is below it.
fn shown(project: &Project, path: &std::path::Path) -> String {
    path.strip_prefix(&project.root).unwrap_or(path).display().to_string()
}

/// Returns the first few of several names, and how many more there are.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let first = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(SHOWN) {
        None | Some(0) => first,
        Some(more) => format!("{first} and {more} more"),
    }
}

/// Returns a number with its noun.
fn counted(n: usize, one: &str, several: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { several })
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
    fn what_failed_is_told_by_whose_fault_it_is() {
        let finding = failed("pins", &UserError::usage("odd").hint("mend it").into());
        assert_eq!((finding.severity, finding.next.as_str()), (Severity::Wrong, "mend it"));
        let error =
            anyhow::Error::from(std::io::Error::other("disk")).context("failed to read `x`");
        let finding = failed("bank", &error);
        assert_eq!(finding.severity, Severity::Broken);
        assert_eq!(finding.message, "failed to read `x`: disk");
        assert!(!finding.next.is_empty());
    }
}
