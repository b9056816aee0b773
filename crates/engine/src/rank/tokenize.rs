//! Splits text into terms: words and identifiers are split at case changes, digits and `_`,
//! lower-cased, expanded if they are abbreviations, and stemmed (Porter 2).
//!
//! Code and rules use the same functions, so that their terms are comparable.

use std::cell::RefCell;
use std::sync::LazyLock;

use cerberus_model::text::{BLOCK, scan_blocks};
use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;

use super::word_lists::ABBREVIATIONS;

/// Maximum length of a number that is a word (404, 1970); longer numbers are data.
const MAX_DIGITS: usize = 4;

/// Maximum length of a word; longer ones are hashes, keys or encoded data.
const MAX_WORD_BYTES: usize = 40;

/// Calls `each` with every raw word of `text`: a run of letters, digits, `_` and `$`.
pub fn words<'t>(text: &'t str, mut each: impl FnMut(&'t str)) {
    word_bounds(text.as_bytes(), |start, end| {
        // Runs end at ASCII bytes, so that both ends are character boundaries.
        if let Some(word) = text.get(start..end) {
            each(word);
        }
    });
}

/// Calls `each` with the start and end of every raw word.
pub(super) fn word_bounds(bytes: &[u8], mut each: impl FnMut(usize, usize)) {
    let mut start = 0;
    let mut is_open = 0;
    // The last block is never full, so that no word reaches its end.
    scan_blocks(bytes, is_word, |block, mask| {
        // Words start and end at bytes whose class differs from the previous byte.
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

/// Returns whether a byte is of a word. Bytes of characters beyond ASCII count as letters.
#[inline]
fn is_word(byte: u8) -> bool {
    (byte | 0x20).wrapping_sub(b'a') < 26
        || byte.wrapping_sub(b'0') < 10
        || byte == b'_'
        || byte == b'$'
        || byte >= 0x80
}

/// Calls `each` with the lower-cased parts of a raw word: `HTTPServer_v2` gives `http` and
/// `server`. Parts of one character, like those of `v2`, are skipped as meaningless.
pub fn parts(word: &str, mut each: impl FnMut(&str)) {
    if word.len() > 4 * MAX_WORD_BYTES {
        return;
    }
    let mut start = 0;
    let mut previous = CharClass::Other;
    let mut chars = word.char_indices().peekable();
    while let Some((offset, c)) = chars.next() {
        let class = CharClass::new(c);
        let breaks = match (previous, class) {
            (CharClass::Other, _) | (_, CharClass::Other) => true,
            (CharClass::Digit, CharClass::Digit) => false,
            (CharClass::Digit, _) | (_, CharClass::Digit) => true,
            (CharClass::Lower, CharClass::Upper) => true,
            // The last capital of a run starts the next word: HTTPServer, but not URLs.
            (CharClass::Upper, CharClass::Upper) => {
                chars
                    .peek()
                    .is_some_and(|(_, next)| CharClass::new(*next) == CharClass::Lower)
                    && !is_plural(&word[offset + c.len_utf8()..])
            }
            (_, CharClass::Lower) => false,
        };
        if breaks {
            if previous != CharClass::Other {
                emit(&word[start..offset], &mut each);
            }
            start = offset;
        }
        previous = class;
    }
    if previous != CharClass::Other {
        emit(&word[start..], &mut each);
    }
}

/// Returns whether a run of capitals ends in a plural: `rest` of URLs or `getIDsOf` is an `s` that no
/// small letter follows.
fn is_plural(rest: &str) -> bool {
    let Some(after) = rest.strip_prefix('s') else {
        return false;
    };
    match after.chars().next() {
        Some(next) => CharClass::new(next) != CharClass::Lower,
        None => true,
    }
}

fn emit(part: &str, each: &mut impl FnMut(&str)) {
    let is_number = part.starts_with(|c: char| c.is_ascii_digit());
    let max_bytes = if is_number {
        MAX_DIGITS
    } else {
        MAX_WORD_BYTES
    };
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
enum CharClass {
    Lower,
    Upper,
    Digit,
    Other,
}

impl CharClass {
    fn new(c: char) -> Self {
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

/// Maximum number of cached stems of a thread; a full cache is cleared.
const MAX_STEMS: usize = 20_000;

/// Returns the term of a lower-cased part. Stems are cached: texts repeat their words, and to find a stem takes
/// ten times as long as to look one up.
pub(crate) fn term(part: &str) -> String {
    static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));
    thread_local! {
        static STEMS: RefCell<FxHashMap<String, String>> = RefCell::default();
    }
    STEMS.with_borrow_mut(|stems| {
        if let Some(stem) = stems.get(part) {
            return stem.clone();
        }
        if stems.len() >= MAX_STEMS {
            stems.clear();
        }
        let word = ABBREVIATIONS.get(part).copied().unwrap_or(part);
        let stem = STEMMER.stem(word).into_owned();
        stems.insert(part.to_owned(), stem.clone());
        stem
    })
}

/// Returns all terms of a text, in order.
pub fn terms(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    words(text, |word| parts(word, |part| found.push(term(part))));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut actual = Vec::new();
        words(text, |word| {
            parts(word, |part| actual.push(part.to_owned()))
        });
        assert_eq!(actual.join(" "), expected, "{text}");
    }

    #[test]
    fn identifiers_split_at_case_digits_and_underscores() {
        check(
            "HTTPServer parseJSON2 snake_case",
            "http server parse json snake case",
        );
        check(
            "URLs getIDsOf APIs2 HTTPStatus",
            "urls get ids of apis http status",
        );
        check("utf8 sha256sum __init__", "utf sha 256 sum init");
        check("don't a1b2 x", "don");
        check("Größe naïveÜber", "größe naïve über");
        check("error 404 at 20250115", "error 404 at");
    }

    #[test]
    fn abbreviations_and_inflections_are_one_term() {
        for words in [
            "repo repository repositories",
            "cfg config configuration configured",
        ] {
            let found = terms(words);
            assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{found:?}");
        }
        assert_eq!(term("retries"), term("retry"));
    }

    /// Reference implementation of [`words`].
    fn reference_words(text: &str) -> Vec<&str> {
        let is_word =
            |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
        text.split(|c| !is_word(c))
            .filter(|word| !word.is_empty())
            .collect()
    }

    proptest::proptest! {
        #[test]
        fn words_agree_with_a_reference_implementation(
            text in proptest::collection::vec("[a-cZ0-9_$ .é\\x00\\x7f@\\[`{/:]{0,40}", 0..8),
        ) {
            // Longer than one block, so that words cross block boundaries.
            let text = text.concat();
            let mut found = Vec::new();
            words(&text, |word| found.push(word));
            proptest::prop_assert_eq!(found, reference_words(&text));
        }

        #[test]
        fn any_text_splits_without_panic(text in "\\PC{0,100}") {
            for term in terms(&text) {
                proptest::prop_assert!(!term.is_empty());
            }
        }
    }
}
