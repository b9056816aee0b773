//! Where the rules of a document hold: in its folder, and in the files that the globs in its
//! frontmatter match, as Cursor, Copilot and Claude Code use them.

use std::collections::BTreeSet;

use cerberus_engine::syntax::language;
use cerberus_engine::tree::documents;
use cerberus_markdown::frontmatter;
use cerberus_model::{Scope, glob_fault, split_globs};

/// Keys of the globs in the frontmatter of different clients. In Cursor's `globs`, one without a `/`
/// matches in every folder; the documentations of Copilot (`applyTo`) and Claude Code (`paths`) say
/// that `*.py` matches in the root only.
const KEYS: [&str; 3] = [ANY_FOLDER_KEY, "applyTo:", "paths:"];
const ANY_FOLDER_KEY: &str = "globs:";

/// Globs that match all files. `*` is one of them, because people write it for all files.
const EVERYTHING: [&str; 4] = ["*", "**", "**/*", "**/**"];

/// Folders of documents about the folder around them.
const DOCUMENT_FOLDERS: [&str; 3] = ["doc", "docs", "documentation"];

/// Where the rules of a document hold.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// The language of all files that the globs match.
    pub(super) scope: Option<Scope>,
    /// Globs from the project's root; empty for the whole project.
    pub(super) paths: Vec<String>,
    /// The globs of the document that match nothing, each with its line and the reason.
    pub(super) faults: Vec<(usize, String)>,
}

impl Place {
    /// Returns the place of the document at `file`.
    pub(super) fn of(file: &str, text: &str) -> Self {
        let folder = folder(file);
        let globs = globs(text);
        let scope = language_scope(&globs);
        let paths = match folder {
            "" if globs.is_empty() => Vec::new(),
            _ if globs.is_empty() => vec![format!("{folder}/**")],
            _ => globs.iter().map(|glob| from_root(folder, glob)).collect(),
        };
        // The globs are in the order of their lines.
        let lines: Vec<&str> = text.lines().collect();
        let mut line_idx = 0;
        let mut faults = Vec::new();
        for glob in &globs {
            if let Some(fault) = glob_fault(glob) {
                let mut after = lines[line_idx..].iter();
                line_idx += after.position(|line| line.contains(glob)).unwrap_or(0);
                let fault = format!("the glob `{glob}` is invalid: {fault}");
                faults.push((line_idx + 1, fault));
            }
        }
        Self {
            scope,
            paths,
            faults,
        }
    }
}

/// Returns the folder that a document holds for; empty for the whole project.
pub(super) fn folder(file: &str) -> &str {
    let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
    let is_folder_rule_file = documents::is_folder_rule_file(name);
    let mut end = 0;
    for part in folder.split('/') {
        let is_about_parent = !is_folder_rule_file && DOCUMENT_FOLDERS.contains(&part);
        if part.starts_with('.') || is_about_parent {
            break;
        }
        end += part.len() + 1;
    }
    &folder[..end.saturating_sub(1).min(folder.len())]
}

/// Returns the globs in the frontmatter of a document, without those that match all files.
///
/// The frontmatter is read line by line, because `globs: *.py` is not valid YAML.
fn globs(text: &str) -> Vec<String> {
    let Some((block, _)) = frontmatter::span(text) else {
        return Vec::new();
    };
    let mut list = String::new();
    let mut is_inside = false;
    let mut is_from_root = false;
    for line in block.slice(text).lines() {
        if let Some(("alwaysApply", value)) = line.split_once(':')
            && value.trim() == "true"
        {
            return Vec::new();
        }
        if let Some(key) = KEYS.iter().find(|key| line.starts_with(**key)) {
            is_inside = true;
            is_from_root |= *key != ANY_FOLDER_KEY;
            list.push_str(&line[key.len()..]);
            list.push(',');
        } else if is_inside && line.trim_start().starts_with('-') {
            list.push_str(line.trim_start().trim_start_matches('-'));
            list.push(',');
        } else {
            is_inside = false;
        }
    }
    list.retain(|c| !matches!(c, '"' | '\'') && !c.is_control());
    if list.trim_start().starts_with('[') {
        list.retain(|c| !matches!(c, '[' | ']'));
    }
    let mut globs = Vec::new();
    for glob in split_globs(&list) {
        if EVERYTHING.contains(&glob) {
            return Vec::new();
        }
        globs.push(match glob.strip_prefix('!') {
            _ if !is_from_root || glob.contains('/') => glob.to_owned(),
            Some(excluded) => format!("!/{excluded}"),
            None => format!("/{glob}"),
        });
    }
    globs
}

