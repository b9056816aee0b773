//! The three signals of a search, and the ranking that combines them.
//!
//! - Keyword: BM25 over the words of sections.
//! - Vector: cosine similarity of TF-IDF vectors of subtokens.
//! - Graph: memories that link to the best results of the other two, or share link targets.
//!
//! The rank of a memory in a signal is the rank of its best section. Ranks are combined by reciprocal
//! rank fusion.

use std::collections::BTreeMap;
use std::iter;

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
    let mut end = text.len().min(MAX_QUERY);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
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
        self.signals.iter().any(|rank| rank.signal != GRAPH)
    }

    /// Returns whether the graph signal may raise the score. A memory that both other signals
    /// found would overtake the result that it is related to.
    fn is_raised_by_graph(&self) -> bool {
        self.signals.len() < 2
    }
}

/// A memory with its sections that match in one signal.
struct Ranked<'c> {
    id: &'c str,
    sections: Vec<&'c str>,
}

/// A memory that is related to a result, the seed.
#[derive(Default)]
struct Neighbour {
    id: String,
    /// The first seed that it is related to.
    seed: String,
    score: f64,
}

impl Query {
    /// Parses a query. Returns `None` if it contains no words.
    pub fn parse(text: &str) -> Option<Self> {
        let text = part_to_read(text);
        let parsed = ParsedQuery::search(text, &[]);
        let weights = parsed.terms.iter().map(|term| term.weight);
        let strongest = weights.fold(0.0, f64::max);
        let mut known: FxHashSet<&str> = FxHashSet::default();
        for term in &parsed.terms {
            if term.weight >= MIN_WEIGHT * strongest {
                known.insert(&term.word);
            }
        }
        let mut words: Vec<String> = Vec::new();
        let mut seen = FxHashSet::default();
        tokenize::words(text, |word| {
            let mut parts = Vec::new();
            tokenize::parts(word, |part| parts.push(part.to_owned()));
            let whole = word.trim_matches(['_', '$']).to_lowercase();
            // A word without parts is a single letter, as in `C++`. A word whose parts are not terms is
            // a stop word.
            let is_letter = parts.is_empty() && !query::is_stop_word(&whole);
            if !is_letter && !parts.iter().any(|part| known.contains(part.as_str())) {
                return;
            }
            for word in iter::once(whole).chain(parts) {
                if !word.is_empty() && seen.insert(word.clone()) {
                    words.push(word);
                }
            }
        });
        if words.is_empty() {
            return None;
        }
        Some(Self { words, parsed })
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
    let by_keyword = ranking(&sections, |section| section.keyword);
    add_signal(&mut found, KEYWORD, by_keyword);
    let by_vector = ranking(&sections, |section| section.cosine);
    add_signal(&mut found, VECTOR, by_vector);
    let neighbours = neighbours(store, &seeds(&found), is_wanted)?;
    let mut by_graph = Vec::new();
    for neighbour in &neighbours {
        let result = found.entry(&neighbour.id).or_default();
        if result.is_raised_by_graph() {
            result.related_to = Some(neighbour.seed.clone());
        }
        by_graph.push(Ranked {
            id: &neighbour.id,
            sections: Vec::new(),
        });
    }
    add_signal(&mut found, GRAPH, by_graph);
    let results = found.into_iter().map(|(id, result)| SearchResult {
        id: id.to_owned(),
        ..result
    });
    let mut results: Vec<SearchResult> = results.collect();
    results.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    Ok(results)
}

/// Returns the best results so far, best first.
fn seeds<'c>(found: &FxHashMap<&'c str, SearchResult>) -> Vec<&'c str> {
    let mut best: Vec<(&&str, &SearchResult)> = found.iter().collect();
    best.sort_unstable_by(|(a_id, a), (b_id, b)| {
        b.score.total_cmp(&a.score).then_with(|| a_id.cmp(b_id))
    });
    best.iter().take(N_SEEDS).map(|(id, _)| **id).collect()
}

