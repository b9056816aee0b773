//! Text without any format: positions, words, sentences, similarity, suggestions, encodings.
//!
//! Inside the crate a position is a byte offset and lines count from 0; only `output` prints
//! lines from 1. Reads no file.

pub(crate) mod conventions;
mod encoding;
mod escape;
mod globs;
mod scan;
pub(crate) mod sentences;
pub(crate) mod shell;
pub(crate) mod similarity;
mod span;
mod suggest;
pub(crate) mod word_list;

pub(crate) use self::encoding::decode;
pub(crate) use self::escape::{escaped, shell_word};
pub(crate) use self::globs::{
    Globs, PathGlobs, from_root, glob_fault, literal_folder, split_globs,
};
pub(crate) use self::scan::{BLOCK, scan_blocks};
pub(crate) use self::span::{LineIndex, Span};
pub(crate) use self::suggest::{closest_match, suggest};
pub(crate) use self::word_list::WordList;

/// Formats a count with its noun: `1 file`, `2 files`, `3 memories`.
///
/// The noun ends with a consonant and `y`, or takes a plain `s`.
pub(crate) fn plural(n: usize, noun: &str) -> String {
    match (n, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{n} {stem}ies"),
        (_, None) => format!("{n} {noun}s"),
    }
}
