//! Scores whether a rule holds in a file, from what the file has in common with the words of the
//! rule and with the code that shows the rule.

use std::collections::BTreeSet;

use super::tokenize;

// The weights are log-odds, fitted by conditional logistic regression on 900 pairs of a rule and a
// second file that shows it, in 24 repositories; each rule has the same weight. With weights fitted
// on the other repositories, the rule is first among about 14 in 0.59 of the 44 pairs of the anchor
// benchmark and among the first three in 0.89. Without the rules that show the file too, these are
// 0.61 and 0.86 for rules imported from instruction files, which are longer and more similar; without
// named code, imports, names and classes of files 0.54 and 0.84.
const WORDS: f64 = 1.57;
const PROMINENCE: f64 = 0.35;
const NAMED_CODE: f64 = 1.6;
const NAMES: f64 = 1.64;
const TERMS: f64 = 6.4;
const IMPORTS: f64 = 2.07;
const NEARNESS: f64 = 1.4;
const FILE_NAME: f64 = 1.09;
const SAME_CLASS: f64 = 1.32;

/// For the share of the hints of a rule that the file contains as they are written. Set by hand: of the 44 pairs of the anchor benchmark
/// with hints, the rule is first in 0.73 instead of 0.61; 2 and 3 are equal.
const HINTS: f64 = 2.5;

/// The mean of that share, so that rules without hints are neither better nor worse.
const USUAL_HINTS: f64 = 0.3;

// What is about to be written, or was changed, says more than the rest of its file. Fitted in the same way to 950 pairs of
// a rule and another symbol that shows it, taken as the changed lines. With weights fitted on the other repositories, the
// rule is first in 0.69 of the 49 pairs of the anchor benchmark and among the first three in 0.94 (0.59 and 0.90 by the
// file alone); of the other repositories in 0.53 and 0.83 (0.49 and 0.81). With four lines of the symbol the file weighs
// 0.4, with all of it 0.2; the difference in rank is small.
const FILE_OF_CHANGE: f64 = 0.4;
const CHANGED_WORDS: f64 = 4.5;
const CHANGED_NAMED_CODE: f64 = 1.2;
const CHANGED_NAMES: f64 = 6.0;

/// Makes the mean score the same with and without changed lines.
const CHANGE_BIAS: f64 = 1.2;

/// The contribution of the names of the example for a rule without one: the mean of rules that the changed lines do
/// not show.
const CHANGED_NO_EXAMPLE: f64 = 0.4;

/// The contribution of the example for a rule without one: the mean of rules that the file does not
/// show. Without a common word either, nothing says that the rule holds.
const NO_EXAMPLE: f64 = 2.95;

/// The prominence, in standard deviations, is cut at these values: few files and few words make it
/// unreliable.
const MIN_PROMINENCE: f64 = -1.0;
const MAX_PROMINENCE: f64 = 5.0;

/// A rule that scores less is not relevant in any bank: 0.98 of the pairs score more.
const MIN_SCORE: f64 = 2.2;

/// The mean score of all rules of the benchmark, and the number of rules that it counts as, so that
/// in a small bank with relevant rules only, they are not compared only with each other.
const PRIOR_MEAN: f64 = 4.0;
const PRIOR_RULES: f64 = 5.0;

/// By how much the score of a rule exceeds the floor if the file is likely to show it: 24 of the 34 rules of which this holds
/// for another file of the anchor benchmark, which 44 of 563 show.
pub(crate) const LIKELY: f64 = 2.5;

/// What a rule and a file have in common. All but the prominence are between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Features {
    /// The share of the words of the rule that the file contains, weighted by rarity.
    pub(crate) words: f64,
    /// By how many standard deviations the words are more frequent in the file than in the mean
    /// file: words that every file has say nothing.
    pub(crate) prominence: f64,
    /// The share of the code that the rule names which the file contains.
    pub(crate) named_code: f64,
    /// The share of the hints of the rule that the file contains, if there are any.
    pub(crate) hints: Option<f64>,
    pub(crate) example: Option<ExampleFeatures>,
    /// What it has in common with the changed lines of the file, if they are known.
    pub(crate) change: Option<ChangeFeatures>,
}

/// What a rule and changed lines have in common.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct ChangeFeatures {
    /// The shares of the words and of the named code of the rule, as those of a file.
    pub(crate) words: f64,
    pub(crate) named_code: f64,
    /// The number of words in the code of the rule that the lines contain.
    pub(crate) n_code_words: usize,
    /// The share of the identifiers of the example, if there is one.
    pub(crate) names: Option<f64>,
}

impl ChangeFeatures {
    fn score(&self) -> f64 {
        CHANGED_WORDS * self.words
            + CHANGED_NAMED_CODE * self.named_code
            + self.names.map_or(CHANGED_NO_EXAMPLE, |names| CHANGED_NAMES * names)
    }
}

