//! The code index: files with their packed terms, the vocabulary, parsed symbols,
//! commit times.
//!
//! Term ids are valid only with the vocabulary of the same store. Parsed symbols are
//! stored by content hash, so a moved or restored file is not parsed again.

use anyhow::Result;
use cerberus_model::Language;
use rusqlite::{Connection, Row, params};
use rustc_hash::FxHashSet;

use crate::{execute, first, query, value, values};

/// xxh3-128 hash of the bytes of a file.
pub type ContentHash = [u8; 16];

/// Indexed file. Without a vector, the file is binary, minified or generated; its row
/// avoids reading it again.
#[derive(Debug, Clone)]
pub struct FileRow {
    pub path: String,
    pub language: Language,
    pub size: u64,
    pub mtime: i64,
    pub hash: ContentHash,
    pub n_terms: u32,
    pub vector: Option<Vec<u8>>,
}

/// Returns all indexed files, ordered by path.
pub fn files(connection: &Connection) -> Result<Vec<FileRow>> {
    const SQL: &str =
        "SELECT path, language, size, mtime, hash, n_terms, vector FROM code_file ORDER BY path";
    query(connection, SQL, [], file_row)
}

/// Returns the indexed file with this path.
pub fn file(connection: &Connection, path: &str) -> Result<Option<FileRow>> {
    const SQL: &str =
        "SELECT path, language, size, mtime, hash, n_terms, vector FROM code_file WHERE path = ?1";
    first(connection, SQL, [path], file_row)
}

fn file_row(row: &Row<'_>) -> rusqlite::Result<FileRow> {
    Ok(FileRow {
        path: row.get(0)?,
        language: values::from_text(row, 1)?,
        size: row.get(2)?,
        mtime: row.get(3)?,
        hash: row.get(4)?,
        n_terms: row.get(5)?,
        vector: row.get(6)?,
    })
}

/// Inserts or updates the row of a file, with `mtime` instead of its own modification time.
pub fn upsert_file(connection: &Connection, file: &FileRow, mtime: i64) -> Result<()> {
    const SQL: &str = "INSERT INTO code_file (path, language, size, mtime, hash, n_terms, vector)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        ON CONFLICT (path) DO UPDATE SET language = ?2, size = ?3, mtime = ?4, hash = ?5,
            n_terms = ?6, vector = ?7";
    let FileRow {
        path,
        size,
        hash,
        n_terms,
        vector,
        ..
    } = file;
    let language = file.language.as_str();
    execute(
        connection,
        SQL,
        params![path, language, size, mtime, hash, n_terms, vector],
    )
}

/// Removes the row of `path`.
pub fn remove_file(connection: &Connection, path: &str) -> Result<()> {
    execute(connection, "DELETE FROM code_file WHERE path = ?1", [path])
}

/// Removes the symbols of contents that no indexed file has.
pub fn remove_unused_symbols(connection: &Connection) -> Result<()> {
    const SQL: &str = "DELETE FROM code_symbols WHERE hash NOT IN (SELECT hash FROM code_file)";
    execute(connection, SQL, [])
}

/// Returns the packs of terms, each with its largest term id, ordered by that id.
pub fn terms(connection: &Connection) -> Result<Vec<(u32, Vec<u8>)>> {
    query(
        connection,
        "SELECT last, terms FROM code_terms ORDER BY last",
        [],
        |row| Ok((values::term_id(row, 0)?, row.get(1)?)),
    )
}

/// Returns the largest term id, 0 for an empty vocabulary.
pub fn last_term_id(connection: &Connection) -> Result<u32> {
    const SQL: &str = "SELECT coalesce(max(last), 0) FROM code_terms";
    Ok(first(connection, SQL, [], |row| values::term_id(row, 0))?.unwrap_or(0))
}

/// Inserts a pack of terms; `last` is the largest of their ids.
pub fn insert_terms(connection: &Connection, last: u32, terms: &[u8]) -> Result<()> {
    const SQL: &str = "INSERT OR REPLACE INTO code_terms (last, terms) VALUES (?1, ?2)";
    execute(connection, SQL, params![last, terms])
}

/// Removes all terms.
pub fn clear_terms(connection: &Connection) -> Result<()> {
    execute(connection, "DELETE FROM code_terms", [])
}

/// Returns the packed symbols of a content, if they are stored.
pub fn symbols(
    connection: &Connection,
    hash: &ContentHash,
    language: Language,
) -> Result<Option<Vec<u8>>> {
    const SQL: &str = "SELECT symbols FROM code_symbols WHERE hash = ?1 AND language = ?2";
    first(
        connection,
        SQL,
        params![hash, language.to_string()],
        |row| row.get(0),
    )
}

/// Returns whether any symbols are stored.
pub fn has_symbols(connection: &Connection) -> Result<bool> {
    value(connection, "SELECT EXISTS (SELECT 1 FROM code_symbols)", [])
}

/// Returns the contents whose symbols are stored.
pub fn parsed_contents(connection: &Connection) -> Result<FxHashSet<(ContentHash, Language)>> {
    query(
        connection,
        "SELECT hash, language FROM code_symbols",
        [],
        |row| Ok((row.get(0)?, values::from_text(row, 1)?)),
    )
}

/// Stores the packed symbols of a content.
pub fn insert_symbols(
    connection: &Connection,
    hash: &ContentHash,
    language: Language,
    symbols: &[u8],
) -> Result<()> {
    const SQL: &str =
        "INSERT OR REPLACE INTO code_symbols (hash, language, symbols) VALUES (?1, ?2, ?3)";
    execute(
        connection,
        SQL,
        params![hash, language.to_string(), symbols],
    )
}

/// Returns the number of contents whose symbols are stored.
pub fn n_parsed_contents(connection: &Connection) -> Result<u64> {
    value(connection, "SELECT count(*) FROM code_symbols", [])
}
