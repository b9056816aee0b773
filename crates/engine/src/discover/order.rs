//! The order of scored symbols, and which of them come first.

use std::cmp::Ordering;

use rustc_hash::FxHashSet;

use super::{ParsedCandidate, SymbolScore, lines};
use crate::rank::weights::WEIGHTS;

/// Lines of an example that is preferred to the longer one around it.
const MIN_EXAMPLE_LINES: usize = 3;
const MAX_EXAMPLE_LINES: usize = 60;

/// Moves the best `n` scores to the front, and the best of all to the first position.
pub(super) fn select_top(scores: &mut [SymbolScore], n: usize, parsed: &[ParsedCandidate<'_>]) {
    select(scores, n, parsed);
    let n = n.min(scores.len());
    select(&mut scores[..n], 1, parsed);
}

/// Moves the best `n` scores to the front.
pub(super) fn select(scores: &mut [SymbolScore], n: usize, parsed: &[ParsedCandidate<'_>]) {
    if (1..scores.len()).contains(&n) {
        scores.select_nth_unstable_by(n - 1, |a, b| order(a, b, parsed));
    }
}

/// Orders by score, then by length (shorter first), path and line.
pub(super) fn order(a: &SymbolScore, b: &SymbolScore, parsed: &[ParsedCandidate<'_>]) -> Ordering {
    b.score
        .total_cmp(&a.score)
        .then_with(|| order_of_equals(*a, *b, parsed))
}

/// Apart, so that the comparison of scores is inlined: few are equal.
#[cold]
fn order_of_equals(a: SymbolScore, b: SymbolScore, parsed: &[ParsedCandidate<'_>]) -> Ordering {
    let [a, b] = [a, b].map(|symbol| {
        let parsed = &parsed[symbol.doc_idx()];
        let (first, last) = lines(parsed.doc(), symbol.symbol_idx());
        // Files are ordered by path.
        (last - first, parsed.file_idx, first, symbol.symbol_idx())
    });
    a.cmp(&b)
}

/// Orders the best symbol of each file before all others, each group best first. The first `n` of
/// the result do not depend on how many are requested.
pub(super) fn distinct_files_first(
    mut scores: Vec<SymbolScore>,
    parsed: &[ParsedCandidate<'_>],
) -> Vec<SymbolScore> {
    scores.sort_unstable_by(|a, b| order(a, b, parsed));
    let mut seen = FxHashSet::default();
    let mut first = Vec::with_capacity(scores.len());
    let mut others = Vec::new();
    for symbol in scores {
        if seen.insert(symbol.doc_idx) {
            first.push(symbol);
        } else {
            others.push(symbol);
        }
    }
    first.extend(others);
    first
}

/// Raises a short symbol to the best score if the best one is long and has the short one inside,
/// which is nearly as good: the method instead of its class. Of equal scores, the shorter is first.
pub(super) fn prefer_short(scores: &mut [SymbolScore], parsed: &[ParsedCandidate<'_>]) {
    select(scores, 1, parsed);
    let Some(&best) = scores.first() else { return };
    let doc = parsed[best.doc_idx()].doc();
    let outer = lines(doc, best.symbol_idx());
    if n_lines(outer) <= MAX_EXAMPLE_LINES {
        return;
    }
    let rivals = scores.iter_mut().filter(|symbol| {
        if symbol.doc_idx != best.doc_idx
            || symbol.score < WEIGHTS.candidates.nearly_as_good * best.score
        {
            return false;
        }
        let inner = lines(doc, symbol.symbol_idx());
        (MIN_EXAMPLE_LINES..=MAX_EXAMPLE_LINES).contains(&n_lines(inner))
            && outer.0 <= inner.0
            && inner.1 <= outer.1
    });
    if let Some(rival) = rivals.min_by(|a, b| order(a, b, parsed)) {
        rival.score = best.score;
    }
}

fn n_lines((first, last): (u32, u32)) -> usize {
    (first..last + 1).len()
}

/// Appends symbols whose text was not read to those whose names of code are known. Their scores are
/// not comparable, so they are lowered in proportion until none exceeds those of the others.
pub(super) fn append_below(scores: &mut Vec<SymbolScore>, unread: Vec<SymbolScore>) {
    let lowest = scores
        .iter()
        .map(|symbol| symbol.score)
        .fold(f64::INFINITY, f64::min);
    let highest = unread.iter().map(|symbol| symbol.score).fold(0.0, f64::max);
    let factor = if highest > lowest {
        lowest.max(0.0) / highest
    } else {
        1.0
    };
    for mut symbol in unread {
        symbol.score *= factor;
        scores.push(symbol);
    }
}
