//! Atomic writes, locks and bounded reads.
//!
//! A write is durable when the function returns: the file and the folder that contains it are
//! synced. Functions named `…_unsynced` leave the folder to [`sync_folders`], so that a command
//! with many writes syncs each folder once.
#![expect(
    clippy::disallowed_methods,
    reason = "this module owns the bank's files"
)]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions, Permissions, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use cerberus_model::file_stat::FileStat;
use cerberus_model::{UserError, failed_to, refuse, regular_file};
use tempfile::{Builder, NamedTempFile};
use walkdir::WalkDir;

/// Maximum time to wait for another writer.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// Time between attempts to get the lock.
const PAUSE: Duration = Duration::from_millis(20);

/// Size limit of the process id in a lock file.
const MAX_HOLDER_BYTES: u64 = 32;

/// Number of new files from which they are synced together.
const MIN_TOGETHER: usize = 64;

/// Exclusive lock, held until it is dropped.
#[derive(Debug)]
pub struct WriteGuard {
    _file: File,
}

/// Returns the stat of a file, if it exists. Fails if it is not a regular file: a repository may
/// contain symbolic links to any target, or pipes.
fn stat(path: &Path) -> Result<Option<FileStat>> {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_file() => Ok(Some(FileStat::new(&metadata))),
        Ok(_) => {
            let shown = path.display();
            refuse(
                format!("`{shown}` is not a regular file"),
                format!("check it with `ls -l {shown}`, and remove it if it is not yours"),
            )
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(failed_to("read", path)),
    }
}

/// Waits for the exclusive lock on the file at `path`.
pub(super) fn lock(path: &Path) -> Result<WriteGuard> {
    stat(path)?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let mut file = regular_file::open_with(&options, path).with_context(failed_to("open", path))?;
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
                let _ = Read::by_ref(&mut file)
                    .take(MAX_HOLDER_BYTES)
                    .read_to_string(&mut holder);
                let holder = holder.trim();
                return Err(UserError::environment(format!(
                    "the bank is locked by process {holder}"
                ))
                .hint("wait for that process to finish, or stop it, and try again")
                .into());
            }
            Err(TryLockError::Error(error)) => {
                let shown = path.display();
                return Err(UserError::environment(format!("failed to lock `{shown}`: {error}"))
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

/// Creates a folder and its missing parents.
pub(super) fn create_folder(path: &Path) -> Result<()> {
    let mut missing: Vec<&Path> = Vec::new();
    for folder in path.ancestors() {
        if folder.as_os_str().is_empty() || folder.is_dir() {
            break;
        }
        missing.push(folder);
    }
    if missing.is_empty() {
        return Ok(());
    }
    std::fs::create_dir_all(path).with_context(failed_to("create the folder", path))?;
    sync_folders(missing.into_iter().rev().map(folder_of))
}

/// Returns the folder of a file; a bare file name is in the current folder.
pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Syncs each folder once, in the order of their first occurrence. The names of new, moved and
/// removed files survive a power failure only after that.
pub(crate) fn sync_folders<'a>(folders: impl IntoIterator<Item = &'a Path>) -> Result<()> {
    let mut synced = BTreeSet::new();
    for folder in folders {
        if synced.insert(folder) {
            sync_folder(folder).with_context(failed_to("sync the folder", folder))?;
        }
    }
    Ok(())
}

/// Syncs a folder. Windows has no operation for that.
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    if cfg!(windows) {
        return Ok(());
    }
    match File::open(folder)?.sync_all() {
        // Some network file systems cannot sync a folder.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::InvalidInput | ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        result => result,
    }
}

/// Creates a file and returns true, or returns false if it exists.
pub(super) fn create(path: &Path, bytes: &[u8]) -> Result<bool> {
    let is_new = !path.exists() && persist_new(temp_file(path, bytes)?, path)?;
    if is_new {
        sync_folders([folder_of(path)])?;
    }
    Ok(is_new)
}

/// Gives a temporary file its name and returns true, or returns false if there is a file.
pub(super) fn persist_new(file: NamedTempFile, path: &Path) -> Result<bool> {
    match file.persist_noclobber(path) {
        Ok(_) => Ok(true),
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.error).with_context(failed_to("write", path)),
    }
}

