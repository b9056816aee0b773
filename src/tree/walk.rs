//! Lists the source files of a project, honouring its ignore rules.
//!
//! What decides is in the project alone: ignore files above the repository and the
//! user's global ones are left out, so that the same commit lists the same files
//! everywhere. No file itself is looked at.

use std::path::Path;
use std::sync::Mutex;

use anyhow::Result;
use ignore::overrides::OverrideBuilder;
use ignore::{DirEntry, WalkBuilder, WalkState};

use crate::error::UserError;
use crate::model::Language;
use crate::syntax::language;

/// What the library reads of each folder before it walks it, and what else of the first.
const IGNORE_FILES: &[&str] = &[".gitignore", ".ignore"];
const EXCLUDE_FILE: &str = ".git/info/exclude";

const MAX_IGNORE_BYTES: u64 = 1024 * 1024;

/// A source file as the walk met it.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) path: String,
    pub(crate) language: Language,
}

/// The source files of a project, ordered by path, and what could not be walked.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) entries: Vec<Entry>,
    pub(crate) warnings: Vec<String>,
}

/// Lists the source files below `root` but those that a glob of `excludes` matches.
pub(crate) fn walk(root: &Path, excludes: &[String]) -> Result<Listing> {
    let listing = Mutex::new(Listing::default());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let walker = builder(root, root, excludes)?.threads(threads).build_parallel();
    walker.run(|| {
        let mut local = Batch { listing: Listing::default(), all: &listing };
        Box::new(move |found| {
            match found {
                Ok(found) => local.listing.entries.extend(entry(root, &found)),
                Err(error) => local.listing.warnings.push(format!("failed to walk: {error}")),
            }
            WalkState::Continue
        })
    });
    let mut listing = listing.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    listing.entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    listing.warnings.sort_unstable();
    Ok(listing)
}

/// Lists the files below `root` that no grammar reads, ordered by path; what cannot
/// be walked is left out.
pub(crate) fn walk_plain(root: &Path, excludes: &[String]) -> Result<Vec<String>> {
    let found = builder(root, root, excludes)?.build().filter_map(|found| {
        let found = found.ok().filter(|it| it.file_type().is_some_and(|kind| kind.is_file()))?;
        let path = relative(root, &found)?;
        language::from_path(&path).is_none().then_some(path)
    });
    let mut paths: Vec<String> = found.collect();
    paths.sort_unstable();
    Ok(paths)
}

/// Lists all files below `root` that its ignore rules leave, ordered by path; what cannot
/// be walked is left out.
pub(crate) fn all_paths(root: &Path) -> Result<Vec<String>> {
    let found = builder(root, root, &[])?.build().filter_map(|found| {
        let found = found.ok().filter(|it| it.file_type().is_some_and(|kind| kind.is_file()))?;
        relative(root, &found)
    });
    let mut paths: Vec<String> = found.collect();
    paths.sort_unstable();
    Ok(paths)
}

/// Returns a walk below `start`, which is `root` or a folder in it.
pub(super) fn builder(root: &Path, start: &Path, excludes: &[String]) -> Result<WalkBuilder> {
    let mut overrides = OverrideBuilder::new(root);
    for glob in excludes {
        overrides.add(&format!("!{glob}")).map_err(|error| {
            UserError::usage(format!("invalid exclude glob `{glob}`: {error}"))
                .hint("mend `exclude` under `[anchor]` in `cerberus.toml`")
        })?;
    }
    let overrides = overrides.build().map_err(|error| {
        UserError::usage(format!("failed to read the exclude globs: {error}"))
            .hint("write fewer or simpler ones in `exclude` under `[anchor]` in `cerberus.toml`")
    })?;
    check_ignore_files(start)?;
    let mut builder = WalkBuilder::new(start);
    builder.require_git(false).git_global(false).follow_links(false).overrides(overrides);
    builder.filter_entry(has_plain_ignore_files);
    Ok(builder)
}

/// Fails where an ignore file of the folder `root` itself cannot be read.
pub(super) fn check_ignore_files(root: &Path) -> Result<()> {
    let exclude = Some(EXCLUDE_FILE).filter(|name| is_odd(&root.join(name)));
    let Some(name) = odd_ignore_file(root).or(exclude) else { return Ok(()) };
    let shown = root.join(name).display().to_string();
    Err(UserError::usage(format!("`{shown}` is not a regular file of at most 1 MB"))
        .hint(format!("look at it with `ls -l {shown}`"))
        .into())
}

/// Returns whether an entry is no folder with an ignore file that cannot be read.
pub(super) fn has_plain_ignore_files(found: &DirEntry) -> bool {
    !found.file_type().is_some_and(|kind| kind.is_dir()) || odd_ignore_file(found.path()).is_none()
}

/// Returns the ignore file of a folder that cannot be read.
fn odd_ignore_file(folder: &Path) -> Option<&'static str> {
    IGNORE_FILES.iter().copied().find(|name| is_odd(&folder.join(name)))
}

/// Returns whether an ignore file is nothing which a person wrote: of a pipe the library
/// would never see the end, and what has no line ends it would hold as one line.
fn is_odd(file: &Path) -> bool {
    file.metadata().is_ok_and(|it| !it.is_file() || it.len() > MAX_IGNORE_BYTES)
}

/// One thread's finds, handed over when the thread is done.
struct Batch<'a> {
    listing: Listing,
    all: &'a Mutex<Listing>,
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        let mut all = self.all.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        all.entries.append(&mut self.listing.entries);
        all.warnings.append(&mut self.listing.warnings);
    }
}

fn entry(root: &Path, found: &DirEntry) -> Option<Entry> {
    if !found.file_type().is_some_and(|kind| kind.is_file()) {
        return None;
    }
    let path = relative(root, found)?;
    let language = language::from_path(&path)?;
    Some(Entry { path, language })
}

/// Returns the path of a file below `root` with `/` between its parts.
pub(super) fn relative(root: &Path, found: &DirEntry) -> Option<String> {
    let relative = found.path().strip_prefix(root).ok()?.to_str()?;
    if relative.contains(['\n', '\r']) {
        // No line that tells of it could be read, nor the lock that names it.
        return None;
    }
    Some(if std::path::MAIN_SEPARATOR == '/' {
        relative.to_owned()
    } else {
        relative.replace(std::path::MAIN_SEPARATOR, "/")
    })
}
