//! The names of languages and of their files. The names are in `languages.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::Language;

/// The names of a language, which `languages.toml` explains.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LanguageNames {
    pub extensions: Vec<String>,
    pub scopes: Vec<String>,
    pub fences: Vec<String>,
    pub ast_grep: String,
    pub words: Vec<String>,
}

/// The names of all languages, read at the first use.
pub static LANGUAGES: LazyLock<BTreeMap<Language, LanguageNames>> = LazyLock::new(|| {
    toml::from_str(include_str!("languages.toml")).expect("a test parses the languages")
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_has_names() {
        let named: Vec<Language> = LANGUAGES.keys().copied().collect();
        assert_eq!(named, Language::ALL);
        for names in LANGUAGES.values() {
            assert!(
                names.fences.contains(&names.ast_grep.to_lowercase()),
                "{names:?}"
            );
        }
    }
}
