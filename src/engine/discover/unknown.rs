//! The words of a rule that the code does not know, and near ones that it does.

use rustc_hash::FxHashMap;

use crate::engine::index::CodeIndex;
use crate::engine::rank::query::ParsedQuery;
use crate::engine::rank::tokenize;
use crate::tree::read;

use super::Unknown;
use super::words::Words;

/// How many near words are offered.
const MAX_NEAR: usize = 3;

/// How many letters near words share at their start; forms and compounds of a word do.
const SHARED_START: usize = 4;

/// The near words of the terms that were looked up before.
pub(crate) type Near = FxHashMap<String, Vec<String>>;

/// Returns the words and hints of a rule that stand nowhere in the code.
pub(crate) fn words(
    index: &CodeIndex,
    words: &Words,
    rule: &ParsedQuery,
    known: &mut Near,
) -> Vec<Unknown> {
    let mut found = Vec::new();
    for term in rule.terms.iter().filter(|term| !words.knows(&term.term)) {
        let near = match known.get(&term.term) {
            Some(near) => near.clone(),
            None => near(index, &term.term),
        };
        known.insert(term.term.clone(), near.clone());
        found.push(Unknown { word: term.word.clone(), near });
    }
    found
}

/// Returns words of the code that start as `term` does, the most alike first.
fn near(index: &CodeIndex, term: &str) -> Vec<String> {
    let Some((end, last)) = term.char_indices().nth(SHARED_START - 1) else {
        return Vec::new();
    };
    let mut known = index.terms_with_prefix(&term[..end + last.len_utf8()]);
    known.sort_by_cached_key(|(known, _)| {
        let n_shared = known.chars().zip(term.chars()).take_while(|(a, b)| a == b).count();
        (std::cmp::Reverse(n_shared), known.len(), known.clone())
    });
    // The vocabulary may remember words that no file has any more.
    let spelled = known.iter().filter_map(|(known, id)| spelling(index, known, *id));
    spelled.take(MAX_NEAR).collect()
}

/// Returns a stemmed term as the first file that has it writes it.
fn spelling(index: &CodeIndex, term: &str, id: u32) -> Option<String> {
    let has_term = |at: &usize| index.has_term(*at, id);
    let file = (0..index.files.len()).find(has_term)?;
    let path = &index.files[file].path;
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
