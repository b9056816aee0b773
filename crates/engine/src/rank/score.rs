//! Scores files and symbols against a query.
//!
//! Both scores are BM25 sums over the query's terms: inverse document frequency times a saturating
//! function of the weighted term frequency, with a weight for each field (BM25F: Robertson,
//! Zaragoza: "The Probabilistic Relevance Framework", 2009), divided by the highest possible sum.
//! Document frequencies count whole files, and the lengths of a symbol's fields are compared with
//! constants instead of averages, so that no score depends on the set of parsed files.

mod hits;

use cerberus_model::SymbolKind;
pub(crate) use hits::{HitCounter, TermHits};

use super::document::{Document, Field, Lengths, N_OWN_FIELDS, SymbolDoc};
use super::path_class::{self, PathClass};
use super::query::ParsedQuery;
use super::weights::{FieldWeight, FileWeights, WEIGHTS};

/// Length normalization of files, and saturation and length normalization of a symbol's fields: the
/// customary value of BM25, and the upper end and the middle of the customary ranges (1.2 to 2, 0 to 1).
const FILE_B: f64 = 0.75;
const K1: f64 = 2.0;
const B: f64 = 0.5;

/// How many symbols of a file, after the best, make it likely to be about the rule.
const COHERENT_SYMBOLS: usize = 3;

/// Returns the inverse document frequency of a term in `doc_freq` of `n_docs` files.
pub(crate) fn idf(doc_freq: usize, n_docs: usize) -> f64 {
    let (doc_freq, n_docs) = (doc_freq as f64, n_docs as f64);
    (1.0 + (n_docs - doc_freq + 0.5) / (doc_freq + 0.5)).ln()
}

impl FileWeights {
    /// Returns the score of a term in a file, as a share of its weight.
    pub(crate) fn term_score(&self, count: f64, in_path: bool, n_terms: f64, average: f64) -> f64 {
        let norm = 1.0 - FILE_B + FILE_B * n_terms / average.max(1.0);
        let weighted = count / norm + if in_path { self.path } else { 0.0 };
        weighted / (self.k1 + weighted)
    }
}

/// A term in the code: the number of files with it, and its id, if it has one.
pub(crate) type WordInCode = (usize, Option<u32>);

/// A query with the document frequencies of its terms.
#[derive(Debug, Clone, Default)]
pub(crate) struct WeightedQuery {
    /// The maximum score of each term: its weight in the query times its rarity.
    pub(crate) weights: Vec<f64>,
    pub(crate) idfs: Vec<f64>,
    /// The sum of the weights.
    max_score: f64,
    /// The id of each term, if the code has it.
    pub(crate) ids: Vec<Option<u32>>,
    /// The maximum score of each name of code.
    pub(crate) name_weights: Vec<f64>,
    pub(crate) name_freqs: Vec<usize>,
    /// The terms of each name.
    name_terms: Vec<TermSet>,
    is_about_tests: bool,
}

impl WeightedQuery {
    /// Creates a query from what the code has of its terms, and the document frequencies of its
    /// names.
    pub(crate) fn new(
        parsed: &ParsedQuery,
        words: &[WordInCode],
        name_freqs: &[usize],
        n_docs: usize,
    ) -> Self {
        let mut query = Self {
            is_about_tests: parsed.is_about_tests,
            ..Self::default()
        };
        for (term, &(doc_freq, id)) in parsed.terms.iter().zip(words) {
            let idf = idf(doc_freq, n_docs);
            // A rare hint is a strong signal, because its author expects it in code. A rare word of
            // prose may only be unusual in code, so its idf is dampened.
            let rarity = if term.is_hinted { idf } else { idf.sqrt() };
            // A hint is a guess: it may name what this code does not have.
            let is_wrong_guess = !term.is_in_text && doc_freq == 0;
            query.weights.push(if is_wrong_guess {
                0.0
            } else {
                rarity * term.weight
            });
            query.idfs.push(idf);
            query.ids.push(id);
        }
        for (name, &doc_freq) in parsed.names.iter().zip(name_freqs) {
            let is_wrong_guess = name.is_hinted && doc_freq == 0;
            let weight = idf(doc_freq, n_docs).sqrt() * name.weight * WEIGHTS.names.named_code;
            query
                .name_weights
                .push(if is_wrong_guess { 0.0 } else { weight });
            query.name_freqs.push(doc_freq);
            query.name_terms.push(name.parts.iter().copied().collect());
        }
        let weights = query.weights.iter().chain(&query.name_weights);
        query.max_score = weights.sum::<f64>().max(f64::MIN_POSITIVE);
        query
    }

