//! A walk that lists the files of a folder without git, respecting the ignore files in it. Those of the
//! folders around it have no effect.

#![expect(clippy::disallowed_methods, reason = "lists folders")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::{fs, io};

use anyhow::Result;
use cerberus_model::UserError;
use rayon::Scope;

use super::excludes::Excludes;
use super::ignore_rules::{IgnoreFiles, Rules};
use super::listed::Names;

/// Size limit of all ignore files of a walk. The patterns of 1 MB take about a second to compile, and
/// those of a hundred such files a minute and gigabytes of memory.
const MAX_IGNORE_BYTES: u64 = 1024 * 1024;

/// Which files of a folder are listed.
pub(super) struct WalkOptions<'a> {
    pub(super) excludes: &'a Excludes,
    /// Whether files and folders are listed whose name starts with a dot.
    pub(super) includes_hidden: bool,
    /// Whether a repository is around the folder: a nested one is not a part of the project then.
    pub(super) is_in_repository: bool,
    /// Called for each folder.
    pub(super) report: &'a (dyn Fn() + Sync),
}

/// Returns the regular files in `start`, with names relative to `root`.
pub(super) fn walk(root: &Path, start: &Path, options: &WalkOptions<'_>) -> Result<Names> {
    let (sender, found) = channel();
    let ignore_files = IgnoreFiles::new(options.is_in_repository);
    let n_ignore_bytes = AtomicU64::new(0);
    let walk = ParallelWalk {
        root,
        start,
        options,
        ignore_files,
        n_ignore_bytes,
        sender,
    };
    rayon::scope(|scope| walk.folder(scope, None, start.to_owned()));
    let ParallelWalk {
        n_ignore_bytes,
        sender,
        ..
    } = walk;
    drop(sender);
    // Which ones apply must not depend on the order in which the threads meet them.
    if n_ignore_bytes.into_inner() > MAX_IGNORE_BYTES {
        let message = "the ignore files of the project have more than 1 MB together";
        return Err(UserError::environment(message)
            .hint("find the large ones: find . -name '.*ignore' -size +99k")
            .into());
    }
    let mut names = Names::default();
    for item in found {
        match item {
            Item::File(name) => names.names.push(name),
            Item::Warning(warning) => names.warnings.push(warning),
        }
    }
    names.names.sort_unstable();
    names.warnings.sort_unstable();
    Ok(names)
}

enum Item {
    File(Vec<u8>),
    Warning(String),
}

/// A walk on the threads that the process has. The one of the `ignore` crate starts threads, and if
/// one of them does not start, it panics or waits for ever.
struct ParallelWalk<'a> {
    root: &'a Path,
    start: &'a Path,
    options: &'a WalkOptions<'a>,
    ignore_files: IgnoreFiles,
    n_ignore_bytes: AtomicU64,
    sender: Sender<Item>,
}

impl ParallelWalk<'_> {
    /// Lists a folder, around which there are `rules`, and starts a job for each folder in it.
    fn folder<'s>(&'s self, scope: &Scope<'s>, mut rules: Option<Arc<Rules>>, folder: PathBuf) {
        (self.options.report)();
        let failed = |error: io::Error| {
            self.send(Item::Warning(format!(
                "failed to walk: {}: {error}",
                folder.display()
            )));
        };
        let Some(entries) = fs::read_dir(&folder).map_err(failed).ok() else {
            return;
        };
        let entries: Vec<_> = entries.filter_map(|it| it.map_err(failed).ok()).collect();
        let (mut has_rules, mut is_repository) = (false, false);
        for entry in &entries {
            let name = entry.file_name();
            has_rules |= name
                .to_str()
                .is_some_and(|name| self.ignore_files.contains(name));
            is_repository |= name == ".git";
        }
        if is_repository && self.options.is_in_repository && folder != self.start {
            return;
        }
        if has_rules {
            let found = Rules::of(&folder, self.ignore_files, rules);
            rules = found.rules;
            for file in found.invalid {
                let shown = file.display();
                let what = "is not a regular file of at most 1 MB, so it has no effect";
                self.send(Item::Warning(format!("the ignore file `{shown}` {what}")));
            }
            let n_before = self
                .n_ignore_bytes
                .fetch_add(found.n_bytes, Ordering::Relaxed);
            if n_before + found.n_bytes > MAX_IGNORE_BYTES {
                return;
            }
        }
        for entry in entries {
            let Some(kind) = entry.file_type().map_err(failed).ok() else {
                continue;
            };
            let path = entry.path();
            if self.is_skipped(rules.as_deref(), &path, kind.is_dir()) {
                continue;
            }
            if kind.is_file() {
                self.send(Item::File(name_in(self.root, &path)));
            } else if kind.is_dir() {
                let rules = rules.clone();
                scope.spawn(|scope| self.folder(scope, rules, path));
            }
        }
    }

    fn send(&self, item: Item) {
        // The receiver is alive.
        let _ = self.sender.send(item);
    }

    fn is_skipped(&self, rules: Option<&Rules>, path: &Path, is_folder: bool) -> bool {
        let name = path.file_name().unwrap_or_default();
        if name == ".git" || self.options.excludes.matches(path, is_folder) {
            return true;
        }
        let is_hidden = name.as_encoded_bytes().starts_with(b".");
        let is_ignored = rules.and_then(|rules| rules.ignore(path, is_folder));
        is_ignored.unwrap_or(is_hidden && !self.options.includes_hidden)
    }
}

/// Returns the name of a path relative to `root`, as git spells it.
fn name_in(root: &Path, path: &Path) -> Vec<u8> {
    let relative = path.strip_prefix(root).unwrap_or(path);
    let mut name = relative.as_os_str().as_encoded_bytes().to_vec();
    if std::path::MAIN_SEPARATOR != '/' {
        for byte in &mut name {
            if *byte == std::path::MAIN_SEPARATOR as u8 {
                *byte = b'/';
            }
        }
    }
    name
}
