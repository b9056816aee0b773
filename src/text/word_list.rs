//! Lists of words as constants.

/// A set of words, written as one string with white space between the words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WordList(pub(crate) &'static str);

impl WordList {
    /// Returns whether `word` is in the list, ignoring the case of ASCII letters.
    pub(crate) fn contains(self, word: &str) -> bool {
        self.0.split_ascii_whitespace().any(|listed| listed.eq_ignore_ascii_case(word))
    }

    /// Returns whether any of `words` is in the list.
    pub(crate) fn contains_any(self, words: &[String]) -> bool {
        words.iter().any(|word| self.contains(word))
    }
}
