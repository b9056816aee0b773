//! Finds the code that the text of a rule marks as code in other texts: as words, or as it is written.

use std::collections::BTreeSet;
use std::ops::Range;

use super::named_code::{SpanKind, identifiers, occurrences, quotes, spans};
use super::roles::{self, RoleSpan, SpanRole};

/// Minimum number of bytes of code with punctuation that is looked for as it is written.
const MIN_LITERAL_LEN: usize = 4;

/// Minimum number of words of one letter that represent any code.
const MIN_LETTERS: usize = 2;

/// What an occurrence of an identifier counts, relative to one of code with punctuation.
const IDENTIFIER_WEIGHT: f64 = 0.6;

/// What code that the rule forbids counts.
const FORBIDDEN_WEIGHT: f64 = 2.0;

/// What new code counts that the rule demands, so that the edit follows the rule.
const FOLLOWED_WEIGHT: f64 = 0.3;

/// Minimum number of bytes of a forbidden word of prose, such as `any`.
const MIN_WORD_LEN: usize = 3;

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

/// Returns how much of the code that a rule marks is new in the lines that are added to a file, whose text is `old`. Code that the
/// rule forbids counts wherever it is added, as in `# type: ignore`, and most. Of code that it demands counts a variant: the
/// same call with other arguments. An identifier without a role counts if the file does not have it. A document names code that
/// it does not use, so that only forbidden code counts there.
pub(crate) fn new_in_lines(rule: &str, added: &str, old: &str, is_document: bool) -> f64 {
    let mut sum = 0.0;
    let mut known = BTreeSet::new();
    let mut roles = None;
    for quote in quotes(rule) {
        let code = rule[quote.inner.clone()].trim();
        if code.contains('\n') || !known.insert(code) {
            continue;
        }
        let form = Form::new(code);
        let is_added = form.occurs(added);
        if !is_added && !form.has_variant(added) {
            continue;
        }
        let roles = roles.get_or_insert_with(|| roles::roles(rule));
        sum += match role_at(roles, quote.inner.start) {
            SpanRole::Forbidden if is_added && form.is_distinctive(old) => FORBIDDEN_WEIGHT,
            _ if is_document || (is_added && form.occurs(old)) => 0.0,
            SpanRole::Neutral if is_added && form.is_literal() => 1.0,
            SpanRole::Demanded if is_added && form.is_literal() => FOLLOWED_WEIGHT,
            SpanRole::Neutral | SpanRole::Demanded if !is_added => 1.0,
            _ => 0.0,
        };
    }
    if is_document {
        return sum.min(2.0);
    }
    for word in marked_identifiers(rule) {
        let is_name = is_coined(word) || word.starts_with(char::is_uppercase);
        if is_name && occurs(added, word) && !occurs(old, word) {
            sum += IDENTIFIER_WEIGHT;
        }
    }
    sum.min(2.0)
}

/// Returns the role of the code at a byte of a rule.
fn role_at(roles: &[RoleSpan], at: usize) -> SpanRole {
    let span = roles
        .iter()
        .find(|span| span.is_code && span.range.contains(&at));
    span.map_or(SpanRole::Neutral, |span| span.role)
}

/// Code as a rule writes it, perhaps with gaps: `fmt.Print*`, `#[allow(clippy::...)]`.
struct Form<'c> {
    /// The parts between the gaps. The first and the last one may be empty.
    parts: Vec<&'c str>,
}

impl<'c> Form<'c> {
    fn new(code: &'c str) -> Self {
        let code = code.strip_suffix("()").unwrap_or(code);
        let parts = without_letters(code);
        let longest = parts.iter().map(|part| part.trim().len()).max();
        // One letter may be a name, as in `std::f64::consts::E`.
        if parts.len() > MIN_LETTERS && longest.unwrap_or_default() >= MIN_LITERAL_LEN {
            return Self { parts };
        }
        let parts = code.split(['*', '…']).flat_map(|part| part.split("..."));
        Self {
            parts: parts.collect(),
        }
    }

    /// Whether a line of a text has the parts in their order.
    fn occurs(&self, text: &str) -> bool {
        let is_empty = self.parts.iter().all(|part| part.is_empty());
        !is_empty && text.lines().any(|line| self.is_in(line))
    }

    fn is_in(&self, line: &str) -> bool {
        let mut rest = line;
        for (idx, part) in self.parts.iter().enumerate() {
            let is_cut = idx + 1 < self.parts.len();
            let Some(at) = literal_at(rest, part, is_cut) else {
                return false;
            };
            rest = &rest[at + part.len()..];
        }
        true
    }

