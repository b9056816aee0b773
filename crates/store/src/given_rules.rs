//! The rules that a hook gave in a session of an agent, so that it gives each of them once.
//!
//! The rows are not authenticated, as their loss or a false one costs only a repetition or a rule.

use std::collections::BTreeSet;

use anyhow::Result;
use rusqlite::{Connection, params};

use super::ledger::{self, Occasion};

/// Age from which a session counts as ended.
const MAX_MILLIS: i64 = 7 * 24 * 3600 * 1000;

/// Time in which hooks that run at the same start of a session count as one. Plugins and settings of a project
/// may both run cerberus, and some agents run the hooks of another one, too.
const SAME_START_MILLIS: u64 = 10_000;

/// Separates what is not the id of a memory: no id has this character.
const MARK: char = '\u{1}';

/// Records the start of a session, with its source.
const START: &str = "\u{1}start ";

/// Records that a session was asked to go on.
const STOP: &str = "\u{1}stop";

/// Maximum number of rows. The oldest are removed first.
const MAX_ROWS: usize = 10_000;

/// Appended to the id of a memory that was given with code that shows it.
const WITH_CODE: &str = "\u{1}code";

/// A memory that is given in a session.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    pub memory: &'a str,
    /// Whether code that shows it is given, too.
    pub with_code: bool,
}

/// Records that memories are given in a session. Returns for each of them whether the memory or its code is
/// new to the session. Of several hooks at once, one gets `true`.
pub fn claim(
    connection: &Connection,
    session: &str,
    memories: &[Given],
    millis: i64,
) -> Result<Vec<bool>> {
    const EXPIRE: &str = "DELETE FROM given_rule WHERE millis < ?1";
    const LIMIT: &str = "DELETE FROM given_rule WHERE (session, memory) IN (
        SELECT session, memory FROM given_rule ORDER BY millis DESC, session, memory
        LIMIT -1 OFFSET ?1)";
    let mut claimed = Vec::new();
    for Given { memory, with_code } in memories {
        let mut is_new = insert(connection, session, memory, millis)?;
        if is_new {
            ledger::add(connection, memory, Occasion::Given, millis)?;
        }
        if *with_code {
            is_new = insert(connection, session, &format!("{memory}{WITH_CODE}"), millis)?;
        }
        claimed.push(is_new);
    }
    connection.prepare_cached(EXPIRE)?.execute([millis.saturating_sub(MAX_MILLIS)])?;
    connection.prepare_cached(LIMIT)?.execute([MAX_ROWS])?;
    Ok(claimed)
}

/// Like [`claim`], but returns `true` only for memories that are new, not for those of which the code is.
pub fn claim_new(
    connection: &Connection,
    session: &str,
    memories: &[Given],
    millis: i64,
) -> Result<Vec<bool>> {
    let texts: Vec<Given> = memories.iter().map(|it| Given { with_code: false, ..*it }).collect();
    let is_new = claim(connection, session, &texts, millis)?;
    let new = memories.iter().zip(&is_new).filter(|(_, is_new)| **is_new);
    let codes: Vec<Given> = new.map(|(it, _)| *it).collect();
    claim(connection, session, &codes, millis)?;
    Ok(is_new)
}

/// Records that a session was asked to go on. Returns whether it was not asked before.
pub fn claim_stop(connection: &Connection, session: &str, millis: i64) -> Result<bool> {
    insert(connection, session, STOP, millis)
}

/// Records findings by a hash. Returns whether the session did not get them after an earlier command.
pub fn claim_findings(
    connection: &Connection,
    session: &str,
    hash: &str,
    millis: i64,
) -> Result<bool> {
    insert(connection, session, &format!("{MARK}findings {hash}"), millis)
}

/// Records that a session broke rules.
pub fn record_broken(
    connection: &Connection,
    session: &str,
    memories: &[&str],
    millis: i64,
) -> Result<()> {
    let given = given(connection, session)?;
    for memory in memories {
        if insert(connection, session, &format!("{MARK}broken {memory}"), millis)? {
            let was_given = given.contains(*memory);
            ledger::add(connection, memory, Occasion::Broken { was_given }, millis)?;
        }
    }
    Ok(())
}

fn insert(connection: &Connection, session: &str, key: &str, millis: i64) -> Result<bool> {
    const INSERT: &str =
        "INSERT OR IGNORE INTO given_rule (session, memory, millis) VALUES (?1, ?2, ?3)";
    Ok(connection.prepare_cached(INSERT)?.execute(params![session, key, millis])? == 1)
}

/// Records that a session starts, and why (`source`). Returns `false` if the agent has the text of the
/// start already.
///
/// What the session was given before is forgotten only if its context is gone: a new session may have
/// been given the rules of its prompt, whose hook runs at the same time.
pub fn start(connection: &Connection, session: &str, source: &str, millis: i64) -> Result<bool> {
    // The hook that began first may come second.
    let is_same = |last: i64| millis.abs_diff(last) < SAME_START_MILLIS;
    let has_start = match source {
        "resume" => started(connection, session)?.is_some(),
        source => last(connection, session, &format!("{START}{source}"))?.is_some_and(is_same),
    };
    if has_start {
        return Ok(false);
    }
    if matches!(source, "clear" | "compact") {
        forget(connection, session)?;
    }
    insert(connection, session, &format!("{START}{source}"), millis)
}

/// Returns when a session or a subagent started, if a hook recorded it.
pub fn started(connection: &Connection, session: &str) -> Result<Option<i64>> {
    last(connection, session, &format!("{START}%"))
}

fn last(connection: &Connection, session: &str, pattern: &str) -> Result<Option<i64>> {
    const LAST: &str = "SELECT max(millis) FROM given_rule WHERE session = ?1 AND memory LIKE ?2";
    Ok(connection.prepare_cached(LAST)?.query_row([session, pattern], |row| row.get(0))?)
}

