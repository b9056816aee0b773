//! The documents that are checked, and what is found about their claims.

use cerberus_engine::tree::git::past::CommitSummary;

use crate::parse::Claims;
use crate::paths::folder_of;

/// A document with its claims.
#[derive(Debug)]
pub struct Document {
    /// Relative to the root, or the whole path of one outside of it.
    pub path: String,
    pub text: String,
    pub claims: Claims,
    /// The last commit before a document outside of the repository was written, empty if there is none. Git knows the
    /// commits of the others.
    pub written_at: Option<String>,
}

impl Document {
    /// Returns a document of the repository.
    pub fn new(path: String, text: String, claims: Claims) -> Self {
        Self {
            path,
            text,
            claims,
            written_at: None,
        }
    }

    /// Returns the folder in which its relative paths start. One outside of the repository means the root.
    pub(crate) fn folder(&self) -> &str {
        match self.written_at {
            Some(_) => "",
            None => folder_of(&self.path),
        }
    }
}

/// A claim that fails.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    pub document_idx: usize,
    pub claim_idx: usize,
    pub verdict: Verdict,
}

/// The result of the check of a claim.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// It was true when it was written.
    Stale(Box<Stale>),
    /// It was wrong from the first day, by a mistake of its writer.
    Mistaken(Box<Mistaken>),
    /// It does not exist, and why its sentence does not say that it does.
    Fulfilled(&'static str),
    /// It was not true when it was written.
    NeverTrue,
    /// Why it cannot be known.
    Unknown(&'static str),
    /// Why it was not checked.
    Unchecked(&'static str),
}

impl Verdict {
    /// Returns that about a mistake, which is an error on a line that the change that is checked adds.
    pub(crate) fn mistaken(reason: &str, is_added: bool) -> Self {
        let level = if is_added {
            Level::Error
        } else {
            Level::Warning
        };
        let reason = reason.to_owned();
        Self::Mistaken(Box::new(Mistaken { reason, level }))
    }
}

/// How sure it is that a line is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Level {
    /// Certainly: a check fails.
    #[default]
    Error,
    /// It is likely.
    Warning,
}

/// A claim that was wrong from the first day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistaken {
    pub reason: String,
    pub level: Level,
}

/// A claim that was true and is not.
#[derive(Debug, Clone, PartialEq)]
pub struct Stale {
    pub level: Level,
    /// Why it is only likely.
    pub doubt: Option<&'static str>,
    /// What is wrong, about the claim.
    pub reason: String,
    /// The commit that wrote the claim, or in whose tree it was true.
    pub written: Option<CommitSummary>,
    /// The commit that made it false. `None` if that is not committed, or not found.
    pub removed: Option<CommitSummary>,
    /// The file that had it, if only one did and the claim does not name its path.
    pub was: Option<String>,
    pub now: Option<NewPlace>,
}

/// Where the target of a claim went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPlace {
    /// A path, or a symbol with its path.
    pub place: String,
    /// Whether git or the code proves it.
    pub is_certain: bool,
    /// The text that replaces the name in the document, if the claim holds with it.
    pub replacement: Option<String>,
    /// Why a new name is not written.
    pub unwritten: Option<&'static str>,
    /// Whether the new name had other code when the old one was removed.
    pub(crate) is_reused: bool,
}

/// The result of a check.
#[derive(Debug, Default)]
pub struct Report {
    /// The claims that fail, in document order.
    pub findings: Vec<Finding>,
    /// The files that exist and could not be read, with the reasons, by path.
    pub unread: Vec<(String, String)>,
    pub warnings: Vec<String>,
}

/// Why a claim is not checked if git fails on the way.
pub(crate) const GIT_FAILED: &str = "git could not read the objects of the repository";

/// Why a claim is not compared with a version of a file.
pub(crate) const LACKING: &str = "the repository lacks old versions of files: clone it without `--filter`, or check it with `git fsck`";

/// Why a claim is not checked if its line is older than the history of a shallow clone.
pub const SHALLOW: &str = "this clone is shallow, without the commits that wrote them: fetch the history with \
    `git fetch --unshallow`, or set `fetch-depth: 0` of actions/checkout";
