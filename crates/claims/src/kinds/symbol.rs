//! Names of code: `Session.close`, `session::close`, `load()`.

use crate::kinds::Kind;
use cerberus_engine::tree::git::past::TreeEntry;
use cerberus_model::text::Span;
use rustc_hash::FxHashSet;

use super::{Code, Place, Read};
use crate::level::Evidence;
use crate::meant::is_compound;
use crate::now::{Holds, Now};
use crate::parse::word_lists::DEFINING;
use crate::snapshot::Found;
use crate::then::{
    MAX_DEFINITIONS, MAX_NAMESAKES, MAX_SEARCHED, Needs, OldTree, Past, Truth, Writer,
};
use crate::paths::{folder_of, is_within};
use crate::words;

/// Maximum number of parts of a qualified name.
const MAX_PARTS: usize = 8;

/// Minimum length of a name.
const MIN_NAME: usize = 3;

/// Minimum length of a name of one word with a capital letter.
const MIN_WORD: usize = 4;

/// The parts of a qualified name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol {
    pub(crate) parts: Vec<String>,
    pub(crate) is_call: bool,
}

impl Read for Symbol {
    fn in_code(code: &Code<'_>) -> Vec<(Span, Self)> {
        if !code.is_plain() {
            return Vec::new();
        }
        let Some((start, symbol)) = read(code.text) else {
            return Vec::new();
        };
        let name = symbol.parts.last().map_or("", String::as_str);
        let at = code.text.rfind(name).unwrap_or(start);
        vec![(Span::new(at, at + name.len()), symbol)]
    }

    /// A declaration: `class Session`, `pub fn load(path)`.
    fn in_phrase(text: &str) -> Vec<(Span, Self)> {
        let Some(start) = declared_at(text) else {
            return Vec::new();
        };
        let end = text[start..].find(|c: char| !c.is_alphanumeric() && c != '_');
        let name = &text[start..end.map_or(text.len(), |len| start + len)];
        if name.len() < MIN_NAME {
            return Vec::new();
        }
        let symbol = Self {
            parts: vec![name.to_owned()],
            is_call: true,
        };
        vec![(Span::new(start, start + name.len()), symbol)]
    }
}

/// Returns where the name starts that a text declares: after words such as `export class`.
fn declared_at(text: &str) -> Option<usize> {
    let mut is_declared = false;
    for word in text.split_whitespace() {
        if DEFINING.entries().contains(&word) {
            is_declared = true;
        } else if !words::MODIFIERS.entries().contains(&word) {
            let start = word.as_ptr().addr() - text.as_ptr().addr();
            return is_declared.then_some(start);
        }
    }
    None
}

/// Returns the symbol that a text names, with the start of its name.
fn read(text: &str) -> Option<(usize, Symbol)> {
    let start = text.len() - text.trim_start_matches(['@', '&', '*', '#', '.']).len();
    let mut name = &text[start..];
    let mut is_call = false;
    if let Some(open) = name.find('(') {
        // Something is called, or a decorator has arguments.
        if !name.ends_with(')') && !name.ends_with(");") {
            return None;
        }
        name = &name[..open];
        is_call = true;
    }
    let name = name.trim_end_matches(['!', '?']);
    let name = name.split(['<', '[']).next().unwrap_or(name);
    let normal = name.replace("::", ".").replace("->", ".").replace('#', ".");
    let mut parts: Vec<&str> = normal.split('.').collect();
    if !parts.iter().all(|part| is_part(part)) || parts.len() > MAX_PARTS {
        return None;
    }
    while parts.len() > 1 && is_own_scope(parts[0]) {
        parts.remove(0);
    }
    if parts.len() > 1 && parts[0] == "std" {
        return None;
    }
    let last = parts.last()?;
    let is_specific = parts.len() > 1 || is_call || is_specific(last);
    if !is_specific || last.len() < MIN_NAME {
        return None;
    }
    let parts = parts.into_iter().map(str::to_owned).collect();
    Some((start, Symbol { parts, is_call }))
}

