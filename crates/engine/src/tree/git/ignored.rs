//! The paths that git ignores, which may be missing.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use cerberus_model::regular_file;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustc_hash::FxHashMap;

use super::files::WITHOUT_USER_RULES;
use super::process::Git;
use crate::tree::ignore_rules::{GIT_IGNORE_FILE, MAX_FILE_BYTES};

/// A path that git ignores, with the pattern and its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredPath {
    pub path: String,
    pub source: String,
    pub pattern: String,
}

/// Returns the ignored ones of `paths`, by all rules that git applies for this user.
pub fn ignored(root: &Path, paths: &[&Path]) -> Vec<IgnoredPath> {
    let global = ["config", "--type=path", "--get", "core.excludesFile"];
    let global = Git::with_settings(root, &global).text().unwrap_or_default();
    let global = global.trim_end_matches(['\n', '\r']);
    let is_irregular = !global.is_empty() && regular_file::is_other(&root.join(global));
    // Git would wait for a named pipe in a folder on the way.
    let is_blocked = |folder: &Path| {
        let file = root.join(folder).join(GIT_IGNORE_FILE);
        regular_file::is_other(&file) && !file.is_dir()
    };
    let mut input = Vec::new();
    for path in paths {
        if path.ancestors().skip(1).any(is_blocked) {
            return Vec::new();
        }
        // Git refuses all of them for one beyond a symbolic link.
        let mut folders = path.ancestors().skip(1);
        if !folders.any(|folder| root.join(folder).is_symlink()) {
            input.extend_from_slice(path.as_os_str().as_encoded_bytes());
            input.push(0);
        }
    }
    let mut args: Vec<&str> = Vec::new();
    if is_irregular {
        args.extend(WITHOUT_USER_RULES);
    }
    args.extend(["check-ignore", "-v", "-z", "--stdin"]);
    let git = Git::new(root, args).with_input(input);
    let output = git.text().unwrap_or_default();
    let fields: Vec<&str> = output.split('\0').collect();
    let mut found = Vec::new();
    // SOURCE, LINE, PATTERN, PATH
    for record in fields.chunks_exact(4) {
        if !record[2].starts_with('!') {
            found.push(IgnoredPath {
                path: record[3].to_owned(),
                source: record[0].to_owned(),
                pattern: record[2].to_owned(),
            });
        }
    }
    found
}

/// Returns the ones of `paths`, which git does not track, that an ignore file of the working tree names. The
/// rules of the user and the exclude file of this clone have no effect: other clones do not have them.
pub fn ignored_by_tree(root: &Path, paths: &[&str]) -> Vec<IgnoredPath> {
    let is_repository = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
    let Some(tree) = root.ancestors().find(is_repository) else {
        return Vec::new();
    };
    let mut rules = TreeRules {
        tree,
        of_folders: FxHashMap::default(),
    };
    let mut found = Vec::new();
    for path in paths {
        found.extend(rules.ignored(root, path));
    }
    found
}

/// The ignore files of a working tree.
struct TreeRules<'t> {
    tree: &'t Path,
    of_folders: FxHashMap<PathBuf, Gitignore>,
}

impl TreeRules<'_> {
    /// Returns the pattern that ignores a path, or a folder around it.
    fn ignored(&mut self, root: &Path, path: &str) -> Option<IgnoredPath> {
        let tree = self.tree;
        let full = root.join(path);
        let mut parts: Vec<&OsStr> = Vec::new();
        for part in full.strip_prefix(tree).ok()?.components() {
            let Component::Normal(name) = part else {
                return None;
            };
            parts.push(name);
        }
        if path.ends_with('/') {
            // Git looks for a file without a name in the folder: `out/*` ignores `out/`.
            parts.push(OsStr::new(""));
        }
        let mut around = tree.to_owned();
        for (idx, part) in parts.iter().enumerate() {
            let at = around.join(part);
            let is_last = idx + 1 == parts.len();
            if !is_last && at.is_symlink() {
                return None;
            }
            let is_folder = !is_last || (at.is_dir() && !at.is_symlink());
            for folder in around.ancestors().take(idx + 1) {
                match self.rules_of(folder).matched(&at, is_folder) {
                    Match::None => {}
                    Match::Whitelist(_) => break,
                    Match::Ignore(glob) => {
                        let source = glob.from()?.strip_prefix(tree).ok()?;
                        return Some(IgnoredPath {
                            path: path.to_owned(),
                            source: source.display().to_string(),
                            pattern: glob.original().to_owned(),
                        });
                    }
                }
            }
            around = at;
        }
        None
    }

    fn rules_of(&mut self, folder: &Path) -> &Gitignore {
        self.of_folders.entry(folder.to_owned()).or_insert_with(|| {
            let file = folder.join(GIT_IGNORE_FILE);
            let mut builder = GitignoreBuilder::new(folder);
            // Git does not follow a symbolic link here.
            let metadata = file.symlink_metadata().ok();
            if metadata.is_some_and(|it| it.is_file() && it.len() <= MAX_FILE_BYTES) {
                let _ = builder.add(file);
            }
            builder.build().unwrap_or_else(|_| Gitignore::empty())
        })
    }
}
