//! The lanes of a search, and one order made of them.
//!
//! Keyword: the sections with the query's words, by BM25. Vector: by the cosine of their
//! counted subtokens with the query's, rare ones weighing more. Graph: the neighbours of
//! the best that these two found. A memory stands in a lane where its best section does.

use std::collections::BTreeMap;

use anyhow::Result;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use crate::engine::rank::query::ParsedQuery;
use crate::engine::rank::{fusion, postings, tokenize};
use crate::markdown::links::{Kind, Target};
use crate::store::Store;
use crate::store::links;
use crate::store::memories as table;

/// The lanes by their names in reports.
const KEYWORD: &str = "keyword";
const VECTOR: &str = "vector";
const GRAPH: &str = "graph";

/// How many of the best hits show their neighbours.
const N_SEEDS: usize = 5;

/// What it weighs to speak of the same file, beside a link from one to the other.
const SHARED_TARGET: f64 = 0.5;

/// What the first place in a lane adds.
const LANE_WEIGHT: f64 = 0.5;

/// A query read as words and terms.
pub(crate) struct Query {
    /// The words as the keyword lane looks for them.
    pub(crate) words: Vec<String>,
    rule: ParsedQuery,
}

/// A memory's place in a lane.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Place {
    pub(crate) lane: &'static str,
    /// From 1.
    pub(crate) rank: usize,
    /// What it adds to the score.
    pub(crate) contribution: f64,
}

/// A memory as the lanes found it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Found {
    pub(crate) memory: String,
    /// 1 for the first of both lanes that read words.
    pub(crate) score: f64,
    pub(crate) places: Vec<Place>,
    /// The sections that match, best first.
    pub(crate) sections: Vec<String>,
    /// The better hit that it is a neighbour of.
    pub(crate) neighbour: Option<String>,
}

impl Found {
    /// Returns whether it has a word of the query, and is not only near one that has.
    pub(crate) fn has_words(&self) -> bool {
        self.places.iter().any(|place| place.lane != GRAPH)
    }

    /// Returns whether a neighbour may speak for it. Nobody needs to for what both other
    /// lanes found: it would only overtake the hit that it is a neighbour of.
    fn is_helped_by_neighbours(&self) -> bool {
        self.places.len() < 2
    }
}

/// The memories of a lane, best first, each with its sections that match.
type Lane<'c> = Vec<(&'c str, Vec<&'c str>)>;

impl Query {
    /// Reads a query; none where it has no word.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let rule = ParsedQuery::parse(text, &[]);
        let known: FxHashSet<&str> = rule.terms.iter().map(|term| term.word.as_str()).collect();
        let mut words: Vec<String> = Vec::new();
        let mut add = |word: &str| {
            if !word.is_empty() && !words.iter().any(|known| known == word) {
                words.push(word.to_owned());
            }
        };
        tokenize::words(text, |word| {
            let mut parts = Vec::new();
            tokenize::parts(word, |part| parts.push(part.to_owned()));
            // A word without parts is one letter, as in `C++`; one without known parts is filler.
            if parts.is_empty() || parts.iter().any(|part| known.contains(part.as_str())) {
                add(&word.trim_matches(['_', '$']).to_lowercase());
                parts.iter().for_each(|part| add(part));
            }
        });
        (!words.is_empty()).then_some(Self { words, rule })
    }
}

/// Returns the memories that `is_wanted` takes and some lane finds, best first.
pub(crate) fn search(
    store: &Store,
    query: &Query,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<Found>> {
    let candidates = candidates(store, query, is_wanted)?;
    let mut found: FxHashMap<&str, Found> = FxHashMap::default();
    add(&mut found, KEYWORD, lane(&candidates, |it| it.keyword));
    add(&mut found, VECTOR, lane(&candidates, |it| it.cosine));
    let mut best: Vec<(&str, f64)> = found.iter().map(|(memory, it)| (*memory, it.score)).collect();
    best.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    best.truncate(N_SEEDS);
    let neighbours = graph(store, &best, is_wanted)?;
    for (memory, of) in &neighbours {
        let it = found.entry(memory).or_default();
        it.neighbour = Some(of.clone()).filter(|_| it.is_helped_by_neighbours());
    }
    let neighbours = neighbours.iter().map(|(memory, _)| (memory.as_str(), Vec::new()));
    add(&mut found, GRAPH, neighbours.collect());
    let mut found: Vec<Found> =
        found.into_iter().map(|(memory, it)| Found { memory: memory.to_owned(), ..it }).collect();
    found
        .sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.memory.cmp(&b.memory)));
    Ok(found)
}

fn add<'c>(found: &mut FxHashMap<&'c str, Found>, lane: &'static str, ranked: Lane<'c>) {
    for (place, (memory, sections)) in ranked.into_iter().enumerate() {
        let it = found.entry(memory).or_default();
        let counts = lane != GRAPH || it.is_helped_by_neighbours();
        let contribution = if counts { LANE_WEIGHT * fusion::reciprocal_rank(place) } else { 0.0 };
        it.score += contribution;
        it.places.push(Place { lane, rank: place + 1, contribution });
        for section in sections {
            if !section.is_empty() && !it.sections.iter().any(|known| known == section) {
                it.sections.push(section.to_owned());
            }
        }
    }
}

