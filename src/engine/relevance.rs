//! Compares rules and their examples with files, by the term vectors of the code index.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::CodeBase;
use super::examples::open_index;
use super::index::CodeIndex;
use super::rank::query::ParsedQuery;
use super::rank::relevance::{self, ExampleFeatures, Features};
use super::rank::{postings, score, tokenize};
use crate::model::Anchor;
use crate::store::code::FileRow;
use crate::syntax::fingerprint;
use crate::timings;
use crate::tree::read;

/// A rule with its example.
pub(crate) struct Rule<'a> {
    pub(crate) text: &'a str,
    pub(crate) hints: &'a [String],
    pub(crate) anchor: Option<&'a Anchor>,
}

/// Updates the code index, and compares each rule with each file. Returns the features of the best
/// file of each rule, in the order of the rules. `files` is not empty; a file may be new, or in no
/// indexed language. `written` has texts that are about to be written to some of them.
pub(crate) fn compare(
    code: CodeBase<'_>,
    files: &BTreeSet<String>,
    written: &BTreeMap<String, String>,
    rules: &[Rule<'_>],
) -> Result<Vec<Features>> {
    let index = open_index(code)?;
    let _step = timings::step("compare rules with files");
    let rows = &index.files[..];
    let terms = Terms::new(&index);
    let compared: Vec<ComparedFile> =
        files.iter().map(|it| ComparedFile::new(&index, &terms, it, written.get(it))).collect();
    let words: Vec<Words> = rules.iter().map(|rule| terms.words(&index, rule)).collect();
    let frequencies = terms.frequencies(rows, &words);
    let anchored: BTreeSet<&str> =
        rules.iter().filter_map(|rule| Some(rule.anchor?.file.as_str())).collect();
    let similarities: FxHashMap<&str, Vec<f64>> = anchored
        .into_par_iter()
        .map(|file| (file, terms.similarities(rows, file, &compared)))
        .collect();
    let rarities = name_rarities(rules);
    let best = |rule_idx: usize| {
        let (rule, words) = (&rules[rule_idx], &words[rule_idx]);
        let features = compared.iter().enumerate().map(|(file_idx, file)| {
            let (mean, deviation) = frequencies[rule_idx];
            let example = |anchor: &Anchor| ExampleFeatures {
                names: relevance::share(anchor.fingerprint.names.iter().map(|name| {
                    let is_used = file.names.binary_search(name).is_ok();
                    (rarities[name], f64::from(u8::from(is_used)))
                })),
                terms: similarities[anchor.file.as_str()][file_idx],
                nearness: relevance::nearness(&anchor.file, &file.path),
            };
            Features {
                words: file.share(words, |count| f64::from(u8::from(count > 0))),
                prominence: match file.n_terms {
                    0 => 0.0,
                    n => (file.share(words, |count| terms.frequency(count, n)) - mean) / deviation,
                },
                example: rule.anchor.map(example),
            }
        });
        features.max_by(|a, b| a.score().total_cmp(&b.score())).unwrap_or_default()
    };
    Ok((0..rules.len()).into_par_iter().map(best).collect())
}

/// The terms of a rule that the index knows, with their weights.
type Words = Vec<(u32, f64)>;

/// The document frequencies of the terms of the index.
struct Terms {
    doc_freqs: Vec<u32>,
    n_docs: usize,
    average_length: f64,
}

impl Terms {
    fn new(index: &CodeIndex) -> Self {
        let mut doc_freqs = vec![0; index.last_term_id() as usize + 1];
        for row in &index.files {
            each_term(row, |id, _| {
                if let Some(doc_freq) = doc_freqs.get_mut(id as usize) {
                    *doc_freq += 1;
                }
            });
        }
        let n_terms: f64 = index.files.iter().map(|file| f64::from(file.n_terms)).sum();
        let n_docs = index.files.len();
        Self { doc_freqs, n_docs, average_length: n_terms / n_docs.max(1) as f64 }
    }

    /// Returns the rarity of a term, 0 if no file has it in its text.
    fn rarity(&self, id: u32) -> f64 {
        match self.doc_freqs.get(id as usize) {
            None | Some(0) => 0.0,
            Some(doc_freq) => score::idf(*doc_freq as usize, self.n_docs),
        }
    }

    fn weight(&self, id: u32, count: u32) -> f64 {
        self.rarity(id) * (1.0 + f64::from(count.max(1)).ln())
    }

    fn frequency(&self, count: u32, n_terms: u32) -> f64 {
        let n_terms = f64::from(n_terms);
        score::file_term_score(f64::from(count), false, n_terms, self.average_length)
    }

    fn words(&self, index: &CodeIndex, rule: &Rule<'_>) -> Words {
        let query = ParsedQuery::rule(rule.text, rule.hints);
        let known = query.terms.iter().filter_map(|term| {
            let id = index.term_id(&term.term)?;
            Some((id, term.weight * self.rarity(id)))
        });
        known.filter(|(_, weight)| *weight > 0.0).collect()
    }

    /// Returns the mean and the standard deviation, over all files, of the frequency of the words of
    /// each rule.
    fn frequencies(&self, rows: &[FileRow], words: &[Words]) -> Vec<(f64, f64)> {
        let mut rules_with: Vec<Vec<(usize, f64)>> = vec![Vec::new(); self.doc_freqs.len()];
        for (rule_idx, words) in words.iter().enumerate() {
            let total: f64 = words.iter().map(|(_, weight)| weight).sum();
            for (id, weight) in words {
                rules_with[*id as usize].push((rule_idx, weight / total));
            }
        }
        let add = |mut sums: Sums, row: &FileRow| {
            each_term(row, |id, count| {
                let rules = rules_with.get(id as usize).filter(|rules| !rules.is_empty());
                let Some(rules) = rules else { return };
                let frequency = self.frequency(count, row.n_terms);
                rules.iter().for_each(|(idx, share)| sums.add(*idx, share * frequency));
            });
            sums.end_file();
            sums
        };
        let sums = rows
            .par_iter()
            .fold(|| Sums::new(words.len()), add)
            .reduce(|| Sums::new(words.len()), Sums::merge);
        let n = rows.len().max(1) as f64;
        let moments = sums.sums.iter().zip(&sums.squares).map(|(sum, squares)| {
            let mean = sum / n;
            (mean, (squares / n - mean * mean).max(0.0).sqrt().max(MIN_DEVIATION))
        });
        moments.collect()
    }

    /// Returns the cosine of the terms of an indexed file with those of each compared file.
    fn similarities(&self, rows: &[FileRow], path: &str, files: &[ComparedFile]) -> Vec<f64> {
        let mut products = vec![0.0; files.len()];
        let mut squares = 0.0;
        if let Some(row) = find(rows, path) {
            each_term(row, |id, count| {
                let weight = self.weight(id, count);
                squares += weight * weight;
                for (product, file) in products.iter_mut().zip(files) {
                    *product += file.terms.get(&id).map_or(0.0, |(_, other)| weight * other);
                }
            });
        }
        let products = products.into_iter().zip(files);
        products
            .map(|(product, file)| product / (squares * file.squares).sqrt().max(MIN_DEVIATION))
            .collect()
    }
}

/// The least divisor, against a division by zero.
const MIN_DEVIATION: f64 = 1e-6;

/// The sums of the frequencies of the words of rules and of their squares, over files.
struct Sums {
    sums: Vec<f64>,
    squares: Vec<f64>,
    /// The frequencies in the current file, and the rules with one.
    current: Vec<f64>,
    touched: Vec<usize>,
}

impl Sums {
    fn new(n_rules: usize) -> Self {
        let zeros = || vec![0.0; n_rules];
        Self { sums: zeros(), squares: zeros(), current: zeros(), touched: Vec::new() }
    }

    fn add(&mut self, rule_idx: usize, frequency: f64) {
        if self.current[rule_idx] == 0.0 {
            self.touched.push(rule_idx);
        }
        self.current[rule_idx] += frequency;
    }

    fn end_file(&mut self) {
        for rule_idx in self.touched.drain(..) {
            let frequency = std::mem::take(&mut self.current[rule_idx]);
            self.sums[rule_idx] += frequency;
            self.squares[rule_idx] += frequency * frequency;
        }
    }

    fn merge(mut self, other: Self) -> Self {
        let add = |all: &mut [f64], other: Vec<f64>| {
            all.iter_mut().zip(other).for_each(|(sum, other)| *sum += other);
        };
        add(&mut self.sums, other.sums);
        add(&mut self.squares, other.squares);
        self
    }
}

/// A file that the rules are compared with.
struct ComparedFile {
    path: String,
    n_terms: u32,
    /// The count and the weight of each term of its text.
    terms: FxHashMap<u32, (u32, f64)>,
    /// The sum of the squared weights.
    squares: f64,
    /// The hashes of its words, sorted.
    names: Vec<u16>,
}

impl ComparedFile {
    fn new(index: &CodeIndex, known: &Terms, path: &str, written: Option<&String>) -> Self {
        // A file that does not exist yet has a path and the text that is about to be written.
        let mut text = read::text(&index.root, path).unwrap_or_default();
        let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
        let row = find(&index.files, path);
        let mut n_terms = row.map_or(0, |row| row.n_terms);
        if let Some(row) = row {
            each_term(row, |id, count| *counts.entry(id).or_default() += count);
        }
        let not_indexed = row.is_none().then_some(&text);
        for text in not_indexed.into_iter().chain(written) {
            let terms = tokenize::terms(text);
            for id in terms.iter().filter_map(|term| index.term_id(term)) {
                *counts.entry(id).or_default() += 1;
            }
            n_terms = n_terms.saturating_add(u32::try_from(terms.len()).unwrap_or(u32::MAX));
        }
        if let Some(written) = written {
            text.push('\n');
            text.push_str(written);
        }
        let weigh = |(id, count)| (id, (count, known.weight(id, count)));
        let terms: FxHashMap<u32, (u32, f64)> = counts.into_iter().map(weigh).collect();
        Self {
            path: path.to_owned(),
            n_terms,
            squares: terms.values().map(|(_, weight)| weight * weight).sum(),
            terms,
            names: fingerprint::word_hashes(&text),
        }
    }

    /// Returns the weighted mean of a value of the count of each word.
    fn share(&self, words: &Words, value: impl Fn(u32) -> f64) -> f64 {
        let count = |id| self.terms.get(id).map_or(0, |(count, _)| *count);
        relevance::share(words.iter().map(|(id, weight)| (*weight, value(count(id)))))
    }
}

/// Returns the rarity of each hashed identifier among the examples.
fn name_rarities(rules: &[Rule<'_>]) -> FxHashMap<u16, f64> {
    let mut counts: FxHashMap<u16, usize> = FxHashMap::default();
    let anchors: Vec<&Anchor> = rules.iter().filter_map(|rule| rule.anchor).collect();
    for name in anchors.iter().flat_map(|anchor| &anchor.fingerprint.names) {
        *counts.entry(*name).or_default() += 1;
    }
    counts.into_iter().map(|(name, n)| (name, score::idf(n, anchors.len()))).collect()
}

/// Calls `each` with every term of the text of a file and its count.
fn each_term(row: &FileRow, mut each: impl FnMut(u32, u32)) {
    postings::unpack(row.vector.as_deref().unwrap_or_default(), |id, count, in_path| {
        if !in_path {
            each(id, count);
        }
    });
}

/// Returns the row of a file, from rows that are ordered by path.
fn find<'r>(rows: &'r [FileRow], path: &str) -> Option<&'r FileRow> {
    let idx = rows.binary_search_by(|row| row.path.as_str().cmp(path)).ok()?;
    Some(&rows[idx])
}
