//! Queries of the git repository: HEAD, commit times, changed and renamed files.
//!
//! Runs the `git` command, which is several times faster than the libraries for these queries and
//! consistent with the output that the user sees. Without git, or outside a repository, results
//! are unknown. Never modifies the repository, and never runs programs that its configuration
//! names, because the repository may be untrusted.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Result;
use rustc_hash::FxHashMap;

use crate::error::UserError;

/// Age limit of the commits that are read. Recency decays by e every 43 days, so older commits
/// have no effect.
const HORIZON_SECONDS: i64 = 366 * 24 * 3600;

/// Maximum number of commits that are read; 5,000 take about 0.15 s.
const MAX_COMMITS: u32 = 5_000;

/// Maximum number of commits that are searched for renames.
const MAX_RENAMES: u32 = 1_000;

/// Overrides of settings with which a repository can make git run programs.
const OVERRIDES: &[&str] = &[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "log.showSignature=false",
    // A folder of the project must not be used as a bare repository.
    "safe.bareRepository=explicit",
];

/// Options for all diffs: no external diff programs of the repository, no git process per submodule.
const PLAIN_DIFF: [&str; 3] = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];

/// The commit that is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) id: String,
    /// Commit time, in seconds since the Unix epoch.
    pub(crate) seconds: i64,
}

/// Length of stored commit ids: the abbreviation that git uses for the Linux repository with its
/// millions of objects.
const ABBREVIATED_LEN: usize = 12;

impl Head {
    /// Returns the abbreviated id that anchors store.
    pub(crate) fn abbreviated_id(&self) -> String {
        self.id.chars().take(ABBREVIATED_LEN).collect()
    }
}

/// Returns the commit that is checked out in the repository around `root`.
pub(crate) fn head(root: &Path) -> Option<Head> {
    let log = git(root, &["log", "-1", "--format=%H %ct"])?;
    let (id, seconds) = log.trim().split_once(' ')?;
    Some(Head { id: id.to_owned(), seconds: seconds.parse().ok()? })
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
    let is_shallow = git(root, &["rev-parse", "--is-shallow-repository"])
        .is_some_and(|answer| answer.trim() == "true");
    let spawned = command(root)
        .args(["log", "-z", "--name-only", "--no-renames", "--relative"])
        .args(["--format=%x01%ct %P", "--diff-filter=AMT"])
        .arg(format!("--max-count={MAX_COMMITS}"))
        .arg(format!("--since={}", head.seconds - HORIZON_SECONDS))
        .arg(&head.id)
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = spawned else {
        return times;
    };
    if let Some(stdout) = child.stdout.take() {
        let mut seconds = None;
        for record in BufReader::new(stdout).split(0).map_while(Result::ok) {
            let record = String::from_utf8_lossy(&record);
            let record = record.trim_start_matches('\n');
            if let Some(header) = record.strip_prefix('\u{1}') {
                let (time, parents) = header.split_once(' ').unwrap_or((header, ""));
                let is_boundary = is_shallow && parents.trim().is_empty();
                seconds = time.trim().parse::<i64>().ok().filter(|_| !is_boundary);
            } else if let (Some(time), Some(_)) = (seconds, open.remove(record)) {
                times.insert(record.to_owned(), time);
                if open.is_empty() {
                    break;
                }
            }
        }
    }
    // The rest of the history is not needed. Killing a finished process is harmless.
    let _ = child.kill();
    let _ = child.wait();
    times
}

