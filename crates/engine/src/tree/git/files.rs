//! The files that git lists in a folder.

use std::collections::BTreeSet;
use std::fs::{self, FileType};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::listing::{self, ALL_FIELDS, ListedRecord, records};
use super::process::{Failure, Git};
use super::repository::Repository;
use crate::tree::ignore_rules::GIT_IGNORE_FILE;

/// Settings of the user that must not decide which files a project has.
pub(super) const WITHOUT_USER_RULES: [&str; 2] = ["-c", "core.excludesFile=/dev/null"];

/// Start of the warning about a folder that git could not read.
const UNREAD_FOLDER: &str = "warning: could not open directory '";

/// The file in the root of a virtual environment of Python, which has the code of installed packages.
const ENVIRONMENT_FILE: &[u8] = b"pyvenv.cfg";

/// Maximum number of folders that are searched for an ignore file that blocks git.
const MAX_SEARCHED: usize = 100_000;

/// Answer of git about the files of a folder.
pub(in crate::tree) enum GitFiles {
    Listed {
        /// Names relative to the root with `/` between their parts, sorted. An untracked name that
        /// ends with `/` is a nested repository. A tracked file may be missing.
        names: Vec<Vec<u8>>,
        /// The folders of which git tracks no file and that are hidden or virtual environments, each with
        /// a slash at its end: a tool stores its state or the code of others there.
        tool_folders: Vec<Vec<u8>>,
        /// Why folders could not be listed.
        warnings: Vec<String>,
    },
    /// The folder is not in the working tree of a repository.
    NoRepository,
    /// Why git does not list the files of its repository.
    Failed(String),
}

/// Returns the files in `folder`, relative to `root`: tracked ones, and untracked ones by the ignore
/// files of the working tree and the exclude file of the repository. The ignore file of the user has
/// no effect.
pub(in crate::tree) fn files(root: &Path, folder: &Path) -> GitFiles {
    let mut args: Vec<String> = Vec::new();
    if folder != Path::new("") {
        args.push("--".to_owned());
        args.push(format!(":(literal){}", folder.display()));
    }
    match listed(root, &["-z", "-t"], &args) {
        Ok((output, messages)) => files_of(root, folder, &records(&output, false), &messages),
        Err(failed) => failed,
    }
}

/// Like [`files`], of the whole project. Stores the entries of the index, for the next question about them.
pub(in crate::tree) fn files_with_index(root: &Path) -> GitFiles {
    let repository = Repository::at(root);
    let stat = repository.index_stat();
    match listed(root, &ALL_FIELDS, &[]) {
        Ok((output, messages)) => {
            let records = records(&output, true);
            if let Some(entries) = listing::entries(&records) {
                repository.store_index(stat, entries);
            }
            files_of(root, Path::new(""), &records, &messages)
        }
        Err(failed) => failed,
    }
}

/// Returns the output of git about the files of a project, and its messages.
fn listed(root: &Path, fields: &[&str], folder: &[String]) -> Result<(Vec<u8>, String), GitFiles> {
    let mut args = WITHOUT_USER_RULES.to_vec();
    args.push("ls-files");
    args.extend(fields);
    args.extend(["--cached", "--others", "--exclude-standard"]);
    args.extend(folder.iter().map(String::as_str));
    let obstacle = |root: &Path, is_ended: &AtomicBool| match blocking_ignore_file(root, is_ended) {
        Some(file) => Some(format!("`{}` is not a regular file", file.display())),
        None if is_ended.load(Ordering::Relaxed) => None,
        None => Git::silence(root),
    };
    let answer = Git::new(root, args).listing(obstacle);
    answer.map_err(|failure| match failure {
        _ if !super::is_in_repository(root) => GitFiles::NoRepository,
        Failure::NotInstalled => GitFiles::Failed("it is not installed".to_owned()),
        Failure::Refused(why) => GitFiles::Failed(why),
    })
}

