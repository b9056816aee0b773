//! How often hooks gave each rule, and how often it was broken. Counts only: no session, no file and no text.

use anyhow::Result;
use rusqlite::{Connection, params};

use crate::{execute, query};

/// The counts of a rule, by sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleCount {
    pub memory: String,
    pub given: usize,
    pub broken: usize,
    /// Of those, the sessions that had been given it.
    pub broken_after_given: usize,
    /// When it was last given or broken.
    pub millis: i64,
}

/// An event that happened to a rule in a session for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Occasion {
    Given,
    Broken { was_given: bool },
}

/// Counts an occasion of a rule.
pub(super) fn add(
    connection: &Connection,
    memory: &str,
    occasion: Occasion,
    millis: i64,
) -> Result<()> {
    const ADD: &str = "INSERT INTO rule_count (memory, given, broken, after_given, millis)
        VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (memory) DO UPDATE SET given = given + ?2,
        broken = broken + ?3, after_given = after_given + ?4, millis = max(millis, ?5)";
    let was_given = occasion == Occasion::Broken { was_given: true };
    let is_given = occasion == Occasion::Given;
    execute(
        connection,
        ADD,
        params![memory, is_given, !is_given, was_given, millis],
    )
}

/// Returns the counts of all rules that were given or broken.
pub fn counts(connection: &Connection) -> Result<Vec<RuleCount>> {
    const SQL: &str = "SELECT memory, given, broken, after_given, millis FROM rule_count
        ORDER BY memory";
    query(connection, SQL, [], |row| {
        Ok(RuleCount {
            memory: row.get(0)?,
            given: row.get(1)?,
            broken: row.get(2)?,
            broken_after_given: row.get(3)?,
            millis: row.get(4)?,
        })
    })
}