    /// Returns the names of which all parts are in `terms`.
    pub(crate) fn names_in(&self, terms: TermSet) -> NameSet {
        let names = self.name_terms.iter().enumerate();
        names
            .filter(|(_, name)| terms.contains_all(**name))
            .map(|(idx, _)| idx)
            .collect()
    }

    /// Returns the score of names of which only the parts are known to occur.
    pub(crate) fn parts_score(&self, names: NameSet) -> f64 {
        let weights = self.name_weights.iter().enumerate();
        let found = weights.filter(|(idx, _)| names.contains(*idx));
        found
            .map(|(_, weight)| WEIGHTS.names.all_parts * weight)
            .sum()
    }

    /// Returns a sum of term scores as a share of the maximum.
    pub(crate) fn share(&self, score: f64) -> f64 {
        score / self.max_score
    }
}

/// A set of term indices of a query; all from 63 on share one bit.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TermSet(u64);

impl TermSet {
    #[cfg(any(fuzzing, test))]
    pub(crate) fn all() -> Self {
        Self(u64::MAX)
    }

    pub(crate) fn insert(&mut self, term_idx: usize) {
        self.0 |= 1 << term_idx.min(63);
    }

    pub(crate) fn contains(self, term_idx: usize) -> bool {
        self.0 >> term_idx.min(63) & 1 == 1
    }

    fn contains_all(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the term indices in the set, ascending.
    pub(crate) fn indices(self, query: &WeightedQuery) -> impl Iterator<Item = usize> + use<> {
        (0..query.weights.len()).filter(move |&term_idx| self.contains(term_idx))
    }
}

impl FromIterator<usize> for TermSet {
    fn from_iter<I: IntoIterator<Item = usize>>(term_idxs: I) -> Self {
        let mut set = Self::default();
        term_idxs
            .into_iter()
            .for_each(|term_idx| set.insert(term_idx));
        set
    }
}

/// A set of names of code in a query; all from 15 on share one bit.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct NameSet(u16);

impl NameSet {
    pub(crate) fn contains(self, name_idx: usize) -> bool {
        self.0 >> name_idx.min(15) & 1 == 1
    }
}

impl FromIterator<usize> for NameSet {
    fn from_iter<I: IntoIterator<Item = usize>>(name_idxs: I) -> Self {
        name_idxs
            .into_iter()
            .fold(Self::default(), |set, idx| Self(set.0 | 1 << idx.min(15)))
    }
}

/// The sums over a query's terms for one symbol.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Accumulator {
    score: f64,
    in_name: f64,
    /// The terms of the symbol itself, not of its surroundings.
    terms: TermSet,
}

/// The score of a term in a symbol, and the fields in which it occurs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Contribution {
    pub(crate) term_idx: usize,
    pub(crate) score: f64,
    pub(crate) fields: Vec<&'static str>,
}

/// A parsed file with the parameters that do not depend on the query.
#[derive(Debug)]
pub(crate) struct ScorableFile {
    pub(crate) document: Document,
    class: PathClass,
    symbols: Vec<SymbolParams>,
}

/// The parameters of a symbol that do not depend on the query.
#[derive(Debug)]
struct SymbolParams {
    /// The enclosing symbol, and the weight of this symbol's terms in it.
    parent: Option<(usize, f64)>,
    field_weights: [f64; N_OWN_FIELDS],
    /// Number of terms of the name.
    name_len: f64,
    /// See [`example_factor`].
    example_factor: f64,
    is_test: bool,
}

impl ScorableFile {
    pub(crate) fn new(mut document: Document, class: PathClass) -> Self {
        document.shrink();
        let lengths = document.lengths();
        let mut symbols = Vec::with_capacity(lengths.len());
        for (symbol_idx, lengths) in lengths.iter().enumerate() {
            let symbol = &document.symbols[symbol_idx];
            let parent = document.parent(symbol_idx);
            let is_test = match class {
                PathClass::Test => true,
                PathClass::Source => path_class::is_test_module(&symbol.name),
                _ => false,
            };
            symbols.push(SymbolParams {
                parent: parent.map(|parent| (parent, document.inherited_weight(parent))),
                field_weights: std::array::from_fn(|field| {
                    field_weight(field, lengths.fields[field])
                }),
                name_len: lengths.fields[Field::Name as usize].max(1.0),
                example_factor: example_factor(symbol, lengths),
                is_test,
            });
        }
        Self {
            document,
            class,
            symbols,
        }
    }

