//! The commits between an old commit and a new one: their order, their changed files, their objects.
//!
//! One `rev-list` and one `diff-tree` answer for all commits, and one `cat-file` for all objects. A
//! partial clone lacks objects: they are reported as unreadable one by one, and nothing is fetched.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{BufRead, Error, ErrorKind, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::{FxHashMap, FxHashSet};

use super::process::Git;
use super::{git, in_parallel};
use crate::tree::read::MAX_BYTES;

/// Maximum number of commits that are listed to find those after an old commit.
const MAX_LISTED: usize = 20_000;

/// Maximum number of commits whose changes are read for one question.
const MAX_COMPARED: usize = 10_000;

/// Maximum number of added times deleted files of a commit, as a square, that git compares to find
/// renames.
const RENAME_LIMIT: &str = "-l400";

/// A file that a commit changed. Paths are relative to the project root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    /// `None` for an added file.
    pub(crate) old: Option<Version>,
    /// `None` for a deleted file.
    pub(crate) new: Option<Version>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) path: String,
    pub(crate) object: String,
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

/// Returns the comparisons that lead from each of `old` to `newest`. `extensions` are those of the
/// files that matter; if empty, all do. Returns `None` outside a repository.
///
/// A path follows first parents wherever they lead to the old commit. An old commit that is not an
/// ancestor of it, as after a rebase, has the path from its merge base: a commit on that path adds its
/// code again.
pub(crate) fn commits_since(
    root: &Path,
    newest: &str,
    old: &[&str],
    extensions: &[&str],
) -> Option<Commits> {
    let head = commit_id(root, newest)?;
    let full = full_ids(root, old);
    let parents = parents(root, &head, full.values());
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut pair_idxs: FxHashMap<(String, String), usize> = FxHashMap::default();
    let mut paths = BTreeMap::new();
    for (name, id) in full {
        let Some(path) = path(root, &parents, &head, &id) else { continue };
        let idxs = path.into_iter().map(|pair| {
            *pair_idxs.entry(pair.clone()).or_insert_with(|| {
                pairs.push(pair);
                pairs.len() - 1
            })
        });
        let idxs: Vec<usize> = idxs.collect();
        if idxs.len() <= MAX_COMPARED {
            paths.insert(name, (id, idxs));
        }
    }
    let order = topological(&parents, &pairs);
    let rank: FxHashMap<usize, usize> =
        order.iter().enumerate().map(|(rank, &pair_idx)| (pair_idx, rank)).collect();
    for (_, idxs) in paths.values_mut() {
        idxs.iter_mut().for_each(|idx| *idx = rank[idx]);
    }
    let mut comparisons: Vec<Comparison> = order
        .iter()
        .map(|&idx| Comparison {
            older: pairs[idx].0.clone(),
            newer: pairs[idx].1.clone(),
            changes: Vec::new(),
        })
        .collect();
    let used: BTreeSet<usize> = paths.values().flat_map(|(_, idxs)| idxs.clone()).collect();
    let has_all_renames = read_all_changes(root, extensions, &used, &mut comparisons)?;
    Some(Commits { comparisons, paths, has_all_renames })
}

/// Returns the comparisons of single commits with their first parents, for anchors that were
/// recorded in the parents. Each path has the name of its newer commit.
pub(crate) fn single_commits(
    root: &Path,
    commits: &BTreeMap<&str, &str>,
    extensions: &[&str],
) -> Option<Commits> {
    let mut comparisons = Vec::new();
    let mut paths = BTreeMap::new();
    for (newer, older) in commits {
        paths.insert((*newer).to_owned(), ((*older).to_owned(), vec![comparisons.len()]));
        let (older, newer) = ((*older).to_owned(), (*newer).to_owned());
        comparisons.push(Comparison { older, newer, changes: Vec::new() });
    }
    let used = (0..comparisons.len()).collect();
    let has_all_renames = read_all_changes(root, extensions, &used, &mut comparisons)?;
    Some(Commits { comparisons, paths, has_all_renames })
}

