//! Near-duplicates and contradictions of a new memory. They only cause warnings.

use rustc_hash::FxHashSet;

use crate::engine::rank::contradiction::ParsedText;
use crate::engine::rank::tokenize;
use crate::model::{Memory, MemoryStatus, Scope};
use crate::text::{self, similarity};

use super::memories::Memories;

/// Minimum Jaccard similarity of the words of near-duplicates. Two rules that differ in one word of
/// five have 0.67.
const DUPLICATE_SIMILARITY: f64 = 0.75;

/// Maximum length of the excerpt in a warning.
const MAX_EXCERPT_CHARS: usize = 240;

/// Active memories of a bank, to compare new ones with.
pub(crate) struct SimilarMemories {
    entries: Vec<Entry>,
}

/// A text to compare, and where it holds.
#[derive(Clone, Copy)]
pub(crate) struct Compared<'a> {
    pub(crate) text: &'a str,
    pub(crate) scope: &'a Scope,
    /// The globs of the files that it applies to.
    pub(crate) paths: &'a [String],
    /// The document that it is imported from.
    pub(crate) document: Option<&'a str>,
}

struct Entry {
    id: String,
    scope: Scope,
    paths: Vec<String>,
    document: Option<String>,
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
                let Memory { body, scope, paths, .. } = memory;
                similar.add(&memory.id, Compared { text: body, scope, paths, document: None });
            }
        }
        similar
    }

    /// Adds a memory to compare later ones with.
    pub(crate) fn add(&mut self, id: &str, compared: Compared<'_>) {
        let Compared { text, scope, paths, document } = compared;
        self.entries.push(Entry {
            id: id.to_owned(),
            scope: scope.clone(),
            paths: paths.to_vec(),
            document: document.map(str::to_owned),
            text: text.trim().to_owned(),
            words: words(text),
            parsed: ParsedText::parse(text),
        });
    }

    /// Returns a warning for each near-duplicate of a new text, and for each memory that contradicts
    /// it, may hold for the same code, and is not linked from it.
    pub(crate) fn warnings(&self, compared: Compared<'_>) -> Vec<String> {
        let text = compared.text;
        let (words, parsed) = (words(text), ParsedText::parse(text));
        let mut warnings = Vec::new();
        for entry in &self.entries {
            let (id, excerpt) = (&entry.id, excerpt(&entry.text));
            let is_linked = text.contains(&format!("::memory:{id}]]"));
            if !is_linked && entry.may_contradict(compared) && parsed.contradicts(&entry.parsed) {
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

impl Entry {
    /// Returns whether both may hold for the same code. Two items of one document that seem to contradict
    /// each other are nearly always a rule and its exception.
    fn may_contradict(&self, other: Compared<'_>) -> bool {
        overlap(&self.scope, other.scope)
            && text::may_overlap(&self.paths, other.paths)
            && (self.document.is_none() || self.document.as_deref() != other.document)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn compared<'a>(text: &'a str, paths: &'a [String], document: Option<&'a str>) -> Compared<'a> {
        Compared { text, scope: &Scope::Universal, paths, document }
    }

    #[test]
    fn only_rules_that_may_hold_for_the_same_code_contradict_each_other() {
        let [here, there] = ["web/**", "server/**"].map(|glob| vec![glob.to_owned()]);
        for (paths, document, n_expected) in [
            (&here, Some("b.md"), 1),
            (&here, None, 1),
            (&there, Some("b.md"), 0),
            (&here, Some("a.md"), 0),
        ] {
            let mut similar = SimilarMemories { entries: Vec::new() };
            similar.add("tabs", compared("Indent with tabs, not spaces", &here, Some("a.md")));
            let warnings = similar.warnings(compared("Indent with spaces", paths, document));
            assert_eq!(warnings.len(), n_expected, "{paths:?} {document:?} {warnings:?}");
        }
    }
}
