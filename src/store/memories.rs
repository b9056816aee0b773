//! The memories as the store knows them: a row each, its sections for search, and the
//! files that they were read from.

use anyhow::Result;
use rusqlite::{Connection, OptionalExtension, params};
use rustc_hash::FxHashMap;

use super::links::{self, LinkRow};

/// A file of the bank as it was when it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileRow {
    pub(crate) file: String,
    pub(crate) size: u64,
    pub(crate) mtime: i64,
    /// The id that the file gives its memory, whether or not another file has it too.
    pub(crate) memory: String,
    /// What reading it has to say, a line each.
    pub(crate) warnings: String,
}

/// A memory's row.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) file: String,
    pub(crate) hash: [u8; 16],
    pub(crate) memory_type: String,
    pub(crate) category: Option<String>,
    pub(crate) scope: String,
    pub(crate) status: String,
    /// Apart by line ends.
    pub(crate) tags: String,
    pub(crate) content: String,
    pub(crate) created_at: Option<String>,
    pub(crate) updated_at: Option<String>,
}

/// An anchor as the store keeps it: columns to ask for, and the whole in bytes.
#[derive(Debug, Clone)]
pub(crate) struct AnchorRow {
    pub(crate) id: String,
    pub(crate) file: String,
    pub(crate) symbol: Option<String>,
    pub(crate) score: f64,
    pub(crate) metadata: String,
    pub(crate) packed: Vec<u8>,
}

/// A part of a memory that search looks through.
#[derive(Debug, Clone)]
pub(crate) struct SectionRow {
    /// Empty for the memory as a whole.
    pub(crate) section: String,
    pub(crate) heading: String,
    pub(crate) body: String,
    pub(crate) norm: f64,
    pub(crate) vector: Vec<u8>,
}

