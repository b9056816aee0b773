//! What the code index holds of the words of all rules of one run.
//!
//! Gathered in one pass over the files' vectors, however many rules there are.

use std::num::NonZeroU16;

use rustc_hash::FxHashMap;

use crate::engine::index::CodeIndex;
use crate::engine::rank::postings;
use crate::engine::rank::query::{ParsedQuery, QueryTerm};
use crate::engine::rank::score::{self, TermSet, WeightedQuery};
use crate::store::code::FileRow;

/// The least length of the part that a word shares with another form of it; shorter
/// starts belong to many words.
const MIN_SHARED_START: usize = 4;

/// How many letters another form of a word may be longer or shorter.
const MAX_ENDING: usize = 4;

/// What another form counts beside the word itself, being a guess.
const OTHER_FORM: f64 = 0.5;

/// That a term stands in a file.
#[derive(Debug, Clone, Copy)]
struct Posting {
    file: usize,
    count: u32,
    in_path: bool,
}

/// Which of a rule's terms a word is, if it is one: in two bytes, for there is one for each
/// word of every rule.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slot(Option<NonZeroU16>);

impl Slot {
    fn new(position: usize) -> Self {
        Self(u16::try_from(position + 1).ok().and_then(NonZeroU16::new))
    }

    pub(super) fn position(self) -> Option<usize> {
        self.0.map(|after| usize::from(after.get()) - 1)
    }
}

/// The words of rules in the code.
pub(crate) struct Words {
    /// Which term ids stand for a term, and how fully.
    ids: FxHashMap<String, Vec<(u32, f64)>>,
    postings: FxHashMap<u32, Vec<Posting>>,
    /// The terms of all rules, numbered in their order.
    numbers: FxHashMap<String, u32>,
    average_length: f64,
}

impl Words {
    /// Looks the words of `rules` up. A word of a rule that no file has stands for its
    /// other forms (play, player), which stemming does not join; a hint was meant as code.
    pub(crate) fn gather(index: &CodeIndex, rules: &[ParsedQuery]) -> Self {
        let n_terms: f64 = index.files.iter().map(|file| f64::from(file.n_terms)).sum();
        let mut words = Self {
            ids: FxHashMap::default(),
            postings: FxHashMap::default(),
            numbers: FxHashMap::default(),
            average_length: n_terms / index.files.len().max(1) as f64,
        };
        let terms = || rules.iter().flat_map(|rule| &rule.terms);
        for term in terms() {
            if !words.ids.contains_key(&term.term) {
                let id = index.term_id(&term.term);
                words.ids.insert(term.term.clone(), id.into_iter().map(|id| (id, 1.0)).collect());
                let number = u32::try_from(words.numbers.len()).unwrap_or(u32::MAX);
                words.numbers.insert(term.term.clone(), number);
            }
        }
        words.post(index);
        let is_unknown = |term: &&QueryTerm| !term.is_hinted && words.n_with(&term.term) == 0;
        let unknown: Vec<String> =
            terms().filter(is_unknown).map(|term| term.term.clone()).collect();
        for term in unknown {
            let forms = other_forms(index, &term);
            words.ids.insert(term, forms.into_iter().map(|id| (id, OTHER_FORM)).collect());
        }
        words.post(index);
        words
    }

    /// Reads the postings of all ids that have none yet out of the files' vectors.
    fn post(&mut self, index: &CodeIndex) {
        let last = usize::try_from(index.last_term_id()).unwrap_or(usize::MAX - 1);
        let mut wanted = vec![false; last + 1];
        let mut n_wanted = 0;
        for (id, _) in self.ids.values().flatten() {
            let wanted = wanted.get_mut(*id as usize).filter(|_| !self.postings.contains_key(id));
            if let Some(wanted) = wanted {
                *wanted = true;
                n_wanted += 1;
            }
        }
        if n_wanted == 0 {
            return;
        }
        for (file, row) in index.files.iter().enumerate() {
            postings::unpack(row.vector.as_deref().unwrap_or_default(), |id, count, in_path| {
                if !wanted.get(id as usize).copied().unwrap_or(false) {
                    return;
                }
                let postings = self.postings.entry(id).or_default();
                match postings.last_mut().filter(|last| last.file == file) {
                    // The path comes before the text.
                    Some(last) => last.count = count,
                    None => postings.push(Posting {
                        file,
                        count: if in_path { 0 } else { count },
                        in_path,
                    }),
                }
            });
        }
    }

