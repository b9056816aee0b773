//! SQLite store with the index of the code and of the memories.
//!
//! The tables of a store are rebuilt from files, so a corrupt store is renamed and replaced. Pins with
//! an expiry and the history of pins exist only in the database of the user beside it
//! (`own`). [`Store`] owns the connection to both; each group of tables has a file. A store with an
//! older schema is replaced, and a newer one is refused.
//!
//! A store may come with a cloned repository. It is replaced unless this user made it for this
//! folder and has the expected schema; the steps of its queries are limited (`limit`).
#![expect(
    clippy::disallowed_methods,
    reason = "this module owns the store's files"
)]

use std::cell::RefCell;
use std::fs::OpenOptions;
use std::time::Duration;

pub use rusqlite::Connection;
use rusqlite::types::FromSql;
use rusqlite::{ErrorCode, OpenFlags, OptionalExtension, Params};

pub mod code;
mod damage;
pub mod given_rules;
pub mod ledger;
mod limit;
pub mod links;
pub mod memories;
mod own;
pub mod pins;
pub mod rule_readings;
mod schema;
mod search_text;
mod values;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cerberus_model::{UserError, failed_to, refuse};
pub use damage::with_repair;
use damage::{Rejected, is_damaged, recover};
use limit::Steps;
use rusqlite::{Row, Transaction, TransactionBehavior};

/// Maximum time to wait for the writes of another process.
const BUSY: Duration = Duration::from_secs(10);

/// Time between attempts to open a store that another process creates. SQLite does not wait for
/// the switch to a write-ahead log.
const PAUSE: Duration = Duration::from_millis(10);

/// Where a store is.
#[derive(Debug, Clone)]
pub struct StoreFile {
    pub path: PathBuf,
    /// The state folder of the user, for what exists only in a database, if there is a place for it.
    pub state: Option<PathBuf>,
}

/// An open store.
pub struct Store {
    connection: Connection,
    /// How long its queries may still run.
    steps: Steps,
    /// Warnings from opening the store.
    warnings: RefCell<Vec<String>>,
    /// Why rows that exist only in the store are lost when the process ends, if they are.
    not_persistent: Option<String>,
}

impl Store {
    /// Opens a store. Creates a missing one, and replaces one that is corrupt or that this user
    /// did not make. If the file is not writable, the store is in memory for this run, with a
    /// warning.
    pub fn open(file: &StoreFile) -> Result<Self> {
        let opened = match try_open(file) {
            Err(error) if is_damaged(&error) || is_busy(&error) => recover(file, None),
            opened => opened,
        };
        match opened {
            Err(error) if is_unwritable(&error) => {
                let mut store = Self::in_memory()?;
                let why = format!("{error:#}");
                store.add_warning(format!(
                    "cannot write to the store, so the index is not saved: {why}"
                ));
                store.not_persistent = Some(why);
                Ok(store)
            }
            opened => opened,
        }
    }

    /// Fails if rows that exist only in the store are lost when the process ends.
    pub fn check_persistent(&self) -> Result<()> {
        let Some(why) = &self.not_persistent else {
            return Ok(());
        };
        Err(UserError::environment(format!("cannot write to the store: {why}"))
            .hint("free disk space, or make the folder of the store and `~/.local/state` writable")
            .into())
    }

    /// Opens a store in memory.
    pub fn in_memory() -> Result<Self> {
        let connection =
            Connection::open_in_memory().context("failed to open a store in memory")?;
        Self::prepare(connection, None)
    }

    fn prepare(mut connection: Connection, file: Option<&StoreFile>) -> Result<Self> {
        connection.busy_timeout(BUSY)?;
        connection.set_prepared_statement_cache_capacity(64);
        let steps = limit::install(&mut connection);
        let own = own::attach(&mut connection, file)?;
        schema::create(&mut connection, own.has_token)?;
        Ok(Self {
            connection,
            steps,
            warnings: RefCell::new(Vec::from_iter(own.warning)),
            not_persistent: own.not_persistent,
        })
    }

    /// Returns the warnings from opening the store that nobody has taken yet.
    pub fn take_warnings(&self) -> Vec<String> {
        self.warnings.take()
    }

    fn add_warning(&self, warning: String) {
        self.warnings.borrow_mut().push(warning);
    }

    /// Runs `work` in a transaction, which is committed only if `work` succeeds. Fails in `work`,
    /// because transactions do not nest.
    pub fn transaction<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.steps.add_transaction();
        let transaction =
            Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)
                .context("failed to lock the store")?;
        let done = work(&transaction)?;
        transaction.commit().context("failed to write the store")?;
        Ok(done)
    }

    /// Fails for damage that no query has met yet.
    pub fn check(&self) -> Result<()> {
        const TEXT: &str = "INSERT INTO memory_text (memory_text) VALUES ('integrity-check')";
        let found: String = value(&self.connection, "PRAGMA quick_check(1)", [])?;
        if found != "ok" {
            return Err(Rejected::Damaged(found).into());
        }
        self.connection.execute(TEXT, [])?;
        Ok(())
    }

    /// Returns the connection for reading.
    pub fn reader(&self) -> &Connection {
        &self.connection
    }
}

