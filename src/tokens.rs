//! Exact token counts with the vocabulary of current language models.
//!
//! Loading the vocabulary takes some 60 ms, so that it happens at the first count
//! and in no command that counts nothing.

/// The vocabulary's name, which goes with every count.
pub(crate) const NAME: &str = "o200k_base";

/// Returns how many tokens a text has.
pub(crate) fn count(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_the_reference() {
        // Counted with the reference implementation of o200k_base.
        for (text, expected) in [("", 0), ("hello world", 2), ("fn main() {}\n", 5), ("日本語", 2)] {
            assert_eq!(count(text), expected, "{text}");
        }
    }
}
