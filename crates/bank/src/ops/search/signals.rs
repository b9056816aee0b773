//! The three signals of a search, and the ranking that combines them.
//!
//! - Keyword: BM25 over the words of sections.
//! - Vector: cosine similarity of TF-IDF vectors of subtokens.
//! - Graph: memories that link to the best results of the other two, or share link targets.
//!
//! The rank of a memory in a signal is the rank of its best section. Ranks are combined by reciprocal
//! rank fusion.

use std::collections::BTreeMap;

use anyhow::Result;
use cerberus_engine::rank::query::{self, ParsedQuery};
use cerberus_engine::rank::{fusion, postings, tokenize};
use cerberus_markdown::links::{Kind, Target};
use cerberus_store::{Store, links, memories as table};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

/// Names of the signals in reports.
const KEYWORD: &str = "keyword";
const VECTOR: &str = "vector";
const GRAPH: &str = "graph";

/// Number of top results whose neighbours the graph signal adds.
const N_SEEDS: usize = 5;

/// Weight of a shared link target, relative to a direct link.
const SHARED_TARGET: f64 = 0.5;

/// Contribution of the first rank in a signal.
const SIGNAL_WEIGHT: f64 = 0.5;

/// Weight of a word of the query for the keyword signal, relative to the strongest one, below which
/// it is not searched for: a common word, such as that of a question, finds any text.
const MIN_WEIGHT: f64 = 0.3;

/// Maximum length of a text that is searched for. A longer one is something that was pasted.
const MAX_QUERY: usize = 16 * 1024;

/// Returns the part of a text that is searched for: its start.
pub fn part_to_read(text: &str) -> &str {
    let is_boundary = |end: &usize| text.is_char_boundary(*end);
    let end = (0..=text.len().min(MAX_QUERY)).rev().find(is_boundary);
    &text[..end.unwrap_or(0)]
}

/// Parsed search query.
pub struct Query {
    /// Words for the keyword signal.
    pub(crate) words: Vec<String>,
    parsed: ParsedQuery,
}

/// Rank of a memory in one signal.
#[derive(Debug, Clone, Serialize)]
pub struct SignalRank {
    pub signal: &'static str,
    /// 1-based.
    pub rank: usize,
    /// Amount added to the score.
    pub contribution: f64,
}

/// Ranked memory.
#[derive(Debug, Clone, Default)]
pub struct SearchResult {
    pub id: String,
    /// 1 for a memory that is first by keyword and by vector.
    pub score: f64,
    pub(crate) signals: Vec<SignalRank>,
    /// Matching sections, best first.
    pub(crate) sections: Vec<String>,
    /// Result of a better rank that this memory is related to.
    pub(crate) related_to: Option<String>,
}

impl SearchResult {
    /// Returns whether the text matches, not only the graph signal.
    pub(crate) fn matches_text(&self) -> bool {
        self.signals.iter().any(|it| it.signal != GRAPH)
    }

    /// Returns whether the graph signal may raise the score. A memory that both other signals
    /// found would overtake the result that it is related to.
    fn is_raised_by_graph(&self) -> bool {
        self.signals.len() < 2
    }
}

/// Memories ranked by one signal, best first, each with its matching sections.
type Ranking<'c> = Vec<(&'c str, Vec<&'c str>)>;

impl Query {
    /// Parses a query. Returns `None` if it contains no words.
    pub fn parse(text: &str) -> Option<Self> {
        let text = part_to_read(text);
        let parsed = ParsedQuery::search(text, &[]);
        let strongest = parsed
            .terms
            .iter()
            .map(|term| term.weight)
            .fold(0.0, f64::max);
        let strong = parsed
            .terms
            .iter()
            .filter(|term| term.weight >= MIN_WEIGHT * strongest);
        let known: FxHashSet<&str> = strong.map(|term| term.word.as_str()).collect();
        let mut words: Vec<String> = Vec::new();
        let mut seen = FxHashSet::default();
        let mut add = |word: &str| {
            if !word.is_empty() && seen.insert(word.to_owned()) {
                words.push(word.to_owned());
            }
        };
        tokenize::words(text, |word| {
            let mut parts = Vec::new();
            tokenize::parts(word, |part| parts.push(part.to_owned()));
            let whole = word.trim_matches(['_', '$']).to_lowercase();
            // A word without parts is a single letter, as in `C++`. A word whose parts are not terms is
            // a stop word.
            let is_letter = parts.is_empty() && !query::is_stop_word(&whole);
            if is_letter || parts.iter().any(|part| known.contains(part.as_str())) {
                add(&whole);
                parts.iter().for_each(|part| add(part));
            }
        });
        (!words.is_empty()).then_some(Self { words, parsed })
    }
}

