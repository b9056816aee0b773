//! Shell completion of values from the project: ids, scopes, tags, sections, locations.
//!
//! Reads the bank, the source files and, for session pins, an existing store. Writes no file.
//! Errors are ignored: unreadable input yields no candidates.

use std::collections::BTreeSet;

use rayon::prelude::*;

use crate::MemoryFile;
use cerberus_engine::syntax::parse::unique_names;
use cerberus_engine::syntax::{ParsedFile, language};
use cerberus_engine::tree::{entries, read};
use cerberus_markdown::sections;
use cerberus_model::{Language, Scope};
use cerberus_store::{inspect, pins as table};

use super::Project;
use super::memories::find_id;

/// The maximum length of a description, in characters.
const MAX_DESCRIPTION: usize = 60;

/// The kind of value to complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    Memory,
    /// A memory with an anchor.
    Anchored,
    /// A memory in the trash.
    Trashed,
    Pin,
    PinTag,
    /// A scope for a memory.
    Scope,
    /// A scope, or a kind of scope.
    ScopeFilter,
    Tag,
    Category,
    Section,
    /// `FILE` or `FILE::SYMBOL`.
    Location,
    /// A [`Location`](Self::Location) or `memory:ID`.
    Target,
    File,
}

/// The context of the word to complete.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The typed part of the word.
    pub typed: String,
    /// The memory named earlier in the command line.
    pub memory: Option<String>,
    /// The session whose pins are completed.
    pub session: Option<String>,
}

/// A value that completes a word of a command line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    pub value: String,
    pub description: Option<String>,
}

/// Returns the candidates that start with the typed word, sorted, without duplicates.
pub fn complete(project: &Project, kind: ValueKind, request: &Request) -> Vec<Candidate> {
    let typed = request.typed.as_str();
    let found = match kind {
        ValueKind::Memory => memories(project),
        ValueKind::Anchored => anchored(project),
        ValueKind::Trashed => without_description(project.bank.trashed().unwrap_or_default()),
        ValueKind::Pin => pins(project, request)
            .into_iter()
            .map(|(id, text, _)| with_description(id, &text))
            .collect(),
        ValueKind::PinTag => {
            without_description(pins(project, request).into_iter().flat_map(|(_, _, tags)| tags))
        }
        ValueKind::Scope => scopes(project, &["universal"]),
        ValueKind::ScopeFilter => scopes(project, &["all", "language", "project", "universal"]),
        ValueKind::Tag => {
            without_description(stored(project).into_iter().flat_map(|it| it.memory.tags))
        }
        ValueKind::Category => {
            without_description(stored(project).into_iter().filter_map(|it| it.memory.category))
        }
        ValueKind::Section => section_ids(project, request.memory.as_deref()),
        ValueKind::Location => locations(project, typed),
        ValueKind::Target if typed.starts_with("memory:") => {
            let prefixed =
                |it: Candidate| Candidate { value: format!("memory:{}", it.value), ..it };
            memories(project).into_iter().map(prefixed).collect()
        }
        ValueKind::Target => locations(project, typed),
        ValueKind::File => without_description(files(project, typed)),
    };
    let is_match = |it: &Candidate| {
        it.value.starts_with(typed)
            && !it.value.is_empty()
            && cerberus_model::text::escaped(&it.value) == it.value
            && !it.value.contains(['\n', '\t'])
    };
    let mut matching: Vec<Candidate> = found.into_iter().filter(is_match).collect();
    matching.sort_unstable();
    matching.dedup_by(|a, b| a.value == b.value);
    matching
}

fn without_description(values: impl IntoIterator<Item = String>) -> Vec<Candidate> {
    values.into_iter().map(|value| Candidate { value, description: None }).collect()
}

fn with_description(value: String, text: &str) -> Candidate {
    Candidate { value, description: description(text) }
}

/// Returns the start of a text as one line without control characters.
fn description(text: &str) -> Option<String> {
    let line =
        text.lines().map(|line| line.trim_start_matches('#').trim()).find(|it| !it.is_empty())?;
    let clean: String = line.chars().filter(|c| !c.is_control()).collect();
    let mut cut: String =
        cerberus_model::text::escaped(&clean).chars().take(MAX_DESCRIPTION).collect();
    if cut.len() < clean.len() {
        cut.push('…');
    }
    Some(cut)
}

