//! Differences between commits, the index and the working tree.
//!
//! Git would run the filters of a repository to compare a file of the working tree with an object.
//! So git only lists and reads objects, and the comparison is here. A file whose line endings git
//! converts at a checkout differs.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Error, ErrorKind};
use std::path::{Component, Path};
use std::time::UNIX_EPOCH;

use anyhow::Result;
use cerberus_model::{UserError, regular_file};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use rustc_hash::FxHashMap;

use super::files::{self, GitFiles};
use super::listing::{IndexEntry, Seen};
use super::objects::{Object, Objects, objects_of, read_objects, with_objects};
use super::process::Git;
use super::records::{self, EntryKind, RawChange, TreeEntry};
use super::shared_lines::{Run, shared};
use super::{checked_head, commit_id, folders, git, object_id, parse_renames, with_renames};
use crate::tree::listed;

/// Number of bytes that decide whether a file is binary, as in git.
const BINARY_BYTES: usize = 8000;

/// Returns the ones of `files`, and of the files in `folder`, that differ between a revision and
/// the working tree, including untracked ones. Paths are relative to `root`.
pub fn changed_since(
    root: &Path,
    revision: &str,
    files: &BTreeSet<String>,
    folder: Option<&Path>,
) -> Result<BTreeSet<String>> {
    let tree = tree_of(root, revision)?;
    let mut names: BTreeSet<Vec<u8>> = files.iter().map(|file| file.clone().into_bytes()).collect();
    if let Some(folder) = folder {
        let is_inside = |name: &&Vec<u8>| listed::path(Path::new(""), name).starts_with(folder);
        names.extend(tree.keys().filter(is_inside).cloned());
        let GitFiles::Listed { names: listed, .. } = files::files(root, folder) else {
            return Err(unknown_changes(revision));
        };
        names.extend(listed);
    }
    let changed = changed_names(root, revision, &tree, names)?;
    Ok(changed.iter().map(|name| lossy(name)).collect())
}

