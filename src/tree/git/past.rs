//! What git records about the past of files: the files of a commit, the commit that wrote a line,
//! the commit that removed a file or a word.
//!
//! Only objects are compared: `blame` and `log` read no file of the working tree and convert no
//! content with programs (`--no-textconv`, `--no-ext-diff`).

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;
use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use similar::{Algorithm, DiffOp};

use super::process::Git;
use super::{git, worktree};

/// Maximum number of added times deleted files, as a square, that are compared to find renames.
const RENAME_LIMIT: &str = "-l1000";

/// Maximum number of lines that one `blame` is asked for.
const MAX_BLAMED: usize = 2_000;

/// What a path of a tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    File,
    Link,
    Submodule,
}

/// A path of a tree. Paths are relative to the project root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TreeEntry {
    pub(crate) path: String,
    pub(crate) kind: EntryKind,
    pub(crate) object: String,
}

/// A commit, as it is reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct CommitSummary {
    #[serde(rename = "commit")]
    pub(crate) id: String,
    /// `YYYY-MM-DD`
    pub(crate) date: String,
    pub(crate) subject: String,
}

/// The commit that wrote a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LineOrigin {
    pub(crate) commit: String,
    /// The path that the document had in that commit.
    pub(crate) path: String,
    /// The commit before, and the path of the document in it.
    pub(crate) previous: Option<(String, String)>,
    /// Whether history ends there, because the clone is shallow.
    pub(crate) is_boundary: bool,
}

/// Returns the tracked files that the working tree has, or `None` outside a repository.
pub(crate) fn tracked(root: &Path) -> Option<Vec<TreeEntry>> {
    let staged = Git::new(root, ["ls-files", "--stage", "-z"]).bytes()?;
    // Files that a sparse checkout omits are not listed as deleted.
    let deleted = Git::new(root, ["ls-files", "--deleted", "-z"]).bytes()?;
    let deleted: BTreeSet<&[u8]> = deleted.split(|byte| *byte == 0).collect();
    let mut entries: Vec<TreeEntry> = staged
        .split(|byte| *byte == 0)
        .filter(|record| {
            let path = record.iter().position(|byte| *byte == b'\t').map(|tab| &record[tab + 1..]);
            path.is_some_and(|path| !deleted.contains(path))
        })
        // MODE OBJECT STAGE<tab>NAME
        .filter_map(|record| entry(record, 1))
        .collect();
    // An unresolved merge has several entries of a path.
    entries.dedup_by(|a, b| a.path == b.path);
    Some(entries)
}

/// Returns the files of a commit, sorted as git sorts them.
pub(crate) fn files_at(root: &Path, commit: &str) -> Option<Vec<TreeEntry>> {
    let mut entries = Vec::new();
    let list = ["ls-tree", "-r", "-z", "--end-of-options", commit];
    Git::new(root, list)
        .read(|stdout| {
            for record in stdout.split(0) {
                // MODE TYPE OBJECT<tab>NAME
                entries.extend(entry(&record?, 2));
            }
            Ok(())
        })
        .ok()?;
    Some(entries)
}

/// Returns the entry of a record: fields, of which `object_idx` is the object, a tab and the path.
pub(super) fn entry(record: &[u8], object_idx: usize) -> Option<TreeEntry> {
    let record = String::from_utf8_lossy(record);
    let (fields, path) = record.split_once('\t')?;
    let mut fields = fields.split(' ');
    let kind = match fields.next()? {
        "160000" => EntryKind::Submodule,
        "120000" => EntryKind::Link,
        _ => EntryKind::File,
    };
    let object = fields.nth(object_idx - 1)?.to_owned();
    Some(TreeEntry { path: path.to_owned(), kind, object })
}

/// Returns the full id of the commit that a revision names.
pub(crate) fn commit_id(root: &Path, revision: &str) -> Option<String> {
    let commit = format!("{revision}^{{commit}}");
    let id = git(root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])?;
    Some(id.trim().to_owned())
}

