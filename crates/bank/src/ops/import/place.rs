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
        let (lines, mut line_idx) = (text.lines().collect::<Vec<_>>(), 0);
        let fault = |glob: &String| {
            let fault = glob_fault(glob)?;
            let after = lines[line_idx..]
                .iter()
                .position(|line| line.contains(glob.as_str()));
            line_idx += after.unwrap_or(0);
            Some((
                line_idx + 1,
                format!("the glob `{glob}` is invalid: {fault}"),
            ))
        };
        Self {
            scope,
            paths,
            faults: globs.iter().filter_map(fault).collect(),
        }
    }
}

/// Returns the folder that a document holds for; empty for the whole project.
pub(super) fn folder(file: &str) -> &str {
    let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
    let is_about_parent =
        |part: &str| !documents::is_folder_rule_file(name) && DOCUMENT_FOLDERS.contains(&part);
    let mut end = 0;
    for part in folder.split('/') {
        if part.starts_with('.') || is_about_parent(part) {
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
    let (mut is_inside, mut is_from_root) = (false, false);
    for line in block.slice(text).lines() {
        if line
            .split_once(':')
            .is_some_and(|(key, value)| key == "alwaysApply" && value.trim() == "true")
        {
            return Vec::new();
        }
        let key = KEYS.iter().find(|key| line.starts_with(**key));
        let value = key.map(|key| &line[key.len()..]);
        is_from_root |= key.is_some_and(|key| *key != ANY_FOLDER_KEY);
        is_inside = value.is_some() || (is_inside && line.trim_start().starts_with('-'));
        if is_inside {
            list.push_str(value.unwrap_or_else(|| line.trim_start().trim_start_matches('-')));
            list.push(',');
        }
    }
    list.retain(|c| !matches!(c, '"' | '\'') && !c.is_control());
    let is_list = list.trim_start().starts_with('[');
    let list = if is_list {
        list.replace(['[', ']'], "")
    } else {
        list
    };
    let rooted = |glob: &str| match glob.strip_prefix('!') {
        _ if !is_from_root || glob.contains('/') || EVERYTHING.contains(&glob) => glob.to_owned(),
        Some(excluded) => format!("!/{excluded}"),
        None => format!("/{glob}"),
    };
    let globs: Vec<String> = split_globs(&list).into_iter().map(rooted).collect();
    if globs.iter().any(|glob| EVERYTHING.contains(&glob.as_str())) {
        Vec::new()
    } else {
        globs
    }
}

/// Returns a glob of a document as a glob from the project's root.
fn from_root(folder: &str, glob: &str) -> String {
    let (mark, glob) = glob
        .strip_prefix('!')
        .map_or(("", glob), |glob| ("!", glob));
    let glob = glob.trim_start_matches("./");
    let (is_rooted, glob) = (glob.starts_with('/'), glob.trim_start_matches('/'));
    let prefix = format!("{folder}/");
    if folder.is_empty() || glob.starts_with(&prefix) {
        let root = if is_rooted && !glob.contains('/') {
            "/"
        } else {
            ""
        };
        return format!("{mark}{root}{glob}");
    }
    let any_folder = if is_rooted || glob.contains('/') {
        ""
    } else {
        "**/"
    };
    format!("{mark}{prefix}{any_folder}{glob}")
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
