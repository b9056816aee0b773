//! Ranks the symbols that may be the example of a rule. Writes only the code index.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;

pub use super::discover::rank;
pub use super::index::CodeIndex;
use super::rank::rule_words::RuleWords;
pub use super::search::{Options, Query, RankedSymbol, Ranking, UnknownWord};
use super::{CodeBase, excerpt};

/// Ranks the candidates of each query, in order. The code index is brought up to date unless it was
/// opened before.
pub fn find(
    code: CodeBase<'_>,
    index: &mut Option<CodeIndex>,
    queries: &[Query],
    options: Options,
) -> Result<Vec<Ranking>> {
    let started = Instant::now();
    let index = match index {
        Some(index) => index,
        None => index.insert(open_index(code)?),
    };
    let mut rankings = rank(code, index, queries, options)?;
    let mut warnings = std::mem::take(&mut index.warnings);
    let elapsed = started.elapsed().as_secs_f64() * 1e3;
    for ranking in &mut rankings {
        ranking.elapsed_ms = (elapsed * 1e3).round() / 1e3;
        ranking.warnings.append(&mut warnings);
    }
    Ok(rankings)
}

/// Updates the code index in the store.
pub fn open_index(code: CodeBase<'_>) -> Result<CodeIndex> {
    CodeIndex::refresh(code)
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
