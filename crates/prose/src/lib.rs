//! Reads English: what a sentence demands and forbids, what it says of a name, and about which time it is.
//!
//! The words are data: [`lists`] declares all of them, and `words/` has them with their purpose and their source.
//! All functions are pure: they access no file, store, clock or thread.

pub mod contrast;
pub mod language;
pub mod lists;
pub mod named_code;
pub mod roles;
pub mod samples;
pub mod sentences;
pub mod stance;
pub mod times;
pub mod token;
pub mod wording;
pub mod words;
