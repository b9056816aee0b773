//! Queries of the git repository: HEAD, commit times, changed and renamed files.
//!
//! Runs the `git` command, which is several times faster than the libraries for these queries and
//! consistent with the output that the user sees. Without git, or outside a repository, results
//! are unknown. Never modifies the repository, and never runs programs that its configuration
//! names, because the repository may be untrusted. Git reads objects and the index only;
//! `worktree` compares them with the files.

mod added;
mod files;
mod folders;
mod graph;
mod history;
mod ignored;
mod listing;
mod messages;
mod objects;
pub mod past;
mod process;
mod records;
mod remote;
mod repository;
mod shared_lines;
mod worktree;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::BufRead;
use std::path::{Path, PathBuf};

pub use added::{
    AddedLines, Changes, added_by_commits, added_in, added_in_index, added_since, all_lines,
};
use anyhow::Result;
use cerberus_model::UserError;
pub(crate) use files::omitted;
pub(super) use files::{GitFiles, files, files_with_index};
pub(crate) use history::{Change, Commits, Comparison, commits_since, single_commits};
pub use ignored::{IgnoredPath, ignored, ignored_by_tree};
pub use objects::{Objects, with_objects, with_objects_each};
use process::{Failure, Git};
pub use records::TreeEntry;
pub use remote::origin;
pub use repository::failures;
use rustc_hash::FxHashMap;
pub use worktree::{changed_since, in_head, renamed_since, staged, uncommitted};

use crate::threads::{self, Running};

/// Age limit of the commits that are read. Recency decays by e every 43 days, so older commits
/// have no effect.
const HORIZON_SECONDS: i64 = 366 * 24 * 3600;

/// Maximum number of commits that are read; 5,000 take about 0.15 s.
const MAX_COMMITS: u32 = 5_000;

/// Maximum number of commits that are searched for renames.
const MAX_RENAMES: u32 = 1_000;

/// Maximum number of git processes that do parts of the same work.
const MAX_PARTS: usize = 4;

/// Returns the number of parts into which work of git is divided, one for each processor.
pub fn n_parts() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get().min(MAX_PARTS))
}

/// Applies `work` to each of `parts`, each on its own thread.
fn in_parallel<P: Send, R: Send>(parts: Vec<P>, work: impl Fn(P) -> R + Sync) -> Vec<R> {
    let work = &work;
    std::thread::scope(|scope| {
        let start = |part: P| threads::spawn(scope, move || work(part));
        let running: Vec<_> = parts.into_iter().map(start).collect();
        running.into_iter().map(Running::join).collect()
    })
}

/// The commit that is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    pub id: String,
    /// Commit time, in seconds since the Unix epoch.
    pub seconds: i64,
}

/// Length of stored commit ids: the abbreviation that git uses for the Linux repository with its
/// millions of objects.
pub const ABBREVIATED_LEN: usize = 12;

impl Head {
    /// Returns the abbreviated id that anchors store.
    pub fn abbreviated_id(&self) -> String {
        self.id.chars().take(ABBREVIATED_LEN).collect()
    }
}

/// The versions of a file whose merge has a conflict.
pub struct Stages {
    /// The common ancestor, unless both sides added the file.
    pub base: Option<Vec<u8>>,
    pub ours: Vec<u8>,
    pub theirs: Vec<u8>,
}

/// Returns the versions of the file `path`, relative to `root`, that the index has while its merge
/// conflict is not resolved.
pub fn unmerged(root: &Path, path: &str) -> Option<Stages> {
    let name = |stage: u8| format!(":{stage}:./{path}");
    with_objects(root, |objects| {
        Some(Stages {
            base: objects.read(&name(1)),
            ours: objects.read(&name(2))?,
            theirs: objects.read(&name(3))?,
        })
    })?
}

/// Returns the commit that is checked out in the repository around `root`.
pub fn head(root: &Path) -> Option<Head> {
    let commit = with_objects(root, |objects| objects.commit("HEAD"))??;
    Some(Head {
        id: commit.id,
        seconds: commit.seconds?,
    })
}

/// Start of git's message about a branch without a commit.
const NO_COMMIT: &str = "your current branch '";
const NO_COMMIT_END: &str = "does not have any commits yet";

