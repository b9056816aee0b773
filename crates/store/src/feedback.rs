//! Feedback of people and agents on injected memories.

use anyhow::Result;
use rusqlite::{Connection, params};
use rustc_hash::FxHashMap;

use crate::{execute, query};

/// Feedback on a memory that was injected with or without an example.
pub struct Feedback<'a> {
    pub at: &'a str,
    pub memory: &'a str,
    pub is_good: bool,
    pub is_anchored: bool,
}

/// Records feedback.
pub fn insert(connection: &Connection, feedback: &Feedback<'_>) -> Result<()> {
    let Feedback {
        at,
        memory,
        is_good,
        is_anchored,
    } = feedback;
    const SQL: &str = "INSERT INTO own.feedback (at, memory, good, anchored)
        VALUES (?1, ?2, ?3, ?4)";
    execute(connection, SQL, params![at, memory, is_good, is_anchored])
}

/// Returns, for each memory with feedback, the number of positive less that of negative ones.
pub fn balances(connection: &Connection) -> Result<FxHashMap<String, i64>> {
    const SQL: &str = "SELECT memory, sum(CASE WHEN good THEN 1 ELSE -1 END)
        FROM own.feedback GROUP BY memory";
    query(connection, SQL, [], |row| row.try_into())
}

/// Returns the numbers of positive and negative feedback on memories with an example, or
/// on those without one.
pub fn counts(connection: &Connection, is_anchored: bool) -> Result<(usize, usize)> {
    const SQL: &str = "SELECT count(*) FILTER (WHERE good), count(*) FILTER (WHERE NOT good)
        FROM own.feedback WHERE anchored = ?1";
    let mut statement = connection.prepare_cached(SQL)?;
    Ok(statement.query_row([is_anchored], |row| row.try_into())?)
}
