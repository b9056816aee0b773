//! What the engine reads in the texts of rules, by the hashes of the texts.

use anyhow::Result;
use rusqlite::{Connection, params};
use rustc_hash::FxHashMap;

use crate::code::ContentHash;
use crate::{execute, query};

/// Returns the packed readings of all texts.
pub fn all(connection: &Connection) -> Result<FxHashMap<ContentHash, Vec<u8>>> {
    const SQL: &str = "SELECT hash, reading FROM rule_reading";
    let rows: Vec<(ContentHash, Vec<u8>)> =
        query(connection, SQL, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.into_iter().collect())
}

/// Stores the packed reading of a text.
pub fn insert(connection: &Connection, hash: &ContentHash, reading: &[u8]) -> Result<()> {
    const SQL: &str = "INSERT OR REPLACE INTO rule_reading (hash, reading) VALUES (?1, ?2)";
    execute(connection, SQL, params![hash, reading])
}

/// Removes the reading of a text.
pub fn remove(connection: &Connection, hash: &ContentHash) -> Result<()> {
    execute(
        connection,
        "DELETE FROM rule_reading WHERE hash = ?1",
        [hash],
    )
}
