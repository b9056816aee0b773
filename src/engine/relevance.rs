//! Compares rules and their examples with files.
//!
//! The rarity of a term or an imported name is that in the files of the examples and in the compared files. The rest of
//! the tree is not read: the comparison takes about as long in a large tree as in a small one, and
//! depends on the compared files and the bank only.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::CodeBase;
use super::index::CodeIndex;
use super::rank::imports::import_lines;
use super::rank::named_code;
use super::rank::path_class::PathClass;
use super::rank::query::ParsedQuery;
use super::rank::relevance::{self, ChangeFeatures, ExampleFeatures, Features};
use super::rank::weights::WEIGHTS;
use super::rank::{postings, score, tokenize};
use crate::model::Anchor;
use crate::store::code::FileRow;
use crate::syntax::fingerprint;
use crate::timings;
use crate::tree::{entries, read};

/// Number of files beside a new file that it is assumed to be like.
const MAX_NEIGHBOURS: usize = 3;

/// A rule with its example.
pub(crate) struct Rule<'a> {
    pub(crate) text: &'a str,
    pub(crate) hints: &'a [String],
    pub(crate) anchor: Option<&'a Anchor>,
}

/// Compares each rule with each file. Returns the features of the best file of each rule, in the
/// order of the rules. `files` is not empty; a file may be new, or in no indexed language. `changed`
/// has the texts that are added to some of them, or are about to be.
pub(crate) fn compare(
    code: CodeBase<'_>,
    files: &BTreeSet<String>,
    changed: &BTreeMap<String, String>,
    rules: &[Rule<'_>],
) -> Result<Vec<Features>> {
    let anchored: BTreeSet<&str> =
        rules.iter().filter_map(|rule| Some(rule.anchor?.file.as_str())).collect();
    let index = CodeIndex::refresh_files(code, anchored)?;
    let _step = timings::step("compare rules with files");
    let imports: Vec<Vec<u16>> = (index.files.par_iter())
        .map(|row| imports(&read::text(code.root, &row.path).unwrap_or_default()))
        .collect();
    let import_rarities = Rarities::new(imports.iter().map(Vec::as_slice));
    let texts: Vec<FileText> =
        files.par_iter().map(|file| FileText::new(code, file, changed.get(file))).collect();
    let terms = Terms::new(&index, &texts);
    let compared: Vec<ComparedFile> =
        texts.iter().map(|text| ComparedFile::new(&index, &terms, text)).collect();
    let queries: Vec<ParsedQuery> =
        rules.par_iter().map(|rule| ParsedQuery::rule(rule.text, rule.hints)).collect();
    let hints: Vec<Vec<String>> =
        rules.iter().map(|it| it.hints.iter().map(|hint| hint.to_lowercase()).collect()).collect();
    let words: Vec<Words> = queries.iter().map(|query| terms.words(&index, query)).collect();
    let moments = terms.moments(&index.files, &words);
    let example_files: FxHashMap<&str, Vec<Shared>> = (index.files.par_iter())
        .map(|row| (row.path.as_str(), terms.similarities(row, &compared)))
        .zip(imports)
        .map(|((path, terms), imports)| {
            let share = |file: &ComparedFile| import_rarities.share(&imports, file.imports);
            let shared = terms.into_iter().zip(&compared);
            (path, shared.map(|(terms, file)| Shared { terms, imports: share(file) }).collect())
        })
        .collect();
    let name_rarities = Rarities::new(
        rules.iter().filter_map(|rule| Some(rule.anchor?.fingerprint.names.as_slice())),
    );
    let best = |rule_idx: usize| {
        let (rule, words) = (&rules[rule_idx], &words[rule_idx]);
        let (mean, deviation) = moments[rule_idx];
        let code_words = if changed.is_empty() {
            FxHashSet::default()
        } else {
            named_code::code_words(rule.text)
        };
        let features = compared.iter().enumerate().map(|(file_idx, file)| {
            let example = |anchor: &Anchor| {
                let shared = example_files.get(anchor.file.as_str()).map(|files| files[file_idx]);
                let Shared { terms, imports } = shared.unwrap_or_default();
                ExampleFeatures {
                    names: name_rarities.share(&anchor.fingerprint.names, file.names),
                    terms,
                    imports,
                    nearness: relevance::nearness(&anchor.file, file.path),
                    file_name: relevance::file_name_similarity(&anchor.file, file.path),
                    is_same_class: is_test(&anchor.file) == is_test(file.path),
                }
            };
            let change =
                file.changed.as_ref().map(|lines| ChangeFeatures {
                    words: relevance::share(words.iter().map(|(id, weight)| {
                        (*weight, f64::from(u8::from(lines.terms.contains(id))))
                    })),
                    named_code: share_of_named_code(&queries[rule_idx], lines.names),
                    n_code_words: code_words.intersection(&lines.words).count(),
                    names: rule
                        .anchor
                        .map(|anchor| name_rarities.share(&anchor.fingerprint.names, lines.names)),
                });
            Features {
                words: file.share(words, |count| f64::from(u8::from(count > 0))),
                prominence: match file.n_terms {
                    0 => 0.0,
                    n => (file.share(words, |count| terms.frequency(count, n)) - mean) / deviation,
                },
                named_code: share_of_named_code(&queries[rule_idx], file.names),
                hints: share_of_hints(&hints[rule_idx], file.lowercase),
                example: rule.anchor.map(example),
                change,
            }
        });
        features.max_by(|a, b| a.score().total_cmp(&b.score())).unwrap_or_default()
    };
    Ok((0..rules.len()).into_par_iter().map(best).collect())
}

/// What the file of an example and a compared file have in common.
#[derive(Clone, Copy, Default)]
struct Shared {
    /// The cosine of their terms.
    terms: f64,
    /// The share of the example's imported names.
    imports: f64,
}

fn is_test(path: &str) -> bool {
    PathClass::from_path(path) == PathClass::Test
}

/// Returns the hashes of the words in the imports of a file, sorted.
fn imports(text: &str) -> Vec<u16> {
    let mut hashes: Vec<u16> = import_lines(text).flat_map(fingerprint::hashed_words).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// The terms of a file that the rules are compared with.
struct FileText<'p> {
    path: &'p str,
    n_terms: u32,
    counts: FxHashMap<String, u32>,
    lowercase: String,
    /// The hashes of its words and of those in its imports, sorted.
    names: Vec<u16>,
    imports: Vec<u16>,
    changed: Option<ChangedText<'p>>,
}

/// What is added to a file.
struct ChangedText<'p> {
    text: &'p str,
    terms: Vec<String>,
    /// The hashes of its words, sorted.
    names: Vec<u16>,
}

