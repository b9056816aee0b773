//! The role of each part of a rule: whether the rule demands it or forbids it.
//!
//! "Use `a` instead of `b`", "replace `b` with `a`" and "`b` must not be used" all name two kinds of code, and code that
//! has only the forbidden one is the opposite of an example. The text is read as tokens: code, words and marks. A cue,
//! such as "instead of", governs the phrase behind it or the subject before it, to the end of the phrase. What no cue
//! governs is neutral, and so is what a cue governs whose sentence says more: "never call `a` twice".

use std::ops::Range;

mod read;
mod token;

use read::Reader;

/// What a rule says about a part of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanRole {
    /// Code that follows the rule has it.
    Demanded,
    /// Code that breaks the rule has it.
    Forbidden,
    Neutral,
}

/// A piece of code or a word of a rule, with its role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleSpan {
    /// In bytes of the text; that of code excludes its back-ticks.
    pub range: Range<usize>,
    pub is_code: bool,
    pub role: SpanRole,
}

/// Returns the roles of the code and the words of a rule, in order. Each span of code has one; words without a role
/// are omitted.
pub fn roles(text: &str) -> Vec<RoleSpan> {
    let mut reader = Reader::new(text);
    reader.read();
    let mut found = reader.found;
    for code in token::codes(&reader.tokens) {
        if !found.iter().any(|span| span.range == code) {
            found.push(RoleSpan {
                range: code,
                is_code: true,
                role: SpanRole::Neutral,
            });
        }
    }
    found.sort_by_key(|span| (span.range.start, span.range.end));
    neutralize_conflicts(text, &mut found);
    found.dedup();
    found
}

/// Makes what a text both demands and forbids neutral: it depends on the case.
fn neutralize_conflicts(text: &str, found: &mut [RoleSpan]) {
    let name = |span: &RoleSpan| {
        text[span.range.clone()]
            .trim_end_matches("()")
            .to_lowercase()
    };
    let has = |found: &[RoleSpan], wanted: &str, role: SpanRole| {
        found
            .iter()
            .any(|span| span.role == role && name(span) == wanted)
    };
    let mut conflicts = Vec::new();
    for span in found.iter() {
        let name = name(span);
        let is_conflict =
            has(found, &name, SpanRole::Demanded) && has(found, &name, SpanRole::Forbidden);
        conflicts.push(is_conflict);
    }
    for (span, is_conflict) in found.iter_mut().zip(conflicts) {
        if is_conflict {
            span.role = SpanRole::Neutral;
        }
    }
}

#[cfg(test)]
mod tests;