/// Returns the full id of a commit.
pub(crate) fn commit_id(root: &Path, revision: &str) -> Option<String> {
    let commit = format!("{revision}^{{commit}}");
    let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", &commit];
    Some(git(root, &args)?.trim().to_owned())
}

/// Returns the commits on the path of first parents that changed a file, oldest first: the last
/// `max` of those after `since`.
pub(crate) fn commits_of_file(
    root: &Path,
    path: &str,
    since: Option<&str>,
    max: usize,
) -> Option<Vec<String>> {
    let max_count = format!("--max-count={max}");
    let range = since.map_or("HEAD".to_owned(), |since| format!("{since}..HEAD"));
    let args = ["log", "--first-parent", "-m", "--no-renames", "--format=%H", &max_count, &range];
    let log = Git::for_history(root, &[&args[..], &["--", path]].concat())?.text()?;
    let mut commits: Vec<String> = log.lines().map(str::to_owned).collect();
    commits.reverse();
    Some(commits)
}

/// Returns the full ids of the commits that the repository contains, by their names.
fn full_ids(root: &Path, names: &[&str]) -> BTreeMap<String, String> {
    let lines: String = names.iter().map(|name| format!("{name}^{{commit}}\n")).collect();
    let git = Git::new(root, ["cat-file", "--batch-check=%(objectname) %(objecttype)"]);
    let output = git.with_input(lines.into_bytes()).text().unwrap_or_default();
    let known = names.iter().zip(output.lines()).filter_map(|(name, line)| {
        let id = line.strip_suffix(" commit")?;
        Some(((*name).to_owned(), id.to_owned()))
    });
    known.collect()
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
) -> Option<Vec<(String, String)>> {
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
        let new = children.get(id).into_iter().flatten().filter(|id| descendants.insert(id));
        open.extend(new.copied().collect::<Vec<_>>());
    }
    if !descendants.contains(head) {
        // A list that was cut off does not show whether it is an ancestor.
        if parents.len() == MAX_LISTED {
            return None;
        }
        let base = git(root, &["merge-base", old, head]);
        let base = base.as_deref().map(str::trim).filter(|base| *base != old && *base != head);
        return match base {
            Some(base) => path(root, parents, head, base),
            None => Some(vec![(old.to_owned(), head.to_owned())]),
        };
    }
    let mut found = Vec::new();
    let mut at = head;
    while at != old {
        let older = parents[at].iter().find(|parent| descendants.contains(parent.as_str()))?;
        found.push((older.clone(), at.to_owned()));
        at = older;
    }
    found.reverse();
    Some(found)
}

/// Returns the indices of the pairs, so that a commit comes after its ancestors.
fn topological(parents: &BTreeMap<String, Vec<String>>, pairs: &[(String, String)]) -> Vec<usize> {
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
            let depth = of().filter_map(|id| depths.get(id)).max().map_or(0, |depth| depth + 1);
            depths.entry(id).or_insert(depth);
            open.pop();
        }
    }
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_by_key(|&idx| (depths.get(pairs[idx].1.as_str()).copied(), &pairs[idx]));
    order
}

/// Reads the changes of the comparisons of `used`. Returns whether git could compare contents to
/// find renames, or `None` if git fails.
fn read_all_changes(
    root: &Path,
    extensions: &[&str],
    used: &BTreeSet<usize>,
    comparisons: &mut [Comparison],
) -> Option<bool> {
    if read_changes(root, "-M", extensions, used, comparisons) {
        return Some(true);
    }
    comparisons.iter_mut().for_each(|it| it.changes.clear());
    read_changes(root, "-M100%", extensions, used, comparisons).then_some(false)
}

