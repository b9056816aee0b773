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

use super::document::{Document, Field, N_FIELDS, N_OWN_FIELDS};
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
    /// Which of the rule's terms a term id stands for, and how fully; ascending by id.
    slots: Vec<(u32, usize, f64)>,
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
        query.slots = slots.into_iter().map(|(id, (slot, share))| (id, slot, share)).collect();
        query.slots.sort_unstable_by_key(|&(id, ..)| id);
        query.attainable = query.weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        query
    }

    /// Returns which of the rule's terms a term id stands for, and how fully.
    fn slot(&self, id: u32) -> Option<(usize, f64)> {
        let at = self.slots.binary_search_by_key(&id, |&(id, ..)| id).ok()?;
        Some((self.slots[at].1, self.slots[at].2))
    }

    /// Returns what a sum of gains is of all that the rule can gain.
    pub(crate) fn share(&self, gains: f64) -> f64 {
        gains / self.attainable
    }
}

/// What a term of the rule adds to a symbol's score, and the fields it stands in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Gain {
    pub(crate) slot: usize,
    pub(crate) gain: f64,
    pub(crate) fields: Vec<&'static str>,
}

/// A rule's hits in one file, counted by symbol and field.
pub(crate) struct Hits<'a> {
    query: &'a Query,
    document: &'a Document,
    /// The symbols that have a word of the rule, themselves or inside, ascending.
    symbols: Vec<usize>,
    /// By these symbols, then by slot.
    counts: Vec<[f64; N_FIELDS]>,
}

impl<'a> Hits<'a> {
    /// Counts the hits of a rule in a parsed file with the term ids of its path.
    pub(crate) fn count(query: &'a Query, document: &'a Document, path: &[u32]) -> Self {
        let n_slots = query.weights.len();
        let mut shared = vec![[0.0; N_FIELDS]; n_slots];
        for (ids, field) in [(path, Field::Path), (&document.module, Field::Module)] {
            for (slot, share) in ids.iter().filter_map(|&id| query.slot(id)) {
                shared[slot][field as usize] += share;
            }
        }
        let mut found = Vec::new();
        for &(id, slot, share) in &query.slots {
            let occurrences = document.occurrences(id).iter();
            found.extend(occurrences.map(|it| (it.symbol(), slot, it.field(), it.count() * share)));
        }
        let mut has_hits = vec![false; document.symbols.len()];
        for &(symbol, ..) in &found {
            let mut around = Some(symbol);
            while let Some(at) = around.filter(|&at| !has_hits[at]) {
                has_hits[at] = true;
                around = document.parent(at);
            }
        }
        let symbols: Vec<usize> = (0..has_hits.len()).filter(|&at| has_hits[at]).collect();
        let counts = shared.repeat(symbols.len());
        let mut hits = Self { query, document, symbols, counts };
        for (symbol, slot, field, count) in found {
            if let Some(row) = hits.row(symbol) {
                hits.counts[row * n_slots + slot][field] += count;
            }
        }
        hits.pass_to_parents();
        hits.pass_names_down();
        hits
    }

    /// Returns where a symbol's counts are, if it has any.
    fn row(&self, symbol: usize) -> Option<usize> {
        self.symbols.binary_search(&symbol).ok()
    }

    /// Returns where the counts are of the symbol around the one of a row.
    fn parent_row(&self, row: usize) -> Option<usize> {
        self.document.parent(self.symbols[row]).and_then(|parent| self.row(parent))
    }

    /// Counts what stands in a symbol for those around it.
    fn pass_to_parents(&mut self) {
        let n_slots = self.query.weights.len();
        for row in (0..self.symbols.len()).rev() {
            let Some(parent) = self.parent_row(row) else {
                continue;
            };
            let passed: [(usize, f64); N_OWN_FIELDS] =
                std::array::from_fn(|field| self.document.passed_up(self.symbols[parent], field));
            for slot in 0..n_slots {
                let counts = self.counts[row * n_slots + slot];
                let above = &mut self.counts[parent * n_slots + slot];
                for (count, (into, share)) in counts.iter().zip(passed) {
                    above[into] += share * count;
                }
            }
        }
    }

