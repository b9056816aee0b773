//! Reads symbols again for words that stand side by side in them.
//!
//! File by file, so that a file is read once however many rules ask for its symbols; a raw
//! word is taken apart and stemmed once a thread. Where the rules are answered in several
//! lots, files are remembered as their words from one lot to the next.

use std::num::NonZeroU32;
use std::ops::Range;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

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

/// How many words of files are remembered: those of some 25 MB of code.
const MAX_REMEMBERED: usize = 4_000_000;

/// A word of the code: its number, counted from one, if it is a word of some rule.
type Word = Option<NonZeroU32>;

/// A symbol that is to be read for a rule.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) file: usize,
    /// The first and the last of its lines.
    pub(super) lines: (u32, u32),
    /// Whose it is: a plan, and the position of the symbol there.
    pub(super) asking: (usize, usize),
}

/// What was read before.
pub(super) struct Reader {
    raw_words: PerThread<RawWords<Word>>,
    /// Whether more will be asked.
    remembers: bool,
    remembered: FxHashMap<usize, WholeFile>,
    n_remembered: usize,
}

impl Reader {
    /// `remembers` says whether it will be asked more than once.
    pub(super) fn new(remembers: bool) -> Self {
        let raw_words = PerThread::new();
        Self { raw_words, remembers, remembered: FxHashMap::default(), n_remembered: 0 }
    }

    /// Returns which pairs of a rule's words stand side by side in each of `wanted`, with
    /// who asked.
    pub(super) fn read(
        &mut self,
        code: Code<'_>,
        words: &Words,
        plans: &[Plan<'_>],
        wanted: impl Iterator<Item = Wanted>,
    ) -> Vec<((usize, usize), Vec<bool>)> {
        let slots: Vec<Vec<Slot>> = plans.iter().map(|plan| words.slots(plan.rule)).collect();
        let neighbours = |(at_plan, at): (usize, usize), found: &[Word]| {
            let slot = |word: &Word| slots[at_plan][word.as_ref()?.get() as usize - 1].position();
            let pairs = &plans[at_plan].rule.pairs;
            ((at_plan, at), phrases::neighbours(found.iter().map(slot), pairs))
        };
        let number = |part: &str| {
            let number = words.number(&tokenize::term(part))?;
            NonZeroU32::new(number + 1)
        };
        let of_file = |(file, wanted): &(usize, Vec<Wanted>)| {
            if let Some(known) = self.remembered.get(file) {
                let found = wanted.iter().map(|it| neighbours(it.asking, known.words(it.lines)));
                return (found.collect::<Vec<_>>(), None);
            }
            let text = read::walked_text(code.root, &code.files[*file].path).unwrap_or_default();
            let lines = LineIndex::new(&text);
            let mut raw_words = self.raw_words.own();
            let n_wanted: usize = wanted.iter().map(|it| span(&lines, it.lines).len()).sum();
            if self.remembers || n_wanted > text.len() {
                let whole = WholeFile::read(&text, &lines, &mut raw_words, number);
                let found = wanted.iter().map(|it| neighbours(it.asking, whole.words(it.lines)));
                return (found.collect(), self.remembers.then_some((*file, whole)));
            }
            let mut piece = Vec::new();
            let of_symbol = |it: &Wanted| {
                piece.clear();
                let text = &text[span(&lines, it.lines)];
                raw_words.each(text, number, |_, of_word| piece.extend(of_word));
                neighbours(it.asking, &piece)
            };
            (wanted.iter().map(of_symbol).collect(), None)
        };
        let files = by_file(wanted.map(|it| (it.file, it)));
        let read: Vec<_> = files.par_iter().with_max_len(TAKEN_AT_ONCE).map(of_file).collect();
        let mut found = Vec::new();
        for (of_file, whole) in read {
            found.extend(of_file);
            self.remember(whole);
        }
        found
    }

    fn remember(&mut self, whole: Option<(usize, WholeFile)>) {
        let Some((file, whole)) = whole else { return };
        if self.n_remembered + whole.words.len() <= MAX_REMEMBERED {
            self.n_remembered += whole.words.len();
            self.remembered.insert(file, whole);
        }
    }
}

/// All words of a file.
struct WholeFile {
    words: Vec<Word>,
    /// How many stand before each line.
    before: Vec<u32>,
}

impl WholeFile {
    fn read(
        text: &str,
        lines: &LineIndex,
        raw_words: &mut RawWords<Word>,
        number: impl Fn(&str) -> Word,
    ) -> Self {
        let (mut words, mut before) = (Vec::with_capacity(text.len() / 6), Vec::new());
        raw_words.each(text, number, |at, of_word| {
            while before.len() < lines.len() && lines.start(before.len()) <= at.start {
                before.push(words.len() as u32);
            }
            words.extend(of_word);
        });
        words.shrink_to_fit();
        Self { words, before }
    }

    /// Returns the words between two lines.
    fn words(&self, (first, last): (u32, u32)) -> &[Word] {
        let before = |line: u32| {
            self.before.get(line as usize).map_or(self.words.len(), |before| *before as usize)
        };
        &self.words[before(first)..before(last + 1)]
    }
}

fn span(lines: &LineIndex, (first, last): (u32, u32)) -> Range<usize> {
    lines.start(first as usize)..lines.start(last as usize + 1)
}
