//! Raises the odds of correlated renames.
//!
//! Pure. Renaming `Stream` to `ByteStream` makes `AsyncStream` to `AsyncByteStream` likely: if the
//! best symbols of two anchors of one file are in one file, and their names changed by the same
//! words, both are likelier than either alone.

use std::collections::BTreeMap;

use crate::engine::rank::similarity;

use super::assign::LEAST_ODDS;
use super::file_symbols::FileSymbols;
use super::search::{MissingAnchor, Pair};

/// Added to the odds of correlated renames. Set by hand to about the weight of sharing half of the
/// code: too few of the labelled cases have correlated renames to fit it.
const CORRELATED: f64 = 2.0;

/// A rename: the old and the new file, the words removed from the name and those added.
type Change<'a> = (&'a str, usize, Vec<String>, Vec<String>);

/// Raises the odds of pairs whose names changed by the same words.
pub(super) fn raise_odds(
    missing: &[&MissingAnchor<'_>],
    files: &[FileSymbols],
    pairs: &mut [Pair],
) {
    let mut best: Vec<Option<usize>> = vec![None; missing.len()];
    for (pair_idx, pair) in pairs.iter().enumerate() {
        let is_best = best[pair.missing_idx].is_none_or(|other| pair.odds > pairs[other].odds);
        // Each pair must reach the minimum odds with the bonus by itself.
        if is_best && pair.odds >= LEAST_ODDS - CORRELATED {
            best[pair.missing_idx] = Some(pair_idx);
        }
    }
    let mut by_change: BTreeMap<Change<'_>, Vec<usize>> = BTreeMap::new();
    for pair_idx in best.into_iter().flatten() {
        let pair = &pairs[pair_idx];
        let (file, missing) = (&files[pair.file_idx], missing[pair.missing_idx]);
        let name = file.split_name(&file.symbols[pair.symbol_idx]).1;
        if let Some((removed, added)) = similarity::changed_words(missing.name, name) {
            let change = (missing.anchor.file.as_str(), pair.file_idx, removed, added);
            by_change.entry(change).or_default().push(pair_idx);
        }
    }
    for correlated in by_change.into_values() {
        let names = |idx: usize| (pairs[idx].symbol_idx, missing[pairs[idx].missing_idx].name);
        let first = names(correlated[0]);
        let is_other = |idx: &usize| names(*idx).0 != first.0 && names(*idx).1 != first.1;
        if correlated.iter().any(is_other) {
            correlated.into_iter().for_each(|idx| pairs[idx].odds += CORRELATED);
        }
    }
}
