//! Exit status of commands, and errors with an exit status and hints.
//!
//! An error without a [`UserError`] in its chain is an error of the environment (status 3).
//! Errors are printed by `output`.

use std::path::Path;
use std::process::ExitCode;

/// Exit status of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// Success (0).
    Done = 0,
    /// A check failed, or a required result was not found (1).
    CheckFailed = 1,
    /// The command line or the input is invalid (2).
    Usage = 2,
    /// The environment failed: I/O error, corrupt data, lock held by another process (3).
    Environment = 3,
}

impl ExitStatus {
    /// Returns the status of a check.
    pub fn of_check(is_passed: bool) -> Self {
        if is_passed {
            Self::Done
        } else {
            Self::CheckFailed
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status as u8)
    }
}

/// Error with the exit status of the command and hints for the user.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct UserError {
    pub status: ExitStatus,
    pub message: String,
    pub hints: Vec<String>,
}

impl UserError {
    /// Returns an error for an invalid command line or input.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ExitStatus::Usage, message)
    }

    /// Returns an error for a failed check.
    pub fn check(message: impl Into<String>) -> Self {
        Self::new(ExitStatus::CheckFailed, message)
    }

    /// Returns an error of the environment: files, stores, locks.
    pub fn environment(message: impl Into<String>) -> Self {
        Self::new(ExitStatus::Environment, message)
    }

    fn new(status: ExitStatus, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
            hints: Vec::new(),
        }
    }

    /// Adds a hint, preferably a command to type.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

/// Refuses a command line or an input, and says what to do instead.
pub fn refuse<T, E: From<UserError>>(
    message: impl Into<String>,
    hint: impl Into<String>,
) -> Result<T, E> {
    Err(UserError::usage(message).hint(hint).into())
}

/// Returns the context of an error of the file system: the operation and the path.
pub fn failed_to(action: &str, path: &Path) -> impl Fn() -> String + Copy {
    move || format!("failed to {action} `{}`", path.display())
}
