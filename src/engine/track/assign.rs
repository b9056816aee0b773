//! Gives each lost anchor at most one place, and each place at most one anchor.
//!
//! Pure: odds in, outcomes out. The best pair goes first; an anchor whose best place
//! is not clearly better than another free one is ambiguous.

use rustc_hash::{FxHashMap, FxHashSet};

use super::search::Pair;

/// What was decided about a lost anchor; numbers are indices of pairs.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    Found(usize),
    Ambiguous(Vec<usize>),
    Gone,
}

/// The least odds at which code counts as found. Of 229 labelled cases none is
/// followed wrongly from 0.4 on; below, deleted symbols find a stranger.
pub(super) const LEAST_ODDS: f64 = 0.4;

/// How far the best must be ahead of the next: 3 to 2, so that equals are told from near
/// equals. The labelled cases do not decide it.
const LEAST_LEAD: f64 = 0.4;

/// Returns the outcome for each of `n_lost`.
pub(super) fn assign(n_lost: usize, pairs: &[Pair]) -> Vec<Outcome> {
    let mut order: Vec<usize> =
        (0..pairs.len()).filter(|&n| pairs[n].odds >= LEAST_ODDS - LEAST_LEAD).collect();
    order.sort_by(|&a, &b| {
        let key = |n: usize| (pairs[n].lost, pairs[n].file, pairs[n].at);
        pairs[b].odds.total_cmp(&pairs[a].odds).then_with(|| key(a).cmp(&key(b)))
    });
    let mut by_lost: Vec<Vec<usize>> = vec![Vec::new(); n_lost];
    let mut by_place: FxHashMap<(usize, usize), Vec<usize>> = FxHashMap::default();
    for &n in &order {
        by_lost[pairs[n].lost].push(n);
        by_place.entry((pairs[n].file, pairs[n].at)).or_default().push(n);
    }
    let mut outcomes = vec![Outcome::Gone; n_lost];
    let mut is_decided = vec![false; n_lost];
    let mut taken: FxHashSet<(usize, usize)> = FxHashSet::default();
    for &n in &order {
        let pair = &pairs[n];
        let place = (pair.file, pair.at);
        if pair.odds < LEAST_ODDS || is_decided[pair.lost] || taken.contains(&place) {
            continue;
        }
        // A place that another anchor fits better is no rival: that one will have it.
        let is_free = |m: usize| {
            let rival = &pairs[m];
            let others = &by_place[&(rival.file, rival.at)];
            !taken.contains(&(rival.file, rival.at))
                && !others.iter().any(|&k| !is_decided[pairs[k].lost] && pairs[k].odds > rival.odds)
        };
        let is_rival =
            |m: &&usize| **m != n && pairs[**m].odds > pair.odds - LEAST_LEAD && is_free(**m);
        let rivals: Vec<usize> = by_lost[pair.lost].iter().filter(is_rival).copied().collect();
        // Two anchors that fit one place alike: it is neither's.
        let is_contested = by_place[&place].iter().any(|&k| {
            pairs[k].lost != pair.lost && !is_decided[pairs[k].lost] && pairs[k].odds >= pair.odds
        });
        is_decided[pair.lost] = true;
        if rivals.is_empty() && !is_contested {
            taken.insert(place);
            outcomes[pair.lost] = Outcome::Found(n);
        } else {
            outcomes[pair.lost] = Outcome::Ambiguous(std::iter::once(n).chain(rivals).collect());
        }
    }
    outcomes
}
