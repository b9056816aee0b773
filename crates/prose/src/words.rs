//! The plain words of a text, and which of them have a meaning of their own.

use crate::lists::{COMMON_WORDS, STOP_WORDS};
use crate::named_code::Span;

/// Minimum length of an adverb in "-ly"; shorter words are rarely adverbs (apply, reply).
const MIN_ADVERB_LEN: usize = 6;

/// Returns a text in lower case, with spaces in place of code, paths, commands and link targets.
/// Offsets are the same as in the text.
pub fn prose(text: &str, spans: &[Span]) -> String {
    let mut prose = text.to_ascii_lowercase();
    for span in spans {
        prose.replace_range(span.range.clone(), &" ".repeat(span.range.len()));
    }
    prose
}

pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| !c.is_ascii_alphabetic() && c != '\'' && c != '-');
    let words = parts.map(|part| part.trim_matches(['-', '\'']));
    words.filter(|word| !word.is_empty())
}

/// Returns the text after a title in bold letters (`**Errors**: wrap them`).
pub fn lead(prose: &str) -> &str {
    /// Titles are short; a longer text in bold letters is the rule itself.
    const MAX_TITLE_LEN: usize = 40;
    let trimmed = prose.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '*');
    if let Some(bold) = trimmed.strip_prefix("**")
        && let Some((title, rest)) = bold.split_once("**")
        && title.len() <= MAX_TITLE_LEN
        && words(rest).next().is_some()
    {
        return rest;
    }
    trimmed
}

/// Returns whether a lower-case word has no meaning of its own.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

/// Returns whether code seldom uses a lower-case word in the sense of prose.
pub fn is_common(word: &str) -> bool {
    COMMON_WORDS.contains(word) || (word.len() >= MIN_ADVERB_LEN && word.ends_with("ly"))
}

/// Returns whether a lower-case word says something about code.
pub(crate) fn is_content(word: &str) -> bool {
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    !is_number && !is_stop_word(word) && !is_common(word)
}
