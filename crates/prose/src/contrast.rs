//! The clauses of a text, and those that name what to avoid: "instead of x", "…, never x".

use crate::lists::{CHOOSING, COMPARISONS, OPENING_CONTRASTS};
use crate::words;

/// A part of a text.
pub struct Clause {
    pub start: usize,
    pub is_contrast: bool,
}

/// Splits a text into clauses. A contrast extends to the end of its clause; one that starts the text
/// is its main statement.
pub fn clauses(text: &str) -> Vec<Clause> {
    let mut clauses: Vec<Clause> = Vec::new();
    let mut next_start = 0;
    for end in clause_ends(text) {
        let start = next_start;
        next_start = end;
        let clause = &text[start..end];
        let mut lower = clause.to_lowercase();
        if lower.len() != clause.len() {
            // Its offsets are not valid in `clause`.
            lower.clear();
        }
        let is_first = clauses.is_empty();
        clauses.push(Clause {
            start,
            is_contrast: false,
        });
        if let Some(offset) = contrast(&lower)
            && (offset > 0 || !is_first)
        {
            clauses.push(Clause {
                start: start + offset,
                is_contrast: true,
            });
        }
    }
    clauses
}

/// Returns whether a rule opens with a prohibition, maybe after a title, or ends with a colon.
pub fn is_without_demand(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    for statement in [&lower, words::lead(&lower)] {
        let statement = statement.trim_start_matches(|c: char| !c.is_alphanumeric());
        if contrast(statement) == Some(0) {
            return true;
        }
    }
    lower.trim_end().ends_with(':')
}

/// Returns the ends of the clauses of a text. Code in back-ticks and the dots inside of words do
/// not end a clause.
fn clause_ends(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut is_quoted = false;
    let mut chars = text.char_indices().peekable();
    while let Some((offset, c)) = chars.next() {
        let ends_word = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        match c {
            '`' => is_quoted = !is_quoted,
            ';' | '(' | ')' | ',' if !is_quoted => ends.push(offset + 1),
            '.' | ':' if !is_quoted && ends_word => ends.push(offset + 1),
            _ => {}
        }
    }
    if ends.last() != Some(&text.len()) {
        ends.push(text.len());
    }
    ends
}

/// Returns the start of the first contrast in a lower-case clause.
fn contrast(lower: &str) -> Option<usize> {
    let mut starts = Vec::new();
    starts.extend(find_phrase(lower, COMPARISONS.entries()));
    starts.extend(find_phrase(lower, &["never"]));
    let first = lower.len() - lower.trim_start().len();
    if find_phrase(lower, OPENING_CONTRASTS.entries()) == Some(first) {
        starts.push(first);
    }
    if let Some(over) = find_phrase(lower, &["over"]) {
        let mut words = lower[..over].split_whitespace();
        if words.any(|word| CHOOSING.contains(word) || matches!(word, "use" | "write")) {
            starts.push(over);
        }
    }
    starts.into_iter().min()
}

/// Returns the start of the first of `phrases` that occurs as whole words in a lower-case clause.
fn find_phrase(lower: &str, phrases: &[&str]) -> Option<usize> {
    let mut first = None;
    for phrase in phrases {
        for (start, _) in lower.match_indices(phrase) {
            let before = lower[..start].chars().next_back();
            let after = lower[start + phrase.len()..].chars().next();
            if before.into_iter().chain(after).any(char::is_alphanumeric) {
                continue;
            }
            if first.is_none_or(|first| start < first) {
                first = Some(start);
            }
            break;
        }
    }
    first
}
