//! Indexed memories: one row per memory, its sections for search, its anchor, and the files
//! that were read.

use anyhow::Result;
use cerberus_model::Memory;
use cerberus_model::file_stat::FileStat;
use rusqlite::{Connection, params};
use rustc_hash::FxHashMap;

use super::links::{self, LinkRow};
use super::values::optional_time;
use crate::search_text::spaced;
use crate::values::{from_text, lines};
use crate::{execute, first, for_each, query, values};

/// File of the bank at the time it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRow {
    pub file: String,
    pub stat: FileStat,
    /// Id of the memory in the file, even if another file has the same id.
    pub memory: String,
    /// Warnings from reading the file, one per line.
    pub warnings: String,
}

/// Memory to store.
#[derive(Debug, Clone)]
pub struct MemoryRow {
    pub memory: Memory,
    pub file: String,
    /// Hash of the text and the path of the file.
    pub hash: [u8; 16],
}

/// A memory without its hints and its text.
#[derive(Debug, Clone)]
pub struct IndexedMemory {
    pub memory: Memory,
    pub file: String,
    /// File of its anchor.
    pub anchored: Option<String>,
}

/// An anchor: columns for queries, and the packed anchor.
#[derive(Debug, Clone)]
pub struct AnchorRow {
    pub id: String,
    pub file: String,
    pub symbol: Option<String>,
    pub score: f64,
    pub metadata: String,
    pub packed: Vec<u8>,
}

/// Searchable part of a memory.
#[derive(Debug, Clone)]
pub struct SectionRow {
    /// Empty for the whole memory.
    pub section: String,
    pub heading: String,
    pub body: String,
    pub norm: f64,
    pub vector: Vec<u8>,
}

/// Returns the indexed files by path.
pub fn files(connection: &Connection) -> Result<FxHashMap<String, FileRow>> {
    const SQL: &str = "SELECT file, size, mtime, memory, warnings FROM memory_file";
    query(connection, SQL, [], |row| {
        let file: String = row.get(0)?;
        let known = FileRow {
            file: file.clone(),
            stat: FileStat {
                size: row.get(1)?,
                mtime: row.get(2)?,
            },
            memory: row.get(3)?,
            warnings: row.get(4)?,
        };
        Ok((file, known))
    })
}

/// Inserts or replaces a file.
pub fn upsert_file(connection: &Connection, file: &FileRow) -> Result<()> {
    const SQL: &str = "INSERT OR REPLACE INTO memory_file (file, size, mtime, memory, warnings)
        VALUES (?1, ?2, ?3, ?4, ?5)";
    let FileRow {
        file,
        stat: FileStat { size, mtime },
        memory,
        warnings,
    } = file;
    execute(
        connection,
        SQL,
        params![file, size, mtime, memory, warnings],
    )
}

/// Removes a file.
pub fn remove_file(connection: &Connection, file: &str) -> Result<()> {
    execute(
        connection,
        "DELETE FROM memory_file WHERE file = ?1",
        [file],
    )
}

/// Calls `each` with the path and the stat of every file.
pub fn each_file(connection: &Connection, mut each: impl FnMut(&str, FileStat)) -> Result<()> {
    for_each(
        connection,
        "SELECT file, size, mtime FROM memory_file",
        |row| {
            let stat = FileStat {
                size: row.get(1)?,
                mtime: row.get(2)?,
            };
            each(row.get_ref(0)?.as_str()?, stat);
            Ok(())
        },
    )
}

/// Returns the warnings from reading the files, ordered by file.
pub fn file_warnings(connection: &Connection) -> Result<Vec<String>> {
    const SQL: &str = "SELECT warnings FROM memory_file WHERE warnings <> '' ORDER BY file";
    let warnings: Vec<Vec<String>> = query(connection, SQL, [], |row| lines(row, 0))?;
    Ok(warnings.concat())
}

/// Returns each file whose id an earlier file has, with the id and the earlier file.
pub fn duplicate_ids(connection: &Connection) -> Result<Vec<(String, String, String)>> {
    // The counts are equal if each file has its own id, so the join is skipped.
    const SQL: &str = "SELECT f.file, f.memory, m.file FROM memory_file AS f
        JOIN memory_store AS m ON m.id = f.memory
        WHERE (SELECT count(*) FROM memory_file) > (SELECT count(*) FROM memory_store)
            AND m.file <> f.file
        ORDER BY f.file";
    query(connection, SQL, [], |row| row.try_into())
}

/// Returns the ids of anchors without a memory.
pub fn orphaned_anchors(connection: &Connection) -> Result<Vec<String>> {
    const SQL: &str = "SELECT id FROM memory_anchor
        WHERE id NOT IN (SELECT id FROM memory_store) ORDER BY id";
    query(connection, SQL, [], |row| row.get(0))
}

