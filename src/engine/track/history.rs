//! What git adds for anchors that their fingerprints alone do not settle.
//!
//! Between the commit at which an anchor was last true and the working tree, git may
//! have seen its file renamed: code in the new file is then likelier to be it. Only those that are still lost are looked at, so that a clone without the
//! history finds whatever else there is, and what git decided is said to be its.

use std::collections::BTreeMap;
use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::tree::git;

use super::assign::{self, Outcome};
use super::file_symbols::FileCode;
use super::search::{Lost, Pair};

/// What it adds to the odds that git saw the file renamed. Set by hand, to more than the
/// lead that tells the best from its equals and to what an equal path is worth: none of
/// the labelled cases that are left open is decided by it.
const FILE_RENAMED: f64 = 1.0;

/// What became of files since a commit; none where git does not know the commit.
type Renamed = Option<FxHashMap<String, String>>;

/// What git was asked about the anchors that were not found.
pub(super) struct History<'a> {
    by_commit: BTreeMap<&'a str, Renamed>,
    /// For each lost anchor whether its fingerprint left it open.
    is_open: Vec<bool>,
}

impl<'a> History<'a> {
    /// Asks git once for each commit at which one of the unsettled was last true.
    pub(super) fn of(root: &Path, lost: &'a [Lost<'a>], outcomes: &[Outcome]) -> Self {
        let is_open: Vec<bool> =
            outcomes.iter().map(|it| !matches!(it, Outcome::Found(_))).collect();
        let mut by_commit = BTreeMap::new();
        for (one, is_open) in lost.iter().zip(&is_open) {
            if let (Some(commit), true) = (&one.anchor.commit, is_open) {
                let renamed = || git::renamed_since(root, commit);
                by_commit.entry(commit.as_str()).or_insert_with(renamed);
            }
        }
        Self { by_commit, is_open }
    }

    /// Returns whether the lost anchor of this number was left open by its fingerprint.
    pub(super) fn was_asked(&self, n: usize) -> bool {
        self.is_open[n]
    }

    /// Returns where git saw the file of an anchor go.
    fn new_file(&self, lost: &Lost<'_>) -> Option<&str> {
        let renamed = self.by_commit.get(lost.anchor.commit.as_deref()?)?.as_ref()?;
        renamed.get(&lost.anchor.file).map(String::as_str)
    }

    /// Returns the commit of an anchor that git was asked about and does not know.
    pub(super) fn unknown_commit<'l>(&self, lost: &Lost<'l>) -> Option<&'l str> {
        let commit = lost.anchor.commit.as_deref()?;
        self.by_commit.get(commit).is_some_and(Option::is_none).then_some(commit)
    }

    /// Decides again over what is not found, among the places that nobody has.
    pub(super) fn settle(
        &self,
        lost: &[Lost<'_>],
        files: &[FileCode],
        pairs: &mut [Pair],
        outcomes: &mut [Outcome],
    ) {
        let is_renamed = |one: &Lost<'_>| self.new_file(one).is_some();
        if !lost.iter().any(is_renamed) {
            return;
        }
        let place = |pair: &Pair| (pair.file, pair.at);
        let taken: FxHashSet<(usize, usize)> = outcomes
            .iter()
            .filter_map(|outcome| match outcome {
                Outcome::Found(at) => Some(place(&pairs[*at])),
                _ => None,
            })
            .collect();
        let mut open: Vec<usize> = Vec::new();
        for (n, pair) in pairs.iter_mut().enumerate() {
            if !self.is_open[pair.lost] || taken.contains(&place(pair)) {
                continue;
            }
            if self.new_file(&lost[pair.lost]) == Some(files[pair.file].path.as_str()) {
                pair.odds += FILE_RENAMED;
            }
            open.push(n);
        }
        let candidates: Vec<Pair> = open.iter().map(|&n| pairs[n].clone()).collect();
        for (n, again) in assign::assign(lost.len(), &candidates).into_iter().enumerate() {
            if let Outcome::Found(at) = again {
                outcomes[n] = Outcome::Found(open[at]);
            }
        }
    }
}
