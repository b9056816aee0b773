//! The files people own: memories, `anchors.lock`, `pins.toml`, the trash.
//!
//! A bank is a folder of markdown files. Nothing here rewrites a person's text but
//! the function that was asked to; every write goes to a temporary file beside its
//! target and takes its place in one step. Names never lead out of the folder, and
//! links in it are not followed. Writers take turns by [`Bank::lock_for_writing`].

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::error::UserError;

mod files;
mod foreign;
mod health;
pub(crate) mod lockfile;
pub(crate) mod memories;
pub(crate) mod names;
mod page;
mod pins;
mod portable;
mod trash;

pub(crate) use files::WriteGuard;
pub(crate) use foreign::Foreign;
pub(crate) use memories::Stored;
pub(crate) use page::PageFile;
pub(crate) use pins::PinFile;
pub(crate) use portable::{PINS, Put};

/// The bank's own folders and files.
const INDICES: &str = "indices";
const TRASH: &str = ".trash";
pub(crate) const LOCKFILE: &str = "anchors.lock";

/// What `init` writes for git: only what cannot be made again is committed.
const GITIGNORE: &str = "indices/\n.trash/\n.cerberus-*\n";

/// A folder of memories, which may not exist yet.
#[derive(Debug, Clone)]
pub(crate) struct Bank {
    folder: PathBuf,
}

impl Bank {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn exists(&self) -> bool {
        self.folder.is_dir()
    }

    /// Returns the path of the bank's lock file.
    pub(crate) fn lockfile(&self) -> PathBuf {
        self.folder.join(LOCKFILE)
    }

    /// Makes the folder with its `.gitignore` and returns what was made.
    pub(crate) fn create(&self) -> Result<Vec<PathBuf>> {
        let mut made = Vec::new();
        if !self.exists() {
            files::create_folder(&self.folder)?;
            made.push(self.folder.clone());
        }
        let gitignore = self.folder.join(".gitignore");
        if files::create(&gitignore, GITIGNORE.as_bytes())? {
            made.push(gitignore);
        }
        Ok(made)
    }

    /// Waits for its turn to write and holds it until the guard is dropped.
    pub(crate) fn lock_for_writing(&self) -> Result<WriteGuard> {
        if !self.exists() {
            return Err(self.missing().into());
        }
        let folder = self.inside(INDICES)?;
        files::create_folder(&folder)?;
        let lock = self.inside(&format!("{INDICES}/bank.lock"))?;
        let guard = files::lock(&lock)
            .with_context(|| format!("failed to lock the bank `{}`", self.folder.display()))?;
        // Nobody else writes now, so what a killed writer left is nobody's.
        files::sweep_temporary(&self.folder, usize::MAX);
        // Also where the bank has no `.gitignore`, git is not to see the store.
        files::create(&folder.join(".gitignore"), b"*\n")?;
        Ok(guard)
    }

    /// Returns where a file of the bank is to be written, which is inside the bank
    /// even where a folder on the way is a link.
    fn inside(&self, file: &str) -> Result<PathBuf> {
        let path = self.folder.join(file);
        let existing = path.ancestors().skip(1).find(|folder| folder.exists());
        let real = existing.map(Path::canonicalize).transpose()?;
        let bank = self.folder.canonicalize()?;
        if real.is_some_and(|real| real.starts_with(&bank)) {
            return Ok(path);
        }
        Err(UserError::usage(format!("`{file}` leads out of the bank"))
            .hint("a folder on the way is a link; memories live in the bank itself")
            .into())
    }

    /// Returns the error for a bank that is not there.
    pub(crate) fn missing(&self) -> UserError {
        UserError::usage(format!("there is no bank at `{}`", self.folder.display()))
            .hint("run `cerberus memory init` to make one")
    }
}

/// Writes `text` to `path`, in one step, unless there is a file already; returns whether it did.
pub(crate) fn create_file(path: &Path, text: &str) -> Result<bool> {
    sweep_beside(path);
    files::create(path, text.as_bytes())
}

/// Takes back a file that was written a moment ago.
pub(crate) fn remove_file(path: &Path) -> Result<()> {
    files::remove(path)
}

/// Writes `text` to `path`, in one step, over whatever is there.
pub(crate) fn replace_file(path: &Path, text: &str) -> Result<()> {
    sweep_beside(path);
    files::replace(path, text.as_bytes())
}

/// Removes what killed writers left beside a file outside the bank.
fn sweep_beside(path: &Path) {
    if let Some(folder) = path.parent() {
        // The current folder has no name here.
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        files::sweep_temporary(folder, 1);
    }
}
