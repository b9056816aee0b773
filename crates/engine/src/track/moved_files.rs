//! Detects files that were moved without changes.
//!
//! An anchor stores the hash of its whole file. If the file is gone and exactly one file in the tree
//! has that hash, all its symbols are in that file, and no code has to be compared. The same holds if
//! another anchored file took its path, as `a` and `b` that become `b` and `c`. Files with several
//! copies and changed files are left to the search.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use cerberus_model::{Anchor, State, UserError, sorted};
use rayon::iter::{IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};
use rustc_hash::FxHashMap;

use crate::syntax::fingerprint::bytes_hash;
use crate::syntax::language;
use crate::track::file_symbols::{FileSymbols, find_file};
use crate::track::in_place::in_place_match;
use crate::track::{Outcome, search};
use crate::tree::{git, read};

/// Returns the new path of each anchored file that was moved, by its old path.
pub(super) fn find(
    root: &Path,
    excludes: &[String],
    anchors: &[Anchor],
) -> Result<FxHashMap<String, String>> {
    let mut all: BTreeMap<&str, &Anchor> = BTreeMap::new();
    for anchor in anchors {
        all.entry(&anchor.file).or_insert(anchor);
    }
    let gone = without_own_content(root, &all);
    if gone.is_empty() {
        return Ok(FxHashMap::default());
    }
    if let Some(file) = git::omitted(root, gone.keys().copied()) {
        let message = format!("a sparse checkout omits `{file}`, which has the code of an anchor");
        return Err(UserError::environment(message)
            .hint("git sparse-checkout disable")
            .into());
    }
    let mut by_hash: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for (path, anchor) in &gone {
        by_hash
            .entry(anchor.fingerprint.file)
            .or_default()
            .push(path);
    }
    let paths = search::tree_paths(root, excludes, gone.values().copied())?;
    let hashed: Vec<(u32, String)> = paths
        .into_par_iter()
        .filter_map(|path| {
            let hash = bytes_hash(&read::bytes(root, &path).ok()?);
            by_hash.contains_key(&hash).then_some((hash, path))
        })
        .collect();
    let mut found: FxHashMap<u32, Vec<String>> = FxHashMap::default();
    for (hash, path) in hashed {
        found.entry(hash).or_default().push(path);
    }
    let mut moved = FxHashMap::default();
    for (hash, old_paths) in by_hash {
        let new_paths = found.get(&hash).map(Vec::as_slice);
        let ([old], Some([new])) = (old_paths.as_slice(), new_paths) else {
            continue;
        };
        let is_taken = all.contains_key(new.as_str()) && !gone.contains_key(new.as_str());
        if !is_taken && language::from_path(new) == gone[old].language {
            moved.insert((*old).to_owned(), new.clone());
        }
    }
    Ok(moved)
}

/// Returns the anchored files that do not exist, and those with the recorded content of another one that
/// has not its own any more: their paths were swapped or moved on.
fn without_own_content<'a>(
    root: &Path,
    all: &BTreeMap<&'a str, &'a Anchor>,
) -> BTreeMap<&'a str, &'a Anchor> {
    let changed: BTreeMap<&str, Option<u32>> = all
        .par_iter()
        .filter_map(|(path, anchor)| {
            let hash = read::bytes(root, path).ok().map(|bytes| bytes_hash(&bytes));
            (hash != Some(anchor.fingerprint.file)).then_some((*path, hash))
        })
        .collect();
    let lost: BTreeSet<u32> = changed
        .keys()
        .map(|path| all[path].fingerprint.file)
        .collect();
    let mut found = BTreeMap::new();
    for (path, hash) in changed {
        let is_displaced = hash.is_some_and(|hash| lost.contains(&hash));
        if is_displaced || !root.join(path).exists() {
            found.insert(path, all[path]);
        }
    }
    found
}

/// Returns the anchors with the new paths of their files.
pub(super) fn apply_moves(anchors: &[Anchor], moved: &FxHashMap<String, String>) -> Vec<Anchor> {
    let mut applied = anchors.to_vec();
    for anchor in &mut applied {
        if let Some(new_path) = moved.get(&anchor.file) {
            anchor.file.clone_from(new_path);
        }
    }
    applied
}

/// Returns the outcomes for the original anchors from those for the anchors with new paths.
pub(super) fn restore_paths(
    root: &Path,
    anchors: &[Anchor],
    applied: &[Anchor],
    outcomes: Vec<Outcome>,
) -> Vec<Outcome> {
    let moved = anchors
        .iter()
        .zip(applied)
        .filter(|(old, new)| old.file != new.file);
    let paths = sorted(moved.map(|(_, new)| new.file.as_str()));
    // Only the lines are needed.
    let files: Vec<FileSymbols> = paths
        .par_iter()
        .filter_map(|path| FileSymbols::read(root, path, None).ok())
        .collect();
    let mut restored = outcomes;
    for ((old, new), outcome) in anchors.iter().zip(applied).zip(&mut restored) {
        if old.file == new.file || outcome.state != State::Fresh {
            continue;
        }
        outcome.state = State::Moved;
        if let Some(found) = &mut outcome.new {
            found.lines = lines(&files, new);
        }
        outcome.fingerprint = Some(old.fingerprint.clone());
        outcome.reason = format!("its whole file is now `{}`, unchanged", new.file);
    }
    restored
}

fn lines(files: &[FileSymbols], anchor: &Anchor) -> Option<(u32, u32)> {
    let file = &files[find_file(files, &anchor.file)?];
    in_place_match(anchor, file).map(|found| file.symbols[found.symbol_idx].lines)
}
