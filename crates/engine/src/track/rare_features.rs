//! Which of many pieces of code are worth a comparison with one: those that share rare features with it.
//!
//! Pure. In a file of a thousand similar functions, nearly all identifiers occur in all of them. Comparing each with each would
//! take time in proportion to the square of their number, and tell nothing.

use std::hash::{Hash, Hasher};

use cerberus_model::{Fingerprint, sorted};
use rustc_hash::{FxHashMap, FxHasher};

use super::file_symbols::{FileSymbol, FileSymbols};
use super::search::MissingAnchor;
use crate::rank::similarity::Names;

/// Maximum number of pieces that one is compared with, and of those that have a rare feature. Up to this many, all are compared.
pub(super) const MAX_COMPARED: usize = 64;

/// The hash of all code, of a word of a name, of the name before or after it, of an identifier, or of the lowest hash in a part
/// of the tokens.
type Feature = u64;

/// The pieces of code that have each feature, by their positions.
#[derive(Debug)]
pub(super) struct RareFeatures(FxHashMap<Feature, Vec<usize>>);

impl RareFeatures {
    pub(super) fn new(features: impl Iterator<Item = Vec<Feature>>) -> Self {
        let mut positions: FxHashMap<Feature, Vec<usize>> = FxHashMap::default();
        for (position, own) in features.enumerate() {
            for feature in own {
                positions.entry(feature).or_default().push(position);
            }
        }
        positions.retain(|_, positions| positions.len() <= MAX_COMPARED);
        Self(positions)
    }

    /// Returns those of `among`, which are sorted, that share the rarest features with code: each counts the more, the fewer have it.
    pub(super) fn nearest(&self, features: &[Feature], among: &[usize]) -> Vec<usize> {
        let mut rarity: FxHashMap<usize, f64> = FxHashMap::default();
        for feature in features {
            for &position in self.0.get(feature).into_iter().flatten() {
                *rarity.entry(position).or_default() += 1.0 / self.0[feature].len() as f64;
            }
        }
        let mut sharing: Vec<(usize, f64)> = rarity
            .into_iter()
            .filter(|(position, _)| among.binary_search(position).is_ok())
            .collect();
        sharing.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        sharing.truncate(MAX_COMPARED);
        sharing.into_iter().map(|(position, _)| position).collect()
    }
}

/// Returns the features of the recorded code of an anchor, each once.
pub(super) fn of_anchor(missing: &MissingAnchor<'_>) -> Vec<Feature> {
    let fingerprint = &missing.anchor.fingerprint;
    features(
        &missing.names,
        fingerprint,
        (&fingerprint.names, fingerprint.between),
    )
}

/// Returns the features of a symbol of a file, each once.
pub(super) fn of_symbol(file: &FileSymbols, symbol: &FileSymbol) -> Vec<Feature> {
    let own = &symbol.features;
    let names = file.names(symbol);
    features(names, &own.fingerprint, (&own.names, symbol.between))
}

fn features(
    names: &Names,
    fingerprint: &Fingerprint,
    (identifiers, between): (&[u16], [u16; 2]),
) -> Vec<Feature> {
    let mut found = vec![
        hash(("code", fingerprint.name_independent_hash)),
        hash(("before", between[0])),
        hash(("after", between[1])),
    ];
    for word in names.words() {
        found.push(hash(("word", word)));
    }
    for identifier in identifiers {
        found.push(hash(("identifier", identifier)));
    }
    for (bin, lowest) in fingerprint.sketch.iter().enumerate() {
        if *lowest != 0 {
            found.push(hash((bin, lowest)));
        }
    }
    sorted(found)
}

fn hash(part: impl Hash) -> Feature {
    let mut hasher = FxHasher::default();
    part.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use cerberus_model::Anchor;
    use rustc_hash::FxHashSet;

    use super::*;
    use crate::track::file_symbols::ALL;
    use crate::track::search;
    use crate::track::search::Candidates;

    #[test]
    fn each_of_many_similar_functions_is_compared_with_few_and_with_its_own() {
        let function = |number: usize, sign: char| {
            format!("def count_{number}(a, b):\n    c = a {sign} {number}\n    return c\n\n")
        };
        let n = 5 * MAX_COMPARED;
        let old: String = (0..n).map(|number| function(number, '+')).collect();
        let new: String = (0..n).map(|number| function(number, '-')).collect();
        let old = FileSymbols::parse("a.py", old.as_bytes(), ALL);
        let files = [FileSymbols::parse("b.py", new.as_bytes(), ALL)];
        let anchors: Vec<Anchor> = (0..n).map(|idx| old.anchor(idx)).collect();
        let missing: Vec<MissingAnchor<'_>> = anchors.iter().map(MissingAnchor::new).collect();
        let pairs = search::pairs(Candidates {
            missing: &missing,
            files: &files,
            claimed: &FxHashSet::default(),
        });
        assert!(pairs.len() <= n * (MAX_COMPARED + 1), "{}", pairs.len());
        for (idx, own) in search::by_anchor(n, &pairs).iter().enumerate() {
            let best = own.iter().max_by(|a, b| a.odds.total_cmp(&b.odds));
            assert_eq!(best.map(|pair| pair.symbol_idx), Some(idx));
        }
    }

    #[test]
    fn what_all_have_tells_nothing_and_the_rarest_counts_most() {
        let n = 10 * MAX_COMPARED as u64;
        // Each has the feature 0, one of its own, and one that it shares with nine others.
        let of = |position: u64| vec![0, 1 + position, 1_000_000 + position / 10];
        let rare = RareFeatures::new((0..n).map(of));
        let all: Vec<usize> = (0..n as usize).collect();
        let nearest = rare.nearest(&of(123), &all);
        assert_eq!(nearest[0], 123);
        assert_eq!(nearest.len(), 10);
        assert_eq!(rare.nearest(&of(123), &all[..120]), Vec::<usize>::new());
        assert_eq!(rare.nearest(&[0], &all), Vec::<usize>::new());
    }
}