fn files_of(root: &Path, folder: &Path, records: &[ListedRecord<'_>], messages: &str) -> GitFiles {
    let Some(listed) = names_of(records) else {
        return GitFiles::Failed("the index is damaged".to_owned());
    };
    let is_empty = listed.tracked.is_empty() && listed.untracked.is_empty();
    if is_empty && folder == Path::new("") && is_root_ignored(root) {
        return GitFiles::NoRepository;
    }
    let tool_folders = tool_folders(&listed);
    let mut names = listed.tracked;
    names.extend(listed.untracked);
    names.sort_unstable();
    let mut warnings = Vec::new();
    for line in messages.lines() {
        // The folder is in quotes and ends with a slash.
        if let Some((folder, why)) = line
            .strip_prefix(UNREAD_FOLDER)
            .and_then(|rest| rest.rsplit_once("/': "))
        {
            warnings.push(format!("failed to walk: {folder}: {why}"));
        }
    }
    GitFiles::Listed {
        names,
        tool_folders,
        warnings,
    }
}

/// The names that git lists.
#[derive(Default)]
struct Records {
    /// Sorted, each once.
    tracked: Vec<Vec<u8>>,
    untracked: Vec<Vec<u8>>,
}

/// Returns the names of records, or `None` if the index has something other than a file: git reads the
/// missing end of an index as zeros.
fn names_of(records: &[ListedRecord<'_>]) -> Option<Records> {
    let mut found = Records::default();
    for record in records {
        match record.kind {
            b'?' => found.untracked.push(record.name.to_vec()),
            _ if record.name.is_empty() || record.name.ends_with(b"/") => return None,
            _ => found.tracked.push(record.name.to_vec()),
        }
    }
    // Git lists a file with a merge conflict once for each of its versions.
    found.tracked.sort_unstable();
    found.tracked.dedup();
    Some(found)
}

/// Returns the folders of untracked files that are hidden or virtual environments, if git tracks no file
/// in them.
fn tool_folders(listed: &Records) -> Vec<Vec<u8>> {
    let mut folders: BTreeSet<&[u8]> = BTreeSet::new();
    for name in &listed.untracked {
        folders.extend(name.strip_suffix(ENVIRONMENT_FILE));
        let mut start = 0;
        while let Some(len) = name[start..].iter().position(|byte| *byte == b'/') {
            let end = start + len + 1;
            if name[start] == b'.' {
                folders.insert(&name[..end]);
            }
            start = end;
        }
    }
    let mut found: Vec<Vec<u8>> = Vec::new();
    for folder in folders {
        let first = listed
            .tracked
            .partition_point(|name| name.as_slice() < folder);
        let tracked = listed.tracked.get(first);
        let is_tracked = tracked.is_some_and(|name| name.starts_with(folder));
        // The folders are sorted, so the one around a folder precedes it.
        let is_inside = found.last().is_some_and(|outer| folder.starts_with(outer));
        if !is_tracked && !is_inside && folder.ends_with(b"/") {
            found.push(folder.to_vec());
        }
    }
    found
}

/// Returns one of `paths` that git tracks and a sparse checkout omits.
pub(crate) fn omitted<'p>(root: &Path, paths: impl Iterator<Item = &'p str>) -> Option<String> {
    let mut args: Vec<String> = ["ls-files", "-z", "-t", "--"].map(str::to_owned).to_vec();
    args.extend(paths.map(|path| format!(":(literal){path}")));
    let listed = Git::new(root, args).text()?;
    let omitted = listed
        .split('\0')
        .find_map(|record| record.strip_prefix("S "));
    omitted.map(str::to_owned)
}

/// Returns whether a repository around `root` ignores all of it: the project is not a part of that
/// repository then.
fn is_root_ignored(root: &Path) -> bool {
    if root.join(".git").symlink_metadata().is_ok() {
        // The project is the repository, whose own rules may ignore all of its files.
        return false;
    }
    let args = WITHOUT_USER_RULES
        .into_iter()
        .chain(["check-ignore", "--quiet", "."]);
    Git::new(root, args).output().is_ok()
}

/// Returns an ignore file in `root` that blocks a process that opens it, such as a named pipe. The search
/// ends when `is_ended` is set.
fn blocking_ignore_file(root: &Path, is_ended: &AtomicBool) -> Option<PathBuf> {
    let mut folders = vec![root.to_owned()];
    let mut n_searched = 0;
    while let Some(folder) = folders.pop() {
        n_searched += 1;
        if n_searched > MAX_SEARCHED || is_ended.load(Ordering::Relaxed) {
            return None;
        }
        #[expect(clippy::disallowed_methods, reason = "lists folders, reads no file")]
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() && entry.file_name() != ".git" {
                folders.push(entry.path());
            } else if entry.file_name() == GIT_IGNORE_FILE && is_blocking(kind) {
                return Some(entry.path());
            }
        }
    }
    None
}

fn is_blocking(kind: FileType) -> bool {
    !kind.is_file() && !kind.is_dir() && !kind.is_symlink()
}
