//! Decides from the wording of a rule whether code can show it.
//!
//! Instruction files are full of working advice: how to commit, what to run, whom to ask. Such a
//! rule shares words with some code, but no code is its example. A logistic model recognizes it by
//! its words, the commands that it names, and the code that it does not name.

use std::collections::BTreeSet;

use cerberus_model::RuleKind;
use cerberus_model::text::WordList;
use cerberus_prose::lists::{
    CODE_WORDS, DEMAND_OPENINGS, PROCESS_PHRASES, PROCESS_VERBS, PROCESS_WORDS, PROJECT_WORDS,
};
use cerberus_prose::words::{lead, prose, words};
use serde::Serialize;

use super::named_code::{self, Span, SpanKind};
use super::weights::QUALITY;

/// The features of a rule's wording. Counts are limited, so that long rules do not exceed all
/// bounds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub(crate) struct Wording {
    /// Words of the work on a project.
    pub(crate) process: f64,
    /// Such words that code uses too.
    pub(crate) project: f64,
    /// Nouns of programming.
    pub(crate) code: f64,
    pub(crate) commands: f64,
    /// Identifiers, calls and annotations.
    pub(crate) names: f64,
    /// ln(1 + number of words).
    pub(crate) length: f64,
    /// Share of nouns of programming among the words.
    pub(crate) general: f64,
    /// Whether it has a phrase of working advice.
    pub(crate) phrase: f64,
    /// Whether its first verb is one of working advice and acts upon the work.
    pub(crate) verb: f64,
    /// The weights of the words outside of back-ticks.
    pub(crate) stems: f64,
}

/// The kind of a rule, with its reasons.
#[derive(Debug, Clone)]
pub struct Verdict {
    pub kind: RuleKind,
    pub(crate) wording: Wording,
    /// The words and commands of working advice.
    pub(crate) cues: Vec<String>,
}

/// Returns the kind of a rule by its wording.
pub fn classify(text: &str) -> Verdict {
    let spans = named_code::spans(text);
    let prose = prose(text, &spans);
    let words: Vec<&str> = words(&prose).collect();
    let phrase = PROCESS_PHRASES.first_in(&prose);
    let mut verb = working_verb(&prose, lead(&prose), &spans);
    // A condition may come first: "If you change a schema: commit the snapshot".
    if verb.is_none()
        && let Some((_, statement)) = prose.split_once(": ")
    {
        verb = working_verb(&prose, lead(statement), &spans);
    }
    let wording = Wording {
        process: count(&words, &PROCESS_WORDS, 3),
        project: count(&words, &PROJECT_WORDS, 4),
        code: count(&words, &CODE_WORDS, 4),
        commands: count_spans(&spans, SpanKind::Command, 2),
        names: count_spans(&spans, SpanKind::Name, 3),
        length: (1.0 + words.len() as f64).ln(),
        general: general_share(&words),
        phrase: f64::from(u8::from(phrase.is_some())),
        verb: f64::from(u8::from(verb.is_some())),
        stems: stems_weight(text),
    };
    let mut cues: Vec<&str> = phrase.into_iter().chain(verb).collect();
    for span in &spans {
        if span.kind == SpanKind::Command {
            cues.push(&text[span.range.clone()]);
        }
    }
    cues.extend(words.iter().filter(|word| is_of_work(word)));
    let mut distinct: Vec<String> = Vec::new();
    for cue in cues {
        if !distinct.iter().any(|known| known == cue) {
            distinct.push(cue.to_owned());
        }
    }
    // The wording of a very short rule says little: without a clear cue, it is about code.
    let n_cues = wording.process + wording.commands + wording.phrase + wording.verb;
    let has_cue = n_cues > 0.0 || wording.project > 2.0;
    let is_process = has_cue && process_logit(&wording) > 0.0;
    Verdict {
        kind: if is_process {
            RuleKind::Process
        } else {
            RuleKind::Code
        },
        wording,
        cues: distinct,
    }
}

/// Returns the number of words in a list, at most `limit`.
fn count(words: &[&str], list: &WordList, limit: usize) -> f64 {
    let n_listed = words.iter().filter(|word| list.contains(word)).count();
    n_listed.min(limit) as f64
}

