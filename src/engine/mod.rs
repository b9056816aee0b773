//! The one way to code: finds the example of a rule, and follows a known symbol through changes.
//!
//! - [`index`] keeps the code index of a tree up to date: a term vector for each file, symbols for the
//!   files that were needed before.
//! - [`rank`] holds the formulas: words, weights and scores, without files or SQL.
//! - [`discover`] ranks the files, then the symbols of the best ones, for many rules at once.
//! - [`examples`] is the API above it: a [`examples::Query`] in, ranked symbols out.
//! - [`track`] finds the code of an anchor again after the tree changed.
//!
//! The engine prints nothing and knows neither memory ids nor the bank.

pub(crate) mod discover;
pub(crate) mod examples;
pub(crate) mod index;
mod per_thread;
pub(crate) mod rank;
mod recency;
pub(crate) mod track;

use std::path::Path;

use rank::calibrate::Weights;

/// The code of a project: the tree, where its index is stored, and how its quality is weighed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CodeBase<'a> {
    pub(crate) root: &'a Path,
    /// The SQLite file that holds the index.
    pub(crate) store: &'a Path,
    /// Globs of files that are never indexed.
    pub(crate) exclude: &'a [String],
    pub(crate) weights: &'a Weights,
    /// Nanoseconds since 1970.
    pub(crate) now: i64,
}

/// Reports how many of how many steps are done.
pub(crate) type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// Rounds a score to the four digits that are printed and stored.
pub(crate) fn rounded(score: f64) -> f64 {
    (score * 1e4).round() / 1e4
}
