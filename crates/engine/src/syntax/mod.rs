//! Parses source code into symbols and tokens, and computes fingerprints of symbols.
//!
//! - [`language`] has the tables of node kinds for each language, and the steps to add one.
//! - [`parse`] turns a text into symbols and tokens in one walk over its syntax tree.
//! - [`fingerprint`] identifies a symbol's code after it was moved, renamed or reformatted;
//!   [`minhash`] estimates the similarity of edited code.
//! - [`excerpt`] shortens code for display, and [`highlight`] classifies it for colours.
//!
//! This module reads no files. Parsing cannot fail: a file with syntax errors yields the parts
//! that parse, and a file that takes too much time or memory yields no symbols.

pub(crate) mod excerpt;
pub mod fingerprint;
pub mod highlight;
pub mod language;
mod layout;
pub(crate) mod minhash;
pub mod parse;

pub use parse::{ParsedFile, Symbol, Token, TokenKind};
