//! Reads symbols again as the words that stand side by side in them.
//!
//! One reader a thread, over all rules of a run: a file is read once, a raw word taken
//! apart and stemmed once.

use rustc_hash::FxHashMap;

use crate::rank::tokenize;

use super::words::Words;

/// How many texts, of some 20 KB each, how many symbols' words, of some 2 KB each, and
/// how many raw words are kept over the rules of a run.
const MAX_KEPT_TEXTS: usize = 500;
const MAX_KEPT_SPANS: usize = 20_000;
const MAX_KEPT_WORDS: usize = 200_000;

/// A word's number, if it is a word of some rule.
type Number = Option<u32>;

/// What was read before.
#[derive(Debug, Clone, Default)]
pub(super) struct Reader {
    texts: FxHashMap<usize, String>,
    /// By file and symbol.
    spans: FxHashMap<(usize, Option<usize>), Vec<Number>>,
    /// The parts of raw words.
    parts: FxHashMap<Box<str>, Box<[Number]>>,
}

impl Reader {
    /// Returns the words of a symbol or of a whole file between two lines, reading the
    /// file's `text` if it was not read before.
    pub(super) fn words(
        &mut self,
        words: &Words,
        file: usize,
        text: impl FnOnce() -> String,
        symbol: Option<usize>,
        (first, last): (u32, u32),
    ) -> &[Number] {
        if self.texts.len() >= MAX_KEPT_TEXTS {
            self.texts.clear();
        }
        if self.spans.len() >= MAX_KEPT_SPANS {
            self.spans.clear();
        }
        if self.parts.len() >= MAX_KEPT_WORDS {
            self.parts.clear();
        }
        let Self { texts, spans, parts } = self;
        spans.entry((file, symbol)).or_insert_with(|| {
            let text = texts.entry(file).or_insert_with(text);
            let n_lines = (last - first + 1) as usize;
            let mut found = Vec::new();
            for line in text.lines().skip(first as usize).take(n_lines) {
                tokenize::words(line, |word| {
                    if let Some(numbers) = parts.get(word) {
                        found.extend_from_slice(numbers);
                        return;
                    }
                    let mut numbers = Vec::new();
                    tokenize::parts(word, |part| {
                        numbers.push(words.number(&tokenize::term(part)));
                    });
                    found.extend_from_slice(&numbers);
                    parts.insert(word.into(), numbers.into());
                });
            }
            found
        })
    }
}
