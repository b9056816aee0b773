//! The pins that do not outlive the store, of sessions and for a time, and what
//! happened to all pins.

use anyhow::{Context, Result};
use rusqlite::{Connection, OptionalExtension, params};

use crate::model::{Pin, PinEvent, PinScope};

/// What happened to some pins.
#[derive(Debug, Clone)]
pub(crate) struct EventRow {
    pub(crate) at: String,
    pub(crate) kind: PinEvent,
    pub(crate) pins: Vec<String>,
    pub(crate) message: String,
}

/// Returns the temporary pins and those of `session`, expired ones with them.
pub(crate) fn pins(connection: &Connection, session: Option<&str>) -> Result<Vec<Pin>> {
    const SQL: &str = "SELECT id, content, priority, scope, created_at, expires_at, tags, metadata,
            project FROM pin WHERE session = '' OR session = ?1 ORDER BY created_at, id";
    let mut statement = connection.prepare_cached(SQL)?;
    let mut rows = statement.query([session.unwrap_or_default()])?;
    let mut pins = Vec::new();
    while let Some(row) = rows.next()? {
        let text = |column: usize| row.get::<_, String>(column);
        let expires_at: Option<String> = row.get(5)?;
        pins.push(Pin {
            id: text(0)?,
            content: text(1)?,
            priority: text(2)?.parse().map_err(anyhow::Error::msg)?,
            scope: text(3)?.parse().map_err(anyhow::Error::msg)?,
            created_at: text(4)?.parse().context("failed to read a time in the store")?,
            expires_at: expires_at.map(|at| at.parse()).transpose()?,
            tags: text(6)?.lines().map(str::to_owned).collect(),
            metadata: text(7)?
                .lines()
                .filter_map(|line| line.split_once('='))
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect(),
            project: row.get(8)?,
        });
    }
    Ok(pins)
}

/// Writes a new pin; one of a session is only seen there.
pub(crate) fn put(connection: &Connection, pin: &Pin, session: Option<&str>) -> Result<()> {
    const SQL: &str = "INSERT INTO pin (session, id, content, priority, scope, created_at,
            expires_at, tags, metadata, project)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let metadata: Vec<String> =
        pin.metadata.iter().map(|(key, value)| format!("{key}={value}")).collect();
    connection.prepare_cached(SQL)?.execute(params![
        key(pin, session),
        pin.id,
        pin.content,
        pin.priority.as_str(),
        pin.scope.as_str(),
        pin.created_at.to_string(),
        pin.expires_at.map(|at| at.to_string()),
        pin.tags.join("\n"),
        metadata.join("\n"),
        pin.project,
    ])?;
    Ok(())
}

/// Removes a pin.
pub(crate) fn remove(connection: &Connection, pin: &Pin, session: Option<&str>) -> Result<()> {
    connection
        .prepare_cached("DELETE FROM pin WHERE session = ?1 AND id = ?2")?
        .execute([key(pin, session), &pin.id])?;
    Ok(())
}

fn key<'a>(pin: &Pin, session: Option<&'a str>) -> &'a str {
    session.filter(|_| pin.scope == PinScope::Session).unwrap_or_default()
}

/// Records what happened, with the hash of the file that was written or read.
pub(crate) fn put_event(
    connection: &Connection,
    event: &EventRow,
    hash: Option<[u8; 16]>,
) -> Result<()> {
    const SQL: &str =
        "INSERT INTO pin_event (at, type, pins, message, hash) VALUES (?1, ?2, ?3, ?4, ?5)";
    connection.prepare_cached(SQL)?.execute(params![
        event.at,
        event.kind.as_str(),
        event.pins.join("\n"),
        event.message,
        hash
    ])?;
    Ok(())
}

/// Returns what happened, in its order.
pub(crate) fn events(connection: &Connection) -> Result<Vec<EventRow>> {
    const SQL: &str = "SELECT at, type, pins, message FROM pin_event ORDER BY id";
    let mut statement = connection.prepare_cached(SQL)?;
    let mut rows = statement.query([])?;
    let mut events = Vec::new();
    while let Some(row) = rows.next()? {
        events.push(EventRow {
            at: row.get(0)?,
            kind: row.get::<_, String>(1)?.parse().map_err(anyhow::Error::msg)?,
            pins: row.get::<_, String>(2)?.lines().map(str::to_owned).collect(),
            message: row.get(3)?,
        });
    }
    Ok(events)
}

/// Returns the hash of the file of persistent pins as it was last written or read.
pub(crate) fn last_hash(connection: &Connection) -> Result<Option<[u8; 16]>> {
    const SQL: &str = "SELECT hash FROM pin_event WHERE hash IS NOT NULL ORDER BY id DESC LIMIT 1";
    Ok(connection.prepare_cached(SQL)?.query_row([], |row| row.get(0)).optional()?)
}

/// Returns whether it is recorded that a pin, added at a moment, has expired.
pub(crate) fn is_told_expired(connection: &Connection, pin: &Pin) -> Result<bool> {
    const SQL: &str = "SELECT EXISTS (SELECT 1 FROM pin_event
        WHERE type = ?1 AND pins = ?2 AND at = ?3)";
    let at = pin.expires_at.map(|at| at.to_string()).unwrap_or_default();
    let found = connection
        .prepare_cached(SQL)?
        .query_row([PinEvent::Expired.as_str(), &pin.id, &at], |row| row.get(0))?;
    Ok(found)
}
