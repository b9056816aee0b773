//! The rules of ignore files, for a folder of which git does not list the files.

use std::iter::successors;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Ignore file of git.
pub(super) const GIT_IGNORE_FILE: &str = ".gitignore";

/// Ignore file of search tools. It has no effect in a repository, because git does not know it.
const SEARCH_IGNORE_FILE: &str = ".ignore";

/// Size limit of an ignore file: one without line breaks would be one huge pattern.
pub(super) const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// The names of the ignore files that apply, by precedence.
#[derive(Debug, Clone, Copy)]
pub(super) struct IgnoreFiles(&'static [&'static str]);

impl IgnoreFiles {
    pub(super) fn new(is_in_repository: bool) -> Self {
        match is_in_repository {
            true => Self(&[GIT_IGNORE_FILE]),
            false => Self(&[SEARCH_IGNORE_FILE, GIT_IGNORE_FILE]),
        }
    }

    pub(super) fn contains(self, name: &str) -> bool {
        self.0.contains(&name)
    }
}

/// The rules of the ignore files of a folder, and those of the folders around it.
pub(super) struct Rules {
    /// One of each name, by precedence.
    own: Vec<Gitignore>,
    outer: Option<Arc<Self>>,
}

/// Ignore files of a folder.
pub(super) struct FolderRules {
    pub(super) rules: Option<Arc<Rules>>,
    pub(super) n_bytes: u64,
    /// The files that have no effect, because they are not regular files or too large.
    pub(super) invalid: Vec<PathBuf>,
}

impl Rules {
    /// Adds the rules of a folder to those of the folders around it. A pattern that is not valid has no
    /// effect.
    pub(super) fn of(folder: &Path, names: IgnoreFiles, outer: Option<Arc<Self>>) -> FolderRules {
        let mut found = FolderRules {
            rules: None,
            n_bytes: 0,
            invalid: Vec::new(),
        };
        let mut own = Vec::new();
        for name in names.0 {
            let file = folder.join(name);
            let mut builder = GitignoreBuilder::new(folder);
            if let Ok(metadata) = file.symlink_metadata() {
                // Git does not follow a symbolic link here.
                if metadata.is_file() && metadata.len() <= MAX_FILE_BYTES {
                    found.n_bytes += metadata.len();
                    let _ = builder.add(file);
                } else {
                    found.invalid.push(file);
                }
            }
            own.push(builder.build().unwrap_or_else(|_| Gitignore::empty()));
        }
        found.rules = match own.iter().all(Gitignore::is_empty) {
            true => outer,
            false => Some(Arc::new(Self { own, outer })),
        };
        found
    }

    /// Returns whether a path is ignored, if a rule says so.
    pub(super) fn ignore(&self, path: &Path, is_folder: bool) -> Option<bool> {
        for kind in 0..self.own.len() {
            for rules in successors(Some(self), |rules| rules.outer.as_deref()) {
                let matched = rules.own[kind].matched(path, is_folder);
                if !matched.is_none() {
                    return Some(matched.is_ignore());
                }
            }
        }
        None
    }
}
