//! How well a file or a symbol fits a rule.
//!
//! Both are BM25-like sums over the rule's terms: idf times a saturating function of
//! how often the term occurs, weighed by the field it stands in (BM25F: Robertson,
//! Zaragoza: "The Probabilistic Relevance Framework", 2009), as a share of what the
//! rule could gain at most. Document frequencies come from whole files, and a symbol's
//! fields are held against fixed usual lengths, so that no score depends on which
//! other files happen to be parsed. Reads no files.

use rustc_hash::FxHashMap;

use crate::model::SymbolKind;

use super::document::{Document, Field, Lengths, N_FIELDS, N_OWN_FIELDS, SymbolDoc, passed_into};
use super::place::{self, Place};
use super::rule::Rule;

/// The fields in their order: name, what a hit counts, and how many terms it usually
/// has (longer fields count their words less). Names are chosen to say what code is
/// for, documentation is written to, a body only does it. Accuracy moves by less than
/// 0.02 for a name's weight from 3 to 8, for any other from its half to its double by
/// less than 0.03; documentation at the weight of the body is the worst of these.
const FIELDS: [(&str, f64, f64); N_FIELDS] = [
    ("name", 4.0, 3.0),
    ("signature", 1.5, 12.0),
    ("doc", 2.0, 30.0),
    ("body", 1.0, 60.0),
    ("text", 1.0, 15.0),
    ("comment", 1.0, 15.0),
    ("owner", 1.0, 3.0),
    ("path", 2.0, 6.0),
    ("module", 0.3, 30.0),
];

/// Saturation of a term within a file: whole files repeat their words, so that
/// counting goes on for longer than in a symbol.
const FILE_K1: f64 = 3.0;

/// How much a file's length counts against it (BM25's customary value).
const FILE_B: f64 = 0.75;

/// What a term in the path counts beside one in the text.
const FILE_PATH: f64 = 3.0;

/// Saturation and length of a symbol's fields: the upper end and the middle of what
/// is customary (1.2 to 2, 0 to 1).
const K1: f64 = 2.0;
const B: f64 = 0.5;

/// The least share of its usual length that a field is taken to have, so that two
/// words of documentation are not worth five times those of a sentence.
const MIN_LENGTH: f64 = 0.2;

/// How much of a symbol's score is its file's: words too far from the symbol to be
/// its own still tell that this is the place.
const FILE_SHARE: f64 = 0.2;

/// What a name made of nothing but the rule's words adds, as a share of the score.
const NAME_SHARE: f64 = 0.1;

/// What a symbol of less than a line or two of words keeps, and how few words that is:
/// a re-export, an alias or a stub shows nothing.
const STUB: f64 = 0.7;
const STUB_TERMS: f64 = 12.0;

/// What a function keeps that does no more than call another: the other is the example.
const DELEGATE: f64 = 0.8;
const DELEGATE_LINES: u32 = 4;
const DELEGATE_TERMS: f64 = 15.0;

/// What a constant, a variable or an alias of a type keeps: data seldom shows how to.
const DATA: f64 = 0.8;

/// What tests and vendored code keep, unless a rule speaks of tests: tests repeat the
/// words of what they test. Public benchmarks took 0.3; less than half would lose the
/// rules whose example is a test though they do not say so. Flat from 0.5 to 0.7.
const TEST: f64 = 0.5;
const VENDORED: f64 = 0.7;

/// What a file without any symbol keeps, when it stands for itself.
const WHOLE_FILE: f64 = 0.6;

/// What neighbours in the rule add that are neighbours in the code, and what an
/// identifier adds that the rule or a hint names and that is the symbol's own, as
/// shares of what their words can gain.
const PAIR: f64 = 0.2;
const IDENTIFIER: f64 = 0.5;

/// What a file adds to all its symbols for the next best of them, and how many count:
/// where several symbols fit, the file is about the rule.
const COHERENCE: f64 = 0.15;
const COHERENT_SYMBOLS: usize = 3;

/// Returns the inverse document frequency of a term that `n_with` of `n_docs` files have.
pub(crate) fn idf(n_with: usize, n_docs: usize) -> f64 {
    let (with, docs) = (n_with as f64, n_docs as f64);
    (1.0 + (docs - with + 0.5) / (with + 0.5)).ln()
}

/// Returns the share of its idf that a term gains in a file, below 1.
pub(crate) fn in_file(count: f64, in_path: bool, n_terms: f64, average: f64) -> f64 {
    let norm = 1.0 - FILE_B + FILE_B * n_terms / average.max(1.0);
    let weighed = count / norm + if in_path { FILE_PATH } else { 0.0 };
    weighed / (FILE_K1 + weighed)
}