/// Returns the files, relative to `root`, that differ between a revision and the working tree,
/// including untracked ones.
pub(crate) fn changed_since(root: &Path, revision: &str) -> Result<BTreeSet<String>> {
    let error = || {
        UserError::environment(format!("failed to find the changes since `{revision}`"))
            .hint("name a commit of this clone; a shallow clone may need `git fetch --unshallow`")
    };
    let commit = format!("{revision}^{{commit}}");
    git(root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])
        .ok_or_else(error)?;
    let diff = ["--name-only", "-z", "--no-renames", "--relative", "--end-of-options", revision];
    let tracked = diff_with_tree(root, &[&diff[..], &["--"]].concat()).ok_or_else(error)?;
    let untracked =
        git(root, &["ls-files", "--others", "--exclude-standard", "-z"]).ok_or_else(error)?;
    let names = tracked.split('\0').chain(untracked.split('\0'));
    Ok(names.filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

/// Returns the files that git detects as renamed between a commit and the working tree, with
/// their new paths, relative to `root`. Returns `None` if the commit is unknown.
pub(crate) fn renamed_since(root: &Path, commit: &str) -> Option<FxHashMap<String, String>> {
    let diff = ["--name-status", "-z", "-M", "--diff-filter=R", "--relative"];
    let output = diff_with_tree(root, &[&diff[..], &["--end-of-options", commit, "--"]].concat())?;
    Some(parse_renames(&output).map(|(old, new)| (old.to_owned(), new.to_owned())).collect())
}

/// Parses the old and the new paths of `--name-status -z --diff-filter=R`.
fn parse_renames(output: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut fields = output.split('\0');
    std::iter::from_fn(move || {
        let (_, old, new) = (fields.next()?, fields.next()?, fields.next()?);
        Some((old, new))
    })
}

/// Returns the first 0-based line in `first..=last` of `file` that differs from `old_file` at
/// `commit`. Returns `None` if git fails.
pub(crate) fn first_changed_line(
    root: &Path,
    commit: &str,
    old_file: &str,
    file: &str,
    (first, last): (u32, u32),
) -> Option<u32> {
    let diff = ["-U0", "--no-color", "-M", "--end-of-options", commit, "--"];
    let diff = diff_with_tree(root, &[&diff[..], &[old_file, file]].concat())?;
    // There is one diff for a renamed file; otherwise the last one is that of `file`.
    let own = diff.rsplit("\ndiff --git ").next()?;
    let hunks = own.lines().filter_map(hunk);
    hunks
        .filter(|(start, end)| *start <= last && *end > first)
        .map(|(start, _)| start.max(first))
        .min()
}

/// Returns the new paths of renamed files by their old paths, relative to `root`. Uses the latest
/// rename of each path.
pub(crate) fn renames(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let log = [
        "log",
        "-z",
        "--name-status",
        "-M",
        "--diff-filter=R",
        "--relative",
        "--format=",
        &format!("--max-count={MAX_RENAMES}"),
    ];
    let output = git(root, &log).unwrap_or_default();
    for (old, new) in parse_renames(&output) {
        found.entry(old.to_owned()).or_insert_with(|| new.to_owned());
    }
    found
}

/// Returns the staged files, relative to `root`, with the half-open ranges of their changed 0-based
/// lines. A deleted file has no ranges.
pub(crate) fn staged(root: &Path) -> Result<BTreeMap<String, Vec<(u32, u32)>>> {
    let error = || {
        UserError::environment("failed to get the staged changes from git")
            .hint("run it in a git repository; check with `git status`")
    };
    let staged = [&["diff", "--cached", "--relative"], &PLAIN_DIFF[..]].concat();
    let names = ["--name-only", "-z", "--no-renames"];
    let names = git(root, &[&staged[..], &names].concat()).ok_or_else(error)?;
    let mut found: BTreeMap<String, Vec<(u32, u32)>> = BTreeMap::new();
    for name in names.split('\0').filter(|name| !name.is_empty()) {
        found.insert(name.to_owned(), Vec::new());
    }
    for (name, lines) in &mut found {
        let diff = ["-U0", "--no-color", "--", &format!(":(literal){name}")];
        let diff = git(root, &[&staged[..], &diff].concat());
        lines.extend(diff.iter().flat_map(|diff| diff.lines()).filter_map(hunk));
    }
    Ok(found)
}

/// Parses the range of new lines of `@@ -1,2 +3,4 @@`. A deletion is located after its line.
fn hunk(line: &str) -> Option<(u32, u32)> {
    let range = line.strip_prefix("@@ ")?.split('+').nth(1)?.split(' ').next()?;
    let (start, n_lines) = range.split_once(',').unwrap_or((range, "1"));
    let (start, n_lines): (u32, u32) = (start.parse().ok()?, n_lines.parse().ok()?);
    let start = start.saturating_sub(1);
    Some((start, start + n_lines.max(1)))
}

/// Availability of git in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GitStatus {
    /// The `git` command is missing.
    NoGit,
    NoRepository,
    /// Git refuses to use the repository, for this reason.
    Refused(String),
    Repository {
        is_shallow: bool,
    },
}

