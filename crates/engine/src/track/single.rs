//! Follows code through single commits, each of which is known to have removed it from its place.
//!
//! A commit may change thousands of files. Only the files to which it added lines that may be the
//! code are compared.

use std::collections::BTreeMap;
use std::path::Path;

use cerberus_model::{Anchor, Fingerprint, text};
use rustc_hash::FxHashSet;

use super::walk::{self, MAX_REMOVED};
use crate::syntax::language;
use crate::track::MIN_TOKENS;
use crate::track::search::{MissingAnchor, Prefilter};
use crate::track::walk::{End, Walk};
use crate::track::weights::WEIGHTS;
use crate::tree::git;
use crate::tree::git::{Change, Commits, Comparison, Objects};

/// A commit that changes fewer files is compared as a whole.
const MIN_FILTERED: usize = 16;

/// Follows anchors, each of which is recorded in the first parent of its commit, through that commit
/// only. Returns for each the code after it with its similarity, or `None` if it is not certain.
/// `parents` are the first parents by the commits. Returns no list if git fails.
pub fn follow_through(
    root: &Path,
    anchors: &[Anchor],
    parents: &BTreeMap<&str, &str>,
) -> Option<Vec<Option<(Anchor, f64)>>> {
    let mut found = vec![None; anchors.len()];
    if anchors.is_empty() {
        return Some(found);
    }
    let commits = git::single_commits(root, parents, &language::extensions()).unwrap_or_default();
    let n_each = commits.comparisons.len().div_ceil(git::n_parts()).max(1);
    let parts = commits.comparisons.chunks(n_each).collect();
    let arrived = git::with_objects_each(root, parts, |objects, comparisons| {
        let mut arrived = Vec::new();
        for comparison in comparisons {
            let own: Vec<usize> = (0..anchors.len())
                .filter(|idx| anchors[*idx].commit.as_ref() == Some(&comparison.newer))
                .take(MAX_REMOVED)
                .collect();
            let own_anchors: Vec<&Anchor> = own.iter().map(|idx| &anchors[*idx]).collect();
            let after = through(
                comparison.clone(),
                commits.has_all_renames,
                &own_anchors,
                objects,
            );
            arrived.extend(own.into_iter().zip(after));
        }
        arrived
    });
    for (idx, after) in arrived?.into_iter().flatten() {
        found[idx] = after;
    }
    Some(found)
}

/// Returns whether later code of a name may be the earlier code of the name, edited. Short code says little.
pub fn is_same_lineage(old: &Fingerprint, new: &Fingerprint) -> bool {
    old.n_tokens < MIN_TOKENS || super::similarity(old, new) >= WEIGHTS.replaced
}

/// Follows anchors through one commit.
fn through(
    mut comparison: Comparison,
    has_all_renames: bool,
    anchors: &[&Anchor],
    objects: &mut Objects<'_>,
) -> Vec<Option<(Anchor, f64)>> {
    if comparison.changes.len() >= MIN_FILTERED {
        filter(&mut comparison.changes, anchors, objects);
    }
    let path = (
        comparison.newer.clone(),
        (comparison.older.clone(), vec![0]),
    );
    let commits = Commits {
        comparisons: vec![comparison],
        paths: [path].into(),
        has_all_renames,
    };
    let mut walks: Vec<Walk> = anchors.iter().map(|anchor| Walk::new(anchor)).collect();
    walk::run(objects, &commits, &mut walks);
    let mut arrived = Vec::new();
    for (anchor, walk) in anchors.iter().zip(walks) {
        if walk.end != End::Head {
            arrived.push(None);
            continue;
        }
        let similarity = super::similarity(&anchor.fingerprint, &walk.anchor.fingerprint);
        arrived.push(Some((walk.anchor, similarity)));
    }
    arrived
}

/// Removes the changes that do not add lines with names of one of the anchors, nor change its file.
fn filter(changes: &mut Vec<Change>, anchors: &[&Anchor], objects: &mut Objects<'_>) {
    let missing: Vec<MissingAnchor<'_>> = anchors
        .iter()
        .map(|anchor| MissingAnchor::new(anchor))
        .collect();
    let prefilter = Prefilter::new(&missing);
    changes.retain(|change| {
        if let Some(old) = &change.old
            && anchors.iter().any(|anchor| anchor.file == old.path)
        {
            return true;
        }
        let Some(new) = &change.new else { return false };
        let after = objects.read(&new.object).unwrap_or_default();
        let before = match &change.old {
            Some(old) => objects.read(&old.object).unwrap_or_default(),
            None => Vec::new(),
        };
        let added = added_lines(&text::decode(&before).0, &text::decode(&after).0);
        prefilter.may_match(&new.path, &added)
    });
}

/// Returns the lines that only the second text has.
fn added_lines(before: &str, after: &str) -> String {
    let known: FxHashSet<&str> = before.lines().collect();
    let new = after.lines().filter(|line| !known.contains(line));
    new.flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_lines_are_those_that_are_new() {
        assert_eq!(added_lines("a\nb\n", "b\nc\na\nd\n"), "c\nd\n");
        assert_eq!(added_lines("", "a\n"), "a\n");
    }
}