/// A rule's terms with what the code says of them, ready to score with.
#[derive(Debug, Clone, Default)]
pub(crate) struct Query {
    /// What each term can add: how telling it is times its weight in the rule.
    pub(crate) weights: Vec<f64>,
    pub(crate) idfs: Vec<f64>,
    /// What the whole rule can gain.
    attainable: f64,
    /// The term ids that stand for each term, and how fully, ascending; each for one term.
    ids: Vec<Vec<(u32, f64)>>,
    is_about_tests: bool,
}

impl Query {
    /// Readies a rule; `n_with` says in how many of `n_docs` files each term stands,
    /// `ids` which term ids stand for each term and how fully.
    pub(crate) fn new(rule: &Rule, n_with: &[usize], n_docs: usize, ids: &[&[(u32, f64)]]) -> Self {
        let mut slots = FxHashMap::default();
        let mut query = Self { is_about_tests: rule.is_about_tests, ..Self::default() };
        for (slot, ((term, &n_with), ids)) in rule.terms.iter().zip(n_with).zip(ids).enumerate() {
            let idf = idf(n_with, n_docs);
            // That a hint is rare makes it telling, for it was meant as code. A word of
            // prose may be rare because code never says it so: its idf counts by its root.
            let telling = if term.is_hinted { idf } else { idf.sqrt() };
            query.weights.push(telling * term.weight);
            query.idfs.push(idf);
            for &(id, share) in *ids {
                let known = slots.entry(id).or_insert((slot, share));
                if known.1 < share {
                    *known = (slot, share);
                }
            }
        }
        query.ids = vec![Vec::new(); rule.terms.len()];
        let mut slots: Vec<(u32, (usize, f64))> = slots.into_iter().collect();
        slots.sort_unstable_by_key(|&(id, _)| id);
        for (id, (slot, share)) in slots {
            query.ids[slot].push((id, share));
        }
        query.attainable = query.weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        query
    }

    /// Returns what a sum of gains is of all that the rule can gain.
    pub(crate) fn share(&self, gains: f64) -> f64 {
        gains / self.attainable
    }
}

/// Which of a rule's terms a file may have; all beyond the last bit share it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Slots(u64);

impl Slots {
    #[cfg(any(fuzzing, test))]
    pub(crate) fn all() -> Self {
        Self(u64::MAX)
    }

    pub(crate) fn insert(&mut self, slot: usize) {
        self.0 |= 1 << slot.min(63);
    }

    fn contains(self, slot: usize) -> bool {
        self.0 >> slot.min(63) & 1 == 1
    }
}

/// What a term of the rule adds to a symbol's score, and the fields it stands in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Gain {
    pub(crate) slot: usize,
    pub(crate) gain: f64,
    pub(crate) fields: Vec<&'static str>,
}

/// A parsed file ready to score: with what counts the same for every rule.
#[derive(Debug)]
pub(crate) struct Scorable {
    pub(crate) document: Document,
    place: Place,
    symbols: Vec<Fixed>,
}

/// What of a symbol counts the same for every rule.
#[derive(Debug)]
struct Fixed {
    /// The symbol around it, and what counts there of a hit in this one.
    parent: Option<(usize, f64)>,
    /// What a hit in each of its own fields is worth.
    worth: [f64; N_OWN_FIELDS],
    /// How many words its name has.
    name: f64,
    /// How good an example it makes.
    example: f64,
    is_in_tests: bool,
}

impl Scorable {
    /// Readies a parsed file.
    pub(crate) fn new(document: Document, place: Place) -> Self {
        let fixed = |at: usize| {
            let parent = document.parent(at);
            let lengths = &document.lengths[at];
            let in_test_module = || place::is_test_module(&document.symbols[at].name);
            Fixed {
                parent: parent.map(|parent| (parent, document.passed_up(parent))),
                worth: std::array::from_fn(|field| worth(field, lengths.fields[field])),
                name: lengths.fields[Field::Name as usize].max(1.0),
                example: example_factor(&document.symbols[at], lengths),
                is_in_tests: place == Place::Test || (place == Place::Source && in_test_module()),
            }
        };
        let symbols = (0..document.symbols.len()).map(fixed).collect();
        Self { document, place, symbols }
    }
}

/// Returns what a hit is worth in a field of so many terms.
fn worth(field: usize, length: f64) -> f64 {
    let (_, weight, usual) = FIELDS[field];
    weight / (1.0 - B + B * (length / usual).max(MIN_LENGTH))
}

/// Returns how good an example a symbol makes, whatever the rule.
fn example_factor(symbol: &SymbolDoc, lengths: &Lengths) -> f64 {
    let n_terms: f64 = lengths.fields.iter().sum();
    let mut factor = if lengths.own.max(n_terms) < STUB_TERMS { STUB } else { 1.0 };
    match symbol.kind {
        SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Type => factor *= DATA,
        SymbolKind::Function | SymbolKind::Method => {
            let is_short = symbol.last_line.saturating_sub(symbol.first_line) < DELEGATE_LINES;
            if is_short && lengths.fields[Field::Body as usize] < DELEGATE_TERMS {
                factor *= DELEGATE;
            }
        }
        _ => {}
    }
    factor
}