/// Returns the files that the store was made from, by their paths.
pub(crate) fn files(connection: &Connection) -> Result<FxHashMap<String, FileRow>> {
    const SQL: &str = "SELECT file, size, mtime, memory, warnings FROM memory_file";
    let mut statement = connection.prepare_cached(SQL)?;
    let rows = statement.query_map([], |row| {
        let file: String = row.get(0)?;
        let known = FileRow {
            file: file.clone(),
            size: row.get(1)?,
            mtime: row.get(2)?,
            memory: row.get(3)?,
            warnings: row.get(4)?,
        };
        Ok((file, known))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Writes a file over what was known of it.
pub(crate) fn put_file(connection: &Connection, file: &FileRow) -> Result<()> {
    const SQL: &str = "INSERT OR REPLACE INTO memory_file (file, size, mtime, memory, warnings)
        VALUES (?1, ?2, ?3, ?4, ?5)";
    connection.prepare_cached(SQL)?.execute(params![
        file.file,
        file.size,
        file.mtime,
        file.memory,
        file.warnings
    ])?;
    Ok(())
}

/// Forgets a file.
pub(crate) fn remove_file(connection: &Connection, file: &str) -> Result<()> {
    connection.prepare_cached("DELETE FROM memory_file WHERE file = ?1")?.execute([file])?;
    Ok(())
}

/// Calls `each` with the path, the size and the time of every file.
pub(crate) fn each_file(
    connection: &Connection,
    mut each: impl FnMut(&str, u64, i64),
) -> Result<()> {
    let mut statement = connection.prepare_cached("SELECT file, size, mtime FROM memory_file")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        each(row.get_ref(0)?.as_str()?, row.get(1)?, row.get(2)?);
    }
    Ok(())
}

/// Returns what reading the files had to say, ordered by file.
pub(crate) fn file_warnings(connection: &Connection) -> Result<Vec<String>> {
    const SQL: &str = "SELECT warnings FROM memory_file WHERE warnings <> '' ORDER BY file";
    let mut statement = connection.prepare_cached(SQL)?;
    let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
    let texts: Vec<String> = rows.collect::<rusqlite::Result<_>>()?;
    Ok(texts.iter().flat_map(|text| text.lines().map(str::to_owned)).collect())
}

/// Returns the files whose id another file has already, with the id and that file.
pub(crate) fn doubles(connection: &Connection) -> Result<Vec<(String, String, String)>> {
    // Every id has a file, so that there are no more files than ids where none is a double.
    const SQL: &str = "SELECT f.file, f.memory, m.file FROM memory_file AS f
        JOIN memory_store AS m ON m.id = f.memory
        WHERE (SELECT count(*) FROM memory_file) > (SELECT count(*) FROM memory_store)
            AND m.file <> f.file
        ORDER BY f.file";
    let mut statement = connection.prepare_cached(SQL)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the ids of anchors whose memory there is not.
pub(crate) fn orphaned_anchors(connection: &Connection) -> Result<Vec<String>> {
    const SQL: &str = "SELECT id FROM memory_anchor
        WHERE id NOT IN (SELECT id FROM memory_store) ORDER BY id";
    let mut statement = connection.prepare_cached(SQL)?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns what each memory's row was made from.
pub(crate) fn hashes(connection: &Connection) -> Result<FxHashMap<String, [u8; 16]>> {
    let mut statement = connection.prepare_cached("SELECT id, hash FROM memory_store")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the file of a memory.
pub(crate) fn file_of(connection: &Connection, id: &str) -> Result<Option<String>> {
    let mut statement = connection.prepare_cached("SELECT file FROM memory_store WHERE id = ?1")?;
    Ok(statement.query_row([id], |row| row.get(0)).optional()?)
}

/// Returns the ids of the rows with their files.
pub(crate) fn ids(connection: &Connection) -> Result<Vec<(String, String)>> {
    let mut statement =
        connection.prepare_cached("SELECT id, file FROM memory_store ORDER BY id")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Removes a memory with its sections and the links in it.
pub(crate) fn remove(connection: &Connection, id: &str) -> Result<()> {
    const TEXT: &str = "DELETE FROM memory_text
        WHERE rowid IN (SELECT id FROM memory_section WHERE memory = ?1)";
    connection.prepare_cached(TEXT)?.execute([id])?;
    connection.prepare_cached("DELETE FROM memory_section WHERE memory = ?1")?.execute([id])?;
    connection.prepare_cached("DELETE FROM memory_store WHERE id = ?1")?.execute([id])?;
    links::remove(connection, id)
}

/// Writes a memory over the one of its id.
pub(crate) fn put(
    connection: &Connection,
    row: &Row,
    sections: &[SectionRow],
    links: &[LinkRow],
) -> Result<()> {
    const ROW: &str = "INSERT INTO memory_store (id, file, hash, type, category, scope, status,
            tags, content, created_at, updated_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    const SECTION: &str =
        "INSERT INTO memory_section (memory, section, norm, vector) VALUES (?1, ?2, ?3, ?4)";
    const TEXT: &str = "INSERT INTO memory_text (rowid, heading, body) VALUES (?1, ?2, ?3)";
    remove(connection, &row.id)?;
    connection.prepare_cached(ROW)?.execute(params![
        row.id,
        row.file,
        row.hash,
        row.memory_type,
        row.category,
        row.scope,
        row.status,
        row.tags,
        row.content,
        row.created_at,
        row.updated_at
    ])?;
    for it in sections {
        let values = params![row.id, it.section, it.norm, it.vector];
        let rowid = connection.prepare_cached(SECTION)?.insert(values)?;
        connection.prepare_cached(TEXT)?.execute(params![rowid, it.heading, it.body])?;
    }
    links.iter().try_for_each(|link| links::put(connection, link))
}

/// Returns the rows of all memories without their text, in no order, each with the file
/// that the memory is anchored to.
pub(crate) fn rows(connection: &Connection) -> Result<Vec<(Row, Option<String>)>> {
    const SQL: &str = "SELECT id, file, type, category, scope, status, tags, created_at,
            updated_at, anchor_file
        FROM memory_store";
    let mut statement = connection.prepare_cached(SQL)?;
    let rows = statement.query_map([], |row| {
        let found = Row {
            id: row.get(0)?,
            file: row.get(1)?,
            hash: Default::default(),
            memory_type: row.get(2)?,
            category: row.get(3)?,
            scope: row.get(4)?,
            status: row.get(5)?,
            tags: row.get(6)?,
            content: String::new(),
            created_at: row.get(7)?,
            updated_at: row.get(8)?,
        };
        Ok((found, row.get(9)?))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Calls `each` with the text of every memory.
pub(crate) fn each_content(connection: &Connection, mut each: impl FnMut(&str)) -> Result<()> {
    let mut statement = connection
        .prepare_cached("SELECT id || ' ' || tags || ' ' || content FROM memory_store")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        each(row.get_ref(0)?.as_str().unwrap_or_default());
    }
    Ok(())
}

/// Returns the size and time of the lock file that the anchors were read from.
pub(crate) fn lock_stamp(connection: &Connection) -> Result<Option<(u64, i64)>> {
    let mut statement = connection.prepare_cached("SELECT size, mtime FROM lock_file")?;
    Ok(statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

/// Writes all anchors over those that were known, with the stamp of their file.
pub(crate) fn put_anchors(
    connection: &Connection,
    stamp: Option<(u64, i64)>,
    anchors: &[AnchorRow],
) -> Result<()> {
    connection.execute("DELETE FROM memory_anchor", [])?;
    connection.execute("DELETE FROM lock_file", [])?;
    if let Some((size, mtime)) = stamp {
        const STAMP: &str = "INSERT INTO lock_file (size, mtime) VALUES (?1, ?2)";
        connection.execute(STAMP, params![size, mtime])?;
    }
    for it in anchors {
        const SQL: &str = "INSERT INTO memory_anchor (id, anchor) VALUES (?1, ?2)";
        connection.prepare_cached(SQL)?.execute(params![it.id, it.packed])?;
    }
    const CLEAR: &str = "UPDATE memory_store SET anchor_file = NULL, anchor_symbol = NULL,
        anchor_score = NULL, anchor_metadata = NULL WHERE anchor_file IS NOT NULL";
    connection.execute(CLEAR, [])?;
    anchors.iter().try_for_each(|it| put_anchor_columns(connection, it))
}

/// Writes what can be asked of an anchor beside its memory.
pub(crate) fn put_anchor_columns(connection: &Connection, anchor: &AnchorRow) -> Result<()> {
    const SQL: &str = "UPDATE memory_store SET anchor_file = ?2, anchor_symbol = ?3,
        anchor_score = ?4, anchor_metadata = ?5 WHERE id = ?1";
    let values = params![anchor.id, anchor.file, anchor.symbol, anchor.score, anchor.metadata];
    connection.prepare_cached(SQL)?.execute(values)?;
    Ok(())
}

/// Returns the packed anchor of a memory.
pub(crate) fn anchor(connection: &Connection, id: &str) -> Result<Option<Vec<u8>>> {
    let mut statement =
        connection.prepare_cached("SELECT anchor FROM memory_anchor WHERE id = ?1")?;
    Ok(statement.query_row([id], |row| row.get(0)).optional()?)
}

/// Returns all packed anchors with the ids of their memories, ordered by them.
pub(crate) fn anchors(connection: &Connection) -> Result<Vec<(String, Vec<u8>)>> {
    let mut statement =
        connection.prepare_cached("SELECT id, anchor FROM memory_anchor ORDER BY id")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the id of a term, if any memory has it.
pub(crate) fn term_id(connection: &Connection, term: &str) -> Result<Option<u32>> {
    let mut statement = connection.prepare_cached("SELECT id FROM memory_term WHERE term = ?1")?;
    Ok(statement.query_row([term], |row| row.get(0)).optional()?)
}

/// Returns the id of a term, which gets one if it has none.
pub(crate) fn put_term(connection: &Connection, term: &str) -> Result<u32> {
    if let Some(id) = term_id(connection, term)? {
        return Ok(id);
    }
    let mut statement = connection.prepare_cached("INSERT INTO memory_term (term) VALUES (?1)")?;
    Ok(u32::try_from(statement.insert([term])?)?)
}

/// Returns the sections that have any of the words by their numbers, each with its score
/// by BM25, higher for better; a heading counts twice.
pub(crate) fn matches(connection: &Connection, words: &[String]) -> Result<FxHashMap<i64, f64>> {
    const SQL: &str =
        "SELECT rowid, -bm25(memory_text, 2.0, 1.0) FROM memory_text WHERE memory_text MATCH ?1";
    // Quoted, a word has no meaning to the query language.
    let quoted: Vec<String> =
        words.iter().map(|word| format!("\"{}\"", word.replace('"', "\"\""))).collect();
    let mut statement = connection.prepare_cached(SQL)?;
    let rows = statement.query_map([quoted.join(" OR ")], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// A section as it is read for a search.
pub(crate) struct SectionRef<'r> {
    pub(crate) number: i64,
    pub(crate) memory: &'r str,
    pub(crate) section: &'r str,
    pub(crate) norm: f64,
    pub(crate) vector: &'r [u8],
}

/// Calls `each` with every section.
pub(crate) fn each_section(
    connection: &Connection,
    mut each: impl FnMut(SectionRef<'_>),
) -> Result<()> {
    const SQL: &str = "SELECT id, memory, section, norm, vector FROM memory_section";
    let mut statement = connection.prepare_cached(SQL)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        each(SectionRef {
            number: row.get(0)?,
            memory: row.get_ref(1)?.as_str()?,
            section: row.get_ref(2)?.as_str()?,
            norm: row.get(3)?,
            vector: row.get_ref(4)?.as_blob()?,
        });
    }
    Ok(())
}
