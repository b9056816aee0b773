//! Excludes code that cannot be the code of a missing anchor, because of what git or, without a
//! history, the lock file knows.
//!
//! Code that existed at the commit of the anchor, more like itself than like the anchored code, is
//! other code. If the anchored code was removed by a later commit, its code is also not in what was
//! added after that.

use std::path::Path;

use cerberus_model::Anchor;
use rustc_hash::FxHashMap;

use crate::track::file_symbols::{ALL, FileSymbols};
use crate::track::in_place::{same_name, similarity};
use crate::track::search::{Candidates, Pair};
use crate::track::weights::WEIGHTS;
use crate::track::{MIN_TOKENS, look_alikes};
use crate::tree::git;
use crate::tree::git::{Commits, Objects};

/// Removes the pairs whose code cannot be that of the anchor.
pub(super) fn apply(
    root: &Path,
    commits: &Commits,
    candidates: Candidates<'_>,
    pairs: &mut Vec<Pair>,
) {
    forgive_anchored_names(candidates, pairs);
    // Git also knows how the code changed since.
    pairs.retain(|pair| {
        let anchor = candidates.old(pair).anchor;
        has_past(commits, anchor)
            || has_other_anchor(candidates, pair)
            || !look_alikes::contains(anchor, candidates.file(pair), candidates.symbol(pair))
    });
    let is_relevant = |pair: &Pair| {
        pair.odds >= WEIGHTS.rival_odds() && has_past(commits, candidates.old(pair).anchor)
    };
    let may_be_taken = |pair: &Pair| {
        let anchor = candidates.old(pair).anchor;
        pair.evidence.was_sibling
            && pair.evidence.is_same_code
            && anchor.fingerprint.n_tokens >= MIN_TOKENS
            && has_past(commits, anchor)
    };
    if !pairs
        .iter()
        .any(|pair| is_relevant(pair) || may_be_taken(pair))
    {
        return;
    }
    git::with_objects(root, |objects| {
        let mut old_files = OldFiles {
            commits,
            objects,
            parsed: FxHashMap::default(),
        };
        // Code that is exactly the anchored code, under a name that was beside the anchor with other code: the names were
        // swapped or moved on, and the neighbour is not itself any more.
        for pair in pairs.iter_mut() {
            if may_be_taken(pair)
                && let Some(likeness) = old_files.likeness_to_itself(candidates, pair)
                && likeness < 1.0
            {
                forget_sibling(pair);
            }
        }
        pairs.retain(|pair| !is_relevant(pair) || !old_files.excludes(candidates, pair));
    });
}

/// Returns whether the commits since an anchor was recorded are known.
fn has_past(commits: &Commits, anchor: &Anchor) -> bool {
    match &anchor.commit {
        Some(commit) => commits.paths.contains_key(commit),
        None => false,
    }
}

/// Raises the odds of code that is exactly the anchored code, under the name of another anchor, whose code
/// was another one. The lock file alone knows this.
fn forgive_anchored_names(candidates: Candidates<'_>, pairs: &mut [Pair]) {
    for pair in pairs {
        if pair.evidence.was_sibling && has_other_anchor(candidates, pair) {
            forget_sibling(pair);
        }
    }
}

/// Returns whether code is exactly that of its anchor, and its name is that of another missing anchor with
/// other code.
fn has_other_anchor(candidates: Candidates<'_>, pair: &Pair) -> bool {
    let own = &candidates.old(pair).anchor.fingerprint;
    if !pair.evidence.is_same_code || own.n_tokens < MIN_TOKENS {
        return false;
    }
    let file = candidates.file(pair);
    let symbol = candidates.symbol(pair);
    candidates.missing.iter().any(|missing| {
        let other = missing.anchor;
        other.file == file.path
            && same_name(other.symbol.as_deref(), symbol.name.as_deref())
            && other.fingerprint.name_independent_hash != own.name_independent_hash
    })
}

fn forget_sibling(pair: &mut Pair) {
    let odds = pair.evidence.log_odds();
    pair.evidence.was_sibling = false;
    pair.odds += pair.evidence.log_odds() - odds;
}

