//! The terms of the code and their ids, and the conversion of text to term ids.
//!
//! Indexing spends most of its time here. Code repeats its words, so each thread caches the term ids
//! of raw words, and splits and stems each word once.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Result;
use cerberus_model::sorted;
use cerberus_store::{Connection, Store, code};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::rank::dictionary::Dictionary;
use crate::rank::token_cache::TokenCache;
use crate::rank::{postings, tokenize};

/// With this many packed dictionaries, they are merged into one.
const MAX_DICTIONARIES: usize = 8;

/// Number of terms for which there is room from the start in a new index: growing takes time while other
/// threads wait.
const NEW_TERMS: usize = 50_000;

/// Terms and their ids.
#[derive(Default)]
pub(super) struct Vocabulary {
    stored: Vec<Dictionary>,
    added: Mutex<Added>,
}

/// The terms that this run adds to the vocabulary.
#[derive(Default)]
pub(super) struct Added {
    ids: FxHashMap<String, u32>,
    last: u32,
    /// The last id that the store had when it was read or written. Another process may have added
    /// terms since.
    last_stored: u32,
}

impl Vocabulary {
    pub(super) fn load(store: &Store) -> Result<Self> {
        let packed = code::terms(store.reader())?;
        let last = packed.last().map_or(0, |(last, _)| *last);
        let n_expected = if packed.is_empty() { NEW_TERMS } else { 0 };
        let ids = FxHashMap::with_capacity_and_hasher(n_expected, FxBuildHasher);
        let added = Mutex::new(Added {
            ids,
            last,
            last_stored: last,
        });
        let stored = packed.into_iter().map(|(_, bytes)| Dictionary::new(bytes));
        Ok(Self {
            stored: stored.collect(),
            added,
        })
    }

    fn added(&self) -> MutexGuard<'_, Added> {
        self.added.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stored(&self, term: &str) -> Option<u32> {
        self.stored
            .iter()
            .find_map(|dictionary| dictionary.id(term))
    }

    /// Returns the id of a term, if any file has it.
    pub(super) fn id(&self, term: &str) -> Option<u32> {
        self.stored(term)
            .or_else(|| self.added().ids.get(term).copied())
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

    /// Returns the terms that start with `prefix`, sorted, with their ids.
    pub(super) fn with_prefix(&self, prefix: &str) -> Vec<(String, u32)> {
        let added = self.added();
        let new = added
            .ids
            .iter()
            .filter(|(term, _)| term.starts_with(prefix));
        let new = new.map(|(term, id)| (term.clone(), *id));
        sorted(self.stored_with_prefix(prefix).into_iter().chain(new))
    }

    fn stored_with_prefix(&self, prefix: &str) -> Vec<(String, u32)> {
        self.stored
            .iter()
            .flat_map(|dictionary| dictionary.with_prefix(prefix))
            .collect()
    }

    /// Returns the largest id in use.
    pub(super) fn last(&self) -> u32 {
        self.added().last
    }

    /// Returns whether there are terms that are not in the store.
    pub(super) fn has_new(&self) -> bool {
        let added = self.added();
        added.last != added.last_stored
    }

    /// Returns whether the store has the terms that it had when it was read. Else another process wrote
    /// terms in the meantime, so that the ids differ.
    pub(super) fn is_current(&self, connection: &Connection) -> Result<bool> {
        Ok(code::last_term_id(connection)? == self.added().last_stored)
    }

    /// Packs the new terms, or all if there would be many dictionaries.
    pub(super) fn pack(&self) -> Vec<u8> {
        let added = self.added();
        let new = added.ids.iter().map(|(term, &id)| (term.as_str(), id));
        let mut new: Vec<(&str, u32)> = new.filter(|&(_, id)| id > added.last_stored).collect();
        if new.is_empty() {
            return Vec::new();
        }
        let old = if self.is_full() {
            self.stored_with_prefix("")
        } else {
            Vec::new()
        };
        new.extend(old.iter().map(|(term, id)| (term.as_str(), *id)));
        Dictionary::pack(&mut new)
    }

    /// Writes packed terms.
    pub(super) fn write(&self, connection: &Connection, packed: &[u8]) -> Result<()> {
        if packed.is_empty() {
            return Ok(());
        }
        if self.is_full() {
            code::clear_terms(connection)?;
        }
        code::insert_terms(connection, self.last(), packed)
    }

    fn is_full(&self) -> bool {
        self.stored.len() >= MAX_DICTIONARIES
    }

    /// Records that the transaction with the new terms was committed.
    pub(super) fn mark_persisted(&self) {
        let mut added = self.added();
        added.last_stored = added.last;
    }
}

/// Caches and buffers of one thread for converting text to term ids.
#[derive(Default)]
pub(super) struct Worker {
    words: TokenCache<u32>,
    /// Occurrences of each term in the current text.
    counts: Counts,
    /// The bytes of the last file read.
    pub(super) bytes: Vec<u8>,
}

/// A multiset of small numbers.
#[derive(Default)]
struct Counts {
    /// By number.
    counts: Vec<u32>,
    /// A bit for each number present. Scanning the bits is faster than sorting the numbers.
    present: Vec<u64>,
}

impl Counts {
    fn add(&mut self, number: u32) {
        let idx = number as usize;
        if idx >= self.counts.len() {
            self.present.resize(idx / 64 + 1, 0);
            self.counts.resize(64 * self.present.len(), 0);
        }
        self.counts[idx] += 1;
        self.present[idx / 64] |= 1 << (idx % 64);
    }

