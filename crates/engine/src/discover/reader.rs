//! Reads the text of the first symbols of each rule: adjacent words, code that the rule names, and hints.
//!
//! File by file, so that a file is read once for any number of rules. Each thread splits and stems a raw
//! word once.

use std::cell::RefCell;

use cerberus_model::{LineIndex, Span};
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use thread_local::ThreadLocal;

use super::named_code::{n_contained, name_match, with_lines_above};
use super::{
    FileCandidates, ParsedCandidate, READ_SYMBOLS, Ranker, SymbolScore, group_by_file, lines,
};
use crate::rank::score::{self, NameMatch};
use crate::rank::token_cache::TokenCache;
use crate::rank::{phrases, tokenize};
use crate::tree::read;

/// Files that a thread processes at once.
const CHUNK_SIZE: usize = 8;

/// A symbol to read: the index of its rule, and its rank for it.
type Owner = (usize, usize);

/// A word of a rule in a text: where it starts, its number among all words, and the id of its term.
type WordAt = (usize, usize, u32);

/// For each thread, the ids of the terms of raw words.
pub(super) type WordCache = ThreadLocal<RefCell<TokenCache<Option<u32>>>>;

/// What of a rule the text of a symbol contains.
pub(super) struct Found {
    /// The bonus for adjacent words.
    pub(super) phrases: f64,
    /// How it contains each name of the rule.
    pub(super) names: Vec<NameMatch>,
    /// Number of hints.
    pub(super) n_hints: usize,
}

impl Ranker<'_> {
    /// Returns what the first symbols of each rule contain of it.
    pub(super) fn read(
        &self,
        batch: &[FileCandidates<'_>],
        parsed: &[Vec<ParsedCandidate<'_>>],
        scores: &[Vec<SymbolScore>],
    ) -> Vec<(Owner, Found)> {
        let has_pairs = |(rule_idx, symbol_rank): Owner| {
            let file = &parsed[rule_idx][scores[rule_idx][symbol_rank].doc_idx()];
            let has = |&(a, b): &_| file.terms.contains(a) && file.terms.contains(b);
            batch[rule_idx].rule.pairs.iter().any(has)
        };
        let top = scores.iter().enumerate().flat_map(|(rule_idx, scores)| {
            let top = scores.iter().take(READ_SYMBOLS).enumerate();
            top.map(move |(rank, it)| (parsed[rule_idx][it.doc_idx()].file_idx, (rule_idx, rank)))
        });
        let is_read =
            |(_, owner): &(usize, Owner)| batch[owner.0].is_read_for_names() || has_pairs(*owner);
        let mut requests: Vec<(usize, Owner)> = top.filter(is_read).collect();
        let word = |part: &str| self.terms.id(&tokenize::term(part));
        let read_file = |requests: &&[(usize, Owner)]| {
            let path = &self.code.files[requests[0].0].path;
            let text = read::listed_text(self.code.root, path).unwrap_or_default();
            let index = LineIndex::new(&text);
            let symbol = |owner: Owner| {
                let symbol = scores[owner.0][owner.1];
                let doc = parsed[owner.0][symbol.doc_idx()].doc();
                (symbol, doc, lines(doc, symbol.symbol_idx()))
            };
            let span = |(first, last): (u32, u32)| {
                Span::new(index.start(first as usize), index.start(last as usize + 1))
            };
            let with_pairs = requests.iter().filter(|(_, owner)| has_pairs(*owner));
            let spans = with_pairs.map(|(_, owner)| span(symbol(*owner).2));
            let all = spans.reduce(|a, b| Span::new(a.start.min(b.start), a.end.max(b.end)));
            let all = all.unwrap_or_default();
            let (mut words, mut n_words): (Vec<WordAt>, usize) = (Vec::new(), 0);
            let mut raw_words = self.word_cache.get_or_default().borrow_mut();
            raw_words.each(all.slice(&text), word, |word, ids| {
                let numbered = (n_words..).zip(ids);
                let start = all.start + word.start;
                words.extend(numbered.filter_map(|(n, id)| Some((start, n, (*id)?))));
                n_words += ids.len();
            });
            let of_symbol = |&(_, owner): &(usize, Owner)| {
                let candidates = &batch[owner.0];
                let (symbol, doc, lines) = symbol(owner);
                let Span { start, end } = span(lines);
                let own = &words[words.partition_point(|it| it.0 < start)..];
                let own = &own[..own.partition_point(|it| it.0 < end)];
                let code = with_lines_above(&text, &index, lines);
                let name = symbol
                    .symbol_idx()
                    .map_or("", |idx| doc.symbols[idx].name.as_str());
                let names = candidates
                    .rule
                    .names
                    .iter()
                    .enumerate()
                    .map(|(idx, named)| {
                        let has_parts = symbol.names.contains(idx);
                        if has_parts {
                            name_match(named, name, code)
                        } else {
                            NameMatch::Absent
                        }
                    });
                let (names, n_hints) =
                    (names.collect(), n_contained(code, &candidates.query.hints));
                let phrases = phrase_bonus(candidates, own);
                (
                    owner,
                    Found {
                        phrases,
                        names,
                        n_hints,
                    },
                )
            };
            requests.iter().map(of_symbol).collect::<Vec<_>>()
        };
        let files = group_by_file(&mut requests);
        files
            .par_iter()
            .with_max_len(CHUNK_SIZE)
            .flat_map_iter(read_file)
            .collect()
    }
}

fn phrase_bonus(candidates: &FileCandidates<'_>, words: &[WordAt]) -> f64 {
    let FileCandidates {
        rule,
        scorer,
        term_idxs,
        ..
    } = candidates;
    let term_at = |&(_, position, id): &WordAt| Some((position, *term_idxs.get(&id)?));
    let adjacent = phrases::adjacent_pairs(words.iter().filter_map(term_at), &rule.pairs);
    score::phrase_bonus(scorer, rule, &adjacent)
}
