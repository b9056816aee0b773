//! Whether the words of a sentence are known: whether it is in English.
//!
//! What a sentence says of a name is read from its words. In another language nothing is known of it, so that
//! "use" and "never use" look the same. Nearly all sentences of English documents have one of the commonest words
//! (in 695 of the 700 of `benches/check/stance.jsonl`), and sentences in other languages have almost none.

use crate::lists::{ENGLISH, SHARED};

/// Minimum number of unknown words of a sentence in another language, and of them for each known one.
const MIN_UNKNOWN: usize = 2;
const UNKNOWN_FOR_KNOWN: usize = 4;

/// Minimum number of words that show that a sentence is English, whatever the document is.
const MIN_ENGLISH: usize = 4;

/// The number of unknown words for each known one with which a document is in another language.
const UNKNOWN_OF_DOCUMENT: usize = 2;

/// Number of characters of a word in a script without spaces.
const WIDE_WORD: usize = 2;

/// The words of a text, without names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Words {
    known: usize,
    unknown: usize,
}

/// The language of a sentence: English, another one, or too few words to decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    English,
    Other,
    /// It has too few words.
    Unclear,
}

impl Words {
    pub fn of(text: &str) -> Self {
        let mut found = Self::default();
        let mut is_first = true;
        for token in text.split(|c: char| c.is_whitespace() || "-–—/|,;()[]".contains(c)) {
            let word = token.trim_matches(|c: char| !c.is_alphanumeric());
            if !word.is_empty() {
                found.add(word, is_first);
            }
            is_first = token.ends_with(['.', '!', '?', ':', '*']) || (is_first && word.is_empty());
        }
        found
    }

    pub fn and(self, other: Self) -> Self {
        Self {
            known: self.known + other.known,
            unknown: self.unknown + other.unknown,
        }
    }

    /// Counts a word. One with digits, marks or capitals is a name.
    fn add(&mut self, word: &str, is_first: bool) {
        let is_part = |c: char| c.is_alphabetic() || matches!(c, '\'' | '’');
        let lower = word.to_lowercase().replace('’', "'");
        let has_humps = word.chars().skip(1).any(char::is_uppercase);
        let is_capital = word.chars().next().is_some_and(char::is_uppercase);
        let n_wide = word.chars().filter(|c| is_other_script(*c)).count();
        match () {
            () if ENGLISH.contains(&lower) => self.known += 1,
            () if n_wide > 0 => self.unknown += n_wide.div_ceil(WIDE_WORD),
            () if !word.chars().all(is_part) || has_humps || (is_capital && !is_first) => {}
            () if word.chars().count() == 1 || SHARED.contains(&lower) => {}
            () => self.unknown += 1,
        }
    }

    /// Returns the language of a sentence.
    pub fn language(self) -> Language {
        match self {
            Self { known, unknown }
                if unknown >= MIN_UNKNOWN && unknown >= known * UNKNOWN_FOR_KNOWN =>
            {
                Language::Other
            }
            Self { known, unknown } if known + unknown >= MIN_ENGLISH => Language::English,
            _ => Language::Unclear,
        }
    }

    /// Returns whether the words of a whole document are of another language, as far as it matters to a sentence
    /// that has few words itself.
    pub fn is_other_around(self, sentence: Self) -> bool {
        let is_alone = self.known == 0 && sentence.unknown > 0;
        let is_other = self.unknown >= self.known * UNKNOWN_OF_DOCUMENT;
        is_alone || (self.unknown >= MIN_UNKNOWN && is_other)
    }
}

/// Returns whether a letter is of another script than the Latin one. A single Greek letter is a symbol.
fn is_other_script(c: char) -> bool {
    c.is_alphabetic() && (c >= '\u{400}' || ('\u{370}'..'\u{400}').contains(&c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_without_common_words_is_in_another_language() {
        let check = |text: &str, expected| {
            assert_eq!(
                Words::of(text).language(),
                expected,
                "{text}: {:?}",
                Words::of(text)
            );
        };
        for text in [
            "Rufe niemals auf",
            "Il ne faut surtout pas appeler",
            "Nunca llames a en las pruebas",
            "Nie wywołuj",
            "絶対に呼び出さないこと",
            "请勿调用",
            "Никогда не вызывайте",
            "호출하지 마세요",
        ] {
            check(text, Language::Other);
        }
        for text in [
            "Read the rows of a shop before you write",
            "The Koa server of Outline and its workers",
        ] {
            check(text, Language::English);
        }
        for text in ["", "Koa", "See", "v1.2 of PostgreSQL", "MyClass λ"] {
            check(text, Language::Unclear);
        }
    }

    #[test]
    fn a_document_is_in_another_language_if_most_of_its_words_are_unknown() {
        let check = |document: &str, sentence: &str, expected| {
            let found = Words::of(document).is_other_around(Words::of(sentence));
            assert_eq!(found, expected, "{document}: {sentence}");
        };
        check("Regeln. Niemals", "Niemals", true);
        check("Niemals", "Niemals", true);
        check("Regeln, verboten", "", true);
        check("See it. Kubernetes", "Kubernetes", false);
        check("Kubernetes", "", false);
        check("", "", false);
    }
}