    /// Whether it is more than a word.
    fn is_literal(&self) -> bool {
        let is_word = self.parts.iter().all(|part| part.chars().all(is_of_word));
        let len: usize = self.parts.iter().map(|part| part.len()).sum();
        !is_word && len >= MIN_LITERAL_LEN
    }

    /// Whether it cannot be in added lines by chance: a common word is in the file already.
    fn is_distinctive(&self, old: &str) -> bool {
        self.is_literal()
            || self.parts.iter().any(|part| is_coined(part))
            || (self.parts.concat().len() >= MIN_WORD_LEN && !self.occurs(old))
    }

    /// Whether a text calls the same function with other arguments, or another one of the same module.
    fn has_variant(&self, text: &str) -> bool {
        let Some((callee, _)) = self.parts.first().and_then(|part| part.split_once('(')) else {
            return false;
        };
        let is_path = callee.contains('.') || callee.contains("::");
        is_path && occurs(text, callee)
    }
}

/// Returns the parts between the words of one letter, which represent any code: `v, _ := x.(T)`.
fn without_letters(code: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut is_in_word = false;
    for (at, c) in code.char_indices() {
        let end = at + c.len_utf8();
        let is_whole = !is_in_word && !code[end..].starts_with(is_of_word);
        if c.is_alphabetic() && is_whole {
            parts.push(&code[start..at]);
            start = end;
        }
        is_in_word = is_of_word(c);
    }
    parts.push(&code[start..]);
    parts
}

/// Returns where a text has a part of code. A name is whole, except where the code has a gap.
fn literal_at(text: &str, part: &str, is_cut: bool) -> Option<usize> {
    for (at, _) in text.match_indices(part) {
        let before = text[..at].chars().next_back();
        let after = text[at + part.len()..].chars().next();
        let splits_first = part.starts_with(is_of_word) && before.is_some_and(is_of_word);
        // `math/rand` is not `math/rand/v2`.
        let continues = after == Some('/') && part.contains('/');
        let splits_last =
            part.ends_with(is_of_word) && (continues || after.is_some_and(is_of_word));
        if !splits_first && (is_cut || !splits_last) {
            return Some(at);
        }
    }
    None
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

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
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
            new_in_lines(rule, added, old, false) > 0.0,
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
    fn forbidden_code_with_gaps_is_found_by_its_parts() {
        check("Never use `log.Print*`", "log.Println(x)", "", true);
        check(
            "Do not add `#[allow(rustc::...)]`",
            "#[allow(rustc::bad_opt)]",
            "",
            true,
        );
        check("Never use `log.Print*`", "log.Error(x)", "", false);
        check("Avoid `os.path`", "import os.path", "path = 1", true);
        check("Avoid `any`", "x: any", "y: any", false);
        check("Avoid `time/old`", "import time/old/v2", "", false);
    }

    #[test]
    fn a_call_that_differs_from_the_demanded_one_counts_more_than_the_same() {
        let rule = "Wrap errors with `xerr.Wrap(err, \"...\")`";
        let old = "return xerr.Wrap(err, \"no job\")";
        let other = new_in_lines(rule, "return xerr.Wrap(nil)", old, false);
        let same = new_in_lines(rule, "return xerr.Wrap(err, \"no lease\")", old, false);
        assert!(other > same, "{other} {same}");
    }

    #[test]
    fn code_that_the_file_has_and_the_rule_demands_says_nothing() {
        let rule = "Mark it with `@leased(ttl)`";
        check(rule, "@leased(ttl)\ndef late(): ...", "", true);
        check(
            rule,
            "@leased(ttl)\ndef late(): ...",
            "@leased(ttl)\ndef x(): ...",
            false,
        );
    }

    #[test]
    fn words_of_one_letter_represent_any_code() {
        let rule = "`k, _ := m.get(K)` hides an error";
        check(rule, "lease, _ := leases.get(\"a\")", "", true);
        check(rule, "lease, err := leases.get(\"a\")", "", false);
        check("Write `f(x)`", "g(y)", "", false);
    }

    #[test]
    fn in_a_document_only_forbidden_code_counts() {
        let found = |rule: &str, added: &str| new_in_lines(rule, added, "", true) > 0.0;
        assert!(found(
            "Never use `lease.force()`",
            "Call `lease.force()` then."
        ));
        assert!(!found(
            "Return a `LeaseTable`",
            "The `LeaseTable` has all of them."
        ));
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