/// Returns the number of spans of a kind, at most `limit`.
fn count_spans(spans: &[Span], kind: SpanKind, limit: usize) -> f64 {
    let n_spans = spans.iter().filter(|span| span.kind == kind).count();
    n_spans.min(limit) as f64
}

fn is_of_work(word: &str) -> bool {
    PROCESS_WORDS.contains(word) || PROJECT_WORDS.contains(word)
}

/// Returns the first verb of a statement, a part of `prose`, if it is one of working advice and acts
/// upon the work: "check the changelog", "run `make`", but not "check the signature".
fn working_verb<'t>(prose: &'t str, statement: &'t str, spans: &[Span]) -> Option<&'t str> {
    /// Number of words in which a verb names its object.
    const OBJECT_WORDS: usize = 5;
    let offset = |part: &str| part.as_ptr() as usize - prose.as_ptr() as usize;
    let mut words = words(statement).skip_while(|word| DEMAND_OPENINGS.contains(word));
    let verb = words.next().filter(|verb| PROCESS_VERBS.contains(verb))?;
    let object: Vec<&str> = words.by_ref().take(OBJECT_WORDS).collect();
    let end = words.next().map_or(prose.len(), offset);
    if object.iter().any(|word| is_of_work(word)) {
        return Some(verb);
    }
    for span in spans {
        if (offset(verb)..end).contains(&span.range.start)
            && matches!(span.kind, SpanKind::Path | SpanKind::Command)
        {
            return Some(verb);
        }
    }
    None
}

/// Returns the log odds that a rule is working advice.
pub(super) fn process_logit(wording: &Wording) -> f64 {
    QUALITY.working_advice.log_odds(&[
        ("process", wording.process),
        ("project", wording.project),
        ("code", wording.code),
        ("commands", wording.commands),
        ("names", wording.names),
        ("length", wording.length),
        ("phrase", wording.phrase),
        ("verb", wording.verb),
    ]) + wording.stems
}

/// Returns the sum of the weights of the distinct words outside of back-ticks, known by their beginnings.
fn stems_weight(text: &str) -> f64 {
    /// As in the script that fits the weights.
    const STEM_LEN: usize = 5;
    let lower = text.to_ascii_lowercase();
    let mut stems: BTreeSet<&str> = BTreeSet::new();
    for part in lower.split('`').step_by(2) {
        for word in part.split(|c: char| !c.is_ascii_lowercase()) {
            stems.insert(&word[..word.len().min(STEM_LEN)]);
        }
    }
    let weights = stems.iter().filter_map(|stem| QUALITY.stems.get(*stem));
    weights.sum()
}

fn general_share(words: &[&str]) -> f64 {
    /// Added to the number of words, so that one noun of a short rule does not decide.
    const SMOOTHING: f64 = 3.0;
    count(words, &CODE_WORDS, usize::MAX) / (SMOOTHING + words.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn working_advice_is_recognized() {
        for rule in [
            "Make sure all existing tests pass before submitting a pull request",
            "Be respectful in code review comments",
            "Run `cargo fmt` and `cargo clippy` before each commit",
            "Ask the maintainers before adding a dependency",
            "Update the changelog when you release a version",
            "Read `docs/setup.md`",
        ] {
            let verdict = classify(rule);
            assert_eq!(verdict.kind, RuleKind::Process, "{rule}: {verdict:?}");
            assert!(!verdict.cues.is_empty(), "{rule}");
        }
    }

    #[test]
    fn rules_about_code_are_not() {
        for rule in [
            "Hash passwords with a salt and a slow key derivation function",
            "Wrap errors with `errors.Join()` instead of `fmt.Errorf`",
            "Commit the transaction before the session is closed",
            "Hang velvet curtains",
            "Sanitize the title of an issue",
            "Push the item to the queue",
            "Merge the two maps",
            "Verify the token",
            "Check the signature first",
            "Read the manifest",
        ] {
            let verdict = classify(rule);
            assert_eq!(verdict.kind, RuleKind::Code, "{rule}: {verdict:?}");
        }
    }
}