/// Returns the commit that is checked out, or `None` without a repository or a commit. Fails if git cannot
/// read it.
pub fn checked_head(root: &Path) -> Result<Option<Head>> {
    if let Some(head) = head(root) {
        return Ok(Some(head));
    }
    let why = match Git::new(root, ["log", "-1", "--format=%H %ct"]).output() {
        Err(Failure::Refused(why)) if is_in_repository(root) => why,
        _ => return Ok(None),
    };
    let has_none = why.starts_with(NO_COMMIT) && why.ends_with(NO_COMMIT_END);
    let lost = has_none.then(|| lost_branch(root)).flatten();
    if has_none && lost.is_none() {
        return Ok(None);
    }
    let why = match lost {
        Some(branch) => format!("`{branch}` has a log, but no commit"),
        None => why,
    };
    let message = format!("git failed to read the commit that is checked out: {why}");
    Err(UserError::environment(message)
        .hint("check the repository with `git fsck`")
        .into())
}

/// Returns the branch that is checked out if it is lost: it had a commit, which git logged. Git deletes the
/// log with the branch, and a new branch has none before its first commit.
fn lost_branch(root: &Path) -> Option<String> {
    let branch = git(root, &["symbolic-ref", "--quiet", "HEAD"])?;
    let branch = branch.trim_end_matches(['\n', '\r']);
    let is_logged = Git::new(root, ["reflog", "exists", branch])
        .output()
        .is_ok();
    is_logged.then(|| branch.to_owned())
}

/// Returns the time of the last commit of each file in `paths`, in seconds since the Unix epoch.
/// Files without a commit within [`HORIZON_SECONDS`] are omitted. The boundary commit of a shallow
/// clone is ignored, because it contains every file.
pub(crate) fn commit_times<'a>(
    root: &Path,
    head: &Head,
    paths: impl IntoIterator<Item = &'a str>,
) -> FxHashMap<String, i64> {
    let mut open: FxHashMap<&str, ()> = paths.into_iter().map(|path| (path, ())).collect();
    let mut times = FxHashMap::default();
    let is_shallow = is_shallow(root);
    let (max_count, since) = (
        format!("--max-count={MAX_COMMITS}"),
        format!("--since={}", head.seconds - HORIZON_SECONDS),
    );
    let log = [
        "log",
        "-z",
        "--name-only",
        "--no-renames",
        "--relative",
        "--format=%x01%ct %P",
    ];
    let log = log
        .into_iter()
        .chain(["--diff-filter=AMT", &max_count, &since, &head.id]);
    let _ = Git::new(root, log).read(|stdout| {
        let mut seconds = None;
        for record in stdout.split(0) {
            let record = record?;
            let record = String::from_utf8_lossy(&record);
            let record = record.trim_start_matches('\n');
            if let Some(header) = record.strip_prefix('\u{1}') {
                let (time, parents) = header.split_once(' ').unwrap_or((header, ""));
                let is_boundary = is_shallow && parents.trim().is_empty();
                seconds = time.trim().parse::<i64>().ok().filter(|_| !is_boundary);
            } else if let (Some(time), Some(_)) = (seconds, open.remove(record)) {
                times.insert(record.to_owned(), time);
                if open.is_empty() {
                    // The rest of the history is not needed.
                    break;
                }
            }
        }
        Ok(())
    });
    times
}

/// Parses the old and the new paths of `--name-status -z --diff-filter=R`.
fn parse_renames(output: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut fields = output.split('\0');
    std::iter::from_fn(move || {
        let (_, old, new) = (fields.next()?, fields.next()?, fields.next()?);
        Some((old, new))
    })
}

/// Returns the new paths of renamed files by their old paths, relative to `root`. Uses the latest
/// rename of each path.
pub fn renames(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let max_count = format!("--max-count={MAX_RENAMES}");
    let mut log = vec![
        "log",
        "-z",
        "--name-status",
        "-M",
        "--diff-filter=R",
        "--relative",
    ];
    log.extend(["--format=", &max_count]);
    let output = Git::for_history(root, &log)
        .and_then(Git::text)
        .unwrap_or_default();
    for (old, new) in parse_renames(&output) {
        found
            .entry(old.to_owned())
            .or_insert_with(|| new.to_owned());
    }
    found
}

