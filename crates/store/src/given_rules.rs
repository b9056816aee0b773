//! The rules that a hook gave in a session of an agent, so that it gives each of them once.
//!
//! The rows are not authenticated, as their loss or a false one costs only a repetition or a rule.

use anyhow::Result;
use rusqlite::{Connection, params};

/// Age from which a session counts as ended.
const MAX_SECONDS: i64 = 7 * 24 * 3600;

/// Maximum number of rows. The oldest are removed first.
const MAX_ROWS: usize = 10_000;

/// Records that memories are given in a session. Returns for each of them whether it was not recorded
/// before: of several hooks at once, one gives a memory.
pub fn claim(
    connection: &Connection,
    session: &str,
    memories: &[&str],
    seconds: i64,
) -> Result<Vec<bool>> {
    const INSERT: &str =
        "INSERT OR IGNORE INTO given_rule (session, memory, seconds) VALUES (?1, ?2, ?3)";
    const EXPIRE: &str = "DELETE FROM given_rule WHERE seconds < ?1";
    const LIMIT: &str = "DELETE FROM given_rule WHERE (session, memory) IN (
        SELECT session, memory FROM given_rule ORDER BY seconds DESC, session, memory
        LIMIT -1 OFFSET ?1)";
    let mut insert = connection.prepare_cached(INSERT)?;
    let mut claimed = Vec::new();
    for memory in memories {
        claimed.push(insert.execute(params![session, memory, seconds])? == 1);
    }
    connection.prepare_cached(EXPIRE)?.execute([seconds.saturating_sub(MAX_SECONDS)])?;
    connection.prepare_cached(LIMIT)?.execute([MAX_ROWS])?;
    Ok(claimed)
}

/// Forgets a session, whose context the agent no longer has.
pub fn forget(connection: &Connection, session: &str) -> Result<()> {
    connection.prepare_cached("DELETE FROM given_rule WHERE session = ?1")?.execute([session])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    #[test]
    fn a_memory_is_claimed_once_in_a_session() {
        let store = Store::in_memory().expect("a store");
        let claim = |session, memories: &[&str], seconds| {
            claim(store.reader(), session, memories, seconds).expect("claimed")
        };
        assert_eq!(claim("s", &["a", "b"], 10), [true, true]);
        assert_eq!(claim("s", &["b", "c"], 11), [false, true]);
        assert_eq!(claim("t", &["b"], 12), [true]);
        forget(store.reader(), "s").expect("forgotten");
        assert_eq!(claim("s", &["b"], 13), [true]);
        assert_eq!(claim("t", &["b"], 14), [false]);
    }

    #[test]
    fn old_and_too_many_rows_are_removed() {
        let store = Store::in_memory().expect("a store");
        let count = || {
            let sql = "SELECT count(*) FROM given_rule";
            store.reader().query_row(sql, [], |row| row.get::<_, usize>(0)).expect("a count")
        };
        claim(store.reader(), "old", &["a"], 0).expect("claimed");
        claim(store.reader(), "new", &["a"], MAX_SECONDS + 1).expect("claimed");
        assert_eq!(count(), 1);
        let ids: Vec<String> = (0..MAX_ROWS).map(|n| n.to_string()).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        claim(store.reader(), "many", &ids, MAX_SECONDS + 2).expect("claimed");
        assert_eq!(count(), MAX_ROWS);
        let again = claim(store.reader(), "new", &["a"], MAX_SECONDS + 3).expect("claimed");
        assert_eq!(again, [true], "it was removed");
    }
}
