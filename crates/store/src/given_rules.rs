//! The rules that a hook gave in a session of an agent, so that it gives each of them once.
//!
//! The rows are not authenticated, as their loss or a false one costs only a repetition or a rule.

use std::collections::BTreeSet;

use anyhow::Result;
use rusqlite::{Connection, params};

use super::ledger::{self, Occasion};
use crate::{execute, query, value};

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

/// The memories that a session has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Has {
    pub texts: BTreeSet<String>,
    /// Those that were given with code.
    pub code: BTreeSet<String>,
}

/// A session of an agent, at a time.
#[derive(Clone, Copy)]
pub struct Session<'a> {
    pub connection: &'a Connection,
    pub id: &'a str,
    pub millis: i64,
}

/// Returns the session in which hooks gave rules since a time, if there is one only.
pub fn only_session(connection: &Connection, since_millis: i64) -> Result<Option<String>> {
    const RECENT: &str =
        "SELECT DISTINCT session FROM given_rule WHERE millis >= ?1 ORDER BY session LIMIT 2";
    let mut recent: Vec<String> = query(connection, RECENT, [since_millis], |row| row.get(0))?;
    Ok(if recent.len() == 1 {
        recent.pop()
    } else {
        None
    })
}

impl Session<'_> {
    /// Records that memories are given. Returns for each of them whether the memory or its code is new to
    /// the session. Of several hooks at once, one gets `true`.
    pub fn claim(&self, memories: &[Given]) -> Result<Vec<bool>> {
        const EXPIRE: &str = "DELETE FROM given_rule WHERE millis < ?1";
        const LIMIT: &str = "DELETE FROM given_rule WHERE (session, memory) IN (
            SELECT session, memory FROM given_rule ORDER BY millis DESC, session, memory
            LIMIT -1 OFFSET ?1)";
        let mut claimed = Vec::new();
        for Given { memory, with_code } in memories {
            let mut is_new = self.insert(memory)?;
            if is_new {
                ledger::add(self.connection, memory, Occasion::Given, self.millis)?;
            }
            if *with_code {
                is_new = self.insert(&format!("{memory}{WITH_CODE}"))?;
            }
            claimed.push(is_new);
        }
        execute(
            self.connection,
            EXPIRE,
            [self.millis.saturating_sub(MAX_MILLIS)],
        )?;
        execute(self.connection, LIMIT, [MAX_ROWS])?;
        Ok(claimed)
    }

    /// Records that the session was asked to go on. Returns whether it was not asked before.
    pub fn claim_stop(&self) -> Result<bool> {
        self.insert(STOP)
    }

    /// Records findings by a hash. Returns whether the session did not get them after an earlier command.
    pub fn claim_findings(&self, hash: &str) -> Result<bool> {
        self.insert(&format!("{MARK}findings {hash}"))
    }

    /// Records that the session broke rules.
    pub fn record_broken(&self, memories: &[String]) -> Result<()> {
        let given = self.has()?.texts;
        for memory in memories {
            if self.insert(&format!("{MARK}broken {memory}"))? {
                let occasion = Occasion::Broken {
                    was_given: given.contains(memory),
                };
                ledger::add(self.connection, memory, occasion, self.millis)?;
            }
        }
        Ok(())
    }

    fn insert(&self, key: &str) -> Result<bool> {
        const INSERT: &str =
            "INSERT OR IGNORE INTO given_rule (session, memory, millis) VALUES (?1, ?2, ?3)";
        let mut insert = self.connection.prepare_cached(INSERT)?;
        Ok(insert.execute(params![self.id, key, self.millis])? == 1)
    }

    /// Records that the session starts, and why (`source`). Returns `false` if the agent has the text of
    /// the start already.
    ///
    /// What the session was given before is forgotten only if its context is gone: a new session may have
    /// been given the rules of its prompt, whose hook runs at the same time.
    pub fn start(&self, source: &str) -> Result<bool> {
        // The hook that began first may come second.
        let is_same = |last: i64| self.millis.abs_diff(last) < SAME_START_MILLIS;
        let has_start = match source {
            "resume" => self.started()?.is_some(),
            source => self.last(&format!("{START}{source}"))?.is_some_and(is_same),
        };
        if has_start {
            return Ok(false);
        }
        if matches!(source, "clear" | "compact") {
            self.forget()?;
        }
        self.insert(&format!("{START}{source}"))
    }

    /// Returns when the session or subagent started, if a hook recorded it.
    pub fn started(&self) -> Result<Option<i64>> {
        self.last(&format!("{START}%"))
    }

    fn last(&self, pattern: &str) -> Result<Option<i64>> {
        const LAST: &str =
            "SELECT max(millis) FROM given_rule WHERE session = ?1 AND memory LIKE ?2";
        value(self.connection, LAST, [self.id, pattern])
    }

    /// Returns the memories that the session was given.
    pub fn has(&self) -> Result<Has> {
        const GIVEN: &str = "SELECT memory FROM given_rule WHERE session = ?1";
        let keys: Vec<String> = query(self.connection, GIVEN, [self.id], |row| row.get(0))?;
        let mut has = Has::default();
        for key in keys {
            if let Some(memory) = key.strip_suffix(WITH_CODE) {
                has.code.insert(memory.to_owned());
            } else if !key.contains(MARK) {
                has.texts.insert(key);
            }
        }
        Ok(has)
    }

    /// Forgets the session, whose context the agent no longer has.
    pub fn forget(&self) -> Result<()> {
        execute(
            self.connection,
            "DELETE FROM given_rule WHERE session = ?1",
            [self.id],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    fn texts<'a>(memories: &[&'a str]) -> Vec<Given<'a>> {
        memories
            .iter()
            .map(|memory| Given {
                memory,
                with_code: false,
            })
            .collect()
    }

    fn at<'a>(store: &'a Store, id: &'a str, millis: i64) -> Session<'a> {
        Session {
            connection: store.reader(),
            id,
            millis,
        }
    }

    #[test]
    fn a_memory_is_given_again_with_its_code_and_never_again_without() {
        let store = Store::in_memory().expect("a store");
        let claim = |with_code| {
            let given = [Given {
                memory: "a",
                with_code,
            }];
            at(&store, "s", 1).claim(&given).expect("claimed")[0]
        };
        assert_eq!(
            [claim(false), claim(true), claim(true), claim(false)],
            [true, true, false, false]
        );
        let has = at(&store, "s", 1).has().expect("read");
        assert_eq!(has.code, BTreeSet::from(["a".to_owned()]));
        at(&store, "s", 1).forget().expect("forgotten");
        at(&store, "s", 1)
            .claim(&texts(&["a note"]))
            .expect("claimed");
        let given = at(&store, "s", 1).has().expect("read").texts;
        assert_eq!(given, BTreeSet::from(["a note".to_owned()]));
    }

    #[test]
    fn a_rule_is_counted_once_in_a_session_when_it_is_given_and_when_it_is_broken() {
        let store = Store::in_memory().expect("a store");
        let broken = |session, memories: &[&str]| {
            let memories: Vec<String> = memories.iter().map(|it| (*it).to_owned()).collect();
            at(&store, session, 2)
                .record_broken(&memories)
                .expect("recorded");
        };
        for session in ["s", "s", "t"] {
            at(&store, session, 1)
                .claim(&texts(&["a"]))
                .expect("claimed");
        }
        broken("s", &["a", "b"]);
        broken("s", &["a"]);
        broken("u", &["a"]);
        let counts = ledger::counts(store.reader()).expect("counts");
        let counts: Vec<_> = counts
            .iter()
            .map(|it| {
                (
                    &*it.memory,
                    it.given,
                    it.broken,
                    it.broken_after_given,
                    it.millis,
                )
            })
            .collect();
        assert_eq!(counts, [("a", 2, 2, 1, 2), ("b", 0, 1, 0, 2)]);
    }

    #[test]
    fn one_recent_session_is_known_and_two_are_not_told_apart() {
        let store = Store::in_memory().expect("a store");
        let only = |since| only_session(store.reader(), since).expect("read");
        at(&store, "old", 1).claim(&texts(&["a"])).expect("claimed");
        assert_eq!(only(2), None);
        at(&store, "s", 5)
            .claim(&texts(&["a", "b"]))
            .expect("claimed");
        assert_eq!(only(2), Some("s".to_owned()));
        assert_eq!(only(1), None);
    }

    #[test]
    fn a_session_is_asked_once_to_go_on() {
        let store = Store::in_memory().expect("a store");
        let claim = |session| at(&store, session, 1).claim_stop().expect("claimed");
        assert_eq!([claim("s"), claim("s"), claim("t")], [true, false, true]);
        assert_eq!(
            at(&store, "s", 1).has().expect("read").texts,
            BTreeSet::new()
        );
    }

    #[test]
    fn a_memory_is_claimed_once_in_a_session() {
        let store = Store::in_memory().expect("a store");
        let claim = |session, memories: &[&str], millis| {
            at(&store, session, millis)
                .claim(&texts(memories))
                .expect("claimed")
        };
        assert_eq!(claim("s", &["a", "b"], 10), [true, true]);
        assert_eq!(claim("s", &["b", "c"], 11), [false, true]);
        assert_eq!(claim("t", &["b"], 12), [true]);
        at(&store, "s", 1).forget().expect("forgotten");
        assert_eq!(claim("s", &["b"], 13), [true]);
        assert_eq!(claim("t", &["b"], 14), [false]);
    }

    #[test]
    fn a_start_is_given_once_and_a_compaction_forgets_what_was_given_before() {
        let store = Store::in_memory().expect("a store");
        let session = at(&store, "s", 0);
        let start =
            |source, seconds: i64| at(&store, "s", seconds * 1000).start(source).expect("read");
        session.claim(&texts(&["a"])).expect("claimed");
        assert_eq!(session.started().expect("read"), None);
        assert!(start("startup", 0), "at the same time as the prompt");
        assert_eq!(session.started().expect("read"), Some(0));
        assert!(!start("startup", 2), "another hook of the same start");
        assert!(!start("resume", 500), "the context is still there");
        assert_eq!(
            session.has().expect("read").texts,
            BTreeSet::from(["a".to_owned()])
        );
        assert!(start("compact", 3));
        assert!(!start("compact", 4));
        assert!(
            !start("compact", 2),
            "it began before the one that came first"
        );
        assert!(start("compact", 500));
        assert_eq!(session.has().expect("read").texts, BTreeSet::new());
    }

    #[test]
    fn old_and_too_many_rows_are_removed() {
        let store = Store::in_memory().expect("a store");
        let count = || {
            let sql = "SELECT count(*) FROM given_rule";
            store
                .reader()
                .query_row(sql, [], |row| row.get::<_, usize>(0))
                .expect("a count")
        };
        at(&store, "old", 0).claim(&texts(&["a"])).expect("claimed");
        at(&store, "new", MAX_MILLIS + 1)
            .claim(&texts(&["a"]))
            .expect("claimed");
        assert_eq!(count(), 1);
        let ids: Vec<String> = (0..MAX_ROWS).map(|n| n.to_string()).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        at(&store, "many", MAX_MILLIS + 2)
            .claim(&texts(&ids))
            .expect("claimed");
        assert_eq!(count(), MAX_ROWS);
        let again = at(&store, "new", MAX_MILLIS + 3)
            .claim(&texts(&["a"]))
            .expect("claimed");
        assert_eq!(again, [true], "it was removed");
    }
}