/// Returns the names of the files with wanted names that differ between a revision and the working tree,
/// including untracked ones, and warnings about what git could not list.
pub(super) fn changed_files(
    root: &Path,
    revision: &str,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<(BTreeSet<Vec<u8>>, Vec<String>)> {
    let tree = tree_of(root, revision)?;
    let (names, warnings) = match files::files(root, Path::new("")) {
        GitFiles::Listed {
            names, warnings, ..
        } => (names, warnings),
        GitFiles::NoRepository => return Err(unknown_changes(revision)),
        GitFiles::Failed(why) => {
            let message = format!("git did not list the files: {why}");
            return Err(UserError::environment(message).hint("git status").into());
        }
    };
    let wanted = names.into_iter().filter(|name| is_wanted(&lossy(name)));
    let changed = changed_names(root, revision, &tree, wanted.collect())?;
    Ok((changed, warnings))
}

fn unknown_changes(revision: &str) -> anyhow::Error {
    UserError::environment(format!("failed to find the changes since `{revision}`"))
        .hint("name a commit of this clone; a shallow clone may need `git fetch --unshallow`")
        .into()
}

/// Returns those of `names` whose files differ from those of a revision, which are in `tree`.
fn changed_names(
    root: &Path,
    revision: &str,
    tree: &BTreeMap<Vec<u8>, TreeEntry>,
    names: BTreeSet<Vec<u8>>,
) -> Result<BTreeSet<Vec<u8>>> {
    let mut changed = BTreeSet::new();
    let mut compared = Vec::new();
    for name in names {
        let path = listed::path(Path::new(""), &name);
        if !path
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
        {
            continue;
        }
        let full = root.join(path);
        let (entry, metadata) = (tree.get(&name), full.symlink_metadata());
        // What may exist in a folder without permission may be changed.
        let is_unread = metadata
            .as_ref()
            .is_err_and(|error| !listed::is_missing(error));
        let kind = metadata.ok().map(|metadata| metadata.file_type());
        let is_file = kind.is_some_and(|kind| kind.is_file());
        match entry {
            Some(entry) if is_file && entry.kind == EntryKind::File => {
                compared.push((name, full, entry.object.as_str()));
            }
            Some(entry)
                if entry.kind == EntryKind::Link && kind.is_some_and(|it| it.is_symlink()) => {}
            None if kind.is_none_or(|kind| kind.is_dir()) && !is_unread => {}
            _ => drop(changed.insert(name)),
        }
    }
    let objects: Vec<&str> = compared.iter().map(|(_, _, object)| *object).collect();
    objects_of(root, &objects, |idx, object| {
        let (name, full, _) = &compared[idx];
        let Some(object) = object else {
            return Err(Error::new(ErrorKind::NotFound, "an object is missing"));
        };
        if !is_equal(full, object)? {
            changed.insert(name.clone());
        }
        Ok(())
    })
    .ok_or_else(|| unknown_changes(revision))?;
    Ok(changed)
}

/// Returns the files of a revision, except submodules, by their names relative to `root`.
fn tree_of(root: &Path, revision: &str) -> Result<BTreeMap<Vec<u8>, TreeEntry>> {
    let commit = commit_id(root, revision).ok_or_else(|| unknown_changes(revision))?;
    let files = folders::files_of(root, &commit);
    let mut files = files.ok_or_else(|| unknown_changes(revision))?;
    files.retain(|_, file| file.kind != EntryKind::Submodule);
    Ok(files)
}

/// Returns the files of the index that the working tree lacks, or has with other bytes. A file with
/// the size and the time of its entry was not changed.
pub(super) fn modified(root: &Path, index: &[IndexEntry]) -> Vec<TreeEntry> {
    let is_changed = |known: &&IndexEntry| {
        let (entry, seen) = (&known.entry, known.seen);
        // A submodule is there, whether its folder is or not.
        if entry.kind == EntryKind::Submodule || known.is_omitted() {
            return false;
        }
        let Ok(metadata) = root.join(&entry.path).symlink_metadata() else {
            return true;
        };
        let time = metadata
            .modified()
            .ok()
            .and_then(|it| it.duration_since(UNIX_EPOCH).ok());
        let is_seen = |seen: &Seen| seen.n_bytes == metadata.len() && Some(seen.time) == time;
        metadata.is_file() && seen.is_some_and(|seen| !is_seen(&seen))
    };
    let changed: Vec<&TreeEntry> = index
        .par_iter()
        .filter(is_changed)
        .map(|known| &known.entry)
        .collect();
    let objects: Vec<&str> = changed.iter().map(|entry| entry.object.as_str()).collect();
    let mut found = Vec::new();
    // What was compared before a failure counts.
    let _ = objects_of(root, &objects, |idx, object| {
        let path = root.join(&changed[idx].path);
        if !object.map_or(Ok(true), |object| is_equal(&path, object))? {
            found.push(changed[idx].clone());
        }
        Ok(())
    });
    found
}

/// Returns the files that are renamed in the index since a commit, with their new paths, relative
/// to `root`. Returns `None` if the commit is unknown.
pub fn renamed_since(root: &Path, commit: &str) -> Option<FxHashMap<String, String>> {
    let output = with_renames("-M", |renames| {
        let mut args = vec!["diff-index", "--cached", renames, "-z", "--name-status"];
        args.extend(["--diff-filter=R", "--relative", "--ignore-submodules=all"]);
        args.extend(["--end-of-options", commit, "--"]);
        Git::for_history(root, &args)?.text()
    })?;
    Some(
        parse_renames(&output)
            .map(|(old, new)| (old.to_owned(), new.to_owned()))
            .collect(),
    )
}

/// Returns those of `files`, with paths relative to `root`, whose content in the working tree differs
/// from HEAD, with the half-open ranges of their changed 0-based lines. A deleted file has no ranges.
/// Files that are not in HEAD are omitted. Git does not compare them itself: see [`super::process`].
pub fn uncommitted<'f>(
    root: &Path,
    files: impl IntoIterator<Item = &'f str>,
) -> BTreeMap<String, Vec<(u32, u32)>> {
    let files: Vec<&str> = files.into_iter().collect();
    let mut found = BTreeMap::new();
    for (file, old) in files.iter().zip(in_head(root, files.iter().copied())) {
        let Some(old) = old else { continue };
        match crate::tree::read::bytes(root, file) {
            Ok(new) if is_binary(&old) || is_binary(&new) => {}
            Ok(new) => {
                let hunks = hunks(&unix_lines(&old), &unix_lines(&new));
                if !hunks.is_empty() {
                    found.insert((*file).to_owned(), hunks);
                }
            }
            Err(_) if root.join(file).symlink_metadata().is_err() => {
                found.insert((*file).to_owned(), Vec::new());
            }
            Err(_) => {}
        }
    }
    found
}

/// Returns the contents of files in HEAD, with paths relative to `root`; `None` for one that is not
/// there or too large.
pub fn in_head<'f>(root: &Path, files: impl IntoIterator<Item = &'f str>) -> Vec<Option<Vec<u8>>> {
    let names = files.into_iter().map(|file| format!("HEAD:./{file}"));
    let names: Vec<String> = names.collect();
    let mut found: Vec<Option<Vec<u8>>> = vec![None; names.len()];
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    // Without git nothing is known.
    read_objects(root, &names, |idx, bytes| found[idx] = Some(bytes.to_vec()));
    found
}

