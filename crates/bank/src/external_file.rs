//! Files outside the bank that the user asked cerberus to write, such as `AGENTS.md`.
//!
//! One rule holds for all of them: a path inside the project is never written through a link to a
//! place outside of it, and no folder is created, except for the settings of agents that `setup`
//! shows first. A file that is updated must be inside the project; a file that is written as a whole,
//! such as an export, may be anywhere else. A file that was edited since it was read is not
//! overwritten.

use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};
use cerberus_model::{UserError, failed_to, refuse};

pub use super::compared::edited;
use super::compared::{self, Change};
use crate::files;

/// Size limit; agents do not read larger instruction files.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// File outside the bank with its current content.
#[derive(Debug)]
pub struct ExternalFile {
    /// Path without links.
    path: PathBuf,
    pub exists: bool,
    pub bytes: Vec<u8>,
}

impl ExternalFile {
    /// Reads the file at `path`, to update it. A missing file is empty. Links inside the project
    /// are followed.
    pub fn open(path: &Path, root: &Path) -> Result<Self> {
        let shown = path.display();
        let is_missing = path.symlink_metadata().is_err();
        let real = if is_missing {
            existing_folder(path)?.join(path.file_name().unwrap_or_default())
        } else {
            path.canonicalize().map_err(|error| {
                UserError::usage(format!("failed to open `{shown}`: {error}"))
                    .hint(format!("show its target with `ls -l {shown}`"))
            })?
        };
        if !real.starts_with(root.canonicalize()?) {
            return refuse(
                format!("`{shown}` is outside the project"),
                "name a file inside the project, such as `AGENTS.md`",
            );
        }
        if !is_missing && !real.is_file() {
            return refuse(
                format!("`{shown}` is not a regular file"),
                "name a file, such as `AGENTS.md`; a missing file is created",
            );
        }
        let read = files::read(&real, MAX_BYTES)?;
        Ok(Self {
            path: real,
            exists: read.is_some(),
            bytes: read.unwrap_or_default(),
        })
    }

    /// Like [`open`](Self::open), but a write creates the missing folders of the file.
    pub fn open_with_folders(path: &Path, root: &Path) -> Result<Self> {
        let folder = files::folder_of(path);
        let mut folders = folder.ancestors();
        let existing = folders.find(|folder| folder.symlink_metadata().is_ok());
        match existing {
            Some(existing) if existing != folder => {
                if !existing.is_dir() {
                    let shown = existing.display();
                    return refuse(
                        format!("`{shown}` is not a folder"),
                        format!("show it with `ls -l {shown}`, and move it away"),
                    );
                }
                let real = existing.canonicalize()?.join(path.strip_prefix(existing)?);
                let is_plain = !path.components().any(|part| part == Component::ParentDir);
                if !is_plain || !real.starts_with(root.canonicalize()?) {
                    let shown = path.display();
                    return refuse(
                        format!("`{shown}` is outside the project"),
                        "a folder on the way is a symbolic link; replace it with a folder",
                    );
                }
                Ok(Self {
                    path: real,
                    exists: false,
                    bytes: Vec::new(),
                })
            }
            _ => Self::open(path, root),
        }
    }

    /// Returns the path without links.
    pub fn real_path(&self) -> &Path {
        &self.path
    }

    /// Atomically writes new content if it differs, and returns whether it did.
    pub fn write(&self, bytes: &[u8]) -> Result<bool> {
        if self.bytes == bytes {
            return Ok(false);
        }
        write_all(&[(self, Some(bytes))])?;
        Ok(true)
    }

    /// Removes the folders of the file below `root` that are empty.
    pub fn remove_empty_folders(&self, root: &Path) -> Result<()> {
        let root = root.canonicalize()?;
        for folder in self.path.ancestors().skip(1) {
            if folder == root || !files::remove_empty_folder(folder) {
                break;
            }
        }
        Ok(())
    }

    fn change<'a>(&'a self, new: Option<&'a [u8]>) -> Change<'a> {
        Change {
            path: &self.path,
            old: self.exists.then_some(&*self.bytes),
            new,
        }
    }

    /// Adds the execute permission for everyone with read permission.
    pub fn make_executable(&self) -> Result<()> {
        files::make_executable(&self.path)
    }
}

/// Writes files in this order, where `None` removes one. Fails without a change if one of them was
/// edited since it was read.
pub fn write_all(files: &[(&ExternalFile, Option<&[u8]>)]) -> Result<()> {
    let changes = files.iter().map(|(file, new)| file.change(*new));
    compared::replace_all(&Vec::from_iter(changes))
}

/// Returns the bytes of a file that cerberus only reads. A missing file is empty.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let real = path.canonicalize().with_context(failed_to("open", path))?;
    Ok(files::read(&real, MAX_BYTES)?.unwrap_or_default())
}

/// Checks that a file that is written as a whole has a folder, and that a path in the project
/// `root` resolves inside of it. Returns the folder without links.
pub(super) fn check_folder(path: &Path, root: &Path) -> Result<PathBuf> {
    let real = existing_folder(path)?;
    let named = without_dots(&std::path::absolute(path)?);
    let root = root.canonicalize()?;
    if named.starts_with(&root) && !real.starts_with(&root) {
        let shown = path.display();
        return refuse(
            format!("`{shown}` is outside the project, because of a symbolic link"),
            "name the target of the link, or a file inside the project",
        );
    }
    Ok(real)
}

/// Returns the folder of a file without links.
fn existing_folder(path: &Path) -> Result<PathBuf> {
    let folder = files::folder_of(path);
    let shown = folder.display();
    if path.file_name().is_none() {
        return refuse(
            format!("`{}` is not a file name", path.display()),
            "name a file, such as `AGENTS.md`",
        );
    }
    if !folder.is_dir() {
        return refuse(
            format!("folder `{shown}` not found"),
            format!("create it with `mkdir -p {shown}`"),
        );
    }
    folder
        .canonicalize()
        .with_context(|| format!("failed to open `{shown}`"))
}

/// Resolves `.` and `..` in an absolute path without following links.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}
