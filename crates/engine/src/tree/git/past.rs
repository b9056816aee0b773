//! What git records about the past of files: the versions of documents, the files of a commit that
//! differ from now, the commits between two, renames.
//!
//! Only objects are compared: `log` and `diff-tree` read no file of the working tree and convert no
//! content with programs (`--no-textconv`, `--no-ext-diff`). One process compares all commits, one pairs
//! renamed files, and each question about versions is one more.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

mod renames;

pub use renames::{Renames, document_renames_of, exchanges_of, renames_in, renames_of};

pub use super::folders::{n_files, staged_away};
pub use super::graph::{Graph, Node};
pub use super::objects::read_objects;
use super::process::{Git, Process};
use super::records::{self, RawChange, Record};
pub use super::records::{EntryKind, TreeEntry};
use super::repository::{MARK, MAX_REQUEST, Repository, Talk};
use super::{commit_id, merge_base, with_objects, worktree};

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
    let index = Repository::at(root).index()?;
    let modified = worktree::modified(root, &index);
    // What is in a folder without permission may exist.
    let is_deleted = |path: &str| {
        let error = root.join(path).symlink_metadata().err();
        error.is_some_and(|error| error.kind() != ErrorKind::PermissionDenied)
    };
    let mut deleted: FxHashSet<&str> = FxHashSet::default();
    for entry in &modified {
        if is_deleted(&entry.path) {
            deleted.insert(&entry.path);
        }
    }
    let mut entries: Vec<TreeEntry> = Vec::new();
    let mut omitted = Vec::new();
    for known in index.iter() {
        let entry = &known.entry;
        if known.is_omitted() && is_deleted(&entry.path) {
            omitted.push(entry.clone());
        }
        // An unresolved merge has several entries of a path.
        let is_repeated = entries.last().is_some_and(|last| last.path == entry.path);
        if !is_repeated && !deleted.contains(entry.path.as_str()) {
            entries.push(entry.clone());
        }
    }
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
pub fn read_trees<R>(
    root: &Path,
    head: &str,
    commits: &BTreeSet<&str>,
    mut read: impl FnMut(&str, &Differences) -> R,
) -> Vec<R> {
    let mut sorted = described(root, commits);
    sorted.sort_by_key(|commit| Reverse(commit.seconds));
    let mut newer = head;
    let mut pairs = Vec::new();
    for commit in &sorted {
        pairs.push(Pair {
            commit: &commit.summary.id,
            older: newer,
        });
        newer = &commit.summary.id;
    }
    let mut differences = Differences::new();
    let mut at: Option<String> = None;
    let mut found = Vec::new();
    let is_read = compare(root, &pairs, |record| match record {
        Record::Header(header) => {
            if let Some(done) = at.replace(id_of(&header).to_owned()) {
                found.push(read(&done, &differences));
            }
        }
        Record::Change(RawChange { path, new, .. }) => {
            differences.insert(path.into(), new.map(Arc::new));
        }
    });
    // After a failure the last list may be incomplete.
    if is_read.is_some()
        && let Some(at) = &at
    {
        found.push(read(at, &differences));
    }
    found
}

/// A commit, and the one with which it is compared.
struct Pair<'c> {
    commit: &'c str,
    older: &'c str,
}

