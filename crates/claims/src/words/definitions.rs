//! Which words a text of code defines, and which it may call.

use super::comments::is_comment;
use super::{DEFINING, FUNCTIONS, MAX_LINE, MODIFIERS, VALUES, is_word, line_start, positions};

/// Returns whether a text in a language that is not parsed declares a name.
pub(crate) fn declares(text: &str, name: &str) -> bool {
    positions(text, name).any(|at| {
        let keyword = text[..at].split_whitespace().next_back();
        keyword.is_some_and(|it| is_defining(it) && !VALUES.entries().contains(&it))
    })
}

/// Returns whether a name that is defined may follow a word.
pub(super) fn is_defining(word: &str) -> bool {
    DEFINING.entries().contains(&word) || word == "#define"
}

/// Returns whether a line is the certain start of the definition of a word: only keywords are before
/// it, or it is assigned.
pub(super) fn is_introduced(text: &str, word: &str) -> bool {
    positions(text, word).any(|at| {
        let Some(line_start) = line_start(text, at) else {
            return false;
        };
        let before = &text[line_start..at];
        let mut words = before.split_whitespace().rev();
        match words.next() {
            Some(keyword) if is_defining(keyword) => {
                words.all(|word| MODIFIERS.entries().contains(&word))
            }
            // A method of Go.
            Some(_) => before.starts_with("func (") && before.ends_with(") "),
            None => text[at + word.len()..].starts_with(" = "),
        }
    })
}

/// Returns the names that a line takes out of a value: `a` and `c` of `const { a, b: c } = load()`.
fn destructured(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let Some((before, rest)) = line.split_once('{') else {
        return found;
    };
    let Some((names, after)) = rest.split_once('}') else {
        return found;
    };
    let is_assigned = after.trim_start().starts_with('=');
    let keyword = before.split_whitespace().next_back().unwrap_or_default();
    if !is_assigned || !is_defining(keyword) || !before.ends_with(' ') {
        return found;
    }
    for item in names.split(',') {
        let name = item.split('=').next().unwrap_or(item);
        let name = name.rsplit(':').next().unwrap_or(name);
        let name = name.trim().trim_start_matches('.');
        if !name.is_empty() && name.chars().all(is_word) {
            found.push(name);
        }
    }
    found
}

/// Returns whether a text may call a word: not all its occurrences are fields that are read, or declared with
/// a value that is not a function.
pub(super) fn is_callable(text: &str, word: &str) -> bool {
    positions(text, word).any(|at| {
        let before = &text[..at];
        let rest = text[at + word.len()..].trim_start_matches(['!', '?']);
        let line = rest.lines().next().unwrap_or_default();
        let is_called = rest.starts_with(['(', '<']) || rest.starts_with("::");
        let is_field = before.ends_with('.') || before.ends_with("->");
        let is_declared = rest.trim_start().starts_with(':') && !rest.starts_with("::");
        let is_of_function = FUNCTIONS.entries().iter().any(|mark| line.contains(mark));
        is_called || is_of_function || !is_field && !is_declared
    })
}

/// Returns the words of a text that follow one that introduces a definition, or are assigned at the
/// start of a line, unless that is far before them, or the line is a comment.
pub(crate) fn defined_in(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines().filter(|line| !is_comment(line)) {
        found.extend(destructured(line));
        let first = line.trim_start();
        let (mut is_introduced, mut n_before) = (false, 0);
        for piece in line.split_inclusive([' ', '\t', '(']) {
            if n_before > MAX_LINE {
                break;
            }
            let name = &piece[..piece.find(|c| !is_word(c)).unwrap_or(piece.len())];
            let is_first = std::ptr::eq(piece.as_ptr(), first.as_ptr());
            let after = if is_first {
                first[name.len()..].trim_start()
            } else {
                ""
            };
            let is_assigned = after.starts_with(['=', ':']) && !after.starts_with("==");
            if !name.is_empty() && (is_introduced || is_assigned) {
                found.push(name);
            }
            let word = piece.trim_end_matches([' ', '\t']);
            is_introduced = if word.is_empty() {
                is_introduced
            } else {
                is_defining(word)
            };
            n_before += piece.len();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_taken_out_of_a_value_are_defined() {
        let check = |line: &str, expected: &[&str]| {
            let mut found = defined_in(line);
            found.retain(|name| name.starts_with("use") || name.starts_with("set"));
            assert_eq!(found, expected, "{line}");
        };
        check(
            "export const { useCart, b: setCart } = make();",
            &["useCart", "setCart"],
        );
        check(
            "const { useCart = none, ...setRest } = make()",
            &["useCart", "setRest"],
        );
        check("interface Cart { useCart: string } // =", &[]);
        check("fn load({ useCart }: Props) {", &[]);
    }

    #[test]
    fn a_field_without_a_function_is_not_callable() {
        for (text, expected) in [
            ("close()", true),
            ("import { close } from \"x\"", true),
            ("close: () => void,", true),
            ("Session::close::<u8>()", true),
            ("close!(a)", true),
            ("close: bool,", false),
            ("if session.close {", false),
            ("session.close = true; a.closed()", false),
        ] {
            assert_eq!(is_callable(text, "close"), expected, "{text}");
        }
    }
}
