//! Code on disk: walking, reading, git queries.
//!
//! Paths are relative to the project root and use `/`. Reads only regular files inside the root
//! and does not write.

pub mod documents;
pub mod entries;
mod excludes;
mod folder_walk;
pub mod git;
mod ignore_rules;
mod listed;
pub mod read;
pub mod walk;

#[cfg(test)]
mod tests;