/// Returns the memories that `is_wanted` accepts and at least one signal finds, best first.
pub fn search(
    store: &Store,
    query: &Query,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<SearchResult>> {
    let sections = matching_sections(store, query, is_wanted)?;
    let mut found: FxHashMap<&str, SearchResult> = FxHashMap::default();
    add_signal(&mut found, KEYWORD, ranking(&sections, |it| it.keyword));
    add_signal(&mut found, VECTOR, ranking(&sections, |it| it.cosine));
    let mut best: Vec<(&str, f64)> = found.iter().map(|(id, it)| (*id, it.score)).collect();
    best.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    best.truncate(N_SEEDS);
    let neighbours = neighbours(store, &best, is_wanted)?;
    for (id, seed) in &neighbours {
        let result = found.entry(id).or_default();
        result.related_to = Some(seed.clone()).filter(|_| result.is_raised_by_graph());
    }
    let ids = neighbours.iter().map(|(id, _)| (id.as_str(), Vec::new()));
    add_signal(&mut found, GRAPH, ids.collect());
    let mut found: Vec<SearchResult> = found
        .into_iter()
        .map(|(id, it)| SearchResult {
            id: id.to_owned(),
            ..it
        })
        .collect();
    found.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    Ok(found)
}

fn add_signal<'c>(
    found: &mut FxHashMap<&'c str, SearchResult>,
    signal: &'static str,
    ranking: Ranking<'c>,
) {
    for (idx, (id, sections)) in ranking.into_iter().enumerate() {
        let result = found.entry(id).or_default();
        let counts = signal != GRAPH || result.is_raised_by_graph();
        let contribution = if counts {
            SIGNAL_WEIGHT * fusion::reciprocal_rank(idx)
        } else {
            0.0
        };
        result.score += contribution;
        result.signals.push(SignalRank {
            signal,
            rank: idx + 1,
            contribution,
        });
        for section in sections {
            if !section.is_empty() && !result.sections.iter().any(|known| known == section) {
                result.sections.push(section.to_owned());
            }
        }
    }
}

/// Section that contains words or terms of the query.
struct MatchingSection {
    memory: String,
    section: String,
    /// BM25 score.
    keyword: Option<f64>,
    norm: f64,
    /// Indices of terms of the query, each with its term frequency in this section.
    terms: Vec<(usize, f64)>,
    cosine: Option<f64>,
}

/// Returns the memories that have a score, ordered by their best sections.
fn ranking(
    sections: &[MatchingSection],
    score: impl Fn(&MatchingSection) -> Option<f64>,
) -> Ranking<'_> {
    let scored = sections.iter().filter_map(|it| Some((score(it)?, it)));
    let mut scored: Vec<(f64, &MatchingSection)> = scored.collect();
    scored.sort_unstable_by(|(a, it), (b, other)| {
        let (key, other) = ((&it.memory, &it.section), (&other.memory, &other.section));
        b.total_cmp(a).then_with(|| key.cmp(&other))
    });
    let mut ranking: Ranking<'_> = Vec::new();
    let mut indices: FxHashMap<&str, usize> = FxHashMap::default();
    for (_, it) in scored {
        let idx = *indices.entry(&it.memory).or_insert_with(|| {
            ranking.push((&it.memory, Vec::new()));
            ranking.len() - 1
        });
        ranking[idx].1.push(&it.section);
    }
    ranking
}

