//! Read-only checks of the folder of a bank.

use std::fs::OpenOptions;
use std::io::ErrorKind;

use cerberus_model::regular_file;

use super::{Bank, LOCKFILE};

impl Bank {
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
}

#[cfg(test)]
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "tests change permissions")]
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
}