    fn pass_names_down(&mut self) {
        let n_slots = self.query.weights.len();
        for row in 0..self.symbols.len() {
            let Some(parent) = self.parent_row(row) else {
                continue;
            };
            for slot in 0..n_slots {
                let around = self.counts[parent * n_slots + slot];
                let known = around[Field::Name as usize].max(around[Field::Owner as usize]);
                self.counts[row * n_slots + slot][Field::Owner as usize] = known;
            }
        }
    }

    /// Returns the counts of a row, by slot.
    fn counts(&self, row: usize) -> &[[f64; N_FIELDS]] {
        let n_slots = self.query.weights.len();
        &self.counts[row * n_slots..(row + 1) * n_slots]
    }

    /// Returns what each term of the rule adds in the symbol of a row.
    fn gains(&self, row: usize) -> impl Iterator<Item = f64> {
        let mut worth = [0.0; N_FIELDS];
        for ((worth, length), (_, weight, usual)) in
            worth.iter_mut().zip(self.document.lengths[self.symbols[row]].fields).zip(FIELDS)
        {
            *worth = weight / (1.0 - B + B * (length / usual).max(MIN_LENGTH));
        }
        self.counts(row).iter().zip(&self.query.weights).map(move |(counts, weight)| {
            let hits: f64 = counts.iter().zip(worth).map(|(count, worth)| count * worth).sum();
            weight * hits / (K1 + hits)
        })
    }

    /// Returns the scores of the symbols that have a word of the rule, with their
    /// positions; `file_share` is the file's own score.
    pub(crate) fn scores(&self, place: Place, file_share: f64) -> Vec<(usize, f64)> {
        let score = |(row, &at): (usize, &usize)| {
            let own = self.query.share(self.gains(row).sum())
                * self.name_factor(row)
                * self.example_factor(at);
            let score = own * (1.0 - FILE_SHARE) + file_share * FILE_SHARE;
            (at, score * self.place_factor(&self.document.symbols[at].name, place))
        };
        self.symbols.iter().enumerate().map(score).collect()
    }

    /// Returns the score of a file without symbols.
    pub(crate) fn whole_file(&self, place: Place, file_share: f64) -> f64 {
        file_share * WHOLE_FILE * self.place_factor("", place)
    }

    fn name_factor(&self, row: usize) -> f64 {
        let named: f64 = self.counts(row).iter().map(|fields| fields[Field::Name as usize]).sum();
        let length = self.document.lengths[self.symbols[row]].name;
        1.0 + NAME_SHARE * (named / length.max(1.0)).min(1.0)
    }

    /// Returns how good an example a symbol makes, whatever the rule.
    fn example_factor(&self, at: usize) -> f64 {
        let (symbol, lengths) = (&self.document.symbols[at], &self.document.lengths[at]);
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

    fn place_factor(&self, symbol: &str, place: Place) -> f64 {
        let is_test =
            place == Place::Test || (place == Place::Source && place::is_test_module(symbol));
        match place {
            Place::Vendored => VENDORED,
            _ if is_test && !self.query.is_about_tests => TEST,
            _ => 1.0,
        }
    }

    /// Returns what the terms of the rule add to a symbol, the largest first, with the
    /// fields they stand in.
    pub(crate) fn explain(&self, at: usize) -> Vec<Gain> {
        let Some(row) = self.row(at) else {
            return Vec::new();
        };
        let gains = self.gains(row).enumerate().filter(|&(_, gain)| gain > 0.0);
        let mut found: Vec<Gain> = gains
            .map(|(slot, gain)| Gain {
                slot,
                gain,
                fields: FIELDS
                    .iter()
                    .zip(&self.counts(row)[slot])
                    .filter(|&(_, &count)| count > 0.0)
                    .map(|((name, ..), _)| *name)
                    .collect(),
            })
            .collect();
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
