//! Creates the anchors of memories, and describes them for reports.
//!
//! The commands store the anchors, this module does not.

use anyhow::Result;
use serde::Serialize;

use super::{Project, rounded};
use crate::bank::MemoryFile;
use crate::engine::examples::{Query, RankedSymbol};
use crate::engine::track;
use crate::error::UserError;
use crate::model::{Anchor, CodeLocation, Origin};
use crate::text;
use crate::tree::{git, walk};

/// An anchor in reports.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AnchorSummary {
    pub(crate) file: String,
    pub(crate) symbol: Option<String>,
    pub(crate) quality: f64,
    #[serde(rename = "match")]
    pub(crate) match_score: f64,
    pub(crate) chosen: Origin,
}

impl From<&Anchor> for AnchorSummary {
    fn from(anchor: &Anchor) -> Self {
        Self {
            file: anchor.file.clone(),
            symbol: anchor.symbol.clone(),
            quality: rounded(anchor.quality),
            match_score: rounded(anchor.match_score),
            chosen: anchor.origin,
        }
    }
}

/// Returns an anchor to a candidate, with the fingerprint of its current code.
pub(crate) fn from_candidate(
    project: &Project,
    candidate: &RankedSymbol,
    chosen: Origin,
) -> Result<Anchor> {
    let symbol = candidate.symbol.as_deref();
    let scores = (candidate.quality, candidate.match_score);
    new_anchor(project, &candidate.file, symbol, chosen, scores)
}

/// Returns an anchor to a location chosen by a person, which has full quality.
pub(crate) fn at_location(project: &Project, location: &CodeLocation) -> Result<Anchor> {
    check_file(project, &location.file)?;
    let symbol = location.symbol.as_deref();
    new_anchor(project, &location.file, symbol, Origin::Manual, (1.0, 1.0))
}

fn new_anchor(
    project: &Project,
    file: &str,
    symbol: Option<&str>,
    chosen: Origin,
    (quality, match_score): (f64, f64),
) -> Result<Anchor> {
    let located = track::locate(&project.root, file, symbol)?;
    Ok(Anchor {
        file: located.found.file,
        symbol: located.found.symbol,
        kind: located.found.kind,
        language: located.found.language,
        origin: chosen,
        quality,
        match_score,
        commit: git::head(&project.root).map(|head| head.abbreviated_id()),
        fingerprint: located.fingerprint,
    })
}

/// Checks that a file exists; the error suggests a similar path.
fn check_file(project: &Project, file: &str) -> Result<()> {
    if project.root.join(file).exists() {
        return Ok(());
    }
    let listing = walk::walk(&project.root, &project.exclude)?;
    let paths = listing.entries.iter().map(|entry| entry.path.as_str());
    let failure = UserError::usage(format!("file `{file}` not found"));
    Err(match text::suggest(file, paths) {
        Some(similar) if file.starts_with(&format!("{similar}:")) => failure.hint(format!(
            "name a symbol instead of lines, as in `{similar}::SYMBOL`, or the whole file"
        )),
        Some(similar) => failure.hint(format!("did you mean `{similar}`?")),
        None => failure.hint("use a path relative to the project root: FILE or FILE::SYMBOL"),
    }
    .into())
}

/// Returns the query for the example of a memory, with additional hints.
pub(crate) fn query(stored: &MemoryFile, more_hints: &[String]) -> Query {
    let mut hints = stored.memory.hints.clone();
    for hint in more_hints {
        if !hints.contains(hint) {
            hints.push(hint.clone());
        }
    }
    Query { rule: rule(&stored.memory.body).to_owned(), hints, languages: None, kind: None }
}

/// Returns the first paragraph of a memory: a longer text starts with its rule and then explains it.
pub(crate) fn rule(text: &str) -> &str {
    let text = text.trim();
    text.split("\n\n").next().unwrap_or(text).trim()
}

/// Returns why no candidate became the anchor.
pub(crate) fn rejection(candidates: &[RankedSymbol], min_quality: f64) -> String {
    match candidates.first() {
        Some(best) => format!(
            "the best candidate has quality {:.2}, below the threshold {min_quality}",
            best.quality
        ),
        None => "no code contains any of its words".to_owned(),
    }
}
