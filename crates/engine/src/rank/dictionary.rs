//! A packed map from terms to ids, searched without unpacking.

use fst::automaton::Str;
use fst::{Automaton, IntoStreamer, Map};
use rayon::slice::ParallelSliceMut;

/// Terms with their ids.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dictionary(Map<Vec<u8>>);

impl Dictionary {
    /// Packs distinct terms, in any order.
    pub(crate) fn pack(terms: &mut [(&str, u32)]) -> Vec<u8> {
        terms.par_sort_unstable();
        let terms = terms.iter().map(|(term, id)| (term, u64::from(*id)));
        Map::from_iter(terms)
            .unwrap_or_default()
            .into_fst()
            .into_inner()
    }

    /// Opens packed terms; invalid bytes give an empty dictionary.
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        let map = Map::new(bytes).ok();
        Self(
            map.filter(|map| map.as_fst().verify().is_ok())
                .unwrap_or_default(),
        )
    }

    /// Returns the id of a term.
    pub(crate) fn id(&self, term: &str) -> Option<u32> {
        u32::try_from(self.0.get(term)?).ok()
    }

    /// Returns the terms that start with `prefix`, sorted, with their ids.
    pub(crate) fn with_prefix(&self, prefix: &str) -> Vec<(String, u32)> {
        let found = self
            .0
            .search(Str::new(prefix).starts_with())
            .into_stream()
            .into_str_vec();
        let found = found.unwrap_or_default().into_iter();
        found
            .filter_map(|(term, id)| Some((term, u32::try_from(id).ok()?)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn packed_terms_are_found(
            terms in prop::collection::btree_map("[a-cé]{0,4}", any::<u32>(), 0..40),
            query in "[a-cé]{0,4}",
        ) {
            let mut packed: Vec<(&str, u32)> =
                terms.iter().rev().map(|(term, id)| (term.as_str(), *id)).collect();
            let dictionary = Dictionary::new(Dictionary::pack(&mut packed));
            for (term, id) in &terms {
                prop_assert_eq!(dictionary.id(term), Some(*id));
            }
            prop_assert_eq!(dictionary.id(&query), terms.get(&query).copied());
            let with_prefix = terms.into_iter().filter(|(term, _)| term.starts_with(&query));
            let expected: Vec<(String, u32)> = with_prefix.collect();
            prop_assert_eq!(dictionary.with_prefix(&query), expected);
        }

        #[test]
        fn any_bytes_can_be_searched_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let dictionary = Dictionary::new(bytes);
            dictionary.id("term");
            dictionary.with_prefix("t");
        }
    }
}
