//! Finds documents that were moved: one that no longer exists, and a new one with its rules.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use super::classify::Document;
use super::sources::{MIN_SHARED, Sources, similarity, words};

/// Minimum share of the rules of a missing document that a new one contains.
const MIN_SHARE: f64 = 0.5;

/// Maximum number of pairs of rules that are compared by their words, which takes about a second.
const MAX_PAIRS: usize = 500_000;

/// The rules of a new document, each with its digest and its words.
struct New<'a, 'd> {
    file: &'a str,
    rules: Vec<(&'d str, FxHashSet<String>)>,
}

/// Returns the former path of each document that was moved, by its path. `missing` contains the
/// documents that memories were imported from and that no longer exist.
pub(super) fn find<'a>(
    sources: &Sources,
    missing: &[&'a str],
    documents: &[Document<'a>],
) -> BTreeMap<&'a str, &'a str> {
    let mut moves = BTreeMap::new();
    if missing.is_empty() {
        return moves;
    }
    let known: BTreeSet<&str> = sources.files().into_iter().collect();
    let new = documents.iter().filter(|document| !known.contains(document.file()));
    let mut new: Vec<New> = new
        .map(|document| New {
            file: document.file(),
            rules: document.rules().map(|(text, digest)| (digest, words(text))).collect(),
        })
        .collect();
    let mut n_pairs = 0;
    for old in missing {
        let of_old = sources.of_file(old);
        let mut best: Option<(f64, usize)> = None;
        for (new_idx, document) in new.iter().enumerate() {
            n_pairs += of_old.len() * document.rules.len();
            let by_words = n_pairs <= MAX_PAIRS;
            let n_shared = n_shared(sources, &of_old, document, by_words);
            let share = n_shared as f64 / of_old.len().max(1) as f64;
            if share >= MIN_SHARE && best.is_none_or(|(highest, _)| share > highest) {
                best = Some((share, new_idx));
            }
        }
        if let Some((_, new_idx)) = best {
            moves.insert(new.remove(new_idx).file, *old);
        }
    }
    moves
}

/// Returns the number of memories whose rule is in a document. The paths in a rule may have changed
/// with its document, so a similar one counts if `by_words` is set.
fn n_shared(sources: &Sources, memories: &[usize], document: &New, by_words: bool) -> usize {
    let mut rest: Vec<&(&str, FxHashSet<String>)> = document.rules.iter().collect();
    let mut n_shared = 0;
    for memory_idx in memories {
        let same = rest.iter().position(|(digest, _)| sources.has_text(*memory_idx, digest));
        let similar = || {
            let old = sources.words(*memory_idx);
            rest.iter().position(|(_, new)| similarity(new, &old) >= MIN_SHARED)
        };
        if let Some(at) = same.or_else(|| by_words.then(similar).flatten()) {
            rest.swap_remove(at);
            n_shared += 1;
        }
    }
    n_shared
}
