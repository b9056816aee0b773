//! `[[banks]]` of `cerberus.toml`: where a shared bank is, and which of its memories are used.

use serde::{Deserialize, Serialize};

use cerberus_model::text::{Globs, glob_fault, masked};
use cerberus_model::{Memory, MemoryType};

/// Folder of the memories in the repository of a bank, unless another one is named.
pub const DEFAULT_FOLDER: &str = ".memories";

/// Maximum number of bytes of a name, which is part of paths.
const MAX_NAME: usize = 64;

/// A shared bank.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BankConfig {
    pub name: String,
    /// URL of its repository.
    pub git: Option<String>,
    /// Folder of its repository, relative to the root of the project.
    pub path: Option<String>,
    /// Full id of a commit.
    pub rev: Option<String>,
    pub tag: Option<String>,
    pub branch: Option<String>,
    /// Folder of its memories in the repository; `.` for the root.
    #[serde(default = "default_folder")]
    pub folder: String,
    /// The memories that are used; all without it.
    pub include: Option<Selector>,
    pub exclude: Option<Selector>,
    /// Memories that the project does not use, each with the reason.
    #[serde(default)]
    pub off: Vec<Off>,
    /// Ids of memories that no code of this project shows, by decision of a person.
    #[serde(default)]
    pub no_example: Vec<String>,
}

/// Memories that meet any of the conditions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Selector {
    /// Globs of ids.
    id: Vec<String>,
    /// Globs of tags.
    tag: Vec<String>,
    #[serde(rename = "type")]
    memory_type: Vec<MemoryType>,
    /// Globs of scopes, as in `language:*`.
    scope: Vec<String>,
}

/// A shared memory that this project does not use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Off {
    pub(crate) id: String,
    pub(crate) reason: String,
}

fn default_folder() -> String {
    DEFAULT_FOLDER.to_owned()
}

/// What a bank is pinned to when it is updated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revision<'a> {
    /// The branch that the repository has checked out.
    Default,
    Commit(&'a str),
    Tag(&'a str),
    Branch(&'a str),
}

impl std::fmt::Display for Revision<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Default => f.write_str("default branch"),
            Self::Commit(id) => write!(f, "commit {id}"),
            Self::Tag(name) => write!(f, "tag {name}"),
            Self::Branch(name) => write!(f, "branch {name}"),
        }
    }
}

impl BankConfig {
    /// Returns the URL or the folder, as it is written.
    pub fn source(&self) -> &str {
        self.git.as_deref().or(self.path.as_deref()).unwrap_or_default()
    }

    /// Returns the source without a token.
    pub fn shown_source(&self) -> String {
        masked(self.source())
    }

    /// Returns the revision to follow.
    pub fn revision(&self) -> Revision<'_> {
        match (&self.rev, &self.tag, &self.branch) {
            (Some(id), _, _) => Revision::Commit(id),
            (_, Some(name), _) => Revision::Tag(name),
            (_, _, Some(name)) => Revision::Branch(name),
            _ => Revision::Default,
        }
    }

    /// Returns what is wrong with the values.
    pub fn fault(&self) -> Option<String> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let name = &self.name;
        // It is part of paths.
        let is_folder = matches!(name.as_str(), "." | "..");
        if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(is_part) || is_folder {
            return Some(format!(
                "the name `{}` is not made of letters, digits, `-`, `_` and `.`",
                name.escape_debug()
            ));
        }
        let fault = |why: &str| Some(format!("`{name}` {why}"));
        if self.git.is_some() == self.path.is_some() {
            return fault("needs either `git` or `path`");
        }
        let revisions = [&self.rev, &self.tag, &self.branch];
        if revisions.iter().filter(|it| it.is_some()).count() > 1 {
            return fault("has more than one of `rev`, `tag` and `branch`");
        }
        let words = revisions.into_iter().flatten().chain([&self.folder]);
        let words = words.map(String::as_str).chain([self.source()]);
        if words.clone().any(|it| it.is_empty() || it.contains(char::is_control)) {
            return fault("has an empty value, or one with control characters");
        }
        if let Some(rev) = &self.rev
            && (!matches!(rev.len(), 40 | 64) || !rev.bytes().all(|it| it.is_ascii_hexdigit()))
        {
            return fault("has a `rev` that is not the full id of a commit, with 40 or 64 digits");
        }
        let is_inside = |part: &str| !part.is_empty() && part != "..";
        if self.folder != "." && !self.folder.split(['/', '\\']).all(is_inside) {
            return fault("has a `folder` that is not a path inside the repository");
        }
        if let Some(off) = self.off.iter().find(|off| off.reason.trim().is_empty()) {
            return fault(&format!("switches `{}` off without a reason", off.id));
        }
        let selectors = [&self.include, &self.exclude].into_iter().flatten();
        let mut globs = selectors.flat_map(|it| it.id.iter().chain(&it.tag).chain(&it.scope));
        globs.find_map(|glob| {
            let why = glob_fault(glob)?;
            Some(format!("`{name}` has an invalid glob `{}`: {why}", glob.escape_debug()))
        })
    }

    /// Returns which memories of the bank are used.
    pub(crate) fn selection(&self) -> Selection {
        Selection {
            include: self.include.as_ref().map(Compiled::new),
            exclude: self.exclude.as_ref().map(Compiled::new),
        }
    }
}

/// Returns what is wrong with the banks of a configuration.
pub fn fault(banks: &[BankConfig]) -> Option<String> {
    banks.iter().enumerate().find_map(|(idx, bank)| {
        let is_twice = banks[..idx].iter().any(|other| other.name == bank.name);
        bank.fault().or_else(|| is_twice.then(|| format!("`{}` is defined twice", bank.name)))
    })
}

/// Which memories of a bank are used.
pub struct Selection {
    include: Option<Compiled>,
    exclude: Option<Compiled>,
}

impl Selection {
    pub(crate) fn takes(&self, memory: &Memory) -> bool {
        self.include.as_ref().is_none_or(|it| it.matches(memory))
            && !self.exclude.as_ref().is_some_and(|it| it.matches(memory))
    }
}

struct Compiled {
    id: Globs,
    tag: Globs,
    memory_type: Vec<MemoryType>,
    scope: Globs,
}

impl Compiled {
    fn new(selector: &Selector) -> Self {
        Self {
            id: Globs::new(&selector.id),
            tag: Globs::new(&selector.tag),
            memory_type: selector.memory_type.clone(),
            scope: Globs::new(&selector.scope),
        }
    }

    fn matches(&self, memory: &Memory) -> bool {
        self.id.find(&memory.id).is_some()
            || memory.tags.iter().any(|tag| self.tag.find(tag).is_some())
            || self.memory_type.contains(&memory.memory_type)
            || self.scope.find(&memory.scope.to_string()).is_some()
    }
}
