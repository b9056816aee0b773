//! The part of the code index that the words of all rules of one run need.
//!
//! Read in one pass over the term vectors of the files, for any number of rules.

use std::num::{NonZeroU16, NonZeroU32};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::engine::index::CodeIndex;
use crate::engine::rank::postings;
use crate::engine::rank::query::{NamedCode, ParsedQuery, QueryTerm};
use crate::engine::rank::score::{self, TermSet};
use crate::engine::rank::weights::WEIGHTS;
use crate::store::code::FileRow;

/// Minimum length of the start that two forms of a word share. Shorter starts belong to many words.
const MIN_SHARED_START: usize = 4;

/// Maximum difference in length of two forms of a word.
const MAX_ENDING: usize = 4;

/// The term (stem) of deprecation notices.
const DEPRECATED: &str = "deprec";

/// An occurrence of a term in a file.
#[derive(Debug, Clone, Copy)]
struct Posting {
    file_idx: usize,
    count: u32,
    in_path: bool,
}

/// Index of a term of a rule, if the word is one. Two bytes, because one is stored per word of
/// every rule.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TermIdx(Option<NonZeroU16>);

impl TermIdx {
    fn new(term_idx: usize) -> Self {
        Self(u16::try_from(term_idx + 1).ok().and_then(NonZeroU16::new))
    }

    pub(super) fn get(self) -> Option<usize> {
        self.0.map(|number| usize::from(number.get()) - 1)
    }
}

/// The postings of the words of all rules.
pub(super) struct TermIndex {
    /// The term ids that count as a term, each with its weight.
    ids: FxHashMap<String, Vec<(u32, f64)>>,
    postings: FxHashMap<u32, Vec<Posting>>,
    /// The terms of all rules, numbered from 1 in order of occurrence.
    numbers: FxHashMap<String, NonZeroU32>,
    average_length: f64,
    /// The id of the term of deprecation notices, unless no file has one.
    deprecated: Option<u32>,
}

impl TermIndex {
    /// Looks up the words of `rules`. A word that occurs in no file is replaced by its other forms
    /// (play, player) that stemming does not unify. A hint is not, because it is meant as code.
    pub(super) fn new(index: &CodeIndex, rules: &[ParsedQuery]) -> Self {
        let n_terms: f64 = index.files.iter().map(|file| f64::from(file.n_terms)).sum();
        let mut this = Self {
            ids: FxHashMap::default(),
            postings: FxHashMap::default(),
            numbers: FxHashMap::default(),
            average_length: n_terms / index.files.len().max(1) as f64,
            deprecated: index.term_id(DEPRECATED),
        };
        let terms = || rules.iter().flat_map(|rule| &rule.terms);
        for term in terms() {
            if !this.ids.contains_key(&term.term) {
                let id = index.term_id(&term.term);
                this.ids.insert(term.term.clone(), id.into_iter().map(|id| (id, 1.0)).collect());
                let number = NonZeroU32::MIN.saturating_add(this.numbers.len() as u32);
                this.numbers.insert(term.term.clone(), number);
            }
        }
        this.load_postings(index);
        let unknown: Vec<&str> = terms()
            .filter(|term| !term.is_hinted && this.doc_freq(&term.term) == 0)
            .map(|term| term.term.as_str())
            .collect();
        for term in unknown {
            let forms =
                other_forms(index, term).into_iter().map(|id| (id, WEIGHTS.query.other_form));
            this.ids.insert(term.to_owned(), forms.collect());
        }
        this.load_postings(index);
        this
    }

    /// Loads the postings of all ids that have none yet from the term vectors of the files.
    fn load_postings(&mut self, index: &CodeIndex) {
        let last = usize::try_from(index.last_term_id()).unwrap_or(usize::MAX - 1);
        let mut is_missing = vec![false; last + 1];
        let mut n_missing = 0;
        for (id, _) in self.ids.values().flatten() {
            let slot = is_missing.get_mut(*id as usize);
            if let Some(slot) = slot.filter(|_| !self.postings.contains_key(id)) {
                *slot = true;
                n_missing += 1;
            }
        }
        if n_missing == 0 {
            return;
        }
        for (file_idx, row) in index.files.iter().enumerate() {
            postings::unpack(row.vector.as_deref().unwrap_or_default(), |id, count, in_path| {
                if !is_missing.get(id as usize).copied().unwrap_or(false) {
                    return;
                }
                let postings = self.postings.entry(id).or_default();
                match postings.last_mut().filter(|last| last.file_idx == file_idx) {
                    // The terms of the path precede those of the text.
                    Some(last) => last.count = count,
                    None => {
                        let count = if in_path { 0 } else { count };
                        postings.push(Posting { file_idx, count, in_path });
                    }
                }
            });
        }
    }

    fn ids(&self, term: &str) -> &[(u32, f64)] {
        self.ids.get(term).map_or(&[], Vec::as_slice)
    }

