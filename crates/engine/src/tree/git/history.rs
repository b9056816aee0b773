//! The commits between an old commit and a new one: their order and their changed files.
//!
//! One `rev-list` and one `diff-tree` answer for all commits. A partial clone lacks objects: nothing is
//! fetched.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};

use super::process::Git;
use super::records::{self, EntryKind, RawChange, Record, TreeEntry};
use super::{commit_id, git, merge_base, past, with_renames};

/// Maximum number of commits that are listed to find those after an old commit.
const MAX_LISTED: usize = 20_000;

/// Maximum number of commits whose changes are read for one question.
const MAX_COMPARED: usize = 10_000;

/// Maximum number of added times deleted files of a commit, as a square, that git compares to find
/// renames.
const RENAME_LIMIT: &str = "-l400";

/// A regular file that a commit changed. Paths are relative to the project root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    /// `None` for an added file.
    pub(crate) old: Option<TreeEntry>,
    /// `None` for a deleted file.
    pub(crate) new: Option<TreeEntry>,
}

/// Two successive commits and what changed between them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Comparison {
    pub(crate) older: String,
    pub(crate) newer: String,
    pub(crate) changes: Vec<Change>,
}

/// The comparisons that lead from old commits to HEAD.
#[derive(Debug, Clone, Default)]
pub(crate) struct Commits {
    /// Oldest first.
    pub(crate) comparisons: Vec<Comparison>,
    /// For each old commit the full id, and the comparisons that lead from it to HEAD, in order. A
    /// commit that this clone lacks, or that is too old, is not contained.
    pub(crate) paths: BTreeMap<String, (String, Vec<usize>)>,
    /// Whether git could compare the contents of files to find renames. A partial clone lacks them:
    /// then only files that were renamed without a change are known as renamed.
    pub(crate) has_all_renames: bool,
}

/// An older commit and the one after it.
type Pair = (String, String);

/// Returns the comparisons that lead from each of `old` to HEAD. `extensions` are those of the files
/// that matter; if empty, all do. Returns `None` outside a repository.
///
/// A path follows first parents wherever they lead to the old commit. An old commit that is not an
/// ancestor of it, as after a rebase, has the path from its merge base: a commit on that path adds its
/// code again.
pub(crate) fn commits_since(root: &Path, old: &[&str], extensions: &[&str]) -> Option<Commits> {
    let head = commit_id(root, "HEAD")?;
    let full = full_ids(root, old);
    let parents = parents(root, &head, full.values());
    let paths = full.into_iter().filter_map(|(name, id)| {
        let path = path(root, &parents, &head, &id).filter(|it| it.len() <= MAX_COMPARED)?;
        Some((name, (id, path)))
    });
    let paths: BTreeMap<String, (String, Vec<Pair>)> = paths.collect();
    let pairs = topological(
        &parents,
        paths.values().flat_map(|(_, path)| path).collect(),
    );
    let idxs: FxHashMap<&Pair, usize> = pairs
        .iter()
        .enumerate()
        .map(|(idx, pair)| (*pair, idx))
        .collect();
    let idxs_of = |path: &[Pair]| path.iter().map(|pair| idxs[pair]).collect();
    let idx_paths = paths
        .iter()
        .map(|(name, (id, path))| (name.clone(), (id.clone(), idxs_of(path))));
    compared(
        root,
        pairs.iter().copied().cloned(),
        idx_paths.collect(),
        extensions,
    )
}

/// Returns the comparisons of single commits with their first parents, for anchors that were
/// recorded in the parents. Each path has the name of its newer commit.
pub(crate) fn single_commits(
    root: &Path,
    commits: &BTreeMap<&str, &str>,
    extensions: &[&str],
) -> Option<Commits> {
    let pairs = commits
        .iter()
        .map(|(newer, older)| ((*older).to_owned(), (*newer).to_owned()));
    let path = |(idx, (older, newer)): (usize, Pair)| (newer, (older, vec![idx]));
    compared(
        root,
        pairs.clone(),
        pairs.enumerate().map(path).collect(),
        extensions,
    )
}

fn compared(
    root: &Path,
    pairs: impl Iterator<Item = Pair>,
    paths: BTreeMap<String, (String, Vec<usize>)>,
    extensions: &[&str],
) -> Option<Commits> {
    let comparison = |(older, newer)| Comparison {
        older,
        newer,
        changes: Vec::new(),
    };
    let mut comparisons: Vec<Comparison> = pairs.map(comparison).collect();
    // Without the contents of files only those renamed without a change are known as renamed.
    let mut n_tries = 0;
    with_renames("-M", |renames| {
        n_tries += 1;
        comparisons.iter_mut().for_each(|it| it.changes.clear());
        read_changes(root, renames, extensions, &mut comparisons).then_some(())
    })?;
    Some(Commits {
        comparisons,
        paths,
        has_all_renames: n_tries == 1,
    })
}

/// Returns the full ids of the commits that the repository contains, by their names.
fn full_ids(root: &Path, names: &[&str]) -> BTreeMap<String, String> {
    let commits: Vec<String> = names
        .iter()
        .map(|name| format!("{name}^{{commit}}"))
        .collect();
    let commits: Vec<&str> = commits.iter().map(String::as_str).collect();
    let mut full = BTreeMap::new();
    for (name, id) in names.iter().zip(past::ids(root, &commits)) {
        if let Some(id) = id {
            full.insert((*name).to_owned(), id);
        }
    }
    full
}

