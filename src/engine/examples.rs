//! Ranks the symbols that may be the example of a rule. Writes only the code index.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::excerpt::{self, LineRange};
use super::index::CodeIndex;
use super::rank::rule_words::RuleWords;
use super::{CodeBase, discover, recency, rounded};
use crate::engine::rank::calibrate::{self, Features, Weights};
use crate::engine::rank::weights::WEIGHTS;
use crate::model::{Confidence, Language, RuleKind, SymbolKind};
use crate::store::Store;

/// A rule to find an example for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Query {
    pub(crate) rule: String,
    pub(crate) hints: Vec<String>,
    /// Globs of the files that the rule applies to; empty for all files.
    pub(crate) paths: Vec<String>,
    /// The kind of the rule as a person set it, in place of the one by its wording.
    pub(crate) kind: Option<RuleKind>,
    /// The languages that the scope limits the example to.
    pub(crate) languages: Option<&'static [Language]>,
}

/// Options of a ranking.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    /// Maximum number of candidates per query.
    pub(crate) limit: usize,
    /// Whether the best candidate of each file precedes further ones of the same files.
    pub(crate) distinct_files: bool,
    /// The quality threshold.
    pub(crate) min_quality: f64,
    /// Whether to report reasons, evidence and unknown words.
    pub(crate) explain: bool,
}

/// The candidates of a rule.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Ranking {
    pub(crate) rule: String,
    pub(crate) hints: Vec<String>,
    pub(crate) min_quality: f64,
    pub(crate) kind: RuleKind,
    /// The cues in the wording of a rule that is not about code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) kind_reasons: Vec<String>,
    pub(crate) confidence: Confidence,
    /// The first candidate, if it is the example of the rule surely.
    pub(crate) anchor: Option<RankedSymbol>,
    /// Best first.
    pub(crate) candidates: Vec<RankedSymbol>,
    /// Hints that occur nowhere in the code, and in an explained ranking also such words of the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unknown_words: Option<Vec<UnknownWord>>,
    /// The features of the first candidate's match. `benches/anchors/fit.py` refits the formula with
    /// them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) evidence: Option<Features>,
    pub(crate) elapsed_ms: f64,
    #[serde(skip)]
    pub(crate) warnings: Vec<String>,
}

impl Ranking {
    /// Sets the confidence and the anchor from the first candidate and the kind of the rule.
    fn decide(&mut self) {
        let first = self.candidates.first().filter(|_| self.kind == RuleKind::Code);
        self.confidence = match first {
            Some(first) if first.meets_threshold(self.min_quality) => Confidence::Sure,
            Some(first) if first.meets_threshold(WEIGHTS.candidates.likely) => Confidence::Likely,
            _ => Confidence::None,
        };
        self.anchor = first.filter(|_| self.confidence == Confidence::Sure).cloned();
    }
}

/// A possible example of a rule, with its scores.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RankedSymbol {
    pub(crate) rank: usize,
    pub(crate) file: String,
    /// The qualified name, or `None` for the whole file.
    pub(crate) symbol: Option<String>,
    pub(crate) kind: SymbolKind,
    pub(crate) language: Language,
    pub(crate) start_line: u32,
    pub(crate) end_line: u32,
    pub(crate) quality: f64,
    #[serde(rename = "match")]
    pub(crate) match_score: f64,
    pub(crate) size: f64,
    pub(crate) recency: f64,
    /// The words of the rule as written, highest score first.
    pub(crate) matched_terms: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty", skip_deserializing)]
    pub(crate) reasons: Vec<Reason>,
    /// The signature and the lines that match the rule, if a person or an agent is to choose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) excerpt: Option<String>,
    /// The lines of the file in the excerpt.
    #[serde(skip_serializing_if = "Option::is_none", skip_deserializing)]
    pub(crate) shown_lines: Option<Vec<LineRange>>,
}

impl RankedSymbol {
    /// Returns whether the quality is high enough for an anchor that no person chose.
    pub(crate) fn meets_threshold(&self, min_quality: f64) -> bool {
        self.quality >= min_quality
    }

    /// Sets the quality from the match, the size and `recency`, and rounds all scores.
    fn rate(&mut self, recency: f64, weights: &Weights) {
        self.quality = calibrate::quality(self.match_score, self.size, recency, weights);
        self.recency = recency;
        for score in [&mut self.quality, &mut self.match_score, &mut self.size, &mut self.recency] {
            *score = rounded(*score);
        }
    }
}

/// The contribution of one word of a rule to the score of a candidate.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Reason {
    pub(crate) word: String,
    /// Its share of the score. All words together reach at most 1.
    pub(crate) gain: f64,
    pub(crate) idf: f64,
    pub(crate) fields: Vec<&'static str>,
}

/// A word of a rule that does not occur in the code, with similar words that do.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UnknownWord {
    pub(crate) word: String,
    pub(crate) is_hint: bool,
    pub(crate) near: Vec<String>,
}

/// Updates the code index and ranks the candidates of each query, in order.
pub(crate) fn find(
    code: CodeBase<'_>,
    queries: &[Query],
    options: Options,
) -> Result<Vec<Ranking>> {
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
pub(crate) fn open_index(code: CodeBase<'_>) -> Result<CodeIndex> {
    CodeIndex::refresh(code, || Store::open(code.store))
}

/// Ranks the candidates of each query, in order, with an index that is up to date.
pub(crate) fn rank(
    code: CodeBase<'_>,
    index: &mut CodeIndex,
    queries: &[Query],
    options: Options,
) -> Result<Vec<Ranking>> {
    let mut rankings = discover::find(index, queries, options, code.progress)?;
    let candidates = rankings.iter().flat_map(|ranking| &ranking.candidates);
    let files: BTreeSet<String> = candidates.map(|candidate| candidate.file.clone()).collect();
    let recencies = recency::of_files(index, &files)?;
    for ranking in &mut rankings {
        for candidate in &mut ranking.candidates {
            let recency = recencies.get(&candidate.file).copied().unwrap_or(0.0);
            candidate.rate(recency, code.weights);
        }
        ranking.decide();
    }
    Ok(rankings)
}

/// Adds to each candidate an excerpt of its code.
pub(crate) fn add_excerpts(root: &Path, rule: &RuleWords, candidates: &mut [RankedSymbol]) {
    for candidate in candidates {
        let lines = (candidate.start_line, candidate.end_line);
        let excerpt = excerpt::of_candidate(root, rule, &candidate.file, lines);
        candidate.shown_lines = Some(excerpt::shown_lines(&excerpt));
        candidate.excerpt = Some(excerpt.text);
    }
}