/// Returns the sections that share a word or a term with the query, with their scores.
fn matching_sections(
    store: &Store,
    query: &Query,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<MatchingSection>> {
    let keyword_scores = table::matches(store.reader(), &query.words)?;
    let query_terms = &query.parsed.terms;
    // Indexed by term id, because every term of every section is looked up.
    let mut term_indices: Vec<Option<usize>> = Vec::new();
    for (term_idx, term) in query_terms.iter().enumerate() {
        if let Some(id) = table::term_id(store.reader(), &term.term)? {
            let id = id as usize;
            term_indices.resize(term_indices.len().max(id + 1), None);
            term_indices[id] = Some(term_idx);
        }
    }
    let (mut n_sections, mut doc_freqs) = (0, vec![0; query_terms.len()]);
    let mut found: Vec<MatchingSection> = Vec::new();
    let mut terms = Vec::new();
    table::each_section(store.reader(), |it| {
        n_sections += 1;
        terms.clear();
        postings::unpack(it.vector, |id, count, _| {
            if let Some(&Some(term_idx)) = term_indices.get(id as usize) {
                terms.push((term_idx, fusion::tf(count)));
            }
        });
        for (term_idx, _) in &terms {
            doc_freqs[*term_idx] += 1;
        }
        let keyword = keyword_scores.get(&it.number).copied();
        if (keyword.is_some() || !terms.is_empty()) && is_wanted(it.memory) {
            found.push(MatchingSection {
                memory: it.memory.to_owned(),
                section: it.section.to_owned(),
                keyword,
                norm: it.norm,
                terms: terms.clone(),
                cosine: None,
            });
        }
    })?;
    let with_doc_freqs = query_terms.iter().zip(&doc_freqs);
    let weights: Vec<f64> = with_doc_freqs
        .map(|(term, &doc_freq)| term.weight * fusion::idf(doc_freq, n_sections))
        .collect();
    // The norm of the query is omitted: it is equal for all sections and does not change the order.
    for section in found.iter_mut().filter(|it| !it.terms.is_empty()) {
        let dot: f64 = section
            .terms
            .iter()
            .map(|(term_idx, tf)| weights[*term_idx] * tf)
            .sum();
        section.cosine = Some(dot / section.norm.max(1.0));
    }
    Ok(found)
}

/// Returns the memories related to the seeds, best first, each with its best seed.
fn neighbours(
    store: &Store,
    seeds: &[(&str, f64)],
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<(String, String)>> {
    let mut found: BTreeMap<String, (f64, String)> = BTreeMap::new();
    for (seed_idx, (seed, _)) in seeds.iter().enumerate() {
        let mut related: BTreeMap<String, f64> = BTreeMap::new();
        let mut relate = |id: String, weight: f64| {
            let best = related.entry(id).or_insert(0.0);
            *best = best.max(weight);
        };
        for target in links::targets(store.reader(), seed)? {
            let Some(parsed) = Target::parse(&target) else {
                continue;
            };
            if parsed.kind == Kind::Memory
                || table::file_of(store.reader(), &parsed.name)?.is_some()
            {
                relate(parsed.name, 1.0);
                continue;
            }
            for id in links::sources(store.reader(), &target)? {
                relate(id, SHARED_TARGET);
            }
        }
        for name in [format!("memory:{seed}"), (*seed).to_owned()] {
            for id in links::sources(store.reader(), &name)? {
                relate(id, 1.0);
            }
        }
        for (id, weight) in related {
            if id == *seed || !is_wanted(&id) || table::file_of(store.reader(), &id)?.is_none() {
                continue;
            }
            let (score, _) = found.entry(id).or_insert_with(|| (0.0, (*seed).to_owned()));
            *score += weight * fusion::reciprocal_rank(seed_idx);
        }
    }
    let mut ranked: Vec<(String, (f64, String))> = found.into_iter().collect();
    ranked.sort_by(|(a_id, (a, _)), (b_id, (b, _))| b.total_cmp(a).then_with(|| a_id.cmp(b_id)));
    Ok(ranked
        .into_iter()
        .map(|(id, (_, seed))| (id, seed))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_of_a_long_text_is_searched_for() {
        let text: String = (0..100_000).map(|n| format!("é{n} ")).collect();
        let query = Query::parse(&text).expect("it has words");
        // The store takes quadratic time in the number of words.
        assert!(
            (1_000..10_000).contains(&query.words.len()),
            "{}",
            query.words.len()
        );
        assert_eq!(part_to_read(&"é".repeat(MAX_QUERY)).len(), MAX_QUERY);
        assert_eq!(
            part_to_read(&format!("a{}", "é".repeat(MAX_QUERY))).len(),
            MAX_QUERY - 1
        );
    }
}
