//! Schema of the store. Its version is stored in `user_version`.
//!
//! Most tables can be rebuilt from files: a store with an older version gets new, empty ones.
//! Pins, the history of pins and feedback exist in the store only: a change of their tables has
//! to migrate their rows.

use anyhow::Result;
use rusqlite::{Connection, TransactionBehavior};

/// Version of [`SCHEMA`]. Every change of the schema or of packed values has to raise it.
pub(super) const VERSION: usize = 6;

/// Removes the tables that can be rebuilt, including those of development versions.
const DROP_REBUILT: &str = "
    DROP TABLE IF EXISTS code_file;
    DROP TABLE IF EXISTS code_term;
    DROP TABLE IF EXISTS code_terms;
    DROP TABLE IF EXISTS code_symbols;
    DROP TABLE IF EXISTS commit_time;
    DROP TABLE IF EXISTS best_anchor;
    DROP TABLE IF EXISTS rerank_cache;
    DROP TABLE IF EXISTS memory_file;
    DROP TABLE IF EXISTS memory_store;
    DROP TABLE IF EXISTS memory_section;
    DROP TABLE IF EXISTS memory_term;
    DROP TABLE IF EXISTS memory_text;
    DROP TABLE IF EXISTS memory_link;
    DROP TABLE IF EXISTS memory_anchor;
    DROP TABLE IF EXISTS lock_file;
";

const SCHEMA: &str = "
    CREATE TABLE code_file (
        id       INTEGER PRIMARY KEY,
        path     TEXT NOT NULL UNIQUE,
        language TEXT NOT NULL,
        size     INTEGER NOT NULL,
        mtime    INTEGER NOT NULL,
        hash     BLOB NOT NULL,
        n_terms  INTEGER NOT NULL,
        vector   BLOB
    ) STRICT;
    CREATE TABLE code_terms (
        last  INTEGER PRIMARY KEY,
        terms BLOB NOT NULL
    ) STRICT;
    CREATE TABLE code_symbols (
        id       INTEGER PRIMARY KEY,
        hash     BLOB NOT NULL,
        language TEXT NOT NULL,
        symbols  BLOB NOT NULL,
        UNIQUE (hash, language)
    ) STRICT;
    CREATE TABLE commit_time (
        path    TEXT PRIMARY KEY,
        head    TEXT NOT NULL,
        seconds INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE rerank_cache (
        memory    TEXT PRIMARY KEY,
        key       BLOB NOT NULL,
        candidate TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE memory_file (
        file     TEXT PRIMARY KEY,
        size     INTEGER NOT NULL,
        mtime    INTEGER NOT NULL,
        memory   TEXT NOT NULL,
        warnings TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE memory_store (
        id              TEXT PRIMARY KEY,
        file            TEXT NOT NULL,
        hash            BLOB NOT NULL,
        type            TEXT NOT NULL,
        category        TEXT,
        scope           TEXT NOT NULL,
        status          TEXT NOT NULL,
        tags            TEXT NOT NULL,
        created_at      TEXT,
        updated_at      TEXT,
        anchor_file     TEXT,
        anchor_symbol   TEXT,
        anchor_score    REAL,
        anchor_metadata TEXT,
        content         TEXT NOT NULL
    ) STRICT;
    CREATE TABLE memory_section (
        id      INTEGER PRIMARY KEY,
        memory  TEXT NOT NULL,
        section TEXT NOT NULL,
        norm    REAL NOT NULL,
        vector  BLOB NOT NULL
    ) STRICT;
    CREATE INDEX memory_section_memory ON memory_section (memory);
    CREATE TABLE memory_term (
        id   INTEGER PRIMARY KEY,
        term TEXT NOT NULL UNIQUE
    ) STRICT;
    CREATE VIRTUAL TABLE memory_text USING fts5(
        heading, body, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
    );
    CREATE TABLE memory_link (
        memory   TEXT NOT NULL,
        position INTEGER NOT NULL,
        line     INTEGER NOT NULL,
        target   TEXT NOT NULL,
        relation TEXT NOT NULL,
        label    TEXT,
        context  TEXT NOT NULL,
        PRIMARY KEY (memory, position)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX memory_link_target ON memory_link (target);
    CREATE INDEX memory_link_relation ON memory_link (relation);
    CREATE TABLE memory_anchor (
        id     TEXT PRIMARY KEY,
        anchor BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE lock_file (
        size  INTEGER NOT NULL,
        mtime INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE IF NOT EXISTS pin (
        session    TEXT NOT NULL,
        id         TEXT NOT NULL,
        content    TEXT NOT NULL,
        priority   TEXT NOT NULL,
        scope      TEXT NOT NULL,
        created_at TEXT NOT NULL,
        expires_at TEXT,
        tags       TEXT NOT NULL,
        metadata   TEXT NOT NULL,
        project    TEXT,
        PRIMARY KEY (session, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS pin_event (
        id      INTEGER PRIMARY KEY,
        at      TEXT NOT NULL,
        type    TEXT NOT NULL,
        pins    TEXT NOT NULL,
        message TEXT NOT NULL,
        hash    BLOB
    ) STRICT;
    CREATE TABLE IF NOT EXISTS feedback (
        id       INTEGER PRIMARY KEY,
        at       TEXT NOT NULL,
        memory   TEXT NOT NULL,
        good     INTEGER NOT NULL,
        anchored INTEGER NOT NULL
    ) STRICT;
";

/// Creates the schema or upgrades an older one, in one exclusive transaction.
pub(super) fn upgrade(connection: &mut Connection) -> Result<()> {
    let found = version(connection)?;
    if found == VERSION {
        return Ok(());
    }
    if found > VERSION {
        return Err(super::too_new(found, VERSION));
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Exclusive)?;
    // Another process may have upgraded the store while this one waited for the lock.
    if version(&transaction)? < VERSION {
        transaction.execute_batch(DROP_REBUILT)?;
        transaction.execute_batch(SCHEMA)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()?;
    Ok(())
}

fn version(connection: &Connection) -> Result<usize> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upgrading_an_older_store_rebuilds_the_index_and_preserves_pins_and_feedback() {
        let mut connection = Connection::open_in_memory().expect("a store");
        upgrade(&mut connection).expect("a new schema");
        connection
            .execute_batch(
                "INSERT INTO code_file VALUES (1, 'a.py', 'python', 1, 1, x'00', 1, NULL);
                 INSERT INTO feedback VALUES (1, '2026-01-02T03:04:05Z', 'a', 1, 1);
                 DROP TABLE rerank_cache;
                 CREATE TABLE best_anchor (memory TEXT PRIMARY KEY) STRICT;
                 PRAGMA user_version = 5;",
            )
            .expect("an older store");
        upgrade(&mut connection).expect("upgraded");
        let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, u32>(0));
        assert_eq!(count("SELECT count(*) FROM code_file"), Ok(0));
        assert_eq!(count("SELECT count(*) FROM rerank_cache"), Ok(0));
        assert_eq!(count("SELECT count(*) FROM feedback"), Ok(1));
        assert!(count("SELECT count(*) FROM best_anchor").is_err());
        assert_eq!(version(&connection).expect("a version"), VERSION);
    }
}
