//! Near-duplicates and contradictions of a new memory. They only cause warnings.

use rustc_hash::FxHashSet;

use crate::engine::rank::contradiction::ParsedText;
use crate::engine::rank::tokenize;
use crate::model::{MemoryStatus, Scope};

use super::memories::Memories;
use crate::text::similarity;

/// Minimum Jaccard similarity of the words of near-duplicates. Two rules that differ in one word of
/// five have 0.67.
const DUPLICATE_SIMILARITY: f64 = 0.75;

/// Maximum length of the excerpt in a warning.
const MAX_EXCERPT_CHARS: usize = 240;

/// Active memories of a bank, to compare new ones with.
pub(crate) struct SimilarMemories {
    entries: Vec<Entry>,
}

struct Entry {
    id: String,
    scope: Scope,
    text: String,
    words: FxHashSet<String>,
    parsed: ParsedText,
}

impl SimilarMemories {
    pub(crate) fn new(memories: &Memories) -> Self {
        let mut similar = Self { entries: Vec::new() };
        for stored in &memories.all {
            let memory = &stored.memory;
            if memory.status == MemoryStatus::Active {
                similar.add(&memory.id, &memory.body, &memory.scope);
            }
        }
        similar
    }

    /// Adds a memory to compare later ones with.
    pub(crate) fn add(&mut self, id: &str, text: &str, scope: &Scope) {
        self.entries.push(Entry {
            id: id.to_owned(),
            scope: scope.clone(),
            text: text.trim().to_owned(),
            words: words(text),
            parsed: ParsedText::parse(text),
        });
    }

    /// Returns a warning for each near-duplicate of a new text, and for each memory with an
    /// overlapping scope that contradicts it and that it does not link to.
    pub(crate) fn warnings(&self, text: &str, scope: &Scope) -> Vec<String> {
        let (words, parsed) = (words(text), ParsedText::parse(text));
        let mut warnings = Vec::new();
        for entry in &self.entries {
            let (id, excerpt) = (&entry.id, excerpt(&entry.text));
            let is_linked = text.contains(&format!("::memory:{id}]]"));
            if !is_linked && overlap(scope, &entry.scope) && parsed.contradicts(&entry.parsed) {
                warnings.push(format!(
                    "`{id}` contradicts it: {excerpt} (if both are valid, link them with `[[contradicts::memory:{id}]]`; otherwise fix one with `cerberus memory update`)"
                ));
            } else if entry.text == text.trim() || are_similar(&words, &entry.words) {
                warnings.push(format!("`{id}` is a near-duplicate: {excerpt}"));
            }
        }
        warnings
    }
}

fn words(text: &str) -> FxHashSet<String> {
    tokenize::terms(text).into_iter().collect()
}

fn are_similar(a: &FxHashSet<String>, b: &FxHashSet<String>) -> bool {
    // The similarity is at most the ratio of the sizes.
    let (smaller, larger) = (a.len().min(b.len()), a.len().max(b.len()));
    if (smaller as f64) < DUPLICATE_SIMILARITY * larger as f64 {
        return false;
    }
    similarity::jaccard(a.intersection(b).count(), a.len(), b.len())
        .is_some_and(|similarity| similarity >= DUPLICATE_SIMILARITY)
}

/// Returns whether two scopes can apply to the same code.
fn overlap(a: &Scope, b: &Scope) -> bool {
    match (a, b) {
        (Scope::Language(a), Scope::Language(b)) => a == b,
        (Scope::Project(Some(a)), Scope::Project(Some(b))) => a == b,
        _ => true,
    }
}

/// Returns the beginning of a text, on one line.
fn excerpt(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(MAX_EXCERPT_CHARS) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text,
    }
}
