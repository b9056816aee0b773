//! Files that were moved as they are.
//!
//! An anchor keeps the hash of its whole file. Where the file is gone and exactly one in
//! the tree has that hash, all that was in the one is in the other, and no code has to be
//! compared to know it. A file with a twin is left to the search, as all that was changed.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::model::{Anchor, State};
use crate::syntax::fingerprint::bytes_hash;
use crate::syntax::language;
use crate::tree::{read, walk};

use super::file_symbols::FileCode;
use super::{Followed, Place};

/// Returns the new paths of anchored files that are gone, each by its old path.
pub(super) fn moved_files(
    root: &Path,
    excludes: &[String],
    anchors: &[Anchor],
) -> Result<FxHashMap<String, String>> {
    let mut gone: BTreeMap<&str, &Anchor> = BTreeMap::new();
    for anchor in anchors {
        gone.entry(&anchor.file).or_insert(anchor);
    }
    gone.retain(|path, _| !root.join(path).exists());
    if gone.is_empty() {
        return Ok(FxHashMap::default());
    }
    let mut paths: Vec<String> =
        walk::walk(root, excludes)?.entries.into_iter().map(|entry| entry.path).collect();
    if gone.values().any(|anchor| anchor.language.is_none()) {
        paths.extend(walk::walk_plain(root, excludes)?);
    }
    let mut wanted: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for (path, anchor) in &gone {
        wanted.entry(anchor.fingerprint.file).or_default().push(path);
    }
    let hashed = |path: &String| {
        let hash = bytes_hash(&read::bytes(root, path).ok()?);
        wanted.contains_key(&hash).then(|| (hash, path.clone()))
    };
    let mut found: FxHashMap<u32, Vec<String>> = FxHashMap::default();
    for (hash, path) in paths.par_iter().filter_map(hashed).collect::<Vec<_>>() {
        found.entry(hash).or_default().push(path);
    }
    let is_anchored = |path: &str| anchors.iter().any(|anchor| anchor.file == path);
    let mut moved = FxHashMap::default();
    for (hash, old) in wanted {
        if let ([old], Some([new])) = (old.as_slice(), found.get(&hash).map(Vec::as_slice))
            && language::from_path(new) == gone[old].language
            && !is_anchored(new)
        {
            moved.insert((*old).to_owned(), new.clone());
        }
    }
    Ok(moved)
}

/// Returns an anchor as it is in the file that its own was moved to.
pub(super) fn placed(anchor: &Anchor, moved: &FxHashMap<String, String>) -> Anchor {
    let mut placed = anchor.clone();
    if let Some(new) = moved.get(&anchor.file) {
        placed.file.clone_from(new);
    }
    placed
}

/// Returns the answers for anchors from those for them in their new files.
pub(super) fn told(
    root: &Path,
    anchors: &[Anchor],
    placed: &[Anchor],
    followed: Vec<Followed>,
) -> Vec<Followed> {
    let mut paths: Vec<&str> = anchors
        .iter()
        .zip(placed)
        .filter(|(anchor, placed)| anchor.file != placed.file)
        .map(|(_, placed)| placed.file.as_str())
        .collect();
    paths.sort_unstable();
    paths.dedup();
    // For the lines, which no hash tells.
    let code = |path: &&str| FileCode::read_only(root, path, None).ok();
    let files: Vec<FileCode> = paths.par_iter().filter_map(code).collect();
    let answer = |((anchor, placed), followed): ((&Anchor, &Anchor), Followed)| {
        if anchor.file == placed.file || followed.state != State::Fresh {
            return followed;
        }
        Followed {
            state: State::Moved,
            new: followed.new.map(|new| Place { lines: lines(&files, placed), ..new }),
            fingerprint: Some(anchor.fingerprint.clone()),
            reason: format!("its whole file is now `{}`, unchanged", placed.file),
            ..followed
        }
    };
    anchors.iter().zip(placed).zip(followed).map(answer).collect()
}

fn lines(files: &[FileCode], anchor: &Anchor) -> Option<(u32, u32)> {
    let at = files.binary_search_by(|file| file.path.as_str().cmp(&anchor.file)).ok()?;
    let found = files[at].candidates.iter().find(|it| it.symbol == anchor.symbol)?;
    Some((found.first_line, found.last_line))
}
