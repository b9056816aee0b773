//! Compares rules and their examples with files.
//!
//! The rarity of a term or an imported name is that in the files of the examples and in the compared files. The rest of
//! the tree is not read: the comparison takes about as long in a large tree as in a small one, and
//! depends on the compared files and the bank only.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use cerberus_model::{Anchor, sorted};
use cerberus_store::code::FileRow;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use rustc_hash::{FxHashMap, FxHashSet};

use super::CodeBase;
use super::index::CodeIndex;
use super::rank::imports::import_lines;
pub use super::rank::named_code::{forbidden_globs, named_globs};
use super::rank::path_class::PathClass;
use super::rank::query::ParsedQuery;
use super::rank::relevance::{self, Feature, Features};
use super::rank::weights::WEIGHTS;
use super::rank::{code_mentions, named_code, postings, score, tokenize};
use crate::syntax::fingerprint;
use crate::tree::{documents, entries, read};

/// Number of files beside a new file that it is assumed to be like.
const MAX_NEIGHBOURS: usize = 3;

/// A rule with its example.
pub struct Rule<'a> {
    pub text: &'a str,
    pub hints: &'a [String],
    pub anchor: Option<&'a Anchor>,
}

/// Compares each rule with each file. Returns the features of the best file of each rule, in the
/// order of the rules. `files` is not empty; a file may be new, or in no indexed language. `changed`
/// has the texts that are added to some of them, or are about to be.
pub fn compare(
    code: CodeBase<'_>,
    files: &BTreeSet<String>,
    changed: &BTreeMap<String, String>,
    rules: &[Rule<'_>],
) -> Result<Vec<Features>> {
    let anchored: BTreeSet<&str> = rules
        .iter()
        .filter_map(|rule| Some(rule.anchor?.file.as_str()))
        .collect();
    let index = CodeIndex::refresh_files(code, anchored)?;
    let CodeBase { root, exclude, .. } = code;
    let imports: Vec<Vec<u16>> = (index.files.par_iter())
        .map(|row| imports(&read::text(root, &row.path).unwrap_or_default()))
        .collect();
    let import_rarities = Rarities::new(imports.iter().map(Vec::as_slice));
    let texts: Vec<FileText> = files
        .par_iter()
        .map(|file| FileText::new(root, exclude, file, changed.get(file)))
        .collect();
    let (terms, files) = Terms::new(&index, texts);
    let has_lines = !changed.is_empty();
    let mut rules: Vec<ComparedRule> = rules
        .par_iter()
        .map(|rule| ComparedRule::new(rule, has_lines))
        .collect();
    for rule in &mut rules {
        rule.words = terms.words(&index, &rule.query);
    }
    let moments = terms.moments(&rules);
    let example_files: FxHashMap<&str, Vec<Shared>> = (index.files.par_iter())
        .zip(imports)
        .map(|(row, imports)| {
            let shared = terms.similarities(row, &files).into_iter().zip(&files);
            let shared = shared.map(|(terms, file)| Shared {
                terms,
                imports: import_rarities.share(&imports, &file.imports),
            });
            (row.path.as_str(), shared.collect())
        })
        .collect();
    let names = Rarities::new(
        rules
            .iter()
            .filter_map(|rule| Some(rule.rule.anchor?.fingerprint.names.as_slice())),
    );
    let mut best: Vec<Features> = rules
        .par_iter()
        .zip(&moments)
        .map(|(rule, moments)| {
            let features = files.iter().enumerate().map(|(file_idx, file)| {
                let mut features = rule.features(file, &terms, *moments);
                if let Some(anchor) = rule.rule.anchor {
                    let shared = match example_files.get(anchor.file.as_str()) {
                        Some(shared) => shared[file_idx],
                        None => Shared::default(),
                    };
                    add_example(&mut features, anchor, file, shared);
                    add_names(&mut features, anchor, file, &names);
                }
                features
            });
            let best = features.max_by(|a, b| a.score_in_file().total_cmp(&b.score_in_file()));
            best.unwrap_or_default()
        })
        .collect();
    relevance::set_excess(&mut best);
    Ok(best)
}

/// A rule with the features that are computed once for all files.
struct ComparedRule<'r> {
    rule: &'r Rule<'r>,
    query: ParsedQuery,
    words: Words,
    /// In lower case.
    hints: Vec<String>,
    code_words: FxHashSet<&'r str>,
}

