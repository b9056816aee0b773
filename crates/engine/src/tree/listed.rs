//! The files of a project: those that git lists, or without git those of a walk.
//!
//! A name is that of git: bytes relative to the root with `/` between its parts. A path is a name that
//! is UTF-8 and one line, because a line break would corrupt the output and the lock file. It has
//! no backslash, which separates folders on other systems.

#![expect(clippy::disallowed_methods, reason = "lists files")]

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use anyhow::Result;
use cerberus_model::file_stat::FileStat;
use rayon::iter::{IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};
use rustc_hash::FxHashSet;

use super::excludes::Excludes;
use super::folder_walk::{self, WalkOptions};
use super::git::{self, GitFiles};

/// The names of files, sorted, and warnings about what is missing.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) names: Vec<Vec<u8>>,
    /// The folders with the state of tools, each with a slash at its end.
    pub(super) tool_folders: Vec<Vec<u8>>,
    pub(super) warnings: Vec<String>,
    /// Why git did not list the files of its repository.
    pub(super) failure: Option<String>,
}

/// A regular file of the project.
pub(super) struct ListedFile {
    pub(super) name: Vec<u8>,
    pub(super) stat: FileStat,
}

/// A file of which it is not known whether it exists, with the reason: its folder has no permission.
pub(super) struct UnreadFile {
    pub(super) name: Vec<u8>,
    why: String,
}

/// The regular files of the project, sorted by name.
#[derive(Default)]
pub(super) struct ListedFiles {
    pub(super) files: Vec<ListedFile>,
    pub(super) unread: Vec<UnreadFile>,
}

impl ListedFiles {
    /// Returns a warning for each folder with files that may exist.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut folders: BTreeSet<&[u8]> = BTreeSet::new();
        let mut warnings = Vec::new();
        for UnreadFile { name, why } in &self.unread {
            if folders.insert(folders_of(name).last().unwrap_or_default()) {
                warnings.push(format!("failed to read `{}`: {why}", shown(name)));
            }
        }
        warnings
    }
}

/// Returns the files in `root`, which is resolved. `report` may panic because the caller is cancelled.
pub(super) fn names(root: &Path, excludes: &Excludes, report: &(dyn Fn() + Sync)) -> Result<Names> {
    report();
    let failure = match git::files(root, Path::new("")) {
        GitFiles::Listed {
            mut names,
            tool_folders,
            warnings,
        } => {
            report();
            excludes.retain(root, &mut names);
            return Ok(Names {
                names,
                tool_folders,
                warnings,
                failure: None,
            });
        }
        GitFiles::NoRepository => None,
        GitFiles::Failed(why) => Some(format!("git did not list the files: {why}")),
    };
    let is_in_repository = git::is_in_repository(root);
    let options = WalkOptions {
        excludes,
        includes_hidden: false,
        is_in_repository,
        report,
    };
    let mut names = folder_walk::walk(root, root, &options)?;
    names.failure = failure;
    Ok(names)
}

/// Returns those of `names` that are regular files in `root` and not behind a symbolic link.
pub(super) fn regular_files(root: &Path, names: Vec<Vec<u8>>) -> ListedFiles {
    let links = linked_folders(root, &names);
    let stat = |name: &Vec<u8>| {
        if !links.is_empty() && folders_of(name).any(|folder| links.contains(folder)) {
            return None;
        }
        Some(fs::symlink_metadata(path(root, name)))
    };
    let stats: Vec<Option<io::Result<Metadata>>> = names.par_iter().map(stat).collect();
    let mut found = ListedFiles::default();
    for (name, stat) in names.into_iter().zip(stats) {
        match stat {
            Some(Ok(stat)) if stat.is_file() => {
                found.files.push(ListedFile {
                    name,
                    stat: FileStat::new(&stat),
                });
            }
            Some(Err(error)) if !is_missing(&error) => {
                found.unread.push(UnreadFile {
                    name,
                    why: error.to_string(),
                });
            }
            // Git lists a tracked file that was removed, links and nested repositories too.
            _ => {}
        }
    }
    found
}

/// Returns whether a path does not exist, as a file in a folder that is a file now.
pub(super) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Returns the folders of `names` that are symbolic links: git lists a tracked file of a folder that
/// was replaced by one, as it lists other tracked files that are missing.
fn linked_folders<'n>(root: &Path, names: &'n [Vec<u8>]) -> FxHashSet<&'n [u8]> {
    let mut folders: FxHashSet<&[u8]> = FxHashSet::default();
    for name in names {
        let mut end = name.len();
        while let Some(slash) = name[..end].iter().rposition(|byte| *byte == b'/') {
            end = slash;
            if !folders.insert(&name[..end]) {
                break;
            }
        }
    }
    let is_link = |folder: &&[u8]| path(root, folder).is_symlink();
    let folders: Vec<&[u8]> = folders.into_iter().collect();
    folders.into_par_iter().filter(is_link).collect()
}

/// Returns the folders around a file, outermost first.
fn folders_of(name: &[u8]) -> impl Iterator<Item = &[u8]> {
    let slashes = name.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    slashes.map(|(end, _)| &name[..end])
}

/// Returns the path that a name is, if it is one.
pub(super) fn path_of(name: &[u8]) -> Option<&str> {
    std::str::from_utf8(name)
        .ok()
        .filter(|path| !path.contains(['\n', '\r', '\\']))
}

/// Returns a name as it is shown to people.
pub(super) fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name).replace(['\n', '\r'], "\u{FFFD}")
}

/// Returns why a name is not a path.
pub(super) fn why_unnamed(name: &[u8]) -> &'static str {
    match std::str::from_utf8(name) {
        Ok(name) if name.contains('\\') => "its name has a backslash",
        Ok(_) => "its name has a line break",
        Err(_) => "its name is not UTF-8",
    }
}

/// Returns the full path of a name.
pub(super) fn path(root: &Path, name: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        root.join(std::ffi::OsStr::from_bytes(name))
    }
    #[cfg(not(unix))]
    {
        root.join(String::from_utf8_lossy(name).as_ref())
    }
}
