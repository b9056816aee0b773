//! Assigns each missing anchor to at most one symbol, and each symbol to at most one anchor.
//!
//! Pure: odds in, assignments out. The best pair is assigned first. An anchor whose best symbol is
//! not clearly better than another free symbol is ambiguous.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::track::search::Pair;
use crate::track::weights::WEIGHTS;

/// The decision for a missing anchor. Numbers are indices of pairs.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Assignment {
    Found(usize),
    /// Found because git reports that the file was renamed.
    FoundByGit(usize),
    Ambiguous(Vec<usize>),
    Gone,
}

impl Assignment {
    pub(super) fn is_found(&self) -> bool {
        matches!(self, Self::Found(_) | Self::FoundByGit(_))
    }

    /// Returns the pair that was found without git.
    pub(super) fn found(&self) -> Option<usize> {
        if let Self::Found(idx) = self {
            Some(*idx)
        } else {
            None
        }
    }
}

/// Minimum gain of an exchange: rounding must not decide.
const LEAST_GAIN: f64 = 1e-6;

/// Returns the assignment of each of `n_missing` anchors.
pub(super) fn assign(n_missing: usize, pairs: &[Pair]) -> Vec<Assignment> {
    let mut order: Vec<usize> = (0..pairs.len())
        .filter(|&idx| pairs[idx].odds >= WEIGHTS.rival_odds())
        .collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (&pairs[a], &pairs[b]);
        b.odds
            .total_cmp(&a.odds)
            .then(a.missing_idx.cmp(&b.missing_idx))
            .then(a.symbol().cmp(&b.symbol()))
    });
    let mut by_missing: Vec<Vec<usize>> = vec![Vec::new(); n_missing];
    let mut by_symbol: BySymbol<'_> = FxHashMap::default();
    for &idx in &order {
        by_missing[pairs[idx].missing_idx].push(idx);
    }
    for &idx in order.iter().rev() {
        by_symbol
            .entry(pairs[idx].symbol())
            .or_default()
            .push(&pairs[idx]);
    }
    let mut assignments = vec![Assignment::Gone; n_missing];
    let mut is_decided = vec![false; n_missing];
    let mut assigned: FxHashSet<(usize, usize)> = FxHashSet::default();
    for &idx in &order {
        let pair = &pairs[idx];
        if pair.odds < WEIGHTS.least_odds
            || is_decided[pair.missing_idx]
            || assigned.contains(&pair.symbol())
        {
            continue;
        }
        // A symbol that matches another undecided anchor better is not a rival: that anchor will
        // get it.
        let mut equals = vec![idx];
        for &rival_idx in &by_missing[pair.missing_idx] {
            let rival = &pairs[rival_idx];
            if rival_idx == idx || rival.odds <= pair.odds - WEIGHTS.least_lead {
                continue;
            }
            let best = best_open(&mut by_symbol, rival.symbol(), &is_decided);
            let is_wanted_elsewhere = best.is_some_and(|best| best > rival.odds);
            if !assigned.contains(&rival.symbol()) && !is_wanted_elsewhere {
                equals.push(rival_idx);
            }
        }
        // If two anchors match one symbol equally well, neither gets it.
        is_decided[pair.missing_idx] = true;
        let best = best_open(&mut by_symbol, pair.symbol(), &is_decided);
        let is_contested = best.is_some_and(|best| best >= pair.odds);
        assignments[pair.missing_idx] = if equals.len() == 1 && !is_contested {
            assigned.insert(pair.symbol());
            Assignment::Found(idx)
        } else {
            Assignment::Ambiguous(equals)
        };
    }
    exchange(pairs, &mut assignments);
    assignments
}

/// The pairs of each symbol, the best one last.
type BySymbol<'p> = FxHashMap<(usize, usize), Vec<&'p Pair>>;

/// Returns the odds of the best pair of a symbol with an anchor that is not decided, and removes the better ones.
fn best_open(
    by_symbol: &mut BySymbol<'_>,
    symbol: (usize, usize),
    is_decided: &[bool],
) -> Option<f64> {
    let pairs = by_symbol.get_mut(&symbol)?;
    while let Some(best) = pairs.last() {
        if !is_decided[best.missing_idx] {
            return Some(best.odds);
        }
        pairs.pop();
    }
    None
}

/// Exchanges the symbols of two anchors while both together are likelier so. The best pair of all may
/// leave only a worse one to the other anchor.
fn exchange(pairs: &[Pair], assignments: &mut [Assignment]) {
    let by_ends: FxHashMap<(usize, (usize, usize)), usize> = pairs
        .iter()
        .enumerate()
        .map(|(idx, it)| ((it.missing_idx, it.symbol()), idx))
        .collect();
    let found = assignments.iter().filter_map(Assignment::found);
    let mut holders: FxHashMap<(usize, usize), usize> =
        found.map(|idx| (pairs[idx].symbol(), idx)).collect();
    let mut is_changed = true;
    // Each exchange raises the sum of the odds, so this ends.
    while std::mem::take(&mut is_changed) {
        for (idx, pair) in pairs
            .iter()
            .enumerate()
            .filter(|(_, pair)| pair.odds >= WEIGHTS.least_odds)
        {
            let Assignment::Found(own) = assignments[pair.missing_idx] else {
                continue;
            };
            let Some(&other) = holders.get(&pair.symbol()) else {
                continue;
            };
            let other_idx = pairs[other].missing_idx;
            let Some(&exchanged) = by_ends.get(&(other_idx, pairs[own].symbol())) else {
                continue;
            };
            let gain = pair.odds + pairs[exchanged].odds - pairs[own].odds - pairs[other].odds;
            if other != own && pairs[exchanged].odds >= WEIGHTS.least_odds && gain > LEAST_GAIN {
                assignments[pair.missing_idx] = Assignment::Found(idx);
                assignments[other_idx] = Assignment::Found(exchanged);
                holders.insert(pair.symbol(), idx);
                holders.insert(pairs[own].symbol(), exchanged);
                is_changed = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the symbol of each anchor that has one. Odds are given by anchor and symbol.
    fn symbols(n_missing: usize, odds: &[(usize, usize, f64)]) -> Vec<Option<usize>> {
        let pair = |&(missing_idx, symbol_idx, odds): &(usize, usize, f64)| Pair {
            missing_idx,
            file_idx: 0,
            symbol_idx,
            evidence: Default::default(),
            odds,
        };
        let pairs: Vec<Pair> = odds.iter().map(pair).collect();
        let symbol = |it: &Assignment| it.found().map(|idx| pairs[idx].symbol_idx);
        assign(n_missing, &pairs).iter().map(symbol).collect()
    }

    #[test]
    fn the_best_pair_is_first() {
        assert_eq!(
            symbols(2, &[(0, 0, 5.0), (1, 0, 3.0), (1, 1, 2.0)]),
            [Some(0), Some(1)]
        );
    }

    #[test]
    fn two_anchors_exchange_symbols_if_both_are_likelier_so() {
        let odds = [(0, 0, 3.4), (0, 1, 2.6), (1, 0, 3.5), (1, 1, 3.1)];
        assert_eq!(symbols(2, &odds), [Some(0), Some(1)]);
        // Not if one of them is unlikely then.
        let odds = [(0, 0, 3.4), (0, 1, 2.6), (1, 0, 3.5), (1, 1, 0.1)];
        assert_eq!(symbols(2, &odds), [Some(1), Some(0)]);
    }
}
