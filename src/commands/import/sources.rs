//! Recognizes the items of documents that were imported before.
//!
//! The `source` in the frontmatter of a memory names the file and a digest of the item's words, so
//! that an item is recognized although the memory was edited or the item was moved.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

use crate::bank::MemoryFile;
use crate::engine::rank::tokenize;
use crate::markdown::frontmatter;
use crate::ops::memories::Memories;

/// Minimum share of common words for an item to be a changed version of another one.
const MIN_SHARED: f64 = 0.4;

/// Sources of the memories of a bank. The maps contain indices of `all`.
pub(super) struct Sources<'a> {
    all: &'a [MemoryFile],
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
        for (memory_idx, stored) in all.iter().enumerate() {
            let source = frontmatter::parse(&stored.text).frontmatter.source;
            let sources = source.iter().filter_map(|it| parse_source(it));
            by_source.extend(sources.map(|it| (it, memory_idx)));
            by_digest.entry(digests[memory_idx].clone()).or_insert(memory_idx);
        }
        Self { all, by_source, digests, by_digest }
    }

    /// Returns the id of the memory that was imported from an item or has the same text.
    pub(super) fn find(&self, file: &str, digest: &str) -> Option<&str> {
        let imported = self.by_source.get(&(file.to_owned(), digest.to_owned()));
        let memory_idx = imported.or_else(|| self.by_digest.get(digest))?;
        Some(&self.all[*memory_idx].memory.id)
    }

    /// Returns the memories that were imported from a file which no longer contains their original
    /// or their current text.
    pub(super) fn removed(&self, file: &str, digests: &[String]) -> Vec<&'a MemoryFile> {
        let removed = self.by_source.iter().filter(|((source, digest), memory_idx)| {
            let current = &self.digests[**memory_idx];
            source == file && !digests.contains(digest) && !digests.contains(current)
        });
        removed.map(|(_, memory_idx)| &self.all[*memory_idx]).collect()
    }
}

/// Removes and returns the memory that was most likely imported from an earlier version of a text.
pub(super) fn take_earlier<'a>(
    removed: &mut Vec<&'a MemoryFile>,
    text: &str,
) -> Option<&'a MemoryFile> {
    let words = |text: &str| -> FxHashSet<String> { tokenize::terms(text).into_iter().collect() };
    let new = words(text);
    let similarity = |stored: &MemoryFile| {
        let old = words(&stored.memory.body);
        let n_shared = new.intersection(&old).count();
        n_shared as f64 / (new.len() + old.len() - n_shared).max(1) as f64
    };
    let scored = removed.iter().enumerate().map(|(idx, stored)| (similarity(stored), idx));
    let (best, idx) = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best >= MIN_SHARED).then(|| removed.remove(idx))
}

/// Returns a short hash of the words of a text. Punctuation, markup and case do not matter.
pub(super) fn digest(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    format!("{:08x}", xxh3_64(words.join(" ").as_bytes()) >> 32)
}

/// Returns a source for the frontmatter, for example `AGENTS.md:12 (1a2b3c4d)`.
pub(super) fn source(file: &str, line: usize, digest: &str) -> String {
    format!("{file}:{line} ({digest})")
}

/// Returns the file and the digest of a source.
fn parse_source(source: &str) -> Option<(String, String)> {
    let (location, digest) = source.strip_suffix(')')?.rsplit_once(" (")?;
    let (file, line) = location.rsplit_once(':')?;
    line.parse::<usize>().ok()?;
    Some((file.to_owned(), digest.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_parsed() {
        let parsed =
            |source: &str| parse_source(source).map(|(file, digest)| format!("{file} {digest}"));
        assert_eq!(parsed(&source("a (b)/x.md", 12, "1a2b")).as_deref(), Some("a (b)/x.md 1a2b"));
        for other in ["a person", "x.md:12", "x.md (1a2b)", ""] {
            assert_eq!(parsed(other), None, "{other}");
        }
    }

    #[test]
    fn digests_ignore_markup_and_case() {
        assert_eq!(digest("- **Use** `tea`."), digest("use tea"));
    }
}
