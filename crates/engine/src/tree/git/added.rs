//! Added and changed lines of code, compared with a commit.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use cerberus_model::{UserError, text};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::past::changed_in;
use super::worktree::{changed_files, staged, unix_lines};
use super::{Objects, git, shared_lines, with_objects};
use crate::tree::{listed, read};

/// A file with added or changed lines.
#[derive(Debug, Clone)]
pub struct AddedLines {
    /// Relative to the root.
    pub path: String,
    pub text: String,
    /// Whether each line was added or changed.
    pub is_added: Vec<bool>,
}

/// The changed files.
#[derive(Debug, Default)]
pub struct Changes {
    pub files: Vec<AddedLines>,
    /// The files that cannot be compared, with the reason.
    pub unread: Vec<(String, String)>,
    /// Why folders could not be listed.
    pub unlisted: Vec<String>,
}

impl AddedLines {
    fn new(path: &str, old: Option<&[u8]>, new: &[u8]) -> Self {
        let text = text::decode(new).0.into_owned();
        let new_lines = unix_lines(text.as_bytes());
        let is_added = match old {
            None => vec![true; new_lines.len()],
            Some(old) => added_lines(&unix_lines(text::decode(old).0.as_bytes()), &new_lines),
        };
        Self {
            path: path.to_owned(),
            text,
            is_added,
        }
    }

    /// Returns a file whose lines are all added.
    pub fn whole(path: &str, text: String) -> Self {
        let is_added = vec![true; text.lines().count()];
        Self {
            path: path.to_owned(),
            text,
            is_added,
        }
    }

    /// Returns whether one of the 0-based lines was added or changed.
    pub fn has_any(&self, (first, last): (usize, usize)) -> bool {
        self.is_added
            .iter()
            .take(last + 1)
            .skip(first)
            .any(|is_added| *is_added)
    }
}

/// Returns whether each line of `new` differs from its line in `old`.
fn added_lines(old: &[&[u8]], new: &[&[u8]]) -> Vec<bool> {
    let mut is_added = vec![true; new.len()];
    for run in shared_lines::shared(old, new) {
        is_added[run.new..run.new + run.len].fill(false);
    }
    is_added
}

/// Returns the added lines of the files with wanted paths that differ between a commit and the working tree.
pub fn added_since(root: &Path, commit: &str, is_wanted: impl Fn(&str) -> bool) -> Result<Changes> {
    let (changed, unlisted) = changed_files(root, commit, is_wanted)?;
    let (mut paths, mut unnamed) = (Vec::new(), Vec::new());
    for name in changed {
        match listed::path_of(&name) {
            Some(path) => paths.push(path.to_owned()),
            // One that was removed adds no line.
            None if listed::path(root, &name).symlink_metadata().is_ok() => {
                unnamed.push((listed::shown(&name), listed::why_unnamed(&name).to_owned()));
            }
            None => {}
        }
    }
    let mut changes = compare(root, paths.iter(), commit, |path, _| in_tree(root, path))?;
    changes.unread.append(&mut unnamed);
    changes.unlisted = unlisted;
    Ok(changes)
}

/// Returns all lines of files as added.
pub fn all_lines(root: &Path, files: &BTreeSet<String>) -> Changes {
    let mut changes = Changes::default();
    let read: Vec<_> = files
        .par_iter()
        .map(|path| (path, read::text(root, path)))
        .collect();
    for (path, text) in read {
        match text {
            Ok(text) => changes.files.push(AddedLines::whole(path, text)),
            Err(error) => changes.unread.push((path.clone(), format!("{error:#}"))),
        }
    }
    changes
}

/// Returns the added lines of a file in the working tree since the last commit.
pub fn added_in(root: &Path, file: &str) -> Option<AddedLines> {
    let file = file.to_owned();
    let found = compare(root, std::iter::once(&file), "HEAD", |path, _| {
        in_tree(root, path)
    });
    // Outside a repository, or before the first commit, everything is new.
    let found = found.ok().and_then(|found| found.files.into_iter().next());
    found.or_else(|| Some(AddedLines::whole(&file, read::text(root, &file).ok()?)))
}

/// Returns the added lines of the staged files.
pub fn added_in_index(root: &Path) -> Result<Changes> {
    let files = staged(root)?;
    compare(root, files.keys(), "HEAD", |path, objects| {
        let new = objects.read(&format!(":0:./{path}"));
        let is_deleted = new.is_none() && files.get(path).is_none_or(Vec::is_empty);
        match new {
            None if !is_deleted => {
                Err("its staged version is too large, or git cannot read it".to_owned())
            }
            new => Ok(new),
        }
    })
}

/// Passes the added lines of the last `n_commits` of the first-parent history, newest first, to `each`. Only files
/// that `is_wanted` accepts count. Returns the number of commits.
pub fn added_by_commits(
    root: &Path,
    n_commits: usize,
    is_wanted: impl Fn(&str) -> bool,
    mut each: impl FnMut(&AddedLines),
) -> usize {
    let count = format!("-n{n_commits}");
    let commits = git(root, &["rev-list", "--first-parent", &count, "HEAD"]).unwrap_or_default();
    let mut add = |objects: &mut Objects<'_>| {
        for commit in commits.lines() {
            let changed = changed_in(root, commit).into_iter();
            for path in changed
                .map(|entry| entry.path)
                .filter(|path| is_wanted(path))
            {
                let Some(new) = objects.read(&format!("{commit}:./{path}")) else {
                    continue;
                };
                let old = objects.read(&format!("{commit}^1:./{path}"));
                each(&AddedLines::new(&path, old.as_deref(), &new));
            }
        }
    };
    with_objects(root, &mut add);
    commits.lines().count()
}

/// Returns the bytes of a file in the working tree, or `None` if it is not there.
fn in_tree(root: &Path, path: &str) -> Result<Option<Vec<u8>>, String> {
    if let Err(error) = root.join(path).symlink_metadata()
        && !listed::is_missing(&error)
    {
        return Err(format!("failed to read `{path}`: {error}"));
    }
    if !read::is_file(root, path) {
        return Ok(None);
    }
    read::bytes(root, path)
        .map(Some)
        .map_err(|error| format!("{error:#}"))
}

fn compare<'f>(
    root: &Path,
    files: impl Iterator<Item = &'f String>,
    commit: &str,
    new: impl Fn(&str, &mut Objects<'_>) -> Result<Option<Vec<u8>>, String>,
) -> Result<Changes> {
    let found = with_objects(root, |objects| {
        let mut changes = Changes::default();
        for path in files {
            match new(path, objects) {
                Ok(None) => {}
                Err(why) => changes.unread.push((path.clone(), why)),
                Ok(Some(new)) => {
                    let old = objects.read(&format!("{commit}:./{path}"));
                    changes
                        .files
                        .push(AddedLines::new(path, old.as_deref(), &new));
                }
            }
        }
        changes
    });
    found.ok_or_else(|| {
        UserError::environment("git failed to read the objects of the repository")
            .hint("check them with `git fsck`")
            .into()
    })
}
