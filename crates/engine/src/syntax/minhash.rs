//! Similarity estimates from fixed-size signatures, small enough for a line of text.
//!
//! Token trigrams: one-permutation MinHash (Li, Owen, Zhang: "One Permutation Hashing", NIPS
//! 2012) with b-bit values (Li, König: "b-Bit Minwise Hashing", WWW 2010). The high bits of a
//! hash select a bin, and a bin stores one byte of its minimum hash. This needs a single pass
//! for any number of bins, and has nearly all elements of a set smaller than the number of
//! bins, so that short functions are compared as well as long ones.
//!
//! Names of neighbours: a Bloom filter, because only membership is queried.

/// Number of bins of a signature. The standard error of the estimate is at most
/// 0.5 / sqrt(72) = 0.06, and a multiple of 3 needs no padding in base64.
pub(crate) const N_BINS: usize = 72;

/// Size of a Bloom filter: 280 bits. The rate of false positives is 1 in 40 with
/// [`MAX_BLOOM_ENTRIES`] names, and 1 in 250 with half as many.
pub(crate) const BLOOM_BYTES: usize = 35;

/// Maximum number of names in a Bloom filter.
pub(crate) const MAX_BLOOM_ENTRIES: usize = 32;

/// Number of bits for each name, within 1 % of the optimum for 32 names in 280 bits.
const BITS_PER_NAME: u32 = 3;

/// Returns the signature of a set of well-mixed hashes: one byte for each bin, 0 if it is empty.
pub(crate) fn signature(hashes: impl IntoIterator<Item = u64>) -> Vec<u8> {
    let mut minima = [u64::MAX; N_BINS];
    for hash in hashes {
        // The high half selects the bin, the low half is the value that is minimised.
        let bin = ((hash >> 32) as usize * N_BINS) >> 32;
        minima[bin] = minima[bin].min(hash & 0xFFFF_FFFF);
    }
    let mut bytes = Vec::with_capacity(N_BINS);
    for minimum in minima {
        let is_empty = minimum == u64::MAX;
        bytes.push(if is_empty {
            0
        } else {
            (minimum % 255) as u8 + 1
        });
    }
    bytes
}

/// Returns the estimated Jaccard similarity of two sets from their signatures.
pub(crate) fn jaccard(a: &[u8], b: &[u8]) -> f64 {
    let mut n_equal = 0u32;
    let mut n_filled = 0u32;
    for (x, y) in a.iter().zip(b) {
        n_filled += u32::from(x | y != 0);
        n_equal += u32::from(x == y && *x != 0);
    }
    if n_filled == 0 {
        0.0
    } else {
        f64::from(n_equal) / f64::from(n_filled)
    }
}

/// Returns the share of the smaller set that is also in the larger one, from the Jaccard
/// similarity of the sets and their sizes.
pub(crate) fn containment(jaccard: f64, n_a: u32, n_b: u32) -> f64 {
    let smaller = f64::from(n_a.min(n_b));
    if smaller == 0.0 {
        return 0.0;
    }
    // |A ∩ B| = J · |A ∪ B| and |A ∪ B| = |A| + |B| − |A ∩ B|.
    let n_shared = jaccard * (f64::from(n_a) + f64::from(n_b)) / (1.0 + jaccard);
    (n_shared / smaller).min(1.0)
}

/// Returns a Bloom filter with the first [`MAX_BLOOM_ENTRIES`] of `hashes`; it is empty if
/// there are no hashes.
pub(crate) fn bloom_filter(hashes: impl IntoIterator<Item = u64>) -> Vec<u8> {
    let mut filter = Vec::new();
    for hash in hashes.into_iter().take(MAX_BLOOM_ENTRIES) {
        filter.resize(BLOOM_BYTES, 0u8);
        for bit in bloom_bits(hash) {
            filter[bit / 8] |= 1 << (bit % 8);
        }
    }
    filter
}

/// Returns whether `hash` is in a Bloom filter, which may be a false positive.
pub(crate) fn bloom_contains(filter: &[u8], hash: u64) -> bool {
    bloom_bits(hash).all(|bit| {
        let byte = filter.get(bit / 8).copied().unwrap_or_default();
        byte & (1 << (bit % 8)) != 0
    })
}

/// Returns the estimated number of names in a Bloom filter.
pub(crate) fn bloom_len(filter: &[u8]) -> f64 {
    let n_bits = (BLOOM_BYTES * 8) as f64;
    let n_set: u32 = filter.iter().map(|byte| byte.count_ones()).sum();
    let share_unset = (1.0 - f64::from(n_set) / n_bits).max(1.0 / n_bits);
    -n_bits / f64::from(BITS_PER_NAME) * share_unset.ln()
}

fn bloom_bits(hash: u64) -> impl Iterator<Item = usize> {
    (0..BITS_PER_NAME).map(move |n| ((hash >> (20 * n)) & 0xF_FFFF) as usize % (BLOOM_BYTES * 8))
}

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;

    fn set(range: std::ops::Range<u32>) -> Vec<u64> {
        range.map(|n| xxh3_64(&n.to_le_bytes())).collect()
    }

    fn check(a: std::ops::Range<u32>, b: std::ops::Range<u32>, expected: f64, tolerance: f64) {
        let actual = jaccard(&signature(set(a)), &signature(set(b)));
        assert!(
            (actual - expected).abs() <= tolerance,
            "{actual}, expected {expected}"
        );
    }

    #[test]
    fn jaccard_estimates_the_similarity_of_sets() {
        check(0..1000, 0..1000, 1.0, 0.0);
        check(0..1000, 500..1500, 1.0 / 3.0, 0.15);
        check(0..1000, 2000..3000, 0.0, 0.05);
        check(0..20, 0..20, 1.0, 0.0);
        check(0..20, 5..20, 0.75, 0.15);
    }

    #[test]
    fn empty_sets_are_not_similar() {
        let empty = signature([]);
        assert_eq!(jaccard(&empty, &empty), 0.0);
        assert_eq!(containment(0.0, 0, 5), 0.0);
    }

    #[test]
    fn a_subset_is_contained() {
        // 100 of 400: J = 0.25.
        assert!((containment(0.25, 100, 400) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_bloom_filter_has_its_names_and_few_false_positives() {
        let filter = bloom_filter(set(0..32));
        assert!(
            set(0..32)
                .into_iter()
                .all(|hash| bloom_contains(&filter, hash))
        );
        let n_false_positives = set(1000..2000)
            .into_iter()
            .filter(|&hash| bloom_contains(&filter, hash))
            .count();
        assert!(n_false_positives < 80, "{n_false_positives}");
        assert!(
            (bloom_len(&filter) - 32.0).abs() < 5.0,
            "{}",
            bloom_len(&filter)
        );
        assert!(
            bloom_filter([]).is_empty() && !bloom_contains(&[], 7) && bloom_len(&[]).abs() < 1e-9
        );
    }
}
