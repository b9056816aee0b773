//! Recognizes the items of documents that were imported before.
//!
//! The `source` in the frontmatter of a memory names the file and a digest of the item's words, so
//! that an item is recognized although the memory was edited or the item was moved.

use std::collections::BTreeMap;

use cerberus_markdown::rules::without_places;
use cerberus_model::{Anchor, Memory, Origin, sorted};
use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

use crate::MemoryFile;
use crate::lockfile::Anchors;
use crate::ops::memories::Memories;
use crate::ops::similar;

/// Minimum share of common words for an item to be a changed version of another one.
const MIN_SHARED: f64 = 0.4;

/// The place in a document that a memory was imported from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub file: String,
    /// Counted from 1, at the time of the import.
    pub line: usize,
    /// Of the text that was imported.
    pub digest: String,
    /// The source as it is written in the frontmatter.
    pub written: String,
}

impl Source {
    /// Creates a source, for example `AGENTS.md:12@0a1b2c3d4e5f (1a2b3c4d)` at a commit.
    pub(super) fn new(file: &str, line: usize, commit: Option<&str>, digest: &str) -> Self {
        let at = match commit {
            Some(commit) => format!("@{commit}"),
            None => String::new(),
        };
        let written = format!("{file}:{line}{at} ({digest})");
        Self {
            file: file.to_owned(),
            line,
            digest: digest.to_owned(),
            written,
        }
    }

    /// Parses a source; `None` for a source that is a person or a program.
    pub fn parse(written: &str) -> Option<Self> {
        let (location, digest) = written.strip_suffix(')')?.rsplit_once(" (")?;
        let (file, line) = location.rsplit_once(':')?;
        let line = line.split('@').next()?;
        Some(Self {
            file: file.to_owned(),
            line: line.parse().ok()?,
            digest: digest.to_owned(),
            written: written.to_owned(),
        })
    }

    /// Returns the places that a memory was imported from.
    pub fn all(memory: &Memory) -> Vec<Self> {
        let sources = memory.source.iter();
        sources.filter_map(|written| Self::parse(written)).collect()
    }

    /// Returns the name of the item in the list of deleted ones.
    pub fn item(&self) -> String {
        item(&self.file, &self.digest)
    }
}

/// Returns the name of an item in the list of deleted ones.
pub(super) fn item(file: &str, digest: &str) -> String {
    format!("{file} ({digest})")
}

/// Returns the file and the digest of an item in the list of deleted ones.
pub(super) fn parse_item(item: &str) -> Option<(&str, &str)> {
    item.strip_suffix(')')?.rsplit_once(" (")
}

/// Sources of the memories of a bank. The maps contain indices of `all`.
pub(super) struct Sources<'a> {
    pub(super) all: &'a [MemoryFile],
    anchors: &'a Anchors,
    /// Of each memory.
    pub(super) sources: Vec<Vec<Source>>,
    by_source: BTreeMap<(String, String), usize>,
    /// Digest of each memory's current text.
    digests: Vec<String>,
    by_digest: BTreeMap<String, usize>,
}

impl<'a> Sources<'a> {
    pub(super) fn new(memories: &'a Memories) -> Self {
        let all = &memories.all;
        let mut digests = Vec::with_capacity(all.len());
        let mut by_source = BTreeMap::new();
        let mut by_digest = BTreeMap::new();
        let mut sources = Vec::with_capacity(all.len());
        for (memory_idx, stored) in all.iter().enumerate() {
            let own = Source::all(&stored.memory);
            for source in &own {
                by_source.insert((source.file.clone(), source.digest.clone()), memory_idx);
            }
            sources.push(own);
            let digest = digest(&stored.memory.body);
            by_digest.entry(digest.clone()).or_insert(memory_idx);
            digests.push(digest);
        }
        Self {
            all,
            anchors: &memories.anchors,
            sources,
            by_source,
            digests,
            by_digest,
        }
    }

    /// Returns the memory that was imported from an item.
    pub(super) fn imported(&self, file: &str, digest: &str) -> Option<usize> {
        self.by_source
            .get(&(file.to_owned(), digest.to_owned()))
            .copied()
    }

    /// Returns the memory that has the same text as an item.
    pub(super) fn same_text(&self, digest: &str) -> Option<usize> {
        self.by_digest.get(digest).copied()
    }

