//! Turns scores into a match (0 to 1) and a quality, which is compared with the threshold.
//!
//! A score is relative: the best of only wrong candidates can have a high one. The match is
//! the probability that the first candidate is right. A logistic model computes it from the
//! score, its lead over the next file, how many words and hints the score rests on, how many candidates
//! are nearly as good, the code that the rule names, in vain or not, the rule's wording, and the length
//! and kind of the candidate. `benches/anchors/fit.py` fits the model from `anchor-test --explain --json`.

use super::rule_kind::{self, Wording};
use super::weights::QUALITY;

/// The features of a search's first candidate.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Features {
    /// The score, roughly its share of the highest possible score.
    pub(crate) score: f64,
    /// Lead over the best candidate in another file, as a share of the score.
    pub(crate) lead: f64,
    /// The lowest score of the symbols that were read, as a share of the score; 0 if they are fewer.
    pub(crate) rest: f64,
    /// Effective number of words and hints on which the score rests: as many words with equal shares
    /// would be as concentrated.
    pub(crate) n_effective: f64,
    /// Number of names of code in the rule of which no file contains all parts.
    pub(crate) n_unknown_names: usize,
    /// Number of hints, and of those whose text occurs in the candidate.
    pub(crate) n_hints: usize,
    pub(crate) n_found_hints: usize,
    /// Number of names of code in the rule that some file has, and of those that the candidate has as written.
    pub(crate) n_names: usize,
    pub(crate) n_found_names: usize,
    /// Whether the candidate has the name that is alone in back-ticks in the rule.
    pub(crate) is_definition: bool,
    /// Whether the rule opens with a prohibition, or introduces what is not part of it.
    pub(crate) is_without_demand: bool,
    /// Whether either only the rule is about tests, or only the candidate is a test.
    pub(crate) is_test_mismatch: bool,
    pub(crate) n_lines: usize,
    pub(crate) wording: Wording,
    /// Whether a person or an agent said that code shows the rule.
    pub(crate) is_code: bool,
}

/// Limits of the log odds that the rule is working advice.
const PROCESS_LIMITS: (f64, f64) = (-2.0, 4.0);

/// Number of lines from which length counts: a field, a constant or a signature of one line often
/// only declares what the rule wants used.
const SHORT: usize = 10;

/// Number of names of code from which more do not count.
const NAMES: usize = 3;

fn flag(is_set: bool) -> f64 {
    f64::from(u8::from(is_set))
}

/// Returns the probability that the first candidate is right.
pub(crate) fn confidence(features: Features) -> f64 {
    let (least, most) = PROCESS_LIMITS;
    let process = rule_kind::process_logit(&features.wording).clamp(least, most);
    let n_found_names = features.n_found_names.min(NAMES) as f64;
    let logit = QUALITY.first_answer.log_odds(&[
        ("score", features.score),
        ("lead", features.lead),
        // If 50 symbols are nearly as good, the words of the rule occur everywhere.
        ("rest", features.rest),
        // One word matches by chance, ten hardly do. The number of words separates worse, because it
        // grows with the length of the rule: common words match anything, and add little to the score.
        ("effective_words", features.n_effective.max(1.0).ln()),
        ("process", if features.is_code { least } else { process }),
        ("code", flag(features.is_code)),
        // Code that lacks what the rule names is not an example.
        ("unknown_names", features.n_unknown_names.min(2) as f64),
        // "Public fields before private methods" matches the code of a compiler better than its examples.
        ("general", features.wording.general),
        // Long code contains any word.
        ("length", (features.n_lines.max(SHORT) as f64).ln()),
        (
            "missing_hints",
            features.n_hints.saturating_sub(features.n_found_hints) as f64,
        ),
        ("found_hints", features.n_found_hints as f64),
        ("found_names", n_found_names),
        (
            "missing_names",
            features.n_names.min(NAMES) as f64 - n_found_names,
        ),
        ("definition", flag(features.is_definition)),
        ("test_mismatch", flag(features.is_test_mismatch)),
        // No code shows a prohibition.
        ("without_demand", flag(features.is_without_demand)),
    ]);
    1.0 / (1.0 + (-logit).exp())
}

/// Returns how many equal contributions would be as concentrated as these (the inverse of Simpson's
/// index): 2 for two equal ones, little over 1 if one outweighs all others.
pub(crate) fn effective_number(contributions: &[f64]) -> f64 {
    let sum: f64 = contributions.iter().sum();
    let squares: f64 = contributions.iter().map(|it| it * it).sum();
    if squares > 0.0 {
        sum * sum / squares
    } else {
        0.0
    }
}

