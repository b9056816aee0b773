//! Reads symbols again for words that stand side by side in them.
//!
//! File by file, so that a file is read once however many rules ask for its symbols; a raw
//! word is taken apart and stemmed once a thread. Where the rules are answered in several
//! lots, files are remembered as their words from one lot to the next.

use std::num::NonZeroU32;
use std::ops::Range;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::engine::index::Code;
use crate::engine::per_thread::PerThread;
use crate::engine::rank::token_cache::TokenCache;
use crate::engine::rank::{phrases, tokenize};
use crate::text::LineIndex;
use crate::tree::read;

use super::words::{Slot, Words};
use super::{Plan, by_file};

/// How many files a thread takes at once.
const TAKEN_AT_ONCE: usize = 8;

/// How many words of files are remembered, of some 25 MB of code if a third of its words
/// are words of rules.
const MAX_REMEMBERED: usize = 1_500_000;

/// A word of the code: its number, counted from one, if it is a word of some rule.
type Word = Option<NonZeroU32>;

/// A word of some rule in a text, with how many words come before it.
type Known = (u32, NonZeroU32);

/// A symbol that is to be read for a rule.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// The first and the last of its lines.
    pub(super) lines: (u32, u32),
    /// Whose it is: a plan, and the position of the symbol there.
    pub(super) asking: (usize, usize),
}

/// Which pairs of a rule's words stand side by side in a symbol, with who asked.
type Neighbours = ((usize, usize), Vec<bool>);

/// Rules that ask, with the words of all.
struct Asking<'a> {
    code: Code<'a>,
    words: &'a Words,
    plans: &'a [Plan<'a>],
    /// Which of a rule's terms each word is.
    slots: Vec<Vec<Slot>>,
}

impl Asking<'_> {
    fn word(&self, part: &str) -> Word {
        let number = self.words.number(&tokenize::term(part))?;
        NonZeroU32::new(number + 1)
    }

    fn neighbours(&self, asking: (usize, usize), found: &[Known]) -> Neighbours {
        let slots = &self.slots[asking.0];
        let slot =
            |&(at, word): &Known| Some((at as usize, slots[word.get() as usize - 1].position()?));
        let pairs = &self.plans[asking.0].rule.pairs;
        (asking, phrases::adjacent_pairs(found.iter().filter_map(slot), pairs))
    }
}

/// What was read before.
pub(super) struct Reader {
    raw_words: PerThread<TokenCache<Word>>,
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

    /// Returns which pairs of a rule's words stand side by side in each of `wanted`, given
    /// with the position of its file.
    pub(super) fn read(
        &mut self,
        code: Code<'_>,
        words: &Words,
        plans: &[Plan<'_>],
        mut wanted: Vec<(usize, Wanted)>,
    ) -> Vec<Neighbours> {
        let slots = plans.iter().map(|plan| words.slots(plan.rule)).collect();
        let asking = Asking { code, words, plans, slots };
        let files = by_file(&mut wanted);
        let of_file = |wanted: &&[(usize, Wanted)]| self.of_file(&asking, wanted);
        let read: Vec<_> = files.par_iter().with_max_len(TAKEN_AT_ONCE).map(of_file).collect();
        let mut found = Vec::new();
        for (of_file, whole) in read {
            found.extend(of_file);
            self.remember(whole);
        }
        found
    }

    /// Returns what is wanted of one file, and all of its words, if they are to be remembered.
    fn of_file(
        &self,
        asking: &Asking<'_>,
        wanted: &[(usize, Wanted)],
    ) -> (Vec<Neighbours>, Option<(usize, WholeFile)>) {
        let file = wanted[0].0;
        let wanted = wanted.iter().map(|(_, it)| it);
        let of_whole = |whole: &WholeFile| {
            let wanted = wanted.clone();
            wanted.map(|it| asking.neighbours(it.asking, whole.words(it.lines))).collect()
        };
        if let Some(known) = self.remembered.get(&file) {
            return (of_whole(known), None);
        }
        let Code { root, files, .. } = asking.code;
        let text = read::listed_text(root, &files[file].path).unwrap_or_default();
        let lines = LineIndex::new(&text);
        let mut raw_words = self.raw_words.own();
        let word = |part: &str| asking.word(part);
        let n_wanted: usize = wanted.clone().map(|it| span(&lines, it.lines).len()).sum();
        if self.remembers || n_wanted > text.len() {
            let whole = WholeFile::read(&text, &lines, &mut raw_words, word);
            return (of_whole(&whole), self.remembers.then_some((file, whole)));
        }
        let mut piece = Vec::new();
        let of_piece = |it: &Wanted| {
            piece.clear();
            let mut n_words = 0;
            let text = &text[span(&lines, it.lines)];
            raw_words.each(text, word, |_, of_word| add(of_word, &mut n_words, &mut piece));
            asking.neighbours(it.asking, &piece)
        };
        (wanted.map(of_piece).collect(), None)
    }

    fn remember(&mut self, whole: Option<(usize, WholeFile)>) {
        let Some((file, whole)) = whole else { return };
        if self.n_remembered + whole.words.len() <= MAX_REMEMBERED {
            self.n_remembered += whole.words.len();
            self.remembered.insert(file, whole);
        }
    }
}

/// All words of a file that some rule has.
struct WholeFile {
    words: Vec<Known>,
    /// How many stand before each line.
    before: Vec<u32>,
}

impl WholeFile {
    fn read(
        text: &str,
        lines: &LineIndex,
        raw_words: &mut TokenCache<Word>,
        word: impl Fn(&str) -> Word,
    ) -> Self {
        let (mut words, mut before) = (Vec::new(), Vec::with_capacity(lines.len()));
        let mut n_words = 0;
        raw_words.each(text, word, |at, of_word| {
            while before.len() < lines.len() && lines.start(before.len()) <= at.start {
                before.push(words.len() as u32);
            }
            add(of_word, &mut n_words, &mut words);
        });
        words.shrink_to_fit();
        Self { words, before }
    }

    /// Returns the words between two lines.
    fn words(&self, (first, last): (u32, u32)) -> &[Known] {
        let before = |line: u32| {
            self.before.get(line as usize).map_or(self.words.len(), |before| *before as usize)
        };
        &self.words[before(first)..before(last + 1)]
    }
}

/// Adds a raw word's parts to the words known so far, and to their number.
fn add(parts: &[Word], n_words: &mut u32, known: &mut Vec<Known>) {
    for (at, word) in (*n_words..).zip(parts) {
        known.extend(word.map(|word| (at, word)));
    }
    *n_words += parts.len() as u32;
}

fn span(lines: &LineIndex, (first, last): (u32, u32)) -> Range<usize> {
    lines.start(first as usize)..lines.start(last as usize + 1)
}