impl<'p> FileText<'p> {
    fn new(code: CodeBase<'_>, path: &'p str, changed: Option<&'p String>) -> Self {
        // A new file has only a path, and perhaps the text that is about to be written. It will be
        // like the files beside it.
        let mut text = read::text(code.root, path).unwrap_or_else(|_| neighbours(code, path));
        if let Some(changed) = changed {
            text.push('\n');
            text.push_str(changed);
        }
        let changed = changed.map(|changed| ChangedText {
            text: changed,
            terms: tokenize::terms(changed),
            names: fingerprint::word_hashes(changed),
        });
        let terms = tokenize::terms(&text);
        let n_terms = u32::try_from(terms.len()).unwrap_or(u32::MAX);
        let mut counts = FxHashMap::default();
        for term in terms {
            *counts.entry(term).or_default() += 1;
        }
        let names = fingerprint::word_hashes(&text);
        let (lowercase, imports) = (text.to_lowercase(), imports(&text));
        Self { path, n_terms, counts, lowercase, names, imports, changed }
    }
}

/// Returns the text of the source files beside a new file that have the same extension and the most
/// similar names.
fn neighbours(code: CodeBase<'_>, path: &str) -> String {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let entries = entries::entries(code.root, folder, code.exclude).unwrap_or_default();
    let extension = |path: &str| path.rsplit_once('.').map(|(_, extension)| extension.to_owned());
    let mut files: Vec<String> =
        entries.into_iter().filter(|file| extension(file) == extension(path)).collect();
    // Stable: files with equally similar names remain sorted.
    files.sort_by(|a, b| {
        let similarity = |file| relevance::file_name_similarity(file, path);
        similarity(b).total_cmp(&similarity(a))
    });
    let texts =
        files.iter().take(MAX_NEIGHBOURS).filter_map(|file| read::text(code.root, file).ok());
    texts.collect::<Vec<_>>().join("\n")
}

