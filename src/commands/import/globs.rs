//! Scope of a document by the globs in its frontmatter, as Cursor and Copilot use them.

use std::collections::BTreeSet;

use crate::markdown::frontmatter;
use crate::model::Scope;
use crate::syntax::language;

/// Keys of the globs in the frontmatter of different clients.
const KEYS: [&str; 3] = ["globs:", "applyTo:", "paths:"];

/// Returns the language scope of a document whose globs match all files of one language.
///
/// The frontmatter is read line by line, because `globs: *.py` is not valid YAML.
pub(super) fn scope(text: &str) -> Option<Scope> {
    let (block, _) = frontmatter::span(text)?;
    let mut list = String::new();
    let mut is_inside = false;
    for line in block.slice(text).lines() {
        let value = KEYS.iter().find_map(|key| line.strip_prefix(key));
        is_inside = value.is_some() || (is_inside && line.trim_start().starts_with('-'));
        if is_inside {
            list.push_str(value.unwrap_or_else(|| line.trim_start().trim_start_matches('-')));
            list.push(',');
        }
    }
    let mut languages = BTreeSet::new();
    for glob in expand(&list) {
        let (folder, name) = glob.rsplit_once('/').unwrap_or(("", &glob));
        let extension = name.strip_prefix("*.")?;
        if !folder.split('/').all(|part| matches!(part, "" | "**")) {
            return None;
        }
        languages.insert(language::from_scope(extension)?.first()?.as_str());
    }
    let language = languages.pop_first().filter(|_| languages.is_empty())?;
    Some(Scope::Language(language.to_owned()))
}

/// Returns the globs of a comma-separated list, with one level of braces expanded.
fn expand(list: &str) -> Vec<String> {
    let list: String = list.chars().filter(|c| !matches!(c, '"' | '\'' | '[' | ']')).collect();
    let mut globs = Vec::new();
    let mut rest = list.as_str();
    while !rest.is_empty() {
        let open = rest.find('{').filter(|open| !rest[..*open].contains(','));
        if let Some((open, close)) =
            open.and_then(|open| Some((open, rest[open..].find('}')? + open)))
        {
            let (prefix, choices) = (rest[..open].trim(), rest[open + 1..close].split(','));
            globs.extend(choices.map(|choice| format!("{prefix}{}", choice.trim())));
            rest = &rest[close + 1..];
        } else {
            let (glob, next) = rest.split_once(',').unwrap_or((rest, ""));
            globs.push(glob.trim().to_owned());
            rest = next;
        }
    }
    globs.retain(|glob| !glob.is_empty());
    globs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_of_one_language_are_its_scope() {
        let check = |globs: &str, expected: Option<&str>| {
            let found = scope(&format!("---\ndescription: x\n{globs}\n---\n- x\n"));
            assert_eq!(found.map(|scope| scope.to_string()).as_deref(), expected, "{globs}");
        };
        check("globs: **/*.go", Some("language:go"));
        check("globs: *.py", Some("language:python"));
        check("globs: [\"**/*.ts\", '*.tsx']", Some("language:typescript"));
        check("globs: **/*.{ts,tsx}", Some("language:typescript"));
        check("applyTo: \"**/*.rs\"", Some("language:rust"));
        check("globs:\n  - \"**/*.java\"\n  - '*.java'", Some("language:java"));
        for globs in
            ["globs: src/**/*.go", "globs: *.go, *.py", "globs: **/*.md", "globs:", "globs: {a"]
        {
            check(globs, None);
        }
    }
}
