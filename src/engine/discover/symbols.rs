//! Scores the symbols of the files that several rules look at.
//!
//! File by file, so that a word is counted once in a file however many rules have it.

use std::hash::{Hash, Hasher};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::engine::index::Code;
use crate::engine::rank::postings;
use crate::engine::rank::score::{Accumulator, HitCounter, TermHits};

use super::{Parsed, Plan, Scored, by_file, select};

/// How many files a thread takes at once.
const TAKEN_AT_ONCE: usize = 8;

/// The term ids that stand for a word, and how fully.
#[derive(PartialEq)]
struct Ids<'a>(&'a [(u32, f64)]);

impl Eq for Ids<'_> {}

impl Hash for Ids<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.iter().for_each(|(id, _)| id.hash(state));
    }
}

/// Returns, for each of `plans`, the symbols of its files that have a word of its rule, the
/// best `n_best` of each file.
pub(super) fn score(
    code: Code<'_>,
    plans: &[Plan<'_>],
    parsed: &[Vec<Parsed<'_>>],
    n_best: usize,
) -> Vec<Vec<Scored>> {
    let numbers = numbers(plans);
    let asking = parsed.iter().enumerate().flat_map(|(plan, files)| {
        files.iter().enumerate().map(move |(doc, file)| (file.file, (plan, doc)))
    });
    let mut asking: Vec<(usize, (usize, usize))> = asking.collect();
    let files = by_file(&mut asking);
    let of_file = |asking: &&[(usize, (usize, usize))]| {
        let file = &code.files[asking[0].0];
        let path = postings::path_terms(file.vector.as_deref().unwrap_or_default());
        let mut in_file = InFile { path, ..InFile::default() };
        let mut scored = Vec::new();
        let of_plan = |&(_, (plan, doc)): &(usize, (usize, usize))| {
            scored.clear();
            in_file.score(&plans[plan], &numbers[plan], &parsed[plan], doc, &mut scored);
            // Of one file no more than the best of all can come forward.
            select(&mut scored, n_best, &parsed[plan]);
            scored.truncate(n_best);
            (plan, scored.as_slice().into())
        };
        asking.iter().map(of_plan).collect()
    };
    let found: Vec<Vec<(usize, Box<[Scored]>)>> =
        files.par_iter().with_max_len(TAKEN_AT_ONCE).map(of_file).collect();
    let mut scored = vec![Vec::new(); plans.len()];
    for (plan, symbols) in found.into_iter().flatten() {
        scored[plan].push(symbols);
    }
    scored.into_par_iter().map(|files: Vec<Box<[Scored]>>| files.concat()).collect()
}

/// Numbers the words of all rules, the same by the same number: for each rule, those of its
/// terms.
fn numbers(plans: &[Plan<'_>]) -> Vec<Vec<usize>> {
    let mut numbers = FxHashMap::default();
    let mut number = |ids| {
        let next = numbers.len();
        *numbers.entry(Ids(ids)).or_insert(next)
    };
    plans.iter().map(|plan| plan.query.ids.iter().map(|ids| number(ids)).collect()).collect()
}

/// The words of rules in one file, counted when they are asked for first.
#[derive(Default)]
struct InFile<'a> {
    /// The ids of the terms in its path.
    path: Vec<u32>,
    hits: Option<HitCounter<'a>>,
    words: FxHashMap<usize, TermHits>,
    sums: Vec<Accumulator>,
}

impl<'a> InFile<'a> {
    /// Adds the file's symbols for a rule whose terms have these `numbers`; the whole
    /// file, if it has no symbols. It is the one at `doc` of those parsed for the rule.
    fn score(
        &mut self,
        plan: &Plan<'_>,
        numbers: &[usize],
        parsed: &[Parsed<'a>],
        doc: usize,
        scored: &mut Vec<Scored>,
    ) {
        let (query, file) = (&plan.query, &parsed[doc]);
        if file.doc().symbols.is_empty() {
            scored.push(Scored::new(doc, None, query.whole_file(file.scorable, file.score)));
            return;
        }
        let hits = self.hits.get_or_insert_with(|| HitCounter::new(file.scorable));
        for slot in file.slots.indices(query) {
            self.words.entry(numbers[slot]).or_insert_with(|| {
                hits.count(&query.ids[slot], |id| self.path.contains(&id));
                hits.term_hits()
            });
        }
        let words = file.slots.indices(query).map(|slot| (slot, &self.words[&numbers[slot]]));
        let scores = query.scores(file.scorable, words, file.score, &mut self.sums);
        scored.extend(scores.map(|(symbol, score)| Scored::new(doc, Some(symbol), score)));
    }
}
