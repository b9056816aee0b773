//! What people and agents said of memories that were given to them.

use anyhow::Result;
use rusqlite::{Connection, params};

/// Records a verdict on a memory that had an example then, or had none.
pub(crate) fn put(
    connection: &Connection,
    at: &str,
    memory: &str,
    is_good: bool,
    is_anchored: bool,
) -> Result<()> {
    const SQL: &str = "INSERT INTO feedback (at, memory, good, anchored) VALUES (?1, ?2, ?3, ?4)";
    connection.prepare_cached(SQL)?.execute(params![at, memory, is_good, is_anchored])?;
    Ok(())
}

/// Returns how many verdicts were good and how many bad, on memories with an example or
/// on those without.
pub(crate) fn counts(connection: &Connection, is_anchored: bool) -> Result<(usize, usize)> {
    const SQL: &str = "SELECT count(*) FILTER (WHERE good), count(*) FILTER (WHERE NOT good)
        FROM feedback WHERE anchored = ?1";
    let mut statement = connection.prepare_cached(SQL)?;
    Ok(statement.query_row([is_anchored], |row| Ok((row.get(0)?, row.get(1)?)))?)
}
