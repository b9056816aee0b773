//! Damaged stores and stores that somebody else made: detection and replacement.
#![expect(
    clippy::disallowed_methods,
    reason = "this module owns the store's files"
)]

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use cerberus_model::{failed_to, regular_file};
use rusqlite::types::FromSqlError;
use rusqlite::{ErrorCode, ffi};

use super::{BUSY, PAUSE, Store, StoreFile, check_no_link, is_busy, own, try_open};

/// The reason not to use a store that SQLite can read.
#[derive(Debug, thiserror::Error)]
pub(super) enum Rejected {
    #[error("it was not made by this user for this folder")]
    Foreign,
    /// An older version of cerberus made it.
    #[error("its schema is older")]
    Older,
    /// Its tables, indexes or triggers are not those of the schema.
    #[error("its schema is not the expected one")]
    Schema,
    /// A check found this.
    #[error("{0}")]
    Damaged(String),
}

/// Runs a command. If the store turns out to be damaged, replaces it and repeats the command
/// once, with a warning. A command reads the store before it writes to the bank.
pub fn with_repair<T>(
    file: &StoreFile,
    mut work: impl FnMut(Option<String>) -> Result<T>,
) -> Result<T> {
    match work(None) {
        Err(error) if is_damaged(&error) => {
            let damage = Rejected::Damaged("a command found it damaged".to_owned());
            match recover(file, Some(damage.into())).map(|store| store.take_warnings().pop()) {
                Ok(warning) => work(warning),
                Err(_) => Err(error),
            }
        }
        done => done,
    }
}

/// Opens a store that is damaged, rejected or busy. Only one process at a time does this, and
/// tries to open the store again first, because another process may have replaced it, unless
/// `damage` was found after it was opened.
pub(super) fn recover(file: &StoreFile, damage: Option<anyhow::Error>) -> Result<Store> {
    let _lock = lock(&file.path)?;
    let own_warning = own::set_aside(file)?;
    // A try may wait as long itself.
    let started = Instant::now();
    let mut replaced = None;
    let mut opened = match damage {
        Some(damage) => Err(damage),
        None => try_open(file),
    };
    loop {
        match opened {
            Err(error) if is_busy(&error) && started.elapsed() < BUSY => std::thread::sleep(PAUSE),
            Err(error) if is_damaged(&error) && replaced.is_none() => {
                let warning = match error.downcast_ref() {
                    // It has nothing that this user made.
                    Some(Rejected::Older | Rejected::Foreign) => {
                        std::fs::remove_file(back_up(&file.path, "old")?)?;
                        None
                    }
                    _ => Some(format!(
                        "the store was corrupt and has been rebuilt; saved the corrupt file as `{}`",
                        back_up(&file.path, "corrupt")?.display()
                    )),
                };
                replaced = Some(warning);
            }
            Ok(store) => {
                let warnings = own_warning.into_iter().chain(replaced.flatten());
                warnings.for_each(|warning| store.add_warning(warning));
                return Ok(store);
            }
            failed => return failed,
        }
        opened = try_open(file);
    }
}

/// Locks the store against other processes that replace it, until the result is dropped.
fn lock(path: &Path) -> Result<std::fs::File> {
    let lock_path = path.with_extension("db.lock");
    check_no_link(&lock_path)?;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let lock = regular_file::open_with(&options, &lock_path)
        .with_context(failed_to("open", &lock_path))?;
    lock.lock()
        .context("failed to wait for another process that recovers the store")?;
    Ok(lock)
}

/// Whether an error means that the store has to be replaced. All statements are constants that
/// are valid for the schema, so their failure and unknown values mean damage.
pub(super) fn is_damaged(error: &anyhow::Error) -> bool {
    // A column that was read without its type, as by `as_str`, fails with a `FromSqlError`.
    for cause in error.chain() {
        if cause.is::<Rejected>() || cause.is::<FromSqlError>() {
            return true;
        }
    }
    match super::sqlite_error(error) {
        Some(rusqlite::Error::SqliteFailure(failure, message)) => {
            is_damage(*failure, message.as_deref().unwrap_or_default())
        }
        Some(
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::QueryReturnedNoRows
            | rusqlite::Error::SqlInputError { .. }
            | rusqlite::Error::Utf8Error(..),
        ) => true,
        _ => false,
    }
}

fn is_damage(failure: ffi::Error, message: &str) -> bool {
    match failure.code {
        ErrorCode::DatabaseCorrupt
        | ErrorCode::NotADatabase
        | ErrorCode::InternalMalfunction
        | ErrorCode::NotFound
        | ErrorCode::OperationInterrupted
        | ErrorCode::OutOfMemory
        | ErrorCode::TooBig
        | ErrorCode::TypeMismatch => true,
        // Two processes may add the same pin at the same time.
        ErrorCode::ConstraintViolation => !message.contains("pin.id"),
        ErrorCode::SystemIoFailure => matches!(
            failure.extended_code,
            ffi::SQLITE_IOERR_SHORT_READ | ffi::SQLITE_IOERR_CORRUPTFS | ffi::SQLITE_IOERR_DATA
        ),
        // Errors in the text of a query are not damage.
        ErrorCode::Unknown => {
            failure.extended_code == ffi::SQLITE_ERROR
                && !message.starts_with("fts5: syntax error")
                && !message.starts_with("unterminated string")
                && !message.starts_with("unknown special query")
        }
        _ => false,
    }
}

/// Renames a store and returns its new path.
pub(super) fn back_up(path: &Path, kind: &str) -> Result<PathBuf> {
    let mut backup = path.with_extension(format!("db.{kind}"));
    let mut n = 2;
    while backup.exists() {
        backup = path.with_extension(format!("db.{kind}-{n}"));
        n += 1;
    }
    std::fs::rename(path, &backup)
        .with_context(failed_to(&format!("rename the {kind} store"), path))?;
    for tail in ["-wal", "-shm", "-journal"] {
        let mut name = path.as_os_str().to_owned();
        name.push(tail);
        // The log of the old store must not be applied to the new one.
        let _ = std::fs::remove_file(PathBuf::from(name));
    }
    Ok(backup)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use rusqlite::Connection;

    use super::*;

    #[test]
    fn a_locked_store_is_waited_for_twice_at_most() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let file = StoreFile {
            path: folder.path().join("cache.db"),
            state: None,
        };
        drop(Store::open(&file).expect("created"));
        let other = Connection::open(&file.path).expect("it exists");
        other
            .execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
            .expect("locked");
        let (sender, receiver) = channel();
        std::thread::spawn(move || sender.send(Store::open(&file).is_err()));
        assert_eq!(
            receiver.recv_timeout(4 * BUSY + Duration::from_secs(10)),
            Ok(true)
        );
    }
}
