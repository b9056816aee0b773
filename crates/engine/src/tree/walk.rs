//! Lists the files of a project, respecting its ignore files.
//!
//! The global ignore file of the user has no effect; those of the folders around the project have.
//! Does not read source files.

#![expect(clippy::disallowed_methods, reason = "lists folders")]

use std::fs::{self, DirEntry, Metadata};
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use ignore::WalkBuilder;
use ignore::overrides::{Override, OverrideBuilder};
use rayon::Scope;

use crate::prelude::*;
use crate::syntax::language;
use cerberus_model::text::conventions;
use cerberus_model::{UserError, regular_file};

use super::ignore_bytes::IgnoreBytes;
use super::rules::Rules;

/// Files that the `ignore` crate reads in each folder.
pub(super) const IGNORE_FILES: [&str; 2] = [".gitignore", ".ignore"];
/// File that the crate reads in the folder of each repository.
const EXCLUDE_FILE: &str = "info/exclude";

const MAX_IGNORE_BYTES: u64 = 1024 * 1024;

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
    let root = &root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let overrides = overrides(root, excludes)?;
    check_ignore_files(root)?;
    let walk =
        ParallelWalk { root, overrides, report, ignore_bytes: IgnoreBytes::new(root), sender };
    rayon::scope(|scope| walk.folder(scope, Rules::around(root), root.clone()));
    let ParallelWalk { ignore_bytes, sender, .. } = walk;
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

/// A walk on the threads that the process has. The one of the `ignore` crate starts threads, and if
/// one of them does not start, it panics or waits for ever.
struct ParallelWalk<'a> {
    root: &'a Path,
    overrides: Override,
    report: &'a (dyn Fn() + Sync),
    ignore_bytes: IgnoreBytes,
    /// Gets files, languages that this build lacks, and warnings.
    sender: Sender<Result<Result<Entry, Language>, String>>,
}

impl ParallelWalk<'_> {
    /// Lists a folder, around which there are `rules`, and starts a job for each folder in it.
    fn folder<'s>(&'s self, scope: &Scope<'s>, mut rules: Option<Arc<Rules>>, folder: PathBuf) {
        (self.report)();
        let failed = |error: io::Error| {
            // The receiver is alive.
            let _ = self.sender.send(Err(format!("failed to walk: {}: {error}", folder.display())));
        };
        let Some(entries) = fs::read_dir(&folder).map_err(failed).ok() else { return };
        let entries: Vec<_> = entries.filter_map(|it| it.map_err(failed).ok()).collect();
        let has_rules = |it: &DirEntry| {
            let name = it.file_name();
            name == ".git" || IGNORE_FILES.iter().any(|it| name == *it)
        };
        if entries.iter().any(has_rules) {
            if folder != self.root && !self.ignore_bytes.add(&folder) {
                return;
            }
            rules = Rules::of(&folder, rules);
        }
        for entry in entries {
            let Some(kind) = entry.file_type().map_err(failed).ok() else { continue };
            let path = entry.path();
            if kind.is_file() {
                let file = relative(self.root, &path).and_then(listed_file);
                let file = file.filter(|_| !self.is_ignored(rules.as_deref(), &path, false));
                let _ = file.map(|file| self.sender.send(Ok(file)));
            } else if kind.is_dir() && !self.is_ignored(rules.as_deref(), &path, true) {
                let rules = rules.clone();
                scope.spawn(|scope| self.folder(scope, rules, path));
            }
        }
    }

    fn is_ignored(&self, rules: Option<&Rules>, path: &Path, is_folder: bool) -> bool {
        let excluded = self.overrides.matched(path, is_folder);
        if !excluded.is_none() {
            return excluded.is_ignore();
        }
        let is_hidden =
            || path.file_name().is_some_and(|it| it.as_encoded_bytes().starts_with(b"."));
        rules.and_then(|rules| rules.ignore(path, is_folder)).unwrap_or_else(is_hidden)
    }
}

/// Lists the files in `root` without a supported language, ordered by path. Skips unreadable
/// folders.
pub(crate) fn walk_plain(root: &Path, excludes: &[String]) -> Result<Vec<String>> {
    let mut paths = files(root, excludes)?;
    paths.retain(|path| language::from_path(path).is_none());
    Ok(paths)
}

/// Lists all files in `root` that are neither ignored nor match `excludes`, ordered by path. Skips
/// unreadable folders.
pub fn files(root: &Path, excludes: &[String]) -> Result<Vec<String>> {
    let mut paths = listed(root, builder(root, root, excludes)?)?;
    paths.sort_unstable();
    Ok(paths)
}

/// Returns the files of a walk in a folder of `root`.
fn listed(root: &Path, (builder, ignore_bytes): (WalkBuilder, IgnoreBytes)) -> Result<Vec<String>> {
    let found = builder.build().flatten().filter(is_file);
    let paths = found.filter_map(|found| relative(root, found.path())).collect();
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
    let overrides = overrides(root, excludes)?;
    check_ignore_files(start)?;
    let mut builder = WalkBuilder::new(start);
    builder.require_git(false).git_global(false).follow_links(false).overrides(overrides);
    let ignore_bytes = IgnoreBytes::new(start);
    let counted = ignore_bytes.clone();
    builder.filter_entry(move |found| !is_folder(found) || counted.add(found.path()));
    Ok((builder, ignore_bytes))
}

