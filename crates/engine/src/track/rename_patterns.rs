//! Raises the odds of correlated renames.
//!
//! Pure. Renaming `Stream` to `ByteStream` makes `AsyncStream` to `AsyncByteStream` likely: if the
//! best symbols of two anchors of one file are in one file, and their names changed by the same
//! words, both are likelier than either alone.

use std::collections::BTreeMap;

use crate::rank::similarity;
use crate::track::search::{Candidates, Pair};
use crate::track::weights::WEIGHTS;

/// A rename: the old and the new file, the words removed from the name and those added.
type Change<'a> = (&'a str, usize, Vec<String>, Vec<String>);

/// Raises the odds of pairs whose names changed by the same words.
pub(super) fn raise_odds(candidates: Candidates<'_>, pairs: &mut [Pair]) {
    let mut best: Vec<Option<usize>> = vec![None; candidates.missing.len()];
    for (pair_idx, pair) in pairs.iter().enumerate() {
        let is_best = best[pair.missing_idx].is_none_or(|other| pair.odds > pairs[other].odds);
        // Each pair must reach the minimum odds with the bonus by itself.
        if is_best && pair.odds >= WEIGHTS.least_odds - WEIGHTS.added.correlated {
            best[pair.missing_idx] = Some(pair_idx);
        }
    }
    let mut by_change: BTreeMap<Change<'_>, Vec<usize>> = BTreeMap::new();
    for pair_idx in best.into_iter().flatten() {
        let pair = &pairs[pair_idx];
        let (missing, name) = (candidates.old(pair), candidates.new_name(pair).1);
        if let Some((removed, added)) = similarity::changed_words(missing.name, name) {
            let change = (missing.anchor.file.as_str(), pair.file_idx, removed, added);
            by_change.entry(change).or_default().push(pair_idx);
        }
    }
    for correlated in by_change.into_values() {
        let names = |idx: usize| (pairs[idx].symbol_idx, candidates.old(&pairs[idx]).name);
        let first = names(correlated[0]);
        let is_other = |idx: &usize| names(*idx).0 != first.0 && names(*idx).1 != first.1;
        if correlated.iter().any(is_other) {
            correlated
                .into_iter()
                .for_each(|idx| pairs[idx].odds += WEIGHTS.added.correlated);
        }
    }
}