/// Returns the staged files, relative to `root`, with the half-open ranges of their changed 0-based
/// lines. A deleted file has no ranges.
pub fn staged(root: &Path) -> Result<BTreeMap<String, Vec<(u32, u32)>>> {
    let error = || {
        UserError::environment("failed to get the staged changes from git")
            .hint("run it in a git repository; check with `git status`")
    };
    let head = match object_id(root, "HEAD^{tree}") {
        Some(tree) => tree,
        // Before the first commit the empty tree is compared.
        None if checked_head(root)?.is_none() => {
            git(root, &["hash-object", "-t", "tree", "--stdin"]).ok_or_else(error)?
        }
        None => return Err(error().into()),
    };
    let mut args = vec![
        "diff-index",
        "--cached",
        "--no-renames",
        "-z",
        "--no-abbrev",
    ];
    args.extend(["--relative", "--ignore-submodules=all", head.trim(), "--"]);
    let changes = records::changes(Git::new(root, args)).ok_or_else(error)?;
    if changes.iter().any(|change| change.path.is_empty()) {
        // Git reads the missing end of an index as zeros.
        return Err(error().into());
    }
    let lines = |objects: &mut Objects<'_>, change: &RawChange| {
        let Some(new) = &change.new else {
            return Vec::new();
        };
        let old = change
            .old
            .as_ref()
            .map_or(Some(Vec::new()), |old| objects.read(&old.object));
        match (old, objects.read(&new.object)) {
            (Some(old), Some(new)) if is_binary(&old) || is_binary(&new) => Vec::new(),
            (Some(old), Some(new)) => hunks(&lines_of(&old), &lines_of(&new)),
            // A file that is too large to compare.
            _ => vec![(0, u32::MAX)],
        }
    };
    let found = with_objects(root, |objects| {
        let found = changes
            .iter()
            .map(|change| (change.path.clone(), lines(objects, change)));
        found.collect()
    });
    Ok(found.ok_or_else(error)?)
}

/// Returns whether a file has the content of an object.
fn is_equal(path: &Path, object: Object<'_>) -> std::io::Result<bool> {
    let Ok(file) = regular_file::open(path) else {
        return Ok(false);
    };
    if file.metadata()?.len() != object.size {
        return Ok(false);
    }
    let (mut file, mut content) = (BufReader::new(file), BufReader::new(object.content));
    loop {
        let (ours, theirs) = (file.fill_buf()?, content.fill_buf()?);
        let n_bytes = ours.len().min(theirs.len());
        if n_bytes == 0 {
            return Ok(ours.len() == theirs.len());
        }
        if ours[..n_bytes] != theirs[..n_bytes] {
            return Ok(false);
        }
        file.consume(n_bytes);
        content.consume(n_bytes);
    }
}

/// Returns the half-open ranges of the new 0-based lines that differ. A deletion is located at the
/// line before it.
fn hunks(old: &[&[u8]], new: &[&[u8]]) -> Vec<(u32, u32)> {
    let line = |idx: usize| u32::try_from(idx).unwrap_or(u32::MAX);
    let mut found = Vec::new();
    let mut end = Run {
        old: 0,
        new: 0,
        len: 0,
    };
    let after_last = Run {
        old: old.len(),
        new: new.len(),
        len: 0,
    };
    for run in shared(old, new).into_iter().chain([after_last]) {
        if run.new > end.new {
            found.push((line(end.new), line(run.new)));
        } else if run.old > end.old {
            let start = line(run.new).saturating_sub(1);
            found.push((start, start + 1));
        }
        end = Run {
            old: run.old + run.len,
            new: run.new + run.len,
            len: 0,
        };
    }
    found
}

fn lines_of(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Returns the lines without line endings, which git may have converted at a checkout.
pub(super) fn unix_lines(text: &[u8]) -> Vec<&[u8]> {
    let without_ending = |line| {
        let line = <[u8]>::strip_suffix(line, b"\n").unwrap_or(line);
        line.strip_suffix(b"\r").unwrap_or(line)
    };
    lines_of(text).into_iter().map(without_ending).collect()
}

fn is_binary(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(BINARY_BYTES)].contains(&0)
}

pub(super) fn lossy(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_are_the_new_lines_that_differ() {
        let check = |old: &str, new: &str, expected: &[(u32, u32)]| {
            assert_eq!(
                hunks(&lines_of(old.as_bytes()), &lines_of(new.as_bytes())),
                expected
            );
        };
        check("a\nb\nc\n", "a\nb\nc\n", &[]);
        check("a\nb\nc\n", "a\nx\nc\n", &[(1, 2)]);
        check("a\nb\nc\n", "a\nx\ny\nb\nc\n", &[(1, 3)]);
        check("a\nb\nc\n", "a\nc\n", &[(0, 1)]);
        check("a\nb\n", "b\n", &[(0, 1)]);
        check("", "a\nb\n", &[(0, 2)]);
        check("a\nb\nc\nd\ne\n", "x\nb\nc\nd\ny\nz\n", &[(0, 1), (4, 6)]);
        assert_eq!(
            hunks(&unix_lines(b"a\nb\n"), &unix_lines(b"a\r\nc\r\n")),
            [(1, 2)]
        );
    }
}
