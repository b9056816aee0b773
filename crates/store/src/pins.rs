//! Session pins, temporary pins, and the history of all pins.

use anyhow::Result;
use cerberus_model::{Pin, PinEvent, PinScope};
use rusqlite::{Connection, params};
use serde::Serialize;

use crate::values::{from_text, lines};
use crate::{execute, first, query, value, values};

/// Entry of the pin history.
#[derive(Debug, Clone, Serialize)]
pub struct EventRow {
    pub at: String,
    #[serde(rename = "type")]
    pub kind: PinEvent,
    pub pins: Vec<String>,
    pub message: String,
}

/// Returns the temporary pins and those of `session`, including expired ones.
pub fn pins(connection: &Connection, session: Option<&str>) -> Result<Vec<Pin>> {
    const SQL: &str = "SELECT pin FROM own.pin WHERE session = '' OR session = ?1";
    let mut pins: Vec<Pin> = query(connection, SQL, [session.unwrap_or_default()], |row| {
        values::unpacked(row, 0)
    })?;
    pins.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
    Ok(pins)
}

/// Inserts a pin. A session pin is visible in its session only.
pub fn insert(connection: &Connection, pin: &Pin, session: Option<&str>) -> Result<()> {
    const SQL: &str = "INSERT INTO own.pin (session, id, pin) VALUES (?1, ?2, ?3)";
    execute(
        connection,
        SQL,
        params![key(pin, session), pin.id, postcard::to_stdvec(pin)?],
    )
}

/// Removes a pin.
pub fn remove(connection: &Connection, pin: &Pin, session: Option<&str>) -> Result<()> {
    const SQL: &str = "DELETE FROM own.pin WHERE session = ?1 AND id = ?2";
    execute(connection, SQL, [key(pin, session), &pin.id])
}

fn key<'a>(pin: &Pin, session: Option<&'a str>) -> &'a str {
    session
        .filter(|_| pin.scope == PinScope::Session)
        .unwrap_or_default()
}

/// Records an event with the hash of the pin file that was written or read.
pub fn insert_event(
    connection: &Connection,
    event: &EventRow,
    hash: Option<[u8; 16]>,
) -> Result<()> {
    const SQL: &str = "INSERT INTO own.pin_event (at, type, pins, message, hash)
        VALUES (?1, ?2, ?3, ?4, ?5)";
    let EventRow {
        at,
        kind,
        pins,
        message,
    } = event;
    execute(
        connection,
        SQL,
        params![at, kind.as_str(), pins.join("\n"), message, hash],
    )
}

/// Returns the history, oldest event first.
pub fn events(connection: &Connection) -> Result<Vec<EventRow>> {
    const SQL: &str = "SELECT at, type, pins, message FROM own.pin_event ORDER BY id";
    query(connection, SQL, [], |row| {
        Ok(EventRow {
            at: row.get(0)?,
            kind: from_text(row, 1)?,
            pins: lines(row, 2)?,
            message: row.get(3)?,
        })
    })
}

/// Returns the hash of the pin file when it was last written or read.
pub fn last_hash(connection: &Connection) -> Result<Option<[u8; 16]>> {
    const SQL: &str = "SELECT hash FROM own.pin_event
        WHERE hash IS NOT NULL ORDER BY id DESC LIMIT 1";
    first(connection, SQL, [], |row| row.get(0))
}

/// Returns whether the history contains the expiry of a pin.
pub fn expiry_logged(connection: &Connection, pin: &Pin) -> Result<bool> {
    const SQL: &str = "SELECT EXISTS (SELECT 1 FROM own.pin_event
        WHERE type = ?1 AND pins = ?2 AND at = ?3)";
    let at = pin.expires_at.map(|at| at.to_string()).unwrap_or_default();
    value(
        connection,
        SQL,
        params![PinEvent::Expired.to_string(), pin.id, at],
    )
}
