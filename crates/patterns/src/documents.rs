//! Patterns as text: YAML documents in the form of ast-grep's rules.

use cerberus_markdown::frontmatter::to_yaml;
use cerberus_model::Language;
use cerberus_model::languages::LANGUAGES;

use crate::code_pattern::{self, CodePattern};

/// Limit on the size of the patterns of a memory, in bytes.
const MAX_BYTES: usize = 16 * 1024;
const MAX_DOCUMENTS: usize = 20;

/// Reads the patterns of a memory and checks that they compile. The error names the fault.
pub fn parse(text: &str) -> Result<Vec<CodePattern>, String> {
    if text.len() > MAX_BYTES {
        return Err(format!("it is longer than {} KB", MAX_BYTES / 1024));
    }
    let mut patterns = Vec::new();
    for document in text.split("\n---") {
        let document = document.trim_start_matches("---");
        if document.trim().is_empty() {
            continue;
        }
        let pattern = parse_one(document)?;
        for language in languages(&pattern.language)? {
            code_pattern::compile(&pattern, language)?;
        }
        patterns.push(pattern);
    }
    match patterns.len() {
        0 => Err("it is empty".to_owned()),
        1..=MAX_DOCUMENTS => Ok(patterns),
        _ => Err(format!("it has more than {MAX_DOCUMENTS} documents")),
    }
}

fn parse_one(document: &str) -> Result<CodePattern, String> {
    let options = serde_saphyr::options! { with_snippet: false };
    match serde_saphyr::from_str_with_options(document, options) {
        Ok(pattern) => Ok(pattern),
        Err(error) => {
            let message = error.to_string();
            Err(message.lines().next().unwrap_or_default().to_owned())
        }
    }
}

/// Returns patterns as text that [`parse`] reads.
pub fn render(patterns: &[CodePattern]) -> String {
    let documents: Vec<String> = patterns.iter().map(to_yaml).collect();
    documents.join("---\n")
}

/// Returns the languages of a comma-separated list.
pub(super) fn languages(names: &str) -> Result<Vec<Language>, String> {
    let mut found = Vec::new();
    for name in names.split(',') {
        let name = name.trim();
        let Some(language) = fence_language(&name.to_ascii_lowercase()) else {
            let names = LANGUAGES.values().map(|names| names.ast_grep.as_str());
            let known = names.collect::<Vec<_>>().join(", ");
            return Err(format!(
                "unknown language `{name}`: expected one of {known}"
            ));
        };
        found.push(language);
    }
    found.dedup();
    Ok(found)
}

/// Returns the language of a code block, or of a rule of ast-grep.
pub(super) fn fence_language(name: &str) -> Option<Language> {
    for (language, names) in LANGUAGES.iter() {
        if names.fences.iter().any(|fence| fence == name) {
            return Some(*language);
        }
    }
    None
}

/// Words after "Go" where it is the verb, not the language.
const GO_VERB: &[&str] = &[
    "to", "with", "for", "through", "back", "ahead", "straight", "directly", "beyond", "over",
];

/// Returns the languages that a text names.
pub fn named_languages(text: &str) -> Vec<Language> {
    let words: Vec<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '#' | '+')))
        .filter(|word| !word.is_empty())
        .collect();
    let mut found = Vec::new();
    for (idx, word) in words.iter().enumerate() {
        let next = words.get(idx + 1).copied().unwrap_or_default();
        if *word == "Go" && GO_VERB.contains(&next) {
            continue;
        }
        for (language, names) in LANGUAGES.iter() {
            if names.words.iter().any(|name| name == word) {
                found.push(*language);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_named() {
        let web = vec![Language::JavaScript, Language::TypeScript, Language::Tsx];
        assert_eq!(named_languages("Do not add TypeScript `any`"), web);
        assert_eq!(
            named_languages("Go code, Rust"),
            [Language::Go, Language::Rust]
        );
        assert_eq!(named_languages("Go through it; rust, java"), []);
    }
}
