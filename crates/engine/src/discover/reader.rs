//! Reads the text of the first symbols of each rule: adjacent words, code that the rule names, and hints.
//!
//! File by file, so that a file is read once for any number of rules. Each thread splits and stems a raw
//! word once.

use std::cell::RefCell;

use cerberus_model::{LineIndex, Span};
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use thread_local::ThreadLocal;

use super::imported::{Import, imports, modules_used};
use super::named_code::{n_contained, name_match, with_lines_above};
use super::{
    FileCandidates, ParsedCandidate, READ_SYMBOLS, Ranker, SymbolScore, group_by_file, lines,
};
use crate::rank::document::Document;
use crate::rank::named_code::Role;
use crate::rank::query::NamedCode;
use crate::rank::score::{self, NameMatch};
use crate::rank::token_cache::TokenCache;
use crate::rank::{phrases, tokenize};
use crate::syntax::parse::last_name;
use crate::tree::read;

/// Files that a thread processes at once.
const CHUNK_SIZE: usize = 8;

/// A symbol to read: the index of its rule, and its rank for it.
type Owner = (usize, usize);

/// A word of a rule in a text.
pub(super) struct WordAt {
    pub(super) start: usize,
    /// Its number among all words of the text.
    position: usize,
    pub(super) term_id: u32,
}

/// The text of a symbol.
struct SymbolText<'t> {
    /// Its words of rules.
    words: &'t [WordAt],
    code: &'t str,
    imports: &'t [Import<'t>],
}

/// For each thread, the ids of the terms of raw words.
pub(super) type WordCache = ThreadLocal<RefCell<TokenCache<Option<u32>>>>;

/// The parts of a rule that the text of a symbol contains.
pub(super) struct Found {
    /// The bonus for adjacent words.
    pub(super) phrases: f64,
    /// The bonus for names that are imported from modules with words of the rule.
    pub(super) imported: f64,
    /// How it contains each name of the rule.
    pub(super) names: Vec<NameMatch>,
    /// Number of hints.
    pub(super) n_hints: usize,
    pub(super) n_lines: usize,
}

impl Ranker<'_> {
    /// Returns the parts of each rule that its first symbols contain.
    pub(super) fn read(
        &self,
        batch: &[FileCandidates<'_>],
        parsed: &[Vec<ParsedCandidate<'_>>],
        scores: &[Vec<SymbolScore>],
    ) -> Vec<(Owner, Found)> {
        let reader = Reader {
            ranker: self,
            batch,
            parsed,
            scores,
        };
        let mut requests: Vec<(usize, Owner)> = Vec::new();
        for (rule_idx, scores) in scores.iter().enumerate() {
            for (rank, symbol) in scores.iter().take(READ_SYMBOLS).enumerate() {
                let owner = (rule_idx, rank);
                if batch[rule_idx].is_read_for_names() || reader.has_pairs(owner) {
                    requests.push((parsed[rule_idx][symbol.doc_idx()].file_idx, owner));
                }
            }
        }
        let files = group_by_file(&mut requests);
        files
            .par_iter()
            .with_max_len(CHUNK_SIZE)
            .flat_map_iter(|requests| reader.read_file(requests))
            .collect()
    }
}

/// Reads the first symbols of the rules of a batch.
struct Reader<'r> {
    ranker: &'r Ranker<'r>,
    batch: &'r [FileCandidates<'r>],
    parsed: &'r [Vec<ParsedCandidate<'r>>],
    scores: &'r [Vec<SymbolScore>],
}