fn is_part(part: &str) -> bool {
    part.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && part.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Returns whether the first part of a name is that of the code around it.
fn is_own_scope(part: &str) -> bool {
    matches!(part, "self" | "this" | "crate" | "super" | "cls")
}

/// Returns whether a name of one part is not a plain word.
fn is_specific(name: &str) -> bool {
    let has_small = name.bytes().any(|byte| byte.is_ascii_lowercase());
    let has_humps = has_small && name.bytes().skip(1).any(|byte| byte.is_ascii_uppercase());
    let is_title = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.len() >= MIN_WORD
        && has_small;
    name.trim_matches('_').contains('_') || has_humps || is_title
}

impl Kind for Symbol {
    fn name(&self) -> &'static str {
        "symbol"
    }

    fn needs(&self) -> Needs {
        // A qualified name may be that of a module.
        if self.parts.len() > 1 {
            Needs::CODE.or(Needs::PATHS)
        } else {
            Needs::CODE
        }
    }

    fn words(&self) -> Vec<String> {
        self.parts.iter().rev().take(2).cloned().collect()
    }

    fn is_read_in(&self, entry: &TreeEntry) -> bool {
        words::is_code(entry)
    }

    fn holds(&self, now: &Now, place: Place<'_>) -> Holds {
        let Some(name) = self.parts.last() else {
            return Holds::Yes;
        };
        if self.parts.len() > 1 {
            let path = self.parts.join("/");
            if now.tree.resolve(place.document.folder(), &path) != Found::No {
                return Holds::Yes;
            }
        }
        if !now.is_used(name) || !now.are_together(&self.parts) {
            return Holds::No;
        }
        if self.is_only_field(now) {
            Holds::Perhaps
        } else {
            Holds::Yes
        }
    }

    fn held(
        &self,
        past: &mut Past<'_, '_>,
        old: &mut OldTree,
        writer: Writer<'_>,
    ) -> Option<Truth> {
        let parts = &self.parts;
        if parts.len() > 1 {
            let found = old.removed.resolve(writer.folder(), &parts.join("/"));
            if let Found::One(path) = found {
                return Some(Truth::Paths(vec![path]));
            }
        }
        let entries = self.entries_that_may_define(past, old)?;
        let mut found = Vec::new();
        let mut is_declared = parts.len() > 1;
        for &idx in entries.iter().take(MAX_SEARCHED) {
            let entry = &old.entries[idx];
            if let Some(version) = past.version(entry)
                && version.has(parts)
                && (!writer.is_doubtful || version.has_function(parts))
            {
                found.push(entry.path.clone());
                is_declared = is_declared || version.declares(&parts[0]);
            }
            if found.len() == MAX_DEFINITIONS {
                break;
            }
        }
        // Anybody may have a field or a variable of that name.
        let mut files = entries.iter().map(|&idx| old.entries[idx].path.as_str());
        let is_meant = is_declared || files.any(|file| is_about(past.now, writer, file));
        (is_meant && !found.is_empty()).then_some(Truth::Definitions(found))
    }

    fn reason(&self, _now: &Now, _truth: &Truth) -> String {
        "the code no longer defines or uses it".to_owned()
    }

    fn is_sure(&self, evidence: &Evidence<'_>) -> bool {
        self.is_call || evidence.is_renamed() || evidence.was_beside()
    }
}

impl Symbol {
    /// Returns whether only a field of now has the name of a call. It may have replaced the function.
    pub(crate) fn is_only_field(&self, now: &Now) -> bool {
        let name = self.parts.last().filter(|_| self.is_call);
        name.is_some_and(|name| now.is_used(name) && !now.is_callable(name))
    }

    /// Returns the positions of the old files with the words of the name.
    fn entries_that_may_define(
        &self,
        past: &mut Past<'_, '_>,
        old: &mut OldTree,
    ) -> Option<Vec<usize>> {
        let mut entries = past.entries_with(old, past.words.idx(self.parts.last()?)?);
        if let [.., qualifier, _] = &self.parts[..] {
            // Only a file with both words, or in a folder of that name, can define it.
            let mut with_word: FxHashSet<usize> = FxHashSet::default();
            if let Some(word) = past.words.idx(qualifier) {
                with_word.extend(past.entries_with(old, word));
            }
            entries.retain(|&idx| {
                let path = old.entries[idx].path.replace('-', "_");
                with_word.contains(&idx) || path.contains(qualifier)
            });
        }
        Some(entries)
    }
}

/// Returns whether a document is about a file: it is in a folder around it, it names the file or the
/// last folders of its path, or both are in folders with a name that few have.
fn is_about(now: &Now, writer: Writer<'_>, file: &str) -> bool {
    let is_rare = |name: &str| now.tree.n_named(name) <= MAX_NAMESAKES;
    let folder = writer.folder();
    let text = &writer.document.text;
    if !folder.is_empty() && is_within(file, folder) {
        return true;
    }
    let name = file.rsplit('/').next().unwrap_or(file);
    let stem = name.split('.').next().unwrap_or(name);
    // A name of one word may be any word of the text.
    let word = if is_compound(stem) { stem } else { name };
    if is_rare(stem) && words::has_word(text, word) {
        return true;
    }
    let outer = folder_of(folder_of(folder_of(file)));
    let end = folder_of(file)[outer.len()..].trim_start_matches('/');
    if end.contains('/') && text.contains(end) {
        return true;
    }
    let own: Vec<&str> = folder.split('/').collect();
    let mut folders = folder_of(file).split('/');
    folders.any(|part| own.contains(&part) && is_rare(part))
}