fn stored(project: &Project) -> Vec<MemoryFile> {
    let files = project.bank.list().map(|(files, _)| files).unwrap_or_default();
    files.into_par_iter().filter_map(|file| project.bank.read(&file).ok()).collect()
}

fn memories(project: &Project) -> Vec<Candidate> {
    let all = stored(project).into_iter();
    all.map(|stored| with_description(stored.memory.id, &stored.memory.body)).collect()
}

fn anchored(project: &Project) -> Vec<Candidate> {
    let anchors = project.bank.anchors().unwrap_or_default().into_iter();
    anchors
        .map(|(id, anchor)| {
            let symbol = anchor.symbol.map(|symbol| format!("::{symbol}")).unwrap_or_default();
            with_description(id, &format!("{}{symbol}", anchor.file))
        })
        .collect()
}

/// Returns the id, text and tags of each pin.
fn pins(project: &Project, request: &Request) -> Vec<(String, String, Vec<String>)> {
    let mut found = project.bank.pins().map(|file| file.pins).unwrap_or_default();
    if let Some(connection) = inspect::reader(&project.store) {
        found.extend(table::pins(&connection, request.session.as_deref()).unwrap_or_default());
    }
    found.into_iter().map(|pin| (pin.id, pin.content, pin.tags)).collect()
}

fn scopes(project: &Project, words: &[&str]) -> Vec<Candidate> {
    let words = words.iter().map(|word| (*word).to_owned());
    let languages = Language::ALL.iter().filter(|it| language::is_built(**it));
    let languages = languages.map(|it| format!("language:{it}"));
    let default = super::default_scope(project);
    let used = stored(project).into_iter().map(|it| it.memory.scope).chain([default]);
    let used = used.filter(|scope| *scope != Scope::Project(None)).map(|scope| scope.to_string());
    without_description(words.chain(languages).chain(used))
}

/// Returns the section ids of a memory, or of all memories.
fn section_ids(project: &Project, memory: Option<&str>) -> Vec<Candidate> {
    let all = stored(project);
    let idx = memory.map(|typed| find_id(typed, all.iter().map(|it| it.memory.id.as_str())));
    let wanted: Vec<&MemoryFile> = match idx {
        Some(Ok(idx)) => vec![&all[idx]],
        Some(Err(_)) => Vec::new(),
        None => all.iter().collect(),
    };
    let ids: BTreeSet<String> = wanted
        .into_par_iter()
        .flat_map_iter(|it| sections::parse(&it.text).list.into_iter().map(|section| section.id))
        .collect();
    without_description(ids)
}

/// Returns the entries of the typed folder.
fn files(project: &Project, typed: &str) -> Vec<String> {
    let folder = typed.rfind('/').map_or("", |at| &typed[..at]);
    entries::entries(&project.root, folder, &project.exclude).unwrap_or_default()
}

/// Returns files, or symbols if a file name is complete or is the only match.
fn locations(project: &Project, typed: &str) -> Vec<Candidate> {
    let file = typed.split_once("::").map(|(file, _)| file);
    let mut found = if file.is_some() { Vec::new() } else { files(project, typed) };
    let is_match = |path: &&String| path.starts_with(typed);
    // Symbols of the only match are added, so that the shell does not end the word.
    let only = match found.iter().filter(is_match).collect::<Vec<_>>()[..] {
        [path] if !path.ends_with('/') => Some(path.clone()),
        _ => None,
    };
    if let Some(path) = file.map(str::to_owned).or(only) {
        found.extend(symbols(project, &path).into_iter().map(|name| format!("{path}::{name}")));
    }
    without_description(found)
}

fn symbols(project: &Project, path: &str) -> Vec<String> {
    let (Some(language), Ok(text)) = (language::from_path(path), read::text(&project.root, path))
    else {
        return Vec::new();
    };
    let symbols = ParsedFile::outline(language, &text).symbols;
    unique_names(&symbols.iter().map(|symbol| symbol.name.as_str()).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_short_and_have_no_control_characters() {
        assert_eq!(description("\n## A title\ntext\n").as_deref(), Some("A title"));
        assert_eq!(description("a\u{1b}[31mb\u{202e}").as_deref(), Some("a[31mb\\u{202e}"));
        assert_eq!(
            description(&"x".repeat(100)).map(|it| it.chars().count()),
            Some(MAX_DESCRIPTION + 1)
        );
        assert_eq!(description(" \n#\n"), None);
    }
}
