//! What raw words stand for, taken apart once: code repeats its words, so that most of a
//! text is looked up and not split.

use std::ops::Range;

use super::tokenize;
use super::word_map::WordMap;

/// How many raw words are remembered.
const MAX_WORDS: usize = 200_000;

/// Where in [`TokenCache::items`] the parts of a word are.
#[derive(Debug, Clone, Copy)]
struct Slice {
    start: u32,
    len: u32,
}

/// Raw words with what each of their parts stands for.
#[derive(Debug, Clone)]
pub(crate) struct TokenCache<T> {
    words: WordMap<Slice>,
    items: Vec<T>,
    parts: WordMap<T>,
}

impl<T> Default for TokenCache<T> {
    fn default() -> Self {
        Self { words: WordMap::default(), items: Vec::new(), parts: WordMap::default() }
    }
}

impl<T: Copy> TokenCache<T> {
    /// Calls `each` with where every raw word of a text starts and ends and with what its
    /// parts stand for; the first time that a part is met `of_part` is asked.
    pub(crate) fn each(
        &mut self,
        text: &str,
        mut of_part: impl FnMut(&str) -> T,
        mut each: impl FnMut(Range<usize>, &[T]),
    ) {
        tokenize::word_bounds(text.as_bytes(), |start, end| {
            let found = match self.words.get(text, start..end) {
                Some(found) => found,
                None => self.insert(&text[start..end], &mut of_part),
            };
            each(start..end, &self.items[found.start as usize..][..found.len as usize]);
        });
    }

    fn insert(&mut self, word: &str, mut of_part: impl FnMut(&str) -> T) -> Slice {
        if self.words.len() >= MAX_WORDS {
            *self = Self::default();
        }
        let Self { items, parts, .. } = self;
        let start = items.len();
        tokenize::parts(word, |part| {
            items.push(parts.get(part, 0..part.len()).unwrap_or_else(|| {
                let item = of_part(part);
                parts.insert(part, item);
                item
            }));
        });
        let position = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let slice = Slice { start: position(start), len: position(self.items.len() - start) };
        self.words.insert(word, slice);
        slice
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_asked_for_once() {
        let mut words = TokenCache::default();
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
        assert_eq!(asked.join(" "), "get user name word of more than sixteen bytes");
    }
}
