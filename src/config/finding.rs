//! Findings of `doctor`, in `config` and in the command.

use std::path::PathBuf;

use serde::Serialize;

use cerberus_model::{ExitStatus, Severity, UserError};

/// A reported problem or remark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
pub(crate) struct Setting {
    pub(crate) key: String,
    pub(crate) value: String,
    pub(crate) file: String,
}

/// The results of the checks of the configuration and the environment.
#[derive(Debug, Default)]
pub(crate) struct ConfigReport {
    /// How the root of the project was found.
    pub(crate) root_source: String,
    pub(crate) settings: Vec<Setting>,
    /// Problems of the configuration and the environment.
    pub(crate) findings: Vec<Finding>,
    /// The folders of `PATH`.
    pub(crate) program_folders: Vec<PathBuf>,
    /// The user's configuration of Codex.
    pub(crate) codex_config: Option<PathBuf>,
    pub(crate) memory_enabled: bool,
}

/// Converts an error of a check to a finding: `unchecked` if the environment failed, otherwise
/// `error`.
pub(crate) fn failed_check(check: &'static str, error: &anyhow::Error) -> Finding {
    let failure = error.chain().find_map(|cause| cause.downcast_ref::<UserError>());
    let severity = match failure.map(|failure| failure.status) {
        Some(ExitStatus::Usage | ExitStatus::CheckFailed) => Severity::Error,
        _ => Severity::Unchecked,
    };
    let hint = failure.and_then(|failure| failure.hints.first().cloned());
    let next = hint.unwrap_or_else(|| "check that it exists and is readable".to_owned());
    Finding { severity, check, message: in_one_line(&format!("{error:#}")), next }
}

pub(crate) fn in_one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_severity_of_a_failed_check_depends_on_the_cause() {
        let finding = failed_check("pins", &UserError::usage("odd").hint("fix it").into());
        assert_eq!((finding.severity, finding.next.as_str()), (Severity::Error, "fix it"));
        let error =
            anyhow::Error::from(std::io::Error::other("disk")).context("failed to read `x`");
        let finding = failed_check("bank", &error);
        assert_eq!(finding.severity, Severity::Unchecked);
        assert_eq!(finding.message, "failed to read `x`: disk");
        assert!(!finding.next.is_empty());
    }
}