/// Returns a glob of a document as a glob from the project's root.
fn from_root(folder: &str, glob: &str) -> String {
    if let Some(excluded) = glob.strip_prefix('!') {
        return format!("!{}", from_root(folder, excluded));
    }
    let relative = glob.trim_start_matches("./");
    let path = relative.trim_start_matches('/');
    let is_rooted = relative.starts_with('/');
    let is_name = !path.contains('/');
    let prefix = format!("{folder}/");
    if folder.is_empty() || path.starts_with(&prefix) {
        return match is_rooted && is_name {
            true => format!("/{path}"),
            false => path.to_owned(),
        };
    }
    match is_name && !is_rooted {
        true => format!("{prefix}**/{path}"),
        false => format!("{prefix}{path}"),
    }
}

/// Returns the language if the globs match all files of one language.
fn language_scope(globs: &[String]) -> Option<Scope> {
    let mut languages = BTreeSet::new();
    for glob in globs.iter().flat_map(|glob| expand(glob)) {
        let (folder, name) = glob.rsplit_once('/').unwrap_or(("", &glob));
        let extension = name.strip_prefix("*.").filter(|_| !glob.starts_with('/'))?;
        if !folder.split('/').all(|part| matches!(part, "" | "**")) {
            return None;
        }
        languages.insert(language::from_scope(extension)?.first()?.as_str());
    }
    let language = languages.pop_first().filter(|_| languages.is_empty())?;
    Some(Scope::Language(language.to_owned()))
}

/// Returns the globs that a glob with braces represents; inner braces are not expanded.
fn expand(glob: &str) -> Vec<String> {
    match glob
        .split_once('{')
        .and_then(|(prefix, rest)| Some((prefix, rest.split_once('}')?)))
    {
        Some((prefix, (choices, suffix))) => choices
            .split(',')
            .map(|choice| format!("{prefix}{}{suffix}", choice.trim()))
            .collect(),
        None => vec![glob.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(file: &str, frontmatter: &str) -> String {
        let place = Place::of(
            file,
            &format!("---\ndescription: x\n{frontmatter}\n---\n- x\n"),
        );
        let scope = place
            .scope
            .map(|scope| scope.to_string())
            .unwrap_or_default();
        format!("{scope} {}", place.paths.join(" "))
            .trim()
            .to_owned()
    }

    #[test]
    fn globs_of_one_language_are_its_scope_and_its_paths() {
        let check = |globs: &str, expected: &str| {
            assert_eq!(place("x.mdc", globs), expected, "{globs}");
        };
        check("globs: **/*.go", "language:go **/*.go");
        check("globs: *.py", "language:python *.py");
        check(
            "globs: [\"**/*.ts\", '*.tsx']",
            "language:typescript **/*.ts *.tsx",
        );
        check("globs: **/*.{ts,tsx}", "language:typescript **/*.{ts,tsx}");
        check("applyTo: \"**/*.rs\"", "language:rust **/*.rs");
        check(
            "globs:\n  - \"**/*.java\"\n  - '*.java'",
            "language:java **/*.java *.java",
        );
    }

    #[test]
    fn other_globs_are_paths() {
        let check = |file: &str, globs: &str, expected: &str| {
            assert_eq!(place(file, globs), expected, "{file} {globs}");
        };
        check(".cursor/rules/x.mdc", "globs: src/**/*.go", "src/**/*.go");
        check("x.mdc", "globs: *.go, *.py", "*.go *.py");
        check(
            "x.mdc",
            "globs: **/*.{md,mdx}, !docs/**",
            "**/*.{md,mdx} !docs/**",
        );
        check(
            ".github/instructions/x.instructions.md",
            "applyTo: '*.py'",
            "/*.py",
        );
        check(
            ".claude/rules/x.md",
            "paths: ['*.md', '**/*.mdx']",
            "/*.md **/*.mdx",
        );
        check("web/.claude/rules/x.md", "paths: '*.md'", "web/*.md");
        check("x.mdc", "globs:", "");
        check("x.mdc", "applyTo: '**'", "");
        check("x.mdc", "globs: src/**\nalwaysApply: true", "");
        check(
            "web/.claude/rules/x.md",
            "paths:\n  - \"src/**/*.ts\"",
            "web/src/**/*.ts",
        );
        check(
            "web/.cursor/rules/x.mdc",
            "globs: web/src/**, *.css",
            "web/src/** web/**/*.css",
        );
        check(
            "web/.cursor/rules/x.mdc",
            "globs: *.go",
            "language:go web/**/*.go",
        );
    }

    #[test]
    fn a_nested_document_holds_for_its_folder() {
        for (file, expected) in [
            ("AGENTS.md", ""),
            ("src/api/AGENTS.md", "src/api/**"),
            (".github/copilot-instructions.md", ""),
            ("web/.cursorrules", "web/**"),
            (".claude/CLAUDE.md", ""),
            ("docs/style.md", ""),
            ("web/docs/style.md", "web/**"),
            ("docs/AGENTS.md", "docs/**"),
        ] {
            assert_eq!(place(file, ""), expected, "{file}");
        }
    }
}
