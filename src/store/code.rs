//! The code index: files with their packed terms, the vocabulary, parsed symbols,
//! commit times.
//!
//! Term ids mean something only beside this store's vocabulary. Parsed symbols are
//! kept by content, so that a moved or restored file is not parsed again.

use anyhow::Result;
use rusqlite::{Connection, OptionalExtension, params};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::Language;

/// The xxh3-128 of a file's bytes.
pub(crate) type ContentHash = [u8; 16];

/// A file as it was indexed. Without a vector it was found unfit and is remembered
/// so that it is not read again.
#[derive(Debug, Clone)]
pub(crate) struct FileRow {
    pub(crate) path: String,
    pub(crate) language: Language,
    pub(crate) size: u64,
    pub(crate) mtime: i64,
    pub(crate) hash: ContentHash,
    pub(crate) n_terms: u32,
    pub(crate) vector: Option<Vec<u8>>,
}

/// Returns all indexed files, ordered by path.
pub(crate) fn files(connection: &Connection) -> Result<Vec<FileRow>> {
    const SQL: &str =
        "SELECT path, language, size, mtime, hash, n_terms, vector FROM code_file ORDER BY path";
    let mut statement = connection.prepare_cached(SQL)?;
    let rows = statement.query_map([], |row| {
        let language: String = row.get(1)?;
        Ok(FileRow {
            path: row.get(0)?,
            language: language.parse().unwrap_or(Language::Python),
            size: row.get(2)?,
            mtime: row.get(3)?,
            hash: row.get(4)?,
            n_terms: row.get(5)?,
            vector: row.get(6)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Writes a file's row over the one of its path, with the modification time by which
/// it is known again.
pub(crate) fn put_file(connection: &Connection, file: &FileRow, mtime: i64) -> Result<()> {
    const SQL: &str = "INSERT INTO code_file (path, language, size, mtime, hash, n_terms, vector)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        ON CONFLICT (path) DO UPDATE SET language = ?2, size = ?3, mtime = ?4, hash = ?5,
            n_terms = ?6, vector = ?7";
    connection.prepare_cached(SQL)?.execute(params![
        file.path,
        file.language.as_str(),
        file.size,
        mtime,
        file.hash,
        file.n_terms,
        file.vector
    ])?;
    Ok(())
}

/// Removes the row of `path`.
pub(crate) fn remove_file(connection: &Connection, path: &str) -> Result<()> {
    connection.prepare_cached("DELETE FROM code_file WHERE path = ?1")?.execute([path])?;
    Ok(())
}

/// Removes the symbols of contents that no file has any more.
pub(crate) fn sweep_symbols(connection: &Connection) -> Result<()> {
    const SQL: &str = "DELETE FROM code_symbols WHERE hash NOT IN (SELECT hash FROM code_file)";
    connection.prepare_cached(SQL)?.execute([])?;
    Ok(())
}

/// Returns the packed terms with the largest id of each pack, in the order of these.
pub(crate) fn terms(connection: &Connection) -> Result<Vec<(u32, Vec<u8>)>> {
    let mut statement =
        connection.prepare_cached("SELECT last, terms FROM code_terms ORDER BY last")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the largest term id, 0 for an empty vocabulary.
pub(crate) fn last_term_id(connection: &Connection) -> Result<u32> {
    let mut statement =
        connection.prepare_cached("SELECT coalesce(max(last), 0) FROM code_terms")?;
    Ok(statement.query_row([], |row| row.get(0))?)
}

/// Adds packed terms, `last` being the largest of their ids.
pub(crate) fn put_terms(connection: &Connection, last: u32, terms: &[u8]) -> Result<()> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO code_terms (last, terms) VALUES (?1, ?2)")?
        .execute(params![last, terms])?;
    Ok(())
}

/// Removes all terms.
pub(crate) fn clear_terms(connection: &Connection) -> Result<()> {
    connection.execute("DELETE FROM code_terms", [])?;
    Ok(())
}

/// Returns the packed symbols of a content, if they were kept.
pub(crate) fn symbols(
    connection: &Connection,
    hash: &ContentHash,
    language: Language,
) -> Result<Option<Vec<u8>>> {
    const SQL: &str = "SELECT symbols FROM code_symbols WHERE hash = ?1 AND language = ?2";
    let mut statement = connection.prepare_cached(SQL)?;
    let found = statement.query_row(params![hash, language.as_str()], |row| row.get(0));
    Ok(found.optional()?)
}

/// Returns whether any symbols are kept.
pub(crate) fn has_symbols(connection: &Connection) -> Result<bool> {
    const SQL: &str = "SELECT EXISTS (SELECT 1 FROM code_symbols)";
    Ok(connection.prepare_cached(SQL)?.query_row([], |row| row.get(0))?)
}

/// Returns the contents that have kept symbols.
pub(crate) fn parsed(connection: &Connection) -> Result<FxHashSet<(ContentHash, Language)>> {
    let mut statement = connection.prepare_cached("SELECT hash, language FROM code_symbols")?;
    let rows = statement.query_map([], |row| {
        let language: String = row.get(1)?;
        Ok((row.get(0)?, language.parse().unwrap_or(Language::Python)))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Keeps the packed symbols of a content.
pub(crate) fn put_symbols(
    connection: &Connection,
    hash: &ContentHash,
    language: Language,
    symbols: &[u8],
) -> Result<()> {
    const SQL: &str =
        "INSERT OR REPLACE INTO code_symbols (hash, language, symbols) VALUES (?1, ?2, ?3)";
    connection.prepare_cached(SQL)?.execute(params![hash, language.as_str(), symbols])?;
    Ok(())
}

/// Returns how many contents have kept symbols.
pub(crate) fn n_parsed(connection: &Connection) -> Result<u64> {
    Ok(connection.query_row("SELECT count(*) FROM code_symbols", [], |row| row.get(0))?)
}

/// A memory's id, what was asked of it, and what was found to be better than its anchor.
pub(crate) type BestAnchor = (String, [u8; 16], String);

/// Returns what was found to be better than the anchors that hold.
pub(crate) fn best_anchors(connection: &Connection) -> Result<Vec<BestAnchor>> {
    let mut statement =
        connection.prepare_cached("SELECT memory, asked, better FROM best_anchor")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Keeps what was found to be better than the anchor of a memory.
pub(crate) fn put_best_anchor(
    connection: &Connection,
    memory: &str,
    asked: &[u8; 16],
    better: &str,
) -> Result<()> {
    const SQL: &str =
        "INSERT OR REPLACE INTO best_anchor (memory, asked, better) VALUES (?1, ?2, ?3)";
    connection.prepare_cached(SQL)?.execute(params![memory, asked, better])?;
    Ok(())
}

/// Returns when the files were last committed as of `head`, for those that were asked
/// before; none where the commit is older than what is looked at.
pub(crate) fn commit_times(
    connection: &Connection,
    head: &str,
    paths: &[&str],
) -> Result<FxHashMap<String, Option<i64>>> {
    const SQL: &str = "SELECT seconds FROM commit_time WHERE path = ?1 AND head = ?2";
    let mut statement = connection.prepare_cached(SQL)?;
    let mut times = FxHashMap::default();
    for path in paths {
        let found = statement.query_row([path, head], |row| row.get(0)).optional()?;
        if let Some(seconds) = found {
            times.insert((*path).to_owned(), seconds);
        }
    }
    Ok(times)
}

/// Keeps when files were last committed as of `head`.
pub(crate) fn put_commit_times<'a>(
    connection: &Connection,
    head: &str,
    times: impl IntoIterator<Item = (&'a str, Option<i64>)>,
) -> Result<()> {
    const SQL: &str =
        "INSERT OR REPLACE INTO commit_time (path, head, seconds) VALUES (?1, ?2, ?3)";
    connection.prepare_cached("DELETE FROM commit_time WHERE head <> ?1")?.execute([head])?;
    let mut statement = connection.prepare_cached(SQL)?;
    for (path, seconds) in times {
        statement.execute(params![path, head, seconds])?;
    }
    Ok(())
}
