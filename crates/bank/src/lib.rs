//! The files of the user: memories, `anchors.lock`, `pins.toml`, the trash.
//!
//! A bank is a folder of markdown files. All writes are atomic: a temporary file replaces its
//! target. Paths never resolve outside of the folder, and symbolic links in it are not followed.
//! [`Bank::lock_for_writing`] allows one writer at a time.
//!
//! [`ops`] has the operations that commands and the tools of MCP share.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use cerberus_model::{UserError, failed_to, refuse};

mod acceptance;
mod compared;
mod deleted_items;
mod deletion;
pub mod external_file;
mod files;
#[cfg(any(fuzzing, test))]
#[path = "../../../tests/fuzz/properties/bank.rs"]
pub mod fuzz;
mod import;
pub mod lockfile;
mod lookup;
pub mod memories;
mod memory_file;
mod names;
pub mod ops;
mod output_file;
mod pins;
mod project;
mod supersession;
mod sync;
pub mod tokens;
pub mod toml_table;
mod trash;
mod view;
mod workspace;

pub use acceptance::PROPOSED_BY;
pub use external_file::ExternalFile;
pub use files::WriteGuard;
pub use import::ImportChanges;
pub use memory_file::MemoryFile;
pub use output_file::OutputFile;
pub(crate) use pins::PinFile;
pub(crate) use view::View;
pub use workspace::{Locked, Workspace};

/// Folders and files of the bank that are not memories.
const INDICES: &str = "indices";
const TRASH: &str = ".trash";
/// The file with the anchors.
pub const LOCKFILE: &str = "anchors.lock";

/// The `.gitignore` that `init` writes. Files that can be rebuilt are not committed.
const GITIGNORE: &str = "indices/\n.trash/\n.cerberus-tmp-*\n";

/// Folder of memories, which may not exist yet.
#[derive(Debug, Clone)]
pub struct Bank {
    folder: PathBuf,
    /// The agent that writes, if it is not a person.
    agent: Option<String>,
}

impl Bank {
    /// Returns the bank in a folder.
    pub fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            agent: None,
        }
    }

    /// Returns the folder of the bank.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns whether the folder exists.
    pub fn exists(&self) -> bool {
        self.folder.is_dir()
    }

    /// Returns the path of a memory below `root`, or as it is if it is elsewhere.
    pub fn shown_path(&self, file: &str, root: &Path) -> String {
        let path = self.folder.join(file);
        path.strip_prefix(root)
            .unwrap_or(&path)
            .display()
            .to_string()
    }

    /// Returns the path of `anchors.lock`.
    pub fn lockfile(&self) -> PathBuf {
        self.folder.join(LOCKFILE)
    }

    /// Creates the folder and its `.gitignore`, and returns the created paths.
    pub fn create(&self) -> Result<Vec<PathBuf>> {
        let mut created = Vec::new();
        if !self.exists() {
            files::create_folder(&self.folder)?;
            created.push(self.folder.clone());
        }
        let gitignore = self.folder.join(".gitignore");
        if files::create(&gitignore, GITIGNORE.as_bytes())? {
            created.push(gitignore);
        }
        Ok(created)
    }

    /// Waits for the exclusive lock for writing, which the guard holds until it is dropped.
    pub fn lock_for_writing(&self) -> Result<WriteGuard> {
        if !self.exists() {
            return Err(self.missing().into());
        }
        let folder = self.inside(INDICES)?;
        files::create_folder(&folder)?;
        let lock = self.inside(&format!("{INDICES}/bank.lock"))?;
        let guard = files::lock(&lock).with_context(failed_to("lock the bank", &self.folder))?;
        // No other process writes now, so all temporary files are stale.
        files::remove_stale_temp_files(&self.folder, usize::MAX, Duration::ZERO);
        // Git must ignore the store even if the bank has no `.gitignore`.
        files::create(&folder.join(".gitignore"), b"*\n")?;
        self.complete_deletion()?;
        Ok(guard)
    }

    /// Returns the path of a file in the bank. Fails if a symbolic link on the way resolves
    /// outside of the bank.
    fn inside(&self, file: &str) -> Result<PathBuf> {
        let path = self.folder.join(file);
        let existing = path.ancestors().skip(1).find(|folder| folder.exists());
        let real = existing.map(Path::canonicalize).transpose()?;
        let bank = self.folder.canonicalize()?;
        if real.is_some_and(|real| real.starts_with(&bank)) {
            return Ok(path);
        }
        refuse(
            format!("`{file}` is outside the bank"),
            "a folder on the way is a symbolic link; replace it with a folder",
        )
    }

    /// Returns the error for a missing bank.
    pub fn missing(&self) -> UserError {
        UserError::usage(format!("no bank found at `{}`", self.folder.display()))
            .hint("run `cerberus memory init` to create one")
    }
}

/// Creates the file `path` with `text`; returns false if the file exists.
pub fn create_file(path: &Path, text: &str) -> Result<bool> {
    files::remove_stale_temp_files(files::folder_of(path), 1, files::MAX_EMPTY_AGE);
    files::create(path, text.as_bytes())
}

/// Removes a file that was just created.
pub fn remove_file(path: &Path) -> Result<()> {
    files::remove(path)
}
