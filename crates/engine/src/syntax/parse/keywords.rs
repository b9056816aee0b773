//! Trigger bytes and words: code without them has no definitions, strings or comments.

use cerberus_model::text::{Span, scan_blocks};

use crate::syntax::language::LanguageTables;

/// The positions of triggers in a text, ascending.
pub(super) struct Triggers {
    positions: Vec<usize>,
    /// Index of the first position that is not before the last query.
    next: usize,
}

impl Triggers {
    /// Finds the triggers of a language in `text`.
    pub(super) fn find(tables: &LanguageTables, text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut positions = Vec::with_capacity(bytes.len() / 16);
        let is_trigger = |byte| {
            tables
                .trigger_bytes
                .iter()
                .fold(false, |is, trigger| is | (byte == *trigger))
        };
        scan_blocks(bytes, is_trigger, |start, mut mask| {
            while mask != 0 {
                positions.push(start + mask.trailing_zeros() as usize);
                mask &= mask - 1;
            }
        });
        let is_word_byte = |byte_idx: usize| match bytes.get(byte_idx) {
            Some(byte) => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | 0x80..),
            None => false,
        };
        for finder in &tables.trigger_words {
            let word = finder.needle();
            let is_operator = !word[0].is_ascii_alphabetic();
            // A keyword inside a longer word is not a trigger.
            positions.extend(finder.find_iter(bytes).filter(|&start| {
                is_operator
                    || !(is_word_byte(start.wrapping_sub(1)) || is_word_byte(start + word.len()))
            }));
        }
        if !tables.trigger_words.is_empty() {
            positions.sort();
        }
        Self { positions, next: 0 }
    }

    /// Returns whether `span` has a trigger. Spans must be queried by ascending start.
    pub(super) fn any_in(&mut self, span: Span) -> bool {
        self.first_in(span).is_some()
    }

    /// Returns the first trigger in `span`. Spans must be queried by ascending start.
    pub(super) fn first_in(&mut self, span: Span) -> Option<usize> {
        while self
            .positions
            .get(self.next)
            .is_some_and(|position| *position < span.start)
        {
            self.next += 1;
        }
        self.positions
            .get(self.next)
            .copied()
            .filter(|position| *position < span.end)
    }
}