/// Returns the last common commit of a revision and HEAD, or the revision itself if there is none.
pub(crate) fn fork_point(root: &Path, revision: &str) -> Option<String> {
    let id = commit_id(root, revision)?;
    let base = git(root, &["merge-base", &id, "HEAD"]).map(|base| base.trim().to_owned());
    Some(base.filter(|base| !base.is_empty()).unwrap_or(id))
}

/// Returns the commits that wrote the 0-based `lines` of a file at a commit. Lines without an
/// answer are missing.
pub(crate) fn blame(
    root: &Path,
    commit: &str,
    path: &str,
    lines: &BTreeSet<u32>,
) -> BTreeMap<u32, LineOrigin> {
    let prefix = git(root, &["rev-parse", "--show-prefix"]).unwrap_or_default();
    let prefix = prefix.trim_end_matches(['\n', '\r']);
    let lines: Vec<u32> = lines.iter().copied().collect();
    let mut origins = BTreeMap::new();
    for lines in lines.chunks(MAX_BLAMED) {
        // A file that the configuration names could be anywhere.
        let mut args =
            vec!["-c".to_owned(), "blame.ignoreRevsFile=".to_owned(), "blame".to_owned()];
        args.extend(["--no-textconv", "--line-porcelain"].map(str::to_owned));
        for line in lines {
            args.extend(["-L".to_owned(), format!("{0},{0}", line + 1)]);
        }
        args.extend([commit, "--", path].map(str::to_owned));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let Some(output) = Git::for_history(root, &args).and_then(Git::text) else { continue };
        let mut line = None;
        let mut origin = LineOrigin::default();
        for record in output.split('\n') {
            if record.starts_with('\t') {
                if let Some(line) = line.take() {
                    origins.insert(line, origin.clone());
                }
            } else if line.is_none() {
                // COMMIT OLD_LINE LINE [N_LINES]
                let mut fields = record.split(' ');
                let (id, number) = (fields.next(), fields.nth(1).and_then(|it| it.parse().ok()));
                if let (Some(id), Some(number)) = (id, number) {
                    line = Some(u32::saturating_sub(number, 1));
                    origin = LineOrigin { commit: id.to_owned(), ..LineOrigin::default() };
                }
            } else if record == "boundary" {
                origin.is_boundary = true;
            } else if let Some(name) = record.strip_prefix("filename ") {
                name.strip_prefix(prefix).unwrap_or(name).clone_into(&mut origin.path);
            } else if let Some((id, name)) =
                record.strip_prefix("previous ").and_then(|it| it.split_once(' '))
            {
                let name = name.strip_prefix(prefix).unwrap_or(name);
                origin.previous = Some((id.to_owned(), name.to_owned()));
            }
        }
    }
    origins
}

/// Returns the last commit after `since` that deleted each of `paths`, with the path. A path may be
/// a folder, for which each deleted file in it is returned.
pub(crate) fn deletions(
    root: &Path,
    since: &str,
    paths: &[&str],
) -> Vec<(CommitSummary, Vec<String>)> {
    let found = deletions_in(root, since, paths, &["--no-renames"]);
    if !found.is_empty() {
        return found;
    }
    // The merge of a branch that never had the file, or that deleted it in the merge itself.
    deletions_in(root, since, paths, &["--no-renames", "-m", "--first-parent", "--full-history"])
}

fn deletions_in(
    root: &Path,
    since: &str,
    paths: &[&str],
    options: &[&str],
) -> Vec<(CommitSummary, Vec<String>)> {
    let since = format!("^{since}");
    let paths: Vec<String> = paths.iter().map(|path| format!(":(literal){path}")).collect();
    let mut args = vec!["log", "-z", "--name-only", "--diff-filter=D", "--relative", FORMAT];
    args.extend(options);
    args.extend(["--no-ext-diff", "--no-textconv", "HEAD", &since, "--"]);
    args.extend(paths.iter().map(String::as_str));
    commits(root, &args)
}

