//! Words of a rule that do not occur in the code, with suggestions of similar words that do.

use rustc_hash::FxHashMap;

use super::term_index::TermIndex;
use crate::index::CodeIndex;
use crate::rank::query::{ParsedQuery, QueryTerm};
use crate::rank::tokenize;
use crate::search::UnknownWord;
use crate::tree::read;

const MAX_SUGGESTIONS: usize = 3;

/// Number of letters that a suggestion shares with the word at its start, as the other forms and
/// the compounds of a word do.
const SHARED_START: usize = 4;

/// Finds words of rules that occur nowhere in the code.
pub(super) struct UnknownWords<'a> {
    index: &'a CodeIndex,
    terms: &'a TermIndex,
    /// Whether to find words of the rules too, not only hints.
    all: bool,
    /// The suggestions for terms that were looked up before.
    suggestions: FxHashMap<String, Vec<String>>,
}

impl<'a> UnknownWords<'a> {
    pub(super) fn new(index: &'a CodeIndex, terms: &'a TermIndex, all: bool) -> Self {
        Self {
            index,
            terms,
            all,
            suggestions: FxHashMap::default(),
        }
    }

    /// Returns the hints and words of a rule that occur nowhere in the code.
    pub(super) fn of_rule(&mut self, rule: &ParsedQuery, hints: &[String]) -> Vec<UnknownWord> {
        let Self {
            index,
            terms,
            all,
            suggestions,
        } = self;
        let is_unknown =
            |term: &&QueryTerm| (*all || term.is_hinted) && !terms.is_known(&term.term);
        let mut unknown: Vec<UnknownWord> = Vec::new();
        for term in rule.terms.iter().filter(is_unknown) {
            let near = suggestions
                .entry(term.term.clone())
                .or_insert_with(|| suggest(index, &term.term));
            let is_part = |hint: &&String| tokenize::terms(hint).contains(&term.term);
            let mut words: Vec<&String> = hints.iter().filter(is_part).collect();
            if words.is_empty() {
                words.push(&term.word);
            }
            // Several parts of one hint may be unknown.
            words.retain(|word| {
                !unknown
                    .iter()
                    .any(|other| other.is_hint && other.word == **word)
            });
            unknown.extend(words.into_iter().map(|word| UnknownWord {
                word: word.clone(),
                is_hint: term.is_hinted,
                near: near.clone(),
            }));
        }
        unknown
    }
}

/// Returns words of the code that start as `term` does, most similar first.
fn suggest(index: &CodeIndex, term: &str) -> Vec<String> {
    let Some((end, last)) = term.char_indices().nth(SHARED_START - 1) else {
        return Vec::new();
    };
    let mut known = index.terms_with_prefix(&term[..end + last.len_utf8()]);
    known.sort_by_cached_key(|(known, _)| {
        let n_shared = known
            .chars()
            .zip(term.chars())
            .take_while(|(a, b)| a == b)
            .count();
        (std::cmp::Reverse(n_shared), known.len(), known.clone())
    });
    // The vocabulary may contain words that no longer occur in any file.
    let spelled = known
        .iter()
        .filter_map(|(known, id)| spelling(index, known, *id));
    spelled.take(MAX_SUGGESTIONS).collect()
}

/// Returns the word for a stemmed term, as the first file that contains it spells it.
fn spelling(index: &CodeIndex, term: &str, id: u32) -> Option<String> {
    let file_idx = (0..index.files.len()).find(|idx| index.has_term(*idx, id))?;
    let path = &index.files[file_idx].path;
    let text = read::text(&index.root, path).unwrap_or_default();
    let mut found = None;
    for text in [text.as_str(), path] {
        tokenize::words(text, |word| {
            tokenize::parts(word, |part| {
                if found.is_none() && tokenize::term(part) == term {
                    found = Some(part.to_owned());
                }
            });
        });
    }
    found
}