/// Passes the differences of pairs of commits to `each`.
fn compare(root: &Path, pairs: &[Pair<'_>], each: impl FnMut(Record)) -> Option<()> {
    let lines = pairs
        .iter()
        .map(|pair| format!("{} {}", pair.commit, pair.older));
    conversation(root, Talk::Changes, lines, each)
}

/// Sends lines to a `diff-tree`, and passes its answers to `each`. The next lines are sent before the
/// answers are read, so that git does not wait.
fn conversation(
    root: &Path,
    talk: Talk,
    lines: impl Iterator<Item = String>,
    mut each: impl FnMut(Record),
) -> Option<()> {
    let mut requests: Vec<String> = Vec::new();
    for line in lines {
        match requests.last_mut() {
            Some(last) if last.len() + line.len() < MAX_REQUEST => *last += &line,
            _ => requests.push(line),
        }
        if let Some(last) = requests.last_mut() {
            last.push('\n');
        }
    }
    let send = |process: &mut Process, request: Option<&String>| match request {
        Some(request) => process.send(&[request.as_bytes(), MARK].concat()),
        None => Ok(()),
    };
    Repository::at(root).ask(talk, |process| {
        send(process, requests.first())?;
        for idx in 0..requests.len() {
            send(process, requests.get(idx + 1))?;
            process.receive(|stdout| records::read_answer(stdout, &mut each))?;
        }
        Ok(())
    })
}

/// A commit, with the time at which it was committed.
struct Described {
    seconds: i64,
    summary: CommitSummary,
}

impl Described {
    /// Reads what precedes the changes of a commit.
    fn parse(header: &str) -> Option<Self> {
        let mut fields = header.trim_start_matches('\u{1}').splitn(4, ' ');
        let id = fields.next()?.to_owned();
        let seconds = fields.next()?.parse().ok()?;
        let date = fields.next()?.to_owned();
        let subject = fields.next().unwrap_or_default().trim().to_owned();
        let summary = CommitSummary { id, date, subject };
        Some(Self { seconds, summary })
    }
}

/// Returns the id of the commit that a header is about.
fn id_of(header: &str) -> &str {
    let header = header.trim_start_matches('\u{1}');
    header.split_whitespace().next().unwrap_or_default()
}

/// Returns those of `commits` that git can read.
fn described(root: &Path, commits: &BTreeSet<&str>) -> Vec<Described> {
    // A commit does not differ from itself.
    let own = commits.iter().map(|commit| Pair {
        commit,
        older: commit,
    });
    let own: Vec<Pair<'_>> = own.collect();
    let mut found = Vec::new();
    compare(root, &own, |record| {
        if let Record::Header(header) = record {
            found.extend(Described::parse(&header));
        }
    });
    found
}

/// Returns commits as they are reported, by their ids.
pub fn summaries(root: &Path, commits: &BTreeSet<&str>) -> FxHashMap<String, CommitSummary> {
    let mut found = FxHashMap::default();
    for commit in described(root, commits) {
        found.insert(commit.summary.id.clone(), commit.summary);
    }
    found
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
    if commit_id(root, "HEAD").as_ref() == Some(&id) {
        return Some(id);
    }
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
            Record::Change(RawChange {
                path,
                old,
                new: Some(new),
                ..
            }) => {
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

/// Returns the files that a commit added or changed, compared with its first parent.
pub fn changed_in(root: &Path, commit: &str) -> Vec<TreeEntry> {
    let parent = ids(root, &[&format!("{commit}^1")]).remove(0);
    let Some(parent) = parent else {
        return Vec::new();
    };
    let pair = Pair {
        commit,
        older: &parent,
    };
    let mut found = Vec::new();
    compare(root, &[pair], |record| match record {
        Record::Change(change) if !change.is_of_submodule() => found.extend(change.new),
        _ => {}
    });
    found
}

/// A path that a commit changed, with its entries before and after.
#[derive(Debug, Clone)]
pub struct Change {
    pub path: String,
    pub old: Option<TreeEntry>,
    pub new: Option<TreeEntry>,
}

/// Returns the changes of each of `commits`, compared with its parent, to the paths for which
/// `is_wanted` is true.
pub fn changes_in(
    root: &Path,
    commits: &BTreeMap<&str, &str>,
    is_wanted: impl Fn(&str) -> bool,
) -> BTreeMap<String, Vec<Change>> {
    let mut pairs = Vec::new();
    for (&commit, &older) in commits {
        pairs.push(Pair { commit, older });
    }
    let mut found: BTreeMap<String, Vec<Change>> = BTreeMap::new();
    let mut at = String::new();
    // What was read before a failure is right.
    compare(root, &pairs, |record| match record {
        Record::Header(header) => id_of(&header).clone_into(&mut at),
        Record::Change(change) => {
            if is_wanted(&change.path) && !change.is_of_submodule() {
                let RawChange { path, old, new, .. } = change;
                let of_commit = found.entry(at.clone()).or_default();
                of_commit.push(Change { path, old, new });
            }
        }
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
    let mut found = BTreeMap::new();
    for (header, paths) in files_of_log(
        root,
        ["--diff-filter=A", "--format=%x01%h%x09%as%x09%an"],
        &[folder],
    ) {
        let mut fields = header.splitn(3, '\t').map(str::to_owned);
        let (Some(commit), Some(date), Some(author)) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let addition = Addition {
            commit,
            author,
            date,
        };
        for path in paths {
            found.entry(path).or_insert_with(|| addition.clone());
        }
    }
    found
}

/// Returns the abbreviated id of the last commit that removed each of `paths`, files or folders that are not there
/// any more, or a file of it. What no commit removed was never there.
pub fn removals(root: &Path, paths: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    if paths.is_empty() {
        return found;
    }
    let literal: Vec<String> = paths
        .iter()
        .map(|path| format!(":(literal){path}"))
        .collect();
    let literal: Vec<&str> = literal.iter().map(String::as_str).collect();
    for (commit, files) in files_of_log(root, ["--diff-filter=D", "--format=%x01%h"], &literal) {
        for file in files {
            // The file itself, or a folder around it.
            let mut path = file.as_str();
            while !path.is_empty() {
                if paths.contains(path) && !found.contains_key(path) {
                    found.insert(path.to_owned(), commit.clone());
                }
                path = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            }
        }
    }
    found
}

/// Returns what `git log` says of each commit of the history of HEAD, newest first, with the files that it changed.
/// The format starts with the byte 1.
fn files_of_log(root: &Path, options: [&str; 2], patterns: &[&str]) -> Vec<(String, Vec<String>)> {
    let mut args = vec!["-c", "core.quotePath=false", "log", "--no-renames"];
    args.extend(["--name-only", "--relative"]);
    args.extend(options);
    args.extend(["HEAD", "--"]);
    args.extend(patterns);
    let Some(git) = Git::for_history(root, &args) else {
        return Vec::new();
    };
    let output = git.text().unwrap_or_default();
    let mut found = Vec::new();
    for part in output.split('\u{1}').skip(1) {
        let mut lines = part.lines();
        let header = lines.next().unwrap_or_default().to_owned();
        let paths = lines.filter(|line| !line.is_empty());
        found.push((header, paths.map(str::to_owned).collect()));
    }
    found
}

/// Returns the ids of the objects with these names, or `None` for each that the clone lacks.
pub fn ids(root: &Path, names: &[&str]) -> Vec<Option<String>> {
    let ids = with_objects(root, |objects| objects.ids(names));
    ids.unwrap_or_else(|| vec![None; names.len()])
}