    pub(super) fn id(&self, memory_idx: usize) -> &'a str {
        &self.all[memory_idx].memory.id
    }

    /// Returns the source of a memory in a file.
    pub(super) fn source_in(&self, memory_idx: usize, file: &str) -> Option<&Source> {
        self.sources[memory_idx]
            .iter()
            .find(|source| source.file == file)
    }

    /// Returns whether the text of a memory was edited since it was imported.
    pub(super) fn is_edited(&self, memory_idx: usize, source: &Source) -> bool {
        self.digests[memory_idx] != source.digest
    }

    /// Returns the memories that were imported from a file which no longer contains their original
    /// or their current text.
    pub(super) fn removed(&self, file: &str, digests: &FxHashSet<&str>) -> Vec<usize> {
        let mut removed = Vec::new();
        for ((source, digest), &memory_idx) in &self.by_source {
            let current = &self.digests[memory_idx];
            let is_present = digests.contains(&**digest) || digests.contains(&**current);
            if source == file && !is_present {
                removed.push(memory_idx);
            }
        }
        removed
    }

    /// Returns the files that memories were imported from.
    pub(super) fn files(&self) -> Vec<&str> {
        let files = self.by_source.keys().map(|(file, _)| file.as_str());
        sorted(files)
    }

    /// Returns whether a memory has the text of its source in another file than `file`.
    pub(super) fn has_text_of_another(&self, memory_idx: usize, file: &str) -> bool {
        let mut is_of_another = false;
        for source in &self.sources[memory_idx] {
            if source.digest == self.digests[memory_idx] {
                if source.file == file {
                    return false;
                }
                is_of_another = true;
            }
        }
        is_of_another
    }

    /// Returns whether an example of a memory was chosen by itself, while the memory did not begin
    /// with a text.
    pub(super) fn is_chosen_without(&self, memory_idx: usize, text: &str) -> bool {
        let memory = &self.all[memory_idx].memory;
        match self.anchors.get(&memory.id) {
            Some(anchor) => {
                is_chosen_by_itself(anchor) && !memory.body.trim_start().starts_with(text)
            }
            None => false,
        }
    }

    /// Removes and returns the memory that was most likely imported from an earlier version of a
    /// text, with its document.
    pub(super) fn take_earlier<'f>(
        &self,
        removed: &mut Vec<(usize, &'f str)>,
        text: &str,
    ) -> Option<(usize, &'f str)> {
        // An item of a few words that names another file is the same item.
        let new = similar::words(&without_places(text));
        let mut best = MIN_SHARED;
        let mut best_at = None;
        for (at, (memory_idx, _)) in removed.iter().enumerate() {
            let old = similar::words(&without_places(&self.all[*memory_idx].memory.body));
            let shared = similar::similarity(&new, &old);
            // Of equal ones, the last.
            if shared >= best {
                best = shared;
                best_at = Some(at);
            }
        }
        Some(removed.remove(best_at?))
    }
}

/// Returns whether nobody chose an example, or added another one to it.
pub(super) fn is_chosen_by_itself(anchor: &Anchor) -> bool {
    anchor.origin == Origin::Auto && anchor.others.is_empty()
}

/// Returns a short hash of the words of a text. Punctuation, markup and case do not matter.
pub fn digest(text: &str) -> String {
    format!("{:08x}", xxh3_64(words(text).as_bytes()) >> 32)
}

/// Returns the words of a text in small letters, with one space between them.
fn words(text: &str) -> String {
    let mut words = Vec::from_iter(text.split(|c: char| !c.is_alphanumeric()));
    words.retain(|word| !word.is_empty());
    words.join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_parsed() {
        for commit in [None, Some("0a1b2c3d4e5f")] {
            let source = Source::new("a (b)/x@1.md", 12, commit, "1a2b");
            assert_eq!(Source::parse(&source.written), Some(source));
        }
        for other in ["a person", "x.md:12", "x.md (1a2b)", ""] {
            assert_eq!(Source::parse(other), None, "{other}");
        }
    }

    #[test]
    fn digests_ignore_markup_and_case() {
        assert_eq!(digest("- **Use** `tea`."), digest("use tea"));
    }
}
