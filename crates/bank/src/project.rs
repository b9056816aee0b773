//! A project: its files and its configuration, resolved from the environment by the caller.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::OnceLock;

use cerberus_engine::rank::calibrate::Weights;
use cerberus_engine::rank::fusion::Recency;
use cerberus_engine::tree::git;
use cerberus_model::Scope;
use cerberus_store::StoreFile;
use jiff::Timestamp;
use serde::Deserialize;

use crate::Bank;

/// The files and the configuration of a project.
#[derive(Debug, Clone)]
pub struct Project {
    /// The root folder of the code.
    pub root: PathBuf,
    pub name: ProjectName,
    pub bank: Bank,
    pub store: StoreFile,
    /// Globs of files that are not indexed.
    pub exclude: Vec<String>,
    /// The quality from which an example is stored without a question.
    pub min_quality: f64,
    /// The same for `import`.
    pub min_import_quality: f64,
    pub weights: Weights,
    /// The recency boost of a search.
    pub recency: Recency,
    pub pins: PinLimits,
    pub inject: InjectOptions,
    pub now: Timestamp,
}

impl Project {
    /// Whether the bank is in the data folder of the user instead of the project.
    pub fn has_user_bank(&self) -> bool {
        self.bank.folder() != self.root.join(".memories")
    }
}

/// The configured name of a project, else the one that is found when it is first needed.
#[derive(Debug, Clone, Default)]
pub struct ProjectName {
    configured: Option<String>,
    found: OnceLock<Option<String>>,
}

impl From<Option<String>> for ProjectName {
    fn from(configured: Option<String>) -> Self {
        Self {
            configured,
            ..Self::default()
        }
    }
}

/// The configuration of `inject`.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InjectOptions {
    pub budget: usize,
    /// The budget at the start of a session.
    pub session_budget: usize,
    /// The share of the budget for examples if the texts need the rest.
    pub code_share: f64,
    /// The maximum number of lines of an example.
    pub max_lines: NonZeroUsize,
}

impl Default for InjectOptions {
    fn default() -> Self {
        let max_lines = NonZeroUsize::new(30).unwrap_or(NonZeroUsize::MIN);
        Self {
            budget: 1500,
            session_budget: 500,
            code_share: 0.6,
            max_lines,
        }
    }
}

/// The configuration of pins.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PinLimits {
    pub max_pins: usize,
    pub max_tokens: usize,
    /// The built-in pins that are on; all if it does not say so.
    pub builtin: Option<BuiltInPins>,
}

impl Default for PinLimits {
    fn default() -> Self {
        Self {
            max_pins: 20,
            max_tokens: 2000,
            builtin: None,
        }
    }
}

/// Built-in pins: all enabled or disabled, or some of them by name.
#[derive(Debug, Clone, Deserialize)]
#[serde(
    untagged,
    expecting = "expected true, false, or names as in `{ git = false }`"
)]
pub enum BuiltInPins {
    All(bool),
    Some(BTreeMap<String, bool>),
}

impl BuiltInPins {
    /// Returns whether the built-in pin with this name is on.
    pub(crate) fn enables(&self, name: &str) -> bool {
        match self {
            Self::All(enabled) => *enabled,
            Self::Some(named) => named.get(name) != Some(&false),
        }
    }
}

/// The scope of a memory without one: the project.
pub fn default_scope(project: &Project) -> Scope {
    Scope::Project(project_name(project).cloned())
}

/// Returns the name of the project: the configured one, else that of the remote `origin`, which
/// all clones share, else that of the root folder.
pub(crate) fn project_name(project: &Project) -> Option<&String> {
    let ProjectName { configured, found } = &project.name;
    if configured.is_some() {
        return configured.as_ref();
    }
    found.get_or_init(|| found_name(project)).as_ref()
}

fn found_name(project: &Project) -> Option<String> {
    if let Some(url) = git::origin(&project.root)
        && let Some(name) = repository_name(&url)
    {
        return Some(name);
    }
    let folder = project.root.file_name()?;
    Some(folder.to_string_lossy().into_owned())
}

/// Returns the name of a repository from its URL: `shop` from `git@example.org:team/shop.git`.
fn repository_name(url: &str) -> Option<String> {
    let url = url.trim_end_matches('/');
    let path = url.strip_suffix(".git").unwrap_or(url);
    let mut name = path
        .trim_end_matches('/')
        .rsplit(['/', ':'])
        .next()?
        .to_owned();
    name.retain(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
    if name.is_empty() {
        return None;
    }
    Some(name)
}

/// Truncates a time to seconds, for frontmatter.
pub fn seconds(now: Timestamp) -> Timestamp {
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