/// Returns the stored hash of each memory.
pub fn hashes(connection: &Connection) -> Result<FxHashMap<String, [u8; 16]>> {
    query(connection, "SELECT id, hash FROM memory_store", [], |row| {
        row.try_into()
    })
}

/// Returns the file of a memory.
pub fn file_of(connection: &Connection, id: &str) -> Result<Option<String>> {
    first(
        connection,
        "SELECT file FROM memory_store WHERE id = ?1",
        [id],
        |row| row.get(0),
    )
}

/// Returns the ids of the memories with their files, ordered by id.
pub fn ids(connection: &Connection) -> Result<Vec<(String, String)>> {
    query(
        connection,
        "SELECT id, file FROM memory_store ORDER BY id",
        [],
        |row| row.try_into(),
    )
}

/// Removes a memory with its sections and the links that it contains.
pub fn remove(connection: &Connection, id: &str) -> Result<()> {
    const TEXT: &str = "DELETE FROM memory_text
        WHERE rowid IN (SELECT id FROM memory_section WHERE memory = ?1)";
    execute(connection, TEXT, [id])?;
    execute(
        connection,
        "DELETE FROM memory_section WHERE memory = ?1",
        [id],
    )?;
    execute(connection, "DELETE FROM memory_store WHERE id = ?1", [id])?;
    links::remove(connection, id)
}

/// Inserts or replaces a memory with its sections and links.
pub fn upsert(
    connection: &Connection,
    row: &MemoryRow,
    sections: &[SectionRow],
    links: &[LinkRow],
) -> Result<()> {
    const ROW: &str = "INSERT INTO memory_store (id, file, hash, type, category, scope, status,
            tags, content, created_at, updated_at, heading, paths)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
    const SECTION: &str =
        "INSERT INTO memory_section (memory, section, norm, vector) VALUES (?1, ?2, ?3, ?4)";
    const TEXT: &str = "INSERT INTO memory_text (rowid, heading, body) VALUES (?1, ?2, ?3)";
    let memory = &row.memory;
    remove(connection, &memory.id)?;
    connection.prepare_cached(ROW)?.execute(params![
        memory.id,
        row.file,
        row.hash,
        memory.memory_type.to_string(),
        memory.category,
        memory.scope.to_string(),
        memory.status.to_string(),
        memory.tags.join("\n"),
        memory.body,
        memory.created_at.map(|time| time.to_string()),
        memory.updated_at.map(|time| time.to_string()),
        memory.heading,
        memory.paths.join("\n")
    ])?;
    for section in sections {
        let values = params![memory.id, section.section, section.norm, section.vector];
        let rowid = connection.prepare_cached(SECTION)?.insert(values)?;
        connection.prepare_cached(TEXT)?.execute(params![
            rowid,
            spaced(&section.heading),
            spaced(&section.body)
        ])?;
    }
    links
        .iter()
        .try_for_each(|link| links::insert(connection, link))
}

/// Returns all memories, unordered.
pub fn all(connection: &Connection) -> Result<Vec<IndexedMemory>> {
    const SQL: &str = "SELECT id, file, type, category, scope, status, tags, created_at,
            updated_at, anchor_file, heading, paths
        FROM memory_store";
    query(connection, SQL, [], |row| {
        let memory = Memory {
            id: row.get(0)?,
            memory_type: from_text(row, 2)?,
            kind: None,
            category: row.get(3)?,
            heading: row.get(10)?,
            scope: from_text(row, 4)?,
            paths: lines(row, 11)?,
            status: from_text(row, 5)?,
            tags: lines(row, 6)?,
            hints: Vec::new(),
            example: None,
            reviewed_by: None,
            source: Vec::new(),
            links: Vec::new(),
            created_at: optional_time(row, 7)?,
            updated_at: optional_time(row, 8)?,
            body: String::new(),
        };
        Ok(IndexedMemory {
            memory,
            file: row.get(1)?,
            anchored: row.get(9)?,
        })
    })
}

/// Calls `each` with the id, tags and text of every memory.
pub fn each_content(connection: &Connection, mut each: impl FnMut(&str)) -> Result<()> {
    const SQL: &str = "SELECT id || ' ' || tags || ' ' || content FROM memory_store";
    for_each(connection, SQL, |row| {
        each(row.get_ref(0)?.as_str().unwrap_or_default());
        Ok(())
    })
}

