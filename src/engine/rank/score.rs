//! How well a file or a symbol fits a rule.
//!
//! Both are BM25-like sums over the rule's terms: idf times a saturating function of
//! how often the term occurs, weighed by the field it stands in (BM25F: Robertson,
//! Zaragoza: "The Probabilistic Relevance Framework", 2009), as a share of what the
//! rule could gain at most. Document frequencies come from whole files, and a symbol's
//! fields are held against fixed usual lengths, so that no score depends on which
//! other files happen to be parsed. Reads no files.

mod hits;

use rustc_hash::FxHashMap;

use crate::model::SymbolKind;

use super::document::{Document, Field, Lengths, N_FIELDS, N_OWN_FIELDS, SymbolDoc};
use super::path_class::{self, PathClass};
use super::query::ParsedQuery;
use super::tokenize;

pub(crate) use hits::{HitCounter, TermHits};

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
pub(crate) fn file_term_score(count: f64, in_path: bool, n_terms: f64, average: f64) -> f64 {
    let norm = 1.0 - FILE_B + FILE_B * n_terms / average.max(1.0);
    let weighed = count / norm + if in_path { FILE_PATH } else { 0.0 };
    weighed / (FILE_K1 + weighed)
}

/// A rule's terms with what the code says of them, ready to score with.
#[derive(Debug, Clone, Default)]
pub(crate) struct WeightedQuery {
    /// What each term can add: how telling it is times its weight in the rule.
    pub(crate) weights: Vec<f64>,
    pub(crate) idfs: Vec<f64>,
    /// What the whole rule can gain.
    attainable: f64,
    /// The term ids that stand for each term, and how fully, ascending; each for one term.
    pub(crate) ids: Vec<Vec<(u32, f64)>>,
    is_about_tests: bool,
}

impl WeightedQuery {
    /// Readies a rule; `n_with` says in how many of `n_docs` files each term stands,
    /// `ids` which term ids stand for each term and how fully.
    pub(crate) fn new(
        rule: &ParsedQuery,
        n_with: &[usize],
        n_docs: usize,
        ids: &[&[(u32, f64)]],
    ) -> Self {
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
pub(crate) struct TermSet(u64);

impl TermSet {
    #[cfg(any(fuzzing, test))]
    pub(crate) fn all() -> Self {
        Self(u64::MAX)
    }

    pub(crate) fn insert(&mut self, slot: usize) {
        self.0 |= 1 << slot.min(63);
    }

    pub(crate) fn contains(self, slot: usize) -> bool {
        self.0 >> slot.min(63) & 1 == 1
    }

    /// Returns the positions of the terms of the rule that the file may have, ascending.
    pub(crate) fn indices(self, query: &WeightedQuery) -> impl Iterator<Item = usize> + use<> {
        (0..query.weights.len()).filter(move |&slot| self.contains(slot))
    }
}

/// What the words of a rule come to in a symbol.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Accumulator {
    gains: f64,
    in_name: f64,
    /// Whether a word stands in the symbol and not only around it.
    has_hits: bool,
}

/// What a term of the rule adds to a symbol's score, and the fields it stands in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Contribution {
    pub(crate) slot: usize,
    pub(crate) gain: f64,
    pub(crate) fields: Vec<&'static str>,
}

/// A parsed file ready to score: with what counts the same for every rule.
#[derive(Debug)]
pub(crate) struct ScorableFile {
    pub(crate) document: Document,
    place: PathClass,
    symbols: Vec<SymbolParams>,
}

