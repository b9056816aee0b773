//! Ranks the symbols that may be the example of a rule. Writes only the code index.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use cerberus_store::Store;

pub use super::discover::rank;
pub use super::index::CodeIndex;
use super::rank::rule_words::RuleWords;
pub use super::search::{Options, Query, RankedSymbol, Ranking, UnknownWord};
use super::{CodeBase, excerpt};

/// Updates the code index and ranks the candidates of each query, in order.
pub fn find(code: CodeBase<'_>, queries: &[Query], options: Options) -> Result<Vec<Ranking>> {
    let started = Instant::now();
    let mut index = open_index(code)?;
    let mut rankings = rank(code, &mut index, queries, options)?;
    let mut warnings = std::mem::take(&mut index.warnings);
    let elapsed = started.elapsed().as_secs_f64() * 1e3;
    for ranking in &mut rankings {
        ranking.elapsed_ms = (elapsed * 1e3).round() / 1e3;
        ranking.warnings.append(&mut warnings);
    }
    Ok(rankings)
}

/// Opens the store and updates its code index.
pub fn open_index(code: CodeBase<'_>) -> Result<CodeIndex> {
    CodeIndex::refresh(code, || Store::open(code.store))
}

/// Adds to each candidate an excerpt of its code with at most `max_lines` lines.
pub fn add_excerpts(
    root: &Path,
    rule: &RuleWords,
    candidates: &mut [RankedSymbol],
    max_lines: usize,
) {
    for candidate in candidates {
        let place = (&*candidate.file, (candidate.start_line, candidate.end_line));
        let excerpt = excerpt::of_candidate(root, rule, place, max_lines);
        candidate.shown_lines = Some(excerpt::shown_lines(&excerpt));
        candidate.excerpt = Some(excerpt.text);
    }
}