fn add_signal<'c>(
    found: &mut FxHashMap<&'c str, SearchResult>,
    signal: &'static str,
    ranking: Vec<Ranked<'c>>,
) {
    for (idx, ranked) in ranking.into_iter().enumerate() {
        let result = found.entry(ranked.id).or_default();
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
        for section in ranked.sections {
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
) -> Vec<Ranked<'_>> {
    let mut scored: Vec<(f64, &MatchingSection)> = Vec::new();
    for section in sections {
        if let Some(score) = score(section) {
            scored.push((score, section));
        }
    }
    scored.sort_unstable_by(|(a_score, a), (b_score, b)| {
        b_score
            .total_cmp(a_score)
            .then_with(|| a.memory.cmp(&b.memory))
            .then_with(|| a.section.cmp(&b.section))
    });
    let mut ranking: Vec<Ranked<'_>> = Vec::new();
    let mut indices: FxHashMap<&str, usize> = FxHashMap::default();
    for (_, section) in scored {
        let idx = *indices.entry(&section.memory).or_insert(ranking.len());
        if idx == ranking.len() {
            ranking.push(Ranked {
                id: &section.memory,
                sections: Vec::new(),
            });
        }
        ranking[idx].sections.push(&section.section);
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
    let mut n_sections = 0;
    let mut doc_freqs = vec![0; query_terms.len()];
    let mut found: Vec<MatchingSection> = Vec::new();
    let mut terms = Vec::new();
    table::each_section(store.reader(), |section| {
        n_sections += 1;
        terms.clear();
        postings::unpack(section.vector, |id, count, _| {
            if let Some(&Some(term_idx)) = term_indices.get(id as usize) {
                terms.push((term_idx, fusion::tf(count)));
            }
        });
        for (term_idx, _) in &terms {
            doc_freqs[*term_idx] += 1;
        }
        let keyword = keyword_scores.get(&section.number).copied();
        if (keyword.is_some() || !terms.is_empty()) && is_wanted(section.memory) {
            found.push(MatchingSection {
                memory: section.memory.to_owned(),
                section: section.section.to_owned(),
                keyword,
                norm: section.norm,
                terms: terms.clone(),
                cosine: None,
            });
        }
    })?;
    let mut weights = Vec::with_capacity(query_terms.len());
    for (term, doc_freq) in query_terms.iter().zip(doc_freqs) {
        weights.push(term.weight * fusion::idf(doc_freq, n_sections));
    }
    // The norm of the query is omitted: it is equal for all sections and does not change the order.
    for section in &mut found {
        if section.terms.is_empty() {
            continue;
        }
        let products = section.terms.iter().map(|(idx, tf)| weights[*idx] * tf);
        let dot: f64 = products.sum();
        section.cosine = Some(dot / section.norm.max(1.0));
    }
    Ok(found)
}

/// Returns the memories related to the seeds, best first.
fn neighbours(
    store: &Store,
    seeds: &[&str],
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<Neighbour>> {
    let reader = store.reader();
    let mut found: BTreeMap<String, Neighbour> = BTreeMap::new();
    for (seed_idx, seed) in seeds.iter().enumerate() {
        for (id, weight) in related(store, seed)? {
            if id == *seed || !is_wanted(&id) || table::file_of(reader, &id)?.is_none() {
                continue;
            }
            let neighbour = found.entry(id.clone()).or_insert_with(|| Neighbour {
                id,
                seed: (*seed).to_owned(),
                score: 0.0,
            });
            neighbour.score += weight * fusion::reciprocal_rank(seed_idx);
        }
    }
    let mut neighbours: Vec<Neighbour> = found.into_values().collect();
    // Equal ones stay in the order of their ids.
    neighbours.sort_by(|a, b| b.score.total_cmp(&a.score));
    Ok(neighbours)
}

/// Returns the weights of the memories that a memory links to, that link to it, or that have a link target of it.
fn related(store: &Store, seed: &str) -> Result<BTreeMap<String, f64>> {
    let reader = store.reader();
    let mut direct = Vec::new();
    let mut related = BTreeMap::new();
    for target in links::targets(reader, seed)? {
        let Some(parsed) = Target::parse(&target) else {
            continue;
        };
        if parsed.kind == Kind::Memory || table::file_of(reader, &parsed.name)?.is_some() {
            direct.push(parsed.name);
            continue;
        }
        for id in links::sources(reader, &target)? {
            related.insert(id, SHARED_TARGET);
        }
    }
    direct.extend(links::sources(reader, &format!("memory:{seed}"))?);
    direct.extend(links::sources(reader, seed)?);
    for id in direct {
        related.insert(id, 1.0);
    }
    Ok(related)
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
