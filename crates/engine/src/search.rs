//! What is searched for and what is found: the query for the example of a rule, and the ranking of the
//! symbols that may be it.

use cerberus_model::{Confidence, Language, RuleKind, SymbolKind};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::excerpt::LineRange;
use super::rank::calibrate::{self, Features, Weights};
use super::rank::weights::WEIGHTS;
use super::rounded;

/// A rule to find an example for.
#[derive(Debug, Clone, Default)]
pub struct Query {
    pub rule: String,
    pub hints: Vec<String>,
    /// Globs of the files that the rule applies to; empty for all files.
    pub paths: Vec<String>,
    /// The kind of the rule as a person set it, in place of the one by its wording.
    pub kind: Option<RuleKind>,
    /// The languages that the scope limits the example to.
    pub languages: Option<&'static [Language]>,
}

/// Options of a ranking.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Maximum number of candidates per query.
    pub limit: usize,
    /// Whether the best candidate of each file precedes further ones of the same files.
    pub distinct_files: bool,
    /// The quality threshold.
    pub min_quality: f64,
    /// Whether to report reasons, evidence and unknown words.
    pub explain: bool,
}

impl Options {
    /// Returns the options for so many candidates, from different files if possible.
    pub fn distinct(limit: usize, min_quality: f64) -> Self {
        Self {
            limit,
            distinct_files: true,
            min_quality,
            explain: false,
        }
    }
}

/// The candidates of a rule.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ranking {
    pub rule: String,
    pub(crate) hints: Vec<String>,
    pub min_quality: f64,
    pub kind: RuleKind,
    /// The cues in the wording of a rule that is not about code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kind_reasons: Vec<String>,
    pub confidence: Confidence,
    /// The first candidate, if it is the example of the rule surely.
    pub anchor: Option<RankedSymbol>,
    /// Best first.
    pub candidates: Vec<RankedSymbol>,
    /// Hints that occur nowhere in the code, and in an explained ranking also such words of the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown_words: Option<Vec<UnknownWord>>,
    /// The features of the first candidate's match. `benches/anchors/fit.py` refits the formula with
    /// them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) evidence: Option<Features>,
    pub(crate) elapsed_ms: f64,
    #[serde(skip)]
    pub warnings: Vec<String>,
}

impl Ranking {
    /// Sets the quality of the candidates, and with it the confidence and the anchor. `recencies` are
    /// those of their files, if they count.
    pub(super) fn rate(&mut self, weights: &Weights, recencies: Option<&FxHashMap<String, f64>>) {
        for candidate in &mut self.candidates {
            let of_file = |known: &FxHashMap<String, f64>| {
                rounded(known.get(&candidate.file).copied().unwrap_or_default())
            };
            candidate.recency = recencies.map(of_file);
            let (of_match, size) = (candidate.match_score, candidate.size);
            let recency = candidate.recency.unwrap_or_default();
            candidate.quality = rounded(calibrate::quality(of_match, size, recency, weights));
            candidate.match_score = rounded(of_match);
            candidate.size = rounded(size);
        }
        let first = self
            .candidates
            .first()
            .filter(|_| self.kind == RuleKind::Code);
        self.confidence = match first {
            Some(first) if first.meets_threshold(self.min_quality) => Confidence::Sure,
            Some(first) if first.is_likely() => Confidence::Likely,
            _ => Confidence::None,
        };
        self.anchor = first
            .filter(|_| self.confidence == Confidence::Sure)
            .cloned();
    }
}

/// A possible example of a rule, with its scores.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RankedSymbol {
    pub rank: usize,
    pub file: String,
    /// The qualified name, with its number if its file has several of that name, or `None` for the
    /// whole file.
    pub symbol: Option<String>,
    pub kind: SymbolKind,
    pub language: Language,
    pub start_line: u32,
    pub end_line: u32,
    pub quality: f64,
    #[serde(rename = "match")]
    pub match_score: f64,
    pub(crate) size: f64,
    /// Of its file. Only the weights of the first version read the time of a commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) recency: Option<f64>,
    /// The words of the rule as written, highest score first.
    pub matched_terms: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty", skip_deserializing)]
    pub reasons: Vec<Reason>,
    /// The signature and the lines that match the rule, if a person or an agent is to choose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    /// The lines of the file in the excerpt.
    #[serde(skip_serializing_if = "Option::is_none", skip_deserializing)]
    pub shown_lines: Option<Vec<LineRange>>,
}

impl RankedSymbol {
    /// Returns whether the quality is high enough for an anchor that no person chose.
    pub fn meets_threshold(&self, min_quality: f64) -> bool {
        self.quality >= min_quality
    }

    /// Returns whether the quality is high enough to offer it to a person or an agent.
    pub fn is_likely(&self) -> bool {
        self.meets_threshold(WEIGHTS.candidates.likely)
    }
}

/// The contribution of one word of a rule to the score of a candidate.
#[derive(Debug, Clone, Serialize)]
pub struct Reason {
    pub word: String,
    /// Its share of the score. All words together reach at most 1.
    pub gain: f64,
    pub(crate) idf: f64,
    pub fields: Vec<&'static str>,
}

/// A word of a rule that does not occur in the code, with similar words that do.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnknownWord {
    pub word: String,
    pub is_hint: bool,
    pub near: Vec<String>,
}
