//! What a score is worth: match, 0 to 1, and quality, which the gate asks for.
//!
//! A score alone does not tell a right answer from the best of nothing. A match is
//! the chance that the first answer is right, by a logistic model of three things
//! that every search knows: how much of what the rule could gain it gained, how far
//! it lies ahead of the next file, and how many of the rule's words the code knows.
//! `benches/fit_match.py` fits the model anew from `anchor-test --explain --json`.

/// What a search found out about its first answer.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Evidence {
    /// The first answer's score: about the share gained of what could be gained.
    pub(crate) score: f64,
    /// How far the best answer in another file lies behind, as a share of the score.
    pub(crate) lead: f64,
    /// How many of the rule's words and hints stand anywhere in the code.
    pub(crate) n_known: usize,
}

/// The model: fitted on 385 searches for 145 rules over nine code bases (without hints,
/// with them, with half of them wrong), rounded, and its intercept raised by what a
/// gate of 0.7 could spare: precision over it stays above 0.9. Without the code base
/// judged, a coefficient of the fit moves by a tenth and the log loss by 0.01.
const INTERCEPT: f64 = -8.75;
/// For all that the rule could gain rather than nothing.
const SCORE: f64 = 8.5;
/// For an answer without any other file rather than one level with the next.
const LEAD: f64 = 3.5;
/// For e times as many words: one is met by chance, ten hardly are.
const KNOWN: f64 = 2.75;

/// Returns the chance that the first answer is right.
pub(crate) fn confidence(evidence: Evidence) -> f64 {
    let known = (1.0 + evidence.n_known as f64).ln();
    let logit = INTERCEPT + SCORE * evidence.score + LEAD * evidence.lead + KNOWN * known;
    1.0 / (1.0 + (-logit).exp())
}

/// How much match, size and recency count for quality.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Weights {
    pub(crate) match_score: f64,
    pub(crate) size: f64,
    pub(crate) recency: f64,
}

impl Default for Weights {
    /// The match alone: neither size nor recency tells a right answer from a wrong one.
    fn default() -> Self {
        Self { match_score: 1.0, size: 0.0, recency: 0.0 }
    }
}

impl Weights {
    /// Returns the weights of the tool's first design.
    pub(crate) fn seed() -> Self {
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

/// Returns how readable code of `n_lines` is: nearly 1 for a line, 0 for 500 and more.
pub(crate) fn size(n_lines: usize) -> f64 {
    1.0 - n_lines.min(500) as f64 / 500.0
}

/// Returns how recent a change `days` ago is: half after 30 days.
pub(crate) fn recency(days: f64) -> f64 {
    (-0.023 * days.max(0.0)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_rises_with_each_evidence() {
        let base = Evidence { score: 0.4, lead: 0.2, n_known: 6 };
        let check = |more: Evidence| assert!(confidence(more) > confidence(base), "{more:?}");
        check(Evidence { score: 0.5, ..base });
        check(Evidence { lead: 0.4, ..base });
        check(Evidence { n_known: 9, ..base });
    }

    #[test]
    fn confidence_runs_from_nothing_to_certainty() {
        assert!(confidence(Evidence::default()) < 0.01);
        let full = Evidence { score: 0.8, lead: 0.5, n_known: 12 };
        assert!(confidence(full) > 0.95);
    }

    #[test]
    fn quality_is_a_weighted_mean() {
        let check = |weights: &Weights, expected: f64| {
            let found = quality(0.8, 0.5, 0.25, weights);
            assert!((found - expected).abs() < 1e-12, "{found}");
        };
        check(&Weights::default(), 0.8);
        check(&Weights::seed(), 0.63);
        let nothing = Weights { match_score: 0.0, size: 0.0, recency: 0.0 };
        check(&nothing, 0.0);
    }

    #[test]
    fn size_and_recency_fall() {
        assert_eq!([0, 250, 500, 9_999].map(size), [1.0, 0.5, 0.0, 0.0]);
        assert_eq!(recency(-1.0), 1.0);
        assert!((recency(30.0) - 0.5).abs() < 0.01);
    }
}
