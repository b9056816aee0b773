//! Code on disk: walking, reading, git queries.
//!
//! Paths are relative to the project root and use `/`. Reads only regular files inside the root
//! and does not write.

pub mod documents;
pub mod entries;
pub mod git;
mod ignore_bytes;
pub mod read;
mod rules;
pub mod walk;
