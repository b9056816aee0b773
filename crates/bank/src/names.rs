//! Validation of memory ids and files, and ids generated from text.
//!
//! An id is also a path in the bank, so it must be a safe path on every platform.

use cerberus_engine::rank::query::is_stop_word;
use cerberus_model::error::UserError;

/// Maximum length of an id; every file system supports it.
const MAX_BYTES: usize = 120;

/// Limits of generated ids. More words follow until one has a meaning of its own.
const MAX_WORDS: usize = 6;
const MAX_GENERATED_BYTES: usize = 48;

/// Names that are reserved for devices on Windows.
const RESERVED: &[&str] = &[
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "lpt1", "lpt2", "lpt3",
];

/// Checks that `id` is a valid memory id.
pub fn check(id: &str) -> Result<(), UserError> {
    let refuse = |why: &str| {
        UserError::usage(format!(
            "`{}` is not a valid memory id: {why}",
            id.escape_debug()
        ))
        .hint("use letters, digits, `-`, `_`, `.` and `/` for folders, as in `db/close-sessions`")
    };
    if id.is_empty() {
        return Err(refuse("it is empty"));
    }
    if id.len() > MAX_BYTES {
        return Err(refuse("it has more than 120 bytes"));
    }
    for c in id.chars() {
        if !c.is_alphanumeric() && !matches!(c, '-' | '_' | '.' | '/') {
            let shown = c.escape_debug();
            return Err(refuse(&format!("`{shown}` is not allowed in it")));
        }
    }
    for part in id.split('/') {
        if part.is_empty() || part.starts_with('.') || part.ends_with('.') {
            return Err(refuse(
                "no part of it may be empty or start or end with a dot",
            ));
        }
        // Names of devices on Windows, whatever the ending.
        let stem = part.split('.').next().unwrap_or(part);
        let is_device = RESERVED.iter().any(|name| stem.eq_ignore_ascii_case(name));
        if is_device || part == super::INDICES {
            return Err(refuse(&format!("`{part}` is reserved")));
        }
    }
    Ok(())
}

/// Returns `base` if it is free, else with the first number from 2 with which it is.
pub fn unused(base: String, is_taken: impl Fn(&str) -> bool) -> String {
    let mut numbered = (2..).map(|n| format!("{base}-{n}"));
    if !is_taken(&base) {
        return base;
    }
    numbered
        .find(|id| !is_taken(id))
        .expect("there are infinitely many numbers")
}

/// Returns an id generated from the first words of the first paragraph of a text, without addresses.
pub fn from_text(text: &str) -> String {
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
    if id.is_empty() || check(&id).is_err() {
        "memory".to_owned()
    } else {
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_with_unsafe_paths_are_rejected() {
        for id in ["a", "close-sessions", "db/close", "v1.2", "größe"] {
            assert!(check(id).is_ok(), "{id}");
        }
        for id in [
            "",
            "..",
            "../x",
            "/x",
            "a//b",
            "a\nb",
            "a b",
            ".x",
            "x.",
            "NUL",
            "con.md",
            "a\\b",
            "indices/x",
        ] {
            assert!(check(id).is_err(), "{id:?}");
        }
    }

    #[test]
    fn generated_ids_are_readable() {
        assert_eq!(
            from_text("Hash passwords; never store plain text, ever."),
            "hash-passwords-never-store-plain-text"
        );
        assert_eq!(
            from_text("Write [good Go](https://go.dev/doc) https://a.b/c\n\nMore"),
            "write-good-go"
        );
        assert_eq!(
            from_text("Validate a request before anything is written to a file"),
            "validate-a-request-before-anything-is-written"
        );
        assert_eq!(
            from_text("Check configuration values that arrive from the outside"),
            "check-configuration-values-that-arrive"
        );
        assert_eq!(from_text("Name things well"), "name-things-well");
        assert_eq!(from_text("Größe в 日本語"), "größe-в-日本語");
        assert_eq!(from_text(&"語".repeat(100)), "語".repeat(16));
        assert_eq!(from_text("Con"), "memory");
    }

    proptest::proptest! {
        #[test]
        fn generated_ids_are_valid(text in "\\PC{0,200}") {
            proptest::prop_assert!(check(&from_text(&text)).is_ok());
        }
    }
}
