//! What raw words stand for, taken apart once: code repeats its words, so that most of a
//! text is looked up and not split.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::tokenize;

/// How many raw words are remembered.
const MAX_WORDS: usize = 200_000;

/// The longest raw word that is remembered as a number; nine of ten are no longer.
const SHORT: usize = 16;

/// Where in [`RawWords::items`] the parts of a word are.
#[derive(Debug, Clone, Copy)]
struct Slice {
    start: u32,
    len: u32,
}

/// Raw words with what each of their parts stands for.
#[derive(Debug, Clone)]
pub(crate) struct RawWords<T> {
    short: FxHashMap<u128, Slice>,
    long: FxHashMap<Box<str>, Slice>,
    items: Vec<T>,
}

impl<T> Default for RawWords<T> {
    fn default() -> Self {
        Self { short: FxHashMap::default(), long: FxHashMap::default(), items: Vec::new() }
    }
}

impl<T: Copy> RawWords<T> {
    /// Calls `each` with where every raw word of a text starts and ends and with what its
    /// parts stand for; the first time that a word is met `of_part` is asked.
    pub(crate) fn each(
        &mut self,
        text: &str,
        mut of_part: impl FnMut(&str) -> T,
        mut each: impl FnMut(Range<usize>, &[T]),
    ) {
        tokenize::word_bounds(text.as_bytes(), |start, end| {
            let number = as_number(text.as_bytes(), start, end);
            let known = match number {
                Some(number) => self.short.get(&number),
                None => self.long.get(&text[start..end]),
            };
            let found = match known {
                Some(found) => *found,
                None => self.insert(&text[start..end], number, &mut of_part),
            };
            each(start..end, &self.items[found.start as usize..][..found.len as usize]);
        });
    }

    fn insert(
        &mut self,
        word: &str,
        number: Option<u128>,
        mut of_part: impl FnMut(&str) -> T,
    ) -> Slice {
        if self.short.len() + self.long.len() >= MAX_WORDS {
            self.short.clear();
            self.long.clear();
            self.items.clear();
        }
        let start = self.items.len();
        tokenize::parts(word, |part| self.items.push(of_part(part)));
        let position = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let slice = Slice { start: position(start), len: position(self.items.len() - start) };
        match number {
            Some(number) => self.short.insert(number, slice),
            None => self.long.insert(word.into(), slice),
        };
        slice
    }
}

/// Returns a short word as a number that no other short word has: none has a zero byte.
#[inline]
fn as_number(text: &[u8], start: usize, end: usize) -> Option<u128> {
    let len = end - start;
    if len > SHORT {
        return None;
    }
    // Reading more than the word and masking costs less than reading just the word.
    if let Some(bytes) = text[start..].first_chunk::<SHORT>() {
        return Some(u128::from_le_bytes(*bytes) & u128::MAX >> (8 * (SHORT - len)));
    }
    let mut bytes = [0; SHORT];
    bytes[..len].copy_from_slice(&text[start..end]);
    Some(u128::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_taken_apart_once() {
        let mut words = RawWords::default();
        let mut asked = Vec::new();
        let text = "getUserName get aWordOfMoreThanSixteenBytes getUserName x get";
        words.each(
            text,
            |part| {
                asked.push(part.to_owned());
                part.len()
            },
            |at, parts| {
                let mut expected = Vec::new();
                tokenize::parts(&text[at.clone()], |part| expected.push(part.len()));
                assert_eq!(parts, expected, "{}", &text[at]);
            },
        );
        assert_eq!(asked.join(" "), "get user name get word of more than sixteen bytes");
    }
}
