//! How a sentence presents what it names: as it is, as forbidden, or as past.

use super::word_lists::{ABSENT, ABSENT_AFTER, FORBIDDEN};
use cerberus_model::text::WordList;

/// How a sentence presents a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stance {
    Plain,
    /// The sentence forbids it: its removal fulfils the rule.
    Forbidden,
    /// The sentence says that it does not exist, no longer or not yet.
    Absent,
}

/// Maximum length of the parts of a sentence before and after a claim.
const MAX_BYTES: usize = 600;

impl Stance {
    /// Returns how a piece of text presents what it names.
    pub(super) fn of(text: &str) -> Self {
        Self::of_parts(text, text)
    }

    /// Returns how a sentence presents what it names after the part `before`.
    fn of_parts(sentence: &str, before: &str) -> Self {
        let plain = |text: &str| text.to_lowercase().replace('’', "'");
        let (sentence, before) = (plain(sentence), plain(before));
        let has = |text: &str, phrases: &WordList| {
            phrases.entries().iter().any(|phrase| contains_words(text, phrase))
        };
        if has(&sentence, &ABSENT) || has(&before, &ABSENT_AFTER) {
            Self::Absent
        } else if has(&sentence, &FORBIDDEN) {
            Self::Forbidden
        } else {
            Self::Plain
        }
    }

    /// Returns how the sentence around `start..end` presents it. `block` is a paragraph, an item
    /// or a row.
    pub(super) fn of_sentence(block: &str, start: usize, end: usize) -> Self {
        let is_end = |at: usize| {
            let rest = &block[at..];
            let mut chars = rest.chars();
            matches!(chars.next(), Some('.' | '!' | '?' | ';'))
                && chars.next().is_none_or(char::is_whitespace)
                || rest.starts_with("\n\n")
                || is_item(rest)
        };
        let at = |range: std::ops::Range<usize>| range.filter(|at| block.is_char_boundary(*at));
        // The words that matter are near.
        let (from, to) = (start.saturating_sub(MAX_BYTES), block.len().min(end + MAX_BYTES));
        let first = at(from..start).rev().find(|&at| is_end(at));
        let first = first.or_else(|| at(from..start + 1).next()).unwrap_or(start);
        let last = at(end..to).find(|&at| is_end(at));
        let last = last.or_else(|| at(end..to + 1).next_back()).unwrap_or(end);
        let before = block.get(first..start).unwrap_or_default();
        block.get(first..last).map_or(Self::Plain, |sentence| Self::of_parts(sentence, before))
    }
}

/// Returns whether a text starts with the marker of an item of a list on a new line.
fn is_item(text: &str) -> bool {
    let Some(line) = text.strip_prefix('\n') else { return false };
    let line = line.trim_start_matches([' ', '\t', '>']);
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    ["- ", "* ", "+ "].iter().any(|marker| line.starts_with(marker))
        || (number.len() < line.len() && [". ", ") "].iter().any(|it| number.starts_with(it)))
}

/// Returns whether `text` contains the words of `phrase`.
fn contains_words(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        !text[..at].ends_with(|c| is_word(c) || c == '-')
            && !text[at + phrase.len()..].starts_with(|c| is_word(c) || c == '-')
    })
}
