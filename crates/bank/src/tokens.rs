//! Exact token counts with the vocabulary of current language models.
//!
//! The vocabulary is a finite-state transducer from the bytes of each token to its rank, 1.8 MB that
//! is used where it lies in the binary. Nothing is loaded at the start; the pattern that splits a text
//! takes about 3 ms to compile, at the first count. `examples/vocabulary.rs` builds the file from
//! `o200k_base.tiktoken`, which OpenAI publishes under the MIT licence.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::LazyLock;

use fst::Map;
use regex::Regex;

/// The name of the vocabulary, reported with every count.
pub const NAME: &str = "o200k_base";

/// The length of the longest token.
const MAX_TOKEN_BYTES: usize = 128;

static RANKS: LazyLock<Map<&[u8]>> = LazyLock::new(|| {
    Map::new(include_bytes!("tokens/o200k_base.fst").as_slice()).expect("a valid transducer")
});

/// The pattern by which tiktoken splits a text into pieces, except for its alternative
/// `\s+(?!\S)`, a look-ahead that [`next_piece`] replaces.
static PIECE: LazyLock<Regex> = LazyLock::new(|| {
    let suffix = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?";
    let pattern = [
        &format!(
            r"[^\r\n\p{{L}}\p{{N}}]?[\p{{Lu}}\p{{Lt}}\p{{Lm}}\p{{Lo}}\p{{M}}]*[\p{{Ll}}\p{{Lm}}\p{{Lo}}\p{{M}}]+{suffix}"
        ),
        &format!(
            r"[^\r\n\p{{L}}\p{{N}}]?[\p{{Lu}}\p{{Lt}}\p{{Lm}}\p{{Lo}}\p{{M}}]+[\p{{Ll}}\p{{Lm}}\p{{Lo}}\p{{M}}]*{suffix}"
        ),
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+",
    ]
    .join("|");
    Regex::new(&pattern).expect("a valid pattern")
});

/// Returns the number of tokens in a text.
pub fn count(text: &str) -> usize {
    count_to(text, usize::MAX)
}

/// Whether a text has more tokens than the limit. The rest of a longer text is not read.
pub fn is_over(text: &str, limit: usize) -> bool {
    count_to(text, limit) > limit
}

/// Returns the number of tokens, or a number over the limit.
fn count_to(text: &str, limit: usize) -> usize {
    let mut count = 0;
    let mut start = 0;
    while start < text.len() && count <= limit {
        let end = next_piece(text, start);
        let piece = &text.as_bytes()[start..end];
        let at_least = piece.len() / MAX_TOKEN_BYTES;
        if at_least > limit {
            return at_least;
        }
        count += count_in_piece(piece);
        start = end;
    }
    count
}

/// Returns the end of the piece that starts at `start`. Every character begins some piece.
///
/// White space without a line break leaves its last character to the piece that follows it, as
/// `\s+(?!\S)` does.
fn next_piece(text: &str, start: usize) -> usize {
    if let Some(len) = plain_word(&text.as_bytes()[start..]) {
        return start + len;
    }
    let Some(found) = PIECE.find_at(text, start) else {
        return text.len();
    };
    let piece = &text[start..found.end()];
    let last = piece.char_indices().next_back();
    match last {
        Some((at, c))
            if at > 0 && found.end() < text.len() && is_blank(piece) && !is_line_end(c) =>
        {
            start + at
        }
        _ => found.end(),
    }
}

/// Returns the length of the first piece if it is an ASCII word of small letters, maybe with a separator and a
/// capital before it. Most pieces are, and the pattern takes ten times as long for one.
fn plain_word(text: &[u8]) -> Option<usize> {
    let mut start = 0;
    if let Some(byte) = text.first()
        && byte.is_ascii()
        && !byte.is_ascii_alphanumeric()
        && !matches!(byte, b'\r' | b'\n')
    {
        start += 1;
    }
    if text.get(start).is_some_and(u8::is_ascii_uppercase) {
        start += 1;
    }
    let mut letters = text[start..].iter();
    let n_letters = letters.position(|byte| !byte.is_ascii_lowercase());
    let end = start + n_letters.unwrap_or(text.len() - start);
    if end == start {
        return None;
    }
    match text.get(end) {
        // An apostrophe may belong to the word.
        Some(byte) if !byte.is_ascii() || byte.is_ascii_alphabetic() || *byte == b'\'' => None,
        _ => Some(end),
    }
}

