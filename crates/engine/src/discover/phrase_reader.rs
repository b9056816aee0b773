//! Reads the text of symbols again to find adjacent words.
//!
//! File by file, so that a file is read once for any number of rules. Each thread splits and stems
//! a raw word once. With several batches of rules, the words of a file are cached between batches.

use std::cell::RefCell;
use std::ops::Range;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use thread_local::ThreadLocal;

use crate::index::Code;
use crate::rank::token_cache::TokenCache;
use crate::rank::{phrases, tokenize};
use crate::tree::read;
use cerberus_model::text::LineIndex;

use super::term_index::TermIndex;
use super::{FileCandidates, group_by_file};

/// Files that a thread processes at once.
const CHUNK_SIZE: usize = 8;

/// Maximum number of cached words: those of 25 MB of code if a third of its words are in rules.
const MAX_CACHED_WORDS: usize = 1_500_000;

/// The term id of a word, if it is in a rule.
type Word = Option<u32>;

/// The id of a word of a rule, with its position among the words of a text.
type WordAt = (u32, u32);

/// The index of a rule in its batch, and the rank of a symbol for that rule.
type Owner = (usize, usize);

/// A symbol to read for a rule.
#[derive(Debug, Clone, Copy)]
pub(super) struct PhraseRequest {
    /// The first and the last line.
    pub(super) lines: (u32, u32),
    pub(super) owner: Owner,
}

/// For each pair of words of a rule, whether they are adjacent in the symbol.
type AdjacentPairs = (Owner, Vec<bool>);

/// Finds adjacent words, with a cache of the files read before.
pub(super) struct PhraseReader {
    raw_words: ThreadLocal<RefCell<TokenCache<Word>>>,
    is_caching: bool,
    cache: FxHashMap<usize, FileWords>,
    n_cached_words: usize,
}

impl PhraseReader {
    /// With `is_caching`, later calls of `read` reuse the words of files.
    pub(super) fn new(is_caching: bool) -> Self {
        let (raw_words, cache) = (ThreadLocal::new(), FxHashMap::default());
        Self { raw_words, is_caching, cache, n_cached_words: 0 }
    }

    /// Returns the adjacent pairs of words for each of `requests`, which have the index of their
    /// file.
    pub(super) fn read(
        &mut self,
        code: Code<'_>,
        terms: &TermIndex,
        rules: &[FileCandidates<'_>],
        mut requests: Vec<(usize, PhraseRequest)>,
    ) -> Vec<AdjacentPairs> {
        let files = group_by_file(&mut requests);
        let read_file =
            |requests: &&[(usize, PhraseRequest)]| self.read_file(code, terms, rules, requests);
        let read: Vec<_> = files.par_iter().with_max_len(CHUNK_SIZE).map(read_file).collect();
        let mut found = Vec::new();
        for (pairs, words) in read {
            found.extend(pairs);
            self.cache(words);
        }
        found
    }

    /// Returns the adjacent pairs for the requests of one file, and its words if they are to be
    /// cached.
    fn read_file(
        &self,
        code: Code<'_>,
        terms: &TermIndex,
        rules: &[FileCandidates<'_>],
        requests: &[(usize, PhraseRequest)],
    ) -> (Vec<AdjacentPairs>, Option<(usize, FileWords)>) {
        let file_idx = requests[0].0;
        let requests = requests.iter().map(|(_, request)| request);
        let from_file = |file: &FileWords| {
            let requests = requests.clone();
            requests.map(|it| adjacent_pairs(rules, it.owner, file.words(it.lines))).collect()
        };
        if let Some(cached) = self.cache.get(&file_idx) {
            return (from_file(cached), None);
        }
        let path = &code.files[file_idx].path;
        let text = read::listed_text(code.root, path).unwrap_or_default();
        let lines = LineIndex::new(&text);
        let mut raw_words = self.raw_words.get_or_default().borrow_mut();
        let word = |part: &str| terms.id(&tokenize::term(part));
        let n_bytes: usize = requests.clone().map(|it| span(&lines, it.lines).len()).sum();
        if self.is_caching || n_bytes > text.len() {
            let file = FileWords::new(&text, &lines, &mut raw_words, word);
            return (from_file(&file), self.is_caching.then_some((file_idx, file)));
        }
        let mut words = Vec::new();
        let from_symbol = |request: &PhraseRequest| {
            words.clear();
            let mut n_words = 0;
            let text = &text[span(&lines, request.lines)];
            raw_words.each(text, word, |_, parts| add(parts, &mut n_words, &mut words));
            adjacent_pairs(rules, request.owner, &words)
        };
        (requests.map(from_symbol).collect(), None)
    }

    fn cache(&mut self, file: Option<(usize, FileWords)>) {
        let Some((file_idx, file)) = file else { return };
        if self.n_cached_words + file.words.len() <= MAX_CACHED_WORDS {
            self.n_cached_words += file.words.len();
            self.cache.insert(file_idx, file);
        }
    }
}

/// The words of a file that are in a rule.
struct FileWords {
    words: Vec<WordAt>,
    /// For each line, the index of its first word in `words`.
    line_starts: Vec<u32>,
}

impl FileWords {
    fn new(
        text: &str,
        lines: &LineIndex,
        raw_words: &mut TokenCache<Word>,
        word: impl Fn(&str) -> Word,
    ) -> Self {
        let (mut words, mut line_starts) = (Vec::new(), Vec::with_capacity(lines.len()));
        let mut n_words = 0;
        raw_words.each(text, word, |span, parts| {
            while line_starts.len() < lines.len() && lines.start(line_starts.len()) <= span.start {
                line_starts.push(words.len() as u32);
            }
            add(parts, &mut n_words, &mut words);
        });
        words.shrink_to_fit();
        Self { words, line_starts }
    }

    /// Returns the words from the first to the last of these lines.
    fn words(&self, (first, last): (u32, u32)) -> &[WordAt] {
        let start = |line: u32| {
            self.line_starts.get(line as usize).map_or(self.words.len(), |start| *start as usize)
        };
        &self.words[start(first)..start(last + 1)]
    }
}

fn adjacent_pairs(rules: &[FileCandidates<'_>], owner: Owner, words: &[WordAt]) -> AdjacentPairs {
    let FileCandidates { rule, scorer, .. } = &rules[owner.0];
    let terms = scorer.ids.iter().enumerate().filter_map(|(idx, id)| Some(((*id)?, idx)));
    let terms: FxHashMap<u32, usize> = terms.collect();
    let term_at = |&(position, id): &WordAt| Some((position as usize, *terms.get(&id)?));
    (owner, phrases::adjacent_pairs(words.iter().filter_map(term_at), &rule.pairs))
}

/// Appends the parts of a raw word that are in a rule to `words`. `n_words` counts all parts.
fn add(parts: &[Word], n_words: &mut u32, words: &mut Vec<WordAt>) {
    for (position, word) in (*n_words..).zip(parts) {
        words.extend(word.map(|word| (position, word)));
    }
    *n_words += parts.len() as u32;
}

fn span(lines: &LineIndex, (first, last): (u32, u32)) -> Range<usize> {
    lines.start(first as usize)..lines.start(last as usize + 1)
}