impl<'r> ComparedRule<'r> {
    fn new(rule: &'r Rule<'r>, has_lines: bool) -> Self {
        Self {
            rule,
            query: ParsedQuery::rule(rule.text, rule.hints),
            words: Words::new(),
            hints: rule.hints.iter().map(|hint| hint.to_lowercase()).collect(),
            code_words: if has_lines {
                named_code::code_words(rule.text)
            } else {
                FxHashSet::default()
            },
        }
    }

    /// Compares the text of the rule with a file.
    fn features(
        &self,
        file: &ComparedFile<'_>,
        terms: &Terms<'_>,
        (mean, deviation): (f64, f64),
    ) -> Features {
        use Feature::*;
        let mut features = Features::default();
        features[Words] = file.share(&self.words, |count| f64::from(u8::from(count > 0)));
        if file.n_terms > 0 {
            let frequency = file.share(&self.words, |count| terms.frequency(count, file.n_terms));
            features.set_prominence((frequency - mean) / deviation);
        }
        features[NamedCode] = self.share_of_named_code(&file.names);
        if !self.hints.is_empty() {
            let n_found = self
                .hints
                .iter()
                .filter(|hint| file.lowercase.contains(*hint))
                .count();
            features[Hints] = n_found as f64 / self.hints.len() as f64;
            features[HasHints] = 1.0;
        }
        let has_example = self.rule.anchor.is_some();
        let has_words = features[Words] > 0.0 || features[NamedCode] > 0.0;
        features.set_flag(HasExample, has_example);
        features.set_flag(HasNoExample, !has_example && has_words);
        if let Some(lines) = &file.changed {
            let is_document = documents::is_document(file.path);
            features[HasLines] = 1.0;
            if !is_document {
                // Prose has words of any rule.
                let words = self.words.iter().map(|(id, weight)| {
                    let is_in_lines = lines.terms.contains(id);
                    (*weight, f64::from(u8::from(is_in_lines)))
                });
                features[LineWords] = relevance::share(words);
            }
            features[LineNamedCode] = self.share_of_named_code(&lines.names);
            let n_code_words = self.code_words.intersection(&lines.words).count();
            features[LineCodeWords] = (n_code_words as f64).ln_1p();
            let (added, old) = (lines.text, &lines.old);
            features[LineMentions] =
                code_mentions::new_in_lines(self.rule.text, added, old, is_document);
            features.set_flag(LineNoExample, !has_example);
        }
        features
    }

    /// Returns the share of the code that the rule names which a text contains, from the sorted hashes of its words.
    fn share_of_named_code(&self, hashes: &[u16]) -> f64 {
        let names = self.query.names.iter().filter(|name| name.is_name());
        relevance::share(names.map(|name| {
            let is_contained = fingerprint::hashed_words(&name.text)
                .all(|hash| hashes.binary_search(&hash).is_ok());
            (name.weight, f64::from(u8::from(is_contained)))
        }))
    }
}

/// Adds the shares of the names of an example that a file and its changed lines have.
fn add_names(
    features: &mut Features,
    anchor: &Anchor,
    file: &ComparedFile<'_>,
    rarities: &Rarities,
) {
    let names = &anchor.fingerprint.names;
    features[Feature::Names] = rarities.share(names, &file.names);
    features[Feature::LineNames] = match &file.changed {
        Some(lines) => rarities.share(names, &lines.names),
        None => 0.0,
    };
}

/// Adds the similarity of a file with the file of an example.
fn add_example(features: &mut Features, anchor: &Anchor, file: &ComparedFile<'_>, shared: Shared) {
    features[Feature::Terms] = shared.terms;
    features[Feature::Imports] = shared.imports;
    features[Feature::Nearness] = relevance::nearness(&anchor.file, file.path);
    features[Feature::FileName] = relevance::file_name_similarity(&anchor.file, file.path);
    features.set_flag(
        Feature::SameClass,
        is_test(&anchor.file) == is_test(file.path),
    );
}

