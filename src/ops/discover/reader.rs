//! Reads symbols again for words that stand side by side in them.
//!
//! File by file, so that a file is read once however many rules ask for its symbols; a raw
//! word is taken apart and stemmed once a thread.

use std::ops::Range;

use rayon::prelude::*;

use crate::ops::code_index::Code;
use crate::ops::per_thread::PerThread;
use crate::rank::raw_words::RawWords;
use crate::rank::{phrases, tokenize};
use crate::text::LineIndex;
use crate::tree::read;

use super::words::{Slot, Words};
use super::{Plan, by_file};

/// How many files a thread takes at once.
const TAKEN_AT_ONCE: usize = 8;

/// What each thread remembers of raw words: the numbers of those that are words of rules.
pub(super) type Remembered = PerThread<RawWords<Option<u32>>>;

/// A symbol that is to be read for a rule.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) file: usize,
    /// The first and the last of its lines.
    pub(super) lines: (u32, u32),
    /// Whose it is: a plan, and the position of the symbol there.
    pub(super) asking: (usize, usize),
}

/// Returns which pairs of a rule's words stand side by side in each of `wanted`, with who
/// asked.
pub(super) fn read(
    code: Code<'_>,
    words: &Words,
    remembered: &Remembered,
    plans: &[Plan<'_>],
    wanted: impl Iterator<Item = Wanted>,
) -> Vec<((usize, usize), Vec<bool>)> {
    let slots: Vec<Vec<Slot>> = plans.iter().map(|plan| words.slots(plan.rule)).collect();
    let of_file = |(file, wanted): &(usize, Vec<Wanted>)| {
        let text = read::walked_text(code.root, &code.files[*file].path).unwrap_or_default();
        let mut text = Text::new(&text, wanted);
        let mut raw_words = remembered.own();
        let of_symbol = |it: &Wanted| {
            let found = text.words(&mut raw_words, |term| words.number(term), it.lines);
            let slots = &slots[it.asking.0];
            let found = found.iter().map(|number| slots[(*number)? as usize].position());
            (it.asking, phrases::neighbours(found, &plans[it.asking.0].rule.pairs))
        };
        wanted.iter().map(of_symbol).collect::<Vec<_>>()
    };
    let files = by_file(wanted.map(|it| (it.file, it)));
    let found: Vec<Vec<_>> = files.par_iter().with_max_len(TAKEN_AT_ONCE).map(of_file).collect();
    found.into_iter().flatten().collect()
}

/// A text by its lines.
struct Text<'a> {
    text: &'a str,
    lines: LineIndex,
    /// Whether more is wanted of it in pieces than it is long.
    is_read_whole: bool,
    /// The words of what was read last as their numbers, and how many stand before each
    /// line of the whole.
    words: Vec<Option<u32>>,
    before: Vec<usize>,
}

impl<'a> Text<'a> {
    fn new(text: &'a str, wanted: &[Wanted]) -> Self {
        let lines = LineIndex::new(text);
        let n_wanted: usize = wanted.iter().map(|it| span(&lines, it.lines).len()).sum();
        let is_read_whole = n_wanted > text.len();
        Self { text, lines, is_read_whole, words: Vec::new(), before: Vec::new() }
    }

    /// Returns the words between two lines, each as its number if it is a word of some rule.
    fn words(
        &mut self,
        raw_words: &mut RawWords<Option<u32>>,
        number: impl Fn(&str) -> Option<u32>,
        (first, last): (u32, u32),
    ) -> &[Option<u32>] {
        let Self { text, lines, is_read_whole, words, before } = self;
        let of_part = |part: &str| number(&tokenize::term(part));
        if !*is_read_whole {
            words.clear();
            let piece = &text[span(lines, (first, last))];
            raw_words.each(piece, of_part, |_, of_word| words.extend(of_word));
            return words;
        }
        if before.is_empty() {
            raw_words.each(text, of_part, |at, of_word| {
                while before.len() < lines.len() && lines.start(before.len()) <= at.start {
                    before.push(words.len());
                }
                words.extend(of_word);
            });
        }
        let before = |line: u32| before.get(line as usize).copied().unwrap_or(words.len());
        &words[before(first)..before(last + 1)]
    }
}

fn span(lines: &LineIndex, (first, last): (u32, u32)) -> Range<usize> {
    lines.start(first as usize)..lines.start(last as usize + 1)
}