fn is_blank(piece: &str) -> bool {
    piece.chars().all(char::is_whitespace)
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\r' | '\n')
}

/// Returns the number of tokens in a piece by byte pair encoding: of all adjacent pairs of tokens that
/// form a token, the one with the lowest rank is merged first, the leftmost of several equal ones.
fn count_in_piece(piece: &[u8]) -> usize {
    if RANKS.contains_key(piece) {
        return 1;
    }
    let rank = |start: usize, end: usize| {
        RANKS
            .get(&piece[start..end])
            .map(|rank| Reverse((rank, start, end)))
    };
    let n_bytes = piece.len();
    // For the token that starts at a byte: its end, and the start of the token before it. A merged
    // token starts at its left part; the end of its right part becomes 0.
    let mut end_of: Vec<usize> = (1..=n_bytes).collect();
    let mut before: Vec<usize> = (0..n_bytes).map(|at| at.saturating_sub(1)).collect();
    let mut pairs: BinaryHeap<_> = (2..=n_bytes).filter_map(|end| rank(end - 2, end)).collect();
    let mut count = n_bytes;
    while let Some(Reverse((_, start, end))) = pairs.pop() {
        let middle = end_of[start];
        // A pair is outdated once one of its parts has been merged with another token.
        if middle == 0 || middle >= end || end_of[middle] != end {
            continue;
        }
        end_of[middle] = 0;
        end_of[start] = end;
        count -= 1;
        if end < n_bytes {
            before[end] = start;
            pairs.extend(rank(start, end_of[end]));
        }
        if start > 0 {
            pairs.extend(rank(before[start], end));
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use fst::Streamer as _;

    use super::*;

    #[test]
    fn no_token_is_longer_than_the_maximum() {
        let mut longest = 0;
        let mut tokens = RANKS.stream();
        while let Some((token, _)) = tokens.next() {
            longest = longest.max(token.len());
        }
        assert_eq!(longest, MAX_TOKEN_BYTES);
    }

    #[test]
    fn a_text_is_over_a_limit_if_it_has_more_tokens() {
        let words = "Close the session in a finally block. ".repeat(9);
        let long_word = "x".repeat(9_000_000);
        for text in [words.as_str(), "お誕生日おめでとう"] {
            let n_tokens = count(text);
            assert!(
                !is_over(text, n_tokens) && is_over(text, n_tokens - 1),
                "{text}"
            );
        }
        assert!(is_over(&long_word, 5000) && !is_over("", 0));
    }

    #[test]
    fn counts_match_the_published_figures() {
        // Published by the authors of the vocabulary.
        let published = [
            ("", 0),
            ("antidisestablishmentarianism", 6),
            ("2 + 2 = 4", 7),
            ("お誕生日おめでとう", 8),
        ];
        for (text, expected) in published {
            assert_eq!(count(text), expected, "{text}");
        }
    }

    #[test]
    fn counts_match_tiktoken() {
        let table: toml::Table = include_str!("tokens/reference.toml").parse().expect("TOML");
        let texts = table["text"].as_array().expect("texts");
        assert_eq!(texts.len(), 200);
        for entry in texts {
            let (text, expected) = (entry["text"].as_str(), entry["tokens"].as_integer());
            let text = text.expect("a text");
            assert_eq!(i64::try_from(count(text)).ok(), expected, "{text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn plain_words_are_pieces_of_the_pattern(text in "([ \t\n'._/(0-9]{0,2}[A-Z]{0,2}[a-zé]{0,4}){0,6}") {
            if let Some(len) = plain_word(text.as_bytes()) {
                let found = PIECE.find(&text).expect("a piece");
                proptest::prop_assert_eq!((found.start(), found.end()), (0, len));
            }
        }
    }

    #[test]
    fn vocabulary_has_a_rank_for_each_byte_and_token() {
        assert_eq!(RANKS.len(), 199_998);
        assert!((0..=u8::MAX).all(|byte| RANKS.contains_key([byte])));
    }

    #[test]
    fn long_piece_is_counted_in_reasonable_time() {
        // A search of all pairs for each merge would take 10^10 steps here.
        let letters: String = ('a'..='z').cycle().step_by(7).take(150_000).collect();
        assert_eq!(count(&letters), 80_769);
    }
}
