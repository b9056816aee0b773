//! What git records about the past of files: the versions of documents, the files of a commit that
//! differ from now, the commits between two, renames.
//!
//! Only objects are compared: `log` and `diff-tree` read no file of the working tree and convert no
//! content with programs (`--no-textconv`, `--no-ext-diff`). Each function is one process, whatever
//! the number of commits or paths it is asked for; [`tracked`] starts another one if files of the
//! working tree may differ from the index, and compares them itself.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, ErrorKind};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

mod renames;

pub use renames::{exchanges_in, renames_in};

pub use super::merge_base;
pub use super::objects::read_objects;
use super::process::Git;
use super::records::{self, Record};
pub use super::records::{EntryKind, TreeEntry};
use super::{commit_id, git, in_parallel, n_parts, objects, worktree};

/// Minimum number of commits in each part of a list whose trees are read at the same time: the first
/// one is compared with HEAD, which takes longer.
const MIN_EACH: usize = 16;

/// The tracked files.
#[derive(Debug, Default)]
pub struct Tracked {
    /// Those that the working tree has, with their objects of the index.
    pub entries: Vec<TreeEntry>,
    /// Those of the index that the working tree lacks or has in another version.
    pub modified: Vec<TreeEntry>,
    /// Those that a sparse checkout omits. They are in `entries`.
    pub omitted: Vec<TreeEntry>,
}

/// A commit, as it is reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommitSummary {
    #[serde(rename = "commit")]
    pub id: String,
    /// `YYYY-MM-DD`
    pub date: String,
    pub subject: String,
}

/// A commit with its parents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    pub id: String,
    pub parents: Vec<String>,
}

/// A version of a file, written by a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    pub commit: String,
    pub parents: Vec<String>,
    pub path: String,
    pub object: String,
    /// The object before, unless the commit added the file.
    old: Option<String>,
}

/// Returns the tracked files, or `None` outside a repository.
pub fn tracked(root: &Path) -> Option<Tracked> {
    let listed = Git::new(root, ["ls-files", "--stage", "--debug", "-z"]).bytes()?;
    let index = records::index(&listed)?;
    let modified = worktree::modified(root, &index);
    // What is in a folder without permission may exist.
    let is_deleted = |path: &str| {
        let error = root.join(path).symlink_metadata().err();
        error.is_some_and(|it| it.kind() != ErrorKind::PermissionDenied)
    };
    let deleted: FxHashSet<&str> = modified
        .iter()
        .map(|it| it.path.as_str())
        .filter(|path| is_deleted(path))
        .collect();
    let mut omitted = Vec::new();
    for (entry, seen) in &index {
        if seen.is_some_and(|seen| seen.is_omitted) && is_deleted(&entry.path) {
            omitted.push(entry.clone());
        }
    }
    let entries = index.into_iter().map(|(entry, _)| entry);
    let mut entries: Vec<TreeEntry> = entries
        .filter(|entry| !deleted.contains(entry.path.as_str()))
        .collect();
    // An unresolved merge has several entries of a path.
    entries.dedup_by(|a, b| a.path == b.path);
    Some(Tracked {
        entries,
        modified,
        omitted,
    })
}

/// The paths in which commits differ, with the entries of one of them; `None` for a path that it
/// lacks.
pub type Differences = BTreeMap<Arc<str>, Option<Arc<TreeEntry>>>;

/// Applies `read` to each of `commits`, newest first, with its differences from `head`: the paths that
/// differ, and paths that may. Git compares each commit with the one before, so that the work grows
/// with the number of changes and not with that of commits. Commits that git cannot read are omitted.
pub fn read_trees<R: Send>(
    root: &Path,
    head: &str,
    commits: &BTreeSet<&str>,
    read: impl Fn(&str, &Differences) -> R + Sync,
) -> Vec<R> {
    let Some(sorted) = newest_first(root, commits) else {
        return Vec::new();
    };
    let n_each = sorted.len().div_ceil(n_parts()).max(MIN_EACH);
    let trees = in_parallel(sorted.chunks(n_each).collect(), |part| {
        let mut trees = Vec::with_capacity(part.len());
        walk_trees(root, head, part, |commit, differences| {
            trees.push(read(commit, differences))
        });
        trees
    });
    trees.into_iter().flatten().collect()
}

