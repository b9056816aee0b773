//! Looks at a store from outside, and leaves it as it is.
#![expect(clippy::disallowed_methods, reason = "this module owns the store's files")]

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rusqlite::{Connection, OpenFlags};

use crate::error::UserError;

use super::{is_corrupt, schema};

/// How a store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Condition {
    /// The next command makes one.
    Missing,
    Whole,
    /// The next command migrates it.
    Older,
    /// By the schema it has and the one that is known.
    Newer(usize, usize),
    /// The next command sets it aside, for this reason.
    Corrupt(String),
}

/// What was seen of a store.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) condition: Condition,
    /// Why it cannot be written, if it cannot.
    pub(crate) unwritable: Option<String>,
    /// The corrupt stores that were set aside beside it.
    pub(crate) set_aside: Vec<PathBuf>,
}

/// Looks at the store at `path`.
pub(crate) fn look(path: &Path) -> Result<Seen> {
    let set_aside = set_aside(path);
    let Ok(metadata) = path.symlink_metadata() else {
        return Ok(Seen { condition: Condition::Missing, unwritable: None, set_aside });
    };
    if !metadata.is_file() {
        let shown = path.display();
        return Err(UserError::usage(format!("the store `{shown}` is not a regular file"))
            .hint(format!("move it away: mv {shown} {shown}.old"))
            .into());
    }
    let open = std::fs::OpenOptions::new().append(true).open(path);
    let unwritable = open.err().map(|error| error.to_string());
    let condition = match condition(path) {
        Err(error) if is_corrupt(&error) => Condition::Corrupt(format!("{:#}", error.root_cause())),
        found => found.with_context(|| format!("failed to read the store `{}`", path.display()))?,
    };
    Ok(Seen { condition, unwritable, set_aside })
}

fn condition(path: &Path) -> Result<Condition> {
    let connection = open(path)?;
    let found: usize = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found > schema::known() {
        return Ok(Condition::Newer(found, schema::known()));
    }
    let told: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if told != "ok" {
        return Ok(Condition::Corrupt(told.lines().next().unwrap_or_default().to_owned()));
    }
    Ok(if found < schema::known() { Condition::Older } else { Condition::Whole })
}

/// Opens the store for reading. A store without a log is told to be unchanging, or SQLite
/// would make files beside it.
fn open(path: &Path) -> Result<Connection> {
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

/// Opens a store of this cerberus's own schema for reading, if there is one.
pub(crate) fn reader(path: &Path) -> Option<Connection> {
    let connection = path.is_file().then(|| open(path).ok())??;
    let found: usize =
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).ok()?;
    (found == schema::known()).then_some(connection)
}

fn set_aside(path: &Path) -> Vec<PathBuf> {
    let folder = path.parent().and_then(|folder| std::fs::read_dir(folder).ok());
    let entries = folder.into_iter().flatten().flatten().map(|entry| entry.path());
    let is_aside = |it: &PathBuf| {
        it.extension().is_some_and(|end| end.to_string_lossy().starts_with("corrupt"))
    };
    let mut found: Vec<PathBuf> = entries.filter(is_aside).collect();
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    #[test]
    fn a_store_is_seen_as_it_is_and_nothing_is_made() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let path = folder.path().join("odd name #1?.db");
        let condition = || look(&path).expect("it can be read").condition;
        assert_eq!(condition(), Condition::Missing);
        assert!(reader(&path).is_none());
        let store = Store::open(&path).expect("new");
        assert_eq!(condition(), Condition::Whole, "while it is open");
        drop(store);
        let names = || {
            let entries = std::fs::read_dir(folder.path()).expect("a folder");
            entries.map(|it| it.expect("an entry").file_name()).collect::<Vec<_>>()
        };
        let before = names();
        assert_eq!(condition(), Condition::Whole);
        assert!(reader(&path).is_some());
        assert_eq!(names(), before);
        for (version, expected) in [
            (schema::known() + 1, Condition::Newer(schema::known() + 1, schema::known())),
            (1, Condition::Older),
        ] {
            let connection = Connection::open(&path).expect("a store");
            connection.pragma_update(None, "user_version", version).expect("set");
            drop(connection);
            assert_eq!(condition(), expected);
            assert!(reader(&path).is_none());
        }
        std::fs::write(&path, "no database ".repeat(400)).expect("a file");
        assert!(matches!(condition(), Condition::Corrupt(_)));
    }
}
