//! Scores whether an edit is about a rule, so that its author should be reminded of it now.
//!
//! Rules that hold for any change come at the start of a session and with a task. In the middle of the work, a rule that the
//! added lines have nothing to do with distracts.

use super::relevance;

// The weights are log-odds, fitted by logistic regression to 97,000 pairs of a rule and a hunk of one of 128 commits of 32
// repositories, with the rules that each commit is about (`benches/route/edits.jsonl`), and rounded. Without the repositories
// of each of five parts they are similar, NAMED_CODE from 1.5 to 1.9, CODE_WORDS from 0.9 to 1.1 and MENTION from 1.7 to 3.4.
const IN_CODE: f64 = 0.3;
const NAMED_CODE: f64 = 1.8;
/// For e times as many words of the rule's code in the added lines.
const CODE_WORDS: f64 = 1.1;
const MENTION: f64 = 3.0;
const FROM_GUIDE: f64 = -1.0;
const PROCESS: f64 = -1.6;
const IN_TEST: f64 = -0.5;
const ABOUT_TESTS: f64 = -1.1;
const BIAS: f64 = -2.0;

/// An example that is similar enough to the added lines suffices. Set by hand, so that of the symbols of the anchor benchmark that show a
/// rule, which are edits of small banks with right examples, most still get it.
const EXAMPLE: f64 = 0.6;
const EXAMPLE_BIAS: f64 = -0.8;

/// For e times as many rules. An edit is about as many rules of a large bank as of a small one; that would be -1, but
/// half of it fits as well and gives fewer wrong ones.
const N_RULES: f64 = -0.5;
const PRIOR_RULES: f64 = 5.0;

/// An edit is hardly about a rule that scores less: of those above, it is about 0.55, and 0.15 more are rules that hold for
/// it as for any change.
pub(crate) const MIN_SCORE: f64 = -0.75;

/// The least shares of the words of a rule and of the identifiers of its example in the added lines. Of 47 examples that were
/// given without a limit, 25 were under a rule for the edit and 14 useful by reading; with it, 17 and 12 of 21.
const MIN_WORDS: f64 = 0.25;
const MIN_NAMES: f64 = 0.1;

/// A smaller share of the identifiers of an example is chance. Costs none of the pairs of `benches/anchors`.
const ANY_NAMES: f64 = 0.02;

/// The features of a rule and an edit.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct EditFeatures {
    /// What the rule has in common with the file and its added lines.
    pub(crate) code: relevance::Features,
    /// The least score of `code` of a relevant rule.
    pub(crate) floor: f64,
    /// Whether the rule mentions the file.
    pub(crate) is_mentioned: bool,
    /// Whether the example of the rule is in the file, so that their similarity says nothing.
    pub(crate) has_example: bool,
    /// Whether the rule comes from a guide for contributors or users.
    pub(crate) is_from_guide: bool,
    /// Whether the rule is working advice.
    pub(crate) is_process: bool,
    /// Whether the file is a test.
    pub(crate) is_test: bool,
    /// Whether the rule is about tests.
    pub(crate) is_about_tests: bool,
    /// The number of rules that are declared for the file, or of those that are not declared for any.
    pub(crate) n_rules: usize,
}

impl EditFeatures {
    /// Returns the log-odds that the edit is about the rule.
    pub(crate) fn score(&self) -> f64 {
        if !self.is_mentioned && !self.has_any_word() {
            return f64::NEG_INFINITY;
        }
        let text = self.score_of_text();
        let is_compared =
            self.code.example.is_some() && (!self.has_example || self.has_words_of_example());
        let best = if is_compared { text.max(self.score_of_example()) } else { text };
        best + N_RULES * (self.n_rules as f64 + PRIOR_RULES).ln()
    }

    /// Returns whether the example is worth its room: it is similar to the code, and the added lines have code that the rule
    /// names, or words of both the rule and the example.
    pub(crate) fn shows_example(&self) -> bool {
        let change = self.code.change.unwrap_or_default();
        let has_code = change.n_code_words > 0 && change.named_code > 0.0;
        self.code.score() - self.floor >= relevance::LIKELY
            && (has_code || self.has_words_of_example())
    }

    /// Returns whether the added lines have anything of the rule or its example: however similar the file is, an edit is not
    /// about a rule otherwise.
    fn has_any_word(&self) -> bool {
        let change = self.code.change.unwrap_or_default();
        change.words > 0.0
            || change.n_code_words > 0
            || change.named_code > 0.0
            || change.names.unwrap_or_default() >= ANY_NAMES
    }

    fn has_words_of_example(&self) -> bool {
        let change = self.code.change.unwrap_or_default();
        change.words >= MIN_WORDS && change.names.unwrap_or_default() >= MIN_NAMES
    }