/// A rule's hits in one file. One word of the rule is counted at a time, since most words
/// stand in few symbols.
pub(crate) struct Hits<'a> {
    query: &'a Query,
    file: &'a Scorable,
    /// The words of the rule that the file may have.
    slots: Slots,
    /// The term ids of the rule in the file's path.
    path: &'a [u32],
    /// The word at hand in each symbol, with what is passed to it from those inside; 0 but
    /// in those that have the word.
    counts: Vec<[f64; N_OWN_FIELDS]>,
    has_word: Vec<bool>,
    /// The symbols that have the word, themselves or inside.
    with_word: Vec<usize>,
    /// The word in the names of the symbols around each one, if it is in any name.
    owners: Vec<f64>,
    is_in_a_name: bool,
    /// The word in the file's path and in its own documentation.
    in_path: f64,
    in_module: f64,
}

impl<'a> Hits<'a> {
    /// Readies the counting of a rule in a parsed file that has no words of it but those of
    /// `slots`, with the term ids of its path.
    pub(crate) fn new(query: &'a Query, file: &'a Scorable, slots: Slots, path: &'a [u32]) -> Self {
        let n_symbols = file.symbols.len();
        Self {
            query,
            file,
            slots,
            path,
            counts: vec![[0.0; N_OWN_FIELDS]; n_symbols],
            has_word: vec![false; n_symbols],
            with_word: Vec::new(),
            owners: vec![0.0; n_symbols],
            is_in_a_name: false,
            in_path: 0.0,
            in_module: 0.0,
        }
    }

    /// Counts a word of the rule in place of the one before.
    fn count(&mut self, slot: usize) {
        for at in self.with_word.drain(..) {
            self.counts[at] = [0.0; N_OWN_FIELDS];
            self.has_word[at] = false;
        }
        (self.in_path, self.in_module) = (0.0, 0.0);
        for &(id, share) in &self.query.ids[slot] {
            if self.path.contains(&id) {
                self.in_path += share;
            }
            if self.file.document.module.binary_search(&id).is_ok() {
                self.in_module += share;
            }
            for it in self.file.document.occurrences(id) {
                self.counts[it.symbol()][it.field()] += it.count() * share;
                self.note(it.symbol());
            }
        }
        self.pass_to_parents();
        self.pass_names_down();
    }

    /// Takes note that a symbol has the word; returns whether that is new.
    fn note(&mut self, at: usize) -> bool {
        let is_new = !std::mem::replace(&mut self.has_word[at], true);
        if is_new {
            self.with_word.push(at);
        }
        is_new
    }

    /// Counts what stands in a symbol for those around it.
    fn pass_to_parents(&mut self) {
        for n in 0..self.with_word.len() {
            let mut inside = self.with_word[n];
            while let Some((parent, _)) = self.file.symbols[inside].parent {
                if !self.note(parent) {
                    break;
                }
                inside = parent;
            }
        }
        // What is inside comes after what is around it.
        self.with_word.sort_unstable_by(|a, b| b.cmp(a));
        for &at in &self.with_word {
            let Some((parent, share)) = self.file.symbols[at].parent else { continue };
            let counts = self.counts[at];
            for (field, count) in counts.iter().enumerate() {
                self.counts[parent][passed_into(field)] += share * count;
            }
        }
    }

    /// Counts the names of the symbols around for those in them.
    fn pass_names_down(&mut self) {
        if std::mem::take(&mut self.is_in_a_name) {
            self.owners.fill(0.0);
        }
        let name = Field::Name as usize;
        self.is_in_a_name = self.with_word.iter().any(|&at| self.counts[at][name] > 0.0);
        if self.is_in_a_name {
            for at in 0..self.owners.len() {
                if let Some((parent, _)) = self.file.symbols[at].parent {
                    self.owners[at] = self.counts[parent][name].max(self.owners[parent]);
                }
            }
        }
    }

    /// Returns what a word of the rule adds to a symbol with so many hits in its own
    /// fields and in the names around it.
    fn gain(&self, slot: usize, own: f64, owner: f64) -> f64 {
        let hits = own
            + owner * worth(Field::Owner as usize, 0.0)
            + self.in_path * worth(Field::Path as usize, 0.0)
            + self.in_module * worth(Field::Module as usize, 0.0);
        self.query.weights[slot] * hits / (K1 + hits)
    }

