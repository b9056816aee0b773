//! Inspects a store without modifying it.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rusqlite::{Connection, OpenFlags};

use cerberus_model::error::UserError;
use cerberus_model::regular_file;

use super::damage::{Rejected, is_damaged};
use super::{StoreFile, check_logs, limit, own, schema, value};

/// Status of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// The next command creates it.
    Missing,
    Ok,
    /// The next command replaces it.
    Older,
    /// Its schema version and the supported one.
    Newer(usize, usize),
    /// The next command replaces it: this user did not make it for this folder.
    Foreign,
    /// `cerberus index --full` replaces it, for this reason.
    Corrupt(String),
}

/// Result of inspecting a store.
#[derive(Debug)]
pub struct Inspection {
    pub status: Status,
    /// Why it is not writable.
    pub unwritable: Option<String>,
}

/// Inspects a store.
pub fn inspect(file: &StoreFile) -> Result<Inspection> {
    let path = file.path.as_path();
    let Ok(metadata) = path.symlink_metadata() else {
        return Ok(Inspection { status: Status::Missing, unwritable: None });
    };
    if !metadata.is_file() {
        let shown = path.display();
        return Err(UserError::usage(format!("the store `{shown}` is not a regular file"))
            .hint(format!("move it away: mv {shown} {shown}.old"))
            .into());
    }
    let open = regular_file::open_with(OpenOptions::new().append(true), path);
    let unwritable = open.err().map(|error| error.to_string());
    let status = match status(file) {
        Err(error) if matches!(error.downcast_ref(), Some(Rejected::Foreign)) => Status::Foreign,
        Err(error) if is_damaged(&error) => Status::Corrupt(format!("{:#}", error.root_cause())),
        found => found.with_context(|| format!("failed to read the store `{}`", path.display()))?,
    };
    Ok(Inspection { status, unwritable })
}

fn status(file: &StoreFile) -> Result<Status> {
    let (connection, can_verify) = open(file)?;
    let found = schema::version(&connection)?;
    if found > schema::VERSION {
        return Ok(Status::Newer(found, schema::VERSION));
    }
    if found == schema::VERSION {
        schema::check(&connection)?;
    }
    schema::check_origin(&connection, can_verify)?;
    let check: String = value(&connection, "PRAGMA quick_check(1)", [])?;
    if check != "ok" {
        return Ok(Status::Corrupt(check.lines().next().unwrap_or_default().to_owned()));
    }
    Ok(if found < schema::VERSION { Status::Older } else { Status::Ok })
}

/// Opens the store for reading. A store without a write-ahead log is opened as immutable,
/// because SQLite would create files beside it otherwise. Also returns whether the database of the user
/// exists.
fn open(file: &StoreFile) -> Result<(Connection, bool)> {
    let mut connection = open_connection(&file.path)?;
    limit::install(&mut connection);
    let own = own::path(file).and_then(|path| Ok(path.canonicalize()?));
    let can_verify = own.is_ok_and(|path| own::attach_existing(&connection, &path).is_ok());
    Ok((connection, can_verify))
}

fn open_connection(path: &Path) -> Result<Connection> {
    check_logs(path)?;
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if PathBuf::from(log).exists() {
        return Ok(Connection::open_with_flags(path, flags)?);
    }
    let full = path.canonicalize()?;
    let escaped =
        full.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let uri = format!("file:{escaped}?immutable=1");
    Ok(Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)?)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests write files")]
mod tests {
    use super::*;
    use crate::Store;

    #[test]
    fn inspecting_a_store_reports_its_status_and_creates_no_files() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let keys = tempfile::tempdir().expect("a temp folder");
        let path = folder.path().join("odd name #1?.db");
        let file = StoreFile { path: path.clone(), state: Some(keys.path().join("state")) };
        let status = || inspect(&file).expect("it can be read").status;
        assert_eq!(status(), Status::Missing);
        let store = Store::open(&file).expect("new");
        assert_eq!(status(), Status::Ok, "while it is open");
        drop(store);
        let names = || {
            let entries = std::fs::read_dir(folder.path()).expect("a folder");
            entries.map(|it| it.expect("an entry").file_name()).collect::<Vec<_>>()
        };
        let before = names();
        assert_eq!(status(), Status::Ok);
        assert_eq!(names(), before);
        for (version, expected) in [
            (schema::VERSION + 1, Status::Newer(schema::VERSION + 1, schema::VERSION)),
            (1, Status::Older),
        ] {
            let connection = Connection::open(&path).expect("a store");
            connection.pragma_update(None, "user_version", version).expect("set");
            drop(connection);
            assert_eq!(status(), expected);
        }
        let other = StoreFile { path: path.clone(), state: Some(keys.path().join("other")) };
        let mut connection = Connection::open_in_memory().expect("a store");
        own::attach(&mut connection, Some(&other)).expect("attached");
        assert_eq!(inspect(&other).expect("it can be read").status, Status::Foreign);
        std::fs::write(&path, "no database ".repeat(400)).expect("a file");
        assert!(matches!(status(), Status::Corrupt(_)));
    }
}
