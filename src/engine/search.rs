//! What is searched for and what is found: the query for the example of a rule, and the ranking of the
//! symbols that may be it.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::excerpt::LineRange;
use super::rank::calibrate::{self, Features, Weights};
use super::rank::weights::WEIGHTS;
use super::rounded;
use crate::model::{Confidence, Language, RuleKind, SymbolKind};

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
    /// Of its file. Only the weights of the first version read the time of a commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) recency: Option<f64>,
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
