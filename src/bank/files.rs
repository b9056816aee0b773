//! Writing without loss: whole files in one step, one writer at a time.
#![expect(clippy::disallowed_methods, reason = "this module owns the bank's files")]

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use tempfile::{Builder, NamedTempFile};
use walkdir::WalkDir;

use crate::error::UserError;

/// How long a writer waits for another one, and how often it looks.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);

/// Holds the turn to write until it is dropped.
#[derive(Debug)]
pub(crate) struct WriteGuard {
    _file: File,
}

/// Returns whether there is a file at `path`. Something else, such as a link or a pipe,
/// which a repository may bring along, is an error: it leads anywhere, or never ends.
fn is_there(path: &Path) -> Result<bool> {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_file() => Ok(true),
        Ok(_) => {
            let shown = path.display();
            Err(UserError::usage(format!("`{shown}` is not a regular file"))
                .hint(format!("look at it with `ls -l {shown}`, and remove it if it is not yours"))
                .into())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error).with_context(|| format!("failed to read `{}`", path.display())),
    }
}

/// Waits for the exclusive lock on the file at `path`.
pub(super) fn lock(path: &Path) -> Result<WriteGuard> {
    is_there(path)?;
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .with_context(|| format!("failed to open `{}`", path.display()))?;
    let mut waited = Duration::ZERO;
    loop {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::WouldBlock) if waited < PATIENCE => {
                std::thread::sleep(PAUSE);
                waited += PAUSE;
            }
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // Who holds it is only told where it can be read.
                let _ = file.read_to_string(&mut holder);
                let holder = holder.trim();
                return Err(UserError::environment(format!(
                    "process {holder} has been writing for 10 s"
                ))
                .hint("wait for it to end, or end it, and try again")
                .into());
            }
            Err(TryLockError::Error(error)) => {
                return Err(UserError::environment(format!(
                    "failed to lock `{}`: {error}",
                    path.display()
                ))
                .hint("on a file system without locks, put the bank elsewhere: `storage_strategy = \"user\"` under `[memory]` in `cerberus.toml`")
                .into());
            }
        }
    }
    // For the message above; the lock itself is what counts.
    let _ = file
        .set_len(0)
        .and_then(|()| file.rewind())
        .and_then(|()| write!(file, "{}", std::process::id()));
    Ok(WriteGuard { _file: file })
}

pub(super) fn create_folder(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path)
        .with_context(|| format!("failed to make the folder `{}`", path.display()))
}

/// Writes a new file and returns whether it did; an existing one is left alone.
pub(super) fn create(path: &Path, bytes: &[u8]) -> Result<bool> {
    if path.exists() {
        return Ok(false);
    }
    let file = temporary(path, bytes)?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(true),
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => {
            Err(error.error).with_context(|| format!("failed to write `{}`", path.display()))
        }
    }
}

/// Writes a file over what was there.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let file = temporary(path, bytes)?;
    if let Ok(metadata) = path.metadata() {
        // A person's choice of permissions outlives the replacement.
        let _ = file.as_file().set_permissions(metadata.permissions());
    }
    file.persist(path)
        .map_err(|error| error.error)
        .with_context(|| format!("failed to write `{}`", path.display()))?;
    Ok(())
}

/// What the name of a file starts with until it takes its place.
pub(super) const TEMPORARY: &str = ".cerberus-";

/// Removes what killed writers left in a folder and `max_depth` below it. A file that
/// somebody is still writing is locked.
pub(super) fn sweep_temporary(folder: &Path, max_depth: usize) {
    let entries = WalkDir::new(folder).max_depth(max_depth).follow_links(false).into_iter();
    for entry in entries.flatten() {
        let is_temporary = entry.file_name().as_encoded_bytes().starts_with(TEMPORARY.as_bytes());
        if is_temporary && entry.file_type().is_file() {
            let file = File::open(entry.path());
            if file.is_ok_and(|file| file.try_lock().is_ok()) {
                // What cannot be removed does no harm.
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

fn temporary(path: &Path, bytes: &[u8]) -> Result<NamedTempFile> {
    let said = || format!("failed to write `{}`", path.display());
    let folder = path.parent().context("a file has a folder")?;
    create_folder(folder)?;
    let mut builder = Builder::new();
    builder.prefix(TEMPORARY);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The user's umask takes away what it does everywhere else.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder).with_context(said)?;
    // Where there are no locks, nothing is swept either.
    let _ = file.as_file().lock();
    file.write_all(bytes).with_context(said)?;
    file.as_file().sync_all().with_context(said)?;
    Ok(file)
}

pub(super) fn read(path: &Path, max_bytes: u64) -> Result<Option<Vec<u8>>> {
    let said = || format!("failed to read `{}`", path.display());
    if !is_there(path)? {
        return Ok(None);
    }
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(said),
    };
    let mut bytes = Vec::new();
    file.take(max_bytes + 1).read_to_end(&mut bytes).with_context(said)?;
    if bytes.len() as u64 > max_bytes {
        return Err(UserError::usage(format!(
            "`{}` is larger than {} KB",
            path.display(),
            max_bytes / 1024
        ))
        .hint("split it, or take out what nobody needs")
        .into());
    }
    Ok(Some(bytes))
}

/// Returns how a file begins, in at most `max_bytes`.
pub(super) fn head(path: &Path, max_bytes: u64) -> Result<Vec<u8>> {
    let said = || format!("failed to read `{}`", path.display());
    let mut bytes = Vec::new();
    let file = File::open(path).with_context(said)?;
    file.take(max_bytes).read_to_end(&mut bytes).with_context(said)?;
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

/// Lets everybody who may read the file run it; elsewhere than on Unix nothing is to be done.
pub(super) fn make_executable(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let said = || format!("failed to make `{}` executable", path.display());
        let mut permissions = path.metadata().with_context(said)?.permissions();
        let mode = permissions.mode();
        permissions.set_mode(mode | ((mode & 0o444) >> 2));
        std::fs::set_permissions(path, permissions).with_context(said)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn create_never_overwrites_and_replace_keeps_permissions() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let path = folder.path().join("deep/a.md");
        assert!(create(&path, b"one").expect("written"));
        assert!(!create(&path, b"two").expect("left alone"));
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
        assert_eq!(left.len(), 1, "no temporary file stays behind");
    }

    #[test]
    fn what_killed_writers_left_is_swept_and_what_is_being_written_is_not() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let (left, deep) =
            (folder.path().join(".cerberus-left"), folder.path().join("deep/.cerberus-left"));
        std::fs::create_dir(folder.path().join("deep")).expect("made");
        for path in [&left, &deep] {
            std::fs::write(path, "half").expect("written");
        }
        let being_written = temporary(&folder.path().join("a.md"), b"one").expect("written");
        sweep_temporary(folder.path(), 1);
        assert!(!left.exists() && deep.exists() && being_written.path().exists());
        sweep_temporary(folder.path(), usize::MAX);
        assert!(!deep.exists() && being_written.path().exists());
    }

    #[test]
    fn one_writer_at_a_time() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let path = folder.path().join("bank.lock");
        let guard = lock(&path).expect("free");
        let other = File::open(&path).expect("there");
        assert!(matches!(other.try_lock(), Err(TryLockError::WouldBlock)));
        drop(guard);
        assert!(other.try_lock().is_ok());
    }
}