/// Files that are written together. Many are synced in one step with their file system, which for
/// 10,000 takes a third of the time.
#[derive(Debug)]
pub(super) struct Writes {
    is_together: bool,
    folders: BTreeSet<PathBuf>,
}

impl Writes {
    /// Starts to write `n_files` files.
    pub(super) fn new(n_files: usize) -> Self {
        let is_together = cfg!(target_os = "linux") && n_files >= MIN_TOGETHER;
        Self {
            is_together,
            folders: BTreeSet::new(),
        }
    }

    /// Like [`create`], but the content may be synced only by [`Self::sync`].
    pub(super) fn create(&mut self, path: &Path, bytes: &[u8]) -> Result<bool> {
        Ok(!path.exists() && persist_new(self.temp_file(path, bytes)?, path)?)
    }

    /// Like [`temp_file`], but the content may be synced only by [`Self::sync`].
    pub(super) fn temp_file(&mut self, path: &Path, bytes: &[u8]) -> Result<NamedTempFile> {
        self.folders.insert(folder_of(path).to_owned());
        if self.is_together {
            unsynced_temp_file(path, bytes)
        } else {
            temp_file(path, bytes)
        }
    }

    /// Syncs the content of the files.
    pub(super) fn sync(&self) -> Result<()> {
        if self.is_together {
            self.sync_file_systems()?;
        }
        Ok(())
    }

    /// Syncs the names of the files.
    pub(super) fn sync_names(&self) -> Result<()> {
        if self.is_together {
            self.sync_file_systems()
        } else {
            sync_folders(self.folders.iter().map(PathBuf::as_path))
        }
    }

    /// Syncs the file systems of the folders, each once.
    fn sync_file_systems(&self) -> Result<()> {
        let mut synced = BTreeSet::new();
        for folder in &self.folders {
            if synced.insert(device(folder)) {
                sync_file_system(folder)
                    .with_context(failed_to("sync the file system of", folder))?;
            }
        }
        Ok(())
    }
}

/// Returns the number of the device of a folder.
#[cfg(target_os = "linux")]
fn device(folder: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    folder.metadata().ok().map(|metadata| metadata.dev())
}

#[cfg(not(target_os = "linux"))]
fn device(_folder: &Path) -> Option<u64> {
    None
}

#[cfg(target_os = "linux")]
fn sync_file_system(folder: &Path) -> std::io::Result<()> {
    Ok(rustix::fs::syncfs(File::open(folder)?)?)
}

/// Only Linux can do that for one file system; elsewhere each file was synced.
#[cfg(not(target_os = "linux"))]
fn sync_file_system(_folder: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Atomically writes a file, replacing an existing one.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    replace_unsynced(path, bytes)?;
    sync_folders([folder_of(path)])
}

/// Like [`replace`], but does not sync the folder.
pub(super) fn replace_unsynced(path: &Path, bytes: &[u8]) -> Result<()> {
    let file = temp_file(path, bytes)?;
    file.persist(path)
        .map_err(|error| error.error)
        .with_context(failed_to("write", path))?;
    Ok(())
}

/// Prefix of the names of temporary files. Sixteen hexadecimal digits follow.
const TEMP_PREFIX: &str = ".cerberus-tmp-";

/// Age from which an empty temporary file is stale outside the bank.
pub(super) const MAX_EMPTY_AGE: Duration = Duration::from_secs(60 * 60);