/// The terms of a rule that some file has, with their weights.
type Words = Vec<(u32, f64)>;

/// The terms of the files of the examples and of the compared files.
struct Terms<'t> {
    /// The ids of the terms that the index does not know.
    new_ids: FxHashMap<&'t str, u32>,
    doc_freqs: FxHashMap<u32, u32>,
    n_docs: usize,
    average_length: f64,
}

impl<'t> Terms<'t> {
    fn new(index: &CodeIndex, texts: &'t [FileText<'_>]) -> Self {
        let mut terms = Self {
            new_ids: FxHashMap::default(),
            doc_freqs: FxHashMap::default(),
            n_docs: index.files.len() + texts.len(),
            average_length: 0.0,
        };
        for row in &index.files {
            each_term(row, |id, _| *terms.doc_freqs.entry(id).or_default() += 1);
        }
        for text in texts {
            let mut distinct: Vec<&String> = text.counts.keys().collect();
            // New ids are given in this order.
            distinct.sort_unstable();
            for term in distinct {
                let id = terms.intern(index, term);
                *terms.doc_freqs.entry(id).or_default() += 1;
            }
        }
        let lengths = index.files.iter().map(|row| f64::from(row.n_terms));
        let new_lengths = texts.iter().map(|text| f64::from(text.n_terms));
        terms.average_length = lengths.chain(new_lengths).sum::<f64>() / terms.n_docs.max(1) as f64;
        terms
    }

    fn intern(&mut self, index: &CodeIndex, term: &'t str) -> u32 {
        self.id(index, term).unwrap_or_else(|| {
            let n_new = u32::try_from(self.new_ids.len()).unwrap_or(u32::MAX);
            let id = index.last_term_id().saturating_add(n_new).saturating_add(1);
            self.new_ids.insert(term, id);
            id
        })
    }

    fn id(&self, index: &CodeIndex, term: &str) -> Option<u32> {
        index.term_id(term).or_else(|| self.new_ids.get(term).copied())
    }

    /// Returns the rarity of a term, 0 if no file has it.
    fn rarity(&self, id: u32) -> f64 {
        let doc_freq = self.doc_freqs.get(&id);
        doc_freq.map_or(0.0, |doc_freq| score::idf(*doc_freq as usize, self.n_docs))
    }

    fn weight(&self, id: u32, count: u32) -> f64 {
        self.rarity(id) * (1.0 + f64::from(count.max(1)).ln())
    }

    fn frequency(&self, count: u32, n_terms: u32) -> f64 {
        let n_terms = f64::from(n_terms);
        WEIGHTS.file.term_score(f64::from(count), false, n_terms, self.average_length)
    }

    fn words(&self, index: &CodeIndex, query: &ParsedQuery) -> Words {
        let known = query.terms.iter().filter_map(|term| {
            let id = self.id(index, &term.term)?;
            Some((id, term.weight * self.rarity(id)))
        });
        known.filter(|(_, weight)| *weight > 0.0).collect()
    }

    /// Returns the mean and the standard deviation, over the files of the examples, of the frequency
    /// of the words of each rule.
    fn moments(&self, rows: &[FileRow], words: &[Words]) -> Vec<(f64, f64)> {
        let mut rules_with: FxHashMap<u32, Vec<(usize, f64)>> = FxHashMap::default();
        for (rule_idx, words) in words.iter().enumerate() {
            let total: f64 = words.iter().map(|(_, weight)| weight).sum();
            for (id, weight) in words {
                rules_with.entry(*id).or_default().push((rule_idx, weight / total));
            }
        }
        let mut sums = Sums::new(words.len());
        for row in rows {
            each_term(row, |id, count| {
                let Some(rules) = rules_with.get(&id) else { return };
                let frequency = self.frequency(count, row.n_terms);
                rules.iter().for_each(|(idx, share)| sums.add(*idx, share * frequency));
            });
            sums.end_file();
        }
        let n = rows.len().max(1) as f64;
        let moments = sums.sums.iter().zip(&sums.squares).map(|(sum, squares)| {
            let mean = sum / n;
            (mean, (squares / n - mean * mean).max(0.0).sqrt().max(MIN_DEVIATION))
        });
        moments.collect()
    }

    /// Returns the cosine of the terms of the file of an example with those of each compared file.
    fn similarities(&self, row: &FileRow, files: &[ComparedFile]) -> Vec<f64> {
        let mut products = vec![0.0; files.len()];
        let mut squares = 0.0;
        each_term(row, |id, count| {
            let weight = self.weight(id, count);
            squares += weight * weight;
            for (product, file) in products.iter_mut().zip(files) {
                *product += file.terms.get(&id).map_or(0.0, |(_, other)| weight * other);
            }
        });
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
}

