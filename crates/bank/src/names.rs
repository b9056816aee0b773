//! Unused names of files, and ids of memories generated from text.

use cerberus_engine::rank::query::is_stop_word;
use cerberus_model::MemoryId;

/// Limits of generated ids. More words follow until one has a meaning of its own.
const MAX_WORDS: usize = 6;
const MAX_GENERATED_BYTES: usize = 48;

/// Returns `base` if it is free, else with the first number from 2 with which it is.
pub(crate) fn unused(base: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut name = base.to_owned();
    let mut n = 2;
    while is_taken(&name) {
        name = format!("{base}-{n}");
        n += 1;
    }
    name
}

/// Returns an id generated from the first words of the first paragraph of a text, without addresses.
pub(crate) fn from_text(text: &str) -> MemoryId {
    let mut id = String::new();
    let text = text.trim_start().split("\n\n").next().unwrap_or_default();
    let words = text
        .split_whitespace()
        .filter_map(|word| word.split("](").next());
    let text = words
        .filter(|word| !word.contains("://"))
        .collect::<Vec<_>>()
        .join(" ");
    // Apostrophes do not separate words: "user's" is one word.
    let text: String = text.chars().filter(|c| !matches!(c, '\'' | '’')).collect();
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    // The end of the last word that has a meaning of its own.
    let mut end = 0;
    let mut is_cut = false;
    for (n_words, word) in words.enumerate() {
        let word = word.to_lowercase();
        let is_enough = n_words >= MAX_WORDS && end == id.len();
        if !id.is_empty() && (is_enough || id.len() + word.len() >= MAX_GENERATED_BYTES) {
            is_cut = true;
            break;
        }
        if !id.is_empty() {
            id.push('-');
        }
        id.extend(word.chars().filter(|c| c.is_alphanumeric()));
        if !is_stop_word(&word) {
            end = id.len();
        }
    }
    // A short text is whole, and one without such words is cut anywhere.
    if is_cut && end > 0 {
        id.truncate(end);
    }
    // A sentence without spaces is one word.
    while id.len() > MAX_GENERATED_BYTES {
        id.pop();
    }
    id.parse().unwrap_or_else(|_| MemoryId::generic())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> String {
        from_text(text).to_string()
    }

    #[test]
    fn generated_ids_are_readable() {
        assert_eq!(
            id("Hash passwords; never store plain text, ever."),
            "hash-passwords-never-store-plain-text"
        );
        assert_eq!(
            id("Write [good Go](https://go.dev/doc) https://a.b/c\n\nMore"),
            "write-good-go"
        );
        assert_eq!(
            id("Validate a request before anything is written to a file"),
            "validate-a-request-before-anything-is-written"
        );
        assert_eq!(
            id("Check configuration values that arrive from the outside"),
            "check-configuration-values-that-arrive"
        );
        assert_eq!(id("Name things well"), "name-things-well");
        assert_eq!(id("Größe в 日本語"), "größe-в-日本語");
        assert_eq!(id(&"語".repeat(100)), "語".repeat(16));
        assert_eq!(id("Con"), "memory");
    }

    proptest::proptest! {
        #[test]
        fn generated_ids_are_valid(text in "\\PC{0,200}") {
            proptest::prop_assert!(id(&text).parse::<MemoryId>().is_ok());
        }
    }
}
