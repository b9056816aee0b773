//! Follows anchors to a commit of the past, from the history alone.

use std::collections::BTreeMap;
use std::path::Path;

use crate::model::Anchor;

use super::Step;
use super::search::MissingAnchor;
use super::walk::{End, Past};

/// Where the code of an anchor was at a commit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PastPlace {
    /// The file and the symbol, and the commits on the way.
    At(String, Option<String>, Vec<Step>),
    /// A commit on the way removed the code, and what it added is not certainly the same code.
    Lost(Vec<Step>),
    /// The history does not contain the commit that recorded the anchor, or is too long.
    Unknown,
}

/// Returns where the code of each of `anchors` was at `commit`. The tree is not searched: code that
/// only a search finds is lost.
pub(crate) fn places_at(root: &Path, commit: &str, anchors: &[&Anchor]) -> Vec<PastPlace> {
    // Anchors on the same code do not compete for it.
    let mut idxs: BTreeMap<_, usize> = BTreeMap::new();
    let mut recorded: Vec<MissingAnchor<'_>> = Vec::new();
    let mut walk_idxs = Vec::with_capacity(anchors.len());
    for anchor in anchors {
        walk_idxs.push(*idxs.entry(super::identity(anchor)).or_insert(recorded.len()));
        if walk_idxs.last() == Some(&recorded.len()) {
            recorded.push(MissingAnchor::new(anchor, None));
        }
    }
    let past = Past::until(root, commit, &recorded.iter().collect::<Vec<_>>());
    let place = |idx: usize| {
        let walk = past.walks[idx].clone();
        match walk.end {
            End::Head => PastPlace::At(walk.anchor.file, walk.anchor.symbol, walk.steps),
            End::Lost(_) => PastPlace::Lost(walk.steps),
            End::Unknown => PastPlace::Unknown,
        }
    };
    walk_idxs.into_iter().map(place).collect()
}