    fn ids(&self, term: &str) -> &[(u32, f64)] {
        self.ids.get(term).map_or(&[], Vec::as_slice)
    }

    /// Returns a term's postings, those of its forms together, ordered by file: the
    /// file, the count and whether the term is in the path.
    fn files_with(&self, term: &str) -> Vec<(usize, f64, bool)> {
        let mut found: Vec<(usize, f64, bool)> = Vec::new();
        let ids = self.ids(term);
        for (id, share) in ids {
            let postings = self.postings.get(id).into_iter().flatten();
            found.extend(postings.map(|it| (it.file, share * f64::from(it.count), it.in_path)));
        }
        if ids.len() < 2 {
            return found;
        }
        found.sort_by_key(|&(file, ..)| file);
        found.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 += next.1;
                kept.2 |= next.2;
            }
            is_same
        });
        found
    }

    /// Returns in how many files a term stands, in one form or another.
    pub(crate) fn n_with(&self, term: &str) -> usize {
        match self.ids(term) {
            [] => 0,
            [(id, _)] => self.postings.get(id).map_or(0, Vec::len),
            _ => self.files_with(term).len(),
        }
    }

    /// Returns the number of a term, if it is a word of some rule.
    pub(crate) fn number(&self, term: &str) -> Option<u32> {
        self.numbers.get(term).copied()
    }

    /// Returns, by the number of each term of all rules, which of this rule's it is.
    pub(super) fn slots(&self, rule: &ParsedQuery) -> Vec<Slot> {
        let mut slots = vec![Slot::default(); self.numbers.len()];
        for (slot, term) in rule.terms.iter().enumerate() {
            if let Some(number) = self.number(&term.term) {
                slots[number as usize] = Slot::new(slot);
            }
        }
        slots
    }

    /// Returns whether a term itself stands in some file.
    pub(crate) fn knows(&self, term: &str) -> bool {
        self.ids(term).iter().any(|&(id, share)| share == 1.0 && self.postings.contains_key(&id))
    }

    /// Returns a rule ready to score with.
    pub(crate) fn query(&self, rule: &ParsedQuery, n_docs: usize) -> WeightedQuery {
        let n_with: Vec<usize> = rule.terms.iter().map(|term| self.n_with(&term.term)).collect();
        let ids: Vec<&[(u32, f64)]> = rule.terms.iter().map(|term| self.ids(&term.term)).collect();
        WeightedQuery::new(rule, &n_with, n_docs, &ids)
    }

    /// Returns the score of every file for a rule, as a share of the attainable, and which
    /// of the rule's terms it has.
    pub(crate) fn file_scores(
        &self,
        files: &[FileRow],
        rule: &ParsedQuery,
        query: &WeightedQuery,
    ) -> Vec<(f64, TermSet)> {
        let mut scores = vec![(0.0, TermSet::default()); files.len()];
        for (slot, (term, weight)) in rule.terms.iter().zip(&query.weights).enumerate() {
            for (file, count, in_path) in self.files_with(&term.term) {
                let n_terms = f64::from(files[file].n_terms);
                let (score, slots) = &mut scores[file];
                *score +=
                    weight * score::file_term_score(count, in_path, n_terms, self.average_length);
                slots.insert(slot);
            }
        }
        scores.iter_mut().for_each(|(score, _)| *score = query.share(*score));
        scores
    }
}

/// Returns the ids of the terms that a term starts or is started by, up to an ending.
fn other_forms(index: &CodeIndex, term: &str) -> Vec<u32> {
    let is_word = |term: &str| term.bytes().all(|byte| byte.is_ascii_alphabetic());
    if term.len() < MIN_SHARED_START || !is_word(term) {
        return Vec::new();
    }
    let longer = index.terms_with_prefix(term).into_iter();
    let longer =
        longer.filter(|(known, _)| is_word(known) && known.len() <= term.len() + MAX_ENDING);
    let mut found: Vec<u32> = longer.map(|(_, id)| id).collect();
    for len in term.len().saturating_sub(MAX_ENDING).max(MIN_SHARED_START)..term.len() {
        found.extend(index.term_id(&term[..len]));
    }
    found
}
