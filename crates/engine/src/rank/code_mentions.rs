//! Finds the code that the text of a rule marks as code in other texts: as words, or as it is written.

use std::collections::BTreeSet;
use std::ops::Range;

use super::named_code::{SpanKind, identifiers, occurrences, quotes, spans};

/// Minimum number of bytes of code with punctuation that is looked for as it is written.
const MIN_LITERAL_LEN: usize = 4;

/// What an occurrence of an identifier counts, relative to one of code with punctuation.
const IDENTIFIER_WEIGHT: f64 = 0.6;

/// Returns the identifiers that a text marks as code: all between back-ticks, and outside of them those that cannot be a word
/// of prose. The words of commands are not in code.
pub(crate) fn marked_identifiers(text: &str) -> BTreeSet<&str> {
    let mut marked = BTreeSet::new();
    let commands = commands(text);
    for quote in quotes(text) {
        if !commands.contains(&quote.inner) {
            marked.extend(identifiers(&text[quote.inner]));
        }
    }
    for word in identifiers(text) {
        let at = word.as_ptr().addr() - text.as_ptr().addr();
        let is_of_command = commands.iter().any(|command| command.contains(&at));
        if is_coined(word) && !is_of_command {
            marked.insert(word);
        }
    }
    marked
}

/// Returns how much of the code that a rule marks is new in the lines that are added to a file, whose text is `old`. Code
/// with punctuation, as in `# type: ignore`, counts wherever it is added. An identifier counts if the file does not have it.
pub(crate) fn new_in_lines(rule: &str, added: &str, old: &str) -> f64 {
    let mut sum = 0.0;
    let mut known = BTreeSet::new();
    for quote in quotes(rule) {
        let code = rule[quote.inner].trim().trim_end_matches("()");
        if !known.insert(code) || code.contains('\n') || !occurs(added, code) {
            continue;
        }
        let is_word = code.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !is_word && code.len() >= MIN_LITERAL_LEN {
            sum += 1.0;
        }
    }
    for word in marked_identifiers(rule) {
        let is_name = is_coined(word) || word.starts_with(char::is_uppercase);
        if is_name && occurs(added, word) && !occurs(old, word) {
            sum += IDENTIFIER_WEIGHT;
        }
    }
    sum.min(2.0)
}

fn commands(text: &str) -> Vec<Range<usize>> {
    let mut commands = Vec::new();
    for span in spans(text) {
        if span.kind == SpanKind::Command {
            commands.push(span.range);
        }
    }
    commands
}

fn occurs(text: &str, code: &str) -> bool {
    !code.is_empty() && occurrences(text, code).next().is_some()
}

/// Returns whether a word cannot be a word of prose.
fn is_coined(word: &str) -> bool {
    let mut letters = word.chars().zip(word.chars().skip(1));
    word.contains('_') || letters.any(|(a, b)| a.is_lowercase() && b.is_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rule: &str, added: &str, old: &str, is_found: bool) {
        assert_eq!(
            new_in_lines(rule, added, old) > 0.0,
            is_found,
            "{rule}: {added}"
        );
    }

    #[test]
    fn code_with_punctuation_is_found_as_it_is_written() {
        check(
            "Never add `# type: ignore`",
            "x = f()  # type: ignore",
            "",
            true,
        );
        check(
            "Do not call `.read_text()`",
            "text = path.read_text()",
            "",
            true,
        );
        check("Prefer `a.b`", "xa.bc", "", false);
    }

    #[test]
    fn a_name_counts_if_the_file_does_not_have_it() {
        check("No `Optional`", "from typing import Optional", "", true);
        check(
            "No `Optional`",
            "y: Optional[int]",
            "x: Optional[str]",
            false,
        );
        check("Use ansi_red", "color: ansi_red", "", true);
        check("Use `let` and `if`", "if x: let y", "", false);
        check("Wrap the error", "error.wrap()", "", false);
        check("Run `npm run checkAll`", "checkAll()", "", false);
    }
}
