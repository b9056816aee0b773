//! Raises the odds of correlated renames.
//!
//! Pure. Renaming `Stream` to `ByteStream` makes `AsyncStream` to `AsyncByteStream` likely: if the
//! best symbols of two anchors of one file are in one file, and their names changed by the same
//! words, both are likelier than either alone.

use std::collections::BTreeMap;

use crate::rank::similarity;
use crate::track::search::{Candidates, Pair};
use crate::track::weights::WEIGHTS;

/// A rename by words. The order is that in which correlated renames are looked at.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Change<'a> {
    old_path: &'a str,
    file_idx: usize,
    removed_words: Vec<String>,
    added_words: Vec<String>,
}

/// Raises the odds of pairs whose names changed by the same words.
pub(super) fn raise_odds(candidates: Candidates<'_>, pairs: &mut [Pair]) {
    let mut best: Vec<Option<usize>> = vec![None; candidates.missing.len()];
    for (pair_idx, pair) in pairs.iter().enumerate() {
        let is_best = match best[pair.missing_idx] {
            Some(other) => pair.odds > pairs[other].odds,
            None => true,
        };
        // Each pair must reach the minimum odds with the bonus by itself.
        if is_best && pair.odds >= WEIGHTS.least_odds - WEIGHTS.added.correlated {
            best[pair.missing_idx] = Some(pair_idx);
        }
    }
    let mut by_change: BTreeMap<Change<'_>, Vec<usize>> = BTreeMap::new();
    for pair_idx in best.into_iter().flatten() {
        let pair = &pairs[pair_idx];
        let missing = candidates.old(pair);
        let (_, new_name) = candidates.new_name(pair);
        let Some((removed_words, added_words)) = similarity::changed_words(missing.name, new_name)
        else {
            continue;
        };
        let change = Change {
            old_path: missing.anchor.file.as_str(),
            file_idx: pair.file_idx,
            removed_words,
            added_words,
        };
        by_change.entry(change).or_default().push(pair_idx);
    }
    for correlated in by_change.into_values() {
        let first = &pairs[correlated[0]];
        let first_name = candidates.old(first).name;
        let has_other = correlated.iter().any(|idx| {
            let pair = &pairs[*idx];
            pair.symbol_idx != first.symbol_idx && candidates.old(pair).name != first_name
        });
        if has_other {
            for idx in correlated {
                pairs[idx].odds += WEIGHTS.added.correlated;
            }
        }
    }
}
