//! Decides jointly for code that moved together.
//!
//! Pure. If most of the anchored code of a file or of a class is found in one other file or class,
//! code there is likelier to be the rest of it.

use std::collections::BTreeMap;

use super::assign::{self, Assignment};
use super::file_symbols::FileSymbols;
use super::search::{MissingAnchor, Pair};

/// Added to the odds of code in the place to which most of its neighbours moved.
const TOGETHER: f64 = 1.0;

/// A file, and a container in it.
type Place<'a> = (&'a str, &'a str);

/// Assigns the anchors as [`assign::assign`] does, and again with the odds raised of code in the
/// place to which most of the code around the anchor moved.
pub(super) fn assign(
    missing: &[&MissingAnchor<'_>],
    files: &[FileSymbols],
    pairs: &mut [Pair],
) -> Vec<Assignment> {
    let assignments = assign::assign(missing.len(), pairs);
    let places = |pair: &Pair| -> [(Place<'_>, Place<'_>); 2] {
        let (old, file) = (missing[pair.missing_idx], &files[pair.file_idx]);
        let container = file.split_name(&file.symbols[pair.symbol_idx]).0;
        let (old_file, new_file) = (old.anchor.file.as_str(), file.path.as_str());
        [((old_file, ""), (new_file, "")), ((old_file, old.container), (new_file, container))]
    };
    let mut votes: BTreeMap<Place<'_>, BTreeMap<Place<'_>, usize>> = BTreeMap::new();
    for assignment in &assignments {
        if let Assignment::Found(pair_idx) = assignment {
            let [(old, new), (old_container, new_container)] = places(&pairs[*pair_idx]);
            *votes.entry(old).or_default().entry(new).or_default() += 1;
            if !old_container.1.is_empty() {
                *votes.entry(old_container).or_default().entry(new_container).or_default() += 1;
            }
        }
    }
    let is_majority = |old: &Place<'_>, new: &Place<'_>| {
        let votes = votes.get(old);
        let (n, n_all) = votes.map_or((0, 0), |votes| {
            (votes.get(new).copied().unwrap_or_default(), votes.values().sum::<usize>())
        });
        n >= 2 && 2 * n > n_all
    };
    let raised: Vec<bool> = pairs
        .iter()
        .map(|pair| places(pair).iter().any(|(old, new)| old != new && is_majority(old, new)))
        .collect();
    if !raised.contains(&true) {
        return assignments;
    }
    for (pair, _) in pairs.iter_mut().zip(raised).filter(|(_, is_raised)| *is_raised) {
        pair.odds += TOGETHER;
    }
    assign::assign(missing.len(), pairs)
}
