//! Decides from the wording of a rule and its headings at which moment of the work it matters.
//!
//! Whoever starts a task needs the rules about writing and testing code and about the checks at the end, not those about
//! releases, reviews, the tone of an answer, or how to set up a machine. The code that a rule shares words with does not tell
//! them apart: "Keep commit messages brief" has the words of many files.

use std::collections::BTreeSet;

use cerberus_model::WordList;

use super::named_code::{self, SpanKind};
use super::word_lists::{
    CHECK_NOUNS, CHECK_TIMES, CHECK_VERBS, GENERATED_PHRASES, SETUP_HEADINGS, SETUP_WORDS,
    SHARING_HEADINGS, SHARING_WORDS, TALKING_HEADINGS, TALKING_WORDS, TEST_TERMS,
};
use super::{rule_kind, tokenize};

/// The moment of the work at which a rule matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// While code is written; this is assumed of a rule without other cues.
    Writing,
    /// While tests are written.
    Testing,
    /// Before the work is handed over: tests, linters and formatters to run.
    Checking,
    /// Commits, pull requests, reviews, issues and releases.
    Sharing,
    /// Plans, questions and answers.
    Talking,
    /// Installing, running and debugging the project.
    SettingUp,
}

impl Moment {
    /// Whether every change to the code comes to this moment.
    pub fn is_of_every_change(self) -> bool {
        matches!(self, Self::Writing | Self::Testing | Self::Checking)
    }
}

/// Number of cues that decide. A heading with a cue counts as this many: it is about the whole section.
const MIN_CUES: usize = 2;

/// Number of bytes in which a rule says what to run. What comes later is an explanation.
const MAX_DEMAND_LEN: usize = 240;

/// Returns the moment at which a rule matters. `heading` has the headings above it.
pub fn moment(text: &str, heading: Option<&str>) -> Moment {
    by_cues(text, heading, MIN_CUES)
}

/// Returns the moment that a task is about. It is short: one word decides.
pub fn moment_of_task(text: &str) -> Moment {
    by_cues(text, None, 1)
}

fn by_cues(text: &str, heading: Option<&str>, min_cues: usize) -> Moment {
    let spans = named_code::spans(text);
    let prose = rule_kind::prose(text, &spans);
    let words: Vec<&str> = rule_kind::words(&prose).collect();
    let heading = heading.unwrap_or_default().to_lowercase();
    let in_text = |list: &WordList| {
        words
            .iter()
            .filter(|word| list.contains(word))
            .collect::<BTreeSet<_>>()
            .len()
    };
    let cues = |list: &WordList, headings: &WordList| {
        let is_heading = rule_kind::words(&heading).any(|word| headings.contains(word));
        in_text(list) + if is_heading { MIN_CUES } else { 0 }
    };
    let sharing = cues(&SHARING_WORDS, &SHARING_HEADINGS);
    let talking = cues(&TALKING_WORDS, &TALKING_HEADINGS);
    let setup = cues(&SETUP_WORDS, &SETUP_HEADINGS);
    let demand: Vec<&str> = (words.iter().copied())
        .filter(|word| word.as_ptr() as usize - (prose.as_ptr() as usize) < MAX_DEMAND_LEN)
        .collect();
    let demands = |list: &WordList| demand.iter().any(|word| list.contains(word));
    let names_command = (spans.iter())
        .any(|span| span.kind == SpanKind::Command && span.range.start < MAX_DEMAND_LEN);
    let is_check = demands(&CHECK_VERBS)
        && demands(&CHECK_TIMES)
        && (names_command || demands(&CHECK_NOUNS))
        && talking + setup <= MIN_CUES
        && in_text(&SHARING_WORDS) < MIN_CUES;
    if is_check {
        return Moment::Checking;
    }
    let names_path = spans.iter().any(|span| span.kind == SpanKind::Path);
    if names_path && GENERATED_PHRASES.first_in(&prose).is_some() {
        return Moment::Writing;
    }
    let most = sharing.max(talking).max(setup);
    if most >= min_cues {
        return match most {
            most if most == sharing => Moment::Sharing,
            most if most == talking => Moment::Talking,
            _ => Moment::SettingUp,
        };
    }
    let terms = tokenize::terms(text)
        .into_iter()
        .chain(tokenize::terms(&heading));
    let is_about_tests = terms.into_iter().any(|term| TEST_TERMS.contains(&term));
    if is_about_tests {
        Moment::Testing
    } else {
        Moment::Writing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(heading: &str, text: &str, expected: Moment) {
        assert_eq!(
            moment(text, Some(heading).filter(|it| !it.is_empty())),
            expected,
            "{heading}: {text}"
        );
    }

    #[test]
    fn a_rule_without_cues_is_about_writing() {
        check("", "Wrap errors with the name of the file", Moment::Writing);
        check(
            "Style",
            "Do not use `unwrap` in library code",
            Moment::Writing,
        );
        check(
            "",
            "Release the lock before the callback runs",
            Moment::Writing,
        );
        check(
            "Errors",
            "Merge the two maps before the sort",
            Moment::Writing,
        );
    }

    #[test]
    fn what_to_run_before_the_end_is_a_check() {
        check(
            "",
            "Always run `cargo clippy` before committing",
            Moment::Checking,
        );
        check(
            "",
            "All tests must pass before you hand the work over",
            Moment::Checking,
        );
        check("Git", "ALWAYS run the linter before PRs", Moment::Checking);
        check("", "Run `make lint` after making changes", Moment::Checking);
    }

    #[test]
    fn rules_about_tests_are_of_every_change() {
        check("Testing", "Prefer table-driven cases", Moment::Testing);
        check("", "Each feature needs tests", Moment::Testing);
        assert!(Moment::Testing.is_of_every_change());
    }

    #[test]
    fn rules_about_other_work_are_told_by_their_heading_or_words() {
        check("Releases", "Tags start with a v", Moment::Sharing);
        check("", "Ask a maintainer to label the issue", Moment::Sharing);
        check(
            "Forms",
            "Every input has a label and a title",
            Moment::Writing,
        );
        check(
            "",
            "Log the request of the user and the response",
            Moment::Writing,
        );
        check("Pull requests", "One topic each", Moment::Sharing);
        check("Tone and style", "Use short sentences", Moment::Talking);
        check(
            "",
            "Ask the user before you explain a plan",
            Moment::Talking,
        );
        check("Prerequisites", "A compiler with C++20", Moment::SettingUp);
        check(
            "PRs",
            "Do not edit `docs/api/**`: a bot generates it in a PR",
            Moment::Writing,
        );
        assert_eq!(
            moment_of_task("Write the notes of the release"),
            Moment::Sharing
        );
        assert_eq!(moment_of_task("Close the file"), Moment::Writing);
        assert!(!Moment::SettingUp.is_of_every_change());
    }
}
