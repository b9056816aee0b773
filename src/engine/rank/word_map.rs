//! A map from the words of code. Those of at most sixteen bytes, nine of ten, are known as
//! numbers: hashed and compared at once, and kept where the table is.

use std::ops::Range;

use rustc_hash::FxHashMap;

/// A value for each word; no word has a zero byte.
#[derive(Debug, Clone)]
pub(crate) struct WordMap<V> {
    of_8_bytes: FxHashMap<u64, V>,
    /// As two numbers, which need less room in a table than one of their length.
    of_16_bytes: FxHashMap<(u64, u64), V>,
    long: FxHashMap<Box<str>, V>,
}

impl<V> Default for WordMap<V> {
    fn default() -> Self {
        Self {
            of_8_bytes: FxHashMap::default(),
            of_16_bytes: FxHashMap::default(),
            long: FxHashMap::default(),
        }
    }
}

impl<V: Copy> WordMap<V> {
    pub(crate) fn len(&self) -> usize {
        self.of_8_bytes.len() + self.of_16_bytes.len() + self.long.len()
    }

    /// Returns the value of the word that stands there in a text.
    #[inline]
    pub(crate) fn get(&self, text: &str, word: Range<usize>) -> Option<V> {
        let bytes = text.as_bytes();
        let found = match word.len() {
            0..=8 => self.of_8_bytes.get(&of_8_bytes(bytes, word)),
            9..=16 => self.of_16_bytes.get(&of_16_bytes(bytes, word)),
            _ => self.long.get(&text[word]),
        };
        found.copied()
    }

    pub(crate) fn insert(&mut self, word: &str, value: V) {
        let bytes = word.as_bytes();
        match bytes.len() {
            len @ 0..=8 => self.of_8_bytes.insert(of_8_bytes(bytes, 0..len), value),
            len @ 9..=16 => self.of_16_bytes.insert(of_16_bytes(bytes, 0..len), value),
            _ => self.long.insert(word.into(), value),
        };
    }
}

/// Returns a word of at most eight bytes as a number.
#[inline]
fn of_8_bytes(text: &[u8], word: Range<usize>) -> u64 {
    let n_bits = 8 * (8 - word.len() as u32);
    u64::from_le_bytes(load(text, word)) & u64::MAX.checked_shr(n_bits).unwrap_or(0)
}

/// Returns a word of at most sixteen bytes as two numbers.
#[inline]
fn of_16_bytes(text: &[u8], word: Range<usize>) -> (u64, u64) {
    let n_bits = 8 * (16 - word.len() as u32);
    let all = u128::from_le_bytes(load(text, word)) & u128::MAX.checked_shr(n_bits).unwrap_or(0);
    (all as u64, (all >> 64) as u64)
}

/// Returns the bytes of a word and some behind it: to read more than the word and to clear
/// the rest costs less than to read just the word.
#[inline]
fn load<const N: usize>(text: &[u8], word: Range<usize>) -> [u8; N] {
    if let Some(bytes) = text[word.start..].first_chunk() {
        return *bytes;
    }
    let mut bytes = [0; N];
    bytes[..word.len()].copy_from_slice(&text[word]);
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_was_put_in_is_found(
            words in prop::collection::btree_set("[a-c_é]{0,20}", 0..60),
            before in "[ -]{0,3}",
            after in "[ -]{0,3}",
        ) {
            let mut map = WordMap::default();
            for (at, word) in words.iter().enumerate().step_by(2) {
                map.insert(word, at);
            }
            prop_assert_eq!(map.len(), words.len().div_ceil(2));
            for (at, word) in words.iter().enumerate() {
                let text = format!("{before}{word}{after}");
                let found = map.get(&text, before.len()..before.len() + word.len());
                prop_assert_eq!(found, (at % 2 == 0).then_some(at));
            }
        }
    }
}