fn try_open(file: &StoreFile) -> Result<Store> {
    let path = &file.path;
    let context = failed_to("open the store", path);
    if let Some(folder) = path.parent() {
        check_no_link(folder)?;
        std::fs::create_dir_all(folder).with_context(context)?;
        let gitignore = folder.join(".gitignore");
        if gitignore.symlink_metadata().is_err() {
            // A bank without a `.gitignore` of its own must not show the store as untracked.
            std::fs::write(gitignore, "*\n").with_context(context)?;
        }
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        // The file itself must not be a symbolic link.
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    check_no_link(path)?;
    check_logs(path)?;
    let folder = path
        .parent()
        .unwrap_or(path)
        .canonicalize()
        .with_context(context)?;
    let path = folder.join(path.file_name().unwrap_or_default());
    let connection = Connection::open_with_flags(&path, flags).with_context(context)?;
    connection.busy_timeout(BUSY)?;
    // A write-ahead log allows reads during a write. NORMAL survives a crash of the process; an
    // index that a power failure damages is rebuilt. The switch to the log does not need a sync,
    // because the store is empty at that time.
    connection
        .execute_batch(
            "PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL;
             PRAGMA synchronous = NORMAL; PRAGMA mmap_size = 268435456;
             PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;",
        )
        .with_context(context)?;
    if connection.is_readonly(rusqlite::MAIN_DB)?
        && OpenOptions::new().write(true).open(&path).is_ok()
    {
        // A format number in the header that SQLite does not know.
        return Err(Rejected::Damaged("its header makes it read-only".to_owned()).into());
    }
    Store::prepare(connection, Some(file)).with_context(context)
}

/// Fails if `path` is a symbolic link: in a cloned repository it may have any target.
fn check_no_link(path: &Path) -> Result<()> {
    if !path.is_symlink() {
        return Ok(());
    }
    let shown = path.display();
    refuse(
        format!("`{shown}` is a symbolic link, and the store must not be behind one"),
        format!("check its target with `ls -l {shown}`, then remove it"),
    )
}

/// Fails if a file beside the store that SQLite opens is not a regular one. It would wait for ever
/// for the end of a pipe.
fn check_logs(path: &Path) -> Result<()> {
    for ending in ["-journal", "-wal", "-shm"] {
        let mut log = path.as_os_str().to_owned();
        log.push(ending);
        let log = Path::new(&log);
        if log
            .symlink_metadata()
            .is_ok_and(|metadata| !metadata.is_file())
        {
            let shown = log.display();
            return refuse(
                format!("`{shown}` is not a regular file"),
                format!("check it with `ls -l {shown}`, then remove it"),
            );
        }
    }
    Ok(())
}

fn sqlite_error(error: &anyhow::Error) -> Option<&rusqlite::Error> {
    error.chain().find_map(|cause| cause.downcast_ref())
}

fn sqlite_code(error: &anyhow::Error) -> Option<ErrorCode> {
    sqlite_error(error).and_then(rusqlite::Error::sqlite_error_code)
}

fn is_busy(error: &anyhow::Error) -> bool {
    // Several processes that open an empty store all delete its log, which succeeds for one of
    // them only.
    let is_log_deleted = sqlite_error(error)
        .and_then(rusqlite::Error::sqlite_error)
        .is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_IOERR_DELETE_NOENT);
    is_log_deleted
        || matches!(
            sqlite_code(error),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
        )
}

fn is_unwritable(error: &anyhow::Error) -> bool {
    // Creating the folder or the lock file failed.
    let io = error
        .chain()
        .find_map(|cause| cause.downcast_ref::<std::io::Error>());
    let is_sqlite = matches!(
        sqlite_code(error),
        // SQLite reports a full disk or a file system without locks as an I/O error.
        Some(
            ErrorCode::CannotOpen
                | ErrorCode::DiskFull
                | ErrorCode::FileLockingProtocolFailed
                | ErrorCode::PermissionDenied
                | ErrorCode::ReadOnly
                | ErrorCode::SystemIoFailure
        )
    );
    is_sqlite || io.is_some()
}

/// Runs a query and collects its rows.
fn query<T, C: FromIterator<T>>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    map: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<C> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params, map)?;
    Ok(rows.collect::<rusqlite::Result<C>>()?)
}

/// Runs a query and returns its first row, if it has one.
fn first<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    map: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Option<T>> {
    Ok(connection
        .prepare_cached(sql)?
        .query_row(params, map)
        .optional()?)
}