fn overrides(root: &Path, excludes: &[String]) -> Result<Override> {
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
    Ok(overrides)
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
    exclude_file(folder).map(|_| n_bytes)
}

/// Returns the exclude file of the repository in a folder, or the path of an invalid file on the way to
/// it. In a linked working tree `.git` is a file that names the folder of the repository, as the
/// `ignore` crate resolves it.
pub(super) fn exclude_file(folder: &Path) -> Result<Option<PathBuf>, PathBuf> {
    let valid = |file: PathBuf| if is_invalid(&file) { Err(file) } else { Ok(file) };
    let git = folder.join(".git");
    let Ok(metadata) = git.metadata() else { return Ok(None) };
    if metadata.is_dir() {
        return valid(git.join(EXCLUDE_FILE)).map(Some);
    }
    let line = first_line(&valid(git)?).unwrap_or_default();
    let Some(own) = line.strip_prefix("gitdir: ").map(Path::new) else { return Ok(None) };
    let common = first_line(&valid(own.join("commondir"))?);
    common.map(|common| valid(own.join(common).join(EXCLUDE_FILE))).transpose()
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

pub(super) fn is_folder(found: &ignore::DirEntry) -> bool {
    found.file_type().is_some_and(|kind| kind.is_dir())
}

pub(super) fn is_file(found: &ignore::DirEntry) -> bool {
    found.file_type().is_some_and(|kind| kind.is_file())
}

/// Returns the path of a file relative to `root`, with `/` between its parts.
pub(super) fn relative(root: &Path, path: &Path) -> Option<String> {
    let relative = path.strip_prefix(root).ok()?.to_str()?;
    // Line breaks would corrupt the output and the lock file.
    let is_line = !relative.contains(['\n', '\r']);
    is_line.then(|| relative.replace(std::path::MAIN_SEPARATOR, "/"))
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

    use super::*;

    /// The first one is around the project.
    const FOLDERS: [&str; 7] = ["..", "", "a", "a/b", "b", "b/a", ".h"];

    /// The walk of the crate is the one that lists all files.
    #[test]
    fn the_rules_are_those_of_the_crate() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let root = folder.path().join("around/project");
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        };
        for folder in ["", "a", "a/b", "out", "a/out", ".shown", ".hidden", "a/linked", "deep/a/c"]
        {
            for name in ["x.py", "y.py", "z.py", "a.go", ".h.py", "skip.go", "excluded.py"] {
                write(&format!("{folder}/{name}"), "");
            }
        }
        write("../.gitignore", "/project/a/y.py\nz.py\na{b\n");
        write(".gitignore", "out/\n!.shown\n/x.py\nskip.*\n!a/z.py\n");
        write("a/.gitignore", "*.go\n!out/\n/b/x.py\n");
        write("a/b/.ignore", "!a.go\ny.py\n");
        write("deep/.ignore", "a/c/x.py\n");
        write(".git/info/exclude", "excluded.py\n!y.py\n");
        write("a/linked/.git", &format!("gitdir: {}\n", root.join(".git/worktrees/l").display()));
        write(".git/worktrees/l/commondir", "../..\n");
        for excludes in [Vec::new(), vec!["a/b/**".to_owned(), "**/z.py".to_owned()]] {
            let mut listed = files(&root, &excludes).expect("a listing");
            listed.retain(|path| language::from_path(path).is_some());
            let entries = walk(&root, &excludes).expect("a listing").entries;
            let found: Vec<String> = entries.into_iter().map(|it| it.path).collect();
            assert_eq!(found, listed);
            assert!((5..40).contains(&found.len()), "{found:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn random_rules_are_those_of_the_crate(
            rules in proptest::collection::vec(
                (0..FOLDERS.len(), 0..3_usize, "(!?/?(a|b|x\\.py|\\*|\\*\\*|\\*\\.py|\\.h)(/|/\\*|/\\*\\*|/x\\.py)?\\r?\n){1,4}"),
                0..6,
            )
        ) {
            let folder = tempfile::tempdir().expect("a temp folder");
            let root = folder.path().join("project");
            for folder in FOLDERS {
                let folder = root.join(folder);
                fs::create_dir_all(folder.join(".git/info")).expect("a folder");
                for name in ["x.py", "y.py", ".h.py"] {
                    fs::write(folder.join(name), "").expect("a file");
                }
            }
            for (folder, kind, text) in rules {
                let file = [".gitignore", ".ignore", ".git/info/exclude"][kind];
                fs::write(root.join(FOLDERS[folder]).join(file), text).expect("a file");
            }
            let listed = files(&root, &[]).expect("a listing");
            let listed = listed.into_iter().filter(|it| language::from_path(it).is_some());
            let entries = walk(&root, &[]).expect("a listing").entries;
            let found: Vec<String> = entries.into_iter().map(|it| it.path).collect();
            proptest::prop_assert_eq!(found, listed.collect::<Vec<_>>());
        }
    }

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
