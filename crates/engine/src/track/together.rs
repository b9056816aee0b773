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
    let found = || assignments.iter().filter_map(Assignment::found);
    let mut votes = Votes::default();
    for pair_idx in found() {
        votes.add(places(candidates, &pairs[pair_idx]));
    }
    let found_paths = found().map(|pair_idx| candidates.paths(&pairs[pair_idx]));
    let moved_paths = moved_files.iter().map(|(old, new)| (*old, *new));
    let folders = Folders::new(found_paths.chain(moved_paths));
    let mut is_any_raised = false;
    for pair in pairs.iter_mut() {
        let (old, new) = candidates.paths(pair);
        // A moved folder says where a file is now, but not which of its code has another name.
        let has_name = candidates.new_name(pair).1 == candidates.old(pair).name;
        if votes.are_for(places(candidates, pair)) || (has_name && folders.are_moved(old, new)) {
            pair.odds += WEIGHTS.added.together;
            is_any_raised = true;
        }
    }
    if is_any_raised {
        assign::assign(candidates.missing.len(), pairs)
    } else {
        assignments
    }
}

/// The old and the new place of the code of a pair.
#[derive(Clone, Copy)]
struct Places<'a> {
    old: Place<'a>,
    new: Place<'a>,
}

impl<'a> Places<'a> {
    /// Returns the files alone.
    fn files(self) -> Self {
        Self {
            old: (self.old.0, ""),
            new: (self.new.0, ""),
        }
    }
}

fn places<'a>(candidates: Candidates<'a>, pair: &Pair) -> Places<'a> {
    let (old_path, new_path) = candidates.paths(pair);
    Places {
        old: (old_path, candidates.old(pair).container),
        new: (new_path, candidates.new_name(pair).0),
    }
}

/// The number of symbols that moved from each file or container to each other one.
#[derive(Default)]
struct Votes<'a>(BTreeMap<Place<'a>, BTreeMap<Place<'a>, usize>>);

impl<'a> Votes<'a> {
    fn add(&mut self, places: Places<'a>) {
        self.add_one(places.files());
        if !places.old.1.is_empty() {
            self.add_one(places);
        }
    }

    fn add_one(&mut self, Places { old, new }: Places<'a>) {
        *self.0.entry(old).or_default().entry(new).or_default() += 1;
    }

    /// Returns whether most of the code of the file, or of the container, moved so.
    fn are_for(&self, places: Places<'_>) -> bool {
        self.is_majority(places.files()) || self.is_majority(places)
    }

    fn is_majority(&self, Places { old, new }: Places<'_>) -> bool {
        if old == new {
            return false;
        }
        let Some(votes) = self.0.get(&old) else {
            return false;
        };
        let n = votes.get(&new).copied().unwrap_or_default();
        n >= 2 && 2 * n > votes.values().sum()
    }
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
        let Some(files) = folders.get(new_folder) else {
            return false;
        };
        files.len() >= 2 && 2 * files.len() > folders.values().map(BTreeSet::len).sum()
    }
}

/// Returns the old and the new path of the folder that was moved or renamed if a file moved from `old`
/// to `new`: both paths without what they have in common at the end. `None` if the file was renamed.
fn folder_change<'p>(old: &'p str, new: &'p str) -> Option<(&'p str, &'p str)> {
    let mut old_folder = old;
    let mut new_folder = new;
    while !old_folder.is_empty() && !new_folder.is_empty() {
        let (old_head, old_tail) = split_path(old_folder);
        let (new_head, new_tail) = split_path(new_folder);
        if old_tail != new_tail {
            break;
        }
        old_folder = old_head;
        new_folder = new_head;
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