/// The similarity of the file of an example and a compared file.
#[derive(Clone, Copy, Default)]
struct Shared {
    /// The cosine of their terms.
    terms: f64,
    /// The share of the example's imported names.
    imports: f64,
}

/// Returns whether a file is a test, by its path.
pub fn is_test(path: &str) -> bool {
    PathClass::from_path(path) == PathClass::Test
}

/// Returns the hashes of the words in the imports of a file, sorted.
fn imports(text: &str) -> Vec<u16> {
    sorted(import_lines(text).flat_map(fingerprint::hashed_words))
}

/// A file that the rules are compared with, before the ids of its terms are known.
struct FileText<'p> {
    terms: Vec<String>,
    changed_terms: Vec<String>,
    file: ComparedFile<'p>,
}

/// A file that the rules are compared with.
struct ComparedFile<'p> {
    path: &'p str,
    lowercase: String,
    /// The hashes of its words and of those in its imports, sorted.
    names: Vec<u16>,
    imports: Vec<u16>,
    n_terms: u32,
    /// The count of each term.
    terms: FxHashMap<u32, u32>,
    /// The sum of the squared weights of the terms.
    squares: f64,
    changed: Option<ChangedLines<'p>>,
}

/// The lines that are added to a file.
struct ChangedLines<'p> {
    text: &'p str,
    /// The text of the file before.
    old: String,
    /// The words that may be identifiers.
    words: FxHashSet<&'p str>,
    /// The hashes of its words, sorted.
    names: Vec<u16>,
    terms: FxHashSet<u32>,
}

impl<'p> FileText<'p> {
    fn new(root: &Path, exclude: &[String], path: &'p str, changed: Option<&'p String>) -> Self {
        // A new file has only a path, and perhaps the text that is about to be written. It will be
        // like the files beside it.
        let mut text = read::text(root, path).unwrap_or_else(|_| neighbours(root, exclude, path));
        let mut old = String::new();
        if let Some(changed) = changed {
            old = read::text(root, path).unwrap_or_default();
            text.push('\n');
            text.push_str(changed);
        }
        let terms = tokenize::terms(&text);
        let file = ComparedFile {
            path,
            lowercase: text.to_lowercase(),
            names: fingerprint::word_hashes(&text),
            imports: imports(&text),
            n_terms: u32::try_from(terms.len()).unwrap_or(u32::MAX),
            terms: FxHashMap::default(),
            squares: 0.0,
            changed: changed.map(|changed| ChangedLines {
                text: changed,
                old: without(&old, changed),
                words: named_code::identifiers(changed).collect(),
                names: fingerprint::word_hashes(changed),
                terms: FxHashSet::default(),
            }),
        };
        let changed_terms = changed.map(|changed| tokenize::terms(changed));
        Self {
            terms,
            changed_terms: changed_terms.unwrap_or_default(),
            file,
        }
    }
}

impl ComparedFile<'_> {
    /// Returns the weighted mean of a value of the count of each word.
    fn share(&self, words: &Words, value: impl Fn(u32) -> f64) -> f64 {
        relevance::share(words.iter().map(|(id, weight)| {
            let count = self.terms.get(id).copied().unwrap_or_default();
            (*weight, value(count))
        }))
    }
}

/// Returns the lines of a text that are not among the added ones: some agents tell of an edit that was made.
fn without(text: &str, added: &str) -> String {
    let added: FxHashSet<&str> = added.lines().collect();
    let mut rest = String::new();
    for line in text.lines() {
        if !added.contains(line) {
            rest.push_str(line);
            rest.push('\n');
        }
    }
    rest
}

/// Returns the text of the source files beside a new file that have the same extension and the most
/// similar names.
fn neighbours(root: &Path, exclude: &[String], path: &str) -> String {
    let (folder, _) = path.rsplit_once('/').unwrap_or_default();
    let mut files = entries::entries(root, folder, exclude).unwrap_or_default();
    files.retain(|file| extension(file) == extension(path));
    // Stable: files with equally similar names remain sorted.
    files.sort_by(|a, b| {
        let of_a = relevance::file_name_similarity(a, path);
        relevance::file_name_similarity(b, path).total_cmp(&of_a)
    });
    let mut texts = Vec::new();
    for file in files.iter().take(MAX_NEIGHBOURS) {
        texts.extend(read::text(root, file));
    }
    texts.join("\n")
}

