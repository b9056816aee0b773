//! The code that a text names as a sample of how something is done: "See `src/a.ts` for an example".

use std::ops::Range;

use crate::lists::{CLAUSE_OPENERS, POINTING, PRAISING, SAMPLE_FORMS, SAMPLES, WRONG};
use crate::named_code::has_file_ending;
use crate::wording::{Modality, is_negated, is_prohibition, modality, words};

/// Characters around a place of code in a text.
const AROUND_PLACE: &str = "`()[]<>|,;\"'";

/// Characters that end a clause.
const CLAUSE_ENDS: [char; 9] = ['.', ';', ',', '\n', '—', '|', '!', '?', ':'];

/// The maximum number of words of a label before a sample: "Reference implementation:".
const MAX_LABEL_WORDS: usize = 4;

/// Returns the files of a text that may be followed by a symbol or a line, as `a.rs::Name` and `a.rs:12`, each once.
pub fn places(text: &str) -> Vec<&str> {
    let mut places = Vec::new();
    for range in place_ranges(text) {
        let place = &text[range];
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

/// Returns the places of code that a text names as samples, each once.
pub fn named(text: &str) -> Vec<&str> {
    // The code of an example says nothing about other code.
    let prose = text.split("```").next().unwrap_or(text);
    let mut samples = Vec::new();
    for range in place_ranges(prose) {
        let place = &prose[range.clone()];
        let is_sample = is_sample(&prose[..range.start], &prose[range.end..]);
        if is_sample && !samples.contains(&place) {
            samples.push(place);
        }
    }
    samples
}

/// Returns whether a heading or an introduction announces samples: "Golden samples", "Patterns to follow".
pub fn announces(title: &str) -> bool {
    let words = words(title);
    if is_denied(title) {
        return false;
    }
    let mut n_samples = 0;
    for word in &words {
        n_samples += usize::from(SAMPLES.contains(word));
    }
    let is_form = SAMPLE_FORMS.contains_any(&words);
    let is_followed = PRAISING.contains_any(&words) || POINTING.contains_any(&words);
    n_samples > 1 || n_samples == 1 && (is_form || is_followed)
}

/// Returns whether the title of a column is about samples: "Reference", "Example file".
pub fn is_column(title: &str) -> bool {
    SAMPLES.contains_any(&words(title)) && !is_denied(title)
}

/// Returns whether a text says that what it names is not to be followed.
pub fn is_denied(text: &str) -> bool {
    is_negated(text) || is_prohibition(text) || WRONG.contains_any(&words(text))
}

/// Returns the places of code in a text.
fn place_ranges(text: &str) -> Vec<Range<usize>> {
    let is_end = |c: char| c.is_whitespace() || AROUND_PLACE.contains(c);
    let mut ranges = Vec::new();
    for word in text.split(is_end) {
        let place = word.trim_end_matches(['.', ':', '!', '?', '*', '_']);
        let place = place.trim_start_matches(['@', '*', '_']);
        let path = path(place);
        if has_file_ending(path) && !path.contains(['*', '{']) && !place.contains("://") {
            let start = place.as_ptr() as usize - text.as_ptr() as usize;
            ranges.push(start..start + place.len());
        }
    }
    ranges
}

/// Returns a text without its places of code.
pub fn without_places(text: &str) -> String {
    let mut rest = String::with_capacity(text.len());
    let mut end = 0;
    for range in place_ranges(text) {
        rest.push_str(&text[end..range.start]);
        end = range.end;
    }
    rest + &text[end..]
}

/// Returns the path of a place, without a symbol or a line.
pub fn path(place: &str) -> &str {
    place.split([':', '#']).next().unwrap_or(place)
}

/// Returns whether the clause around a place says that it is a sample.
fn is_sample(before: &str, after: &str) -> bool {
    let before = without_opening(before);
    let start = clause_ends(before).last().unwrap_or(0);
    let clause = &before[start..];
    let rest = after.trim_start_matches(['`', ']', '*']);
    let end = clause_ends(rest).next().unwrap_or(rest.len());
    let rest = &rest[..end];
    if is_denied(clause) || is_denied(rest) {
        return false;
    }
    let before = words(clause);
    let all = [before.clone(), words(rest)].concat();
    let is_pointed_at = POINTING.contains_any(&before) && names_sample(&all);
    is_pointed_at || is_label(clause)
}

/// Returns the ends of the clauses in a text; a mark in a word, such as a path, ends none.
fn clause_ends(text: &str) -> impl Iterator<Item = usize> {
    let ends = text.match_indices(CLAUSE_ENDS);
    let ends = ends.map(|(at, mark)| at + mark.len());
    ends.filter(|end| text[*end..].chars().next().is_none_or(char::is_whitespace))
}

/// Returns a text before a place without the marks that belong to the place.
fn without_opening(before: &str) -> &str {
    let before = before.trim_end_matches(['`', '<', '@', '*', '.']);
    // The text of a link is a name of its destination.
    let before = match before.strip_suffix("](") {
        Some(link) => link.rsplit_once('[').map_or(link, |(before, _)| before),
        None => before,
    };
    before.trim_end_matches([' ', ':', '(', '*', '`', '['])
}

/// Returns whether words name a sample, unlike "for example".
fn names_sample(words: &[String]) -> bool {
    for (idx, word) in words.iter().enumerate() {
        let is_phrase = idx > 0 && words[idx - 1] == "for" && word == "example";
        if SAMPLES.contains(word) && !is_phrase {
            return true;
        }
    }
    false
}

/// Returns whether a clause is only the name of a sample: "Reference implementation", "The canonical example is".
fn is_label(clause: &str) -> bool {
    let all = words(clause);
    let is_short = !all.is_empty() && all.len() <= MAX_LABEL_WORDS;
    let is_opened = all.first().is_some_and(|it| CLAUSE_OPENERS.contains(it));
    let is_named = matches!(&all[..], [only] if SAMPLES.contains(only)) || announces(clause);
    is_short && !is_opened && is_named && modality(clause) == Modality::Statement
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_names_its_samples() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(named(text), expected, "{text}");
        };
        check(
            "Wrap the client, see `net/a.go` for an example",
            &["net/a.go"],
        );
        check(
            "Follow the pattern in `src/a.rs::open`.",
            &["src/a.rs::open"],
        );
        check("Close it ([the reader](io/r.py#L12) is a close call)", &[]);
        check(
            "See [the reader](io/r.py#L12) for the canonical pattern",
            &["io/r.py#L12"],
        );
        check(
            "Handlers return early. Reference: src/h.ts:4",
            &["src/h.ts:4"],
        );
        check("Reference implementation: `a/b.kt`", &["a/b.kt"]);
        check("Copy `a.rs` and `b.rs` as templates", &["a.rs", "b.rs"]);
    }

    #[test]
    fn other_code_is_no_sample() {
        for text in [
            "See `src/a.rs` for details",
            "For example `src/a.rs`",
            "Do not follow the pattern in `src/a.rs`",
            "Bad example: `src/a.rs`",
            "Update the example in `src/a.rs`",
            "Follow the pattern in `src/*.rs`",
            "Run it on `src/a.rs`, for example",
            "```rs\n// see src/a.rs for an example\n```",
        ] {
            assert!(named(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_title_announces_samples() {
        for title in [
            "Golden samples",
            "Reference implementations",
            "Patterns to follow",
            "Code Examples",
        ] {
            assert!(announces(title), "{title}");
        }
        for title in [
            "Bad examples to avoid",
            "Patterns",
            "Golden files",
            "API reference",
            "Key files",
            "Code",
        ] {
            assert!(!announces(title), "{title}");
        }
    }
}
