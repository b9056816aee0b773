//! What git knows of the tree: the commit it is at, and when files last changed.
//!
//! Asks the `git` command, which is several times faster at this than the libraries
//! and agrees with what the user sees. Without git, or outside a repository, every
//! answer is "unknown". Never changes the repository, and never runs what its own
//! configuration names: a repository may be anybody's.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Result;
use rustc_hash::FxHashMap;

use crate::error::Failure;

/// How far back the history is read. Recency decays by e every 43 days, so that
/// what is older than a year counts nothing.
const HORIZON_SECONDS: i64 = 366 * 24 * 3600;

/// How many commits are read at most: 5,000 take about 0.15 s.
const MAX_COMMITS: u32 = 5_000;

/// How many commits with renames are read at most.
const MAX_RENAMES: u32 = 1_000;

/// Over the settings by which a repository has git run programs of its choice.
const SETTINGS: &[&str] = &[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "log.showSignature=false",
    // A folder of the project that looks like a repository is not taken for one.
    "safe.bareRepository=explicit",
];

/// For each difference that is asked for: without the repository's programs that show one,
/// and without a git of its own in each submodule.
const PLAIN_DIFF: [&str; 3] = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];

/// The commit that is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) id: String,
    /// When it was committed, in seconds since the epoch.
    pub(crate) seconds: i64,
}

/// How many digits of a commit's id are kept: as many as git shows for Linux, whose
/// millions of objects are told apart by them.
const KEPT_DIGITS: usize = 12;

impl Head {
    /// Returns the id as anchors keep it.
    pub(crate) fn kept_id(&self) -> String {
        self.id.chars().take(KEPT_DIGITS).collect()
    }
}

/// Returns the commit that is checked out in the repository around `root`.
pub(crate) fn head(root: &Path) -> Option<Head> {
    let log = git(root, &["log", "-1", "--format=%H %ct"])?;
    let (id, seconds) = log.trim().split_once(' ')?;
    Some(Head { id: id.to_owned(), seconds: seconds.parse().ok()? })
}

/// Returns when each of `wanted` was last committed, in seconds since the epoch;
/// those that did not change within the horizon are left out. At the boundary of a
/// shallow clone every file seems to have changed, so that commit does not count.
pub(crate) fn commit_times<'a>(
    root: &Path,
    head: &Head,
    wanted: impl IntoIterator<Item = &'a str>,
) -> FxHashMap<String, i64> {
    let mut open: FxHashMap<&str, ()> = wanted.into_iter().map(|path| (path, ())).collect();
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
    // The rest of the history is not needed; a log that has ended is not hurt.
    let _ = child.kill();
    let _ = child.wait();
    times
}

/// Returns the files, relative to `root`, that differ between a revision and the
/// working tree, untracked ones with them; fails where git cannot tell.
pub(crate) fn changed_since(root: &Path, revision: &str) -> Result<BTreeSet<String>> {
    let unclear = || {
        Failure::environment(format!("failed to tell what changed since `{revision}`")).hint(
            "name a commit that this clone has; a shallow clone may need `git fetch --unshallow`",
        )
    };
    let commit = format!("{revision}^{{commit}}");
    git(root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])
        .ok_or_else(unclear)?;
    let diff = ["--name-only", "-z", "--no-renames", "--relative", "--end-of-options", revision];
    let tracked = diff_with_tree(root, &[&diff[..], &["--"]].concat()).ok_or_else(unclear)?;
    let untracked =
        git(root, &["ls-files", "--others", "--exclude-standard", "-z"]).ok_or_else(unclear)?;
    let names = tracked.split('\0').chain(untracked.split('\0'));
    Ok(names.filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

/// Returns the files that git sees as renamed between a commit and the working tree,
/// each with its new path, relative to `root`; none where git does not know the commit.
pub(crate) fn renamed_since(root: &Path, commit: &str) -> Option<FxHashMap<String, String>> {
    let diff = ["--name-status", "-z", "-M", "--diff-filter=R", "--relative"];
    let told = diff_with_tree(root, &[&diff[..], &["--end-of-options", commit, "--"]].concat())?;
    Some(parse_renames(&told).map(|(old, new)| (old.to_owned(), new.to_owned())).collect())
}

/// Reads the old and the new paths of `--name-status -z --diff-filter=R`.
fn parse_renames(told: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut fields = told.split('\0');
    std::iter::from_fn(move || {
        let (_, old, new) = (fields.next()?, fields.next()?, fields.next()?);
        Some((old, new))
    })
}

/// Returns the first of the lines `first..=last` of `file`, from 0, that differs from
/// what `old_file` was at `commit`; none where git does not know.
pub(crate) fn first_changed_line(
    root: &Path,
    commit: &str,
    old_file: &str,
    file: &str,
    (first, last): (u32, u32),
) -> Option<u32> {
    let diff = ["-U0", "--no-color", "-M", "--end-of-options", commit, "--"];
    let diff = diff_with_tree(root, &[&diff[..], &[old_file, file]].concat())?;
    // Where a file was renamed there is one diff, else the last one is that of `file`.
    let own = diff.rsplit("\ndiff --git ").next()?;
    let hunks = own.lines().filter_map(hunk);
    hunks
        .filter(|(start, end)| *start <= last && *end > first)
        .map(|(start, _)| start.max(first))
        .min()
}

/// Returns the new paths of the files that were renamed, relative to `root`, by their old
/// ones; of several renames of one path the latest counts.
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
    let told = git(root, &log).unwrap_or_default();
    for (old, new) in parse_renames(&told) {
        found.entry(old.to_owned()).or_insert_with(|| new.to_owned());
    }
    found
}