/// Returns the stat of the lock file when the anchors were read.
pub fn lock_stat(connection: &Connection) -> Result<Option<FileStat>> {
    first(connection, "SELECT size, mtime FROM lock_file", [], |row| {
        Ok(FileStat {
            size: row.get(0)?,
            mtime: row.get(1)?,
        })
    })
}

/// Replaces all anchors and the stat of their file.
pub fn replace_anchors(
    connection: &Connection,
    stat: Option<FileStat>,
    anchors: &[AnchorRow],
) -> Result<()> {
    connection.execute("DELETE FROM memory_anchor", [])?;
    connection.execute("DELETE FROM lock_file", [])?;
    if let Some(stat) = stat {
        const STAT: &str = "INSERT INTO lock_file (size, mtime) VALUES (?1, ?2)";
        execute(connection, STAT, params![stat.size, stat.mtime])?;
    }
    for anchor in anchors {
        const SQL: &str = "INSERT INTO memory_anchor (id, anchor) VALUES (?1, ?2)";
        execute(connection, SQL, params![anchor.id, anchor.packed])?;
    }
    const CLEAR: &str = "UPDATE memory_store SET anchor_file = NULL, anchor_symbol = NULL,
        anchor_score = NULL, anchor_metadata = NULL WHERE anchor_file IS NOT NULL";
    connection.execute(CLEAR, [])?;
    anchors
        .iter()
        .try_for_each(|anchor| update_anchor_columns(connection, anchor))
}

/// Writes the columns of an anchor to the row of its memory.
pub fn update_anchor_columns(connection: &Connection, anchor: &AnchorRow) -> Result<()> {
    const SQL: &str = "UPDATE memory_store SET anchor_file = ?2, anchor_symbol = ?3,
        anchor_score = ?4, anchor_metadata = ?5 WHERE id = ?1";
    let values = params![
        anchor.id,
        anchor.file,
        anchor.symbol,
        anchor.score,
        anchor.metadata
    ];
    execute(connection, SQL, values)
}

/// Returns the packed anchor of a memory.
pub fn anchor(connection: &Connection, id: &str) -> Result<Option<Vec<u8>>> {
    first(
        connection,
        "SELECT anchor FROM memory_anchor WHERE id = ?1",
        [id],
        |row| row.get(0),
    )
}

/// Returns all packed anchors with the ids of their memories, ordered by id.
pub fn anchors(connection: &Connection) -> Result<Vec<(String, Vec<u8>)>> {
    query(
        connection,
        "SELECT id, anchor FROM memory_anchor ORDER BY id",
        [],
        |row| row.try_into(),
    )
}

/// Returns the id of a term that some memory contains.
pub fn term_id(connection: &Connection, term: &str) -> Result<Option<u32>> {
    first(
        connection,
        "SELECT id FROM memory_term WHERE term = ?1",
        [term],
        |row| values::term_id(row, 0),
    )
}

/// Returns the id of a term, inserting the term if it is new.
pub fn intern_term(connection: &Connection, term: &str) -> Result<u32> {
    if let Some(id) = term_id(connection, term)? {
        return Ok(id);
    }
    let mut statement = connection.prepare_cached("INSERT INTO memory_term (term) VALUES (?1)")?;
    Ok(u32::try_from(statement.insert([term])?)?)
}

/// Returns the BM25 scores of the sections that contain any of the words, by row id. Higher is
/// better; words in headings count twice.
pub fn matches(connection: &Connection, words: &[String]) -> Result<FxHashMap<i64, f64>> {
    const SQL: &str =
        "SELECT rowid, -bm25(memory_text, 2.0, 1.0) FROM memory_text WHERE memory_text MATCH ?1";
    // Quotes prevent words from being parsed as operators of the query language.
    let quoted: Vec<String> = words
        .iter()
        .map(|word| format!("\"{}\"", spaced(word).replace('"', "\"\"")))
        .collect();
    query(connection, SQL, [quoted.join(" OR ")], |row| row.try_into())
}

/// Section for the vector search.
pub struct SectionRef<'r> {
    pub number: i64,
    pub memory: &'r str,
    pub section: &'r str,
    pub norm: f64,
    pub vector: &'r [u8],
}

/// Calls `each` with every section.
pub fn each_section(connection: &Connection, mut each: impl FnMut(SectionRef<'_>)) -> Result<()> {
    const SQL: &str = "SELECT id, memory, section, norm, vector FROM memory_section";
    for_each(connection, SQL, |row| {
        each(SectionRef {
            number: row.get(0)?,
            memory: row.get_ref(1)?.as_str()?,
            section: row.get_ref(2)?.as_str()?,
            norm: row.get(3)?,
            vector: row.get_ref(4)?.as_blob()?,
        });
        Ok(())
    })
}
