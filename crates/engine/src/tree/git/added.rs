//! Added and changed lines of code, compared with a commit.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use similar::{Algorithm, DiffOp};

use super::with_objects;
use super::worktree::{MAX_DIFF_TIME, changed_since, staged, unix_lines};
use crate::tree::read;

/// A file with added or changed lines.
#[derive(Debug, Clone)]
pub struct AddedLines {
    /// Relative to the root.
    pub path: String,
    pub text: String,
    /// Whether each line was added or changed.
    pub is_added: Vec<bool>,
}

impl AddedLines {
    fn new(path: &str, old: Option<&[u8]>, new: &[u8]) -> Self {
        let new_lines = unix_lines(new);
        let is_added = match old {
            None => vec![true; new_lines.len()],
            Some(old) => added_lines(&unix_lines(old), &new_lines),
        };
        Self { path: path.to_owned(), text: String::from_utf8_lossy(new).into_owned(), is_added }
    }

    /// Returns a file whose lines are all added.
    pub fn whole(path: &str, text: String) -> Self {
        let is_added = vec![true; text.lines().count()];
        Self { path: path.to_owned(), text, is_added }
    }

    /// Returns whether one of the 0-based lines was added or changed.
    pub fn has_any(&self, (first, last): (usize, usize)) -> bool {
        self.is_added.iter().take(last + 1).skip(first).any(|is_added| *is_added)
    }
}

/// Returns whether each line of `new` differs from its line in `old`.
fn added_lines(old: &[&[u8]], new: &[&[u8]]) -> Vec<bool> {
    let mut is_added = vec![true; new.len()];
    let deadline = Some(Instant::now() + MAX_DIFF_TIME);
    for op in similar::capture_diff_slices_deadline(Algorithm::Myers, old, new, deadline) {
        if let DiffOp::Equal { new_index, len, .. } = op {
            is_added[new_index..new_index + len].fill(false);
        }
    }
    is_added
}

/// Returns the added lines of those of `files` that differ between a commit and the working tree.
pub fn added_since(root: &Path, commit: &str, files: &BTreeSet<String>) -> Result<Vec<AddedLines>> {
    let changed = changed_since(root, commit, files, None)?;
    Ok(compare(root, changed.iter(), commit, |path, _| read::bytes(root, path).ok()))
}

/// Returns the added lines of a file in the working tree since the last commit.
pub fn added_in(root: &Path, file: &str) -> Option<AddedLines> {
    let file = file.to_owned();
    let found =
        compare(root, std::iter::once(&file), "HEAD", |path, _| read::bytes(root, path).ok());
    // Outside a repository, or before the first commit, everything is new.
    let found = found.into_iter().next();
    found.or_else(|| Some(AddedLines::whole(&file, read::text(root, &file).ok()?)))
}

/// Returns the added lines of the staged files.
pub fn added_in_index(root: &Path) -> Result<Vec<AddedLines>> {
    let files = staged(root)?;
    Ok(compare(root, files.keys(), "HEAD", |path, objects| objects.read(&format!(":0:./{path}"))))
}

fn compare<'f>(
    root: &Path,
    files: impl Iterator<Item = &'f String>,
    commit: &str,
    new: impl Fn(&str, &mut super::Objects<'_>) -> Option<Vec<u8>>,
) -> Vec<AddedLines> {
    let found = with_objects(root, |objects| {
        let mut found = Vec::new();
        for path in files {
            let Some(new) = new(path, objects) else { continue };
            let old = objects.read(&format!("{commit}:./{path}"));
            found.push(AddedLines::new(path, old.as_deref(), &new));
        }
        found
    });
    found.unwrap_or_default()
}