/// What the example of a rule and a file have in common.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct ExampleFeatures {
    /// The share of the identifiers of the example that the file contains, weighted by rarity.
    pub(crate) names: f64,
    /// The cosine of the terms of the example's file and the file.
    pub(crate) terms: f64,
    /// The share of the names that the example's file imports which the file imports too, weighted
    /// by rarity.
    pub(crate) imports: f64,
    /// See [`nearness`].
    pub(crate) nearness: f64,
    /// See [`file_name_similarity`].
    pub(crate) file_name: f64,
    /// Whether both files are tests or neither is one.
    pub(crate) is_same_class: bool,
}

impl Features {
    /// Returns the log-odds, up to a constant, that the rule holds in the file, or in its changed lines.
    pub(crate) fn score(&self) -> f64 {
        match &self.change {
            Some(change) => CHANGE_BIAS + FILE_OF_CHANGE * self.file_score() + change.score(),
            None => self.file_score(),
        }
    }

    fn file_score(&self) -> f64 {
        let [words, named_code, hints, example @ ..] = self.contributions();
        let has_words = self.words > 0.0 || self.named_code > 0.0;
        words
            + named_code
            + hints
            + match self.example {
                Some(_) => example.iter().sum(),
                None if has_words => NO_EXAMPLE,
                None => 0.0,
            }
    }

    /// Returns what contributes most to the score.
    pub(crate) fn reason(&self) -> &'static str {
        if let Some(change) = &self.change
            && change.score() - CHANGED_NO_EXAMPLE > FILE_OF_CHANGE * self.file_score()
        {
            return "the changed lines are about it";
        }
        const REASONS: [&str; 7] = [
            "it has the words of the rule",
            "it has the code that the rule names",
            "it has the hints of the rule",
            "it uses the identifiers of the example",
            "it is similar to the file of the example",
            "it imports what the file of the example imports",
            "it is near the example",
        ];
        let contributions = self.contributions().into_iter().zip(REASONS);
        let most = contributions.max_by(|(a, _), (b, _)| a.total_cmp(b));
        most.map_or("", |(_, reason)| reason)
    }

    fn contributions(&self) -> [f64; 7] {
        let prominence = self.prominence.clamp(MIN_PROMINENCE, MAX_PROMINENCE);
        let example = self.example.unwrap_or_default();
        let same_class = f64::from(u8::from(example.is_same_class));
        [
            WORDS * self.words + PROMINENCE * prominence,
            NAMED_CODE * self.named_code,
            self.hints.map_or(0.0, |share| HINTS * (share - USUAL_HINTS)),
            NAMES * example.names,
            TERMS * example.terms,
            IMPORTS * example.imports,
            NEARNESS * example.nearness + FILE_NAME * example.file_name + SAME_CLASS * same_class,
        ]
    }
}

/// Returns the least score of a relevant rule, the mean of all rules of the bank: what they have in
/// common with a file is the style of the project. On the pairs above, a third of the rules remain,
/// and 0.07 of the right ones are lost.
pub(crate) fn floor(scores: &[f64]) -> f64 {
    let sum: f64 = scores.iter().sum();
    let mean = (sum + PRIOR_MEAN * PRIOR_RULES) / (scores.len() as f64 + PRIOR_RULES);
    mean.max(MIN_SCORE)
}

/// Returns the weighted mean of values, given as weights and values.
pub(crate) fn share(values: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (sum, total) = values
        .fold((0.0, 0.0), |(sum, total), (weight, value)| (sum + weight * value, total + weight));
    if total > 0.0 { sum / total } else { 0.0 }
}

/// Returns how near two files are in the tree: 1 in the same folder, less the fewer folders contain
/// both. All files are in the root, which counts half.
pub(crate) fn nearness(a: &str, b: &str) -> f64 {
    let folders = |path: &'_ str| path.split('/').count() - 1;
    let pairs = a.split('/').zip(b.split('/'));
    let n_same = pairs.take_while(|(a, b)| a == b).count();
    let n_shared = n_same.min(folders(a)).min(folders(b));
    (2 * n_shared + 1) as f64 / (folders(a) + folders(b) + 1) as f64
}

