//! Atomic writes, locks and bounded reads.
#![expect(clippy::disallowed_methods, reason = "this module owns the bank's files")]

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use tempfile::{Builder, NamedTempFile};
use walkdir::WalkDir;

use crate::error::UserError;
use crate::file_stat::FileStat;
use crate::regular_file;

/// Maximum time to wait for another writer.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// Time between attempts to get the lock.
const PAUSE: Duration = Duration::from_millis(20);

/// Size limit of the process id in a lock file.
const MAX_HOLDER_BYTES: u64 = 32;

/// Exclusive lock, held until it is dropped.
#[derive(Debug)]
pub(crate) struct WriteGuard {
    _file: File,
}

/// Returns the stat of a file, if it exists. Fails if it is not a regular file: a repository may
/// contain symbolic links to any target, or pipes.
fn stat(path: &Path) -> Result<Option<FileStat>> {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_file() => Ok(Some(FileStat::new(&metadata))),
        Ok(_) => {
            let shown = path.display();
            Err(UserError::usage(format!("`{shown}` is not a regular file"))
                .hint(format!("check it with `ls -l {shown}`, and remove it if it is not yours"))
                .into())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("failed to read `{}`", path.display())),
    }
}

/// Waits for the exclusive lock on the file at `path`.
pub(super) fn lock(path: &Path) -> Result<WriteGuard> {
    stat(path)?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let mut file = regular_file::open_with(&options, path)
        .with_context(|| format!("failed to open `{}`", path.display()))?;
    let mut waited = Duration::ZERO;
    loop {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::WouldBlock) if waited < LOCK_TIMEOUT => {
                std::thread::sleep(PAUSE);
                waited += PAUSE;
            }
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // Not every platform allows reading a locked file.
                let _ = Read::by_ref(&mut file).take(MAX_HOLDER_BYTES).read_to_string(&mut holder);
                let holder = holder.trim();
                return Err(UserError::environment(format!(
                    "the bank is locked by process {holder}"
                ))
                .hint("wait for that process to finish, or stop it, and try again")
                .into());
            }
            Err(TryLockError::Error(error)) => {
                return Err(UserError::environment(format!(
                    "failed to lock `{}`: {error}",
                    path.display()
                ))
                .hint("if the file system does not support locks, store the bank in your home directory: `storage_strategy = \"user\"` under `[memory]` in `cerberus.toml`")
                .into());
            }
        }
    }
    // The process id is for the error message only.
    let _ = file
        .set_len(0)
        .and_then(|()| file.rewind())
        .and_then(|()| write!(file, "{}", std::process::id()));
    Ok(WriteGuard { _file: file })
}

pub(super) fn create_folder(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path)
        .with_context(|| format!("failed to create the folder `{}`", path.display()))
}

/// Creates a file and returns true, or returns false if it exists.
pub(super) fn create(path: &Path, bytes: &[u8]) -> Result<bool> {
    if path.exists() {
        return Ok(false);
    }
    let file = temp_file(path, bytes)?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(true),
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => {
            Err(error.error).with_context(|| format!("failed to write `{}`", path.display()))
        }
    }
}

/// Atomically writes a file, replacing an existing one.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let file = temp_file(path, bytes)?;
    if let Ok(metadata) = path.metadata() {
        // The new file has the permissions of the old one.
        let _ = file.as_file().set_permissions(metadata.permissions());
    }
    file.persist(path)
        .map_err(|error| error.error)
        .with_context(|| format!("failed to write `{}`", path.display()))?;
    Ok(())
}

/// Prefix of the names of temporary files.
pub(super) const TEMP_PREFIX: &str = ".cerberus-";

