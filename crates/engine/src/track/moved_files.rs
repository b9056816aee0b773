//! Detects files that were moved without changes.
//!
//! An anchor stores the hash of its whole file. If the file is gone and exactly one file in the tree
//! has that hash, all its symbols are in that file, and no code has to be compared. Files with
//! several copies and changed files are left to the search.

use crate::track::prelude::*;

/// Returns the new path of each anchored file that was moved, by its old path.
pub(super) fn find(
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
    if let Some(file) = git::omitted(root, gone.keys().copied()) {
        let message = format!("a sparse checkout omits `{file}`, which has the code of an anchor");
        return Err(UserError::environment(message).hint("git sparse-checkout disable").into());
    }
    let mut by_hash: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for (path, anchor) in &gone {
        by_hash.entry(anchor.fingerprint.file).or_default().push(path);
    }
    let paths = search::tree_paths(root, excludes, gone.values().copied())?;
    let hashed = |path: String| {
        let hash = bytes_hash(&read::bytes(root, &path).ok()?);
        by_hash.contains_key(&hash).then_some((hash, path))
    };
    let mut found: FxHashMap<u32, Vec<String>> = FxHashMap::default();
    for (hash, path) in paths.into_par_iter().filter_map(hashed).collect::<Vec<_>>() {
        found.entry(hash).or_default().push(path);
    }
    let is_anchored = |path: &str| anchors.iter().any(|anchor| anchor.file == path);
    let mut moved = FxHashMap::default();
    for (hash, old) in by_hash {
        if let ([old], Some([new])) = (old.as_slice(), found.get(&hash).map(Vec::as_slice))
            && language::from_path(new) == gone[old].language
            && !is_anchored(new)
        {
            moved.insert((*old).to_owned(), new.clone());
        }
    }
    Ok(moved)
}

/// Returns the anchors with the new paths of their files.
pub(super) fn apply_moves(anchors: &[Anchor], moved: &FxHashMap<String, String>) -> Vec<Anchor> {
    let apply = |anchor: &Anchor| Anchor {
        file: moved.get(&anchor.file).unwrap_or(&anchor.file).clone(),
        ..anchor.clone()
    };
    anchors.iter().map(apply).collect()
}

/// Returns the outcomes for the original anchors from those for the anchors with new paths.
pub(super) fn restore_paths(
    root: &Path,
    anchors: &[Anchor],
    applied: &[Anchor],
    outcomes: Vec<Outcome>,
) -> Vec<Outcome> {
    let moved = || anchors.iter().zip(applied).filter(|(old, new)| old.file != new.file);
    let paths = sorted(moved().map(|(_, new)| new.file.as_str()));
    // Only the lines are needed.
    let outline = |path: &&str| FileSymbols::read(root, path, None).ok();
    let files: Vec<FileSymbols> = paths.par_iter().filter_map(outline).collect();
    let restore = |((old, new), outcome): ((&Anchor, &Anchor), Outcome)| {
        if old.file == new.file || outcome.state != State::Fresh {
            return outcome;
        }
        Outcome {
            state: State::Moved,
            new: outcome.new.map(|found| FoundSymbol { lines: lines(&files, new), ..found }),
            fingerprint: Some(old.fingerprint.clone()),
            reason: format!("its whole file is now `{}`, unchanged", new.file),
            ..outcome
        }
    };
    anchors.iter().zip(applied).zip(outcomes).map(restore).collect()
}

fn lines(files: &[FileSymbols], anchor: &Anchor) -> Option<(u32, u32)> {
    let file = &files[find_file(files, &anchor.file)?];
    in_place_match(anchor, file).map(|found| file.symbols[found.symbol_idx].lines)
}
