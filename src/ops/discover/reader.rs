//! Reads symbols again as the words that stand side by side in them.
//!
//! One reader a thread, over all rules of a run: a file is read once as long as there is
//! room, a raw word taken apart and stemmed once. Of a file that is asked for again and
//! again all words are looked up at once and remembered.

use rustc_hash::FxHashMap;

use crate::rank::raw_words::RawWords;
use crate::rank::tokenize;
use crate::text::LineIndex;

/// How many bytes of text are kept over the rules of a run.
const MAX_KEPT_BYTES: usize = 16 * 1024 * 1024;

/// A text by its lines.
#[derive(Debug, Clone)]
struct Text {
    text: String,
    lines: LineIndex,
    /// How many bytes were read of it by pieces.
    n_read: usize,
    /// All of its words, once as much was read as it is long.
    words: Option<Words>,
}

/// The words of a text as numbers, and how many stand before each of its lines.
#[derive(Debug, Clone)]
struct Words {
    numbers: Vec<Option<u32>>,
    before: Vec<usize>,
}

/// What was read before.
#[derive(Debug, Clone, Default)]
pub(super) struct Reader {
    texts: FxHashMap<usize, Text>,
    n_bytes: usize,
    raw_words: RawWords<Option<u32>>,
    /// The words of the piece that was read last.
    piece: Vec<Option<u32>>,
}

impl Reader {
    /// Returns the words of a file between two lines, each as its number if it is a word
    /// of some rule, reading the file's `text` if it was not read before.
    pub(super) fn words(
        &mut self,
        number: impl Fn(&str) -> Option<u32>,
        file: usize,
        text: impl FnOnce() -> String,
        (first, last): (u32, u32),
    ) -> &[Option<u32>] {
        if self.n_bytes >= MAX_KEPT_BYTES {
            self.texts.clear();
            self.n_bytes = 0;
        }
        let Self { texts, n_bytes, raw_words, piece } = self;
        let known = texts.entry(file).or_insert_with(|| {
            let text = text();
            *n_bytes += text.len();
            Text { lines: LineIndex::new(&text), text, n_read: 0, words: None }
        });
        let (first, end) = (first as usize, last as usize + 1);
        let span = known.lines.start(first)..known.lines.start(end);
        known.n_read += span.len();
        if known.words.is_none() && known.n_read <= known.text.len() {
            piece.clear();
            let of_part = |part: &str| number(&tokenize::term(part));
            raw_words.each(&known.text[span], of_part, |_, of_word| piece.extend(of_word));
            return piece;
        }
        let words = known.words.get_or_insert_with(|| {
            let words = Words::read(&known.text, &known.lines, raw_words, &number);
            *n_bytes += size_of_val(&words.numbers[..]);
            words
        });
        &words.numbers[words.before(first)..words.before(end)]
    }
}

impl Words {
    fn read(
        text: &str,
        lines: &LineIndex,
        raw_words: &mut RawWords<Option<u32>>,
        number: impl Fn(&str) -> Option<u32>,
    ) -> Self {
        let (mut numbers, mut before) = (Vec::with_capacity(text.len() / 6), Vec::new());
        let of_part = |part: &str| number(&tokenize::term(part));
        raw_words.each(text, of_part, |at, of_word| {
            while before.len() < lines.len() && lines.start(before.len()) <= at.start {
                before.push(numbers.len());
            }
            numbers.extend(of_word);
        });
        Self { numbers, before }
    }

    fn before(&self, line: usize) -> usize {
        self.before.get(line).copied().unwrap_or(self.numbers.len())
    }
}