    /// Removes all numbers, and returns them in ascending order with their counts.
    fn take(&mut self) -> postings::Counts {
        let mut taken = postings::Counts::new();
        for (block_idx, bits) in self.present.iter_mut().enumerate() {
            let mut bits = std::mem::take(bits);
            while bits != 0 {
                let idx = 64 * block_idx + bits.trailing_zeros() as usize;
                taken.push((idx as u32, std::mem::take(&mut self.counts[idx])));
                bits &= bits - 1;
            }
        }
        taken
    }
}

impl Worker {
    /// Returns the conversion to the ids of a vocabulary, of which the cache must be.
    pub(super) fn with<'a>(&'a mut self, vocabulary: &'a Vocabulary) -> WordIds<'a> {
        WordIds {
            worker: self,
            vocabulary,
        }
    }
}

/// Converts text to the ids of its terms.
pub(super) struct WordIds<'a> {
    pub(super) worker: &'a mut Worker,
    vocabulary: &'a Vocabulary,
}

impl WordIds<'_> {
    /// Calls `each` with the span of every raw word of a text and the ids of its terms.
    pub(super) fn each_word(&mut self, text: &str, each: impl FnMut(Range<usize>, &[u32])) {
        let id = |part: &str| self.vocabulary.intern(tokenize::term(part));
        self.worker.words.each(text, id, each);
    }

    /// Calls `each` with the id of every term of a text, in order.
    pub(super) fn each_id(&mut self, text: &str, mut each: impl FnMut(u32)) {
        self.each_word(text, |_, ids| ids.iter().copied().for_each(&mut each));
    }

    /// Returns the packed terms of a file and their number.
    pub(super) fn vector(&mut self, path: &str, text: &str) -> (Vec<u8>, u32) {
        let mut in_path = Vec::new();
        self.each_id(path, |id| in_path.push(id));
        let mut counts = std::mem::take(&mut self.worker.counts);
        let mut n_terms = 0_u32;
        self.each_id(text, |id| {
            n_terms = n_terms.saturating_add(1);
            counts.add(id);
        });
        let counted = counts.take();
        self.worker.counts = counts;
        (postings::pack(&sorted(in_path), &counted), n_terms)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_are_counted_in_order_and_removed(
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
