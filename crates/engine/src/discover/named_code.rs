//! Finds the code that a rule names, and its hints, in the text of a symbol.

use cerberus_model::text::consists_of;
use cerberus_model::{LineIndex, Span};

use crate::rank::code_form::CodeForm;
use crate::rank::named_code::{Role, identifiers, occurrences, pattern_pieces};
use crate::rank::query::{Look, NamedCode};
use crate::rank::score::NameMatch;

/// Maximum number of lines above a symbol that are read for annotations and documentation.
const MAX_LINES_ABOVE: usize = 30;

/// Returns how many of `words` occur in a text, in any case.
pub(super) fn n_contained(text: &str, words: &[String]) -> usize {
    if words.is_empty() {
        return 0;
    }
    let text = text.to_lowercase();
    words
        .iter()
        .filter(|word| text.contains(&word.to_lowercase()))
        .count()
}

/// Returns whether a symbol of the file at `path` has this name, or a name of this pattern. A qualified name
/// is not that of a function elsewhere: `fmt.Errorf` is not `errors/new.go::Errorf`.
pub(super) fn is_definition(named: &NamedCode, symbol: &str, path: &str) -> bool {
    if named.role != Role::Subject || name_match(named, symbol, "") != NameMatch::Definition {
        return false;
    }
    let qualifier = named.text.rsplit(['.', ':']).nth(1).unwrap_or_default();
    symbol.contains('.') || path.to_lowercase().contains(&qualifier.to_lowercase())
}

/// Returns the lines from `first` to `last`, with the annotations and comments above them.
pub(super) fn with_lines_above<'t>(text: &'t str, index: &LineIndex, lines: (u32, u32)) -> &'t str {
    span_with_lines_above(text, index, lines).slice(text)
}

/// Returns the span of the lines from `first` to `last`, with the annotations and comments above them.
pub(super) fn span_with_lines_above(
    text: &str,
    index: &LineIndex,
    (first, last): (u32, u32),
) -> Span {
    let mut first_above = first as usize;
    for line in (0..first as usize).rev().take(MAX_LINES_ABOVE) {
        let code = text[index.start(line)..index.start(line + 1)].trim_start();
        let mut starts = ["@", "#[", "//", "/*", "*"].iter();
        if !starts.any(|start| code.starts_with(start)) {
            break;
        }
        first_above = line;
    }
    let start = index.start(first_above);
    Span::new(start, index.start(last as usize + 1))
}

/// Returns how a symbol with this qualified name and code contains a name whose parts occur in it. Code that has
/// the name, or is part of it, is an example of what the rule says about it, but not of its use.
pub(super) fn name_match(named: &NamedCode, symbol: &str, code: &str) -> NameMatch {
    match &named.look {
        Look::Literal(form) if form.is_in(code) => NameMatch::Verbatim,
        Look::Literal(_) => NameMatch::Absent,
        Look::Pattern => pattern_match(named, symbol, code),
        Look::Name(form) => plain_match(named, form.as_ref(), symbol, code),
    }
}

fn pattern_match(named: &NamedCode, symbol: &str, code: &str) -> NameMatch {
    let pieces = pattern_pieces(&named.text);
    let name = symbol.rsplit('.').next().unwrap_or_default();
    if consists_of(name, &pieces) {
        return NameMatch::Definition;
    }
    if identifiers(code).any(|name| consists_of(name, &pieces)) {
        NameMatch::Verbatim
    } else {
        NameMatch::Absent
    }
}

fn plain_match(named: &NamedCode, form: Option<&CodeForm>, symbol: &str, code: &str) -> NameMatch {
    let mut parts = named
        .text
        .split(['.', ':'])
        .filter(|part| !part.is_empty())
        .rev();
    let last = parts.next().unwrap_or_default();
    if named.is_to_be_used() && symbol.split('.').any(|part| part == last) {
        return NameMatch::Absent;
    }
    let related = match named.role {
        Role::Base => Some(header(code)),
        Role::Mark => Some(head(code)),
        _ => None,
    };
    if let Some(related) = related {
        let is_related = match form {
            Some(form) => form.is_in(related),
            None => occurrences(related, last).next().is_some(),
        };
        return if is_related {
            NameMatch::Definition
        } else if occurrences(code, last).next().is_some() {
            NameMatch::LastPart
        } else {
            NameMatch::Absent
        };
    }
    let mut own = symbol.rsplit('.');
    if (named.is_hinted || named.role == Role::Subject)
        && own.next() == Some(last)
        && parts
            .next()
            .is_none_or(|owner| own.next().is_none_or(|own| own == owner))
    {
        return NameMatch::Definition;
    }
    let is_verbatim = match form {
        Some(form) => form.is_in(code),
        None => occurrences(code, &named.text).next().is_some(),
    };
    if is_verbatim {
        NameMatch::Verbatim
    } else if occurrences(code, last).next().is_some()
        || named.parts.len() > 1 && is_prefix(code, last)
    {
        NameMatch::LastPart
    } else {
        NameMatch::Absent
    }
}