impl Reader<'_> {
    /// Returns whether the file of a symbol has both words of a pair of its rule.
    fn has_pairs(&self, (rule_idx, rank): Owner) -> bool {
        let file = &self.parsed[rule_idx][self.scores[rule_idx][rank].doc_idx()];
        let mut pairs = self.batch[rule_idx].rule.pairs.iter();
        pairs.any(|&(a, b)| file.terms.contains(a) && file.terms.contains(b))
    }

    /// Returns the first and the last line of a symbol.
    fn lines(&self, (rule_idx, rank): Owner) -> (u32, u32) {
        let symbol = self.scores[rule_idx][rank];
        let doc = self.parsed[rule_idx][symbol.doc_idx()].doc();
        lines(doc, symbol.symbol_idx())
    }

    /// Returns the parts of their rules that the requested symbols of one file contain.
    fn read_file(&self, requests: &[(usize, Owner)]) -> Vec<(Owner, Found)> {
        let code = &self.ranker.code;
        let path = &code.files[requests[0].0].path;
        let text = read::listed_text(code.root, path).unwrap_or_default();
        let index = LineIndex::new(&text);
        // The words from the first to the last symbol of a rule with pairs.
        let mut part: Option<Span> = None;
        for (_, owner) in requests {
            if self.has_pairs(*owner) {
                let own = span(&index, self.lines(*owner));
                part = Some(match part {
                    Some(part) => Span::new(part.start.min(own.start), part.end.max(own.end)),
                    None => own,
                });
            }
        }
        let words = self.words(&text, part.unwrap_or_default());
        let imports = imports(&text, |line| self.words(&text, line));
        let mut found = Vec::new();
        for (_, owner) in requests {
            let lines = self.lines(*owner);
            let Span { start, end } = span(&index, lines);
            let from_start = &words[words.partition_point(|word| word.start < start)..];
            let own = &from_start[..from_start.partition_point(|word| word.start < end)];
            let symbol = SymbolText {
                words: own,
                code: with_lines_above(&text, &index, lines),
                imports: &imports,
            };
            found.push((*owner, self.found(*owner, &symbol)));
        }
        found
    }

    /// Returns the words of rules in a part of a text.
    fn words(&self, text: &str, part: Span) -> Vec<WordAt> {
        let terms = &self.ranker.terms;
        let mut words = Vec::new();
        let mut n_words = 0;
        let mut raw_words = self.ranker.word_cache.get_or_default().borrow_mut();
        raw_words.each(
            part.slice(text),
            |raw| terms.id(&tokenize::term(raw)),
            |word, ids| {
                for (position, term_id) in (n_words..).zip(ids) {
                    if let Some(term_id) = *term_id {
                        words.push(WordAt {
                            start: part.start + word.start,
                            position,
                            term_id,
                        });
                    }
                }
                n_words += ids.len();
            },
        );
        words
    }

    /// Returns the parts of its rule that a symbol with this text contains.
    fn found(&self, (rule_idx, rank): Owner, text: &SymbolText<'_>) -> Found {
        let candidates = &self.batch[rule_idx];
        let symbol = self.scores[rule_idx][rank];
        let doc = self.parsed[rule_idx][symbol.doc_idx()].doc();
        let symbol_name = match symbol.symbol_idx() {
            Some(idx) => doc.symbols[idx].name.as_str(),
            None => "",
        };
        let mut names = Vec::new();
        for (idx, named) in candidates.rule.names.iter().enumerate() {
            names.push(if symbol.names.contains(idx) {
                let found = name_match(named, symbol_name, text.code);
                if found > NameMatch::LastPart && named.role == Role::Used && defines(doc, named) {
                    // The code around a definition is how it is made, not how it is used.
                    NameMatch::LastPart
                } else {
                    found
                }
            } else {
                NameMatch::Absent
            });
        }
        Found {
            phrases: phrase_bonus(candidates, text.words),
            imported: import_bonus(candidates, doc, &symbol, text),
            names,
            n_hints: n_contained(text.code, &candidates.query.hints),
            n_lines: text.code.lines().count(),
        }
    }
}

/// Returns whether a file defines code of this name.
fn defines(doc: &Document, named: &NamedCode) -> bool {
    let name = named.last_part();
    doc.symbols
        .iter()
        .any(|symbol| last_name(&symbol.name) == name)
}

/// Returns the bonus for the words of modules from which a symbol uses names, if the symbol itself lacks them.
fn import_bonus(
    candidates: &FileCandidates<'_>,
    doc: &Document,
    symbol: &SymbolScore,
    text: &SymbolText<'_>,
) -> f64 {
    let mut term_idxs: Vec<usize> = Vec::new();
    for term_id in modules_used(text.imports, text.code) {
        let Some(term_idx) = candidates.term_idxs.get(&term_id) else {
            continue;
        };
        let is_own = match symbol.symbol_idx() {
            Some(symbol_idx) => doc.has_term(symbol_idx, term_id),
            None => true,
        };
        if !is_own && !term_idxs.contains(term_idx) {
            term_idxs.push(*term_idx);
        }
    }
    score::import_bonus(&candidates.scorer, &term_idxs)
}

fn span(index: &LineIndex, (first, last): (u32, u32)) -> Span {
    Span::new(index.start(first as usize), index.start(last as usize + 1))
}

fn phrase_bonus(candidates: &FileCandidates<'_>, words: &[WordAt]) -> f64 {
    let FileCandidates {
        rule,
        scorer,
        term_idxs,
        ..
    } = candidates;
    let terms = words
        .iter()
        .filter_map(|word| Some((word.position, *term_idxs.get(&word.term_id)?)));
    let adjacent = phrases::adjacent_pairs(terms, &rule.pairs);
    score::phrase_bonus(scorer, rule, &adjacent)
}
