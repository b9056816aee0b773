//! Recognizes the items of documents that were imported before.
//!
//! The `source` in the frontmatter of a memory names the file and a digest of the item's words, so
//! that an item is recognized although the memory was edited or the item was moved.

use std::collections::BTreeMap;

use cerberus_markdown::frontmatter;
use cerberus_model::{Anchor, Origin};
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
        let at = commit
            .map(|commit| format!("@{commit}"))
            .unwrap_or_default();
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
        let line = line.split_once('@').map_or(line, |(line, _)| line);
        let (file, digest) = (file.to_owned(), digest.to_owned());
        Some(Self {
            file,
            line: line.parse().ok()?,
            digest,
            written: written.to_owned(),
        })
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
        let digests: Vec<String> = all.iter().map(|it| digest(&it.memory.body)).collect();
        let (mut by_source, mut by_digest) = (BTreeMap::new(), BTreeMap::new());
        let mut sources = Vec::with_capacity(all.len());
        for (memory_idx, stored) in all.iter().enumerate() {
            let own = frontmatter::parse(&stored.text).frontmatter.source;
            let own: Vec<Source> = own.iter().filter_map(|it| Source::parse(it)).collect();
            for source in &own {
                by_source.insert((source.file.clone(), source.digest.clone()), memory_idx);
            }
            sources.push(own);
            by_digest
                .entry(digests[memory_idx].clone())
                .or_insert(memory_idx);
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
        let removed = self
            .by_source
            .iter()
            .filter(|((source, digest), memory_idx)| {
                let current = self.digests[**memory_idx].as_str();
                source == file && !digests.contains(digest.as_str()) && !digests.contains(current)
            });
        removed.map(|(_, memory_idx)| *memory_idx).collect()
    }

    /// Returns the files that memories were imported from.
    pub(super) fn files(&self) -> Vec<&str> {
        let mut files: Vec<&str> = self
            .by_source
            .keys()
            .map(|(file, _)| file.as_str())
            .collect();
        files.dedup();
        files
    }

    /// Returns whether one of the `digests` in a file was imported from a line.
    pub(super) fn is_in_line(&self, file: &str, digests: &[String], line: usize) -> bool {
        let memories = digests
            .iter()
            .filter_map(|digest| self.imported(file, digest));
        let mut sources = memories.filter_map(|memory_idx| self.source_in(memory_idx, file));
        sources.any(|source| source.line == line)
    }

    /// Returns whether a memory has the text of its source in another file than `file`.
    pub(super) fn has_text_of_another(&self, memory_idx: usize, file: &str) -> bool {
        let text = &self.digests[memory_idx];
        let has_text = |source: &Source| source.digest == *text;
        let sources = &self.sources[memory_idx];
        let is_own = sources
            .iter()
            .any(|source| source.file == file && has_text(source));
        !is_own && sources.iter().any(has_text)
    }

    /// Returns whether the words of a memory contain those of a text, in their order.
    pub(super) fn contains(&self, memory_idx: usize, text: &str) -> bool {
        let words = |text: &str| format!(" {} ", words(text).join(" "));
        words(&self.all[memory_idx].memory.body).contains(&words(text))
    }

    /// Returns whether an example of a memory was chosen by itself, while the memory did not begin
    /// with a text.
    pub(super) fn is_chosen_without(&self, memory_idx: usize, text: &str) -> bool {
        let memory = &self.all[memory_idx].memory;
        let anchor = self.anchors.get(&memory.id);
        anchor.is_some_and(is_chosen_by_itself) && !memory.body.trim_start().starts_with(text)
    }

    /// Removes and returns a memory that was imported from one of the earlier forms of an item, with
    /// its document.
    pub(super) fn take_former<'f>(
        &self,
        removed: &mut Vec<(usize, &'f str)>,
        digests: &[String],
    ) -> Option<(usize, &'f str)> {
        let mut at = None;
        for (removed_idx, (memory_idx, file)) in removed.iter().enumerate() {
            let source = self.source_in(*memory_idx, file);
            if source.is_some_and(|source| digests.contains(&source.digest)) {
                at = Some(removed_idx);
                break;
            }
        }
        Some(removed.remove(at?))
    }

    /// Removes and returns the memory that was most likely imported from an earlier version of a
    /// text, with its document.
    pub(super) fn take_earlier<'f>(
        &self,
        removed: &mut Vec<(usize, &'f str)>,
        text: &str,
    ) -> Option<(usize, &'f str)> {
        if removed.is_empty() {
            return None;
        }
        let new = similar::words(text);
        let old = |idx: usize| similar::words(&self.all[idx].memory.body);
        let scored = removed
            .iter()
            .enumerate()
            .map(|(at, (idx, _))| (similar::similarity(&new, &old(*idx)), at));
        let (best, at) = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
        (best >= MIN_SHARED).then(|| removed.remove(at))
    }
}

/// Returns whether nobody chose an example, or added another one to it.
pub(super) fn is_chosen_by_itself(anchor: &Anchor) -> bool {
    anchor.origin == Origin::Auto && anchor.others.is_empty()
}

/// Returns a short hash of the words of a text. Punctuation, markup and case do not matter.
pub fn digest(text: &str) -> String {
    format!("{:08x}", xxh3_64(words(text).join(" ").as_bytes()) >> 32)
}

fn words(text: &str) -> Vec<String> {
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
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