    /// Returns whether a symbol, or the whole file, is test code.
    pub(crate) fn is_test(&self, symbol_idx: Option<usize>) -> bool {
        match symbol_idx {
            Some(idx) => self.symbols[idx].is_test,
            None => self.class == PathClass::Test,
        }
    }
}

/// Returns the weight of one occurrence in a field of `length` terms.
fn field_weight(field: usize, length: f64) -> f64 {
    let FieldWeight {
        weight,
        usual_length,
        ..
    } = WEIGHTS.fields[field];
    weight / (1.0 - B + B * (length / usual_length).max(WEIGHTS.symbol.min_length))
}

/// Returns a factor for the quality of a symbol as an example of any rule.
fn example_factor(symbol: &SymbolDoc, lengths: &Lengths) -> f64 {
    let weights = &WEIGHTS.symbol;
    let n_terms: f64 = lengths.fields.iter().sum();
    let is_stub = lengths.own.max(n_terms) < weights.stub_terms;
    let mut factor = if is_stub { weights.stub } else { 1.0 };
    let n_lines = f64::from(symbol.last_line.saturating_sub(symbol.first_line) + 1);
    factor *= (weights.long_lines / n_lines.max(weights.long_lines)).powf(weights.long_power);
    match symbol.kind {
        SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Type => factor *= weights.data,
        SymbolKind::Function | SymbolKind::Method => {
            let is_short = n_lines <= f64::from(weights.delegate_lines);
            if is_short && lengths.fields[Field::Body as usize] < weights.delegate_terms {
                factor *= weights.delegate;
            }
        }
        _ => {}
    }
    factor
}

impl WeightedQuery {
    /// Returns the indices and scores of the file's symbols that have a term of the query, with
    /// the names of which they have all parts.
    ///
    /// `hits` are the file's terms by ascending term index, `file_score` is the file's own score;
    /// `sums` is a reusable buffer.
    pub(crate) fn scores<'a, 'h>(
        &'a self,
        file: &'a ScorableFile,
        hits: impl Iterator<Item = (usize, &'h TermHits)>,
        file_score: f64,
        sums: &'a mut Vec<Accumulator>,
    ) -> impl Iterator<Item = (usize, f64, NameSet)> {
        sums.clear();
        sums.resize(file.symbols.len(), Accumulator::default());
        for (term_idx, hits) in hits {
            for hit in &hits.symbols {
                let sums = &mut sums[hit.symbol];
                sums.terms.insert(term_idx);
                sums.in_name += hit.in_name;
                sums.score += self.term_score(term_idx, hit.weighted);
            }
            for &(symbol, weighted) in &hits.surroundings {
                sums[symbol].score += self.term_score(term_idx, weighted);
            }
        }
        let weights = &WEIGHTS.symbol;
        let all = sums.iter().zip(&file.symbols).enumerate();
        all.filter(|(_, (sums, _))| sums.terms.0 != 0)
            .map(move |(symbol_idx, (sums, symbol))| {
                let name_factor =
                    1.0 + weights.name_share * (sums.in_name / symbol.name_len).min(1.0);
                let own = self.share(sums.score) * name_factor * symbol.example_factor;
                let names = self.names_in(sums.terms);
                let own = own + self.share(self.parts_score(names));
                let score = own * (1.0 - weights.file_share) + file_score * weights.file_share;
                (
                    symbol_idx,
                    score * self.class_factor(file.class, symbol.is_test),
                    names,
                )
            })
    }

    /// Returns the score of a term with the given weighted frequency.
    fn term_score(&self, term_idx: usize, weighted: f64) -> f64 {
        self.weights[term_idx] * weighted / (K1 + weighted)
    }

    /// Returns the score of a file without symbols.
    pub(crate) fn whole_file(&self, file: &ScorableFile, file_score: f64) -> f64 {
        let factor = self.class_factor(file.class, file.class == PathClass::Test);
        file_score * WEIGHTS.symbol.whole_file * factor
    }

    fn class_factor(&self, class: PathClass, is_test: bool) -> f64 {
        let weights = &WEIGHTS.symbol;
        match class {
            PathClass::Vendored => weights.vendored,
            PathClass::Tool => weights.tool,
            _ if is_test == self.is_about_tests => 1.0,
            _ if is_test => weights.test,
            _ => weights.other_than_test,
        }
    }

    /// Returns the contributions of `terms` to the score of a symbol, the largest first;
    /// `is_in_path` returns whether the file's path has a term id.
    pub(crate) fn explain(
        &self,
        file: &ScorableFile,
        terms: TermSet,
        is_in_path: impl Fn(u32) -> bool,
        symbol_idx: usize,
    ) -> Vec<Contribution> {
        let mut found = Vec::new();
        let mut counter = HitCounter::new(file);
        for term_idx in terms.indices(self) {
            counter.count(self.ids[term_idx], &is_in_path);
            let score = self.term_score(term_idx, counter.weighted(symbol_idx));
            if score > 0.0 {
                let fields = WEIGHTS.fields.iter().zip(counter.by_field(symbol_idx));
                let fields = fields
                    .filter(|&(_, count)| count > 0.0)
                    .map(|(it, _)| it.name.as_str());
                found.push(Contribution {
                    term_idx,
                    score,
                    fields: fields.collect(),
                });
            }
        }
        found.sort_by(|a, b| {
            b.score
                .total_cmp(&a.score)
                .then(a.term_idx.cmp(&b.term_idx))
        });
        found
    }
}

/// Returns a symbol's bonus for adjacent words; `is_adjacent` has a flag for each of the query's
/// pairs.
pub(crate) fn phrase_bonus(
    query: &WeightedQuery,
    parsed: &ParsedQuery,
    is_adjacent: &[bool],
) -> f64 {
    let pairs = parsed
        .pairs
        .iter()
        .zip(is_adjacent)
        .filter(|&(_, &is_adjacent)| is_adjacent);
    let pairs: f64 = pairs
        .map(|(&(a, b), _)| query.weights[a].min(query.weights[b]))
        .sum();
    query.share(WEIGHTS.symbol.pair * pairs)
}

/// Returns a symbol's bonus for names from modules with these terms of the query.
pub(crate) fn import_bonus(query: &WeightedQuery, term_idxs: &[usize]) -> f64 {
    let weights = term_idxs.iter().map(|idx| query.weights[*idx]);
    query.share(WEIGHTS.names.imported * weights.sum::<f64>())
}

/// How a symbol contains code that a rule names.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(crate) enum NameMatch {
    Absent,
    /// The last part of a qualified name and the words of its qualifier, or a longer name that starts with it.
    LastPart,
    Verbatim,
    /// The symbol has this name.
    Definition,
}

