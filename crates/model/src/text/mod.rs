//! Text without any format: positions, words, sentences, similarity, suggestions, encodings.
//!
//! Inside the crate a position is a byte offset and lines count from 0; only `output` prints
//! lines from 1. Reads no file.

pub mod conventions;
mod encoding;
mod escape;
mod globs;
mod scan;
pub mod sentences;
pub mod shell;
pub mod similarity;
mod span;
mod suggest;
pub mod word_list;

pub use self::encoding::decode;
pub use self::escape::{escaped, escaped_json, percent_encoded, shell_word, visible};
pub use self::globs::{Globs, PathGlobs, glob_fault, split_globs};
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