/// Returns the share of the words in the names of two files that both have: `user_view.py` and
/// `OrderView.ts` have one of three.
pub(crate) fn file_name_similarity(a: &str, b: &str) -> f64 {
    let words = |path: &str| -> BTreeSet<String> {
        let name = path.rsplit('/').next().unwrap_or_default();
        tokenize::terms(name.split('.').next().unwrap_or_default()).into_iter().collect()
    };
    let (a, b) = (words(a), words(b));
    a.intersection(&b).count() as f64 / a.union(&b).count().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearness_is_the_share_of_common_folders() {
        for (a, b, expected) in [
            ("a.py", "b.py", 1.0),
            ("x/a.py", "x/b.py", 1.0),
            ("x/a.py", "y/b.py", 1.0 / 3.0),
            ("x/y/a.py", "x/a.py", 0.75),
            ("x/y/a.py", "b.py", 1.0 / 3.0),
            ("x/a.py", "x", 0.5),
            ("", "", 1.0),
        ] {
            assert!((nearness(a, b) - expected).abs() < 1e-9, "{a} {b}: {}", nearness(a, b));
            assert!((nearness(b, a) - expected).abs() < 1e-9, "{b} {a}");
        }
    }

    #[test]
    fn file_names_are_compared_by_their_words() {
        for (a, b, expected) in [
            ("x/user_view.py", "y/OrderView.ts", 1.0 / 3.0),
            ("x/views.py", "y/views.test.ts", 1.0),
            ("x/a", "", 0.0),
        ] {
            assert!((file_name_similarity(a, b) - expected).abs() < 1e-9, "{a} {b}");
        }
    }

    #[test]
    fn each_feature_raises_the_score() {
        let example = ExampleFeatures {
            names: 0.3,
            terms: 0.2,
            imports: 0.1,
            nearness: 0.5,
            file_name: 0.2,
            is_same_class: false,
        };
        let base =
            Features { words: 0.2, prominence: 0.5, example: Some(example), ..Features::default() };
        let with = |example| Features { example: Some(example), ..base };
        for raised in [
            Features { words: 0.4, ..base },
            Features { prominence: 1.0, ..base },
            Features { named_code: 1.0, ..base },
            Features { hints: Some(0.5), ..base },
            with(ExampleFeatures { names: 0.5, ..example }),
            with(ExampleFeatures { terms: 0.4, ..example }),
            with(ExampleFeatures { imports: 0.3, ..example }),
            with(ExampleFeatures { nearness: 0.9, ..example }),
            with(ExampleFeatures { file_name: 0.5, ..example }),
            with(ExampleFeatures { is_same_class: true, ..example }),
        ] {
            assert!(raised.score() > base.score(), "{raised:?}");
        }
        assert!(Features { hints: Some(0.0), ..base }.score() < base.score());
        let unusual = Features { prominence: 1e9, ..base };
        assert_eq!(unusual.score(), Features { prominence: MAX_PROMINENCE, ..base }.score());
    }

    #[test]
    fn a_rule_without_an_example_is_between_similar_and_different_ones() {
        let none = Features { words: 0.5, prominence: 1.0, ..Features::default() };
        let with = |names, terms, nearness| Features {
            example: Some(ExampleFeatures { names, terms, nearness, ..ExampleFeatures::default() }),
            ..none
        };
        assert!(with(0.0, 0.0, 0.3).score() < none.score());
        assert!(none.score() < with(0.6, 0.3, 0.8).score());
    }

    #[test]
    fn changed_lines_weigh_more_than_their_file() {
        let file = Features { words: 0.4, prominence: 1.0, ..Features::default() };
        let changed = |words, named_code, names| {
            let change = ChangeFeatures { words, named_code, names, ..ChangeFeatures::default() };
            Features { change: Some(change), ..file }
        };
        let base = changed(0.1, 0.0, Some(0.1));
        for raised in [
            changed(0.2, 0.0, Some(0.1)),
            changed(0.1, 0.5, Some(0.1)),
            changed(0.1, 0.0, Some(0.2)),
            Features { words: 0.9, ..base },
        ] {
            assert!(raised.score() > base.score(), "{raised:?}");
        }
        let other_file = Features { words: 0.9, ..changed(0.1, 0.0, None) };
        assert!(changed(0.5, 0.0, None).score() > other_file.score());
        assert_eq!(changed(0.5, 0.0, None).reason(), "the changed lines are about it");
        assert_eq!(changed(0.0, 0.0, None).reason(), file.reason());
        let nothing = Features { change: Some(ChangeFeatures::default()), ..Features::default() };
        assert!(nothing.score() < MIN_SCORE);
    }

    #[test]
    fn the_reason_is_the_largest_contribution() {
        let example = ExampleFeatures { names: 1.0, terms: 0.1, ..ExampleFeatures::default() };
        let features = Features { words: 0.1, example: Some(example), ..Features::default() };
        assert_eq!(features.reason(), "it uses the identifiers of the example");
        let words = Features { words: 1.0, prominence: 3.0, ..Features::default() };
        assert_eq!(words.reason(), "it has the words of the rule");
    }

    #[test]
    fn the_floor_of_a_small_bank_is_near_the_usual_mean() {
        let usual = floor(&[]);
        assert!((usual - PRIOR_MEAN).abs() < 1e-9);
        assert!(floor(&[9.0]) < 9.0 && floor(&[0.0]) > 0.0);
        assert!((floor(&[5.0; 1000]) - 5.0).abs() < 0.05);
        assert_eq!(floor(&[0.0; 1000]), MIN_SCORE, "no rule of a bank is relevant");
        assert!(Features::default().score() < MIN_SCORE);
    }

    #[test]
    fn a_share_without_weights_is_zero() {
        assert_eq!(share(std::iter::empty()), 0.0);
        assert_eq!(share([(1.0, 1.0), (3.0, 0.0)].into_iter()), 0.25);
    }
}
