//! Turns scores into a match (0 to 1) and a quality, which is compared with the threshold.
//!
//! A score is relative: the best of only wrong candidates can have a high one. The match is
//! the probability that the first candidate is right. A logistic model computes it from three
//! features: the score, its lead over the next file, and the number of the rule's words that
//! occur in the code. `benches/fit_match.py` fits the model from `anchor-test --explain --json`.

use super::rule_kind::Wording;

/// The features of a search's first candidate.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Features {
    /// The score, roughly its share of the highest possible score.
    pub(crate) score: f64,
    /// Lead over the best candidate in another file, as a share of the score.
    pub(crate) lead: f64,
    /// Number of the rule's words and hints that occur in the code.
    pub(crate) n_known: usize,
    /// Number of the rule's words and hints that the candidate contains.
    pub(crate) n_matched: usize,
    /// The candidate's share of the weight of the rule's words, without the hints.
    pub(crate) covered: f64,
    /// The share of the names of code in the rule that the candidate contains.
    pub(crate) named: f64,
    pub(crate) n_names: usize,
    pub(crate) n_unknown_names: usize,
    pub(crate) wording: Wording,
}

/// Intercept of the logistic model. Fitted like the coefficients on 385 searches for 145 rules
/// over nine code bases (without hints, with hints, with half of them wrong) and rounded, then
/// raised as far as precision above the threshold 0.7 stays over 0.9. In cross-validation over
/// code bases, coefficients change by a tenth and the log loss by 0.01.
const INTERCEPT: f64 = -8.75;
/// Coefficient of the score.
const SCORE: f64 = 8.5;
/// Coefficient of the lead.
const LEAD: f64 = 3.5;
/// Coefficient of ln(1 + number of known words): one word matches by chance, ten hardly do.
const KNOWN: f64 = 2.75;

/// Returns the probability that the first candidate is right.
pub(crate) fn confidence(features: Features) -> f64 {
    let known = (1.0 + features.n_known as f64).ln();
    let logit = INTERCEPT + SCORE * features.score + LEAD * features.lead + KNOWN * known;
    1.0 / (1.0 + (-logit).exp())
}

/// Weights of match, size and recency in the quality.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Weights {
    pub(crate) match_score: f64,
    pub(crate) size: f64,
    pub(crate) recency: f64,
}

impl Default for Weights {
    /// Match only: size and recency do not separate right candidates from wrong ones (measured).
    fn default() -> Self {
        Self { match_score: 1.0, size: 0.0, recency: 0.0 }
    }
}

impl Weights {
    /// Returns the weights of the first version (`weights = "legacy"`).
    pub(crate) fn legacy() -> Self {
        Self { match_score: 0.6, size: 0.2, recency: 0.2 }
    }
}

/// Returns the weighted mean of match, size and recency; weights need not sum to 1.
pub(crate) fn quality(match_score: f64, size: f64, recency: f64, weights: &Weights) -> f64 {
    let total = weights.match_score + weights.size + weights.recency;
    if total <= 0.0 {
        return 0.0;
    }
    (weights.match_score * match_score + weights.size * size + weights.recency * recency) / total
}

/// Length in lines from which the size score is 0 (from the first version's formula, like
/// the decay below).
const MAX_LINES: usize = 500;

/// Returns the size score: nearly 1 for one line, 0 from [`MAX_LINES`] on.
pub(crate) fn size(n_lines: usize) -> f64 {
    1.0 - n_lines.min(MAX_LINES) as f64 / MAX_LINES as f64
}

/// Decay rate per day: ln(2) / 30, rounded, for a half-life of 30 days.
const DECAY_PER_DAY: f64 = 0.023;

/// Returns the recency score of a change `days` ago: 1 for today, 0.5 after 30 days.
pub(crate) fn recency(days: f64) -> f64 {
    (-DECAY_PER_DAY * days.max(0.0)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_rises_with_each_feature() {
        let base = Features { score: 0.4, lead: 0.2, n_known: 6 };
        let check = |more: Features| assert!(confidence(more) > confidence(base), "{more:?}");
        check(Features { score: 0.5, ..base });
        check(Features { lead: 0.4, ..base });
        check(Features { n_known: 9, ..base });
    }

    #[test]
    fn confidence_ranges_from_near_0_to_near_1() {
        assert!(confidence(Features::default()) < 0.01);
        let full = Features { score: 0.8, lead: 0.5, n_known: 12 };
        assert!(confidence(full) > 0.95);
    }

    #[test]
    fn quality_is_a_weighted_mean() {
        let check = |weights: &Weights, expected: f64| {
            let actual = quality(0.8, 0.5, 0.25, weights);
            assert!((actual - expected).abs() < 1e-12, "{actual}");
        };
        check(&Weights::default(), 0.8);
        check(&Weights::legacy(), 0.63);
        check(&Weights { match_score: 0.0, size: 0.0, recency: 0.0 }, 0.0);
    }

    #[test]
    fn size_and_recency_decrease() {
        assert_eq!([0, 250, 500, 9_999].map(size), [1.0, 0.5, 0.0, 0.0]);
        assert_eq!(recency(-1.0), 1.0);
        assert!((recency(30.0) - 0.5).abs() < 0.01);
    }
}
