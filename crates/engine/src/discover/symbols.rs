//! Scores the symbols of the files of several rules.
//!
//! File by file, so that a word is counted once per file for any number of rules.

use rayon::iter::{
    IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator, ParallelIterator,
};
use rustc_hash::FxHashMap;

use super::order::select;
use super::{FileCandidates, ParsedCandidate, SymbolScore, group_by_file};
use crate::index::Code;
use crate::rank::postings;
use crate::rank::score::{Accumulator, HitCounter, NameSet, TermHits};

/// Files that a thread processes at once.
const CHUNK_SIZE: usize = 8;

/// Returns the scores of the best `n_best` symbols of each file, for each rule of `batch`.
pub(super) fn score(
    code: Code<'_>,
    batch: &[FileCandidates<'_>],
    parsed: &[Vec<ParsedCandidate<'_>>],
    n_best: usize,
) -> Vec<Vec<SymbolScore>> {
    let mut requests: Vec<(usize, (usize, usize))> = Vec::new();
    for (rule_idx, files) in parsed.iter().enumerate() {
        for (doc_idx, file) in files.iter().enumerate() {
            requests.push((file.file_idx, (rule_idx, doc_idx)));
        }
    }
    let files = group_by_file(&mut requests);
    let found: Vec<Vec<(usize, Box<[SymbolScore]>)>> = files
        .par_iter()
        .with_max_len(CHUNK_SIZE)
        .map(|requests| {
            let file = &code.files[requests[0].0];
            let mut counter = WordCounter {
                path: postings::path_terms(file.vector.as_deref().unwrap_or_default()),
                ..WordCounter::default()
            };
            let mut scores = Vec::new();
            let mut by_rule: Vec<(usize, Box<[SymbolScore]>)> = Vec::new();
            for &(_, (rule_idx, doc_idx)) in *requests {
                let parsed = &parsed[rule_idx];
                scores.clear();
                counter.score(&batch[rule_idx], parsed, doc_idx, &mut scores);
                // The best `n_best` of all files include no more than `n_best` of one file.
                select(&mut scores, n_best, parsed);
                scores.truncate(n_best);
                by_rule.push((rule_idx, scores.as_slice().into()));
            }
            by_rule
        })
        .collect();
    let mut scores = vec![Vec::new(); batch.len()];
    for (rule_idx, symbols) in found.into_iter().flatten() {
        scores[rule_idx].push(symbols);
    }
    scores
        .into_par_iter()
        .map(|files: Vec<Box<[SymbolScore]>>| files.concat())
        .collect()
}

/// The words of rules in one file, each counted when it is first needed.
#[derive(Default)]
struct WordCounter<'a> {
    /// The ids of the terms in the path.
    path: Vec<u32>,
    hits: Option<HitCounter<'a>>,
    words: FxHashMap<Option<u32>, TermHits>,
    sums: Vec<Accumulator>,
}

impl<'a> WordCounter<'a> {
    /// Appends the scores of the file's symbols for a rule, or of the whole file if it has no
    /// symbols. `doc_idx` is the file's index in `parsed`.
    fn score(
        &mut self,
        rule: &FileCandidates<'_>,
        parsed: &[ParsedCandidate<'a>],
        doc_idx: usize,
        scores: &mut Vec<SymbolScore>,
    ) {
        let scorer = &rule.scorer;
        let file = &parsed[doc_idx];
        if file.doc().symbols.is_empty() {
            let score = scorer.whole_file(file.scorable, file.score);
            scores.push(SymbolScore::new(doc_idx, None, NameSet::default(), score));
            return;
        }
        let hits = self
            .hits
            .get_or_insert_with(|| HitCounter::new(file.scorable));
        for term_idx in file.terms.indices(scorer) {
            self.words.entry(scorer.ids[term_idx]).or_insert_with(|| {
                hits.count(scorer.ids[term_idx], |id| self.path.contains(&id));
                hits.term_hits()
            });
        }
        let term_idxs = file.terms.indices(scorer);
        let words = term_idxs.map(|term_idx| (term_idx, &self.words[&scorer.ids[term_idx]]));
        let of_symbols = scorer.scores(file.scorable, words, file.score, &mut self.sums);
        for (idx, score, names) in of_symbols {
            let score = score * file.place_factor;
            scores.push(SymbolScore::new(doc_idx, Some(idx), names, score));
        }
    }
}
