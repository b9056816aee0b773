//! The terms of the code and their ids, and the way from a text to them.
//!
//! Most of a first stage is spent here: code repeats its words, so that each thread
//! remembers what a raw word stands for and takes it apart and stems it once.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Result;
use rustc_hash::FxHashMap;

use crate::engine::rank::dictionary::Dictionary;
use crate::engine::rank::token_cache::TokenCache;
use crate::engine::rank::{postings, tokenize};
use crate::store::code;
use crate::store::{Connection, Store};

/// From this many packed dictionaries on they are made one.
const MAX_DICTIONARIES: usize = 8;

/// Terms and their ids.
#[derive(Default)]
pub(super) struct Vocabulary {
    stored: Vec<Dictionary>,
    added: Mutex<Added>,
}

/// What this run adds to the vocabulary.
#[derive(Default)]
struct Added {
    ids: FxHashMap<String, u32>,
    last: u32,
    /// Up to here the store's ids are ours; another process may have added more since.
    shared: u32,
}

impl Vocabulary {
    pub(super) fn load(store: &Store) -> Result<Self> {
        let packed = code::terms(store.reader())?;
        let last = packed.last().map_or(0, |(last, _)| *last);
        let added = Mutex::new(Added { last, shared: last, ..Added::default() });
        let stored = packed.into_iter().map(|(_, bytes)| Dictionary::new(bytes));
        Ok(Self { stored: stored.collect(), added })
    }

    fn added(&self) -> MutexGuard<'_, Added> {
        self.added.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stored(&self, term: &str) -> Option<u32> {
        self.stored.iter().find_map(|dictionary| dictionary.id(term))
    }

    /// Returns the id of a term, if any file has it.
    pub(super) fn id(&self, term: &str) -> Option<u32> {
        self.stored(term).or_else(|| self.added().ids.get(term).copied())
    }

    fn intern(&self, term: String) -> u32 {
        if let Some(id) = self.stored(&term) {
            return id;
        }
        let mut added = self.added();
        let next = added.last + 1;
        let id = *added.ids.entry(term).or_insert(next);
        added.last = added.last.max(id);
        id
    }

    /// Returns the terms that start with `prefix`, in their order, with their ids.
    pub(super) fn with_prefix(&self, prefix: &str) -> Vec<(String, u32)> {
        let added = self.added();
        let new = added.ids.iter().filter(|(term, _)| term.starts_with(prefix));
        let stored = self.stored.iter().flat_map(|dictionary| dictionary.with_prefix(prefix));
        let all = stored.chain(new.map(|(term, &id)| (term.as_str(), id)));
        let mut found: Vec<(String, u32)> = all.map(|(term, id)| (term.to_owned(), id)).collect();
        found.sort_unstable();
        found
    }

    /// Returns the largest id in use.
    pub(super) fn last(&self) -> u32 {
        self.added().last
    }

    /// Returns whether there are terms that the store does not have.
    pub(super) fn has_new(&self) -> bool {
        let added = self.added();
        added.last != added.shared
    }

    /// Writes what the store does not have yet; false if another process has written
    /// meanwhile, so that the ids mean something else there.
    pub(super) fn persist(&self, connection: &Connection) -> Result<bool> {
        let added = self.added();
        if code::last_term_id(connection)? != added.shared {
            return Ok(false);
        }
        let new = added.ids.iter().map(|(term, &id)| (term.as_str(), id));
        let mut new: Vec<(&str, u32)> = new.filter(|&(_, id)| id > added.shared).collect();
        if new.is_empty() {
            return Ok(true);
        }
        if self.stored.len() >= MAX_DICTIONARIES {
            code::clear_terms(connection)?;
            new.extend(self.stored.iter().flat_map(|dictionary| dictionary.with_prefix("")));
        }
        code::insert_terms(connection, added.last, &Dictionary::pack(&mut new))?;
        Ok(true)
    }

    /// Takes note that what was written is kept.
    pub(super) fn note_persisted(&self) {
        let mut added = self.added();
        added.shared = added.last;
    }
}

/// One thread's way from texts to term ids.
#[derive(Default)]
pub(super) struct Worker {
    words: TokenCache<u32>,
    /// How often each term was met in the text at hand.
    counts: Counts,
    /// The file that was read last.
    pub(super) bytes: Vec<u8>,
}

/// How often each of many numbers was met.
#[derive(Default)]
struct Counts {
    /// By number.
    counts: Vec<u32>,
    /// A bit for each number that was met, since to look through them takes less than to
    /// sort the numbers.
    met: Vec<u64>,
}

impl Counts {
    fn add(&mut self, number: u32) {
        let at = number as usize;
        if at >= self.counts.len() {
            self.met.resize(at / 64 + 1, 0);
            self.counts.resize(64 * self.met.len(), 0);
        }
        self.counts[at] += 1;
        self.met[at / 64] |= 1 << (at % 64);
    }

    /// Returns the numbers that were met, ascending, with their counts, and forgets them.
    fn take(&mut self) -> postings::Counts {
        let mut found = postings::Counts::new();
        for (n, met) in self.met.iter_mut().enumerate() {
            let mut met = std::mem::take(met);
            while met != 0 {
                let at = 64 * n + met.trailing_zeros() as usize;
                found.push((at as u32, std::mem::take(&mut self.counts[at])));
                met &= met - 1;
            }
        }
        found
    }
}

impl Worker {
    /// Calls `each` with where every raw word of a text starts and ends, and with the ids
    /// of its terms.
    pub(super) fn each_word(
        &mut self,
        vocabulary: &Vocabulary,
        text: &str,
        each: impl FnMut(Range<usize>, &[u32]),
    ) {
        let id = |part: &str| vocabulary.intern(tokenize::term(part));
        self.words.each(text, id, each);
    }

    /// Calls `each` with the id of every term of a text, in its order.
    pub(super) fn each_id(
        &mut self,
        vocabulary: &Vocabulary,
        text: &str,
        mut each: impl FnMut(u32),
    ) {
        self.each_word(vocabulary, text, |_, ids| ids.iter().copied().for_each(&mut each));
    }

    /// Returns a file's packed terms and their number.
    pub(super) fn vector(
        &mut self,
        vocabulary: &Vocabulary,
        path: &str,
        text: &str,
    ) -> (Vec<u8>, u32) {
        let mut in_path = Vec::new();
        self.each_id(vocabulary, path, |id| in_path.push(id));
        in_path.sort_unstable();
        in_path.dedup();
        let mut counts = std::mem::take(&mut self.counts);
        let mut n_terms = 0_u32;
        self.each_id(vocabulary, text, |id| {
            n_terms = n_terms.saturating_add(1);
            counts.add(id);
        });
        let counted = counts.take();
        self.counts = counts;
        (postings::pack(&in_path, &counted), n_terms)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_was_met_is_counted_in_order_and_forgotten(
            texts in prop::collection::vec(prop::collection::vec(0..300u32, 0..60), 1..4),
        ) {
            let mut counts = Counts::default();
            for text in texts {
                let mut expected = BTreeMap::new();
                for number in text {
                    counts.add(number);
                    *expected.entry(number).or_default() += 1;
                }
                prop_assert_eq!(counts.take(), expected.into_iter().collect::<postings::Counts>());
            }
        }
    }
}