/// A section with some of the query's words or terms.
struct Candidate {
    memory: String,
    section: String,
    /// By BM25.
    keyword: Option<f64>,
    norm: f64,
    /// Positions among the query's terms, each with what the term weighs here.
    terms: Vec<(usize, f64)>,
    cosine: Option<f64>,
}

/// Returns the memories that have a score, by their best sections.
fn lane(candidates: &[Candidate], score: impl Fn(&Candidate) -> Option<f64>) -> Lane<'_> {
    let scored = candidates.iter().filter_map(|it| Some((score(it)?, it)));
    let mut scored: Vec<(f64, &Candidate)> = scored.collect();
    scored.sort_unstable_by(|(a, it), (b, other)| {
        let (key, other) = ((&it.memory, &it.section), (&other.memory, &other.section));
        b.total_cmp(a).then_with(|| key.cmp(&other))
    });
    let mut lane: Lane<'_> = Vec::new();
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    for (_, it) in scored {
        let place = *places.entry(&it.memory).or_insert_with(|| {
            lane.push((&it.memory, Vec::new()));
            lane.len() - 1
        });
        lane[place].1.push(&it.section);
    }
    lane
}

/// Returns the sections that share a word or a term with the query, scored.
fn candidates(
    store: &Store,
    query: &Query,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<Candidate>> {
    let keyword = table::matches(store.reader(), &query.words)?;
    // By the terms' ids, since every term of every section is looked up.
    let mut asked: Vec<Option<usize>> = Vec::new();
    for (term_idx, term) in query.rule.terms.iter().enumerate() {
        if let Some(id) = table::term_id(store.reader(), &term.term)? {
            let id = id as usize;
            asked.resize(asked.len().max(id + 1), None);
            asked[id] = Some(term_idx);
        }
    }
    let (mut n_sections, mut doc_freqs) = (0, vec![0; query.rule.terms.len()]);
    let mut found: Vec<Candidate> = Vec::new();
    let mut terms = Vec::new();
    table::each_section(store.reader(), |it| {
        n_sections += 1;
        terms.clear();
        postings::unpack(it.vector, |id, count, _| {
            if let Some(&Some(term_idx)) = asked.get(id as usize) {
                terms.push((term_idx, fusion::tf(count)));
            }
        });
        for (term_idx, _) in &terms {
            doc_freqs[*term_idx] += 1;
        }
        let by_keyword = keyword.get(&it.number).copied();
        if (by_keyword.is_some() || !terms.is_empty()) && is_wanted(it.memory) {
            found.push(Candidate {
                memory: it.memory.to_owned(),
                section: it.section.to_owned(),
                keyword: by_keyword,
                norm: it.norm,
                terms: terms.clone(),
                cosine: None,
            });
        }
    })?;
    let weighed = query.rule.terms.iter().zip(&doc_freqs);
    let weights: Vec<f64> =
        weighed.map(|(term, &doc_freq)| term.weight * fusion::idf(doc_freq, n_sections)).collect();
    // The query's own norm is the same for all, and changes no order.
    for it in found.iter_mut().filter(|it| !it.terms.is_empty()) {
        let dot: f64 = it.terms.iter().map(|(term_idx, tf)| weights[*term_idx] * tf).sum();
        it.cosine = Some(dot / it.norm.max(1.0));
    }
    Ok(found)
}

/// Returns the neighbours of the best hits, best first, each with the hit it is one of.
fn graph(
    store: &Store,
    seeds: &[(&str, f64)],
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<(String, String)>> {
    let mut found: BTreeMap<String, (f64, String)> = BTreeMap::new();
    for (place, (seed, _)) in seeds.iter().enumerate() {
        let mut near: BTreeMap<String, f64> = BTreeMap::new();
        let mut meet = |memory: String, weight: f64| {
            let it = near.entry(memory).or_insert(0.0);
            *it = it.max(weight);
        };
        for target in links::targets(store.reader(), seed)? {
            let Some(parsed) = Target::parse(&target) else { continue };
            if parsed.kind == Kind::Memory
                || table::file_of(store.reader(), &parsed.name)?.is_some()
            {
                meet(parsed.name, 1.0);
                continue;
            }
            for memory in links::sources(store.reader(), &target)? {
                meet(memory, SHARED_TARGET);
            }
        }
        for name in [format!("memory:{seed}"), (*seed).to_owned()] {
            for memory in links::sources(store.reader(), &name)? {
                meet(memory, 1.0);
            }
        }
        for (memory, weight) in near {
            if memory == *seed
                || !is_wanted(&memory)
                || table::file_of(store.reader(), &memory)?.is_none()
            {
                continue;
            }
            let it = found.entry(memory).or_insert_with(|| (0.0, (*seed).to_owned()));
            it.0 += weight * fusion::reciprocal_rank(place);
        }
    }
    let mut ranked: Vec<(String, (f64, String))> = found.into_iter().collect();
    ranked.sort_by(|a, b| b.1.0.total_cmp(&a.1.0).then_with(|| a.0.cmp(&b.0)));
    Ok(ranked.into_iter().map(|(memory, (_, of))| (memory, of)).collect())
}
