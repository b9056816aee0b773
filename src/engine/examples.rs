//! Ranks the code that may show a rule. Writes nothing but the code index.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::engine::rank::calibrate;
use crate::model::{Language, SymbolKind};
use crate::store::Store;
use crate::tree::read;

use super::discover::{self, Ask, Found};
use super::index::CodeIndex;
use super::{CodeBase, recency, rounded};

/// How many lines of a candidate a person needs to tell it from the others.
const EXCERPT_LINES: usize = 5;

/// A rule to find the example of.
#[derive(Debug, Clone, Default)]
pub(crate) struct Query {
    pub(crate) rule: String,
    pub(crate) hints: Vec<String>,
    /// The languages its scope limits the example to.
    pub(crate) languages: Option<&'static [Language]>,
}

/// How a rule's example is looked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    pub(crate) limit: usize,
    pub(crate) min_quality: f64,
    pub(crate) explain: bool,
}

/// A rule's candidates.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Ranking {
    pub(crate) rule: String,
    pub(crate) hints: Vec<String>,
    pub(crate) min_quality: f64,
    /// The first candidate, if it is over the gate.
    pub(crate) anchor: Option<RankedSymbol>,
    pub(crate) candidates: Vec<RankedSymbol>,
    /// Words of the rule that the code does not know, with near ones that it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unknown_words: Option<Vec<UnknownWord>>,
    /// What the first candidate's match was told from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) evidence: Option<Evidence>,
    pub(crate) elapsed_ms: f64,
    #[serde(skip)]
    pub(crate) warnings: Vec<String>,
}

/// Code that may show a rule.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RankedSymbol {
    pub(crate) rank: usize,
    pub(crate) file: String,
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
    pub(crate) matched_terms: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty", skip_deserializing)]
    pub(crate) reasons: Vec<Reason>,
    /// Its first lines, where a person is to choose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) excerpt: Option<String>,
}

/// What one word of a rule adds to a candidate.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Reason {
    pub(crate) word: String,
    pub(crate) gain: f64,
    pub(crate) idf: f64,
    pub(crate) fields: Vec<&'static str>,
}

/// What a match was told from; `benches/fit_match.py` refits the formula with it.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Evidence {
    /// The share of the attainable score.
    pub(crate) score: f64,
    /// How far the runner-up is behind.
    pub(crate) lead: f64,
    /// How many of the rule's words the code knows.
    pub(crate) n_known: usize,
}

/// A word that no code has.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UnknownWord {
    pub(crate) word: String,
    pub(crate) near: Vec<String>,
}

/// Ranks the candidates of each query, in order.
pub(crate) fn find(
    code: CodeBase<'_>,
    queries: &[Query],
    options: Options,
) -> Result<Vec<Ranking>> {
    let started = Instant::now();
    let mut index = open_index(code)?;
    let mut warnings = std::mem::take(&mut index.warnings);
    let mut reports = rank(code, &mut index, queries, options)?;
    let elapsed = started.elapsed().as_secs_f64() * 1e3;
    for report in &mut reports {
        report.elapsed_ms = (elapsed * 1e3).round() / 1e3;
        report.warnings.append(&mut warnings);
    }
    Ok(reports)
}

/// Opens the store and brings its code index up to date.
pub(crate) fn open_index(code: CodeBase<'_>) -> Result<CodeIndex> {
    CodeIndex::refresh(code.root, code.exclude, || Store::open(code.store), code.now)
}

/// Ranks the candidates of each query over an index that is up to date.
pub(crate) fn rank(
    code: CodeBase<'_>,
    index: &mut CodeIndex,
    queries: &[Query],
    options: Options,
) -> Result<Vec<Ranking>> {
    let mut asks = Vec::with_capacity(queries.len());
    for query in queries {
        asks.push(Ask { rule: &query.rule, hints: &query.hints, languages: query.languages });
    }
    let found = discover::find(index, &asks, options.limit, options.explain)?;
    let files: BTreeSet<String> = found
        .iter()
        .flat_map(|found| found.candidates.iter().map(|candidate| candidate.file.clone()))
        .collect();
    let recencies = recency::of_files(index, &files)?;
    let recency = |file: &str| recencies.get(file).copied().unwrap_or(0.0);
    let reports = queries.iter().zip(found).map(|(query, found)| {
        let candidates = candidates(code, &found, &recency);
        Ranking {
            rule: query.rule.clone(),
            hints: query.hints.clone(),
            min_quality: options.min_quality,
            anchor: candidates
                .first()
                .filter(|first| first.quality >= options.min_quality)
                .cloned(),
            candidates,
            evidence: options.explain.then(|| evidence(&found)),
            unknown_words: options.explain.then(|| unknown_words(found)),
            elapsed_ms: 0.0,
            warnings: Vec::new(),
        }
    });
    Ok(reports.collect())
}

fn candidates(
    code: CodeBase<'_>,
    found: &Found,
    recency: &dyn Fn(&str) -> f64,
) -> Vec<RankedSymbol> {
    let ranked = found.candidates.iter().enumerate();
    ranked
        .map(|(at, it)| {
            let recency = recency(&it.file);
            RankedSymbol {
                rank: at + 1,
                file: it.file.clone(),
                symbol: it.symbol.clone(),
                kind: it.kind,
                language: it.language,
                start_line: it.first_line + 1,
                end_line: it.last_line + 1,
                quality: rounded(calibrate::quality(
                    it.match_score,
                    it.size,
                    recency,
                    code.weights,
                )),
                match_score: rounded(it.match_score),
                size: rounded(it.size),
                recency: rounded(recency),
                matched_terms: it.matched_terms.clone(),
                reasons: it.reasons.iter().map(reason).collect(),
                excerpt: None,
            }
        })
        .collect()
}

/// Gives each candidate its first lines to choose by.
pub(crate) fn add_excerpts(root: &Path, candidates: &mut [RankedSymbol]) {
    for candidate in candidates {
        let Ok(text) = read::text(root, &candidate.file) else { continue };
        let (first, last) = (candidate.start_line as usize, candidate.end_line as usize);
        let n_lines = (last + 1 - first).min(EXCERPT_LINES);
        let lines: Vec<&str> = text.lines().skip(first - 1).take(n_lines).collect();
        candidate.excerpt = Some(lines.join("\n"));
    }
}

fn reason(found: &discover::Reason) -> Reason {
    Reason {
        word: found.word.clone(),
        gain: rounded(found.gain),
        idf: rounded(found.idf),
        fields: found.fields.clone(),
    }
}

fn evidence(found: &Found) -> Evidence {
    Evidence {
        score: rounded(found.evidence.score),
        lead: rounded(found.evidence.lead),
        n_known: found.evidence.n_known,
    }
}

fn unknown_words(found: Found) -> Vec<UnknownWord> {
    let words = found.unknown.into_iter();
    words.map(|it| UnknownWord { word: it.word, near: it.near }).collect()
}
