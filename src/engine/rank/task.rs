//! Scores how likely a change needs a rule, when a task and the files of the change are known.
//!
//! Most rules that a change needs hold for any change: what every test, error or comment looks like, and what to run at the
//! end. They have few words in common with the task or the file, so these say little about them; the moment of the work at
//! which a rule matters, its emphasis and its length say more.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::moment::Moment;
use super::{score, tokenize};

// The weights are log-odds, fitted by logistic regression, in a model of the features, on 650 pairs of a rule and one of
// twelve commits of three repositories with their relevant rules (the development set of `benches/route/trial.jsonl`), and
// rounded. Without each of the repositories the signs are the same, except that of WORD, which only one of them supports. What
// the whole file has in common with the words of a rule had no weight.
const CHECKING: f64 = 2.5;
const TESTING: f64 = 0.7;
const EMPHASIS: f64 = 1.2;
/// For a rule from a guide for contributors, most of which is not about code.
const FROM_GUIDE: f64 = -1.5;
/// For each unit of the rarity of a word of the task that the rule has.
const WORD: f64 = 0.2;
/// For e times the length: of two rules, the shorter leaves room for a third.
const LENGTH: f64 = -0.6;

/// For a rule that is declared for a file of the change, by the nearness of its folder: 0.25 to 0.5. The documents of large
/// folders have a hundred rules for all kinds of code, which must not take the place of those for any code.
const DECLARED: f64 = 0.25;

/// The part of what the code has in common with the example of a rule that counts, and the most that counts against it.
const IN_CODE: f64 = 0.5;
const MAX_AGAINST: f64 = 2.0;

/// Of other moments, such as a release.
const OTHER_MOMENT: f64 = -2.0;

/// The number of tokens of the usual rule, and that from which a rule is shortened.
const USUAL_LENGTH: f64 = 30.0;
const MAX_LENGTH: f64 = 60.0;

/// The features of a rule and a change.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TaskFeatures {
    pub(crate) moment: Moment,
    /// Whether its author marked it as important.
    pub(crate) is_emphatic: bool,
    /// Whether it comes from a guide for contributors or users.
    pub(crate) is_from_guide: bool,
    pub(crate) n_tokens: usize,
    /// See [`TaskWords::rarity`].
    pub(crate) words: f64,
    /// The nearness of the place that it is declared for, between 0 and 1.
    pub(crate) declared: Option<f64>,
    /// By how much what its example has in common with a file exceeds the least of a relevant rule; 0 without an example.
    pub(crate) in_code: f64,
}

impl TaskFeatures {
    /// Returns the log-odds that the change needs the rule, up to a constant.
    pub(crate) fn score(&self) -> f64 {
        let moment = match self.moment {
            Moment::Checking => CHECKING,
            Moment::Testing => TESTING,
            Moment::Writing => 0.0,
            Moment::Sharing | Moment::Talking | Moment::SettingUp => OTHER_MOMENT,
        };
        let length = (self.n_tokens as f64).clamp(1.0, MAX_LENGTH) / USUAL_LENGTH;
        moment
            + if self.is_emphatic { EMPHASIS } else { 0.0 }
            + if self.is_from_guide { FROM_GUIDE } else { 0.0 }
            + self.declared.map_or(0.0, |nearness| DECLARED * (1.0 + nearness))
            + WORD * self.words
            + IN_CODE * self.in_code.max(-MAX_AGAINST)
            + LENGTH * length.ln()
    }
}

/// The words of a task with their rarity among the rules.
pub(crate) struct TaskWords {
    rarities: FxHashMap<String, f64>,
}

impl TaskWords {
    /// `rules` has the terms of each rule.
    pub(crate) fn new(task: &str, rules: &[BTreeSet<String>]) -> Self {
        let with_rarity = |term: String| {
            let n_with = rules.iter().filter(|terms| terms.contains(&term)).count();
            let rarity = if n_with == 0 { 0.0 } else { score::idf(n_with, rules.len()) };
            (term, rarity)
        };
        let terms: BTreeSet<String> = tokenize::terms(task).into_iter().collect();
        Self { rarities: terms.into_iter().map(with_rarity).collect() }
    }

    /// Returns the sum of the rarities of the words that a rule has.
    pub(crate) fn rarity(&self, terms: &BTreeSet<String>) -> f64 {
        terms.iter().filter_map(|term| self.rarities.get(term)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: TaskFeatures = TaskFeatures {
        moment: Moment::Writing,
        is_emphatic: false,
        is_from_guide: false,
        n_tokens: 30,
        words: 0.0,
        declared: None,
        in_code: 0.0,
    };

    #[test]
    fn checks_come_before_declared_rules_before_general_ones() {
        let check = TaskFeatures { moment: Moment::Checking, ..RULE };
        let declared = TaskFeatures { declared: Some(0.9), ..RULE };
        let release = TaskFeatures { moment: Moment::Sharing, ..RULE };
        assert!(check.score() > declared.score());
        assert!(declared.score() > RULE.score());
        assert!(RULE.score() > release.score());
    }

    #[test]
    fn each_feature_raises_the_score() {
        for raised in [
            TaskFeatures { moment: Moment::Testing, ..RULE },
            TaskFeatures { is_emphatic: true, ..RULE },
            TaskFeatures { words: 3.0, ..RULE },
            TaskFeatures { in_code: 2.0, ..RULE },
            TaskFeatures { n_tokens: 10, ..RULE },
        ] {
            assert!(raised.score() > RULE.score(), "{raised:?}");
        }
        assert!(TaskFeatures { is_from_guide: true, ..RULE }.score() < RULE.score());
        let other = |in_code| TaskFeatures { in_code, ..RULE }.score();
        assert!(other(-1.0) < RULE.score());
        assert_eq!(other(-3.0), other(-9.0));
        // Longer rules are shortened.
        let long = |n_tokens| TaskFeatures { n_tokens, ..RULE }.score();
        assert_eq!(long(100), long(1000));
    }

    #[test]
    fn rare_words_of_the_task_count_more() {
        let rules: Vec<BTreeSet<String>> = ["lock file", "open file", "close file"]
            .iter()
            .map(|text| tokenize::terms(text).into_iter().collect())
            .collect();
        let words = TaskWords::new("Lock the file and the unicorn", &rules);
        assert!(words.rarity(&rules[0]) > words.rarity(&rules[1]));
        assert!(words.rarity(&rules[1]) > 0.0);
        assert_eq!(words.rarity(&BTreeSet::from(["unicorn".to_owned()])), 0.0);
    }
}
