//! The database of the user beside a store, in the state folder of the user.
//!
//! A repository may contain a store, or a write-ahead log that SQLite applies to the store of the
//! user. What exists only in a database is therefore not in the store: pins with an expiry or a
//! session, and the history of pins. There is one such database for the folder of each
//! store. A store without its token was not made by this user for that folder.
//!
//! It is attached to the connection of the store as `own`, so that one transaction writes both.
#![expect(
    clippy::disallowed_methods,
    reason = "this module owns the user's databases"
)]

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cerberus_model::{UserError, failed_to};
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use sha2::{Digest, Sha256};

use super::damage::{back_up, is_damaged};
use super::{BUSY, Rejected, StoreFile, is_busy};
use crate::value;

/// The database of a process without a place for a file.
const IN_MEMORY: &str = ":memory:";

/// Bytes of the hash of a folder in the name of its database.
const HASH_BYTES: usize = 16;

const SCHEMA: &str = include_str!("own.sql");

/// The attached database of the user.
pub(super) struct Own {
    /// Whether it can distinguish the stores of this user from others.
    pub(super) has_token: bool,
    /// Why what is written to it is lost, or cannot be written, if so.
    pub(super) not_persistent: Option<String>,
    /// A warning that what it has is not read.
    pub(super) warning: Option<String>,
}

/// Attaches the database for a store, which is created if it is missing. Without a place for it, or for
/// a store in memory, it is in memory.
pub(super) fn attach(connection: &mut Connection, file: Option<&StoreFile>) -> Result<Own> {
    let Some(file) = file else {
        open(connection, Path::new(IN_MEMORY))?;
        return Ok(Own {
            has_token: true,
            not_persistent: None,
            warning: None,
        });
    };
    match create_folder(file).and_then(|path| open(connection, &path)) {
        Ok(()) => {
            let is_readonly = connection.is_readonly("own")?;
            let why = is_readonly.then(|| "the state folder of the user is read-only".to_owned());
            Ok(Own {
                has_token: true,
                not_persistent: why,
                warning: None,
            })
        }
        Err(error) if is_damaged(&error) || is_busy(&error) => Err(error),
        Err(error) => {
            // It is not attached if the first statement failed.
            let _ = connection.execute("DETACH own", []);
            open(connection, Path::new(IN_MEMORY))?;
            let why = format!("{error:#}");
            let warning =
                may_exist(file).then(|| format!("session and temporary pins are ignored: {why}"));
            Ok(Own {
                has_token: false,
                not_persistent: Some(why),
                warning,
            })
        }
    }
}

/// Returns the database for a store.
pub(super) fn path(file: &StoreFile) -> Result<PathBuf> {
    let state = file
        .state
        .as_ref()
        .ok_or_else(|| UserError::environment("home folder not found"))?;
    let folder = file.path.parent().context("no folder")?.canonicalize()?;
    let hash = Sha256::digest(folder.as_os_str().as_encoded_bytes());
    let name: String = hash[..HASH_BYTES]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    Ok(state.join("stores").join(name + ".db"))
}

/// Whether the user may have a database for a store, although it cannot be opened.
fn may_exist(file: &StoreFile) -> bool {
    let metadata = path(file).map(|path| path.symlink_metadata());
    metadata.is_ok_and(|it| !it.is_err_and(|error| error.kind() == ErrorKind::NotFound))
}

/// Creates the folder of the database, and returns its path without symbolic links, which SQLite refuses.
fn create_folder(file: &StoreFile) -> Result<PathBuf> {
    let path = path(file)?;
    let folder = path.parent().context("no folder")?;
    let context = failed_to("create", folder);
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    // Who reads the token can make a store that is believed.
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).with_context(context)?;
    Ok(folder
        .canonicalize()?
        .join(path.file_name().unwrap_or_default()))
}

fn open(connection: &mut Connection, path: &Path) -> Result<()> {
    attach_existing(connection, path)?;
    if !connection.table_exists(Some("own"), "origin")? {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have created it while this one waited for the lock.
        if !transaction.table_exists(Some("own"), "origin")? {
            transaction.execute_batch(SCHEMA)?;
        }
        transaction.commit()?;
    }
    Ok(())
}

/// Attaches a database without creating its tables.
pub(super) fn attach_existing(connection: &Connection, path: &Path) -> Result<()> {
    connection
        .execute("ATTACH ?1 AS own", [path.to_string_lossy()])
        .with_context(failed_to("open", path))?;
    Ok(())
}

/// Renames the database of a store if it is damaged, and returns a warning.
pub(super) fn set_aside(file: &StoreFile) -> Result<Option<String>> {
    let Some(path) = path(file).ok().filter(|path| path.is_file()) else {
        return Ok(None);
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let check = || -> Result<()> {
        let connection = Connection::open_with_flags(&path, flags)?;
        connection.busy_timeout(BUSY)?;
        match value::<String>(&connection, "PRAGMA quick_check(1)", [])? {
            found if found == "ok" => Ok(()),
            found => Err(Rejected::Damaged(found).into()),
        }
    };
    match check() {
        Err(error) if is_damaged(&error) => Ok(Some(format!(
            "the session pins, temporary pins and pin events of this project were corrupt; \
             saved the corrupt file as `{}`",
            back_up(&path, "corrupt")?.display()
        ))),
        // Another failure is reported when the database is opened.
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_belongs_to_one_folder_and_one_user() {
        let temp = tempfile::tempdir().expect("a temp folder");
        let file = |folder: &str| {
            let folder = temp.path().join(folder);
            std::fs::create_dir_all(&folder).expect("created");
            StoreFile {
                path: folder.join("cerberus.db"),
                state: Some(temp.path().join("state")),
            }
        };
        let [a, b] = ["a", "b"].map(file);
        assert_ne!(path(&a).expect("a path"), path(&b).expect("a path"));
        let token = |file| -> Vec<u8> {
            let mut connection = Connection::open_in_memory().expect("a store");
            assert!(
                attach(&mut connection, Some(file))
                    .expect("attached")
                    .has_token
            );
            value(&connection, "SELECT token FROM own.origin", []).expect("a token")
        };
        assert_eq!(token(&a), token(&a));
        assert_ne!(token(&a), token(&b));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let folder = temp
                .path()
                .join("state/stores")
                .metadata()
                .expect("a folder");
            assert_eq!(folder.permissions().mode() & 0o777, 0o700);
        }
    }
}
