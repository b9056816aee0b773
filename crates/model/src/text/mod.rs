//! Text without any format: positions, words, suggestions, encodings.
//!
//! Inside the crate a position is a byte offset and lines count from 0; only `output` prints
//! lines from 1. Reads no file.

pub mod conventions;
mod encoding;
mod escape;
mod globs;
mod scan;
pub mod shell;
mod span;
mod suggest;
pub mod word_list;

pub use self::encoding::{decode, encode_like};
pub use self::escape::{escaped, escaped_json, shell_word, visible};
pub use self::globs::{Globs, PathGlobs, glob_fault, path_globs, split_globs};
pub use self::scan::{BLOCK, scan_blocks};
pub use self::span::{LineIndex, Span};
pub use self::suggest::{closest_match, suggest};
pub use self::word_list::WordList;

/// Formats a count with its noun: `1 file`, `2 files`, `3 memories`.
///
/// The noun ends with a consonant and `y`, or takes a plain `s`.
pub fn plural(n: usize, noun: &str) -> String {
    match (n, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{n} {stem}ies"),
        (_, None) => format!("{n} {noun}s"),
    }
}

/// Returns whether a text consists of these pieces, in order, with any text between them.
pub fn consists_of(text: &str, pieces: &[&str]) -> bool {
    let Some((first, rest)) = pieces.split_first() else {
        return false;
    };
    let Some(mut text) = text.strip_prefix(first) else {
        return false;
    };
    let Some((last, middle)) = rest.split_last() else {
        return text.is_empty();
    };
    for piece in middle {
        let Some((_, after)) = text.split_once(piece) else {
            return false;
        };
        text = after;
    }
    text.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_matches_any_text() {
        let check = |pattern: &str, text, expected| {
            let pieces: Vec<&str> = pattern.split('*').collect();
            assert_eq!(consists_of(text, &pieces), expected, "{pattern}");
        };
        check("src/a.py", "src/a.py", true);
        check("src/a.py", "src/a.pyc", false);
        check("src/*", "src/a/b.py", true);
        check("*.py", "src/a.py", true);
        check("a*b*c", "aXbYc", true);
        check("a*b*c", "acb", false);
        check("ab*ba", "aba", false);
    }
}