/// Whether `name` is exactly a name that [`temp_file`] generates.
fn is_temp_name(name: &OsStr) -> bool {
    let Some(digits) = name.as_encoded_bytes().strip_prefix(TEMP_PREFIX.as_bytes()) else {
        return false;
    };
    let mut bytes = digits.iter();
    digits.len() == 16 && bytes.all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Removes the temporary files of killed processes in a folder, at most `max_depth` levels deep.
///
/// A process locks its temporary file before it writes to it, so a file that is not locked and not
/// empty has no writer. An empty file may be one whose process has not locked it yet; it is
/// removed if it is older than `max_empty_age`.
pub(super) fn remove_stale_temp_files(folder: &Path, max_depth: usize, max_empty_age: Duration) {
    let entries = WalkDir::new(folder)
        .max_depth(max_depth)
        .follow_links(false)
        .into_iter();
    for entry in entries.flatten() {
        if is_temp_name(entry.file_name()) && entry.file_type().is_file() {
            let file = regular_file::open(entry.path());
            if file.is_ok_and(|file| is_stale(&file, max_empty_age)) {
                // A remaining file is harmless.
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

fn is_stale(file: &File, max_empty_age: Duration) -> bool {
    let Ok(metadata) = file.metadata() else {
        return false;
    };
    if file.try_lock().is_err() {
        return false;
    }
    if metadata.len() > 0 || max_empty_age.is_zero() {
        return true;
    }
    let Ok(modified) = metadata.modified() else {
        return false;
    };
    modified.elapsed().is_ok_and(|age| age >= max_empty_age)
}

/// Creates a temporary file beside the file at `path`, with the permissions of that file if it exists.
pub(super) fn temp_file(path: &Path, bytes: &[u8]) -> Result<NamedTempFile> {
    let file = unsynced_temp_file(path, bytes)?;
    file.as_file()
        .sync_all()
        .with_context(failed_to("write", path))?;
    Ok(file)
}

fn unsynced_temp_file(path: &Path, bytes: &[u8]) -> Result<NamedTempFile> {
    let context = failed_to("write", path);
    let folder = folder_of(path);
    create_folder(folder)?;
    // The generator of `tempfile` also uses letters that are not digits.
    let name = format!(
        "{TEMP_PREFIX}{:016x}",
        RandomState::new().hash_one(std::process::id())
    );
    let mut builder = Builder::new();
    builder.prefix(&name).rand_bytes(0);
    let permissions = path.metadata().ok().map(|metadata| metadata.permissions());
    if permissions.as_ref().is_some_and(Permissions::readonly) {
        return Err(read_only(path).into());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The umask of the user applies to it.
        let new = Permissions::from_mode(0o666);
        builder.permissions(permissions.clone().unwrap_or(new));
    }
    let mut file = builder.tempfile_in(folder).with_context(context)?;
    // Before the first byte, which only readers of the old file may read.
    if let Some(permissions) = permissions {
        let _ = file.as_file().set_permissions(permissions);
    }
    // Without locks, stale files are not removed either.
    let _ = file.as_file().lock();
    file.write_all(bytes).with_context(context)?;
    Ok(file)
}

/// Returns the error for a file that somebody protected. Its folder would allow to replace it.
fn read_only(path: &Path) -> UserError {
    let shown = path.display();
    UserError::environment(format!("`{shown}` is read-only"))
        .hint(format!("allow writing to it: chmod u+w {shown}"))
}

pub(super) fn read(path: &Path, max_bytes: u64) -> Result<Option<Vec<u8>>> {
    Ok(read_with_stat(path, max_bytes)?.map(|(bytes, _)| bytes))
}

/// Returns the bytes of a file and its stat before reading, if it exists.
pub(super) fn read_with_stat(path: &Path, max_bytes: u64) -> Result<Option<(Vec<u8>, FileStat)>> {
    let context = failed_to("read", path);
    let Some(stat) = stat(path)? else {
        return Ok(None);
    };
    let file = match regular_file::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(context),
    };
    // With room for the whole file it is read in one step.
    let n_bytes = usize::try_from(stat.size.min(max_bytes)).unwrap_or(0);
    let mut bytes = Vec::with_capacity(n_bytes);
    file.take(max_bytes + 1)
        .read_to_end(&mut bytes)
        .with_context(context)?;
    if bytes.len() as u64 > max_bytes {
        let shown = path.display();
        let n_kb = max_bytes / 1024;
        return refuse(format!("`{shown}` is larger than {n_kb} KB"), "split it");
    }
    Ok(Some((bytes, stat)))
}

/// Returns the first bytes of a file, at most `max_bytes`, if it can be read.
pub(super) fn head(path: &Path, max_bytes: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    regular_file::open(path)
        .ok()?
        .take(max_bytes)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(bytes)
}

/// Moves a file. The new folder is synced first, so that a power failure cannot lose the file.
pub(super) fn rename(from: &Path, to: &Path) -> Result<()> {
    rename_unsynced(from, to)?;
    sync_folders([folder_of(to), folder_of(from)])
}

/// Like [`rename`], but does not sync the folders.
pub(super) fn rename_unsynced(from: &Path, to: &Path) -> Result<()> {
    create_folder(folder_of(to))?;
    std::fs::rename(from, to)
        .with_context(|| format!("failed to move `{}` to `{}`", from.display(), to.display()))
}

/// Removes a file if it exists.
pub(super) fn remove(path: &Path) -> Result<()> {
    if remove_unsynced(path)? {
        sync_folders([folder_of(path)])?;
    }
    Ok(())
}

/// Removes a file, and returns whether it existed. Does not sync the folder.
pub(super) fn remove_unsynced(path: &Path) -> Result<bool> {
    match std::fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error).with_context(failed_to("remove", path)),
    }
}

/// Removes a folder with its files if it exists. Follows no symbolic link and syncs no folder.
pub(super) fn remove_folder(path: &Path) -> Result<()> {
    if path.symlink_metadata().is_err() {
        return Ok(());
    }
    let context = failed_to("remove", path);
    for found in WalkDir::new(path).follow_links(false).contents_first(true) {
        let found = found.with_context(context)?;
        let removed = match found.file_type().is_dir() {
            true => std::fs::remove_dir(found.path()),
            false => std::fs::remove_file(found.path()),
        };
        removed.with_context(context)?;
    }
    Ok(())
}

/// Removes a folder if it is empty, and returns whether it did. Syncs no folder.
pub(super) fn remove_empty_folder(path: &Path) -> bool {
    std::fs::remove_dir(path).is_ok()
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
            std::fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("set");
            replace(&path, b"three").expect("replaced");
            let mode = path.metadata().expect("there").permissions().mode();
            assert_eq!(mode & 0o777, 0o640);
            // The content is never readable for more users than before.
            let temp = temp_file(&path, b"four").expect("written");
            let mode = temp
                .as_file()
                .metadata()
                .expect("there")
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o640);
            drop(temp);
            // Its folder would allow to replace it.
            std::fs::set_permissions(&path, Permissions::from_mode(0o444)).expect("set");
            let error = replace(&path, b"five").expect_err("it is protected");
            assert!(error.to_string().ends_with("is read-only"), "{error:#}");
            assert_eq!(std::fs::read_to_string(&path).expect("readable"), "three");
        }
        let left: Vec<_> = std::fs::read_dir(folder.path().join("deep"))
            .expect("a folder")
            .collect();
        assert_eq!(left.len(), 1, "temporary files are removed");
    }

    #[test]
    fn stale_temporary_files_are_removed_and_those_in_use_are_not() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let name = ".cerberus-tmp-0123456789abcdef";
        let (stale, deep) = (
            folder.path().join(name),
            folder.path().join("deep").join(name),
        );
        let empty = folder.path().join(".cerberus-tmp-0000000000000000");
        std::fs::create_dir(folder.path().join("deep")).expect("created");
        for (path, text) in [(&stale, "half"), (&deep, "half"), (&empty, "")] {
            std::fs::write(path, text).expect("written");
        }
        let in_use = temp_file(&folder.path().join("a.md"), b"one").expect("written");
        assert!(is_temp_name(in_use.path().file_name().expect("a name")));
        remove_stale_temp_files(folder.path(), 1, MAX_EMPTY_AGE);
        assert!(!stale.exists() && deep.exists() && in_use.path().exists() && empty.exists());
        remove_stale_temp_files(folder.path(), usize::MAX, Duration::ZERO);
        assert!(!deep.exists() && in_use.path().exists() && !empty.exists());
    }

    #[test]
    fn files_with_similar_names_are_not_temporary() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let names = [
            ".cerberus-notes.md",
            ".cerberus-a1b2c3",
            ".cerberus-tmp-",
            ".cerberus-tmp-notes",
            ".cerberus-tmp-0123456789abcde",
            ".cerberus-tmp-0123456789abcdef0",
            ".cerberus-tmp-0123456789abcdef.md",
            ".cerberus-tmp-0123456789ABCDEF",
            "x.cerberus-tmp-0123456789abcdef",
        ];
        for name in names {
            std::fs::write(folder.path().join(name), "of the user").expect("written");
        }
        remove_stale_temp_files(folder.path(), usize::MAX, Duration::ZERO);
        for name in names {
            assert!(folder.path().join(name).exists(), "{name}");
        }
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
