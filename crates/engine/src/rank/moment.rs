//! Decides from the wording of a rule and its headings at which moment of the work it matters.
//!
//! Whoever starts a task needs the rules about writing and testing code and about the checks at the end, not those about
//! releases, reviews, the tone of an answer, or how to set up a machine. The code that a rule shares words with does not tell
//! them apart: "Keep commit messages brief" has the words of many files.

use std::collections::BTreeSet;

use cerberus_model::WordList;
use cerberus_prose::lists::{
    CHECK_NOUNS, CHECK_TIMES, CHECK_VERBS, GENERATED_PHRASES, SETUP_HEADINGS, SETUP_WORDS,
    SHARING_HEADINGS, SHARING_WORDS, TALKING_HEADINGS, TALKING_WORDS, TEST_TERMS,
};
use cerberus_prose::words;
use serde::{Deserialize, Serialize};

use super::named_code::{self, SpanKind};
use super::tokenize;

/// The moment of the work at which a rule matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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

/// Number of cues that decide. A heading with a cue counts as this many: it is about the whole section.
const MIN_CUES: usize = 2;

/// Number of bytes in which a rule names the command to run. The rest is an explanation.
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
    let prose = words::prose(text, &spans);
    let words: Vec<&str> = words::words(&prose).collect();
    let heading = heading.unwrap_or_default().to_lowercase();
    let n_sharing = n_listed(&words, &SHARING_WORDS);
    let sharing = n_sharing + heading_cues(&heading, &SHARING_HEADINGS);
    let talking = n_listed(&words, &TALKING_WORDS) + heading_cues(&heading, &TALKING_HEADINGS);
    let setup = n_listed(&words, &SETUP_WORDS) + heading_cues(&heading, &SETUP_HEADINGS);
    let demand: Vec<&str> = (words.iter().copied())
        .filter(|word| word.as_ptr() as usize - (prose.as_ptr() as usize) < MAX_DEMAND_LEN)
        .collect();
    let names_command = (spans.iter())
        .any(|span| span.kind == SpanKind::Command && span.range.start < MAX_DEMAND_LEN);
    let is_check = n_listed(&demand, &CHECK_VERBS) > 0
        && n_listed(&demand, &CHECK_TIMES) > 0
        && (names_command || n_listed(&demand, &CHECK_NOUNS) > 0)
        && talking + setup <= MIN_CUES
        && n_sharing < MIN_CUES;
    if is_check {
        return Moment::Checking;
    }
    let names_path = spans.iter().any(|span| span.kind == SpanKind::Path);
    if names_path && GENERATED_PHRASES.first_in(&prose).is_some() {
        return Moment::Writing;
    }
    let most = sharing.max(talking).max(setup);
    if most >= min_cues {
        return if most == sharing {
            Moment::Sharing
        } else if most == talking {
            Moment::Talking
        } else {
            Moment::SettingUp
        };
    }
    for part in [text, &heading] {
        if TEST_TERMS.contains_any(&tokenize::terms(part)) {
            return Moment::Testing;
        }
    }
    Moment::Writing
}

/// Returns the number of distinct words in a list.
fn n_listed(words: &[&str], list: &WordList) -> usize {
    let listed = words.iter().filter(|word| list.contains(word));
    listed.collect::<BTreeSet<_>>().len()
}

/// Returns the number of cues that the headings above a rule count as.
fn heading_cues(heading: &str, list: &WordList) -> usize {
    if words::words(heading).any(|word| list.contains(word)) {
        MIN_CUES
    } else {
        0
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
    }
}
