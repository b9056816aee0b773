//! Proof that this user made a store for this folder.
//!
//! A repository may contain a store, or a write-ahead log that SQLite applies to the store of the
//! user. Rows that exist only in the store are therefore believed only with a keyed hash
//! (HMAC-SHA256) of the folder and the row. The key is a secret in the state folder of the user.
#![expect(clippy::disallowed_methods, reason = "this module owns the key file")]

use std::io::{ErrorKind, Write};
use std::path::Path;

use anyhow::{Context, Result};
use hmac::{Hmac, KeyInit, Mac};
use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::ValueRef;
use sha2::Sha256;

const KEY_BYTES: usize = 32;

/// Computes the keyed hashes of the stores in one folder.
#[derive(Clone)]
pub(super) struct Authenticator(Hmac<Sha256>);

impl Authenticator {
    fn new(key: &[u8], folder: &Path) -> Self {
        let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
        update(&mut mac, b'f', folder.as_os_str().as_encoded_bytes());
        Self(mac)
    }

    /// Reads the key, creating it on first use. `folder` is the real path of the store's folder.
    pub(super) fn load_or_create(key_path: &Path, folder: &Path) -> Result<Self> {
        let key = match read(key_path)? {
            Some(key) => key,
            None => create(key_path)
                .with_context(|| format!("failed to create the key `{}`", key_path.display()))?,
        };
        Ok(Self::new(&key, folder))
    }

    /// Reads the key if it exists.
    pub(super) fn load(key_path: &Path, folder: &Path) -> Option<Self> {
        read(key_path).ok()?.map(|key| Self::new(&key, folder))
    }

    /// Uses a key that is lost with the process.
    pub(super) fn ephemeral(connection: &Connection) -> Result<Self> {
        Ok(Self::new(&random(connection)?, Path::new("")))
    }
}

/// Defines the SQL function `row_mac`. Its result is NULL without an authenticator, so that no
/// row is believed.
pub(super) fn define(connection: &Connection, authenticator: Option<Authenticator>) -> Result<()> {
    // DIRECTONLY: the schema of a store must not be able to call it.
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_DIRECTONLY;
    connection.create_scalar_function("row_mac", -1, flags, move |context| {
        let Some(Authenticator(mac)) = &authenticator else { return Ok(None) };
        let mut mac = mac.clone();
        for idx in 0..context.len() {
            match context.get_raw(idx) {
                ValueRef::Null => update(&mut mac, b'n', &[]),
                ValueRef::Integer(number) => update(&mut mac, b'i', &number.to_le_bytes()),
                ValueRef::Real(number) => update(&mut mac, b'r', &number.to_le_bytes()),
                ValueRef::Text(text) => update(&mut mac, b't', text),
                ValueRef::Blob(bytes) => update(&mut mac, b'b', bytes),
            }
        }
        Ok(Some(mac.finalize().into_bytes().to_vec()))
    })?;
    Ok(())
}

/// Adds a value with its type and length, so that different values never have the same bytes.
fn update(mac: &mut Hmac<Sha256>, kind: u8, bytes: &[u8]) {
    mac.update(&[kind]);
    mac.update(&(bytes.len() as u64).to_le_bytes());
    mac.update(bytes);
}

fn random(connection: &Connection) -> Result<Vec<u8>> {
    // The generator of SQLite is seeded by the operating system.
    Ok(connection.query_row("SELECT randomblob(?1)", [KEY_BYTES], |row| row.get(0))?)
}

fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    let context = || format!("failed to read the key `{}`", path.display());
    match path.metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(context),
        // A key that was cut off by a full disk is replaced.
        Ok(metadata) if metadata.is_file() && metadata.len() != KEY_BYTES as u64 => {
            return Ok(None);
        }
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => anyhow::bail!("{}: it is not a regular file", context()),
    }
    std::fs::read(path).map(Some).with_context(context)
}

fn create(path: &Path) -> Result<Vec<u8>> {
    let folder = path.parent().context("it has no folder")?;
    std::fs::create_dir_all(folder)?;
    let key = random(&Connection::open_in_memory()?)?;
    // The temporary file is readable by the user only.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&key)?;
    file.as_file().sync_all()?;
    if path.exists() && read(path)?.is_none() {
        file.persist(path)?;
        return Ok(key);
    }
    match file.persist_noclobber(path) {
        Ok(_) => Ok(key),
        // Another process created it in the meantime.
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => {
            read(path)?.context("another process writes it")
        }
        Err(error) => Err(error.error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mac(authenticator: &Authenticator, sql: &str) -> Option<Vec<u8>> {
        let connection = Connection::open_in_memory().expect("a store");
        define(&connection, Some(authenticator.clone())).expect("defined");
        connection.query_row(sql, [], |row| row.get(0)).expect("a hash")
    }

    #[test]
    fn keyed_hashes_depend_on_key_folder_and_each_value() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let key = folder.path().join("state/key");
        let here = Path::new("/a");
        assert!(Authenticator::load(&key, here).is_none());
        let first = Authenticator::load_or_create(&key, here).expect("created");
        let again = Authenticator::load(&key, here).expect("read");
        let sql = "SELECT row_mac('pin', 'ab', NULL)";
        assert_eq!(mac(&first, sql), mac(&again, sql));
        for other in ["SELECT row_mac('pin', 'a', 'b')", "SELECT row_mac('pin', 'ab', '')"] {
            assert_ne!(mac(&first, sql), mac(&first, other));
        }
        let elsewhere = Authenticator::load(&key, Path::new("/b")).expect("read");
        assert_ne!(mac(&first, sql), mac(&elsewhere, sql));
        std::fs::write(&key, "cut").expect("written");
        let replaced = Authenticator::load_or_create(&key, here).expect("replaced");
        assert_ne!(mac(&first, sql), mac(&replaced, sql));
    }

    #[cfg(unix)]
    #[test]
    fn only_the_user_can_read_the_key() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a temp folder");
        let key = folder.path().join("key");
        Authenticator::load_or_create(&key, Path::new("/a")).expect("created");
        let mode = key.metadata().expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
