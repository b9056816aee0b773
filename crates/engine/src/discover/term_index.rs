//! The part of the code index that the words of all rules of one run need.
//!
//! Read in one pass over the term vectors of the files, for any number of rules.

use cerberus_store::code::FileRow;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::index::CodeIndex;
use crate::rank::named_code::Role;
use crate::rank::postings;
use crate::rank::query::{NamedCode, ParsedQuery, QueryTerm};
use crate::rank::score::{self, TermSet};
use crate::rank::weights::WEIGHTS;

/// An occurrence of a term in a file.
#[derive(Debug, Clone, Copy)]
struct Posting {
    file_idx: usize,
    count: u32,
    in_path: bool,
}

/// The postings of the words of all rules.
pub(super) struct TermIndex {
    /// The ids of the terms that a file of the vocabulary has.
    ids: FxHashMap<String, u32>,
    postings: FxHashMap<u32, Vec<Posting>>,
    average_length: f64,
}

impl TermIndex {
    /// Looks up the words of `rules`.
    pub(super) fn new(index: &CodeIndex, rules: &[ParsedQuery]) -> Self {
        let n_terms: f64 = index.files.iter().map(|file| f64::from(file.n_terms)).sum();
        let mut this = Self {
            ids: FxHashMap::default(),
            postings: FxHashMap::default(),
            average_length: n_terms / index.files.len().max(1) as f64,
        };
        for term in rules.iter().flat_map(|rule| &rule.terms) {
            if let Some(id) = index.term_id(&term.term) {
                this.ids.insert(term.term.clone(), id);
            }
        }
        this.load_postings(index);
        this
    }

    /// Loads the postings of all ids from the term vectors of the files.
    fn load_postings(&mut self, index: &CodeIndex) {
        if self.ids.is_empty() {
            return;
        }
        let last = usize::try_from(index.last_term_id()).unwrap_or(usize::MAX - 1);
        let mut is_wanted = vec![false; last + 1];
        self.ids.values().for_each(|id| {
            if let Some(is_wanted) = is_wanted.get_mut(*id as usize) {
                *is_wanted = true;
            }
        });
        for (file_idx, row) in index.files.iter().enumerate() {
            postings::unpack(
                row.vector.as_deref().unwrap_or_default(),
                |id, count, in_path| {
                    if !is_wanted.get(id as usize).copied().unwrap_or(false) {
                        return;
                    }
                    let postings = self.postings.entry(id).or_default();
                    match postings.last_mut().filter(|last| last.file_idx == file_idx) {
                        // The terms of the path precede those of the text.
                        Some(last) => last.count = count,
                        None => {
                            let count = if in_path { 0 } else { count };
                            postings.push(Posting {
                                file_idx,
                                count,
                                in_path,
                            });
                        }
                    }
                },
            );
        }
    }

    fn postings(&self, term: &str) -> &[Posting] {
        let id = self.ids.get(term);
        id.and_then(|id| self.postings.get(id))
            .map_or(&[], Vec::as_slice)
    }

    /// Returns the id of a term, if it is in a rule and in the code.
    pub(super) fn id(&self, term: &str) -> Option<u32> {
        self.ids.get(term).copied()
    }

    /// Returns whether some file contains a term.
    pub(super) fn is_known(&self, term: &str) -> bool {
        !self.postings(term).is_empty()
    }

    /// Returns the scorer for a rule.
    pub(super) fn scorer(&self, rule: &ParsedQuery, n_docs: usize) -> score::WeightedQuery {
        let word = |term: &QueryTerm| (self.postings(&term.term).len(), self.id(&term.term));
        let words: Vec<score::WordInCode> = rule.terms.iter().map(word).collect();
        let name_freqs: Vec<usize> = rule
            .names
            .iter()
            .map(|name| self.n_files_with_all(rule, name))
            .collect();
        score::WeightedQuery::new(rule, &words, &name_freqs, n_docs)
    }

    /// Makes names that many files have names to be used: a rule about such a name is about the code that uses it, not about
    /// its definition.
    pub(super) fn settle_roles(&self, rule: &mut ParsedQuery) {
        for name_idx in 0..rule.names.len() {
            let name = &rule.names[name_idx];
            if name.role == Role::Subject
                && name.is_name()
                && self.n_files_with_all(rule, name) >= WEIGHTS.names.common_files
            {
                rule.names[name_idx].role = Role::Used;
            }
        }
    }

    /// Returns the number of files that contain all parts of a name.
    fn n_files_with_all(&self, rule: &ParsedQuery, name: &NamedCode) -> usize {
        let files_with = |part: &usize| {
            let files = self.postings(&rule.terms[*part].term).iter();
            files
                .map(|posting| posting.file_idx)
                .collect::<FxHashSet<usize>>()
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
            for &Posting {
                file_idx,
                count,
                in_path,
            } in self.postings(&term.term)
            {
                let count = f64::from(count);
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