impl NameMatch {
    /// Returns the share of the name's weight.
    fn share(self) -> f64 {
        match self {
            Self::Absent => 0.0,
            Self::LastPart => WEIGHTS.names.last_part,
            Self::Verbatim => 1.0,
            Self::Definition => 1.0 + WEIGHTS.names.definition,
        }
    }
}

/// Returns the change of the score of a symbol of `n_lines` when the text of its names is known; `in_parts` are the
/// names whose parts were counted before.
pub(crate) fn name_bonus(
    query: &WeightedQuery,
    matches: &[NameMatch],
    in_parts: NameSet,
    n_lines: usize,
) -> f64 {
    let weights = query.name_weights.iter().zip(matches);
    let found: f64 = weights.map(|(weight, found)| weight * found.share()).sum();
    let weights = &WEIGHTS.names;
    let length = n_lines as f64 / weights.long_lines;
    let found = found / length.max(1.0).powf(weights.long_power);
    query.share(found - query.parts_score(in_parts))
}

/// Returns the factor for a symbol whose text contains `n_found` of `n_hints` hints.
pub(crate) fn hint_factor(n_found: usize, n_hints: usize) -> f64 {
    1.0 + WEIGHTS.names.found_hints * n_found as f64 / n_hints.max(1) as f64
}

/// The highest scores of a file's symbols, in descending order.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TopScores([f64; COHERENT_SYMBOLS + 1]);

impl TopScores {
    pub(crate) fn add(&mut self, mut score: f64) {
        for known in &mut self.0 {
            if score > *known {
                std::mem::swap(known, &mut score);
            }
        }
    }

    /// Returns the bonus for the file's symbols.
    pub(crate) fn coherence(&self) -> f64 {
        WEIGHTS.symbol.coherence * self.0[1..].iter().sum::<f64>() / COHERENT_SYMBOLS as f64
    }
}

#[cfg(test)]
mod tests;