/// Returns the availability of git in `root`.
pub(crate) fn status(root: &Path) -> GitStatus {
    let mut command = command(root);
    command.args(["rev-parse", "--is-shallow-repository"]).stderr(Stdio::piped());
    let Ok(output) = command.output() else { return GitStatus::NoGit };
    if output.status.success() {
        return GitStatus::Repository { is_shallow: output.stdout.trim_ascii() == b"true" };
    }
    if root.ancestors().any(|folder| folder.join(".git").exists()) {
        let message = String::from_utf8_lossy(&output.stderr);
        let first = message.lines().next().unwrap_or_default().trim_start_matches("fatal: ");
        return GitStatus::Refused(first.to_owned());
    }
    GitStatus::NoRepository
}

/// Returns the ignored ones of `paths`, which may be missing.
pub(crate) fn ignored(root: &Path, paths: &[&Path]) -> Vec<String> {
    let args = ["-c", "core.quotePath=false", "check-ignore", "--"];
    let output = command(root).args(args).args(paths).output().map(|output| output.stdout);
    let output = output.unwrap_or_default();
    String::from_utf8_lossy(&output).lines().map(str::to_owned).collect()
}

/// Returns whether git tracks the file `path`, or a file in the folder `path`.
pub(crate) fn is_tracked(root: &Path, path: &Path) -> bool {
    let output = command(root).args(["ls-files", "-z", "--"]).arg(path).output();
    output.is_ok_and(|output| !output.stdout.is_empty())
}

/// Returns the commits that the repository does not contain. Returns an empty list if git fails.
pub(crate) fn unknown_commits(root: &Path, commits: &BTreeSet<&str>) -> Vec<String> {
    let spawned = command(root)
        .args(["cat-file", "--batch-check=%(objectname)"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = spawned else { return Vec::new() };
    let lines: String = commits.iter().map(|commit| format!("{commit}\n")).collect();
    // A failed write results in missing output.
    let _ = child.stdin.take().map(|mut pipe| pipe.write_all(lines.as_bytes()));
    let output = child.wait_with_output().map(|output| output.stdout).unwrap_or_default();
    let output = String::from_utf8_lossy(&output);
    output.lines().filter_map(|line| line.strip_suffix(" missing")).map(str::to_owned).collect()
}

/// Returns the path of a git hook.
pub(crate) fn hook(root: &Path, name: &str) -> Option<PathBuf> {
    // Uses the settings of the repository, since this runs no programs.
    let path =
        stdout(plain_command(root).args(["rev-parse", "--git-path", &format!("hooks/{name}")]))?;
    Some(root.join(path.trim_end_matches(['\n', '\r'])))
}

/// Returns the diff between a commit and the working tree, or `None` if git fails.
fn diff_with_tree(root: &Path, args: &[&str]) -> Option<String> {
    let mut command = command(root);
    // Git would run the clean filter of a file to compare it.
    for key in filters(root) {
        if key.contains('=') {
            // Such a key cannot be set on the command line.
            return None;
        }
        command.arg("-c").arg(format!("{key}="));
    }
    stdout(command.arg("diff").args(PLAIN_DIFF).args(args))
}

/// Returns the settings of filters that name programs or require them to run.
fn filters(root: &Path) -> Vec<String> {
    let keys = r"^filter\..*\.(clean|smudge|process|required)$";
    let output = git(root, &["config", "--null", "--name-only", "--get-regexp", keys]);
    // Git fails if there are no such settings.
    let output = output.unwrap_or_default();
    output.split('\0').filter(|key| !key.is_empty()).map(str::to_owned).collect()
}

/// Returns the output of a git command, or `None` if it fails.
fn git(root: &Path, args: &[&str]) -> Option<String> {
    stdout(command(root).args(args))
}

fn stdout(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn command(root: &Path) -> Command {
    let mut command = plain_command(root);
    for setting in OVERRIDES {
        command.args(["-c", setting]);
    }
    command
}

/// Like [`command`], but without overrides of settings.
fn plain_command(root: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(root)
        // Do not lock the index, which another git process may be using.
        .args(["--no-optional-locks", "--no-pager"])
        // Do not fetch missing objects in a partial clone.
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "none")
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    command
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
