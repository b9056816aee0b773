//! The memories as the store knows them: one row each, and their text for search.

use anyhow::Result;
use rusqlite::{Connection, params};
use rustc_hash::FxHashMap;

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
    pub(crate) tags: String,
    pub(crate) content: String,
    pub(crate) created_at: Option<String>,
    pub(crate) updated_at: Option<String>,
    pub(crate) anchor_file: Option<String>,
    pub(crate) anchor_symbol: Option<String>,
    pub(crate) anchor_score: Option<f64>,
    pub(crate) anchor_metadata: Option<String>,
}

/// A memory that matches a query.
#[derive(Debug, Clone)]
pub(crate) struct Match {
    pub(crate) memory: String,
    /// Higher is better.
    pub(crate) score: f64,
    /// The sections that match, best first.
    pub(crate) sections: Vec<String>,
}

/// Returns what each memory's row was made from.
pub(crate) fn hashes(connection: &Connection) -> Result<FxHashMap<String, [u8; 16]>> {
    let mut statement = connection.prepare_cached("SELECT id, hash FROM memory_store")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Removes a memory.
pub(crate) fn remove(connection: &Connection, id: &str) -> Result<()> {
    connection.prepare_cached("DELETE FROM memory_text WHERE memory = ?1")?.execute([id])?;
    connection.prepare_cached("DELETE FROM memory_store WHERE id = ?1")?.execute([id])?;
    Ok(())
}

/// Writes a memory over the one of its id; each text is a section's id, heading and body.
pub(crate) fn put(
    connection: &Connection,
    row: &Row,
    texts: &[(String, String, String)],
) -> Result<()> {
    const ROW: &str = "INSERT OR REPLACE INTO memory_store (id, file, hash, type, category, scope,
            status, tags, content, created_at, updated_at, anchor_file, anchor_symbol,
            anchor_score, anchor_metadata)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
    const TEXT: &str =
        "INSERT INTO memory_text (memory, section, heading, body) VALUES (?1, ?2, ?3, ?4)";
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
        row.updated_at,
        row.anchor_file,
        row.anchor_symbol,
        row.anchor_score,
        row.anchor_metadata
    ])?;
    let mut statement = connection.prepare_cached(TEXT)?;
    for (section, heading, body) in texts {
        statement.execute(params![row.id, section, heading, body])?;
    }
    Ok(())
}

/// Returns the memories that have any of the words, best first by BM25; a heading
/// counts twice.
pub(crate) fn search(connection: &Connection, words: &[String]) -> Result<Vec<Match>> {
    const SQL: &str = "SELECT memory, section, -bm25(memory_text, 0.0, 0.0, 2.0, 1.0) AS score
        FROM memory_text WHERE memory_text MATCH ?1
        ORDER BY score DESC, memory, section";
    // Quoted, a word has no meaning to the query language.
    let quoted: Vec<String> =
        words.iter().map(|word| format!("\"{}\"", word.replace('"', "\"\""))).collect();
    let mut statement = connection.prepare_cached(SQL)?;
    let rows = statement.query_map([quoted.join(" OR ")], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, f64>(2)?))
    })?;
    let mut found: Vec<Match> = Vec::new();
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    for row in rows {
        let (memory, section, score) = row?;
        let at = *places.entry(memory.clone()).or_insert_with(|| {
            found.push(Match { memory, score, sections: Vec::new() });
            found.len() - 1
        });
        if !section.is_empty() {
            found[at].sections.push(section);
        }
    }
    Ok(found)
}
