//! Small sketches of sets, made to be kept in a line of text.
//!
//! Token grams: one-permutation MinHash (Li, Owen, Zhang: "One Permutation
//! Hashing", NIPS 2012) with b-bit values (Li, König: "b-Bit Minwise Hashing", WWW
//! 2010): each hash falls into one bin by its high bits, a bin keeps the low byte of
//! its least hash. One pass, whatever the number of bins; a set smaller than the
//! number of bins is kept nearly whole, so that short functions compare as well as
//! long ones. Neighbours' names: a Bloom filter, since what is asked of them is
//! whether one was there.

/// How many bins a sketch of token grams has: the estimate's standard error is at
/// most 0.5 / sqrt(72) = 0.06; a multiple of 3 wastes nothing in base64.
pub(crate) const GRAM_BINS: usize = 72;

/// How many bytes a filter has: 280 bits, so that with [`MAX_IN_FILTER`] names
/// in it 1 stranger of 40 seems to be there, and 1 of 250 with half as many.
pub(crate) const FILTER_BYTES: usize = 35;

/// How many names a filter takes in.
pub(crate) const MAX_IN_FILTER: usize = 32;

/// How many bits a name sets: three are the best for 32 names in 280 bits, within 1 %.
const BITS_A_NAME: u32 = 3;

/// Returns the sketch of a set of well-mixed hashes, one byte a bin, 0 for an empty bin.
pub(crate) fn sketch(hashes: impl IntoIterator<Item = u64>) -> Vec<u8> {
    let mut least = [u64::MAX; GRAM_BINS];
    for hash in hashes {
        // The high half chooses the bin, the low half competes inside it.
        let bin = ((hash >> 32) as usize * GRAM_BINS) >> 32;
        let rank = hash & 0xFFFF_FFFF;
        if rank < least[bin] {
            least[bin] = rank;
        }
    }
    let byte = |rank: u64| {
        if rank == u64::MAX { 0 } else { (rank % 255) as u8 + 1 }
    };
    least.into_iter().map(byte).collect()
}

/// Returns the estimated Jaccard likeness of two sets from sketches of one size.
pub(crate) fn likeness(a: &[u8], b: &[u8]) -> f64 {
    let (mut equal, mut filled) = (0u32, 0u32);
    for (x, y) in a.iter().zip(b) {
        filled += u32::from(x | y != 0);
        equal += u32::from(x == y && *x != 0);
    }
    if filled == 0 { 0.0 } else { f64::from(equal) / f64::from(filled) }
}

/// Returns the share of the smaller set that is in the larger one, from the
/// likeness of the two and their sizes.
pub(crate) fn containment(likeness: f64, n_a: u32, n_b: u32) -> f64 {
    let least = f64::from(n_a.min(n_b));
    if least == 0.0 {
        return 0.0;
    }
    // |A ∩ B| = J · |A ∪ B| and |A ∪ B| = |A| + |B| − |A ∩ B|.
    let shared = likeness * (f64::from(n_a) + f64::from(n_b)) / (1.0 + likeness);
    (shared / least).min(1.0)
}

/// Returns a filter that holds the first [`MAX_IN_FILTER`] of `hashes`; empty for none.
pub(crate) fn filter(hashes: impl IntoIterator<Item = u64>) -> Vec<u8> {
    let mut bits = Vec::new();
    for hash in hashes.into_iter().take(MAX_IN_FILTER) {
        bits.resize(FILTER_BYTES, 0u8);
        for bit in bits_of(hash) {
            bits[bit / 8] |= 1 << (bit % 8);
        }
    }
    bits
}

/// Returns whether a filter holds `hash`, or seems to.
pub(crate) fn holds(filter: &[u8], hash: u64) -> bool {
    let is_set = |bit: usize| filter.get(bit / 8).is_some_and(|byte| byte & (1 << (bit % 8)) != 0);
    bits_of(hash).all(is_set)
}

/// Returns about how many names a filter holds.
pub(crate) fn n_held(filter: &[u8]) -> f64 {
    let n_bits = (FILTER_BYTES * 8) as f64;
    let n_set: u32 = filter.iter().map(|byte| byte.count_ones()).sum();
    let empty = (1.0 - f64::from(n_set) / n_bits).max(1.0 / n_bits);
    -n_bits / f64::from(BITS_A_NAME) * empty.ln()
}

fn bits_of(hash: u64) -> impl Iterator<Item = usize> {
    (0..BITS_A_NAME).map(move |n| ((hash >> (20 * n)) & 0xF_FFFF) as usize % (FILTER_BYTES * 8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use xxhash_rust::xxh3::xxh3_64;

    fn set(range: std::ops::Range<u32>) -> Vec<u64> {
        range.map(|n| xxh3_64(&n.to_le_bytes())).collect()
    }

    fn check(a: std::ops::Range<u32>, b: std::ops::Range<u32>, expected: f64, slack: f64) {
        let found = likeness(&sketch(set(a)), &sketch(set(b)));
        assert!((found - expected).abs() <= slack, "{found} for {expected}");
    }

    #[test]
    fn likeness_estimates_the_shared_part() {
        check(0..1000, 0..1000, 1.0, 0.0);
        check(0..1000, 500..1500, 1.0 / 3.0, 0.15);
        check(0..1000, 2000..3000, 0.0, 0.05);
        check(0..20, 0..20, 1.0, 0.0);
        check(0..20, 5..20, 0.75, 0.15);
    }

    #[test]
    fn nothing_is_like_nothing() {
        let empty = sketch([]);
        assert_eq!(likeness(&empty, &empty), 0.0);
        assert_eq!(containment(0.0, 0, 5), 0.0);
    }

    #[test]
    fn a_part_is_contained_in_the_whole() {
        // 100 of 400: J = 0.25.
        assert!((containment(0.25, 100, 400) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_filter_holds_its_names_and_few_others() {
        let filled = filter(set(0..32));
        assert!(set(0..32).into_iter().all(|hash| holds(&filled, hash)));
        let n_strangers = set(1000..2000).into_iter().filter(|&hash| holds(&filled, hash)).count();
        assert!(n_strangers < 80, "{n_strangers}");
        assert!((n_held(&filled) - 32.0).abs() < 5.0, "{}", n_held(&filled));
        assert!(filter([]).is_empty() && !holds(&[], 7) && n_held(&[]).abs() < 1e-9);
    }
}
