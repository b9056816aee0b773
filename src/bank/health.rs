//! How the folder of a bank itself is, told without writing to it.
#![expect(clippy::disallowed_methods, reason = "this module owns the bank's files")]

use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;

use anyhow::{Context, Result};
use walkdir::WalkDir;

use super::{Bank, INDICES, LOCKFILE, files};

impl Bank {
    /// Checks that the folder is one, and can be listed.
    pub(crate) fn check_readable(&self) -> Result<()> {
        let shown = self.folder().display();
        std::fs::read_dir(self.folder()).with_context(|| format!("failed to list `{shown}`"))?;
        Ok(())
    }

    /// Returns why nothing can be written to the bank, if that can be seen. Opening a
    /// file for writing changes nothing of it.
    pub(crate) fn unwritable(&self) -> Option<String> {
        let folder = self.folder();
        if folder.metadata().is_ok_and(|it| it.permissions().readonly()) {
            return Some(format!("`{}` is read-only", folder.display()));
        }
        let probes = [LOCKFILE, ".gitignore", "pins.toml"];
        let found = probes.iter().map(|name| folder.join(name)).find(|path| path.is_file())?;
        let error = OpenOptions::new().append(true).open(&found).err()?;
        let is_refused =
            matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem);
        is_refused.then(|| format!("`{}` cannot be written: {error}", found.display()))
    }

    /// Returns the temporary files that killed writers left, from the bank's folder and in
    /// order; none while somebody is writing.
    pub(crate) fn leftovers(&self) -> Vec<String> {
        let turn = File::open(self.folder().join(INDICES).join("bank.lock"));
        let is_busy = |file: File| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
        if turn.is_ok_and(is_busy) {
            return Vec::new();
        }
        let found = WalkDir::new(self.folder()).follow_links(false).into_iter().flatten();
        let found = found.filter(|entry| {
            entry.file_type().is_file()
                && entry.file_name().to_string_lossy().starts_with(files::TEMPORARY)
        });
        let inside = found.filter_map(|entry| {
            Some(entry.path().strip_prefix(self.folder()).ok()?.display().to_string())
        });
        let mut inside: Vec<String> = inside.collect();
        inside.sort_unstable();
        inside
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_folder_that_is_read_only_is_seen() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let bank = Bank::new(folder.path().to_owned());
        assert_eq!(bank.unwritable(), None);
        let set = |mode| {
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(folder.path(), permissions).expect("set");
        };
        set(0o555);
        let told = bank.unwritable();
        set(0o755);
        assert!(told.is_some_and(|told| told.ends_with("is read-only")));
    }

    #[test]
    fn what_a_writer_is_at_is_no_leftover() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let bank = Bank::new(folder.path().to_owned());
        let guard = bank.lock_for_writing().expect("free");
        std::fs::write(folder.path().join(".cerberus-x"), "").expect("a file");
        assert_eq!(bank.leftovers(), [""; 0]);
        drop(guard);
        assert_eq!(bank.leftovers(), [".cerberus-x"]);
    }
}
