//! Operations that several commands share: a request in, a report out.
//!
//! An operation prints nothing and reads neither the environment nor the clock; both are resolved
//! in [`Project`]. `--json` serializes the reports, so their fields are a contract.

use std::path::PathBuf;

use jiff::Timestamp;

use crate::bank::Bank;
use crate::engine::CodeBase;
use crate::engine::rank::calibrate::Weights;
use crate::engine::rank::fusion::Recency;
pub(crate) use crate::engine::{Progress, rounded};
use crate::model::Scope;
use crate::store::StoreFile;
use crate::tree::git;

pub(crate) mod anchors;
pub(crate) mod banks;
pub(crate) mod complete;
pub(crate) mod document;
pub(crate) mod envelope;
pub(crate) mod examples;
pub(crate) mod fleet;
pub(crate) mod links;
pub(crate) mod managed_block;
pub(crate) mod memories;
pub(crate) mod metadata;
pub(crate) mod patterns;
pub(crate) mod pins;
pub(crate) mod search;
pub(crate) mod section_selection;
pub(crate) mod similar;
pub(crate) mod sync;

/// The files and the configuration of a project.
#[derive(Debug, Clone)]
pub(crate) struct Project {
    /// The root folder of the code.
    pub(crate) root: PathBuf,
    /// The configured name.
    pub(crate) name: Option<String>,
    pub(crate) bank: Bank,
    pub(crate) store: StoreFile,
    /// Globs of files that are not indexed.
    pub(crate) exclude: Vec<String>,
    pub(crate) min_quality: f64,
    pub(crate) weights: Weights,
    /// The recency boost of a search.
    pub(crate) recency: Recency,
    pub(crate) pins: pins::PinLimits,
    pub(crate) inject: InjectOptions,
    pub(crate) now: Timestamp,
}

impl Project {
    /// Whether the bank is in the data folder of the user instead of the project.
    pub(crate) fn has_user_bank(&self) -> bool {
        self.bank.folder() != self.root.join(".memories")
    }

    /// Returns the input of the engine.
    pub(crate) fn code(&self) -> CodeBase<'_> {
        CodeBase {
            root: &self.root,
            store: &self.store,
            exclude: &self.exclude,
            weights: &self.weights,
            progress: &|_, _| {},
            now: i64::try_from(self.now.as_nanosecond()).unwrap_or(i64::MAX),
        }
    }
}

/// The configuration of `inject`.
#[derive(Debug, Clone)]
pub(crate) struct InjectOptions {
    pub(crate) budget: usize,
    /// The share of the budget for examples if the texts need the rest.
    pub(crate) code_share: f64,
    /// The maximum number of lines of an example.
    pub(crate) max_lines: usize,
}

impl Default for InjectOptions {
    fn default() -> Self {
        Self { budget: 1500, code_share: 0.6, max_lines: 30 }
    }
}

/// The scope of a memory without one: the project.
pub(crate) fn default_scope(project: &Project) -> Scope {
    Scope::Project(project_name(project))
}

/// Returns the name of the project: the configured one, else that of the remote `origin`, which
/// all clones share, else that of the root folder.
fn project_name(project: &Project) -> Option<String> {
    let remote = || repository_name(&git::origin(&project.root)?);
    project.name.clone().or_else(remote).or_else(|| folder_name(project))
}

fn folder_name(project: &Project) -> Option<String> {
    project.root.file_name().map(|name| name.to_string_lossy().into_owned())
}

/// Returns the name of a repository from its URL: `shop` from `git@example.org:team/shop.git`.
fn repository_name(url: &str) -> Option<String> {
    let path = url.trim_end_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
    let name = path.rsplit(['/', ':']).next()?;
    let is_part = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    Some(name.chars().filter(is_part).collect()).filter(|name: &String| !name.is_empty())
}

/// Truncates a time to seconds, for frontmatter.
pub(crate) fn seconds(now: Timestamp) -> Timestamp {
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories_are_named_by_their_url() {
        for (url, expected) in [
            ("git@example.org:team/shop.git", Some("shop")),
            ("https://example.org/team/shop/", Some("shop")),
            ("/srv/git/my.shop.git", Some("my.shop")),
            ("shop", Some("shop")),
            ("https://example.org/\u{1b}[2J.git", Some("2J")),
            ("/", None),
        ] {
            assert_eq!(repository_name(url).as_deref(), expected, "{url}");
        }
    }
}
