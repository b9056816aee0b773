//! Gives each lost anchor at most one place, and each place at most one anchor.
//!
//! Pure: odds in, outcomes out.

use super::search::Pair;

/// What was decided about a lost anchor; numbers are indices of pairs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    Found(usize),
    Ambiguous(Vec<usize>),
    Gone,
}

/// The least odds at which code counts as found.
pub(crate) const LEAST_ODDS: f64 = 0.0;

/// How far the best must be ahead of the next.
pub(crate) const LEAST_LEAD: f64 = 0.5;

/// Returns the outcome for each of `n_lost`.
pub(crate) fn assign(n_lost: usize, pairs: &[Pair]) -> Vec<Outcome> {
    let least = std::env::var("LEAST").ok().and_then(|v| v.parse().ok()).unwrap_or(LEAST_ODDS);
    let lead = std::env::var("LEAD").ok().and_then(|v| v.parse().ok()).unwrap_or(LEAST_LEAD);
    let mut order: Vec<usize> = (0..pairs.len()).filter(|&n| pairs[n].odds >= least - lead).collect();
    order.sort_by(|&a, &b| {
        let key = |n: usize| (pairs[n].lost, pairs[n].file, pairs[n].at);
        pairs[b].odds.total_cmp(&pairs[a].odds).then_with(|| key(a).cmp(&key(b)))
    });
    let mut outcomes = vec![Outcome::Gone; n_lost];
    let mut is_decided = vec![false; n_lost];
    let mut taken = rustc_hash::FxHashSet::default();
    for (rank, &n) in order.iter().enumerate() {
        let pair = &pairs[n];
        if pair.odds < least || is_decided[pair.lost] || taken.contains(&(pair.file, pair.at)) {
            continue;
        }
        is_decided[pair.lost] = true;
        // Rivals: free places nearly as likely that no other anchor fits better.
        let mut equals = vec![n];
        for &m in &order[rank + 1..] {
            let rival = &pairs[m];
            if rival.odds <= pair.odds - lead {
                break;
            }
            if rival.lost != pair.lost || taken.contains(&(rival.file, rival.at)) {
                continue;
            }
            let wanted_more = order.iter().any(|&k| {
                let other = &pairs[k];
                other.lost != pair.lost && !is_decided[other.lost] && (other.file, other.at) == (rival.file, rival.at) && other.odds > rival.odds
            });
            if !wanted_more {
                equals.push(m);
            }
        }
        if equals.len() == 1 {
            taken.insert((pair.file, pair.at));
            outcomes[pair.lost] = Outcome::Found(n);
        } else {
            outcomes[pair.lost] = Outcome::Ambiguous(equals);
        }
    }
    outcomes
}
