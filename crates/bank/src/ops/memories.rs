//! The memories of a project with their anchors: loading, lookup by id, filters.

use anyhow::Result;
use cerberus_engine::syntax::language;
use cerberus_markdown::links::normalize_path;
use cerberus_model::{
    Globs, Language, Memory, MemoryStatus, MemoryType, Scope, UserError, refuse, sorted, text,
};

use crate::MemoryFile;
use crate::lockfile::Anchors;
pub use crate::memories::Memories;

/// Conditions that a memory must meet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only memories with this scope; `project` and `language` match every scope of that kind
    pub scope: Option<String>,
    /// Only memories of this type
    pub memory_type: Option<MemoryType>,
    /// Only memories of this category
    pub category: Option<String>,
    /// Only memories with this tag (repeatable; all tags must match)
    pub tags: Vec<String>,
    /// Only memories with this status
    pub status: Option<MemoryStatus>,
    /// Only memories anchored to this file
    pub file: Option<String>,
    /// Only memories that apply to this file: their `paths` match it, or they have none
    pub path: Option<String>,
}

impl Filter {
    /// Returns whether the filter selects a memory, by itself or by its anchor.
    fn takes(&self, stored: &MemoryFile, anchors: &Anchors) -> bool {
        let anchor = anchors.get(&stored.memory.id);
        let anchored = anchor.map(|anchor| anchor.file.as_str());
        self.takes_memory(&stored.memory, &stored.file, anchored)
    }

    /// Like [`takes`](Self::takes), with the file of the anchor instead of all anchors.
    pub fn takes_memory(&self, memory: &Memory, file: &str, anchored: Option<&str>) -> bool {
        if let Some(wanted) = &self.scope
            && !in_scope(&memory.scope, wanted)
        {
            return false;
        }
        if let Some(wanted) = self.memory_type
            && wanted != memory.memory_type
        {
            return false;
        }
        if let Some(wanted) = &self.category {
            let Some(category) = &memory.category else {
                return false;
            };
            if !category.eq_ignore_ascii_case(wanted) {
                return false;
            }
        }
        for wanted in &self.tags {
            let mut tags = memory.tags.iter();
            if !tags.any(|tag| tag.eq_ignore_ascii_case(wanted)) {
                return false;
            }
        }
        if let Some(wanted) = self.status
            && wanted != memory.status
        {
            return false;
        }
        if let Some(wanted) = &self.file
            && anchored != Some(wanted)
            && file != wanted
        {
            return false;
        }
        match &self.path {
            Some(path) => applies_to(memory, path),
            None => true,
        }
    }

    /// Checks that the files are inside the project and that some memory has the scope, so that a
    /// misspelled value is an error instead of an empty or a complete result.
    pub fn check<'m>(&self, memories: impl Iterator<Item = &'m Memory> + Clone) -> Result<()> {
        // The file of `--file` may also be one of the bank, which can be outside the project.
        if let Some(path) = &self.path
            && normalize_path(path).is_none()
        {
            return refuse(
                format!("`{path}` is outside the project"),
                "name a file by its path relative to the project root",
            );
        }
        let Some(wanted) = self.scope.as_deref() else {
            return Ok(());
        };
        let mut all = memories.clone();
        if wanted == "all" || all.any(|memory| in_scope(&memory.scope, wanted)) {
            return Ok(());
        }
        let known = sorted(memories.map(|memory| memory.scope.to_string()));
        let error = UserError::usage(format!("no memory has the scope `{wanted}`"));
        let error = match text::suggest(wanted, known.iter().map(String::as_str)) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None if known.is_empty() => error,
            None => error.hint(format!("specify one of: all, {}", known.join(", "))),
        };
        Err(error.into())
    }
}

impl Memories {
    /// Returns the memories that a filter takes.
    pub fn select(&self, filter: &Filter) -> Result<Vec<&MemoryFile>> {
        filter.check(self.all.iter().map(|stored| &stored.memory))?;
        let mut selected = Vec::from_iter(&self.all);
        selected.retain(|stored| filter.takes(stored, &self.anchors));
        Ok(selected)
    }
}

/// Returns whether a memory applies to a file: by its paths, and by the language of its scope.
pub(crate) fn applies_to(memory: &Memory, file: &str) -> bool {
    if let Scope::Language(name) = &memory.scope
        && let Some(languages) = language::from_scope(name)
        && let Some(language) = language::from_path(file)
        && !languages.contains(&language)
    {
        return false;
    }
    if memory.paths.is_empty() {
        return true;
    }
    let Some(file) = normalize_path(file) else {
        return false;
    };
    Globs::new(&memory.paths).find(&file).is_some()
}

/// Returns whether `scope` is `wanted` or of the kind `wanted` (`project`, `language`).
fn in_scope(scope: &Scope, wanted: &str) -> bool {
    let spelled = scope.to_string();
    if wanted == "all" || spelled.eq_ignore_ascii_case(wanted) {
        return true;
    }
    match spelled.split_once(':') {
        Some((kind, _)) => kind.eq_ignore_ascii_case(wanted),
        None => false,
    }
}

/// Returns the languages that examples of this scope can have (`None`: all), or the reason why it
/// has no examples.
pub fn languages(scope: &Scope) -> Result<Option<&'static [Language]>, String> {
    match scope {
        Scope::Universal => Err("a universal memory is never anchored".to_owned()),
        Scope::Project(_) => Ok(None),
        Scope::Language(name) => match language::from_scope(name) {
            Some(languages) => Ok(Some(languages)),
            None => Err(format!("code in `{name}` is not indexed")),
        },
    }
}

/// Maximum number of characters of a title.
const MAX_TITLE_CHARS: usize = 240;

/// Returns the first heading, list item or paragraph in one line, without comments and heading markers. A long one
/// is cut at a word.
pub fn title(text: &str) -> String {
    /// Starts of blocks of one line.
    const SINGLE: [&str; 5] = ["#", "|", "```", "~~~", "---"];
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with("<!--"));
    let first = first.unwrap_or_default();
    let mut title = first.trim_start_matches('#').trim_start().to_owned();
    if !SINGLE.iter().any(|start| first.starts_with(start)) {
        for line in lines {
            if starts_block(line) {
                break;
            }
            title.push(' ');
            title.push_str(line);
        }
    }
    if let Some((end, _)) = title.char_indices().nth(MAX_TITLE_CHARS) {
        title.truncate(title[..end].rfind(' ').unwrap_or(end));
        title.push('…');
    }
    title
}

/// Returns whether a line does not continue a paragraph.
fn starts_block(line: &str) -> bool {
    /// Starts of other blocks than a paragraph.
    const MARKS: [&str; 9] = ["<!--", "#", "- ", "* ", "+ ", "|", ">", "```", "~~~"];
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = rest.len() < line.len() && rest.starts_with(['.', ')']);
    line.is_empty() || is_numbered || MARKS.iter().any(|mark| line.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::title;

    #[test]
    fn a_title_is_the_first_block_in_one_line() {
        for (text, expected) in [
            ("<!-- a -->\n\n## Pools\nText", "Pools"),
            (
                "Add a function that returns the\nresult.\n\nMore.",
                "Add a function that returns the result.",
            ),
            ("- one\n  and\n- two", "- one and"),
            ("Steps:\n1. one\n2. two", "Steps:"),
            ("", ""),
        ] {
            assert_eq!(title(text), expected);
        }
        let long = title(&"keep it simple ".repeat(20));
        assert!(
            long.ends_with(" simple…") && long.chars().count() <= 241,
            "{long}"
        );
    }
}