/// Returns the files that are staged, relative to `root`, with the lines from 0 that
/// change in them, as ends behind the last; of a file that goes there are none.
pub(crate) fn staged(root: &Path) -> Result<BTreeMap<String, Vec<(u32, u32)>>> {
    let unclear = || {
        Failure::environment("failed to ask git what is staged")
            .hint("run it in a git repository; `git status` shows what git sees")
    };
    let staged = [&["diff", "--cached", "--relative"], &PLAIN_DIFF[..]].concat();
    let names = ["--name-only", "-z", "--no-renames"];
    let names = git(root, &[&staged[..], &names].concat()).ok_or_else(unclear)?;
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

/// Reads the new lines of `@@ -1,2 +3,4 @@`; a deletion stands behind the line it names.
fn hunk(line: &str) -> Option<(u32, u32)> {
    let range = line.strip_prefix("@@ ")?.split('+').nth(1)?.split(' ').next()?;
    let (start, n_lines) = range.split_once(',').unwrap_or((range, "1"));
    let (start, n_lines): (u32, u32) = (start.parse().ok()?, n_lines.parse().ok()?);
    let start = start.saturating_sub(1);
    Some((start, start + n_lines.max(1)))
}

/// How a folder stands with git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Standing {
    /// There is no `git` to run.
    NoGit,
    NoRepository,
    /// There is a repository that git does not want to look at, and why.
    Refused(String),
    Repository {
        is_shallow: bool,
    },
}

/// Returns how `root` stands with git.
pub(crate) fn standing(root: &Path) -> Standing {
    let mut asked = command(root);
    asked.args(["rev-parse", "--is-shallow-repository"]).stderr(Stdio::piped());
    let Ok(output) = asked.output() else { return Standing::NoGit };
    if output.status.success() {
        return Standing::Repository { is_shallow: output.stdout.trim_ascii() == b"true" };
    }
    if root.ancestors().any(|folder| folder.join(".git").exists()) {
        let told = String::from_utf8_lossy(&output.stderr);
        let first = told.lines().next().unwrap_or_default().trim_start_matches("fatal: ");
        return Standing::Refused(first.to_owned());
    }
    Standing::NoRepository
}

/// Returns those of `paths` that git ignores, whether or not they are there.
pub(crate) fn ignored(root: &Path, paths: &[&Path]) -> Vec<String> {
    let asked = ["-c", "core.quotePath=false", "check-ignore", "--"];
    let told = command(root).args(asked).args(paths).output().map(|output| output.stdout);
    let told = told.unwrap_or_default();
    String::from_utf8_lossy(&told).lines().map(str::to_owned).collect()
}

/// Returns whether git has a file at `path`, or below it.
pub(crate) fn is_tracked(root: &Path, path: &Path) -> bool {
    let output = command(root).args(["ls-files", "-z", "--"]).arg(path).output();
    output.is_ok_and(|output| !output.stdout.is_empty())
}

/// Returns those of `commits` that the repository does not have; none where git cannot tell.
pub(crate) fn unknown_commits(root: &Path, commits: &BTreeSet<&str>) -> Vec<String> {
    let asked = command(root)
        .args(["cat-file", "--batch-check=%(objectname)"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = asked else { return Vec::new() };
    let lines: String = commits.iter().map(|commit| format!("{commit}\n")).collect();
    // What cannot be asked is not answered.
    let _ = child.stdin.take().map(|mut pipe| pipe.write_all(lines.as_bytes()));
    let told = child.wait_with_output().map(|output| output.stdout).unwrap_or_default();
    let told = String::from_utf8_lossy(&told);
    told.lines().filter_map(|line| line.strip_suffix(" missing")).map(str::to_owned).collect()
}

/// Returns where git looks for a hook.
pub(crate) fn hook(root: &Path, name: &str) -> Option<PathBuf> {
    // Asked with the repository's own setting: telling a path runs nothing.
    let told = printed(plain(root).args(["rev-parse", "--git-path", &format!("hooks/{name}")]))?;
    Some(root.join(told.trim_end_matches(['\n', '\r'])))
}

/// Returns how the working tree differs from a commit, or nothing where git fails.
fn diff_with_tree(root: &Path, args: &[&str]) -> Option<String> {
    let mut command = command(root);
    // To compare a file git would have it cleaned by the program of its filter.
    for key in filters(root) {
        if key.contains('=') {
            // It cannot be set on a command line.
            return None;
        }
        command.arg("-c").arg(format!("{key}="));
    }
    printed(command.arg("diff").args(PLAIN_DIFF).args(args))
}

/// Returns the settings of filters: those that name programs, and whether these must run.
fn filters(root: &Path) -> Vec<String> {
    let keys = r"^filter\..*\.(clean|smudge|process|required)$";
    let told = git(root, &["config", "--null", "--name-only", "--get-regexp", keys]);
    // None at all is a failure of git's.
    let told = told.unwrap_or_default();
    told.split('\0').filter(|key| !key.is_empty()).map(str::to_owned).collect()
}

/// Returns what a git command prints, or nothing where it fails.
fn git(root: &Path, args: &[&str]) -> Option<String> {
    printed(command(root).args(args))
}

fn printed(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn command(root: &Path) -> Command {
    let mut command = plain(root);
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    command
}

/// As [`command`], but by the settings of the repository.
fn plain(root: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(root)
        // Reading must not take the index's lock from a git that is at work.
        .args(["--no-optional-locks", "--no-pager"])
        // What a partial clone lacks is unknown: nothing is fetched, by no protocol.
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
    fn outside_a_repository_nothing_is_known() {
        let folder = tempfile::tempdir().expect("a temp folder");
        assert_eq!(head(folder.path()), None);
    }
}
