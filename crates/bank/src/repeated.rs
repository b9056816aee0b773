//! Which of the memories with one id or one text is used.
//!
//! Of the memories with an id the first is used; those of the project come before those of shared banks.
//! A shared memory is not used either if an earlier memory has its text, whatever their ids.

use std::collections::BTreeMap;

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::MemoryFile;
use super::names::{bank_of, is_shared};
use cerberus_model::{Memory, MemoryStatus};

/// Hash of the type and the words of a memory.
pub(crate) type TextHash = [u8; 16];

/// Returns a hash that memories share if they say the same, whatever their line breaks. An archived
/// memory has none, and an empty one.
pub(crate) fn text_hash(memory: &Memory) -> Option<TextHash> {
    let mut words = memory.body.split_whitespace().peekable();
    words.peek()?;
    let mut hasher = Sha256::new_with_prefix(memory.memory_type.as_str());
    for word in words {
        hasher.update(" ");
        hasher.update(word);
    }
    let hash = hasher.finalize().first_chunk().copied();
    hash.filter(|_| memory.status == MemoryStatus::Active)
}

/// A shared memory that is not used, because another memory has its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Repeated {
    pub id: String,
    #[serde(skip)]
    pub file: String,
    pub(crate) bank: String,
    /// Id of the memory that is used.
    pub used: String,
}

impl std::fmt::Display for Repeated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { id, bank, used, .. } = self;
        write!(f, "{id} of the shared bank {bank} is not used: {used} has the same text")
    }
}

/// How a memory relates to the earlier ones of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Precedence {
    /// No earlier one has its id, or its text if it is shared.
    First,
    /// The memory in this file has its id.
    SameId(String),
    /// The memory with this id has its text.
    SameText(String),
}

/// The earlier memories of a list.
#[derive(Debug, Default)]
pub(crate) struct Earlier {
    file_by_id: BTreeMap<String, String>,
    id_by_text: BTreeMap<TextHash, String>,
}

impl Earlier {
    /// Adds a memory and returns how it relates to those that were added before.
    pub(crate) fn add(&mut self, file: &str, id: &str, text: Option<TextHash>) -> Precedence {
        if let Some(first) = self.file_by_id.get(id) {
            return Precedence::SameId(first.clone());
        }
        if is_shared(file)
            && let Some(used) = text.and_then(|text| self.id_by_text.get(&text))
        {
            return Precedence::SameText(used.clone());
        }
        self.file_by_id.insert(id.to_owned(), file.to_owned());
        if let Some(text) = text {
            self.id_by_text.entry(text).or_insert_with(|| id.to_owned());
        }
        Precedence::First
    }
}

/// Returns the shared memories that repeat an earlier memory of a list.
pub fn repeated(all: &[MemoryFile]) -> Vec<Repeated> {
    // Without shared memories, none is compared by its text.
    if !all.iter().any(|stored| is_shared(&stored.file)) {
        return Vec::new();
    }
    let mut earlier = Earlier::default();
    let repeated = all.iter().filter_map(|MemoryFile { memory, file, .. }| {
        match earlier.add(file, &memory.id, text_hash(memory)) {
            Precedence::SameText(used) => {
                let bank = bank_of(file).unwrap_or_default().to_owned();
                Some(Repeated { id: memory.id.clone(), file: file.clone(), bank, used })
            }
            Precedence::First | Precedence::SameId(_) => None,
        }
    });
    repeated.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_file::of_text;

    fn hash(text: &str) -> Option<TextHash> {
        text_hash(&of_text("x.md", text))
    }

    #[test]
    fn active_memories_of_a_type_with_the_same_words_have_one_hash() {
        let rule = "---\ntype: rule\n---\nClose the session\n";
        assert!(hash(rule).is_some());
        assert_eq!(hash(rule), hash("---\ntype: rule\ntags: [a]\n---\n\n  Close\nthe session"));
        assert_ne!(hash(rule), hash("---\ntype: rule\n---\nClose thesession\n"));
        assert_ne!(hash(rule), hash("Close the session\n"), "a fact");
        assert_eq!(hash("---\ntype: rule\nstatus: archived\n---\nClose the session\n"), None);
        assert_eq!(hash("---\ntype: rule\n---\n \n"), None);
    }

    #[test]
    fn a_shared_memory_with_the_text_of_an_earlier_one_is_not_used() {
        let mut earlier = Earlier::default();
        let mut add = |file: &str, id: &str, text: u8| earlier.add(file, id, Some([text; 16]));
        assert_eq!(add("a.md", "a", 1), Precedence::First);
        assert_eq!(add("b.md", "b", 1), Precedence::First, "both are of the project");
        assert_eq!(add("c.md", "a", 2), Precedence::SameId("a.md".to_owned()));
        assert_eq!(add("bank://x/a.md", "a", 1), Precedence::SameId("a.md".to_owned()));
        assert_eq!(add("bank://x/c.md", "c", 1), Precedence::SameText("a".to_owned()));
        assert_eq!(add("bank://x/d.md", "d", 3), Precedence::First);
        assert_eq!(add("bank://y/e.md", "e", 3), Precedence::SameText("d".to_owned()));
        assert_eq!(earlier.add("bank://y/f.md", "f", None), Precedence::First);
    }
}