    /// Returns the merged postings of all forms of a term, ordered by file: the index of the file,
    /// the weighted count, and whether the term is in the path.
    fn files_with(&self, term: &str) -> Vec<(usize, f64, bool)> {
        let mut found: Vec<(usize, f64, bool)> = Vec::new();
        let ids = self.ids(term);
        for (id, weight) in ids {
            let postings = self.postings.get(id).into_iter().flatten();
            let weighted = |it: &Posting| (it.file_idx, weight * f64::from(it.count), it.in_path);
            found.extend(postings.map(weighted));
        }
        if ids.len() < 2 {
            return found;
        }
        found.sort_by_key(|&(file_idx, ..)| file_idx);
        found.dedup_by(|next, first| {
            let is_same = next.0 == first.0;
            if is_same {
                first.1 += next.1;
                first.2 |= next.2;
            }
            is_same
        });
        found
    }

    /// Returns the number of files that contain a term in any form.
    pub(super) fn doc_freq(&self, term: &str) -> usize {
        match self.ids(term) {
            [] => 0,
            [(id, _)] => self.postings.get(id).map_or(0, Vec::len),
            _ => self.files_with(term).len(),
        }
    }

    /// Returns the id of the term of deprecation notices, unless the rule is about them.
    pub(super) fn deprecation(&self, rule: &ParsedQuery) -> Option<u32> {
        let is_about_it = rule.terms.iter().any(|term| term.term == DEPRECATED);
        self.deprecated.filter(|_| !is_about_it)
    }

    /// Returns the number of a term, if it is in a rule.
    pub(super) fn number(&self, term: &str) -> Option<NonZeroU32> {
        self.numbers.get(term).copied()
    }

    /// Returns the index within `rule` of each term of all rules, ordered by their numbers.
    pub(super) fn term_idxs(&self, rule: &ParsedQuery) -> Vec<TermIdx> {
        let mut term_idxs = vec![TermIdx::default(); self.numbers.len()];
        for (term_idx, term) in rule.terms.iter().enumerate() {
            if let Some(number) = self.number(&term.term) {
                term_idxs[number.get() as usize - 1] = TermIdx::new(term_idx);
            }
        }
        term_idxs
    }

    /// Returns whether some file contains a term itself, not another form of it.
    pub(super) fn is_known(&self, term: &str) -> bool {
        self.ids(term).iter().any(|(id, weight)| *weight == 1.0 && self.postings.contains_key(id))
    }

    /// Returns the scorer for a rule.
    pub(super) fn scorer(&self, rule: &ParsedQuery, n_docs: usize) -> score::WeightedQuery {
        let word = |term: &QueryTerm| (self.doc_freq(&term.term), self.ids(&term.term));
        let words: Vec<score::WordInCode<'_>> = rule.terms.iter().map(word).collect();
        let name_freqs: Vec<usize> =
            rule.names.iter().map(|name| self.n_files_with_all(rule, name)).collect();
        score::WeightedQuery::new(rule, &words, &name_freqs, n_docs)
    }

    /// Returns the number of files that contain all parts of a name.
    fn n_files_with_all(&self, rule: &ParsedQuery, name: &NamedCode) -> usize {
        let files_with = |part: &usize| {
            let files = self.files_with(&rule.terms[*part].term).into_iter();
            files.map(|(file_idx, ..)| file_idx).collect::<FxHashSet<usize>>()
        };
        let files = name.parts.iter().map(files_with);
        files.reduce(|a, b| &a & &b).map_or(0, |files| files.len())
    }

    /// Returns the score of every file for a rule, as a share of the maximum, with the terms of the
    /// rule that the file contains.
    pub(super) fn file_scores(
        &self,
        files: &[FileRow],
        rule: &ParsedQuery,
        scorer: &score::WeightedQuery,
    ) -> Vec<(f64, TermSet)> {
        let weights = &WEIGHTS.file;
        let mut scores = vec![(0.0, TermSet::default()); files.len()];
        for (term_idx, (term, weight)) in rule.terms.iter().zip(&scorer.weights).enumerate() {
            for (file_idx, count, in_path) in self.files_with(&term.term) {
                let n_terms = f64::from(files[file_idx].n_terms);
                let (score, terms) = &mut scores[file_idx];
                *score += weight * weights.term_score(count, in_path, n_terms, self.average_length);
                terms.insert(term_idx);
            }
        }
        for (score, terms) in &mut scores {
            *score = scorer.share(*score + scorer.parts_score(scorer.names_in(*terms)));
        }
        scores
    }
}

/// Returns the ids of the terms that start with a term, or that it starts with, up to an ending.
fn other_forms(index: &CodeIndex, term: &str) -> Vec<u32> {
    let is_word = |term: &str| term.bytes().all(|byte| byte.is_ascii_alphabetic());
    if term.len() < MIN_SHARED_START || !is_word(term) {
        return Vec::new();
    }
    let is_form = |known: &str| is_word(known) && known.len() <= term.len() + MAX_ENDING;
    let longer = index.terms_with_prefix(term).into_iter();
    let mut found: Vec<u32> =
        longer.filter(|(known, _)| is_form(known)).map(|(_, id)| id).collect();
    for len in term.len().saturating_sub(MAX_ENDING).max(MIN_SHARED_START)..term.len() {
        found.extend(index.term_id(&term[..len]));
    }
    found
}
