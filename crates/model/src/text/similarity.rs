//! Similarity of sets, computed from their sizes.

/// Returns the Jaccard similarity of two sets, |A ∩ B| / |A ∪ B|, or `None` if both are empty.
pub fn jaccard(n_shared: usize, n_a: usize, n_b: usize) -> Option<f64> {
    let n_union = n_a + n_b - n_shared;
    (n_union > 0).then(|| n_shared as f64 / n_union as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jaccard_is_the_share_of_common_members() {
        assert_eq!(jaccard(1, 2, 3), Some(0.25));
        assert_eq!(jaccard(2, 2, 2), Some(1.0));
        assert_eq!(jaccard(0, 0, 4), Some(0.0));
        assert_eq!(jaccard(0, 0, 0), None);
    }
}