/// Returns the parents of each commit from `head` back to the old ones.
fn parents<'a>(
    root: &Path,
    head: &'a str,
    old: impl Iterator<Item = &'a String>,
) -> BTreeMap<String, Vec<String>> {
    let mut base = vec!["merge-base", "--octopus", head];
    base.extend(old.map(String::as_str));
    let base = git(root, &base).map(|base| format!("^{}", base.trim()));
    let max_count = format!("--max-count={MAX_LISTED}");
    let mut args = vec!["rev-list", "--parents", &max_count, head];
    args.extend(base.as_deref());
    let output = git(root, &args).unwrap_or_default();
    let line = |line: &str| {
        let mut ids = line.split(' ').map(str::to_owned);
        Some((ids.next()?, ids.collect()))
    };
    output.lines().filter_map(line).collect()
}

/// Returns the pairs of successive commits from `old` to `head`.
fn path(
    root: &Path,
    parents: &BTreeMap<String, Vec<String>>,
    head: &str,
    old: &str,
) -> Option<Vec<Pair>> {
    if old == head {
        return Some(Vec::new());
    }
    let mut children: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
    for (id, parents) in parents {
        for parent in parents {
            children.entry(parent).or_default().push(id);
        }
    }
    let mut descendants: FxHashSet<&str> = FxHashSet::from_iter([old]);
    let mut open = vec![old];
    while let Some(id) = open.pop() {
        let new = children
            .get(id)
            .into_iter()
            .flatten()
            .filter(|id| descendants.insert(id));
        open.extend(new.copied().collect::<Vec<_>>());
    }
    if !descendants.contains(head) {
        // A list that was cut off does not show whether it is an ancestor.
        if parents.len() == MAX_LISTED {
            return None;
        }
        let base = merge_base(root, old, head).filter(|base| *base != old && *base != head);
        return match base {
            Some(base) => path(root, parents, head, &base),
            None => Some(vec![(old.to_owned(), head.to_owned())]),
        };
    }
    let mut found = Vec::new();
    let mut at = head;
    while at != old {
        let older = parents[at]
            .iter()
            .find(|parent| descendants.contains(parent.as_str()))?;
        found.push((older.clone(), at.to_owned()));
        at = older;
    }
    found.reverse();
    Some(found)
}

/// Sorts the pairs, so that a commit comes after its ancestors.
fn topological<'p>(
    parents: &BTreeMap<String, Vec<String>>,
    pairs: BTreeSet<&'p Pair>,
) -> Vec<&'p Pair> {
    let mut depths: FxHashMap<&str, usize> = FxHashMap::default();
    for start in pairs.iter().map(|(_, newer)| newer.as_str()) {
        let mut open = vec![start];
        while let Some(&id) = open.last() {
            let of = || parents.get(id).into_iter().flatten().map(String::as_str);
            let unknown = of().find(|id| parents.contains_key(*id) && !depths.contains_key(id));
            if let (Some(parent), false) = (unknown, depths.contains_key(id)) {
                open.push(parent);
                continue;
            }
            let depth = of()
                .filter_map(|id| depths.get(id))
                .max()
                .map_or(0, |depth| depth + 1);
            depths.entry(id).or_insert(depth);
            open.pop();
        }
    }
    let mut sorted: Vec<&Pair> = pairs.iter().copied().collect();
    sorted.sort_by_key(|pair| (depths.get(pair.1.as_str()).copied(), *pair));
    sorted
}

/// Reads the changes of comparisons. Returns whether git could read all of them.
fn read_changes(
    root: &Path,
    renames: &str,
    extensions: &[&str],
    comparisons: &mut [Comparison],
) -> bool {
    let mut args = vec![
        "diff-tree",
        "--stdin",
        "-r",
        "-m",
        "--raw",
        "-z",
        "--no-abbrev",
    ];
    args.extend([
        "--relative",
        "--ignore-submodules=all",
        RENAME_LIMIT,
        renames,
        "--",
    ]);
    let globs: Vec<String> = extensions
        .iter()
        .map(|extension| format!("*.{extension}"))
        .collect();
    args.extend(globs.iter().map(String::as_str));
    let mut rest: Vec<usize> = (0..comparisons.len()).collect();
    while !rest.is_empty() {
        // An answer names only the newer commit, so each is asked for once in a run.
        let mut by_newer: FxHashMap<String, usize> = FxHashMap::default();
        let mut later = Vec::new();
        let mut input = String::new();
        for idx in rest {
            let Comparison { older, newer, .. } = &comparisons[idx];
            if by_newer.contains_key(newer) {
                later.push(idx);
            } else {
                input += &format!("{newer} {older}\n");
                by_newer.insert(newer.clone(), idx);
            }
        }
        rest = later;
        let Some(git) = Git::for_history(root, &args) else {
            return false;
        };
        let mut at = None;
        let is_read = records::read(git.with_input(input.into_bytes()), |record| {
            match record {
                Record::Header(id) => {
                    let id = id.split_ascii_whitespace().next();
                    at = id.and_then(|id| by_newer.get(id)).copied();
                }
                Record::Change(RawChange { old, new, .. }) => {
                    let is_file = |it: &TreeEntry| it.kind == EntryKind::File;
                    let change = Change {
                        old: old.filter(is_file),
                        new: new.filter(is_file),
                    };
                    if let Some(idx) = at {
                        let comparison: &mut Comparison = &mut comparisons[idx];
                        comparison.changes.push(change);
                    }
                }
            }
            ControlFlow::Continue(())
        });
        if is_read.is_err() {
            return false;
        }
    }
    true
}