fn extension(path: &str) -> Option<&str> {
    let (_, extension) = path.rsplit_once('.')?;
    Some(extension)
}

/// The terms of a rule that some file has, with their weights.
type Words = Vec<(u32, f64)>;

/// The terms of the files of the examples and of the compared files.
struct Terms<'i> {
    rows: &'i [FileRow],
    /// The ids of the terms that the index does not know.
    new_ids: FxHashMap<String, u32>,
    doc_freqs: FxHashMap<u32, u32>,
    n_docs: usize,
    average_length: f64,
}

impl<'i> Terms<'i> {
    /// Returns the terms, and the files with theirs.
    fn new<'p>(index: &'i CodeIndex, texts: Vec<FileText<'p>>) -> (Self, Vec<ComparedFile<'p>>) {
        let mut doc_freqs: FxHashMap<u32, u32> = FxHashMap::default();
        for row in &index.files {
            each_term(row, |id, _| *doc_freqs.entry(id).or_default() += 1);
        }
        let n_docs = index.files.len() + texts.len();
        let lengths = index.files.iter().map(|row| f64::from(row.n_terms));
        let new_lengths = texts.iter().map(|text| f64::from(text.file.n_terms));
        let average_length = lengths.chain(new_lengths).sum::<f64>() / n_docs.max(1) as f64;
        let mut terms = Self {
            rows: &index.files,
            new_ids: FxHashMap::default(),
            doc_freqs,
            n_docs,
            average_length,
        };
        let mut files: Vec<ComparedFile<'_>> = Vec::new();
        for text in texts {
            let mut file = text.file;
            for term in text.terms {
                *file.terms.entry(terms.intern(index, term)).or_default() += 1;
            }
            for id in file.terms.keys().copied() {
                *terms.doc_freqs.entry(id).or_default() += 1;
            }
            if let Some(lines) = &mut file.changed {
                lines.terms = text
                    .changed_terms
                    .iter()
                    .filter_map(|term| terms.id(index, term))
                    .collect();
            }
            files.push(file);
        }
        for file in &mut files {
            let weights = file
                .terms
                .iter()
                .map(|(id, count)| weight(terms.rarity(*id), *count));
            let mut weights: Vec<f64> = weights.collect();
            // The sum of floating-point numbers depends on their order.
            weights.sort_unstable_by(f64::total_cmp);
            file.squares = weights.iter().map(|weight| weight * weight).sum();
        }
        (terms, files)
    }

    fn intern(&mut self, index: &CodeIndex, term: String) -> u32 {
        self.id(index, &term).unwrap_or_else(|| {
            let n_new = u32::try_from(self.new_ids.len()).unwrap_or(u32::MAX);
            let id = index.last_term_id().saturating_add(n_new).saturating_add(1);
            self.new_ids.insert(term, id);
            id
        })
    }

    fn id(&self, index: &CodeIndex, term: &str) -> Option<u32> {
        index
            .term_id(term)
            .or_else(|| self.new_ids.get(term).copied())
    }

    /// Returns the rarity of a term, 0 if no file has it.
    fn rarity(&self, id: u32) -> f64 {
        match self.doc_freqs.get(&id) {
            Some(doc_freq) => score::idf(*doc_freq as usize, self.n_docs),
            None => 0.0,
        }
    }

    fn frequency(&self, count: u32, n_terms: u32) -> f64 {
        let n_terms = f64::from(n_terms);
        WEIGHTS
            .file
            .term_score(f64::from(count), false, n_terms, self.average_length)
    }

    fn words(&self, index: &CodeIndex, query: &ParsedQuery) -> Words {
        let mut words = Words::new();
        for term in &query.terms {
            if let Some(id) = self.id(index, &term.term) {
                let weight = term.weight * self.rarity(id);
                if weight > 0.0 {
                    words.push((id, weight));
                }
            }
        }
        words
    }

    /// Returns the mean and the standard deviation, over the files of the examples, of the frequency
    /// of the words of each rule.
    fn moments(&self, rules: &[ComparedRule<'_>]) -> Vec<(f64, f64)> {
        let mut rules_with: FxHashMap<u32, Vec<(usize, f64)>> = FxHashMap::default();
        for (rule_idx, ComparedRule { words, .. }) in rules.iter().enumerate() {
            let total: f64 = words.iter().map(|(_, weight)| weight).sum();
            for (id, weight) in words {
                rules_with
                    .entry(*id)
                    .or_default()
                    .push((rule_idx, weight / total));
            }
        }
        // The sums of the frequencies in the files and of their squares.
        let mut sums = vec![(0.0, 0.0); rules.len()];
        for row in self.rows {
            let mut frequencies: FxHashMap<usize, f64> = FxHashMap::default();
            each_term(row, |id, count| {
                let Some(rules) = rules_with.get(&id) else {
                    return;
                };
                let frequency = self.frequency(count, row.n_terms);
                for (rule_idx, share) in rules {
                    *frequencies.entry(*rule_idx).or_default() += share * frequency;
                }
            });
            frequencies.into_iter().for_each(|(rule_idx, frequency)| {
                sums[rule_idx].0 += frequency;
                sums[rule_idx].1 += frequency * frequency;
            });
        }
        let n = self.rows.len().max(1) as f64;
        let moments = sums.into_iter().map(|(sum, squares): (f64, f64)| {
            let mean = sum / n;
            let variance = (squares / n - mean * mean).max(0.0);
            (mean, variance.sqrt().max(MIN_DEVIATION))
        });
        moments.collect()
    }

    /// Returns the cosine of the terms of the file of an example with those of each compared file.
    fn similarities(&self, row: &FileRow, files: &[ComparedFile]) -> Vec<f64> {
        let mut products = vec![0.0; files.len()];
        let mut squares = 0.0;
        each_term(row, |id, count| {
            let rarity = self.rarity(id);
            let term_weight = weight(rarity, count);
            squares += term_weight * term_weight;
            for (product, file) in products.iter_mut().zip(files) {
                if let Some(count) = file.terms.get(&id) {
                    *product += term_weight * weight(rarity, *count);
                }
            }
        });
        for (product, file) in products.iter_mut().zip(files) {
            *product /= (squares * file.squares).sqrt().max(MIN_DEVIATION);
        }
        products
    }
}

