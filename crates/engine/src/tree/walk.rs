//! Lists the files of a project, respecting its ignore files.
//!
//! Ignore files outside the project, such as the global one of the user, have no effect, so that a
//! commit has the same listing on all machines. Does not read source files.

use std::fs::Metadata;
use std::io::{BufRead, BufReader, Read};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};

use ignore::overrides::OverrideBuilder;
use ignore::{DirEntry, WalkBuilder, WalkState};

use crate::prelude::*;
use crate::syntax::language;
use crate::threads;
use cerberus_model::text::conventions;
use cerberus_model::{UserError, regular_file};

use super::ignore_bytes::IgnoreBytes;

/// Files that the `ignore` crate reads in each folder.
const IGNORE_FILES: &[&str] = &[".gitignore", ".ignore"];
/// File that the crate reads in the folder of each repository.
const EXCLUDE_FILE: &str = "info/exclude";

const MAX_IGNORE_BYTES: u64 = 1024 * 1024;

/// Maximum number of threads of a walk, as in the `ignore` crate: more wait for the disk.
const MAX_THREADS: usize = 12;

/// Listed source file.
#[derive(Debug, Clone)]
pub struct Entry {
    pub path: String,
    pub(crate) language: Language,
}

/// Source files of a project, ordered by path, and warnings about unreadable folders.
#[derive(Debug, Default)]
pub struct Listing {
    pub entries: Vec<Entry>,
    /// Number of files in languages that this build lacks.
    pub lacking: BTreeMap<Language, usize>,
    pub warnings: Vec<String>,
}

impl Listing {
    /// Returns a warning if this build lacks the languages of most source files.
    pub fn lack_warning(&self) -> Option<String> {
        let n_lacking: usize = self.lacking.values().sum();
        (n_lacking > self.entries.len()).then(|| language::lacks("file", &self.lacking))
    }
}

/// Lists the source files in `root`, except those that match a glob in `excludes`.
pub fn walk(root: &Path, excludes: &[String]) -> Result<Listing> {
    walk_with(root, excludes, &|| {})
}

/// Like [`walk`], and calls `report` for each folder. If it panics because the caller is cancelled,
/// the walk stops and the panic continues in this thread.
pub(crate) fn walk_with(
    root: &Path,
    excludes: &[String],
    report: &(dyn Fn() + Sync),
) -> Result<Listing> {
    let (sender, found) = channel();
    let panic = Mutex::new(None);
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
    let (mut builder, ignore_bytes) = builder(root, root, excludes)?;
    let visit = |found: Result<DirEntry, ignore::Error>, sender: &Sender<_>| {
        if found.as_ref().is_ok_and(is_folder)
            && let Err(payload) = catch_unwind(AssertUnwindSafe(report))
        {
            *panic.lock().unwrap_or_else(PoisonError::into_inner) = Some(payload);
            return WalkState::Quit;
        }
        let item = match found {
            Ok(found) => relative_file(root, &found).and_then(listed_file).map(Ok),
            Err(error) => Some(Err(format!("failed to walk: {error}"))),
        };
        // The receiver is alive.
        let _ = item.map(|item| sender.send(item));
        WalkState::Continue
    };
    if threads::can_start(n_threads) {
        builder.threads(n_threads).build_parallel().run(|| {
            let (sender, visit) = (sender.clone(), &visit);
            Box::new(move |found| visit(found, &sender))
        });
    } else {
        let mut states = builder.build().map(|found| visit(found, &sender));
        states.find(|state| matches!(state, WalkState::Quit));
    }
    if let Some(payload) = panic.into_inner().unwrap_or_else(PoisonError::into_inner) {
        resume_unwind(payload);
    }
    ignore_bytes.check()?;
    drop(sender);
    let mut listing = Listing::default();
    for item in found {
        match item {
            Ok(Ok(entry)) => listing.entries.push(entry),
            Ok(Err(language)) => *listing.lacking.entry(language).or_default() += 1,
            Err(warning) => listing.warnings.push(warning),
        }
    }
    listing.entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    listing.warnings.sort_unstable();
    Ok(listing)
}

/// Lists the files in `root` without a supported language, ordered by path. Skips unreadable
/// folders.
pub(crate) fn walk_plain(root: &Path, excludes: &[String]) -> Result<Vec<String>> {
    let mut paths = files(root, excludes)?;
    paths.retain(|path| language::from_path(path).is_none());
    Ok(paths)
}

/// Lists all files in `root` that are not ignored, ordered by path. Skips unreadable folders.
pub fn all_paths(root: &Path) -> Result<Vec<String>> {
    files(root, &[])
}

fn files(root: &Path, excludes: &[String]) -> Result<Vec<String>> {
    let mut paths = listed(root, builder(root, root, excludes)?)?;
    paths.sort_unstable();
    Ok(paths)
}

/// Returns the files of a walk in a folder of `root`.
fn listed(root: &Path, (builder, ignore_bytes): (WalkBuilder, IgnoreBytes)) -> Result<Vec<String>> {
    let found = builder.build().flatten().filter(is_file);
    let paths = found.filter_map(|found| relative(root, &found)).collect();
    ignore_bytes.check()?;
    Ok(paths)
}