    /// Returns what the word at hand adds to a symbol.
    fn gain_of(&self, slot: usize, at: usize) -> f64 {
        let worth = &self.file.symbols[at].worth;
        let own: f64 = self.counts[at].iter().zip(worth).map(|(count, worth)| count * worth).sum();
        self.gain(slot, own, self.owners[at])
    }

    /// Returns the scores of the symbols that have a word of the rule, with their
    /// positions; `file_share` is the file's own score.
    pub(crate) fn scores(&mut self, file_share: f64) -> Vec<(usize, f64)> {
        let n_symbols = self.file.symbols.len();
        let (mut gains, mut named) = (vec![0.0; n_symbols], vec![0.0; n_symbols]);
        let mut has_hits = vec![false; n_symbols];
        let slots = self.slots;
        for slot in (0..self.query.weights.len()).filter(|&slot| slots.contains(slot)) {
            self.count(slot);
            for &at in &self.with_word {
                has_hits[at] = true;
                named[at] += self.counts[at][Field::Name as usize];
                gains[at] += self.gain_of(slot, at);
            }
            let around = self.gain(slot, 0.0, 0.0);
            if around > 0.0 || self.is_in_a_name {
                for at in (0..n_symbols).filter(|&at| !self.has_word[at]) {
                    let owner = self.owners[at];
                    gains[at] += if owner > 0.0 { self.gain(slot, 0.0, owner) } else { around };
                }
            }
        }
        let score = |at: usize| {
            let symbol = &self.file.symbols[at];
            let name_factor = 1.0 + NAME_SHARE * (named[at] / symbol.name).min(1.0);
            let own = self.query.share(gains[at]) * name_factor * symbol.example;
            let score = own * (1.0 - FILE_SHARE) + file_share * FILE_SHARE;
            (at, score * self.place_factor(symbol.is_in_tests))
        };
        (0..n_symbols).filter(|&at| has_hits[at]).map(score).collect()
    }

    /// Returns the score of a file without symbols.
    pub(crate) fn whole_file(&self, file_share: f64) -> f64 {
        file_share * WHOLE_FILE * self.place_factor(self.file.place == Place::Test)
    }

    fn place_factor(&self, is_in_tests: bool) -> f64 {
        match self.file.place {
            Place::Vendored => VENDORED,
            _ if is_in_tests && !self.query.is_about_tests => TEST,
            _ => 1.0,
        }
    }

    /// Returns what the terms of the rule add to a symbol, the largest first, with the
    /// fields they stand in.
    pub(crate) fn explain(&mut self, at: usize) -> Vec<Gain> {
        let mut found = Vec::new();
        let slots = self.slots;
        for slot in (0..self.query.weights.len()).filter(|&slot| slots.contains(slot)) {
            self.count(slot);
            let gain = self.gain_of(slot, at);
            if gain > 0.0 {
                let around = [self.owners[at], self.in_path, self.in_module];
                let counts = self.counts[at].iter().chain(&around);
                let fields = FIELDS.iter().zip(counts).filter(|&(_, &count)| count > 0.0);
                let fields = fields.map(|((name, ..), _)| *name).collect();
                found.push(Gain { slot, gain, fields });
            }
        }
        found.sort_by(|a, b| b.gain.total_cmp(&a.gain).then(a.slot.cmp(&b.slot)));
        found
    }
}

/// Returns what a symbol gains for words side by side and for its own name:
/// `is_side_by_side` tells which of the rule's pairs are, `name` has its name's terms.
pub(crate) fn phrase_bonus(
    query: &Query,
    rule: &Rule,
    is_side_by_side: &[bool],
    name: &[String],
) -> f64 {
    let pairs =
        rule.pairs.iter().zip(is_side_by_side).filter(|&(_, &is_side_by_side)| is_side_by_side);
    let paired: f64 = pairs.map(|(&(a, b), _)| query.weights[a].min(query.weights[b])).sum();
    let is_name = |parts: &&Vec<usize>| {
        parts.len() == name.len()
            && parts.iter().zip(name).all(|(&slot, term)| rule.terms[slot].term == *term)
    };
    let named = rule.identifiers.iter().find(is_name);
    let named: f64 = named.into_iter().flatten().map(|&slot| query.weights[slot]).sum();
    query.share(PAIR * paired + IDENTIFIER * named)
}

/// The best scores of a file's symbols, the largest first.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Best([f64; COHERENT_SYMBOLS + 1]);

impl Best {
    pub(crate) fn add(&mut self, score: f64) {
        let mut score = score;
        for known in &mut self.0 {
            if score > *known {
                std::mem::swap(known, &mut score);
            }
        }
    }

    /// Returns what the file adds to the scores of its symbols.
    pub(crate) fn coherence(&self) -> f64 {
        COHERENCE * self.0[1..].iter().sum::<f64>() / COHERENT_SYMBOLS as f64
    }
}

#[cfg(test)]
mod tests;
