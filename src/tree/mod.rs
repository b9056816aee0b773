//! The code on disk: walking it, reading it, and what git knows of it.
//!
//! Paths here are relative to the project's root and use `/`. Never follows a link
//! out of the root, never reads what is not a regular file, writes nothing.

pub(crate) mod documents;
pub(crate) mod entries;
pub(crate) mod git;
pub(crate) mod read;
pub(crate) mod walk;