/// Passes each of `commits`, which are sorted by time, to `each` with its differences from `head`.
fn walk_trees(
    root: &Path,
    head: &str,
    commits: &[String],
    mut each: impl FnMut(&str, &Differences),
) {
    let mut newer = head;
    let mut input = String::new();
    for commit in commits {
        // The newer one takes the place of the parent.
        input += &format!("{commit} {newer}\n");
        newer = commit;
    }
    let args = [
        "diff-tree",
        "--stdin",
        "--always",
        "-r",
        "-m",
        "--raw",
        "-z",
        "--no-renames",
    ];
    let args = args
        .into_iter()
        .chain(["--no-abbrev", "--relative", "--ignore-submodules=dirty"]);
    let mut differences = Differences::new();
    let mut at: Option<String> = None;
    let git = Git::new(root, args).with_input(input.into_bytes());
    let is_read = records::read(git, |record| {
        match record {
            Record::Header(id) => {
                if let Some(done) = at.replace(id.trim().to_owned()) {
                    each(&done, &differences);
                }
            }
            Record::Change(path, [_, entry]) => {
                differences.insert(path.into(), entry.map(Arc::new));
            }
        }
        ControlFlow::Continue(())
    });
    // After a failure the last list may be incomplete.
    if is_read.is_ok()
        && let Some(at) = &at
    {
        each(at, &differences);
    }
}

/// Returns commits by the time at which they were committed.
fn newest_first(root: &Path, commits: &BTreeSet<&str>) -> Option<Vec<String>> {
    let input: String = commits.iter().map(|commit| format!("{commit}\n")).collect();
    let args = ["rev-list", "--no-walk=sorted", "--stdin"];
    let output = Git::new(root, args).with_input(input.into_bytes()).text()?;
    Some(output.lines().map(str::to_owned).collect())
}

/// Returns the files of HEAD that the index lacks or has in another version.
pub fn staged_away(root: &Path) -> Vec<TreeEntry> {
    let args = [
        "diff-index",
        "--cached",
        "--raw",
        "-z",
        "--no-renames",
        "--no-abbrev",
    ];
    let args = args
        .into_iter()
        .chain(["--relative", "--ignore-submodules=dirty", "HEAD", "--"]);
    let changes = records::changes(Git::new(root, args)).unwrap_or_default();
    changes
        .into_iter()
        .filter_map(|(_, [old, _])| old)
        .collect()
}

/// Returns the last commit of the history of HEAD at a time, in seconds.
pub fn commit_before(root: &Path, seconds: i64) -> Option<String> {
    let before = format!("--before=@{seconds}");
    let args = ["rev-list", "-1", "--first-parent", &before, "HEAD"];
    let output = Git::new(root, args).text()?;
    let commit = output.trim();
    (!commit.is_empty()).then(|| commit.to_owned())
}

/// Returns the last common commit of a revision and HEAD, or the revision itself if there is none.
pub fn fork_point(root: &Path, revision: &str) -> Option<String> {
    let id = commit_id(root, revision)?;
    Some(merge_base(root, &id, "HEAD").unwrap_or(id))
}

/// Returns the versions of files before the commits `from`, newest first, each file from its version
/// there back to the commit that added it. Returns `None` if git fails.
pub fn versions(root: &Path, from: &[&str], paths: &[&str]) -> Option<Vec<Version>> {
    let mut args = vec![
        "log",
        "--raw",
        "-z",
        "--no-renames",
        "--no-abbrev",
        "--relative",
    ];
    args.extend([
        "--diff-merges=first-parent",
        "--no-ext-diff",
        "--no-textconv",
    ]);
    args.extend(["--format=%x01%H %P"]);
    args.extend(from);
    args.push("--");
    let literal: Vec<String> = paths
        .iter()
        .map(|path| format!(":(literal){path}"))
        .collect();
    args.extend(literal.iter().map(String::as_str));
    let mut found = Vec::new();
    let mut open: FxHashSet<&str> = paths.iter().copied().collect();
    let (mut commit, mut parents) = (String::new(), Vec::new());
    let read = records::read(Git::for_history(root, &args)?, |record| {
        match record {
            Record::Header(header) => {
                let Some(header) = header.strip_prefix('\u{1}') else {
                    return ControlFlow::Continue(());
                };
                // The rest of the history is not needed.
                if open.is_empty() {
                    return ControlFlow::Break(());
                }
                let mut ids = header.split_whitespace().map(str::to_owned);
                commit = ids.next().unwrap_or_default();
                parents = ids.collect();
            }
            Record::Change(path, [old, Some(new)]) => {
                let is_merge = parents.len() > 1;
                if old.is_none() && !is_merge {
                    open.remove(path.as_str());
                }
                let (commit, parents) = (commit.clone(), parents.clone());
                let old = old.map(|old| old.object);
                found.push(Version {
                    commit,
                    parents,
                    path,
                    object: new.object,
                    old,
                });
            }
            Record::Change(..) => {}
        }
        ControlFlow::Continue(())
    });
    read.is_ok().then_some(found)
}

