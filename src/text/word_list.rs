//! Lists of words as statics.

use std::sync::OnceLock;

use rustc_hash::FxHashSet;

/// A set of words in lower case, written as one string with white space between the words.
#[derive(Debug)]
pub(crate) struct WordList {
    text: &'static str,
    /// Built at the first use: a document of 10,000 items causes millions of look-ups.
    words: OnceLock<FxHashSet<&'static str>>,
}

impl WordList {
    pub(crate) const fn new(text: &'static str) -> Self {
        Self { text, words: OnceLock::new() }
    }

    /// Returns whether `word` is in the list, ignoring the case of ASCII letters.
    pub(crate) fn contains(&self, word: &str) -> bool {
        let words = self.words.get_or_init(|| self.text.split_ascii_whitespace().collect());
        if word.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return words.contains(word.to_ascii_lowercase().as_str());
        }
        words.contains(word)
    }

    /// Returns whether any of `words` is in the list.
    pub(crate) fn contains_any(&self, words: &[String]) -> bool {
        words.iter().any(|word| self.contains(word))
    }
}
