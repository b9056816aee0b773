//! Follows code through single commits, each of which is known to have removed it from its place.
//!
//! A commit may change thousands of files. Only the files to which it added lines that may be the
//! code are compared.

use std::collections::BTreeMap;
use std::path::Path;

use rustc_hash::FxHashSet;

use crate::model::Anchor;
use crate::syntax::language;
use crate::text;
use crate::timings;
use crate::tree::git::{self, Change, Objects};

use super::search::{MissingAnchor, Prefilter};
use super::walk::{self, End, Walk};

/// A commit that changes fewer files is compared as a whole.
const MIN_FILTERED: usize = 16;

/// Follows anchors, each of which is recorded in the first parent of its commit, through that commit
/// only. Returns the code after it with its similarity, or `None` if it is not certain. `parents` are
/// the first parents by the commits.
pub(crate) fn follow_through(
    root: &Path,
    objects: &mut Objects<'_>,
    anchors: &[Anchor],
    parents: &BTreeMap<&str, &str>,
) -> Vec<Option<(Anchor, f64)>> {
    if anchors.is_empty() {
        return Vec::new();
    }
    let mut commits = git::single_commits(root, parents, language::EXTENSIONS).unwrap_or_default();
    {
        let _step = timings::step("filter changed files");
        for comparison in &mut commits.comparisons {
            let own = |anchor: &&Anchor| anchor.commit.as_ref() == Some(&comparison.newer);
            let own: Vec<&Anchor> = anchors.iter().filter(own).collect();
            if comparison.changes.len() >= MIN_FILTERED {
                filter(&mut comparison.changes, &own, objects);
            }
        }
    }
    let mut walks: Vec<Walk> = anchors.iter().map(Walk::new).collect();
    walk::run(objects, &commits, &mut walks);
    let arrived = |(anchor, walk): (&Anchor, Walk)| {
        let old = &anchor.fingerprint;
        let similarity = super::similarity(old, &walk.anchor.fingerprint);
        (walk.end == End::Head).then_some((walk.anchor, similarity))
    };
    anchors.iter().zip(walks).map(arrived).collect()
}

/// Removes the changes that do not add lines with names of one of the anchors, nor change its file.
fn filter(changes: &mut Vec<Change>, anchors: &[&Anchor], objects: &mut Objects<'_>) {
    let missing: Vec<MissingAnchor<'_>> =
        anchors.iter().map(|anchor| MissingAnchor::new(anchor, None)).collect();
    let missing: Vec<&MissingAnchor<'_>> = missing.iter().collect();
    let prefilter = Prefilter::new(&missing);
    changes.retain(|change| {
        let Change { old, new } = change;
        let own = |file: &str| anchors.iter().any(|anchor| anchor.file == file);
        if old.as_ref().is_some_and(|old| own(&old.path)) {
            return true;
        }
        let Some(new) = new else { return false };
        let mut read = |object: &str| objects.read(object).unwrap_or_default();
        let after = read(&new.object);
        let before = old.as_ref().map(|old| read(&old.object)).unwrap_or_default();
        prefilter
            .may_match(&new.path, &added_lines(&text::decode(&before).0, &text::decode(&after).0))
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
