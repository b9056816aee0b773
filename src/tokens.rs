//! Exact token counts with the vocabulary of current language models.
//!
//! The vocabulary takes about 60 ms to load; it is loaded at the first count.

/// The name of the vocabulary, reported with every count.
pub(crate) const NAME: &str = "o200k_base";

/// Returns the number of tokens in a text.
pub(crate) fn count(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
