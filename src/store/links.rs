//! The links of the memories: an edge a row, kept in step with the memory they stand in.

use anyhow::Result;
use rusqlite::{Connection, params};

/// A link as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LinkRow {
    /// The memory it stands in.
    pub(crate) memory: String,
    /// Where in the file it begins, in bytes.
    pub(crate) position: usize,
    pub(crate) line: usize,
    /// What stands between its brackets, without relation and label.
    pub(crate) target: String,
    pub(crate) edge: String,
    pub(crate) label: Option<String>,
    pub(crate) context: String,
}

/// Removes the links that stand in a memory; those to it stay.
pub(super) fn remove(connection: &Connection, memory: &str) -> Result<()> {
    connection.prepare_cached("DELETE FROM memory_link WHERE memory = ?1")?.execute([memory])?;
    Ok(())
}

/// Writes a link.
pub(super) fn put(connection: &Connection, link: &LinkRow) -> Result<()> {
    const SQL: &str = "INSERT OR REPLACE INTO memory_link
            (memory, position, line, target, edge, label, context)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    connection.prepare_cached(SQL)?.execute(params![
        link.memory,
        link.position,
        link.line,
        link.target,
        link.edge,
        link.label,
        link.context
    ])?;
    Ok(())
}

/// Returns all links, ordered by memory and position.
pub(crate) fn all(connection: &Connection) -> Result<Vec<LinkRow>> {
    const SQL: &str = "SELECT memory, position, line, target, edge, label, context
        FROM memory_link ORDER BY memory, position";
    let mut statement = connection.prepare_cached(SQL)?;
    let rows = statement.query_map([], |row| {
        Ok(LinkRow {
            memory: row.get(0)?,
            position: row.get(1)?,
            line: row.get(2)?,
            target: row.get(3)?,
            edge: row.get(4)?,
            label: row.get(5)?,
            context: row.get(6)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the targets of the links that stand in a memory, in their order.
pub(crate) fn targets(connection: &Connection, memory: &str) -> Result<Vec<String>> {
    const SQL: &str = "SELECT target FROM memory_link WHERE memory = ?1 ORDER BY position";
    let mut statement = connection.prepare_cached(SQL)?;
    let rows = statement.query_map([memory], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the memories that link to a target or to a section of it, each once, by id.
pub(crate) fn sources(connection: &Connection, target: &str) -> Result<Vec<String>> {
    const SQL: &str = "SELECT DISTINCT memory FROM memory_link
        WHERE target = ?1 OR (target >= ?2 AND target < ?3) ORDER BY memory";
    let mut statement = connection.prepare_cached(SQL)?;
    // `$` is the character behind `#`.
    let values = params![target, format!("{target}#"), format!("{target}$")];
    let rows = statement.query_map(values, |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the memory and the target of every link of one relation, ordered by both.
pub(crate) fn of_edge(connection: &Connection, edge: &str) -> Result<Vec<(String, String)>> {
    const SQL: &str =
        "SELECT DISTINCT memory, target FROM memory_link WHERE edge = ?1 ORDER BY memory, target";
    let mut statement = connection.prepare_cached(SQL)?;
    let rows = statement.query_map([edge], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
