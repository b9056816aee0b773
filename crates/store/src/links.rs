//! Links between memories, one row per link, updated with the memory that contains them.

use anyhow::Result;
use cerberus_model::EdgeType;
use rusqlite::{Connection, params};

use crate::values::from_text;
use crate::{execute, query};

/// MemoryFile link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkRow {
    /// Id of the memory that contains it.
    pub memory: String,
    /// Byte offset in the file.
    pub position: usize,
    pub line: usize,
    /// Text between its brackets, without relation and label.
    pub target: String,
    pub relation: EdgeType,
    pub label: Option<String>,
    pub context: String,
}

/// Removes the links that a memory contains, but not the links to it.
pub(super) fn remove(connection: &Connection, memory: &str) -> Result<()> {
    execute(
        connection,
        "DELETE FROM memory_link WHERE memory = ?1",
        [memory],
    )
}

/// Inserts a link.
pub(super) fn insert(connection: &Connection, link: &LinkRow) -> Result<()> {
    const SQL: &str = "INSERT OR REPLACE INTO memory_link
            (memory, position, line, target, relation, label, context)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let LinkRow {
        memory,
        position,
        line,
        target,
        relation,
        label,
        context,
    } = link;
    let relation = relation.as_str();
    let values = params![memory, position, line, target, relation, label, context];
    execute(connection, SQL, values)
}

/// Returns all links, ordered by memory and position.
pub fn all(connection: &Connection) -> Result<Vec<LinkRow>> {
    const SQL: &str = "SELECT memory, position, line, target, relation, label, context
        FROM memory_link ORDER BY memory, position";
    query(connection, SQL, [], |row| {
        Ok(LinkRow {
            memory: row.get(0)?,
            position: row.get(1)?,
            line: row.get(2)?,
            target: row.get(3)?,
            relation: from_text(row, 4)?,
            label: row.get(5)?,
            context: row.get(6)?,
        })
    })
}

/// Returns the targets of the links that a memory contains, in their order.
pub fn targets(connection: &Connection, memory: &str) -> Result<Vec<String>> {
    const SQL: &str = "SELECT target FROM memory_link WHERE memory = ?1 ORDER BY position";
    query(connection, SQL, [memory], |row| row.get(0))
}

/// Returns the ids of the memories that link to a target or a section of it, sorted.
pub fn sources(connection: &Connection, target: &str) -> Result<Vec<String>> {
    const SQL: &str = "SELECT DISTINCT memory FROM memory_link
        WHERE target = ?1 OR (target >= ?2 AND target < ?3) ORDER BY memory";
    // `$` is the character after `#`.
    let values = params![target, format!("{target}#"), format!("{target}$")];
    query(connection, SQL, values, |row| row.get(0))
}

/// Returns the memory and the target of each link with a relation, sorted.
pub fn with_relation(connection: &Connection, relation: EdgeType) -> Result<Vec<(String, String)>> {
    const SQL: &str = "SELECT DISTINCT memory, target FROM memory_link WHERE relation = ?1 ORDER BY memory, target";
    query(connection, SQL, [relation.to_string()], |row| {
        row.try_into()
    })
}
