//! Patterns as text: YAML documents in the form of ast-grep's rules.

use cerberus_markdown::frontmatter::to_yaml;
use cerberus_model::Language;
use cerberus_model::languages::{LANGUAGES, LanguageNames};

use crate::code_pattern::{self, CodePattern};

/// Limit on the size of the patterns of a memory, in bytes.
const MAX_BYTES: usize = 16 * 1024;
const MAX_DOCUMENTS: usize = 20;

/// Reads the patterns of a memory and checks that they compile. The error says what is wrong.
pub fn parse(text: &str) -> Result<Vec<CodePattern>, String> {
    if text.len() > MAX_BYTES {
        return Err(format!("it is longer than {} KB", MAX_BYTES / 1024));
    }
    let mut patterns = Vec::new();
    for document in text.split("\n---").map(|it| it.trim_start_matches("---")) {
        if document.trim().is_empty() {
            continue;
        }
        let options = serde_saphyr::options! { with_snippet: false };
        let read: CodePattern =
            serde_saphyr::from_str_with_options(document, options).map_err(|error| {
                error
                    .to_string()
                    .lines()
                    .next()
                    .unwrap_or_default()
                    .to_owned()
            })?;
        for language in languages(&read.language)? {
            code_pattern::compile(&read, language)?;
        }
        patterns.push(read);
    }
    match patterns.len() {
        0 => Err("it is empty".to_owned()),
        1..=MAX_DOCUMENTS => Ok(patterns),
        _ => Err(format!("it has more than {MAX_DOCUMENTS} documents")),
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
        let language = fence_language(&name.trim().to_ascii_lowercase());
        found.push(language.ok_or_else(|| {
            let known: Vec<&str> = LANGUAGES.values().map(|it| it.ast_grep.as_str()).collect();
            format!(
                "unknown language `{}`: expected one of {}",
                name.trim(),
                known.join(", ")
            )
        })?);
    }
    found.dedup();
    Ok(found)
}

/// Returns the language of a code block, or of a rule of ast-grep.
pub(super) fn fence_language(name: &str) -> Option<Language> {
    let mut all = LANGUAGES.iter();
    all.find(|(_, it)| it.fences.iter().any(|fence| fence == name))
        .map(|(language, _)| *language)
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
        let is_verb = *word == "Go"
            && words
                .get(idx + 1)
                .is_some_and(|next| GO_VERB.contains(next));
        let names_it = |names: &LanguageNames| names.words.iter().any(|name| name == word);
        let all = LANGUAGES
            .iter()
            .filter(|(_, names)| !is_verb && names_it(names));
        found.extend(all.map(|(language, _)| *language));
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
