//! Decides jointly for code that moved together.
//!
//! Pure. If most of the anchored code of a file, a class or a folder is found in one other file, class or
//! folder, code there is likelier to be the rest of it.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::track::assign;
use crate::track::assign::Assignment;
use crate::track::file_symbols::split_path;
use crate::track::search::{Candidates, Pair};
use crate::track::weights::WEIGHTS;

/// A file, and a container in it.
pub(super) type Place<'a> = (&'a str, &'a str);

/// Assigns the anchors as [`assign::assign`] does, and again with the odds raised of code in the
/// place to which most of the code around the anchor moved. `moved_files` has the new paths of files
/// that are known to be moved.
pub(super) fn assign(
    candidates: Candidates<'_>,
    pairs: &mut [Pair],
    moved_files: &FxHashMap<&str, &str>,
) -> Vec<Assignment> {
    let assignments = assign::assign(candidates.missing.len(), pairs);
    let places = |pair: &Pair| -> [(Place<'_>, Place<'_>); 2] {
        let (old, new) = candidates.paths(pair);
        let containers = (candidates.old(pair).container, candidates.new_name(pair).0);
        [
            ((old, ""), (new, "")),
            ((old, containers.0), (new, containers.1)),
        ]
    };
    let mut votes: BTreeMap<Place<'_>, BTreeMap<Place<'_>, usize>> = BTreeMap::new();
    let found = || {
        assignments
            .iter()
            .filter_map(Assignment::found)
            .map(|idx| &pairs[idx])
    };
    for pair in found() {
        let [(old, new), (old_container, new_container)] = places(pair);
        *votes.entry(old).or_default().entry(new).or_default() += 1;
        if !old_container.1.is_empty() {
            *votes
                .entry(old_container)
                .or_default()
                .entry(new_container)
                .or_default() += 1;
        }
    }
    let is_majority = |old: &Place<'_>, new: &Place<'_>| {
        let votes = votes.get(old);
        let (n, n_all) = votes.map_or((0, 0), |votes| {
            (
                votes.get(new).copied().unwrap_or_default(),
                votes.values().sum::<usize>(),
            )
        });
        n >= 2 && 2 * n > n_all
    };
    let found = found().map(|pair| candidates.paths(pair));
    let folders = Folders::new(found.chain(moved_files.iter().map(|(old, new)| (*old, *new))));
    // A moved folder says where a file is now, but not which of its code has another name.
    let has_name = |pair: &Pair| candidates.new_name(pair).1 == candidates.old(pair).name;
    let raised: Vec<bool> = pairs
        .iter()
        .map(|pair| {
            let (old, new) = candidates.paths(pair);
            places(pair)
                .iter()
                .any(|(old, new)| old != new && is_majority(old, new))
                || (has_name(pair) && folders.are_moved(old, new))
        })
        .collect();
    if !raised.contains(&true) {
        return assignments;
    }
    for (pair, _) in pairs
        .iter_mut()
        .zip(raised)
        .filter(|(_, is_raised)| *is_raised)
    {
        pair.odds += WEIGHTS.added.together;
    }
    assign::assign(candidates.missing.len(), pairs)
}

/// The folders that were moved: for each old folder and each new one, the files that were moved so.
struct Folders<'p>(BTreeMap<&'p str, BTreeMap<&'p str, BTreeSet<&'p str>>>);

impl<'p> Folders<'p> {
    /// Collects the folders of files with these old and new paths.
    fn new(paths: impl Iterator<Item = (&'p str, &'p str)>) -> Self {
        let mut this = Self(BTreeMap::new());
        for (old, new) in paths {
            if let Some((old_folder, new_folder)) = folder_change(old, new) {
                let files = this
                    .0
                    .entry(old_folder)
                    .or_default()
                    .entry(new_folder)
                    .or_default();
                files.insert(old);
            }
        }
        this
    }

    /// Returns whether two files or more, and most of those of the folder, were moved as from `old` to
    /// `new`.
    fn are_moved(&self, old: &str, new: &str) -> bool {
        let Some((old_folder, new_folder)) = folder_change(old, new) else {
            return false;
        };
        let Some(folders) = self.0.get(old_folder) else {
            return false;
        };
        let n = folders.get(new_folder).map_or(0, BTreeSet::len);
        n >= 2 && 2 * n > folders.values().map(BTreeSet::len).sum()
    }
}

/// Returns the old and the new path of the folder that was moved or renamed if a file moved from `old`
/// to `new`: both paths without what they have in common at the end. `None` if the file was renamed.
fn folder_change<'p>(old: &'p str, new: &'p str) -> Option<(&'p str, &'p str)> {
    let (mut old_folder, mut new_folder) = (old, new);
    while !old_folder.is_empty() && !new_folder.is_empty() {
        let ((old_head, old_tail), (new_head, new_tail)) =
            (split_path(old_folder), split_path(new_folder));
        if old_tail != new_tail {
            break;
        }
        (old_folder, new_folder) = (old_head, new_head);
    }
    (old_folder.len() < old.len() && old_folder != new_folder).then_some((old_folder, new_folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_folder_is_what_the_paths_do_not_share() {
        let moved = folder_change("examples/src/a/Demo.java", "samples/src/a/Demo.java");
        assert_eq!(moved, Some(("examples", "samples")));
        assert_eq!(
            folder_change("src/a/x.py", "lib/src/a/x.py"),
            Some(("", "lib"))
        );
        assert_eq!(folder_change("a/x.py", "a/x.py"), None);
        assert_eq!(folder_change("a/x.py", "b/y.py"), None, "another name");
    }

    #[test]
    fn most_files_of_a_folder_decide() {
        let to = |folder: &str, name: &str| (format!("test/{name}"), format!("{folder}/{name}"));
        let moved = |paths: &[(String, String)], to: &str| {
            let paths = paths.iter().map(|(old, new)| (old.as_str(), new.as_str()));
            Folders::new(paths).are_moved("test/c.py", &format!("{to}/c.py"))
        };
        let both = [to("kit", "a.py"), to("kit", "b.py"), to("other", "d.py")];
        assert!(moved(&both, "kit") && !moved(&both, "other"));
        assert!(!moved(&both[1..], "kit"), "one file is not enough");
    }
}
