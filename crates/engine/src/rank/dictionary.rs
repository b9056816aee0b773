//! A packed map from terms to ids, sorted by term and searched without unpacking.
//!
//! Layout: the number of terms, their end offsets, their ids, then the concatenated terms. All
//! numbers are little-endian `u32`.

/// Size of a number in bytes.
const WIDTH: usize = size_of::<u32>();

/// Terms with their ids.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dictionary {
    bytes: Vec<u8>,
    len: usize,
}

impl Dictionary {
    /// Packs distinct terms, in any order.
    pub(crate) fn pack(terms: &mut [(&str, u32)]) -> Vec<u8> {
        terms.sort_unstable();
        let ends = terms.iter().scan(0, |end, (term, _)| {
            *end += term.len();
            Some(*end)
        });
        let ids = terms.iter().map(|(_, id)| *id as usize);
        let numbers = std::iter::once(terms.len()).chain(ends).chain(ids);
        let numbers = numbers.map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        let mut bytes: Vec<u8> = numbers.flat_map(u32::to_le_bytes).collect();
        terms.iter().for_each(|(term, _)| bytes.extend(term.as_bytes()));
        bytes
    }

    /// Opens packed terms; invalid bytes give an empty dictionary.
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        let len = number(&bytes, 0).unwrap_or(0) as usize;
        let is_complete = bytes.len() >= WIDTH * (1 + 2 * len.min(bytes.len()));
        Self { bytes, len: if is_complete { len } else { 0 } }
    }

    /// Returns the id of a term.
    pub(crate) fn id(&self, term: &str) -> Option<u32> {
        let term_idx = self.lower_bound(term);
        (self.term(term_idx) == Some(term.as_bytes())).then(|| self.id_at(term_idx)).flatten()
    }

    /// Returns the terms that start with `prefix` and their ids, in order.
    pub(crate) fn with_prefix<'a>(
        &'a self,
        prefix: &'a str,
    ) -> impl Iterator<Item = (&'a str, u32)> + 'a {
        (self.lower_bound(prefix)..self.len).map_while(|term_idx| {
            let term = self.term(term_idx).filter(|term| term.starts_with(prefix.as_bytes()))?;
            Some((std::str::from_utf8(term).ok()?, self.id_at(term_idx)?))
        })
    }

    /// Returns the position of the first term >= `term`.
    fn lower_bound(&self, term: &str) -> usize {
        let (mut low, mut high) = (0, self.len);
        while low < high {
            let middle = low.midpoint(high);
            if self.term(middle).is_some_and(|other| other < term.as_bytes()) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    fn term(&self, term_idx: usize) -> Option<&[u8]> {
        if term_idx >= self.len {
            return None;
        }
        let start = if term_idx == 0 { 0 } else { number(&self.bytes, term_idx)? as usize };
        let end = number(&self.bytes, term_idx + 1)? as usize;
        self.bytes.get(WIDTH * (1 + 2 * self.len)..)?.get(start..end)
    }

    fn id_at(&self, term_idx: usize) -> Option<u32> {
        number(&self.bytes, 1 + self.len + term_idx)
    }
}

fn number(bytes: &[u8], idx: usize) -> Option<u32> {
    let bytes = bytes.get(WIDTH * idx..WIDTH * (idx + 1))?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
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
            let actual: Vec<(&str, u32)> = dictionary.with_prefix(&query).collect();
            let expected: Vec<(&str, u32)> = terms
                .iter()
                .filter(|(term, _)| term.starts_with(&query))
                .map(|(term, id)| (term.as_str(), *id))
                .collect();
            prop_assert_eq!(actual, expected);
        }

        #[test]
        fn any_bytes_can_be_searched_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let dictionary = Dictionary::new(bytes);
            dictionary.id("term");
            dictionary.with_prefix("t").count();
        }
    }
}
