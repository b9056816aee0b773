//! The SQLite store: what every command works on, and what can be thrown away.
//!
//! Holds nothing that cannot be made again from the files people own, but pins of a
//! session or for a time, what happened to pins and feedback, so that a corrupt store
//! is set aside and rebuilt. [`Store`] alone holds the connection;
//! the tables have a file each. A store of a newer cerberus is refused, an older
//! one migrated in one transaction at open.
#![expect(clippy::disallowed_methods, reason = "this module owns the store's files")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
pub(crate) use rusqlite::Connection;
use rusqlite::{OpenFlags, TransactionBehavior};

use crate::error::UserError;
use crate::timings;

pub(crate) mod code;
pub(crate) mod feedback;
pub(crate) mod links;
pub(crate) mod look;
pub(crate) mod memories;
pub(crate) mod pins;
mod schema;

/// How long a command waits for another one's writing.
const BUSY: Duration = Duration::from_secs(10);

/// How often a store in the making is looked at again; the switch to a write-ahead log
/// is the one thing for which SQLite itself does not wait.
const PAUSE: Duration = Duration::from_millis(10);

/// An open store.
pub(crate) struct Store {
    connection: Connection,
    /// What happened at opening that the user should know.
    pub(crate) warnings: Vec<String>,
    /// Why nothing that is written stays, where the store lives in memory.
    unkept: Option<String>,
}

impl Store {
    /// Opens the store at `path`, making or mending it as needed. Where nothing can
    /// be written the store lives in memory for this run, with a warning.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let _step = timings::step("open the store");
        let opened = match try_open(path) {
            Err(error) if is_corrupt(&error) || is_busy(&error) => mend(path),
            opened => opened,
        };
        match opened {
            Err(error) if is_unwritable(&error) => {
                let mut store = Self::in_memory()?;
                let why = format!("{error:#}");
                store.warnings.push(format!(
                    "the store cannot be written, so this run's index is not kept: {why}"
                ));
                store.unkept = Some(why);
                Ok(store)
            }
            opened => opened,
        }
    }

    /// Checks that what is written stays: that of a store in memory goes with the process.
    pub(crate) fn check_kept(&self) -> Result<()> {
        match &self.unkept {
            None => Ok(()),
            Some(why) => Err(UserError::environment(format!("nothing can be kept: {why}"))
                .hint("make room on the disk, or let the store's folder be written")
                .into()),
        }
    }

    /// Opens a store that lives as long as the value.
    pub(crate) fn in_memory() -> Result<Self> {
        let connection =
            Connection::open_in_memory().context("failed to open a store in memory")?;
        Self::prepare(connection)
    }

    fn prepare(mut connection: Connection) -> Result<Self> {
        connection.busy_timeout(BUSY)?;
        connection.set_prepared_statement_cache_capacity(64);
        schema::migrate(&mut connection)?;
        Ok(Self { connection, warnings: Vec::new(), unkept: None })
    }

    /// Runs `work` in one transaction that is kept only if `work` succeeds.
    pub(crate) fn transaction<T>(
        &mut self,
        work: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .context("failed to lock the store")?;
        let done = work(&transaction)?;
        transaction.commit().context("failed to write the store")?;
        Ok(done)
    }

    /// Returns the connection for reading.
    pub(crate) fn reader(&self) -> &Connection {
        &self.connection
    }
}

/// Opens a store that was corrupt or in the making by another process. Only one process
/// at a time does this, and looks again first: the others' work may have been enough.
fn mend(path: &Path) -> Result<Store> {
    let turn = path.with_extension("db.lock");
    check_no_link(&turn)?;
    let turn = std::fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&turn)
        .with_context(|| format!("failed to open `{}`", turn.display()))?;
    turn.lock().context("failed to wait for another process that mends the store")?;
    let mut waited = Duration::ZERO;
    let mut warning = None;
    loop {
        match try_open(path) {
            Err(error) if is_busy(&error) && waited < BUSY => {
                std::thread::sleep(PAUSE);
                waited += PAUSE;
            }
            Err(error) if is_corrupt(&error) && warning.is_none() => {
                warning = Some(format!(
                    "the store was corrupt and has been rebuilt; the old one is kept as `{}`",
                    set_aside(path)?.display()
                ));
            }
            Ok(mut store) => {
                store.warnings.extend(warning);
                return Ok(store);
            }
            failed => return failed,
        }
    }
}