/// Reads the changes of the comparisons of `used`. Returns whether git could read all of them.
fn read_changes(
    root: &Path,
    renames: &str,
    extensions: &[&str],
    used: &BTreeSet<usize>,
    comparisons: &mut [Comparison],
) -> bool {
    let mut rest: Vec<usize> = used.iter().copied().collect();
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
        let mut args: Vec<String> = ["diff-tree", "--stdin", "-r", "-m", "--raw", "-z"]
            .into_iter()
            .chain(["--no-abbrev", "--relative", "--ignore-submodules=all", RENAME_LIMIT])
            .chain([renames, "--"])
            .map(str::to_owned)
            .collect();
        args.extend(extensions.iter().map(|extension| format!("*.{extension}")));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let Some(git) = Git::for_history(root, &args) else { return false };
        let is_read = git.with_input(input.into_bytes()).read(|stdout| {
            let mut at = None;
            while let Some(field) = field(stdout)? {
                if let Some(status) = field.strip_prefix(':') {
                    let missing = || Error::new(ErrorKind::InvalidData, "a path is missing");
                    let first = self::field(stdout)?.ok_or_else(missing)?;
                    let is_rename = status.rsplit(' ').next().is_some_and(|it| it.starts_with('R'));
                    let second = if is_rename { self::field(stdout)? } else { None };
                    if let (Some(idx), Some(change)) = (at, change(status, first, second)) {
                        let comparison: &mut Comparison = &mut comparisons[idx];
                        comparison.changes.push(change);
                    }
                } else {
                    let id = field.split_ascii_whitespace().next();
                    at = id.and_then(|id| by_newer.get(id)).copied();
                }
            }
            Ok(())
        });
        if is_read.is_err() {
            return false;
        }
    }
    true
}

/// Returns the text up to the next zero byte.
fn field(stdout: &mut dyn BufRead) -> std::io::Result<Option<String>> {
    let mut bytes = Vec::new();
    let n_bytes = stdout.take(MAX_BYTES).read_until(0, &mut bytes)?;
    if bytes.last() == Some(&0) {
        bytes.pop();
    }
    Ok((n_bytes > 0).then(|| String::from_utf8_lossy(&bytes).into_owned()))
}

/// Returns the change of a raw record: `OLD_MODE NEW_MODE OLD_OBJECT NEW_OBJECT STATUS`.
fn change(status: &str, first: String, second: Option<String>) -> Option<Change> {
    let [old_mode, new_mode, old, new, _] = status.split(' ').collect::<Vec<_>>()[..] else {
        return None;
    };
    let version = |mode: &str, object: &str, path: &str| {
        // Only regular files.
        mode.starts_with("100")
            .then(|| Version { path: path.to_owned(), object: object.to_owned() })
    };
    let new_path = second.as_deref().unwrap_or(&first);
    Some(Change { old: version(old_mode, old, &first), new: version(new_mode, new, new_path) })
}

/// Maximum number of bytes of names that are sent to git before its answers are read. A pipe holds
/// them all, so that neither side waits for the other one.
const MAX_REQUEST: usize = 4096;

/// Number of objects, of at most [`MAX_BYTES`] each, that are remembered.
const MAX_RECENT: usize = 8;

/// Reads objects of the repository with one process.
pub(crate) struct Objects<'a> {
    stdin: &'a mut dyn Write,
    stdout: &'a mut dyn BufRead,
    is_waiting: &'a AtomicBool,
    /// The objects that were read last, oldest first: anchors of one file need the same ones.
    recent: VecDeque<(String, Option<Found>)>,
}

/// An object that the repository has.
#[derive(Clone)]
pub(crate) struct Found {
    pub(crate) id: String,
    /// The content, unless it is a folder or too large.
    pub(crate) bytes: Option<Vec<u8>>,
}

impl<'a> Objects<'a> {
    pub(super) fn new(
        stdin: &'a mut dyn Write,
        stdout: &'a mut dyn BufRead,
        is_waiting: &'a AtomicBool,
    ) -> Self {
        Self { stdin, stdout, is_waiting, recent: VecDeque::new() }
    }

    /// Returns the content of the object with this name. Returns `None` if the clone lacks it, if it
    /// is too large, or if git fails.
    pub(crate) fn read(&mut self, name: &str) -> Option<Vec<u8>> {
        self.find(name)?.bytes
    }

