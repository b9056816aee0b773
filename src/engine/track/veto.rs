//! Excludes code that cannot be the code of a missing anchor, because of what git or, without a
//! history, the lock file knows.
//!
//! Code that existed at the commit of the anchor, more like itself than like the anchored code, is
//! other code. If the anchored code was removed by a later commit, its code is also not in what was
//! added after that.

use std::path::Path;

use rustc_hash::FxHashMap;

use crate::tree::git::{self, Commits, Objects};

use super::assign::LEAST_LISTED;
use super::file_symbols::{ALL, FileSymbols};
use super::look_alikes;
use super::search::{MissingAnchor, Pair};
use super::walk::{End, Past};
use super::{same_name, similarity};

/// Below this similarity to its old code, a symbol may have got other code.
const TAKEN_OVER: f64 = 0.3;

/// Minimum similarity of a copy with the same name.
const COPIED: f64 = 0.5;

/// A file at an old commit.
#[derive(Debug, Clone)]
enum OldFile {
    Absent,
    /// The name of its object.
    Object(String),
}

/// Removes the pairs whose code cannot be that of the anchor. `walk_idxs` are the walks of the
/// missing anchors. Returns for each missing anchor whether a version of a file could not be read.
pub(super) fn apply(
    root: &Path,
    past: &Past,
    walk_idxs: &[usize],
    missing: &[&MissingAnchor<'_>],
    files: &[FileSymbols],
    pairs: &mut Vec<Pair>,
) {
    let has_past = |pair: &Pair| {
        let commit = missing[pair.missing_idx].anchor.commit.as_deref();
        commit.is_some_and(|it| past.commits.paths.contains_key(it))
    };
    // Git also knows how the code changed since.
    pairs.retain(|pair| {
        let file = &files[pair.file_idx];
        let anchor = missing[pair.missing_idx].anchor;
        has_past(pair) || !look_alikes::contains(anchor, file, &file.symbols[pair.symbol_idx])
    });
    let is_relevant = |pair: &Pair| pair.odds >= LEAST_LISTED && has_past(pair);
    if !pairs.iter().any(is_relevant) {
        return;
    }
    git::with_objects(root, |objects| {
        let mut old_files =
            OldFiles { commits: &past.commits, objects, parsed: FxHashMap::default() };
        pairs.retain(|pair| {
            let walk = &past.walks[walk_idxs[pair.missing_idx]];
            !is_relevant(pair)
                || !old_files.excludes(missing[pair.missing_idx], &walk.end, files, pair)
        });
    });
}

/// The parsed versions of files at old commits.
struct OldFiles<'c, 'o> {
    commits: &'c Commits,
    objects: &'c mut Objects<'o>,
    /// By the name of the object.
    parsed: FxHashMap<String, Option<FileSymbols>>,
}

impl OldFiles<'_, '_> {
    fn excludes(
        &mut self,
        missing: &MissingAnchor<'_>,
        end: &End,
        files: &[FileSymbols],
        pair: &Pair,
    ) -> bool {
        let file = &files[pair.file_idx];
        let symbol = &file.symbols[pair.symbol_idx];
        let new = &symbol.features.fingerprint;
        let Some((id, path)) =
            missing.anchor.commit.as_ref().and_then(|it| self.commits.paths.get(it))
        else {
            return false;
        };
        let recorded = self.old_file(path, id, &file.path, None);
        if let Some(old) = self.symbols(&recorded, &file.path) {
            let itself = old
                .symbols
                .iter()
                .filter(|it| same_name(it.name.as_deref(), symbol.name.as_deref()))
                .map(|it| similarity(&it.features.fingerprint, new))
                .max_by(f64::total_cmp);
            // A symbol that only its name has in common with may have taken the name over.
            let likeness = similarity(&missing.anchor.fingerprint, new);
            if itself.is_some_and(|it| it >= TAKEN_OVER || it >= likeness) {
                return true;
            }
        }
        let End::Lost(lost_idx) = end else { return false };
        // The commit that removed the code added nothing like it. Only a copy that was made before
        // may be its successor.
        let is_copy = pair.evidence.is_same_code
            || (pair.evidence.name >= 1.0 && pair.evidence.jaccard >= COPIED);
        if !is_copy {
            return true;
        }
        let commit = &self.commits.comparisons[*lost_idx].newer;
        let then = self.old_file(path, commit, &file.path, Some(*lost_idx));
        match then {
            OldFile::Absent => true,
            OldFile::Object(_) => self.symbols(&then, &file.path).is_some_and(|then| {
                !then.symbols.iter().any(|it| same_name(it.name.as_deref(), symbol.name.as_deref()))
            }),
        }
    }

    /// Returns the file that is now at `file` at a commit of the path: the first, or the one after
    /// the comparison `after`.
    fn old_file(&self, path: &[usize], commit: &str, file: &str, after: Option<usize>) -> OldFile {
        let mut name = file;
        let mut object = None;
        for &idx in path.iter().rev().take_while(|idx| after.is_none_or(|after| **idx > after)) {
            let changes = self.commits.comparisons[idx].changes.iter();
            let change = changes.filter_map(|it| Some((it.new.as_ref()?, it.old.as_ref())));
            match change.into_iter().find(|(new, _)| new.path == name) {
                Some((_, Some(old))) => {
                    name = &old.path;
                    object = Some(old.object.clone());
                }
                Some((_, None)) => return OldFile::Absent,
                None => {}
            }
        }
        OldFile::Object(object.unwrap_or_else(|| format!("{commit}:./{name}")))
    }

    /// Returns the symbols of an old file, or `None` if it is absent or cannot be read.
    fn symbols(&mut self, file: &OldFile, path: &str) -> Option<&FileSymbols> {
        let OldFile::Object(name) = file else { return None };
        let objects = &mut *self.objects;
        let parsed = self.parsed.entry(name.clone()).or_insert_with(|| {
            objects.read(name).map(|bytes| FileSymbols::parse(path, &bytes, ALL))
        });
        parsed.as_ref()
    }
}
