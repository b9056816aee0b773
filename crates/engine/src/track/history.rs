//! Uses the renames that git reports for anchors that their fingerprints alone do not resolve.
//!
//! If git reports that the file of an anchor was renamed since the commit of the anchor, code in the
//! new file is more likely to be the anchored code. Git is asked only for anchors that are still not
//! found, so that a clone without the history resolves the others the same way. The reason of an
//! outcome mentions a decision that git made.

use std::collections::BTreeMap;
use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::track::assign;
use crate::track::assign::Assignment;
use crate::track::search::{Candidates, MissingAnchor, Pair};
use crate::track::weights::WEIGHTS;
use crate::tree::git;

/// The new path of each file renamed since a commit, or `None` if git does not know the commit.
type Renames = Option<FxHashMap<String, String>>;

/// The renames since the commits of anchors that were not found.
pub(super) struct History<'a>(BTreeMap<&'a str, Renames>);

impl<'a> History<'a> {
    /// Asks git once for the commit of each anchor that is not found.
    pub(super) fn read(
        root: &Path,
        missing: &[MissingAnchor<'a>],
        assignments: &[Assignment],
    ) -> Self {
        let mut by_commit = BTreeMap::new();
        for (missing, assignment) in missing.iter().zip(assignments) {
            if let (Some(commit), false) = (&missing.anchor.commit, assignment.is_found()) {
                let renames = || git::renamed_since(root, commit);
                by_commit.entry(commit.as_str()).or_insert_with(renames);
            }
        }
        Self(by_commit)
    }

    /// Returns the new path of an anchor's file according to git.
    fn new_file(&self, missing: &MissingAnchor<'_>) -> Option<&str> {
        let renames = self.0.get(missing.anchor.commit.as_deref()?)?.as_ref()?;
        renames.get(&missing.anchor.file).map(String::as_str)
    }

    /// Returns the commit of an anchor, if git was asked for it and does not know it.
    pub(super) fn unknown_commit<'l>(&self, missing: &MissingAnchor<'l>) -> Option<&'l str> {
        let commit = missing.anchor.commit.as_deref()?;
        self.0
            .get(commit)
            .is_some_and(Option::is_none)
            .then_some(commit)
    }

    /// Assigns the anchors that are not found again, to symbols that no other anchor has.
    pub(super) fn resolve(
        &self,
        candidates: Candidates<'_>,
        pairs: &mut [Pair],
        assignments: &mut [Assignment],
    ) {
        if !candidates
            .missing
            .iter()
            .any(|missing| self.new_file(missing).is_some())
        {
            return;
        }
        let found = assignments.iter().filter_map(Assignment::found);
        let assigned: FxHashSet<(usize, usize)> = found.map(|idx| pairs[idx].symbol()).collect();
        let mut open: Vec<usize> = Vec::new();
        for (pair_idx, pair) in pairs.iter_mut().enumerate() {
            if assignments[pair.missing_idx].is_found() || assigned.contains(&pair.symbol()) {
                continue;
            }
            if self.new_file(candidates.old(pair)) == Some(candidates.paths(pair).1) {
                pair.odds += WEIGHTS.added.file_renamed;
            }
            open.push(pair_idx);
        }
        let open_pairs: Vec<Pair> = open
            .iter()
            .map(|&pair_idx| pairs[pair_idx].clone())
            .collect();
        let reassigned = assign::assign(candidates.missing.len(), &open_pairs);
        for (assignment, reassigned) in assignments.iter_mut().zip(reassigned) {
            if let Assignment::Found(open_idx) = reassigned {
                *assignment = Assignment::FoundByGit(open[open_idx]);
            }
        }
    }
}