/// Availability of git in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GitStatus {
    /// The `git` command is missing.
    NoGit,
    NoRepository,
    /// Git refuses to use the repository, for this reason.
    Refused(String),
    Repository {
        is_shallow: bool,
    },
}

/// Returns whether `root` is in a folder that has a repository, which may be damaged.
pub(super) fn is_in_repository(root: &Path) -> bool {
    root.ancestors()
        .any(|folder| folder.join(".git").symlink_metadata().is_ok())
}

/// Returns the availability of git in `root`.
pub fn status(root: &Path) -> GitStatus {
    match Git::new(root, ["rev-parse", "--is-shallow-repository"]).output() {
        Ok(answer) => GitStatus::Repository {
            is_shallow: answer.trim_ascii() == b"true",
        },
        Err(Failure::NotInstalled) => GitStatus::NoGit,
        Err(Failure::Refused(why)) => match is_in_repository(root) {
            true => GitStatus::Refused(why),
            false => GitStatus::NoRepository,
        },
    }
}

/// Returns whether the history of the repository around `root` is cut off.
pub fn is_shallow(root: &Path) -> bool {
    process::shared_file(root, "shallow").is_some_and(|file| file.exists())
}

/// Fails with the reason of git if it refuses to use the repository around `root`.
pub fn check_usable(root: &Path) -> Result<()> {
    if with_objects(root, |_| ()).is_some() {
        return Ok(());
    }
    match status(root) {
        GitStatus::Refused(why) => {
            let message = format!("git refuses to read the repository: {why}");
            Err(UserError::environment(message).hint("git status").into())
        }
        _ => Ok(()),
    }
}

/// Returns whether git tracks the file `path`, or a file in the folder `path`.
pub fn is_tracked(root: &Path, path: &Path) -> bool {
    let args = [
        OsStr::new("ls-files"),
        OsStr::new("-z"),
        OsStr::new("--"),
        path.as_os_str(),
    ];
    Git::new(root, args)
        .bytes()
        .is_some_and(|output| !output.is_empty())
}

/// Returns the path of a git hook.
pub fn hook(root: &Path, name: &str) -> Option<PathBuf> {
    // Uses the settings of the repository, since this runs no programs.
    let args = ["rev-parse", "--git-path", &format!("hooks/{name}")];
    let path = Git::with_settings(root, &args).text()?;
    Some(root.join(path.trim_end_matches(['\n', '\r'])))
}

/// Returns the folder of a repository that all its worktrees share.
pub fn shared_folder(root: &Path) -> Option<PathBuf> {
    let path = Git::with_settings(root, &["rev-parse", "--git-common-dir"]).text()?;
    Some(root.join(path.trim_end_matches(['\n', '\r'])))
}

/// Returns the full id of the commit that a revision names.
fn commit_id(root: &Path, revision: &str) -> Option<String> {
    object_id(root, &format!("{revision}^{{commit}}"))
}

/// Returns the id of the object with a name.
fn object_id(root: &Path, name: &str) -> Option<String> {
    with_objects(root, |objects| objects.ids(&[name]).remove(0))?
}

/// Returns the first commit of the history of first parents, unless it is cut off.
pub(crate) fn first_commit(root: &Path) -> Option<String> {
    if is_shallow(root) {
        return None;
    }
    let args = ["rev-list", "--first-parent", "--max-parents=0", "HEAD"];
    Some(git(root, &args)?.trim().to_owned()).filter(|id| !id.is_empty())
}

/// Returns the last common commit of two.
pub fn merge_base(root: &Path, a: &str, b: &str) -> Option<String> {
    let base = git(root, &["merge-base", a, b])?;
    Some(base.trim().to_owned()).filter(|base| !base.is_empty())
}

/// Returns what `find` finds with an option for renames, or with that for renames without a change:
/// a partial clone lacks the objects that git compares to find the others.
fn with_renames<R>(option: &str, mut find: impl FnMut(&str) -> Option<R>) -> Option<R> {
    find(option).or_else(|| find("-M100%"))
}

/// Returns the output of a git command, or `None` if it fails.
fn git(root: &Path, args: &[&str]) -> Option<String> {
    Git::new(root, args).text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_is_unknown_outside_a_repository() {
        let folder = tempfile::tempdir().expect("a temp folder");
        assert_eq!(head(folder.path()), None);
    }
}