/// Returns the versions of one file that lead to the one with this object, newest first, without
/// those of branches that were merged without effect.
pub fn lineage<'v>(versions: &'v [Version], path: &str, object: &str) -> Vec<&'v Version> {
    let own: Vec<&Version> = versions
        .iter()
        .filter(|version| version.path == path)
        .collect();
    let mut found: Vec<&Version> = Vec::new();
    let mut wanted = object;
    let mut from = 0;
    loop {
        let rest = &own[from.min(own.len())..];
        let has_it = |version: &&&Version| version.object == wanted;
        // A merge differs from its first parent, but the commit of the branch wrote the version.
        let written = |version: &&&Version| has_it(version) && version.parents.len() < 2;
        let next = rest
            .iter()
            .find(written)
            .or_else(|| rest.iter().find(has_it));
        // The version of the index may not be committed.
        let next = next.or_else(|| rest.first().filter(|_| found.is_empty()));
        let Some(&next) = next else { return found };
        from += rest
            .iter()
            .position(|version| std::ptr::eq(*version, next))
            .unwrap_or(0)
            + 1;
        found.push(next);
        match &next.old {
            Some(old) => wanted = old,
            None => return found,
        }
    }
}

/// Returns the first-parent history of a commit, newest first. Ends when all of `wanted` are found.
pub fn first_parents(root: &Path, commit: &str, wanted: &BTreeSet<String>) -> Vec<Node> {
    nodes(
        root,
        &["rev-list", "--first-parent", "--parents", commit],
        wanted,
    )
}

/// Returns commits that lead from an ancestor to a commit, newest first, without the ancestor. Each
/// is a child of the next one, and the last is a child of the ancestor.
pub fn path(root: &Path, ancestor: &str, commit: &str) -> Vec<Node> {
    let range = format!("{ancestor}..{commit}");
    let between = nodes(
        root,
        &["rev-list", "--parents", "--ancestry-path", &range],
        &BTreeSet::new(),
    );
    let by_id: FxHashMap<&str, &Node> = between.iter().map(|it| (it.id.as_str(), it)).collect();
    let mut found = Vec::new();
    let mut next = by_id.get(commit);
    while let Some(node) = next {
        found.push((*node).clone());
        if node.parents.iter().any(|id| id == ancestor) {
            break;
        }
        next = node.parents.iter().find_map(|id| by_id.get(id.as_str()));
    }
    found
}

fn nodes(root: &Path, args: &[&str], wanted: &BTreeSet<String>) -> Vec<Node> {
    let mut found = Vec::new();
    let mut n_open = wanted.len();
    let Some(git) = Git::for_history(root, args) else {
        return found;
    };
    let _ = git.read(|stdout| {
        for line in stdout.lines() {
            let line = line?;
            let mut ids = line.split(' ').map(str::to_owned);
            let Some(id) = ids.next() else { continue };
            n_open -= usize::from(wanted.contains(&id));
            found.push(Node {
                id,
                parents: ids.collect(),
            });
            if n_open == 0 && !wanted.is_empty() {
                break;
            }
        }
        Ok(())
    });
    found
}

/// Format of the records that [`summaries`] reads.
const FORMAT: &str = "--format=%H %cs %s";

/// Returns commits as they are reported, by their ids.
pub fn summaries(root: &Path, commits: &BTreeSet<&str>) -> FxHashMap<String, CommitSummary> {
    if commits.is_empty() {
        return FxHashMap::default();
    }
    let input: String = commits.iter().map(|commit| format!("{commit}\n")).collect();
    let args = [
        "log",
        "--no-walk=unsorted",
        "-z",
        "--no-patch",
        FORMAT,
        "--stdin",
    ];
    let output = Git::new(root, args)
        .with_input(input.into_bytes())
        .text()
        .unwrap_or_default();
    let summary = |record: &str| {
        let mut fields = record
            .trim_start_matches('\n')
            .splitn(3, ' ')
            .map(str::to_owned);
        let (id, date) = (fields.next()?, fields.next()?);
        let subject = fields.next().unwrap_or_default().trim().to_owned();
        Some((id.clone(), CommitSummary { id, date, subject }))
    };
    output.split('\0').filter_map(summary).collect()
}

