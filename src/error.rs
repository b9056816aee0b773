//! How a command ends: the exit status, and errors that carry one with a hint.
//!
//! An error without a [`UserError`] in its chain is the environment's (status 3).
//! Writes nothing: `output` prints what is built here.

use std::fmt;
use std::process::ExitCode;

/// How a command ended, as its exit status tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// All was done (0).
    Done,
    /// A check failed, or nothing was found where something was required (1).
    CheckFailed,
    /// The command line or the input was wrong (2).
    Usage,
    /// The environment failed: I/O, corrupt data, a lock held elsewhere (3).
    Environment,
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(match status {
            ExitStatus::Done => 0,
            ExitStatus::CheckFailed => 1,
            ExitStatus::Usage => 2,
            ExitStatus::Environment => 3,
        })
    }
}

/// An error with the status it ends the command with and what to do about it.
#[derive(Debug)]
pub(crate) struct UserError {
    pub(crate) status: ExitStatus,
    pub(crate) message: String,
    pub(crate) hints: Vec<String>,
}

impl UserError {
    /// Returns a failure for a wrong command line or wrong input.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(ExitStatus::Usage, message)
    }

    /// Returns a failure for a check that did not pass.
    pub(crate) fn check(message: impl Into<String>) -> Self {
        Self::new(ExitStatus::CheckFailed, message)
    }

    /// Returns a failure of the world outside: files, stores, locks.
    pub(crate) fn environment(message: impl Into<String>) -> Self {
        Self::new(ExitStatus::Environment, message)
    }

    fn new(status: ExitStatus, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), hints: Vec::new() }
    }

    /// Adds a next step, best a command to type.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

impl fmt::Display for UserError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for UserError {}