    fn score_of_text(&self) -> f64 {
        let change = self.code.change.unwrap_or_default();
        let code = self.code.score();
        let code = if self.has_example { code.min(self.floor) } else { code };
        BIAS + IN_CODE * code
            + NAMED_CODE * change.named_code
            + CODE_WORDS * (change.n_code_words as f64).ln_1p()
            + flag(self.is_mentioned, MENTION)
            + flag(self.is_from_guide, FROM_GUIDE)
            + flag(self.is_process, PROCESS)
            + flag(self.is_test, IN_TEST)
            + flag(self.is_about_tests && !self.is_test, ABOUT_TESTS)
    }

    fn score_of_example(&self) -> f64 {
        EXAMPLE_BIAS + EXAMPLE * (self.code.score() - self.floor)
    }
}

fn flag(is_set: bool, weight: f64) -> f64 {
    if is_set { weight } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::relevance::{ChangeFeatures, ExampleFeatures, Features};
    use super::*;

    fn features(named_code: f64, n_code_words: usize) -> EditFeatures {
        let change = ChangeFeatures { words: 0.2, named_code, n_code_words, names: None };
        let code = Features { words: 0.3, change: Some(change), ..Features::default() };
        EditFeatures { code, floor: 4.0, n_rules: 100, ..EditFeatures::default() }
    }

    #[test]
    fn code_of_the_rule_in_the_added_lines_raises_the_score() {
        let none = features(0.0, 0);
        assert!(none.score() < MIN_SCORE);
        assert!(features(0.0, 2).score() > none.score());
        assert!(features(1.0, 2).score() > features(0.0, 2).score());
        assert!(features(1.0, 3).score() > MIN_SCORE);
        assert!(EditFeatures { is_mentioned: true, ..features(0.0, 1) }.score() > MIN_SCORE);
    }

    #[test]
    fn working_advice_and_rules_about_tests_need_more() {
        let rule = features(1.0, 2);
        for lower in [
            EditFeatures { is_from_guide: true, ..rule },
            EditFeatures { is_process: true, ..rule },
            EditFeatures { is_test: true, ..rule },
            EditFeatures { is_about_tests: true, ..rule },
        ] {
            assert!(lower.score() < rule.score(), "{lower:?}");
        }
        let in_test = EditFeatures { is_test: true, ..rule };
        let about_tests = EditFeatures { is_about_tests: true, ..in_test };
        assert_eq!(in_test.score(), about_tests.score());
    }

    #[test]
    fn a_similar_example_suffices() {
        let change = ChangeFeatures { words: 0.5, names: Some(0.8), ..ChangeFeatures::default() };
        let example = ExampleFeatures {
            names: 0.8,
            terms: 0.5,
            imports: 0.5,
            nearness: 1.0,
            file_name: 0.5,
            is_same_class: true,
        };
        let code = Features {
            words: 0.5,
            prominence: 1.0,
            example: Some(example),
            change: Some(change),
            ..Features::default()
        };
        let rule = EditFeatures { code, floor: 5.0, n_rules: 20, ..EditFeatures::default() };
        let unknown = EditFeatures { code: Features { example: None, ..code }, ..rule };
        assert!(rule.score() > MIN_SCORE && unknown.score() < rule.score());
        assert!(rule.shows_example());
        let elsewhere = ChangeFeatures { words: 0.1, ..change };
        let elsewhere = Features { change: Some(elsewhere), ..code };
        assert!(!EditFeatures { code: elsewhere, ..rule }.shows_example());
        let named = ChangeFeatures { named_code: 0.5, n_code_words: 1, names: None, ..change };
        let named = Features { change: Some(named), ..code };
        assert!(EditFeatures { code: named, ..rule }.shows_example());
        let nothing = Features { change: Some(ChangeFeatures::default()), ..code };
        assert!(EditFeatures { code: nothing, floor: 0.0, ..rule }.score() < MIN_SCORE);
        let in_file = EditFeatures { code: elsewhere, has_example: true, ..rule };
        assert!(in_file.score() < MIN_SCORE, "the file alone is similar");
        assert!(EditFeatures { has_example: true, ..rule }.score() > MIN_SCORE);
        let advice = EditFeatures { is_process: true, ..rule };
        assert_eq!(advice.score(), rule.score(), "code that shows a rule is better evidence");
    }

    #[test]
    fn a_rule_of_few_needs_less() {
        let of = |n_rules| EditFeatures { n_rules, ..features(0.0, 1) }.score();
        assert!(of(3) > of(30) && of(30) > of(300));
    }
}