/// Runs a query and calls `each` with every row.
fn for_each(
    connection: &Connection,
    sql: &str,
    mut each: impl FnMut(&Row<'_>) -> Result<()>,
) -> Result<()> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        each(row)?;
    }
    Ok(())
}

/// Runs a query that has one row and returns its value.
fn value<T: FromSql>(connection: &Connection, sql: &str, params: impl Params) -> Result<T> {
    Ok(connection
        .prepare_cached(sql)?
        .query_row(params, |row| row.get(0))?)
}

/// Runs a statement.
fn execute(connection: &Connection, sql: &str, params: impl Params) -> Result<()> {
    connection.prepare_cached(sql)?.execute(params)?;
    Ok(())
}

/// Returns the error for a store with a newer schema.
fn too_new(found: usize, known: usize) -> anyhow::Error {
    UserError::environment(format!(
        "the store was written by a newer cerberus (schema {found}, this version supports {known})"
    ))
    .hint("upgrade cerberus, or delete `.memories/indices/` to rebuild the store")
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(folder: &Path, name: &str) -> StoreFile {
        StoreFile {
            path: folder.join(name),
            state: Some(folder.join("state")),
        }
    }

    #[test]
    fn a_corrupt_store_is_renamed_and_rebuilt() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let file = file(folder.path(), "cerberus.db");
        std::fs::write(
            &file.path,
            "this is no database, however long it is ".repeat(40),
        )
        .expect("a file");
        let store = Store::open(&file).expect("rebuilt");
        let warnings = store.take_warnings();
        assert!(warnings[0].contains("corrupt"), "{warnings:?}");
        assert!(folder.path().join("cerberus.db.corrupt").exists());
        drop(store);
        let store = Store::open(&file).expect("whole");
        assert!(store.take_warnings().is_empty());
    }

    #[test]
    fn a_store_that_cannot_be_written_is_in_memory_and_not_persistent() {
        let folder = tempfile::tempdir().expect("a temp folder");
        std::fs::write(folder.path().join("file"), "in the way").expect("a file");
        let store = Store::open(&file(folder.path(), "file/cerberus.db")).expect("in memory");
        let warnings = store.take_warnings();
        assert!(warnings[0].contains("cannot write"), "{warnings:?}");
        assert!(store.check_persistent().is_err());
        let store = Store::open(&file(folder.path(), "cerberus.db")).expect("new");
        store.check_persistent().expect("persistent");
    }

    #[test]
    fn an_older_store_is_replaced_and_keeps_the_history_of_pins() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let file = file(folder.path(), "cerberus.db");
        let store = Store::open(&file).expect("new");
        let insert = |connection: &Connection| {
            let event = pins::EventRow {
                at: "2026-01-02T03:04:05Z".to_owned(),
                kind: cerberus_model::PinEvent::Added,
                pins: vec!["a".to_owned()],
                message: String::new(),
            };
            pins::insert_event(connection, &event, None)
        };
        store.transaction(insert).expect("written");
        let older = "DROP TABLE lock_file; CREATE TABLE best (x); PRAGMA user_version = 5;";
        store.reader().execute_batch(older).expect("an older store");
        drop(store);
        let store = Store::open(&file).expect("replaced");
        assert_eq!(store.take_warnings(), Vec::<String>::new());
        let events = pins::events(store.reader()).expect("readable");
        assert_eq!(events.len(), 1);
        assert!(store.reader().prepare("SELECT x FROM best").is_err());
        assert!(!folder.path().join("cerberus.db.older").exists());
    }

    #[test]
    fn a_newer_store_is_refused() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let file = file(folder.path(), "cerberus.db");
        let store = Store::open(&file).expect("new");
        store
            .reader()
            .pragma_update(None, "user_version", 9999)
            .expect("set");
        store
            .reader()
            .execute_batch("CREATE TABLE of_a_newer_version (id)")
            .expect("created");
        drop(store);
        let error = Store::open(&file).err().expect("refused");
        assert!(format!("{error:#}").contains("newer cerberus"), "{error:#}");
    }

    #[test]
    fn a_store_with_a_damaged_header_is_rebuilt() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let file = file(folder.path(), "cerberus.db");
        drop(Store::open(&file).expect("new"));
        let whole = std::fs::read(&file.path).expect("a store");
        // The write version and the user version: https://www.sqlite.org/fileformat.html#the_database_header
        for offset in [18, 60, 63] {
            let mut bytes = whole.clone();
            bytes[offset] = 77;
            std::fs::write(&file.path, &bytes).expect("written");
            let store = Store::open(&file).expect("rebuilt");
            let warnings = store.take_warnings();
            assert!(warnings[0].contains("corrupt"), "{offset}: {:?}", warnings);
            store.transaction(|_| Ok(())).expect("writable");
        }
    }
}