/// Returns the memories that a session was given.
pub fn given(connection: &Connection, session: &str) -> Result<BTreeSet<String>> {
    let mut statement =
        connection.prepare_cached("SELECT memory FROM given_rule WHERE session = ?1")?;
    let rows = statement.query_map([session], |row| row.get::<_, String>(0))?;
    let all = rows.collect::<Result<Vec<_>, _>>()?;
    Ok(all.into_iter().filter(|key| !key.contains(MARK)).collect())
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

    fn texts<'a>(memories: &[&'a str]) -> Vec<Given<'a>> {
        memories.iter().map(|memory| Given { memory, with_code: false }).collect()
    }

    #[test]
    fn a_memory_is_given_again_with_its_code_and_never_again_without() {
        let store = Store::in_memory().expect("a store");
        let claim = |with_code| {
            let given = [Given { memory: "a", with_code }];
            claim(store.reader(), "s", &given, 1).expect("claimed")[0]
        };
        assert_eq!(
            [claim(false), claim(true), claim(true), claim(false)],
            [true, true, false, false]
        );
        let again =
            [Given { memory: "b", with_code: false }, Given { memory: "b", with_code: true }];
        let new = again.map(|it| claim_new(store.reader(), "s", &[it], 1).expect("claimed")[0]);
        assert_eq!(new, [true, false], "its code alone is not new");
        forget(store.reader(), "s").expect("forgotten");
        super::claim(store.reader(), "s", &texts(&["a note"]), 1).expect("claimed");
        let given = given(store.reader(), "s").expect("read");
        assert_eq!(given, BTreeSet::from(["a note".to_owned()]));
    }

    #[test]
    fn a_rule_is_counted_once_in_a_session_when_it_is_given_and_when_it_is_broken() {
        let store = Store::in_memory().expect("a store");
        let broken = |session, memories: &[&str]| {
            record_broken(store.reader(), session, memories, 2).expect("recorded");
        };
        for session in ["s", "s", "t"] {
            claim(store.reader(), session, &texts(&["a"]), 1).expect("claimed");
        }
        broken("s", &["a", "b"]);
        broken("s", &["a"]);
        broken("u", &["a"]);
        let counts = ledger::counts(store.reader()).expect("counts");
        let counts: Vec<_> = counts
            .iter()
            .map(|it| (&*it.memory, it.given, it.broken, it.broken_after_given, it.millis))
            .collect();
        assert_eq!(counts, [("a", 2, 2, 1, 2), ("b", 0, 1, 0, 2)]);
    }

    #[test]
    fn a_session_is_asked_once_to_go_on() {
        let store = Store::in_memory().expect("a store");
        let claim = |session| claim_stop(store.reader(), session, 1).expect("claimed");
        assert_eq!([claim("s"), claim("s"), claim("t")], [true, false, true]);
        assert_eq!(given(store.reader(), "s").expect("read"), BTreeSet::new());
    }

    #[test]
    fn a_memory_is_claimed_once_in_a_session() {
        let store = Store::in_memory().expect("a store");
        let claim = |session, memories: &[&str], millis| {
            claim(store.reader(), session, &texts(memories), millis).expect("claimed")
        };
        assert_eq!(claim("s", &["a", "b"], 10), [true, true]);
        assert_eq!(claim("s", &["b", "c"], 11), [false, true]);
        assert_eq!(claim("t", &["b"], 12), [true]);
        forget(store.reader(), "s").expect("forgotten");
        assert_eq!(claim("s", &["b"], 13), [true]);
        assert_eq!(claim("t", &["b"], 14), [false]);
    }

    #[test]
    fn a_start_is_given_once_and_a_compaction_forgets_what_was_given_before() {
        let store = Store::in_memory().expect("a store");
        let connection = store.reader();
        let start =
            |source, seconds: i64| start(connection, "s", source, seconds * 1000).expect("read");
        claim(connection, "s", &texts(&["a"]), 0).expect("claimed");
        assert_eq!(started(connection, "s").expect("read"), None);
        assert!(start("startup", 0), "at the same time as the prompt");
        assert_eq!(started(connection, "s").expect("read"), Some(0));
        assert!(!start("startup", 2), "another hook of the same start");
        assert!(!start("resume", 500), "the context is still there");
        assert_eq!(given(connection, "s").expect("read"), BTreeSet::from(["a".to_owned()]));
        assert!(start("compact", 3));
        assert!(!start("compact", 4));
        assert!(!start("compact", 2), "it began before the one that came first");
        assert!(start("compact", 500));
        assert_eq!(given(connection, "s").expect("read"), BTreeSet::new());
    }

    #[test]
    fn old_and_too_many_rows_are_removed() {
        let store = Store::in_memory().expect("a store");
        let count = || {
            let sql = "SELECT count(*) FROM given_rule";
            store.reader().query_row(sql, [], |row| row.get::<_, usize>(0)).expect("a count")
        };
        claim(store.reader(), "old", &texts(&["a"]), 0).expect("claimed");
        claim(store.reader(), "new", &texts(&["a"]), MAX_MILLIS + 1).expect("claimed");
        assert_eq!(count(), 1);
        let ids: Vec<String> = (0..MAX_ROWS).map(|n| n.to_string()).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        claim(store.reader(), "many", &texts(&ids), MAX_MILLIS + 2).expect("claimed");
        assert_eq!(count(), MAX_ROWS);
        let again = claim(store.reader(), "new", &texts(&["a"]), MAX_MILLIS + 3).expect("claimed");
        assert_eq!(again, [true], "it was removed");
    }
}