/// A file that the rules are compared with.
struct ComparedFile<'t> {
    path: &'t str,
    lowercase: &'t str,
    names: &'t [u16],
    imports: &'t [u16],
    n_terms: u32,
    /// The count and the weight of each term.
    terms: FxHashMap<u32, (u32, f64)>,
    /// The sum of the squared weights.
    squares: f64,
    changed: Option<ChangedLines<'t>>,
}

/// The lines of a file that change.
struct ChangedLines<'t> {
    /// The words that may be identifiers.
    words: FxHashSet<&'t str>,
    names: &'t [u16],
    terms: FxHashSet<u32>,
}

impl<'t> ComparedFile<'t> {
    fn new(index: &CodeIndex, known: &Terms<'_>, text: &'t FileText<'_>) -> Self {
        let counts = text.counts.iter().filter_map(|(term, n)| Some((known.id(index, term)?, *n)));
        let terms: FxHashMap<u32, (u32, f64)> =
            counts.map(|(id, count)| (id, (count, known.weight(id, count)))).collect();
        let mut weights: Vec<f64> = terms.values().map(|(_, weight)| *weight).collect();
        // The sum of floating-point numbers depends on their order.
        weights.sort_unstable_by(f64::total_cmp);
        let changed = text.changed.as_ref().map(|changed| ChangedLines {
            words: named_code::identifiers(changed.text).collect(),
            names: &changed.names,
            terms: changed.terms.iter().filter_map(|term| known.id(index, term)).collect(),
        });
        Self {
            path: text.path,
            lowercase: &text.lowercase,
            names: &text.names,
            imports: &text.imports,
            n_terms: text.n_terms,
            squares: weights.iter().map(|weight| weight * weight).sum(),
            terms,
            changed,
        }
    }

    /// Returns the weighted mean of a value of the count of each word.
    fn share(&self, words: &Words, value: impl Fn(u32) -> f64) -> f64 {
        let count = |id| self.terms.get(id).map_or(0, |(count, _)| *count);
        relevance::share(words.iter().map(|(id, weight)| (*weight, value(count(id)))))
    }
}

/// Returns the share of the code that a rule names which a text contains, from the sorted hashes of its words.
fn share_of_named_code(query: &ParsedQuery, hashes: &[u16]) -> f64 {
    let names = query.names.iter().filter(|name| !name.is_pattern);
    relevance::share(names.map(|name| {
        let is_known = |hash: u16| hashes.binary_search(&hash).is_ok();
        let is_contained = fingerprint::hashed_words(&name.text).all(is_known);
        (name.weight, f64::from(u8::from(is_contained)))
    }))
}

/// Returns the share of hints that a text contains, both in lower case; `None` without hints.
fn share_of_hints(hints: &[String], text: &str) -> Option<f64> {
    let n_found = hints.iter().filter(|hint| text.contains(hint.as_str())).count();
    (!hints.is_empty()).then(|| n_found as f64 / hints.len() as f64)
}

/// The rarity of hashed names in several sets of them.
struct Rarities(FxHashMap<u16, f64>);

impl Rarities {
    fn new<'s>(sets: impl Iterator<Item = &'s [u16]>) -> Self {
        let (mut counts, mut n_sets) = (FxHashMap::<u16, usize>::default(), 0);
        for set in sets {
            n_sets += 1;
            set.iter().for_each(|name| *counts.entry(*name).or_default() += 1);
        }
        Self(counts.into_iter().map(|(name, n)| (name, score::idf(n, n_sets))).collect())
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
    postings::unpack(row.vector.as_deref().unwrap_or_default(), |id, count, in_path| {
        if !in_path {
            each(id, count);
        }
    });
}
