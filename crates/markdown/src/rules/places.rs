//! Where the rules below a heading hold: in files of the language or of the folder that it names.
//!
//! "Python style" and "Backend (`backend/`)" say where their rules hold, "Migrating from Python" does
//! not. So each word of a heading beside the name has to be a topic, or the name is in parentheses. A
//! folder has to exist in the project, and so does a file of the language.

use std::collections::BTreeSet;

use cerberus_model::languages::LANGUAGES;
use cerberus_prose::lists::{DOCUMENTS, RULE_TITLES, TOPICS};
use cerberus_prose::wording::words;

use super::RuleItem;

/// Separates the headings of an item.
pub(super) const SEPARATOR: &str = " › ";

/// Words before a folder at the start of a text that holds in it: "In `packages/api`, …".
const IN: [&str; 4] = ["In ", "Inside ", "Under ", "Within "];

/// Words for a folder that follow its name: "the api package".
const FOLDER_NOUNS: [&str; 6] = [
    "package",
    "crate",
    "module",
    "folder",
    "directory",
    "workspace",
];

/// Where a rule holds, according to its headings and its first words.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Place {
    /// The name of a language, as in `language:NAME`.
    pub language: Option<String>,
    /// The folder, without a `/` at the end.
    pub folder: Option<String>,
}

impl Place {
    /// Returns the place of an item in a project with some files, which are paths from the root.
    pub fn of(item: &RuleItem, files: &[String]) -> Self {
        let mut place = Self::default();
        for heading in item.heading.rsplit(SEPARATOR) {
            if place.language.is_none() {
                place.language = language(heading, files);
            }
            if place.folder.is_none() {
                place.folder = folder(heading, files);
            }
        }
        if let Some(folder) = first_folder(&item.text, files) {
            place.folder = Some(folder);
        }
        place
    }
}

/// Returns the only language that a heading is about.
fn language(heading: &str, files: &[String]) -> Option<String> {
    let (outside, inside) = match heading.split_once('(') {
        Some((outside, inside)) => (outside, inside.split(')').next().unwrap_or_default()),
        None => (heading, ""),
    };
    let is_topic = words(outside).iter().all(|word| {
        let is_known = TOPICS.contains(word) || DOCUMENTS.contains(word);
        is_known || RULE_TITLES.contains(word) || scope_of(word).is_some()
    });
    let mut named = BTreeSet::new();
    for word in words(inside) {
        named.extend(scope_of(&word));
    }
    if is_topic && named.is_empty() {
        for word in words(outside) {
            named.extend(scope_of(&word));
        }
    }
    let name = named.pop_first().filter(|_| named.is_empty())?;
    has_file_of(&name, files).then_some(name)
}

/// Returns the first name of the language that a word is a name of.
fn scope_of(word: &str) -> Option<String> {
    if word.len() < 2 {
        return None;
    }
    for (language, names) in LANGUAGES.iter() {
        let is_name = names.words.iter().any(|name| name.to_lowercase() == word);
        if is_name && names.scopes.iter().any(|scope| scope == word) {
            return Some(language.as_str().to_owned());
        }
    }
    None
}

fn has_file_of(scope: &str, files: &[String]) -> bool {
    let mut extensions = LANGUAGES
        .values()
        .filter(|names| names.scopes.iter().any(|name| name == scope))
        .flat_map(|names| &names.extensions);
    extensions.any(|extension| {
        files.iter().any(|file| {
            let name = file.strip_suffix(extension.as_str());
            name.is_some_and(|name| name.ends_with('.'))
        })
    })
}

/// Returns the folder that a heading names, as a path or before a word such as "package".
fn folder(heading: &str, files: &[String]) -> Option<String> {
    let all: Vec<&str> = heading.split_whitespace().map(bare).collect();
    for (word_idx, word) in all.iter().enumerate() {
        let next = all.get(word_idx + 1).map(|next| next.to_lowercase());
        let is_path = word.contains('/');
        let is_name = next.is_some_and(|next| FOLDER_NOUNS.contains(&next.as_str()));
        if is_path || is_name {
            return existing(word, files);
        }
    }
    None
}

/// Returns the folder in which a text says that it holds.
fn first_folder(text: &str, files: &[String]) -> Option<String> {
    for word in IN {
        let Some(rest) = text.strip_prefix(word) else {
            continue;
        };
        let first = rest.split_whitespace().next().unwrap_or_default();
        if first.contains(['`', '/']) {
            return existing(bare(first), files);
        }
    }
    None
}

/// Returns a word without the marks around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '/' | '_' | '.' | '@' | '-')))
}

/// Returns a folder with files, without the glob or the `/` at its end. A name without a `/` may be the
/// last part of the path of one folder.
fn existing(path: &str, files: &[String]) -> Option<String> {
    let path = path.trim_end_matches(['*', '/', ':', '.']);
    let path = path.trim_start_matches("./").trim_start_matches('/');
    if path.is_empty() {
        return None;
    }
    let prefix = format!("{path}/");
    if files.iter().any(|file| file.starts_with(&prefix)) {
        return Some(path.to_owned());
    }
    let inner = format!("/{prefix}");
    let mut found = BTreeSet::new();
    for file in files {
        if let Some(at) = file.find(&inner) {
            found.insert(&file[..at + inner.len() - 1]);
        }
    }
    let folder = found.pop_first().filter(|_| found.is_empty())?;
    Some(folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(heading: &str, text: &str, expected: &str) {
        let files = [
            "web/app.ts",
            "tools/gen.py",
            "packages/api/src/a.ts",
            "README.md",
        ];
        let files = files.map(str::to_owned);
        let item = RuleItem {
            heading: heading.to_owned(),
            text: text.to_owned(),
            ..RuleItem::default()
        };
        let place = Place::of(&item, &files);
        let folder = place.folder.unwrap_or_default();
        let shown = format!("{} {folder}", place.language.unwrap_or_default());
        assert_eq!(shown.trim(), expected, "{heading}: {text}");
    }

    #[test]
    fn headings_name_languages() {
        check("Frontend (React/TypeScript) Standards", "x", "typescript");
        check("Python style guide", "x", "python");
        check("Python › Testing", "x", "python");
        check("TypeScript and Python", "x", "");
        check("Rust code style", "x", "");
        check("Migration from Python to Go", "x", "");
    }

    #[test]
    fn headings_and_first_words_name_folders() {
        check("Web (`web/`)", "x", "web");
        check("The api package", "x", "packages/api");
        check("Rules for packages/api/**", "x", "packages/api");
        check("Style", "In `packages/api`, use x", "packages/api");
        check("Style", "In general, use x", "");
        check("The mobile package", "x", "");
    }
}
