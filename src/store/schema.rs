//! The schema as an append-only list of migrations, counted in `user_version`.

use anyhow::Result;
use rusqlite::{Connection, TransactionBehavior};

/// Every change of the schema there ever was; released ones are never edited.
const MIGRATIONS: &[&str] = &[
    "
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
    CREATE TABLE code_term (
        id   INTEGER PRIMARY KEY,
        term TEXT NOT NULL UNIQUE
    ) STRICT;
    CREATE TABLE code_symbols (
        hash     BLOB NOT NULL,
        language TEXT NOT NULL,
        symbols  BLOB NOT NULL,
        PRIMARY KEY (hash, language)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE commit_time (
        path    TEXT PRIMARY KEY,
        head    TEXT NOT NULL,
        seconds INTEGER
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
        content         TEXT NOT NULL,
        created_at      TEXT,
        updated_at      TEXT,
        anchor_file     TEXT,
        anchor_symbol   TEXT,
        anchor_score    REAL,
        anchor_metadata TEXT
    ) STRICT;
    CREATE VIRTUAL TABLE memory_text USING fts5 (
        memory UNINDEXED, section UNINDEXED, heading, body,
        tokenize = 'porter unicode61'
    );
",
    "
    DROP TABLE memory_text;
    DROP TABLE memory_store;
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
        edge     TEXT NOT NULL,
        label    TEXT,
        context  TEXT NOT NULL,
        PRIMARY KEY (memory, position)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX memory_link_target ON memory_link (target);
    CREATE INDEX memory_link_edge ON memory_link (edge);
    CREATE TABLE memory_anchor (
        id     TEXT PRIMARY KEY,
        anchor BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE lock_file (
        size  INTEGER NOT NULL,
        mtime INTEGER NOT NULL
    ) STRICT;
",
    "
    CREATE TABLE pin (
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
    CREATE TABLE pin_event (
        id      INTEGER PRIMARY KEY,
        at      TEXT NOT NULL,
        type    TEXT NOT NULL,
        pins    TEXT NOT NULL,
        message TEXT NOT NULL,
        hash    BLOB
    ) STRICT;
    CREATE TABLE feedback (
        id       INTEGER PRIMARY KEY,
        at       TEXT NOT NULL,
        memory   TEXT NOT NULL,
        good     INTEGER NOT NULL,
        anchored INTEGER NOT NULL
    ) STRICT;
",
    "
    DROP TABLE code_term;
    DROP TABLE code_symbols;
    DELETE FROM code_file;
    CREATE TABLE code_symbols (
        id       INTEGER PRIMARY KEY,
        hash     BLOB NOT NULL,
        language TEXT NOT NULL,
        symbols  BLOB NOT NULL,
        UNIQUE (hash, language)
    ) STRICT;
    CREATE TABLE code_terms (
        last  INTEGER PRIMARY KEY,
        terms BLOB NOT NULL
    ) STRICT;
    CREATE TABLE best_anchor (
        memory TEXT PRIMARY KEY,
        asked  BLOB NOT NULL,
        better TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
",
    "
    DELETE FROM code_symbols;
",
];

/// Returns the schema that this cerberus knows.
pub(super) fn known() -> usize {
    MIGRATIONS.len()
}

/// Brings the schema up to date, in one transaction that no other process can see half of.
pub(crate) fn migrate(connection: &mut Connection) -> Result<()> {
    let version = |connection: &Connection| -> Result<usize> {
        Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
    };
    let found = version(connection)?;
    if found == MIGRATIONS.len() {
        return Ok(());
    }
    if found > MIGRATIONS.len() {
        return Err(super::too_new(found, MIGRATIONS.len()));
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Exclusive)?;
    // Another process may have migrated while this one waited for the lock.
    for migration in MIGRATIONS.iter().skip(version(&transaction)?) {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "user_version", MIGRATIONS.len())?;
    transaction.commit()?;
    Ok(())
}
