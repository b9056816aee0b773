//! Limits the steps of queries, because a damaged or forged store can contain tables without an
//! end.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use rusqlite::Connection;

/// Steps of SQLite's virtual machine between two checks.
const CHECK_STEPS: i32 = 100_000;

/// Steps that every connection may take.
const BASE_STEPS: i64 = 20_000_000;

/// Additional steps for each byte of the store. Reading a row of a table takes ten to twenty
/// steps, and no row is shorter than 20 bytes.
const STEPS_PER_BYTE: i64 = 10;

/// Additional steps for each transaction that writes: its rows are not in the store yet.
const TRANSACTION_STEPS: i64 = 5_000_000_000;

/// The steps that a connection may still take.
pub(super) struct Steps(Arc<AtomicI64>);

impl Steps {
    pub(super) fn add_transaction(&self) {
        self.0.fetch_add(TRANSACTION_STEPS, Ordering::Relaxed);
    }
}

/// Interrupts the statements of a connection that exceed the limit.
pub(super) fn install(connection: &mut Connection) -> Steps {
    let n_pages = pragma(connection, "page_count");
    let n_bytes = n_pages.saturating_mul(pragma(connection, "page_size"));
    let n_steps = n_bytes.saturating_mul(STEPS_PER_BYTE);
    let limit = n_steps.saturating_add(BASE_STEPS);
    let left = Arc::new(AtomicI64::new(limit));
    let steps = Steps(Arc::clone(&left));
    // Fails for a connection that does not own its handle only.
    let _ = connection.progress_handler(
        CHECK_STEPS,
        Some(move || {
            let before = left.fetch_sub(i64::from(CHECK_STEPS), Ordering::Relaxed);
            before < i64::from(CHECK_STEPS)
        }),
    );
    steps
}

/// Returns a number that SQLite reports. An unreadable store has 0 pages.
fn pragma(connection: &Connection, name: &str) -> i64 {
    let value = connection.pragma_query_value(None, name, |row| row.get(0));
    value.unwrap_or(0)
}
