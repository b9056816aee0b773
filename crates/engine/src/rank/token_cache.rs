//! A cache of the terms of raw words: code repeats its words, so most are looked up instead of
//! split and stemmed.

use std::ops::Range;

use super::tokenize;
use super::word_map::WordMap;

/// Maximum number of cached raw words; a full cache is cleared. Bounds the memory use.
const MAX_WORDS: usize = 200_000;

/// A range in [`TokenCache::items`].
#[derive(Debug, Clone, Copy, Default)]
struct Slice {
    start: u32,
    len: u32,
}

/// A cache from raw words to one item per part of the word.
#[derive(Debug, Clone, Default)]
pub(crate) struct TokenCache<T> {
    words: WordMap<Slice>,
    items: Vec<T>,
    parts: WordMap<T>,
}

impl<T: Copy + Default> TokenCache<T> {
    /// Calls `each` with the range of every raw word of a text and the items of its parts;
    /// `new_item` creates the item of a part that is not cached.
    pub(crate) fn each(
        &mut self,
        text: &str,
        mut new_item: impl FnMut(&str) -> T,
        mut each: impl FnMut(Range<usize>, &[T]),
    ) {
        tokenize::word_bounds(text.as_bytes(), |start, end| {
            let slice = match self.words.get(text, start..end) {
                Some(slice) => slice,
                None => self.insert(&text[start..end], &mut new_item),
            };
            each(
                start..end,
                &self.items[slice.start as usize..][..slice.len as usize],
            );
        });
    }

    fn insert(&mut self, word: &str, mut new_item: impl FnMut(&str) -> T) -> Slice {
        if self.words.len() >= MAX_WORDS {
            *self = Self::default();
        }
        let Self { items, parts, .. } = self;
        let start = items.len();
        tokenize::parts(word, |part| {
            items.push(parts.get(part, 0..part.len()).unwrap_or_else(|| {
                let item = new_item(part);
                parts.insert(part, item);
                item
            }));
        });
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let slice = Slice {
            start: small(start),
            len: small(self.items.len() - start),
        };
        self.words.insert(word, slice);
        slice
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_item_of_each_part_is_created_once() {
        let mut cache = TokenCache::default();
        let mut created = Vec::new();
        let text = "getUserName get aWordOfMoreThanSixteenBytes getUserName x get";
        cache.each(
            text,
            |part| {
                created.push(part.to_owned());
                part.len()
            },
            |range, parts| {
                let mut expected = Vec::new();
                tokenize::parts(&text[range.clone()], |part| expected.push(part.len()));
                assert_eq!(parts, expected, "{}", &text[range]);
            },
        );
        assert_eq!(
            created.join(" "),
            "get user name word of more than sixteen bytes"
        );
    }
}