/// Returns the last commit after `since` that changed how often a word occurs in any of `paths`.
pub(crate) fn last_change_of_word(
    root: &Path,
    since: &str,
    word: &str,
    paths: &[&str],
) -> Option<CommitSummary> {
    let (since, word) = (format!("^{since}"), format!("-S{word}"));
    let paths: Vec<String> = paths.iter().map(|path| format!(":(literal){path}")).collect();
    let mut args = vec!["log", "-z", "--no-renames", "--name-only", "--max-count=1", &word, FORMAT];
    args.extend(["--no-ext-diff", "--no-textconv", "HEAD", &since, "--"]);
    args.extend(paths.iter().map(String::as_str));
    commits(root, &args).into_iter().next().map(|(commit, _)| commit)
}

/// Format of the records that [`commits`] reads.
const FORMAT: &str = "--format=%x01%H %cs %s";

/// Returns the commits of a log, newest first, each with the paths that it lists.
fn commits(root: &Path, args: &[&str]) -> Vec<(CommitSummary, Vec<String>)> {
    let mut found: Vec<(CommitSummary, Vec<String>)> = Vec::new();
    let Some(git) = Git::for_history(root, args) else { return found };
    let _ = git.read(|stdout| {
        for record in stdout.split(0) {
            let record = record?;
            let record = String::from_utf8_lossy(&record);
            let record = record.trim_start_matches('\n');
            if let Some(header) = record.strip_prefix('\u{1}') {
                let mut fields = header.splitn(3, ' ').map(str::trim).map(str::to_owned);
                if let (Some(id), Some(date)) = (fields.next(), fields.next()) {
                    let subject = fields.next().unwrap_or_default();
                    found.push((CommitSummary { id, date, subject }, Vec::new()));
                }
            } else if let (Some((_, paths)), false) = (found.last_mut(), record.is_empty()) {
                paths.push(record.to_owned());
            }
        }
        Ok(())
    });
    found
}

/// Returns a commit as it is reported.
pub(crate) fn summary(root: &Path, commit: &str) -> Option<CommitSummary> {
    let log = ["log", "-1", "-z", "--no-patch", FORMAT, "--end-of-options", commit];
    commits(root, &log).into_iter().next().map(|(commit, _)| commit)
}

/// Returns the new paths of the files that a commit renamed, compared with its first parent, by
/// their old paths.
pub(crate) fn renames_in(root: &Path, commit: &str) -> BTreeMap<String, String> {
    let parent = format!("{commit}^1");
    renames_between(root, &parent, commit)
}

/// Returns the new paths of the files that were renamed between two commits, by their old paths.
pub(crate) fn renames_between(root: &Path, old: &str, new: &str) -> BTreeMap<String, String> {
    let run = |renames: &str| {
        let args = ["diff-tree", "-r", "-z", "--name-status", "--diff-filter=R", "--relative"];
        let args = args.into_iter().chain([renames, RENAME_LIMIT, "--ignore-submodules=all"]);
        let args: Vec<&str> = args.chain(["--end-of-options", old, new, "--"]).collect();
        Git::for_history(root, &args)?.text()
    };
    // A partial clone lacks the objects that git compares to find renames with changes.
    let output = run("-M40%").or_else(|| run("-M100%")).unwrap_or_default();
    super::parse_renames(&output).map(|(old, new)| (old.to_owned(), new.to_owned())).collect()
}

/// Returns for each line of `new` the 0-based line of `old` that it is unchanged from.
pub(crate) fn unchanged_lines(old: &[u8], new: &[u8]) -> Vec<Option<u32>> {
    let (old, new) = (worktree::unix_lines(old), worktree::unix_lines(new));
    let mut lines = vec![None; new.len()];
    if old == new {
        return (0..).take(new.len()).map(Some).collect();
    }
    let deadline = Some(Instant::now() + worktree::MAX_DIFF_TIME);
    for op in similar::capture_diff_slices_deadline(Algorithm::Myers, &old, &new, deadline) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            for offset in 0..len {
                lines[new_index + offset] = u32::try_from(old_index + offset).ok();
            }
        }
    }
    lines
}

/// Returns the object of a file at a commit.
pub(crate) fn object_at(root: &Path, commit: &str, path: &str) -> Option<String> {
    let name = format!("{commit}:./{path}");
    let id = git(root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &name])?;
    Some(id.trim().to_owned())
}
