//! What a shell offers for a word that is being typed: ids, scopes, tags, sections, places.
//!
//! Reads the files people own and, for pins that are in it alone, a store that is there.
//! Writes nothing, makes no store, and has no errors: what cannot be read is not offered.

use std::collections::BTreeSet;

use rayon::prelude::*;

use crate::bank::MemoryFile;
use crate::markdown::sections;
use crate::model::{Language, Scope};
use crate::store::{inspect, pins as table};
use crate::syntax::{ParsedFile, language};
use crate::tree::{entries, read};

use super::Project;
use super::memories::find_id;

/// How much is said about a candidate.
const MAX_ABOUT: usize = 60;

/// What a word stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    Memory,
    /// A memory that has an anchor.
    Anchored,
    /// A memory in the trash.
    Trashed,
    Pin,
    PinTag,
    /// Where a memory may hold.
    Scope,
    /// Where memories hold that are there, or a kind of it.
    ScopeFilter,
    Tag,
    Category,
    Section,
    /// `FILE` or `FILE::SYMBOL`.
    Place,
    /// As [`Place`](Self::Place), or `memory:ID`.
    Target,
    File,
}

/// What is known when a word is being typed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Request {
    /// The word so far.
    pub(crate) typed: String,
    /// The memory that was named before it.
    pub(crate) memory: Option<String>,
    /// Whose pins count too.
    pub(crate) session: Option<String>,
}

/// Something that the word may become.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Candidate {
    pub(crate) value: String,
    /// A few words about it.
    pub(crate) about: Option<String>,
}

/// Returns what the typed word may become, in order and each once.
pub(crate) fn complete(project: &Project, wanted: Wanted, request: &Request) -> Vec<Candidate> {
    let typed = request.typed.as_str();
    let found = match wanted {
        Wanted::Memory => memories(project),
        Wanted::Anchored => anchored(project),
        Wanted::Trashed => plain(project.bank.trashed().unwrap_or_default()),
        Wanted::Pin => {
            pins(project, request).into_iter().map(|(id, about, _)| named(id, &about)).collect()
        }
        Wanted::PinTag => plain(pins(project, request).into_iter().flat_map(|(_, _, tags)| tags)),
        Wanted::Scope => scopes(project, &["universal"]),
        Wanted::ScopeFilter => scopes(project, &["all", "language", "project", "universal"]),
        Wanted::Tag => plain(stored(project).into_iter().flat_map(|it| it.memory.tags)),
        Wanted::Category => plain(stored(project).into_iter().filter_map(|it| it.memory.category)),
        Wanted::Section => section_ids(project, request.memory.as_deref()),
        Wanted::Place => places(project, typed),
        Wanted::Target if typed.starts_with("memory:") => {
            let prefixed =
                |it: Candidate| Candidate { value: format!("memory:{}", it.value), ..it };
            memories(project).into_iter().map(prefixed).collect()
        }
        Wanted::Target => places(project, typed),
        Wanted::File => plain(files(project, typed)),
    };
    let is_fit = |it: &Candidate| {
        it.value.starts_with(typed)
            && !it.value.is_empty()
            && crate::text::escaped(&it.value) == it.value
            && !it.value.contains(['\n', '\t'])
    };
    let mut fit: Vec<Candidate> = found.into_iter().filter(is_fit).collect();
    fit.sort_unstable();
    fit.dedup_by(|a, b| a.value == b.value);
    fit
}

fn plain(values: impl IntoIterator<Item = String>) -> Vec<Candidate> {
    values.into_iter().map(|value| Candidate { value, about: None }).collect()
}

fn named(value: String, text: &str) -> Candidate {
    Candidate { value, about: about(text) }
}

/// Returns the first words of a text, safe to show.
fn about(text: &str) -> Option<String> {
    let line =
        text.lines().map(|line| line.trim_start_matches('#').trim()).find(|it| !it.is_empty())?;
    let clean: String = line.chars().filter(|c| !c.is_control()).collect();
    let mut cut: String = crate::text::escaped(&clean).chars().take(MAX_ABOUT).collect();
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
    all.map(|stored| named(stored.memory.id, &stored.memory.body)).collect()
}

fn anchored(project: &Project) -> Vec<Candidate> {
    let anchors = project.bank.anchors().unwrap_or_default().into_iter();
    anchors
        .map(|(id, anchor)| {
            let symbol = anchor.symbol.map(|symbol| format!("::{symbol}")).unwrap_or_default();
            named(id, &format!("{}{symbol}", anchor.file))
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
    let languages = Language::ALL.iter().map(|it| format!("language:{it}"));
    let own = super::default_scope(project);
    let used = stored(project).into_iter().map(|it| it.memory.scope).chain([own]);
    let used = used.filter(|scope| *scope != Scope::Project(None)).map(|scope| scope.to_string());
    plain(words.chain(languages).chain(used))
}

/// Returns the sections of the named memory, or of all.
fn section_ids(project: &Project, memory: Option<&str>) -> Vec<Candidate> {
    let all = stored(project);
    let at = memory.map(|typed| find_id(typed, all.iter().map(|it| it.memory.id.as_str())));
    let wanted: Vec<&MemoryFile> = match at {
        Some(Ok(at)) => vec![&all[at]],
        Some(Err(_)) => Vec::new(),
        None => all.iter().collect(),
    };
    let ids: BTreeSet<String> = wanted
        .into_par_iter()
        .flat_map_iter(|it| sections::parse(&it.text).list.into_iter().map(|section| section.id))
        .collect();
    plain(ids)
}

/// Returns the files and folders of the folder that is being typed.
fn files(project: &Project, typed: &str) -> Vec<String> {
    let folder = typed.rfind('/').map_or("", |at| &typed[..at]);
    entries::entries(&project.root, folder, &project.exclude).unwrap_or_default()
}

/// Returns files, or the symbols of the file whose name is there in full.
fn places(project: &Project, typed: &str) -> Vec<Candidate> {
    let file = typed.split_once("::").map(|(file, _)| file);
    let mut found = if file.is_some() { Vec::new() } else { files(project, typed) };
    let fitting = |path: &&String| path.starts_with(typed);
    // With one file left its symbols come at once, so that nothing ends the word.
    let only = match found.iter().filter(fitting).collect::<Vec<_>>()[..] {
        [path] if !path.ends_with('/') => Some(path.clone()),
        _ => None,
    };
    if let Some(path) = file.map(str::to_owned).or(only) {
        found.extend(symbols(project, &path).into_iter().map(|name| format!("{path}::{name}")));
    }
    plain(found)
}

fn symbols(project: &Project, path: &str) -> Vec<String> {
    let (Some(language), Ok(text)) = (language::from_path(path), read::text(&project.root, path))
    else {
        return Vec::new();
    };
    ParsedFile::outline(language, &text).symbols.into_iter().map(|symbol| symbol.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_short_and_safe() {
        assert_eq!(about("\n## A title\ntext\n").as_deref(), Some("A title"));
        assert_eq!(about("a\u{1b}[31mb\u{202e}").as_deref(), Some("a[31mb\\u{202e}"));
        assert_eq!(about(&"x".repeat(100)).map(|it| it.chars().count()), Some(MAX_ABOUT + 1));
        assert_eq!(about(" \n#\n"), None);
    }
}
