//! Memories that say nearly the same as a new one, or the opposite.
//!
//! Only warns: nothing is changed or left out because of it.

use rustc_hash::FxHashSet;

use crate::engine::rank::contradiction::ParsedText;
use crate::engine::rank::tokenize;
use crate::model::{MemoryStatus, Scope};

use super::memories::Memories;

/// From this share of common words on, two memories are likely to say the same.
/// Two rules that differ in one word of five share 0.67.
const DUPLICATE_LIKENESS: f64 = 0.75;

/// How much of another memory a warning shows.
const SHOWN_CHARS: usize = 240;

/// The memories of a bank, read once for all that is to be added.
pub(crate) struct SimilarMemories {
    known: Vec<Known>,
}

struct Known {
    id: String,
    scope: Scope,
    text: String,
    words: FxHashSet<String>,
    reading: ParsedText,
}

impl SimilarMemories {
    /// Reads the memories that are in use.
    pub(crate) fn of(memories: &Memories) -> Self {
        let mut kin = Self { known: Vec::new() };
        for stored in &memories.all {
            let memory = &stored.memory;
            if memory.status == MemoryStatus::Active {
                kin.learn(&memory.id, &memory.body, &memory.scope);
            }
        }
        kin
    }

    /// Takes in one more memory.
    pub(crate) fn learn(&mut self, id: &str, text: &str, scope: &Scope) {
        self.known.push(Known {
            id: id.to_owned(),
            scope: scope.clone(),
            text: text.trim().to_owned(),
            words: words(text),
            reading: ParsedText::parse(text),
        });
    }

    /// Returns what there is to say of a new text: who says nearly the same, and who
    /// says the opposite where it holds too, unless the text links it as such.
    pub(crate) fn warnings(&self, text: &str, scope: &Scope) -> Vec<String> {
        let (wanted, reading) = (words(text), ParsedText::parse(text));
        let mut warnings = Vec::new();
        for known in &self.known {
            let (id, shown) = (&known.id, shown(&known.text));
            let is_settled = text.contains(&format!("::memory:{id}]]"));
            if !is_settled && meet(scope, &known.scope) && reading.contradicts(&known.reading) {
                warnings.push(format!(
                    "`{id}` says the opposite: {shown} (if both hold, link them with `[[contradicts::memory:{id}]]`; else mend one with `cerberus memory update`)"
                ));
            } else if known.text == text.trim() || is_near(&wanted, &known.words) {
                warnings.push(format!("`{id}` says nearly the same: {shown}"));
            }
        }
        warnings
    }
}

fn words(text: &str) -> FxHashSet<String> {
    tokenize::terms(text).into_iter().collect()
}

fn is_near(a: &FxHashSet<String>, b: &FxHashSet<String>) -> bool {
    let (least, most) = (a.len().min(b.len()), a.len().max(b.len()));
    if (least as f64) < DUPLICATE_LIKENESS * most as f64 {
        return false;
    }
    crate::text::similarity::jaccard(a.intersection(b).count(), a.len(), b.len())
        .is_some_and(|similarity| similarity >= DUPLICATE_LIKENESS)
}

/// Returns whether two scopes may hold for the same code.
fn meet(a: &Scope, b: &Scope) -> bool {
    match (a, b) {
        (Scope::Language(a), Scope::Language(b)) => a == b,
        (Scope::Project(Some(a)), Scope::Project(Some(b))) => a == b,
        _ => true,
    }
}

/// Returns the beginning of a text on one line.
fn shown(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text,
    }
}
