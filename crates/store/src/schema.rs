//! Schema of the store. Its version is stored in `user_version`.
//!
//! A store of another version is replaced: all its tables can be rebuilt from files.

use anyhow::Result;
use rusqlite::{Connection, TransactionBehavior};

use super::damage::Rejected;

/// Version of [`SCHEMA`]. Every change of the schema or of packed values has to raise it. A change of
/// packed values must change the text of the schema too: by it a store of a newer version differs
/// from one with a damaged header.
pub(super) const VERSION: usize = 20;

const SCHEMA: &str = include_str!("schema.sql");

/// The tables that FTS5 creates for `memory_text`.
const TEXT_TABLES: &[&str] = &[
    "CREATE TABLE 'memory_text_data'(id INTEGER PRIMARY KEY, block BLOB)",
    "CREATE TABLE 'memory_text_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID",
    "CREATE TABLE 'memory_text_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER)",
    "CREATE TABLE 'memory_text_config'(k PRIMARY KEY, v) WITHOUT ROWID",
];

/// Signs the store.
const SIGN: &str = "INSERT INTO main.origin (token) SELECT token FROM own.origin;";

/// Creates the schema in an empty store, in one exclusive transaction. Fails with [`Rejected`] for
/// a store that another user, another program or an older version made. Without a token
/// (`can_verify`) only the schema is checked.
pub(super) fn create(connection: &mut Connection, can_verify: bool) -> Result<()> {
    if version(connection)? == 0 && is_empty(connection)? {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Exclusive)?;
        // Another process may have created it while this one waited for the lock.
        if is_empty(&transaction)? {
            transaction.execute_batch(SCHEMA)?;
            transaction.execute_batch(SIGN)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
        }
        transaction.commit()?;
    }
    let found = version(connection)?;
    if found != VERSION {
        // Another version has another schema.
        if check(connection).is_ok() {
            let why = format!("its version {found} does not fit to its schema");
            return Err(Rejected::Damaged(why).into());
        }
        if found < VERSION {
            return Err(Rejected::Older.into());
        }
        check_origin(connection, can_verify)?;
        return Err(super::too_new(found, VERSION));
    }
    // First: `origin` could be a view.
    check(connection)?;
    check_origin(connection, can_verify)
}

fn is_empty(connection: &Connection) -> Result<bool> {
    super::value(
        connection,
        "SELECT NOT EXISTS (SELECT 1 FROM main.sqlite_schema)",
        [],
    )
}

/// Fails if this user did not make the store for its folder.
pub(super) fn check_origin(connection: &Connection, can_verify: bool) -> Result<()> {
    const TABLE: &str = "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema
        WHERE type = 'table' AND name = 'origin')";
    const SIGNED: &str = "SELECT EXISTS (SELECT 1 FROM main.origin JOIN own.origin USING (token))";
    let holds = |sql: &str| super::value::<bool>(connection, sql, []);
    if can_verify && !(holds(TABLE)? && holds(SIGNED)?) {
        return Err(Rejected::Foreign.into());
    }
    Ok(())
}

/// Returns the statements of [`SCHEMA`] as SQLite stores them.
fn statements() -> impl Iterator<Item = &'static str> {
    SCHEMA.split(';').map(str::trim).filter(|it| !it.is_empty())
}

/// Fails if the store has other tables, indexes, views or triggers than [`SCHEMA`].
pub(super) fn check(connection: &Connection) -> Result<()> {
    // SQLite creates the indexes without a statement for UNIQUE and PRIMARY KEY.
    const SQL: &str = "SELECT sql FROM main.sqlite_schema
        WHERE sql IS NOT NULL OR type IS NOT 'index' OR typeof(name) <> 'text'
            OR name NOT GLOB 'sqlite_autoindex_*'";
    let found: rusqlite::Result<Vec<Option<String>>> = connection
        .prepare(SQL)?
        .query_map([], |row| row.get(0))?
        .collect();
    let mut found: Vec<String> = found?.into_iter().map(Option::unwrap_or_default).collect();
    let mut expected: Vec<&str> = statements().chain(TEXT_TABLES.iter().copied()).collect();
    expected.sort_unstable();
    found.sort_unstable();
    if expected == found {
        Ok(())
    } else {
        Err(Rejected::Schema.into())
    }
}

pub(super) fn version(connection: &Connection) -> Result<usize> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::own;

    fn connection() -> Connection {
        let mut connection = Connection::open_in_memory().expect("a store");
        own::attach(&mut connection, None).expect("attached");
        connection
    }

    #[test]
    fn unexpected_parts_of_the_schema_are_rejected() {
        for extra in [
            "CREATE VIEW v AS SELECT 1",
            "CREATE TABLE t (x)",
            "CREATE INDEX i ON given_rule (memory)",
            "DROP TABLE given_rule",
            "DROP TABLE given_rule; CREATE VIEW given_rule AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL
                SELECT n + 1 FROM r) SELECT n AS session FROM r",
            "CREATE TRIGGER t AFTER INSERT ON given_rule BEGIN DELETE FROM memory_link; END",
        ] {
            let mut connection = connection();
            create(&mut connection, true).expect("a new schema");
            create(&mut connection, true).expect("the expected schema");
            connection.execute_batch(extra).expect("changed");
            let error = create(&mut connection, true).expect_err(extra);
            assert!(matches!(error.downcast_ref(), Some(Rejected::Schema)), "{extra}: {error:#}");
        }
    }

    #[test]
    fn a_store_with_another_signature_is_rejected() {
        for change in [
            "DELETE FROM main.origin",
            "UPDATE main.origin SET token = x'00'",
            "DROP TABLE main.origin",
        ] {
            for version in [1, VERSION, VERSION + 1] {
                let mut connection = connection();
                create(&mut connection, true).expect("a new schema");
                connection.execute_batch(change).expect("changed");
                connection
                    .pragma_update(None, "user_version", version)
                    .expect("set");
                let error = create(&mut connection, true).expect_err(change);
                assert!(error.is::<Rejected>(), "{change}: {error:#}");
            }
        }
    }
}