/// The parsed versions of files at old commits.
struct OldFiles<'c, 'o> {
    commits: &'c Commits,
    objects: &'c mut Objects<'o>,
    /// By the name of the object.
    parsed: FxHashMap<String, Option<FileSymbols>>,
}

impl OldFiles<'_, '_> {
    /// Returns the similarity of code to that of its name at the commit of the anchor, if there was any.
    fn likeness_to_itself(&mut self, candidates: Candidates<'_>, pair: &Pair) -> Option<f64> {
        let path = &candidates.file(pair).path;
        let symbol = candidates.symbol(pair);
        let commit = candidates.old(pair).anchor.commit.as_ref()?;
        let commits = self.commits;
        let (id, comparisons) = commits.paths.get(commit)?;
        let object = self.old_file(comparisons, id, path, None)?;
        let old_file = self.symbols(object, path)?;
        let new = &symbol.features.fingerprint;
        old_file
            .named(symbol.name.as_deref())
            .map(|(_, old)| similarity(&old.features.fingerprint, new))
            .max_by(f64::total_cmp)
    }

    fn excludes(&mut self, candidates: Candidates<'_>, pair: &Pair) -> bool {
        let missing = candidates.old(pair);
        let file = candidates.file(pair);
        let symbol = candidates.symbol(pair);
        let commits = self.commits;
        let Some(commit) = &missing.anchor.commit else {
            return false;
        };
        let Some((_, path)) = commits.paths.get(commit) else {
            return false;
        };
        if let Some(itself) = self.likeness_to_itself(candidates, pair) {
            // A symbol that only its name has in common with may have taken the name over.
            let new = &symbol.features.fingerprint;
            let likeness = similarity(&missing.anchor.fingerprint, new);
            let is_taken = pair.evidence.is_same_code
                && missing.anchor.fingerprint.n_tokens >= MIN_TOKENS
                && itself < likeness;
            if !is_taken && (itself >= WEIGHTS.taken_over || itself >= likeness) {
                return true;
            }
        }
        let Some(lost_idx) = missing.lost_in else {
            return false;
        };
        // The commit that removed the code added nothing like it. Only a copy that was made before
        // may be its successor.
        let is_copy = pair.evidence.is_same_code
            || (pair.evidence.name >= 1.0 && pair.evidence.jaccard >= WEIGHTS.copied);
        if !is_copy {
            return true;
        }
        let commit = &self.commits.comparisons[lost_idx].newer;
        let Some(then) = self.old_file(path, commit, &file.path, Some(lost_idx)) else {
            return true;
        };
        let Some(old_file) = self.symbols(then, &file.path) else {
            return false;
        };
        !old_file
            .symbols
            .iter()
            .any(|old| same_name(old.name.as_deref(), symbol.name.as_deref()))
    }

    /// Returns the object of the file that is now at `file` at a commit of the path: the first, or
    /// the one after the comparison `after`. Returns `None` if the file was not there.
    fn old_file(
        &self,
        path: &[usize],
        commit: &str,
        file: &str,
        after: Option<usize>,
    ) -> Option<String> {
        let mut name = file;
        let mut object = None;
        for &idx in path.iter().rev() {
            if after.is_some_and(|after| idx <= after) {
                break;
            }
            let changes = &self.commits.comparisons[idx].changes;
            let change = changes.iter().find(|change| match &change.new {
                Some(new) => new.path == name,
                None => false,
            });
            if let Some(change) = change {
                let old = change.old.as_ref()?;
                name = &old.path;
                object = Some(old.object.clone());
            }
        }
        Some(object.unwrap_or_else(|| format!("{commit}:./{name}")))
    }

    /// Returns the symbols of the old file in an object, or `None` if it cannot be read.
    fn symbols(&mut self, object: String, path: &str) -> Option<&FileSymbols> {
        let objects = &mut *self.objects;
        let parsed = self.parsed.entry(object).or_insert_with_key(|object| {
            let bytes = objects.read(object)?;
            Some(FileSymbols::parse(path, &bytes, ALL))
        });
        parsed.as_ref()
    }
}
