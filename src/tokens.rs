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
        // The figures that the vocabulary's authors publish for o200k_base.
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
    fn counts_are_those_of_tiktoken() {
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
