//! Reads symbols again as the words that stand side by side in them.
//!
//! One reader a thread, over all rules of a run: a file is read once as long as there is
//! room, a raw word taken apart and stemmed once.

use rustc_hash::FxHashMap;

use crate::rank::raw_words::RawWords;
use crate::rank::tokenize;
use crate::text::LineIndex;

use super::words::Words;

/// How many bytes of text are kept over the rules of a run.
const MAX_KEPT_BYTES: usize = 16 * 1024 * 1024;

/// A text by its lines.
#[derive(Debug, Clone)]
struct Text {
    text: String,
    lines: LineIndex,
}

/// What was read before.
#[derive(Debug, Clone, Default)]
pub(super) struct Reader {
    texts: FxHashMap<usize, Text>,
    n_bytes: usize,
    words: RawWords<Option<u32>>,
}

impl Reader {
    /// Returns the words of a file between two lines, each as its number if it is a word
    /// of some rule, reading the file's `text` if it was not read before.
    pub(super) fn words(
        &mut self,
        words: &Words,
        file: usize,
        text: impl FnOnce() -> String,
        (first, last): (u32, u32),
    ) -> Vec<Option<u32>> {
        if self.n_bytes >= MAX_KEPT_BYTES {
            self.texts.clear();
            self.n_bytes = 0;
        }
        let Text { text, lines } = self.texts.entry(file).or_insert_with(|| {
            let text = text();
            self.n_bytes += text.len();
            Text { lines: LineIndex::new(&text), text }
        });
        let span = &text[lines.start(first as usize)..lines.start(last as usize + 1)];
        let mut found = Vec::with_capacity(span.len() / 6);
        tokenize::words(span, |word| {
            let numbers = self.words.get(word, |part| words.number(&tokenize::term(part)));
            found.extend_from_slice(numbers);
        });
        found
    }
}