/// Returns the weight of a term that occurs `count` times.
fn weight(rarity: f64, count: u32) -> f64 {
    rarity * (1.0 + f64::from(count.max(1)).ln())
}

/// The least divisor, against a division by zero.
const MIN_DEVIATION: f64 = 1e-6;

/// The rarity of hashed names in several sets of them.
struct Rarities(FxHashMap<u16, f64>);

impl Rarities {
    fn new<'s>(sets: impl Iterator<Item = &'s [u16]>) -> Self {
        let mut counts: FxHashMap<u16, usize> = FxHashMap::default();
        let mut n_sets = 0;
        for set in sets {
            n_sets += 1;
            for name in set {
                *counts.entry(*name).or_default() += 1;
            }
        }
        let rarities = counts
            .into_iter()
            .map(|(name, n)| (name, score::idf(n, n_sets)));
        Self(rarities.collect())
    }

    /// Returns the share of the names of a set that are in `found`, which is sorted.
    fn share(&self, set: &[u16], found: &[u16]) -> f64 {
        relevance::share(set.iter().map(|name| {
            let is_found = found.binary_search(name).is_ok();
            (self.0[name], f64::from(u8::from(is_found)))
        }))
    }
}

/// Calls `each` with every term of the text of a file and its count.
fn each_term(row: &FileRow, mut each: impl FnMut(u32, u32)) {
    postings::unpack(
        row.vector.as_deref().unwrap_or_default(),
        |id, count, in_path| {
            if !in_path {
                each(id, count);
            }
        },
    );
}