    /// Returns the object with this name, which may be a folder, or `None` if the clone lacks it or
    /// git fails.
    pub(crate) fn find(&mut self, name: &str) -> Option<Found> {
        if name.contains('\n') {
            return None;
        }
        if let Some((_, found)) = self.recent.iter().find(|(it, _)| it == name) {
            return found.clone();
        }
        self.is_waiting.store(true, Ordering::Relaxed);
        let answer = self.ask(name);
        self.is_waiting.store(false, Ordering::Relaxed);
        let found = answer.ok()?;
        if self.recent.len() == MAX_RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back((name.to_owned(), found.clone()));
        found
    }

    /// Passes the contents of objects to `each`, with their positions. Objects that the clone lacks
    /// and those that are too large are omitted.
    pub(crate) fn read_all(&mut self, names: &[&str], mut each: impl FnMut(usize, &[u8])) {
        let mut first = 0;
        while first < names.len() {
            let mut request = String::new();
            let mut end = first;
            while end < names.len()
                && (end == first || request.len() + names[end].len() < MAX_REQUEST)
            {
                request += names[end];
                request.push('\n');
                end += 1;
            }
            self.is_waiting.store(true, Ordering::Relaxed);
            let is_sent = self.send(&request).is_ok();
            for idx in first..end {
                self.is_waiting.store(true, Ordering::Relaxed);
                let answer = if is_sent { self.answer() } else { Ok(None) };
                self.is_waiting.store(false, Ordering::Relaxed);
                if let Some(bytes) = answer.ok().flatten().and_then(|found| found.bytes) {
                    each(idx, &bytes);
                }
            }
            first = end;
        }
    }

    fn ask(&mut self, name: &str) -> std::io::Result<Option<Found>> {
        self.send(&format!("{name}\n"))?;
        self.answer()
    }

    fn send(&mut self, request: &str) -> std::io::Result<()> {
        self.stdin.write_all(request.as_bytes())?;
        self.stdin.flush()
    }

    /// Reads the answer to one name.
    fn answer(&mut self) -> std::io::Result<Option<Found>> {
        let mut header = Vec::new();
        (&mut *self.stdout).take(MAX_BYTES).read_until(b'\n', &mut header)?;
        // OBJECT TYPE SIZE, or the name and the reason if there is no object.
        let header = String::from_utf8_lossy(&header).into_owned();
        let fields: Vec<&str> = header.trim_end().rsplitn(3, ' ').collect();
        let [size, kind, id] = fields[..] else { return Ok(None) };
        let Ok(size) = size.parse::<u64>() else { return Ok(None) };
        let mut content = (&mut *self.stdout).take(size);
        let mut bytes = Vec::new();
        let is_read = kind == "blob" && size <= MAX_BYTES;
        if is_read {
            content.read_to_end(&mut bytes)?;
        }
        // The rest of the content and a line break.
        std::io::copy(&mut content, &mut std::io::sink())?;
        (&mut *self.stdout).take(1).read_exact(&mut [0])?;
        Ok(Some(Found { id: id.to_owned(), bytes: is_read.then_some(bytes) }))
    }
}

/// Passes the objects of the repository to `read`. Returns `None` if git fails.
pub(crate) fn with_objects<R>(root: &Path, read: impl FnOnce(&mut Objects<'_>) -> R) -> Option<R> {
    let mut result = None;
    Git::new(root, ["cat-file", "--batch"])
        .converse(|stdin, stdout, is_waiting| {
            result = Some(read(&mut Objects::new(stdin, stdout, is_waiting)));
            Ok(())
        })
        .ok()?;
    result
}

/// Applies `work` to each of `jobs`, each on a thread with its own process that reads objects.
/// Returns `None` if git fails.
pub(crate) fn with_objects_each<J: Send, R: Send>(
    root: &Path,
    jobs: Vec<J>,
    work: impl Fn(&mut Objects<'_>, J) -> R + Sync,
) -> Option<Vec<R>> {
    let found = in_parallel(jobs, |job| with_objects(root, |objects| work(objects, job)));
    found.into_iter().collect()
}
