//! What raw words stand for, taken apart once: code repeats its words, so that most of a
//! text is looked up and not split.

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
    /// Returns what the parts of a raw word stand for; the first time `of_part` is asked.
    pub(crate) fn get(&mut self, word: &str, of_part: impl FnMut(&str) -> T) -> &[T] {
        let number = as_number(word);
        let known = match number {
            Some(number) => self.short.get(&number),
            None => self.long.get(word),
        };
        let found = match known {
            Some(found) => *found,
            None => self.insert(word, number, of_part),
        };
        &self.items[found.start as usize..(found.start + found.len) as usize]
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
fn as_number(word: &str) -> Option<u128> {
    let mut bytes = [0; SHORT];
    bytes.get_mut(..word.len())?.copy_from_slice(word.as_bytes());
    Some(u128::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_taken_apart_once() {
        let mut words = RawWords::default();
        let mut asked = Vec::new();
        for word in ["getUserName", "get", "aWordOfMoreThanSixteenBytes", "getUserName", "x"] {
            let parts = words.get(word, |part| {
                asked.push(part.to_owned());
                part.len()
            });
            let mut expected = Vec::new();
            tokenize::parts(word, |part| expected.push(part.len()));
            assert_eq!(parts, expected, "{word}");
        }
        assert_eq!(asked.join(" "), "get user name get word of more than sixteen bytes");
    }
}