/// Removes the temporary files of killed processes in a folder, at most `max_depth` levels deep.
/// Temporary files in use are locked and remain.
pub(super) fn remove_stale_temp_files(folder: &Path, max_depth: usize) {
    let entries = WalkDir::new(folder).max_depth(max_depth).follow_links(false).into_iter();
    for entry in entries.flatten() {
        let is_temporary = entry.file_name().as_encoded_bytes().starts_with(TEMP_PREFIX.as_bytes());
        if is_temporary && entry.file_type().is_file() {
            let file = regular_file::open(entry.path());
            if file.is_ok_and(|file| file.try_lock().is_ok()) {
                // A remaining file is harmless.
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

fn temp_file(path: &Path, bytes: &[u8]) -> Result<NamedTempFile> {
    let context = || format!("failed to write `{}`", path.display());
    let folder = path.parent().context("a file has a folder")?;
    create_folder(folder)?;
    let mut builder = Builder::new();
    builder.prefix(TEMP_PREFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The umask of the user applies to it.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder).with_context(context)?;
    // Without locks, stale files are not removed either.
    let _ = file.as_file().lock();
    file.write_all(bytes).with_context(context)?;
    file.as_file().sync_all().with_context(context)?;
    Ok(file)
}

pub(super) fn read(path: &Path, max_bytes: u64) -> Result<Option<Vec<u8>>> {
    Ok(read_with_stat(path, max_bytes)?.map(|(bytes, _)| bytes))
}

/// Returns the bytes of a file and its stat before reading, if it exists.
pub(super) fn read_with_stat(path: &Path, max_bytes: u64) -> Result<Option<(Vec<u8>, FileStat)>> {
    let context = || format!("failed to read `{}`", path.display());
    let Some(stat) = stat(path)? else { return Ok(None) };
    let file = match regular_file::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(context),
    };
    let mut bytes = Vec::new();
    file.take(max_bytes + 1).read_to_end(&mut bytes).with_context(context)?;
    if bytes.len() as u64 > max_bytes {
        return Err(UserError::usage(format!(
            "`{}` is larger than {} KB",
            path.display(),
            max_bytes / 1024
        ))
        .hint("split it")
        .into());
    }
    Ok(Some((bytes, stat)))
}

/// Returns the first bytes of a file, at most `max_bytes`.
pub(super) fn head(path: &Path, max_bytes: u64) -> Result<Vec<u8>> {
    let context = || format!("failed to read `{}`", path.display());
    let mut bytes = Vec::new();
    let file = regular_file::open(path).with_context(context)?;
    file.take(max_bytes).read_to_end(&mut bytes).with_context(context)?;
    Ok(bytes)
}

pub(super) fn rename(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        create_folder(folder)?;
    }
    std::fs::rename(from, to)
        .with_context(|| format!("failed to move `{}` to `{}`", from.display(), to.display()))
}

pub(super) fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("failed to remove `{}`", path.display()))
        }
        _ => Ok(()),
    }
}

/// Adds the execute permission for everyone with read permission. Does nothing on Windows.
pub(super) fn make_executable(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let context = || format!("failed to make `{}` executable", path.display());
        let mut permissions = path.metadata().with_context(context)?.permissions();
        let mode = permissions.mode();
        permissions.set_mode(mode | ((mode & 0o444) >> 2));
        std::fs::set_permissions(path, permissions).with_context(context)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn create_does_not_overwrite_and_replace_preserves_permissions() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let path = folder.path().join("deep/a.md");
        assert!(create(&path, b"one").expect("written"));
        assert!(!create(&path, b"two").expect("unchanged"));
        assert_eq!(std::fs::read_to_string(&path).expect("readable"), "one");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).expect("set");
            replace(&path, b"three").expect("replaced");
            let mode = path.metadata().expect("there").permissions().mode();
            assert_eq!(mode & 0o777, 0o640);
        }
        let left: Vec<_> =
            std::fs::read_dir(folder.path().join("deep")).expect("a folder").collect();
        assert_eq!(left.len(), 1, "temporary files are removed");
    }

    #[test]
    fn stale_temporary_files_are_removed_and_those_in_use_are_not() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let (stale, deep) =
            (folder.path().join(".cerberus-stale"), folder.path().join("deep/.cerberus-stale"));
        std::fs::create_dir(folder.path().join("deep")).expect("created");
        for path in [&stale, &deep] {
            std::fs::write(path, "half").expect("written");
        }
        let in_use = temp_file(&folder.path().join("a.md"), b"one").expect("written");
        remove_stale_temp_files(folder.path(), 1);
        assert!(!stale.exists() && deep.exists() && in_use.path().exists());
        remove_stale_temp_files(folder.path(), usize::MAX);
        assert!(!deep.exists() && in_use.path().exists());
    }

    #[test]
    fn the_lock_is_exclusive() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let path = folder.path().join("bank.lock");
        let guard = lock(&path).expect("free");
        let other = File::open(&path).expect("there");
        assert!(matches!(other.try_lock(), Err(TryLockError::WouldBlock)));
        drop(guard);
        assert!(other.try_lock().is_ok());
    }
}
