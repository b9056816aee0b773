//! Near-duplicates of a new memory. They only cause warnings.

use cerberus_engine::rank::tokenize;
use cerberus_model::{MemoryStatus, plural};
use rustc_hash::FxHashSet;

use super::memories::Memories;

/// Minimum Jaccard similarity of the words of near-duplicates. Two rules that differ in one word of
/// five have 0.67.
const DUPLICATE_SIMILARITY: f64 = 0.75;

/// Maximum length of the excerpt in a warning.
const MAX_EXCERPT_CHARS: usize = 240;

/// Maximum number of warnings about near-duplicates.
const MAX_WARNINGS: usize = 10;

/// Active memories of a bank, to compare new ones with.
pub struct SimilarMemories {
    entries: Vec<Entry>,
}

/// A memory to compare with.
pub struct Entry {
    id: String,
    text: String,
    words: FxHashSet<String>,
}

impl SimilarMemories {
    /// Collects the memories to compare new ones with.
    pub fn new(memories: &Memories) -> Self {
        let mut similar = Self {
            entries: Vec::new(),
        };
        let all = memories.all.iter().map(|stored| &stored.memory);
        for memory in all.filter(|memory| memory.status == MemoryStatus::Active) {
            similar.add(&memory.id, &memory.body);
        }
        similar
    }

    /// Adds a memory to compare later ones with.
    pub fn add(&mut self, id: &str, text: &str) {
        let text = text.trim().to_owned();
        self.entries.push(Entry {
            id: id.to_owned(),
            words: words(&text),
            text,
        });
    }

    /// Returns a sentence about each near-duplicate of a new text.
    pub fn near_duplicates(&self, text: &str) -> impl Iterator<Item = String> {
        let words = words(text);
        let text = text.trim();
        let entries = self.entries.iter();
        let near =
            entries.filter(move |entry| entry.text == text || are_similar(&words, &entry.words));
        near.map(|entry| {
            let excerpt = excerpt(&entry.text);
            format!("`{}` is a near-duplicate: {excerpt}", entry.id)
        })
    }
}

/// Returns warnings about the near-duplicates of one new text.
pub fn warnings(memories: &Memories, text: &str) -> Vec<String> {
    limited(
        SimilarMemories::new(memories)
            .near_duplicates(text)
            .collect(),
    )
}

/// Returns the first warnings and the number of the others.
pub fn limited(mut warnings: Vec<String>) -> Vec<String> {
    let n_more = warnings.len().saturating_sub(MAX_WARNINGS);
    if n_more > 0 {
        warnings.truncate(MAX_WARNINGS);
        warnings.push(format!("and {}", plural(n_more, "other near-duplicate")));
    }
    warnings
}

/// Returns the words by which texts are compared.
pub fn words(text: &str) -> FxHashSet<String> {
    tokenize::terms(text).into_iter().collect()
}

fn are_similar(a: &FxHashSet<String>, b: &FxHashSet<String>) -> bool {
    // The similarity is at most the ratio of the sizes.
    let smaller = a.len().min(b.len());
    let larger = a.len().max(b.len());
    if (smaller as f64) < DUPLICATE_SIMILARITY * larger as f64 {
        return false;
    }
    similarity(a, b) >= DUPLICATE_SIMILARITY
}

/// Returns the Jaccard similarity of two sets of words, |A ∩ B| / |A ∪ B|.
pub fn similarity(a: &FxHashSet<String>, b: &FxHashSet<String>) -> f64 {
    let n_shared = a.intersection(b).count();
    n_shared as f64 / (a.len() + b.len() - n_shared).max(1) as f64
}

/// Returns the beginning of a text, on one line.
fn excerpt(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(MAX_EXCERPT_CHARS) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_limited() {
        let similar = SimilarMemories {
            entries: (0..13)
                .map(|n| {
                    let text = "Close the session in a finally block".to_owned();
                    Entry {
                        id: format!("close-{n}"),
                        words: words(&text),
                        text,
                    }
                })
                .collect(),
        };
        let near = similar
            .near_duplicates("close the session in a finally block")
            .collect();
        let warnings = limited(near);
        assert_eq!(warnings.len(), MAX_WARNINGS + 1);
        assert_eq!(warnings[MAX_WARNINGS], "and 3 other near-duplicates");
        assert_eq!(similar.near_duplicates("Log errors").count(), 0);
    }

    #[test]
    fn the_similarity_is_the_share_of_common_words() {
        let check = |a, b, expected: f64| {
            assert!(
                (similarity(&words(a), &words(b)) - expected).abs() < 1e-9,
                "{a} {b}"
            );
        };
        check("one two", "two three four", 0.25);
        check("one two", "two one", 1.0);
        check("", "one two three", 0.0);
        check("", "", 0.0);
    }
}