/// Weights of match, size and recency in the quality.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    pub(crate) match_score: f64,
    pub(crate) size: f64,
    pub(crate) recency: f64,
}

impl Default for Weights {
    /// Match only: size and recency do not separate right candidates from wrong ones (measured).
    fn default() -> Self {
        Self {
            match_score: 1.0,
            size: 0.0,
            recency: 0.0,
        }
    }
}

impl Weights {
    /// Returns the weights of the first version (`weights = "legacy"`).
    pub fn legacy() -> Self {
        Self {
            match_score: 0.6,
            size: 0.2,
            recency: 0.2,
        }
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

    fn base() -> Features {
        let wording = rule_kind::classify("Close the session before the connection").wording;
        Features {
            score: 0.4,
            lead: 0.2,
            rest: 0.5,
            n_effective: 4.0,
            n_unknown_names: 0,
            n_hints: 4,
            n_found_hints: 2,
            n_names: 2,
            n_found_names: 1,
            is_definition: false,
            is_test_mismatch: false,
            is_without_demand: false,
            n_lines: 20,
            wording,
            is_code: false,
        }
    }

    #[test]
    fn confidence_rises_with_evidence() {
        let base = base();
        let check = |more: Features| assert!(confidence(more) > confidence(base), "{more:?}");
        check(Features { score: 0.5, ..base });
        check(Features { lead: 0.4, ..base });
        check(Features {
            n_effective: 6.0,
            ..base
        });
        check(Features {
            n_found_hints: 3,
            ..base
        });
        check(Features {
            n_hints: 5,
            n_found_hints: 3,
            ..base
        });
        check(Features {
            n_found_names: 2,
            ..base
        });
        check(Features {
            is_code: true,
            ..base
        });
        check(Features {
            is_definition: true,
            ..base
        });
    }

    #[test]
    fn confidence_falls_with_counter_evidence() {
        let base = base();
        let check = |worse: Features| assert!(confidence(worse) < confidence(base), "{worse:?}");
        check(Features {
            n_unknown_names: 1,
            ..base
        });
        check(Features {
            n_lines: 200,
            ..base
        });
        check(Features { rest: 0.9, ..base });
        check(Features {
            n_found_hints: 0,
            ..base
        });
        check(Features { n_hints: 5, ..base });
        check(Features {
            is_test_mismatch: true,
            ..base
        });
        check(Features {
            is_without_demand: true,
            ..base
        });
        let wording = rule_kind::classify("Ask for a review before the merge").wording;
        check(Features { wording, ..base });
    }

    #[test]
    fn a_declaration_of_one_line_is_no_better_than_a_short_function() {
        let confidence_of = |n_lines| confidence(Features { n_lines, ..base() });
        assert!((confidence_of(1) - confidence_of(SHORT)).abs() < 1e-12);
        assert!(confidence_of(SHORT + 1) < confidence_of(SHORT));
    }

    #[test]
    fn confidence_ranges_from_near_0_to_near_1() {
        assert!(
            confidence(Features {
                n_effective: 1.0,
                score: 0.0,
                lead: 0.0,
                ..base()
            }) < 0.05
        );
        let words = Features {
            score: 0.8,
            lead: 0.5,
            rest: 0.2,
            n_effective: 10.0,
            ..base()
        };
        let strong = Features {
            n_found_hints: 4,
            is_definition: true,
            ..words
        };
        assert!(confidence(strong) > 0.95);
    }

    #[test]
    fn the_effective_number_ignores_small_contributions() {
        assert!((effective_number(&[0.5, 0.5]) - 2.0).abs() < 1e-12);
        assert!(effective_number(&[1.0, 0.01, 0.01]) < 1.1);
        assert!(effective_number(&[]) < f64::EPSILON);
    }

    #[test]
    fn quality_is_a_weighted_mean() {
        let check = |weights: &Weights, expected: f64| {
            let actual = quality(0.8, 0.5, 0.25, weights);
            assert!((actual - expected).abs() < 1e-12, "{actual}");
        };
        check(&Weights::default(), 0.8);
        check(&Weights::legacy(), 0.63);
        check(
            &Weights {
                match_score: 0.0,
                size: 0.0,
                recency: 0.0,
            },
            0.0,
        );
    }

    #[test]
    fn size_and_recency_decrease() {
        assert_eq!([0, 250, 500, 9_999].map(size), [1.0, 0.5, 0.0, 0.0]);
        assert_eq!(recency(-1.0), 1.0);
        assert!((recency(30.0) - 0.5).abs() < 0.01);
    }
}
