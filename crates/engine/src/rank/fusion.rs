//! Term weights and rank fusion of the search over memories.

/// The constant k of reciprocal rank fusion: 60, as in Cormack, Clarke and Büttcher,
/// "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods",
/// SIGIR 2009.
const RANK_OFFSET: f64 = 60.0;

/// Returns the term frequency weight of a term that occurs `count` times in a section.
pub fn tf(count: u32) -> f64 {
    1.0 + f64::from(count.max(1)).ln()
}

/// Returns the inverse document frequency of a term in `doc_freq` of `n_docs` sections.
pub fn idf(doc_freq: usize, n_docs: usize) -> f64 {
    (1.0 + n_docs as f64 / doc_freq.max(1) as f64).ln()
}

/// Returns the contribution of a 0-based rank, scaled to 1 for the first.
pub fn reciprocal_rank(rank: usize) -> f64 {
    (RANK_OFFSET + 1.0) / (RANK_OFFSET + 1.0 + rank as f64)
}

/// Boost of recent memories.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recency {
    /// Half-life of the boost in days; 0 disables it.
    pub days: f64,
    /// Factor for a memory of today; 1 has no effect.
    pub factor: f64,
}

impl Default for Recency {
    /// Documented defaults of the configuration: a slight preference for the last week.
    fn default() -> Self {
        Self {
            days: 7.0,
            factor: 1.2,
        }
    }
}

impl Recency {
    /// Returns the factor for a score; dates in the future count as today.
    pub fn boost(self, age_days: f64) -> f64 {
        if self.days > 0.0 && age_days.is_finite() {
            1.0 + (self.factor - 1.0) * (-age_days.max(0.0) / self.days).exp2()
        } else {
            1.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(age_days: f64, expected: f64) {
        let boost = Recency::default().boost(age_days);
        assert!((boost - expected).abs() < 1e-9, "{age_days}: {boost}");
    }

    #[test]
    fn recency_boosts_and_never_lowers() {
        check(0.0, 1.2);
        check(7.0, 1.1);
        check(14.0, 1.05);
        check(15.0, 1.0 + 0.2 * (-15.0_f64 / 7.0).exp2());
        check(1e9, 1.0);
        check(-30.0, 1.2);
        check(f64::NAN, 1.0);
        check(f64::INFINITY, 1.0);
        for days in [0.0, -1.0, f64::NAN] {
            assert_eq!(
                Recency { days, factor: 1.2 }.boost(0.0).to_bits(),
                1.0_f64.to_bits()
            );
        }
    }

    #[test]
    fn first_ranks_weigh_more() {
        assert_eq!(reciprocal_rank(0).to_bits(), 1.0_f64.to_bits());
        assert!(reciprocal_rank(1) > reciprocal_rank(2));
        assert!(idf(1, 10) > idf(5, 10));
        assert!(tf(3) > tf(1));
    }
}