/// What of a symbol counts the same for every rule.
#[derive(Debug)]
struct SymbolParams {
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

impl ScorableFile {
    /// Readies a parsed file.
    pub(crate) fn new(mut document: Document, place: PathClass) -> Self {
        document.shrink();
        let lengths = document.lengths();
        let fixed = |at: usize| {
            let parent = document.parent(at);
            let lengths = &lengths[at];
            let in_test_module = || path_class::is_test_module(&document.symbols[at].name);
            SymbolParams {
                parent: parent.map(|parent| (parent, document.inherited_weight(parent))),
                worth: std::array::from_fn(|field| worth(field, lengths.fields[field])),
                name: lengths.fields[Field::Name as usize].max(1.0),
                example: example_factor(&document.symbols[at], lengths),
                is_in_tests: place == PathClass::Test
                    || (place == PathClass::Source && in_test_module()),
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

impl WeightedQuery {
    /// Returns the scores of the symbols of a file that have a word of the rule, with their
    /// positions. `words` has the words that the file has, by the rule's terms ascending;
    /// `file_share` is the file's own score; `sums` is room that may be used again.
    pub(crate) fn scores<'a, 'w>(
        &'a self,
        file: &'a ScorableFile,
        words: impl Iterator<Item = (usize, &'w TermHits)>,
        file_share: f64,
        sums: &'a mut Vec<Accumulator>,
    ) -> impl Iterator<Item = (usize, f64)> {
        sums.clear();
        sums.resize(file.symbols.len(), Accumulator::default());
        for (slot, word) in words {
            for it in &word.inside {
                let sums = &mut sums[it.symbol];
                sums.has_hits = true;
                sums.in_name += it.in_name;
                sums.gains += self.gain(slot, it.weighed);
            }
            for &(symbol, weighed) in &word.around {
                sums[symbol].gains += self.gain(slot, weighed);
            }
        }
        let all = sums.iter().zip(&file.symbols).enumerate();
        all.filter(|(_, (sums, _))| sums.has_hits).map(move |(at, (sums, symbol))| {
            let name_factor = 1.0 + NAME_SHARE * (sums.in_name / symbol.name).min(1.0);
            let own = self.share(sums.gains) * name_factor * symbol.example;
            let score = own * (1.0 - FILE_SHARE) + file_share * FILE_SHARE;
            (at, score * self.place_factor(file.place, symbol.is_in_tests))
        })
    }

    /// Returns what so many weighed hits of a term of the rule add.
    fn gain(&self, slot: usize, weighed: f64) -> f64 {
        self.weights[slot] * weighed / (K1 + weighed)
    }

    /// Returns the score of a file without symbols.
    pub(crate) fn whole_file(&self, file: &ScorableFile, file_share: f64) -> f64 {
        file_share * WHOLE_FILE * self.place_factor(file.place, file.place == PathClass::Test)
    }

    fn place_factor(&self, place: PathClass, is_in_tests: bool) -> f64 {
        match place {
            PathClass::Vendored => VENDORED,
            _ if is_in_tests && !self.is_about_tests => TEST,
            _ => 1.0,
        }
    }

    /// Returns what the terms of the rule that a file may have add to a symbol, the largest
    /// first, with the fields they stand in; `is_in_path` tells of a term id.
    pub(crate) fn explain(
        &self,
        file: &ScorableFile,
        slots: TermSet,
        is_in_path: impl Fn(u32) -> bool,
        at: usize,
    ) -> Vec<Contribution> {
        let mut found = Vec::new();
        let mut hits = HitCounter::new(file);
        for slot in slots.indices(self) {
            hits.count(&self.ids[slot], &is_in_path);
            let gain = self.gain(slot, hits.weighed(at));
            if gain > 0.0 {
                let counts = hits.by_field(at);
                let fields = FIELDS.iter().zip(counts).filter(|&(_, count)| count > 0.0);
                let fields = fields.map(|((name, ..), _)| *name).collect();
                found.push(Contribution { slot, gain, fields });
            }
        }
        found.sort_by(|a, b| b.gain.total_cmp(&a.gain).then(a.slot.cmp(&b.slot)));
        found
    }
}

/// Returns what a symbol gains for words side by side and for its own name:
/// `is_side_by_side` tells which of the rule's pairs are.
pub(crate) fn phrase_bonus(
    query: &WeightedQuery,
    rule: &ParsedQuery,
    is_side_by_side: &[bool],
    name: &str,
) -> f64 {
    let pairs =
        rule.pairs.iter().zip(is_side_by_side).filter(|&(_, &is_side_by_side)| is_side_by_side);
    let paired: f64 = pairs.map(|(&(a, b), _)| query.weights[a].min(query.weights[b])).sum();
    query.share(PAIR * paired + IDENTIFIER * named(query, rule, name))
}

/// Returns what the identifier of the rule weighs that a symbol's name is.
fn named(query: &WeightedQuery, rule: &ParsedQuery, name: &str) -> f64 {
    if rule.identifiers.is_empty() {
        return 0.0;
    }
    let name = tokenize::terms(name);
    let is_name = |parts: &&Vec<usize>| {
        parts.len() == name.len()
            && parts.iter().zip(&name).all(|(&slot, term)| rule.terms[slot].term == *term)
    };
    let named = rule.identifiers.iter().find(is_name);
    named.into_iter().flatten().map(|&slot| query.weights[slot]).sum()
}

/// The best scores of a file's symbols, the largest first.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TopScores([f64; COHERENT_SYMBOLS + 1]);

impl TopScores {
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