fn try_open(path: &Path) -> Result<Store> {
    let said = || format!("failed to open the store `{}`", path.display());
    if let Some(folder) = path.parent() {
        check_no_link(folder)?;
        std::fs::create_dir_all(folder).with_context(said)?;
        let gitignore = folder.join(".gitignore");
        if gitignore.symlink_metadata().is_err() {
            // Reading leaves nothing that git shows, also in a bank made by hand.
            std::fs::write(gitignore, "*\n").with_context(said)?;
        }
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        // The last part of the path is never a link that leads elsewhere.
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    check_no_link(path)?;
    let path = match (path.parent().map(Path::canonicalize), path.file_name()) {
        (Some(Ok(folder)), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    };
    let connection = Connection::open_with_flags(&path, flags).with_context(said)?;
    connection.busy_timeout(BUSY)?;
    // A write-ahead log lets readers go on while one writes; NORMAL is safe against
    // a crash of the process, and a lost index after a power cut is rebuilt. The switch to
    // the log waits for no disk: it is made while the store is still empty.
    connection
        .execute_batch(
            "PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL;
             PRAGMA synchronous = NORMAL; PRAGMA mmap_size = 268435456;",
        )
        .with_context(said)?;
    Store::prepare(connection).with_context(said)
}

/// Fails where `path` is a link: a repository may bring one along that leads anywhere.
fn check_no_link(path: &Path) -> Result<()> {
    if !path.is_symlink() {
        return Ok(());
    }
    let shown = path.display();
    Err(UserError::usage(format!("`{shown}` is a link, and the store is not kept behind one"))
        .hint(format!("look where it leads with `ls -l {shown}`, and remove it"))
        .into())
}

fn sqlite_error(error: &anyhow::Error) -> Option<&rusqlite::Error> {
    error.chain().find_map(|cause| cause.downcast_ref())
}

fn sqlite_code(error: &anyhow::Error) -> Option<rusqlite::ErrorCode> {
    sqlite_error(error).and_then(rusqlite::Error::sqlite_error_code)
}

fn is_corrupt(error: &anyhow::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    matches!(sqlite_code(error), Some(DatabaseCorrupt | NotADatabase))
}

fn is_busy(error: &anyhow::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked};
    // Of several that open an empty store each clears its log away, and all but one find
    // none: the same as another one's writing.
    let is_cleared = sqlite_error(error)
        .and_then(rusqlite::Error::sqlite_error)
        .is_some_and(|it| it.extended_code == rusqlite::ffi::SQLITE_IOERR_DELETE_NOENT);
    is_cleared || matches!(sqlite_code(error), Some(DatabaseBusy | DatabaseLocked))
}

fn is_unwritable(error: &anyhow::Error) -> bool {
    use rusqlite::ErrorCode::{
        CannotOpen, DiskFull, FileLockingProtocolFailed, PermissionDenied, ReadOnly,
        SystemIoFailure,
    };
    // Its folder cannot be made, or the lock file beside it.
    let io = error.chain().find_map(|cause| cause.downcast_ref::<std::io::Error>());
    let is_sqlite = matches!(
        sqlite_code(error),
        // A full disk or a file system without locks is a failure of I/O to SQLite.
        Some(
            CannotOpen
                | DiskFull
                | FileLockingProtocolFailed
                | PermissionDenied
                | ReadOnly
                | SystemIoFailure
        )
    );
    is_sqlite || io.is_some()
}

/// Moves a corrupt store out of the way and returns where it is.
fn set_aside(path: &Path) -> Result<PathBuf> {
    let mut aside = path.with_extension("db.corrupt");
    let mut n = 2;
    while aside.exists() {
        aside = path.with_extension(format!("db.corrupt-{n}"));
        n += 1;
    }
    std::fs::rename(path, &aside)
        .with_context(|| format!("failed to set the corrupt store `{}` aside", path.display()))?;
    for tail in ["-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(tail);
        // The log belongs to the store that was set aside; without it there is none.
        let _ = std::fs::remove_file(PathBuf::from(name));
    }
    Ok(aside)
}

/// Returns the error for a store that a newer cerberus wrote.
fn too_new(found: usize, known: usize) -> anyhow::Error {
    UserError::environment(format!(
        "the store was written by a newer cerberus (schema {found}, this one knows {known})"
    ))
    .hint("upgrade cerberus, or delete `.memories/indices/` to have the store rebuilt")
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corrupt_store_is_set_aside_and_rebuilt() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let path = folder.path().join("cerberus.db");
        std::fs::write(&path, "this is no database, however long it is ".repeat(40))
            .expect("a file");
        let store = Store::open(&path).expect("rebuilt");
        assert!(store.warnings[0].contains("corrupt"), "{:?}", store.warnings);
        assert!(folder.path().join("cerberus.db.corrupt").exists());
        drop(store);
        assert!(Store::open(&path).expect("whole").warnings.is_empty());
    }

    #[test]
    fn what_is_put_into_a_store_in_memory_is_not_said_to_be_kept() {
        let folder = tempfile::tempdir().expect("a temp folder");
        std::fs::write(folder.path().join("file"), "in the way").expect("a file");
        let store = Store::open(&folder.path().join("file/cerberus.db")).expect("in memory");
        assert!(store.warnings[0].contains("cannot be written"), "{:?}", store.warnings);
        assert!(store.check_kept().is_err());
        let store = Store::open(&folder.path().join("cerberus.db")).expect("new");
        store.check_kept().expect("kept");
    }

    #[test]
    fn a_newer_store_is_refused() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let path = folder.path().join("cerberus.db");
        let store = Store::open(&path).expect("new");
        store.reader().pragma_update(None, "user_version", 9999).expect("set");
        drop(store);
        let error = Store::open(&path).err().expect("refused");
        assert!(format!("{error:#}").contains("newer cerberus"), "{error:#}");
    }
}