/// Returns the annotations of a definition, and its header up to its body.
fn header(code: &str) -> &str {
    let end = code.find(['{', ';']).unwrap_or(code.len());
    let line_end = code[..end].find(":\n").unwrap_or(end);
    &code[..line_end]
}

/// Returns the lines of a definition up to the first one that is not an annotation.
fn head(code: &str) -> &str {
    let mut end = 0;
    for line in code.split_inclusive('\n') {
        end += line.len();
        if !line.trim_start().starts_with(['@', '#', '[', '/', '*']) {
            break;
        }
    }
    &code[..end]
}

/// Returns whether an identifier of `code` has a further word after `name`, as `AtomicU32Provider` after `AtomicU32`.
fn is_prefix(code: &str, name: &str) -> bool {
    let mut found = code.match_indices(name);
    found.any(|(at, _)| {
        !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
            && code[at + name.len()..].starts_with(|c: char| c == '_' || c.is_uppercase())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::query::ParsedQuery;

    #[test]
    fn names_match_definitions_whole_names_and_last_parts() {
        let check = |rule: &str, symbol: &str, code: &str, expected: NameMatch| {
            let query = ParsedQuery::rule(rule, &[]);
            assert_eq!(
                name_match(&query.names[0], symbol, code),
                expected,
                "{rule} {code}"
            );
        };
        check(
            "`db.close_all()` ends",
            "db.close_all",
            "",
            NameMatch::Definition,
        );
        check(
            "`db.close_all()` ends",
            "Pool.close_all",
            "",
            NameMatch::Absent,
        );
        check(
            "`close_all()` ends",
            "Pool.close_all",
            "",
            NameMatch::Definition,
        );
        check(
            "Use `close_all()`",
            "Pool.close_all",
            "close_all()",
            NameMatch::Absent,
        );
        check(
            "Use `Pool`",
            "Pool.close_all",
            "Pool.lock()",
            NameMatch::Absent,
        );
        check(
            "Implement `close_all()`",
            "Pool.close_all",
            "def close_all():",
            NameMatch::Verbatim,
        );
        check(
            "Use `db.close_all()`",
            "f",
            "self.db.close_all(x)",
            NameMatch::Verbatim,
        );
        check(
            "Use `db.close_all()`",
            "f",
            "database.close_all(x)",
            NameMatch::LastPart,
        );
        check(
            "Use `AtomicU32`",
            "f",
            "AtomicU32Provider::new()",
            NameMatch::LastPart,
        );
        check(
            "Use `close_all()`",
            "f",
            "close_all_files(x)",
            NameMatch::LastPart,
        );
        check(
            "Use `close_all()`",
            "f",
            "close_allowed(x); is_close_all_set()",
            NameMatch::Absent,
        );
        check(
            "Use `db.close_all()`",
            "f",
            "db.close_all_now(x)",
            NameMatch::LastPart,
        );
        check(
            "Name them `test_*`",
            "Suite.test_a",
            "",
            NameMatch::Definition,
        );
        check(
            "Derive from `Load`",
            "Parcel",
            "class Parcel(Load):\n    pass\n",
            NameMatch::Definition,
        );
        check(
            "Derive from `Load`",
            "Load",
            "class Load(Base):\n    pass\n",
            NameMatch::Absent,
        );
        check(
            "Derive from `Load`",
            "pack",
            "def pack():\n    Load()\n",
            NameMatch::LastPart,
        );
        check(
            "Mark steps with `@traced`",
            "f",
            "@traced\ndef f():\n    pass\n",
            NameMatch::Definition,
        );
        check(
            "Mark steps with `@traced`",
            "f",
            "def f():\n    traced()\n",
            NameMatch::LastPart,
        );
        check(
            "End with `as const`",
            "A",
            "[1] as const;",
            NameMatch::Verbatim,
        );
        check(
            "End with `as const`",
            "A",
            "const a = 1;",
            NameMatch::Absent,
        );
        check(
            "Add `@traced`",
            "f",
            "@traced\ndef f()",
            NameMatch::Definition,
        );
        check(
            "Add `@traced`",
            "f",
            "def f(): traced()",
            NameMatch::LastPart,
        );
        check(
            "Name flags `SHOP_CI_`",
            "f",
            "get(\"SHOP_CI_FAST\")",
            NameMatch::Verbatim,
        );
        check(
            "Name them `{name}_command`",
            "command_of",
            "",
            NameMatch::Absent,
        );
    }
}
