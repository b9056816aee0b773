//! Which words occur in the code of a tree, and which of them it defines.
//!
//! Documents, changelogs, lock files, fixtures and vendored code do not count: a name that only
//! they contain is not in use.

mod comments;
mod definitions;
mod occurrences;

use std::collections::BTreeSet;
use std::path::Path;

use cerberus_engine::rank::path_class::PathClass;
use cerberus_engine::syntax::language;
use cerberus_engine::tree::git::past::{EntryKind, TreeEntry};
use cerberus_engine::tree::read;
use cerberus_model::text::conventions;
use cerberus_model::text::conventions::CONVENTIONS;
use cerberus_model::{Language, word_lists};
pub(super) use comments::without_comments;
pub(super) use definitions::{declares, defined_in};
use memchr::memmem::{self, Finder};
use memchr::memrchr;
pub(super) use occurrences::{Asked, Occurrences};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use rustc_hash::FxHashMap;

use crate::paths::is_within;
use crate::report::Document;

/// Maximum length of a line before a word in which the word is looked at.
const MAX_LINE: usize = 4096;

/// Maximum size of a file whose words are read. Code of more than [`read::MAX_BYTES`] is not parsed: a word in it
/// is in use.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

word_lists! { "words/code.txt": DEFINING VALUES MODIFIERS OTHER_PROGRAMS UNSPECIFIC FUNCTIONS }

/// Words that are looked for.
pub(super) struct Words {
    words: Vec<String>,
    idxs: FxHashMap<Vec<u8>, usize>,
    /// Those with letters outside ASCII.
    unusual: Vec<usize>,
    /// For each first byte the lengths of the words, as bits; the last bit is for all longer ones.
    lengths: [u64; 256],
}

/// The bytes of words.
const IS_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let it = byte as u8;
        table[byte] = it.is_ascii_alphanumeric() || it == b'_';
        byte += 1;
    }
    table
};

