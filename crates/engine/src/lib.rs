//! The API to the code: finds the example of a rule, and tracks a known symbol through changes.
//!
//! - [`syntax`] turns source code into symbols, tokens and fingerprints. It reads no files.
//! - [`tree`] reads the project's files and git.
//! - [`index`] updates the code index of a tree: a term vector for each file, and symbols for the
//!   files that a query needed before.
//! - [`rank`] has the formulas: words, weights and scores. It uses no files and no SQL.
//! - [`discover`] ranks the files, then the symbols of the best files, for many rules at once.
//! - [`search`] has the types of a search: a [`Query`](search::Query) in, a
//!   [`Ranking`](search::Ranking) of symbols out. [`examples`] is the API to it.
//! - [`excerpt`] shortens an example to the lines that show its rule.
//! - [`relevance`] compares rules and their examples with the files of a task.
//! - [`track`] finds the code of an anchor again after the tree changed.
//! - [`threads`] starts threads where there may be too few.
//! - [`weights`] reads fitted numbers from files.
//!
//! From a rule to its anchor: [`examples::rank`] turns each query into ranked symbols. The quality
//! of a symbol is computed by [`rank::calibrate::quality`].
//! [`RankedSymbol::meets_threshold`](search::RankedSymbol::meets_threshold) decides whether it is
//! high enough for an anchor; no other function compares a quality with the threshold.
//! [`track::locate`] then returns the fingerprint that the anchor stores.
//!
//! The engine prints nothing, and knows neither memory ids nor the bank.

pub(crate) mod discover;
pub mod examples;
pub mod excerpt;
#[cfg(any(fuzzing, test))]
#[path = "../../../tests/fuzz/properties/engine.rs"]
pub mod fuzz;
pub(crate) mod index;
pub mod rank;
mod recency;
pub mod relevance;
mod rule_reading;
pub(crate) mod search;
pub mod syntax;
pub mod task_relevance;
pub mod threads;
pub mod track;
pub mod tree;
pub(crate) mod weights;

use std::path::Path;
use std::rc::Rc;

use cerberus_store::Store;
use rank::calibrate::Weights;

/// The code of a project: the tree, the store of its index, and the weights of the quality.
#[derive(Clone, Copy)]
pub struct CodeBase<'a> {
    pub root: &'a Path,
    /// The store that contains the index.
    pub store: &'a Rc<Store>,
    /// Globs of files that are never indexed.
    pub exclude: &'a [String],
    pub weights: &'a Weights,
    /// Nanoseconds since 1970.
    pub now: i64,
    /// Called for each file while the index is updated and the candidates are parsed, and between
    /// the steps of a ranking. It may unwind to cancel: the store is then consistent.
    pub progress: Progress<'a>,
}

/// Called with the number of completed steps and the number of all steps, from any thread.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// Rounds a score to the four digits that are printed and stored.
pub fn rounded(score: f64) -> f64 {
    (score * 1e4).round() / 1e4
}
