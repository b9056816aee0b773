//! Code on disk: walking, reading, git queries.
//!
//! Paths are relative to the project root and use `/`. Reads only regular files inside the root
//! and does not write.

pub(crate) mod documents;
pub(crate) mod entries;
pub(crate) mod git;
mod ignore_bytes;
pub(crate) mod read;
pub(crate) mod walk;