/// Returns a walk of `start`, which is `root` or a folder in it, and a count that has to be checked
/// after the walk.
pub(super) fn builder(
    root: &Path,
    start: &Path,
    excludes: &[String],
) -> Result<(WalkBuilder, IgnoreBytes)> {
    let mut overrides = OverrideBuilder::new(root);
    for glob in excludes {
        overrides.add(&format!("!{glob}")).map_err(|error| {
            UserError::usage(format!("invalid exclude glob `{glob}`: {error}"))
                .hint("fix `exclude` under `[anchor]` in `cerberus.toml`")
        })?;
    }
    let overrides = overrides.build().map_err(|error| {
        UserError::usage(format!("failed to compile the exclude globs: {error}"))
            .hint("use fewer or simpler globs in `exclude` under `[anchor]` in `cerberus.toml`")
    })?;
    check_ignore_files(start)?;
    let mut builder = WalkBuilder::new(start);
    builder.require_git(false).git_global(false).follow_links(false).overrides(overrides);
    let ignore_bytes = IgnoreBytes::new(start);
    let counted = ignore_bytes.clone();
    builder.filter_entry(move |found| counted.add(found));
    Ok((builder, ignore_bytes))
}

/// Lists all files in `folder`, relative to `root`, that git does not ignore, hidden ones too.
pub(super) fn unignored(root: &Path, folder: &Path) -> Result<Vec<String>> {
    let start = root.join(folder);
    if !start.is_dir() {
        return Ok(Vec::new());
    }
    let (mut walker, ignore_bytes) = builder(root, &start, &[])?;
    walker.hidden(false).ignore(false);
    listed(root, (walker, ignore_bytes))
}

/// Fails if an ignore file of `folder` or of a folder around it is invalid.
pub(super) fn check_ignore_files(folder: &Path) -> Result<()> {
    let Some(file) = folder.ancestors().find_map(|folder| ignore_bytes(folder).err()) else {
        return Ok(());
    };
    let shown = file.display();
    Err(UserError::usage(format!("`{shown}` is not a regular file of at most 1 MB"))
        .hint(format!("check it with `ls -l {shown}`"))
        .into())
}

/// Returns the size of the ignore files of a folder, or the path of an invalid one. A walk does
/// this for each folder, so it asks for each file once.
pub(super) fn ignore_bytes(folder: &Path) -> Result<u64, PathBuf> {
    let mut n_bytes = 0;
    for name in IGNORE_FILES {
        let file = folder.join(name);
        if let Ok(metadata) = file.metadata() {
            if !is_valid(&metadata) {
                return Err(file);
            }
            n_bytes += metadata.len();
        }
    }
    invalid_exclude_file(folder).map_or(Ok(n_bytes), Err)
}

/// Returns the path of an invalid file on the way to the exclude file of the repository in a
/// folder. In a linked working tree `.git` is a file that names the folder of the repository, as
/// the `ignore` crate resolves it.
fn invalid_exclude_file(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    let metadata = git.metadata().ok()?;
    if metadata.is_dir() {
        return Some(git.join(EXCLUDE_FILE)).filter(|file| is_invalid(file));
    }
    if is_invalid(&git) {
        return Some(git);
    }
    let own = PathBuf::from(first_line(&git)?.strip_prefix("gitdir: ")?);
    let common = own.join("commondir");
    if is_invalid(&common) {
        return Some(common);
    }
    let shared = own.join(first_line(&common)?);
    Some(shared.join(EXCLUDE_FILE)).filter(|file| is_invalid(file))
}

/// Returns the first line of a file that was checked.
fn first_line(file: &Path) -> Option<String> {
    let mut line = String::new();
    let file = regular_file::open(file).ok()?;
    BufReader::new(file.take(MAX_IGNORE_BYTES)).read_line(&mut line).ok()?;
    Some(line.trim_end_matches(['\n', '\r']).to_owned())
}

/// Returns whether an ignore file exists and is invalid.
fn is_invalid(file: &Path) -> bool {
    file.metadata().is_ok_and(|metadata| !is_valid(&metadata))
}

/// Returns whether an ignore file is a regular file and not too large: reading a pipe would never
/// end, and a large file without line breaks would be one huge pattern.
fn is_valid(metadata: &Metadata) -> bool {
    metadata.is_file() && metadata.len() <= MAX_IGNORE_BYTES
}

fn relative_file(root: &Path, found: &DirEntry) -> Option<String> {
    Some(found).filter(|found| is_file(found)).and_then(|found| relative(root, found))
}

/// Returns a source file, or the language that this build lacks.
fn listed_file(path: String) -> Option<Result<Entry, Language>> {
    if conventions::is_bundle(&path) {
        return None;
    }
    match language::from_path(&path) {
        Some(language) => Some(Ok(Entry { path, language })),
        None => language::lacking(&path).map(Err),
    }
}

fn is_folder(found: &DirEntry) -> bool {
    found.file_type().is_some_and(|kind| kind.is_dir())
}

pub(super) fn is_file(found: &DirEntry) -> bool {
    found.file_type().is_some_and(|kind| kind.is_file())
}

/// Returns the path of a file relative to `root`, with `/` between its parts.
pub(super) fn relative(root: &Path, found: &DirEntry) -> Option<String> {
    let relative = found.path().strip_prefix(root).ok()?.to_str()?;
    // Line breaks would corrupt the output and the lock file.
    let is_line = !relative.contains(['\n', '\r']);
    is_line.then(|| relative.replace(std::path::MAIN_SEPARATOR, "/"))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "the test creates files")]

    use super::*;

    #[test]
    fn a_cancelled_caller_stops_the_walk() {
        let folder = tempfile::tempdir().expect("a temp folder");
        for name in ["a", "b", "c"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        let report = || resume_unwind(Box::new("cancelled"));
        let walk = || walk_with(folder.path(), &[], &report);
        let payload = catch_unwind(AssertUnwindSafe(walk)).expect_err("it continues");
        assert_eq!(payload.downcast_ref(), Some(&"cancelled"));
    }
}
