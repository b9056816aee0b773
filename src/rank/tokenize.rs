//! Text to terms: words and identifiers split at case, digits and `_`,
//! lower-cased, true abbreviations spelled out, stemmed (Porter 2).
//!
//! Code and rules go through the same functions, so that a term means the same on
//! both sides. The table of abbreviations is the data file beside this one.

use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;

use crate::text::{BLOCK, scan_blocks};

/// The longest run of digits that is still a word (404, 1970); longer ones are data.
const MAX_DIGITS: usize = 4;

/// The longest word that counts; what is longer is a hash, a key or encoded data.
const MAX_WORD_BYTES: usize = 40;

/// Calls `each` with every raw word of `text`: a run of letters, digits, `_` and `$`.
pub(crate) fn words<'t>(text: &'t str, mut each: impl FnMut(&'t str)) {
    word_bounds(text.as_bytes(), |start, end| {
        // Runs end at ASCII bytes, so that both ends are character boundaries.
        if let Some(word) = text.get(start..end) {
            each(word);
        }
    });
}

/// Calls `each` with where every raw word starts and ends.
pub(super) fn word_bounds(bytes: &[u8], mut each: impl FnMut(usize, usize)) {
    // Bytes of characters beyond ASCII count as letters.
    let is_word = |byte: u8| {
        (byte | 0x20).wrapping_sub(b'a') < 26
            || byte.wrapping_sub(b'0') < 10
            || byte == b'_'
            || byte == b'$'
            || byte >= 0x80
    };
    let (mut start, mut is_open) = (0, 0);
    // The last block never is full, so that its words all end in it.
    scan_blocks(bytes, is_word, |block, mask| {
        // A word starts or ends where a byte is not as the one before it.
        let mut edges = mask ^ (mask << 1 | is_open);
        is_open = mask >> (BLOCK - 1);
        while edges != 0 {
            let bit = edges.trailing_zeros() as usize;
            if mask >> bit & 1 == 1 {
                start = block + bit;
            } else {
                each(start, block + bit);
            }
            edges &= edges - 1;
        }
    });
}

/// Calls `each` with the parts of a raw word, lower-cased: `HTTPServer_v2` gives
/// `http`, `server`, `v2` gives nothing, since parts of one character say nothing.
pub(crate) fn parts(word: &str, mut each: impl FnMut(&str)) {
    if word.len() > 4 * MAX_WORD_BYTES {
        return;
    }
    let mut start = 0;
    let mut previous = Class::Other;
    let mut chars = word.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let class = Class::of(c);
        let breaks = match (previous, class) {
            (Class::Other, _) | (_, Class::Other) => true,
            (Class::Digit, Class::Digit) => false,
            (Class::Digit, _) | (_, Class::Digit) => true,
            (Class::Lower, Class::Upper) => true,
            // The last capital of a run starts the next word: HTTPServer.
            (Class::Upper, Class::Upper) => {
                chars.peek().is_some_and(|(_, next)| Class::of(*next) == Class::Lower)
            }
            (_, Class::Lower) => false,
        };
        if breaks {
            if previous != Class::Other {
                emit(&word[start..at], &mut each);
            }
            start = at;
        }
        previous = class;
    }
    if previous != Class::Other {
        emit(&word[start..], &mut each);
    }
}

fn emit(part: &str, each: &mut impl FnMut(&str)) {
    let is_number = part.starts_with(|c: char| c.is_ascii_digit());
    let max_bytes = if is_number { MAX_DIGITS } else { MAX_WORD_BYTES };
    if !part.is_ascii() {
        let lower: String = part.chars().flat_map(char::to_lowercase).collect();
        if lower.len() <= max_bytes && lower.chars().nth(1).is_some() {
            each(&lower);
        }
    } else if (2..=max_bytes).contains(&part.len()) {
        let mut lower = [0; MAX_WORD_BYTES];
        let lower = &mut lower[..part.len()];
        lower.copy_from_slice(part.as_bytes());
        lower.make_ascii_lowercase();
        // ASCII is UTF-8.
        each(std::str::from_utf8(lower).unwrap_or_default());
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Other,
}

impl Class {
    fn of(c: char) -> Self {
        if c.is_ascii_digit() {
            Self::Digit
        } else if c.is_uppercase() {
            Self::Upper
        } else if c.is_alphabetic() {
            Self::Lower
        } else {
            Self::Other
        }
    }
}

/// Returns the term a lower-cased part stands for.
pub(crate) fn term(part: &str) -> String {
    static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));
    let spelled = ABBREVIATIONS.get(part).copied().unwrap_or(part);
    STEMMER.stem(spelled).into_owned()
}

static ABBREVIATIONS: LazyLock<FxHashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let mut table = FxHashMap::default();
    for line in include_str!("abbreviations.txt").lines() {
        let mut fields = line.split_whitespace();
        if let Some(word) = fields.next().filter(|word| !word.starts_with('#')) {
            table.extend(fields.map(|short| (short, word)));
        }
    }
    table
});

/// Returns all terms of a text, in its order.
pub(crate) fn terms(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    words(text, |word| parts(word, |part| found.push(term(part))));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut found = Vec::new();
        words(text, |word| parts(word, |part| found.push(part.to_owned())));
        assert_eq!(found.join(" "), expected, "{text}");
    }

    #[test]
    fn identifiers_split_at_case_digits_and_underscores() {
        check("HTTPServer parseJSON2 snake_case", "http server parse json snake case");
        check("utf8 sha256sum __init__", "utf sha 256 sum init");
        check("don't a1b2 x", "don");
        check("Größe naïveÜber", "größe naïve über");
        check("error 404 at 20250115", "error 404 at");
    }

    #[test]
    fn short_forms_and_inflections_are_one_term() {
        for words in ["repo repository repositories", "cfg config configuration configured"] {
            let found = terms(words);
            assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{found:?}");
        }
        assert_eq!(term("retries"), term("retry"));
    }

    #[test]
    fn no_short_form_stands_twice() {
        let mut seen = std::collections::BTreeSet::new();
        let lines = include_str!("abbreviations.txt").lines();
        for line in lines.filter(|line| !line.starts_with('#')) {
            for short in line.split_whitespace().skip(1) {
                assert!(seen.insert(short), "`{short}` stands twice");
            }
        }
    }

    /// What is a word, said as plainly as can be.
    fn plain_words(text: &str) -> Vec<&str> {
        let is_word =
            |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
        text.split(|c| !is_word(c)).filter(|word| !word.is_empty()).collect()
    }

    proptest::proptest! {
        #[test]
        fn words_are_where_a_plain_split_finds_them(
            text in proptest::collection::vec("[a-cZ0-9_$ .é\\x00\\x7f@\\[`{/:]{0,40}", 0..8),
        ) {
            // Longer than a block, some words across two of them.
            let text = text.concat();
            let mut found = Vec::new();
            words(&text, |word| found.push(word));
            proptest::prop_assert_eq!(found, plain_words(&text));
        }

        #[test]
        fn any_text_splits_without_panic(text in "\\PC{0,100}") {
            for term in terms(&text) {
                proptest::prop_assert!(!term.is_empty());
            }
        }
    }
}