/// Returns the files that a commit added or changed, compared with its first parent.
pub fn changed_in(root: &Path, commit: &str) -> Vec<TreeEntry> {
    let parent = format!("{commit}^1");
    let args = [
        "diff-tree",
        "-r",
        "--raw",
        "-z",
        "--no-renames",
        "--no-abbrev",
        "--relative",
    ];
    let args = args
        .into_iter()
        .chain(["--ignore-submodules=all", "--end-of-options"]);
    let git = Git::new(root, args.chain([parent.as_str(), commit]));
    let changes = records::changes(git).unwrap_or_default();
    changes
        .into_iter()
        .filter_map(|(_, [_, new])| new)
        .collect()
}

/// A path that a commit changed, with its entries before and after.
#[derive(Debug, Clone)]
pub struct Change {
    pub path: String,
    pub old: Option<TreeEntry>,
    pub new: Option<TreeEntry>,
}

/// Returns the changes of each of `commits`, compared with its first parent, to the paths for which
/// `is_wanted` is true.
pub fn changes_in(
    root: &Path,
    commits: &BTreeSet<&str>,
    is_wanted: impl Fn(&str) -> bool,
) -> BTreeMap<String, Vec<Change>> {
    let mut found: BTreeMap<String, Vec<Change>> = BTreeMap::new();
    let args = [
        "diff-tree",
        "--stdin",
        "-r",
        "-m",
        "--first-parent",
        "--raw",
        "-z",
        "--no-renames",
    ];
    let args = args
        .into_iter()
        .chain(["--no-abbrev", "--relative", "--ignore-submodules=all"]);
    let Some(git) = Git::for_history(root, &args.collect::<Vec<_>>()) else {
        return found;
    };
    let input: String = commits.iter().map(|id| format!("{id}\n")).collect();
    let mut at = String::new();
    // What was read before a failure is right.
    let _ = records::read(git.with_input(input.into_bytes()), |record| {
        match record {
            Record::Header(id) => {
                id.split_whitespace()
                    .next()
                    .unwrap_or_default()
                    .clone_into(&mut at);
            }
            Record::Change(path, [old, new]) => {
                if is_wanted(&path) {
                    found
                        .entry(at.clone())
                        .or_default()
                        .push(Change { path, old, new });
                }
            }
        }
        ControlFlow::Continue(())
    });
    found
}

/// The commit that added a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Addition {
    pub commit: String,
    pub author: String,
    /// `YYYY-MM-DD`
    pub date: String,
}

/// Returns the last commit that added each file of a folder, by its path.
pub fn additions(root: &Path, folder: &str) -> BTreeMap<String, Addition> {
    let args = [
        "-c",
        "core.quotePath=false",
        "log",
        "--diff-filter=A",
        "--no-renames",
    ];
    let args = args.into_iter().chain(["--name-only", "--relative"]);
    let args = args.chain(["--format=%x01%h%x09%as%x09%an", "HEAD", "--", folder]);
    let output = Git::new(root, args).text().unwrap_or_default();
    let mut found = BTreeMap::new();
    for part in output.split('\u{1}').skip(1) {
        let mut lines = part.lines();
        let mut fields = lines
            .next()
            .unwrap_or_default()
            .splitn(3, '\t')
            .map(str::to_owned);
        let (Some(commit), Some(date), Some(author)) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        for path in lines.filter(|line| !line.is_empty()) {
            let addition = || Addition {
                commit: commit.clone(),
                author: author.clone(),
                date: date.clone(),
            };
            found.entry(path.to_owned()).or_insert_with(addition);
        }
    }
    found
}

/// Returns the number of files of a folder in a commit.
pub fn n_files(root: &Path, commit: &str, folder: &str) -> usize {
    let args = [
        "ls-tree",
        "-r",
        "-z",
        "--name-only",
        "--end-of-options",
        commit,
        "--",
        folder,
    ];
    git(root, &args).map_or(0, |output| output.matches('\0').count())
}

/// Returns the ids of the objects with these names, or `None` for each that the clone lacks.
pub fn ids(root: &Path, names: &[&str]) -> Vec<Option<String>> {
    let git = Git::new(root, ["cat-file", "--batch-check=%(objectname)"]);
    let lines = objects::describe(git, names.iter().copied()).unwrap_or_default();
    let id = |line: String| (!line.contains(' ')).then_some(line);
    let mut found: Vec<Option<String>> = lines.into_iter().map(id).collect();
    found.resize(names.len(), None);
    found
}
