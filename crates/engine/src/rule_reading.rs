//! What the text of a rule says by itself. It is stored, because each prompt is compared with all rules of a bank.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use cerberus_store::code::ContentHash;
use cerberus_store::{Store, rule_readings};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::rank::code_mentions;
use super::rank::moment::{self, Moment};
use super::rank::query::ParsedQuery;
use super::task_relevance::Rule;

/// The words of a text, each with its weight.
pub(crate) type Words = BTreeMap<String, f64>;

pub(crate) fn words_of(text: &str) -> Words {
    let mut words = Words::default();
    for term in ParsedQuery::search(text, &[]).terms {
        words.insert(term.term, term.weight);
    }
    words
}

/// What the text of a rule and its headings say. A change of how they are read is a change of a packed value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reading {
    pub(crate) words: Words,
    /// The identifiers that are marked as code.
    pub(crate) identifiers: Vec<String>,
    pub(crate) moment: Moment,
}

impl Reading {
    fn of(rule: &Rule<'_>) -> Self {
        let Rule { text, heading } = rule;
        let identifiers = code_mentions::marked_identifiers(text);
        Self {
            words: words_of(&format!("{text}\n{heading}")),
            identifiers: identifiers.into_iter().map(str::to_owned).collect(),
            moment: moment::moment(text, Some(heading)),
        }
    }
}

/// Returns the readings of rules, in their order. Those that the store lacks are added to it. Without a writable store, the next
/// prompt only takes longer.
pub(crate) fn readings(store: &Store, rules: &[Rule<'_>]) -> Vec<Reading> {
    let stored = rule_readings::all(store.reader()).unwrap_or_default();
    let read: Vec<(ContentHash, Reading, bool)> = (rules.par_iter())
        .map(|rule| {
            let hash = hash(rule);
            let known = stored.get(&hash);
            match known.and_then(|packed| postcard::from_bytes(packed).ok()) {
                Some(reading) => (hash, reading, false),
                None => (hash, Reading::of(rule), true),
            }
        })
        .collect();
    let mut new = BTreeMap::new();
    let mut used = BTreeSet::new();
    for (hash, reading, is_new) in &read {
        used.insert(*hash);
        if *is_new {
            new.insert(*hash, reading);
        }
    }
    if !new.is_empty() {
        let unused = stored.keys().filter(|hash| !used.contains(*hash));
        let _ = write(store, &new, unused);
    }
    read.into_iter().map(|(_, reading, _)| reading).collect()
}

fn hash(rule: &Rule<'_>) -> ContentHash {
    xxh3_128(format!("{}\0{}", rule.heading, rule.text).as_bytes()).to_le_bytes()
}

fn write<'h>(
    store: &Store,
    new: &BTreeMap<ContentHash, &Reading>,
    unused: impl Iterator<Item = &'h ContentHash>,
) -> Result<()> {
    store.transaction(|connection| {
        for hash in unused {
            rule_readings::remove(connection, hash)?;
        }
        for (hash, reading) in new {
            rule_readings::insert(connection, hash, &postcard::to_allocvec(reading)?)?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_reading_is_that_of_the_text() {
        let store = Store::in_memory().expect("a store");
        let rule = |text| Rule {
            text,
            heading: "Leases › Tests",
        };
        let rules = [
            rule("Renew each `Lease` before `lease.ttl()` ends"),
            rule("Say who asked"),
        ];
        let first = readings(&store, &rules);
        assert_eq!(first, rules.each_ref().map(Reading::of));
        assert_eq!(readings(&store, &rules), first);
        let hashes = |store: &Store| rule_readings::all(store.reader()).expect("rows").len();
        assert_eq!(hashes(&store), 2);

        // A text that the bank has no more is forgotten with the next new one.
        let rules = [rules[0].text, "Close each file"].map(rule);
        assert_eq!(readings(&store, &rules)[0], first[0]);
        assert_eq!(hashes(&store), 2);
    }
}
