//! Read-only checks of the folder of a bank.
#![expect(clippy::disallowed_methods, reason = "this module owns the bank's files")]

use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;

use anyhow::{Context, Result};
use walkdir::WalkDir;

use cerberus_model::regular_file;

use super::{Bank, INDICES, LOCKFILE, files};

impl Bank {
    /// Checks that the folder can be listed.
    pub fn check_readable(&self) -> Result<()> {
        let shown = self.folder().display();
        std::fs::read_dir(self.folder()).with_context(|| format!("failed to list `{shown}`"))?;
        Ok(())
    }

    /// Returns why the bank is not writable, if that is detectable without writing.
    pub fn unwritable(&self) -> Option<String> {
        let folder = self.folder();
        if folder.metadata().is_ok_and(|metadata| metadata.permissions().readonly()) {
            return Some(format!("`{}` is read-only", folder.display()));
        }
        let probes = [LOCKFILE, ".gitignore", "pins.toml"];
        let found = probes.iter().map(|name| folder.join(name)).find(|path| path.is_file())?;
        // Opening a file for appending does not modify it.
        let error = regular_file::open_with(OpenOptions::new().append(true), &found).err()?;
        let is_refused =
            matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem);
        is_refused.then(|| format!("`{}` is not writable: {error}", found.display()))
    }

    /// Returns the sorted paths of the temporary files of killed processes, relative to the bank.
    /// Returns an empty list while another process is writing.
    pub fn stale_temp_files(&self) -> Vec<String> {
        let lock = regular_file::open(&self.folder().join(INDICES).join("bank.lock"));
        let is_busy = |file: File| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
        if lock.is_ok_and(is_busy) {
            return Vec::new();
        }
        let found = WalkDir::new(self.folder()).follow_links(false).into_iter().flatten();
        let found = found
            .filter(|entry| entry.file_type().is_file() && files::is_temp_name(entry.file_name()));
        let relative = found.filter_map(|entry| {
            Some(entry.path().strip_prefix(self.folder()).ok()?.display().to_string())
        });
        let mut relative: Vec<String> = relative.collect();
        relative.sort_unstable();
        relative
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_read_only_folder_is_reported_as_unwritable() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let bank = Bank::new(folder.path().to_owned());
        assert_eq!(bank.unwritable(), None);
        let set = |mode| {
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(folder.path(), permissions).expect("set");
        };
        set(0o555);
        let reason = bank.unwritable();
        set(0o755);
        assert!(reason.is_some_and(|reason| reason.ends_with("is read-only")));
    }

    #[test]
    fn temporary_files_of_a_running_writer_are_not_stale() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let bank = Bank::new(folder.path().to_owned());
        let guard = bank.lock_for_writing().expect("free");
        std::fs::write(folder.path().join(".cerberus-tmp-0123456789abcdef"), "").expect("a file");
        assert_eq!(bank.stale_temp_files(), [""; 0]);
        drop(guard);
        assert_eq!(bank.stale_temp_files(), [".cerberus-tmp-0123456789abcdef"]);
    }
}