impl Words {
    pub(super) fn new(words: impl IntoIterator<Item = String>) -> Self {
        let mut words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
        words.sort_unstable();
        words.dedup();
        let idxs = words
            .iter()
            .enumerate()
            .map(|(idx, it)| (it.as_bytes().to_vec(), idx))
            .collect();
        let mut lengths = [0; 256];
        for word in &words {
            lengths[usize::from(word.as_bytes()[0])] |= length_bit(word.len());
        }
        let unusual = (0..words.len())
            .filter(|idx| !words[*idx].is_ascii())
            .collect();
        Self {
            words,
            idxs,
            unusual,
            lengths,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub(super) fn idx(&self, word: &str) -> Option<usize> {
        self.idxs.get(word.as_bytes()).copied()
    }

    /// Returns the words that occur in a text, sorted.
    pub(super) fn in_text(&self, bytes: &[u8]) -> Vec<usize> {
        let mut found = Vec::new();
        let mut start = 0;
        while start < bytes.len() {
            let first = usize::from(bytes[start]);
            if !IS_WORD[first] {
                start += 1;
                continue;
            }
            let mut end = start + 1;
            while end < bytes.len() && IS_WORD[usize::from(bytes[end])] {
                end += 1;
            }
            if self.lengths[first] & length_bit(end - start) != 0
                && let Some(&idx) = self.idxs.get(&bytes[start..end])
            {
                found.push(idx);
            }
            start = end + 1;
        }
        let is_part =
            |byte: Option<&u8>| byte.is_some_and(|it| IS_WORD[usize::from(*it)] || !it.is_ascii());
        found.extend(self.unusual.iter().copied().filter(|idx| {
            let word = self.words[*idx].as_bytes();
            memmem::find_iter(bytes, word).any(|at| {
                !is_part(at.checked_sub(1).and_then(|at| bytes.get(at)))
                    && !is_part(bytes.get(at + word.len()))
            })
        }));
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn length_bit(n_bytes: usize) -> u64 {
    1 << n_bytes.min(63)
}

/// Returns whether a file is code, in which a name is in use.
pub(super) fn is_code(entry: &TreeEntry) -> bool {
    is_text_of_code(entry) && PathClass::from_path(&entry.path) != PathClass::Vendored
}

/// Returns the files of code, and those beside documents in vendored folders, which are about them.
pub(super) fn code_for<'e>(entries: &'e [TreeEntry], documents: &[Document]) -> Vec<&'e TreeEntry> {
    let mut folders: Vec<&str> = Vec::new();
    for document in documents {
        if PathClass::from_path(&document.path) == PathClass::Vendored {
            folders.push(document.folder());
        }
    }
    let is_beside = |entry: &TreeEntry| {
        let is_in = |folder: &&str| is_within(&entry.path, folder);
        folders.iter().any(is_in) && is_text_of_code(entry)
    };
    let mut found = Vec::new();
    for entry in entries {
        if is_code(entry) || is_beside(entry) {
            found.push(entry);
        }
    }
    found
}

fn is_text_of_code(entry: &TreeEntry) -> bool {
    let name = entry.path.rsplit('/').next().unwrap_or_default();
    let lower = name.to_ascii_lowercase();
    entry.kind == EntryKind::File
        && (!CONVENTIONS
            .endings
            .not_code
            .contains(conventions::ending(name))
            || name == "CMakeLists.txt")
        && !lower.starts_with("changelog")
        && !lower.contains("lock.")
        && !entry
            .path
            .split('/')
            .any(|part| CONVENTIONS.folders.repeating.contains(part))
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Returns the ones of `names` that the code of a program contains as a string.
pub(super) fn mentioned<'n>(
    root: &Path,
    entries: &[TreeEntry],
    names: &BTreeSet<&'n str>,
) -> BTreeSet<&'n str> {
    if names.is_empty() {
        return BTreeSet::new();
    }
    let finders: Vec<(&str, Finder<'_>)> = names
        .iter()
        .map(|name| (*name, Finder::new(*name)))
        .collect();
    let is_string = |bytes: &[u8], at: usize, len: usize| {
        // A name in back-ticks is one of a comment, more often than a string.
        let is_quote = |it: Option<&u8>| matches!(it, Some(b'"' | b'\''));
        let before = |n: usize| at.checked_sub(n).and_then(|at| bytes.get(at));
        // A string, or the end of one: `"{folder}/name"`.
        let is_start = is_quote(before(1))
            || (before(1) == Some(&b'/') && before(2).is_some_and(|it| !is_name_byte(*it)));
        is_start && is_quote(bytes.get(at + len))
    };
    // The files of a build name those of the project itself.
    let is_program = |language| language != Language::Shell;
    let is_source = |entry: &&TreeEntry| {
        is_code(entry) && language::from_path(&entry.path).is_some_and(is_program)
    };
    let files: Vec<&TreeEntry> = entries.iter().filter(is_source).collect();
    let scan = |bytes: &mut Vec<u8>, file: &&TreeEntry| -> Vec<&'n str> {
        if read::read_listed(root, &file.path, bytes).is_err() {
            return Vec::new();
        }
        let is_in = |(name, finder): &&(&str, Finder<'_>)| {
            finder
                .find_iter(bytes)
                .any(|at| is_string(bytes, at, name.len()))
        };
        finders
            .iter()
            .filter(is_in)
            .map(|(name, _)| *name)
            .collect()
    };
    let found: Vec<Vec<&str>> = files.par_iter().map_init(Vec::new, scan).collect();
    found.into_iter().flatten().collect()
}

/// Returns the name with which code imports a package.
pub(super) fn module_name(package: &str) -> String {
    package
        .rsplit('/')
        .next()
        .unwrap_or(package)
        .replace(['-', '.'], "_")
}

/// Returns the ones of `modules` that code imports.
pub(super) fn imported(
    root: &Path,
    entries: &[TreeEntry],
    modules: &BTreeSet<String>,
) -> BTreeSet<String> {
    let words = Words::new(modules.iter().cloned());
    if words.is_empty() {
        return BTreeSet::new();
    }
    let files: Vec<&TreeEntry> = entries.iter().filter(|entry| is_code(entry)).collect();
    let scan = |bytes: &mut Vec<u8>, file: &&TreeEntry| -> Vec<usize> {
        if read::read_listed(root, &file.path, bytes).is_err() || words.in_text(bytes).is_empty() {
            return Vec::new();
        }
        let lines = bytes.split(|byte| *byte == b'\n');
        lines
            .filter_map(imported_module)
            .flat_map(|module| words.in_text(module))
            .collect()
    };
    let found: Vec<Vec<usize>> = files.par_iter().map_init(Vec::new, scan).collect();
    found
        .into_iter()
        .flatten()
        .map(|idx| words.words[idx].clone())
        .collect()
}

/// Returns the name of the module that a line imports: the one in quotes, or the first one after the
/// keyword.
fn imported_module(line: &[u8]) -> Option<&[u8]> {
    let line = line.trim_ascii_start();
    let starts: [&[u8]; 5] = [b"import ", b"from ", b"use ", b"pub use ", b"extern crate "];
    let rest = starts.iter().find_map(|it| line.strip_prefix(*it));
    let has_quotes = || {
        [&b"require("[..], b" from "]
            .iter()
            .any(|it| memmem::find(line, it).is_some())
    };
    let mut quoted = line.split(|byte| matches!(byte, b'"' | b'\'')).skip(1);
    match (rest, quoted.next().filter(|it| !it.contains(&b' '))) {
        (Some(_), Some(quoted)) => Some(quoted),
        (None, Some(quoted)) => has_quotes().then_some(quoted),
        (Some(rest), None) => rest.split(|byte| matches!(byte, b':' | b' ' | b';')).next(),
        (None, None) => None,
    }
}

/// Returns the start of the line around a position, unless it is too long for code that people write.
fn line_start(text: &str, at: usize) -> Option<usize> {
    let from = at.saturating_sub(MAX_LINE);
    let newline = memrchr(b'\n', &text.as_bytes()[from..at]);
    newline.map(|n| from + n + 1).or((from == 0).then_some(0))
}

/// Returns whether a file is a script of a shell or of a build.
pub(super) fn is_script(path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    matches!(conventions::ending(&file), "sh" | "bash" | "mk")
        || ["makefile", "dockerfile"]
            .iter()
            .any(|it| file.starts_with(it))
}

/// Returns whether a variable, or the first word of its name, is that of a program that many projects use.
pub(super) fn is_of_program(name: &str, prefix: &str) -> bool {
    OTHER_PROGRAMS
        .entries()
        .iter()
        .any(|it| *it == prefix || *it == name)
}

/// Returns whether a file reads a variable from the environment, or gives it a value there: a file of
/// settings begins a line with it, a script contains it, or the line before the name, or the one
/// above it, has the word `env`.
pub(super) fn is_setting(path: &str, text: &str, name: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let ending = conventions::ending(&file);
    let has_settings =
        file.starts_with(".env") || matches!(ending, "env" | "yml" | "yaml" | "toml");
    let is_script = is_script(path);
    positions(text, name).any(|at| {
        let Some(start) = line_start(text, at) else {
            return false;
        };
        let before = &text[start..at];
        let mark = before.trim_start();
        if has_settings {
            let before = mark.trim_start_matches(['#', '-', ' ', '"']);
            let after = text[at + name.len()..].trim_start_matches([' ', '"']);
            return before.ends_with("${") || (before.is_empty() && after.starts_with(['=', ':']));
        }
        if ["//", "#", "*"].iter().any(|it| mark.starts_with(it)) {
            return false;
        }
        let above = line_start(text, start.saturating_sub(1)).unwrap_or(start);
        is_script || text[above..at].to_ascii_lowercase().contains("env")
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the words of a text.
pub(super) fn all(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_word(c)).filter(|word| !word.is_empty())
}

pub(super) fn has_word(text: &str, word: &str) -> bool {
    !word.is_empty() && positions(text, word).next().is_some()
}

/// Returns where a word occurs in a text.
fn positions<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    memmem::find_iter(text.as_bytes(), word).filter(move |&at| {
        !text[..at].ends_with(is_word) && !text[at + word.len()..].starts_with(is_word)
    })
}

#[cfg(test)]
mod tests;
