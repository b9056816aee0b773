//! Reads and writes of whole files for `export` and `import`, with rollback.
//!
//! The writes do not sync the folders; [`Bank::sync`] does after the last one.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::error::UserError;

use super::deletion::sync_folders_of;
use super::{Bank, LOCKFILE, View, files, lockfile, memories, pins};

/// File of the persistent pins.
pub(crate) const PINS: &str = "pins.toml";

/// Size limit of a file in a bank.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Completed write of one file, which can be rolled back if a later one fails.
#[must_use = "the folder of the file is not synced"]
#[derive(Debug)]
pub(crate) enum WriteOp {
    Created(String),
    /// A file that was replaced or removed.
    Changed {
        file: String,
        old: Vec<u8>,
    },
}

impl Bank {
    /// Returns the bytes of a file of the bank as readers see it, if it exists.
    pub(crate) fn bytes(&self, file: &str) -> Result<Option<Vec<u8>>> {
        self.bytes_in(&self.view(), file)
    }

    /// Like [`Bank::bytes`], in a view that was loaded before.
    pub(crate) fn bytes_in(&self, view: &View, file: &str) -> Result<Option<Vec<u8>>> {
        if let Some(shared) = view.shared(file) {
            return Ok(Some(shared.text.clone().into_bytes()));
        }
        if view.is_plain() {
            return self.bytes_at(file);
        }
        match file {
            LOCKFILE => Ok(Some(lockfile::render(&self.anchors()?).into_bytes())),
            _ => match view.path(self, file) {
                Some(path) => files::read(&path, MAX_BYTES),
                None => Ok(None),
            },
        }
    }

    /// Returns the bytes of a file on disk, if it exists.
    pub(super) fn bytes_at(&self, file: &str) -> Result<Option<Vec<u8>>> {
        files::read(&self.regular(file)?, MAX_BYTES)
    }

    /// Syncs the folders that the writes changed, each once. The writes survive a power failure
    /// only after that.
    pub(crate) fn sync(&self, ops: &[WriteOp]) -> Result<()> {
        let mut files = Vec::new();
        for op in ops {
            match op {
                WriteOp::Created(file) | WriteOp::Changed { file, .. } => files.push(file),
            }
        }
        let paths: Vec<PathBuf> = files.iter().map(|file| self.folder().join(file)).collect();
        sync_folders_of(&paths)
    }

    /// Creates files, which must not exist. Adds those that were written to `done`, also if another
    /// fails.
    pub(crate) fn create_files<B: AsRef<[u8]>>(
        &self,
        files: &[(&str, B)],
        done: &mut Vec<WriteOp>,
    ) -> Result<()> {
        let mut writes = files::Writes::new(files.len());
        for (file, bytes) in files {
            if !writes.create(&self.regular(file)?, bytes.as_ref())? {
                return Err(UserError::usage(format!("file `{file}` already exists"))
                    .hint("replace it with `--overwrite`")
                    .into());
            }
            done.push(WriteOp::Created((*file).to_owned()));
        }
        writes.sync()
    }

    /// Replaces the file whose content is `old`.
    pub(crate) fn replace_file(&self, file: &str, bytes: &[u8], old: Vec<u8>) -> Result<WriteOp> {
        files::replace_unsynced(&self.regular(file)?, bytes)?;
        Ok(WriteOp::Changed { file: file.to_owned(), old })
    }

    /// Removes a file.
    pub(crate) fn remove_file(&self, file: &str) -> Result<WriteOp> {
        let old = self.bytes_at(file)?.unwrap_or_default();
        files::remove_unsynced(&self.regular(file)?)?;
        Ok(WriteOp::Changed { file: file.to_owned(), old })
    }

    /// Reverts writes, the last one first.
    pub(crate) fn roll_back(&self, ops: Vec<WriteOp>) -> Result<()> {
        for op in ops.into_iter().rev() {
            match op {
                WriteOp::Created(file) => files::remove(&self.regular(&file)?),
                WriteOp::Changed { file, old } => files::replace(&self.regular(&file)?, &old),
            }
            .context("failed to roll back the changes")?;
        }
        Ok(())
    }

    /// Returns the path of a file in the bank. Fails for a symbolic link or a folder.
    fn regular(&self, file: &str) -> Result<PathBuf> {
        let path = self.inside(file)?;
        if path.is_symlink() || path.is_dir() {
            return Err(UserError::usage(format!(
                "`{file}` in the bank is a symbolic link or a folder"
            ))
            .hint("move it away: memories have to be regular files")
            .into());
        }
        Ok(path)
    }
}

/// Checks that cerberus can read `bytes` as the content of a file of the bank; otherwise returns
/// why not.
pub(crate) fn check_content(file: &str, bytes: &[u8]) -> Result<(), String> {
    match file {
        LOCKFILE => lockfile::decode(bytes).map(drop).map_err(|error| format!("{error:#}")),
        PINS => pins::check(bytes),
        _ if bytes.len() as u64 > memories::MAX_BYTES => {
            let (file, size) = (file.escape_debug(), bytes.len().div_ceil(1024));
            Err(format!("`{file}` has {size} KB, more than the limit of 100 KB"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rolling_back_restores_all_files() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let bank = Bank::new(folder.path().join("bank"));
        bank.create().expect("created");
        let mut ops = Vec::new();
        bank.create_files(&[("old.md", "old"), ("kept.md", "kept")], &mut ops).expect("written");
        let mut ops = Vec::new();
        bank.create_files(&[("deep/new.md", "new")], &mut ops).expect("written");
        ops.push(bank.replace_file("kept.md", b"other", b"kept".to_vec()).expect("written"));
        ops.push(bank.remove_file("old.md").expect("removed"));
        bank.create_files(&[("old.md", "other")], &mut ops).expect("written");
        let again = bank.create_files(&[("old.md", "x")], &mut ops);
        assert!(again.is_err(), "an existing file is not replaced");
        bank.roll_back(ops).expect("rolled back");
        let text = |file: &str| bank.bytes(file).expect("readable");
        assert_eq!(text("old.md").as_deref(), Some(&b"old"[..]));
        assert_eq!(text("kept.md").as_deref(), Some(&b"kept"[..]));
        assert_eq!(text("deep/new.md"), None);
    }

    #[test]
    fn files_that_were_created_before_one_that_failed_can_be_rolled_back() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let bank = Bank::new(folder.path().join("bank"));
        bank.create().expect("created");
        bank.create_files(&[("70.md", "old")], &mut Vec::new()).expect("written");
        // So many that they are synced together, where the system can do that.
        let names: Vec<String> = (0..100).map(|idx| format!("{idx}.md")).collect();
        let files: Vec<(&str, &str)> = names.iter().map(|name| (&name[..], "new")).collect();
        let mut done = Vec::new();
        let error = bank.create_files(&files, &mut done).expect_err("70.md exists");
        assert!(error.to_string().contains("`70.md` already exists"), "{error:#}");
        assert_eq!(done.len(), 70);
        bank.roll_back(done).expect("rolled back");
        assert_eq!(bank.bytes("70.md").expect("readable").as_deref(), Some(&b"old"[..]));
        assert_eq!(bank.bytes("6.md").expect("readable"), None);
    }
}
