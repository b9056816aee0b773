//! `search`: memories that speak of something, whole or just the wanted sections.

pub(super) mod lanes;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use jiff::{SignedDuration, Timestamp};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use crate::engine::rank::tokenize;
use crate::error::UserError;
use crate::markdown::frontmatter;
use crate::model::{Memory, MemoryStatus, MemoryType};
use crate::store::memories as table;
use crate::text;

use self::lanes::{Found, Place, Query};
use super::memories::{self, Filter};
use super::section_selection::{self, MissingSection, SectionPlace, TokenMetrics};
use super::sync::{IndexedMemory, SyncedStore};
use super::{Project, links, rounded, sync};

/// How many of the sections that match a hit names.
const MAX_SECTIONS_TOLD: usize = 3;

const SECONDS_PER_DAY: f64 = 86_400.0;

/// What to look for.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) query: String,
    /// The sections to return, instead of whole memories.
    pub(crate) sections: Vec<String>,
    /// Whether the text is returned too.
    pub(crate) content: bool,
    pub(crate) filter: Filter,
    /// Only memories that were written or changed from here on, as a date or a time.
    pub(crate) since: Option<String>,
    pub(crate) until: Option<String>,
    /// Whether memories that another one supersedes are wanted too.
    pub(crate) superseded: bool,
    pub(crate) limit: usize,
}

/// What was found.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) query: String,
    pub(crate) results: Vec<Hit>,
    /// Where nothing was found: words that the memories have, near those of the query.
    pub(crate) did_you_mean: Vec<String>,
    /// Where nothing was found: how many memories match that are archived, superseded or
    /// do not pass the filters.
    pub(crate) left_out: usize,
    pub(crate) warnings: Vec<String>,
}

/// A memory that was found.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Hit {
    pub(crate) id: String,
    pub(crate) file: String,
    /// The first line that says something, for people.
    #[serde(skip)]
    pub(crate) title: String,
    /// 1 for the first by keyword and vector, before what recency adds.
    pub(crate) score: f64,
    /// The words that matched, and where; the hit that it is a neighbour of.
    pub(crate) why: Vec<String>,
    /// The lanes that found it.
    pub(crate) lanes: Vec<Place>,
    /// What recency multiplied the score with.
    pub(crate) recency: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<String>,
    pub(crate) sections: Vec<SectionPlace>,
    pub(crate) missing: Vec<MissingSection>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) token_metrics: Option<TokenMetrics>,
}

/// Returns the memories that match the query, best first.
pub(crate) fn search(project: &Project, request: &Request) -> Result<Report> {
    search_in(project, &mut sync::open(project)?, request)
}

/// Like [`search`], with a store that is already open.
pub(crate) fn search_in(
    project: &Project,
    synced: &mut SyncedStore,
    request: &Request,
) -> Result<Report> {
    let query = Query::read(&request.query).ok_or_else(|| {
        UserError::usage("the query has no words to look for")
            .hint("search for a word that the memory uses, as in `cerberus memory search session`")
    })?;
    let mut warnings = std::mem::take(&mut synced.warnings);
    let known: FxHashMap<String, IndexedMemory> =
        synced.memories()?.into_iter().map(|it| (it.memory.id.clone(), it)).collect();
    request.filter.check_scope(known.values().map(|it| &it.memory))?;
    let supersession = links::supersession(synced)?;
    warnings.extend(supersession.warnings());
    let wanted = wanted(request, &known, &supersession.superseded)?;
    let found = lanes::search(&synced.store, &query, &|id| wanted.contains(id))?;
    let mut report = Report {
        query: request.query.clone(),
        results: Vec::new(),
        did_you_mean: Vec::new(),
        left_out: 0,
        warnings,
    };
    if found.is_empty() {
        let all = lanes::search(&synced.store, &query, &|_| true)?;
        report.left_out = all.iter().filter(|found| found.has_words()).count();
        if report.left_out == 0 {
            report.did_you_mean = near_words(synced, &query)?;
        }
        return Ok(report);
    }
    for (found, lift) in lifted(project, found, &known).into_iter().take(request.limit) {
        let file = &known[&found.memory].file;
        match synced.read(file) {
            Ok(stored) => {
                let mut hit = hit(&query, found, lift, &stored.file, &stored.text);
                hit.title = memories::title(&stored.memory.body).to_owned();
                if request.sections.is_empty() {
                    hit.content = request.content.then(|| stored.memory.body.trim().to_owned());
                } else {
                    slice(&mut hit, &stored.text, request, &mut report.warnings);
                }
                report.results.push(hit);
            }
            Err(error) => report.warnings.push(format!("{error:#}")),
        }
    }
    Ok(report)
}

/// Returns the ids of the memories that a request is about.
fn wanted<'k>(
    request: &Request,
    known: &'k FxHashMap<String, IndexedMemory>,
    superseded: &BTreeMap<String, String>,
) -> Result<FxHashSet<&'k str>> {
    let since = request.since.as_deref().map(|text| time("since", text)).transpose()?;
    let until = request.until.as_deref().map(|text| time("until", text)).transpose()?;
    let in_time = |memory: &Memory| {
        let date = date(memory);
        since.is_none_or(|(since, _)| date.is_some_and(|date| date >= since))
            && until.is_none_or(|(_, until)| date.is_some_and(|date| date < until))
    };
    let passes = |it: &IndexedMemory| {
        (request.filter.status.is_some() || it.memory.status != MemoryStatus::Archived)
            && (request.superseded || !superseded.contains_key(&it.memory.id))
            && request.filter.takes_memory(&it.memory, &it.file, it.anchored.as_deref())
            && in_time(&it.memory)
    };
    Ok(known.iter().filter(|(_, it)| passes(it)).map(|(id, _)| id.as_str()).collect())
}

/// Returns when a memory was last written.
fn date(memory: &Memory) -> Option<Timestamp> {
    memory.updated_at.max(memory.created_at)
}

/// Reads a date or a time, and returns where it begins and ends.
fn time(flag: &str, text: &str) -> Result<(Timestamp, Timestamp)> {
    const DAY: SignedDuration = SignedDuration::from_hours(24);
    let found = frontmatter::time(text.trim()).ok_or_else(|| {
        UserError::usage(format!("`--{flag} {text}` is no date")).hint(format!(
            "write it as in `--{flag} 2026-01-15` or `--{flag} 2026-01-15T09:30:00Z`"
        ))
    })?;
    let is_day = !text.contains(['T', 't', ' ', ':']);
    let end = if is_day { DAY } else { SignedDuration::from_nanos(1) };
    Ok((found, found.checked_add(end).unwrap_or(Timestamp::MAX)))
}

/// Lifts what is recent, and returns all in order with its lift. Rules and decisions hold
/// until they are changed, so that their age says nothing.
fn lifted(
    project: &Project,
    found: Vec<Found>,
    known: &FxHashMap<String, IndexedMemory>,
) -> Vec<(Found, f64)> {
    let lift = |it: &Found| {
        let memory = &known[&it.memory].memory;
        let is_timeless = matches!(memory.memory_type, MemoryType::Rule | MemoryType::Decision);
        let date = date(memory).filter(|_| !is_timeless);
        date.map_or(1.0, |date| {
            let age = project.now.as_second() - date.as_second();
            project.recency.boost(age as f64 / SECONDS_PER_DAY)
        })
    };
    let mut found: Vec<(Found, f64)> = found
        .into_iter()
        .map(|mut it| {
            let lift = lift(&it);
            it.score *= lift;
            (it, lift)
        })
        .collect();
    found.sort_by(|(a, _), (b, _)| {
        b.score.total_cmp(&a.score).then_with(|| a.memory.cmp(&b.memory))
    });
    found
}

fn hit(query: &Query, found: Found, lift: f64, file: &str, text: &str) -> Hit {
    let lanes = found.places.into_iter().map(|mut place| {
        place.contribution = rounded(place.contribution);
        place
    });
    let mut why = words_in(query, &found.memory, text);
    let sections = found.sections.iter().take(MAX_SECTIONS_TOLD);
    why.extend(sections.map(|id| format!("section {id}")));
    why.extend(found.neighbour.map(|of| format!("near `{of}`")));
    Hit {
        id: found.memory,
        file: file.to_owned(),
        title: String::new(),
        score: rounded(found.score),
        why,
        lanes: lanes.collect(),
        recency: rounded(lift),
        content: None,
        sections: Vec::new(),
        missing: Vec::new(),
        token_metrics: None,
    }
}

/// Returns the words of a query that a memory has, in whatever form.
fn words_in(query: &Query, id: &str, text: &str) -> Vec<String> {
    let mut known: BTreeSet<String> =
        tokenize::terms(text).into_iter().chain(tokenize::terms(id)).collect();
    // A letter alone, as in `C++`, is a word and no term.
    tokenize::words(text, |word| {
        if word.len() == 1 {
            known.insert(word.to_lowercase());
        }
    });
    let is_known = |word: &&String| {
        known.contains(*word) || tokenize::terms(word).iter().any(|term| known.contains(term))
    };
    query.words.iter().filter(is_known).map(|word| format!("`{word}`")).collect()
}

/// Returns for each word of a query the nearest one that some memory has.
fn near_words(synced: &SyncedStore, query: &Query) -> Result<Vec<String>> {
    let mut vocabulary: BTreeSet<String> = BTreeSet::new();
    table::each_content(synced.store.reader(), |content| {
        tokenize::words(content, |word| {
            tokenize::parts(word, |part| {
                if !vocabulary.contains(part) {
                    vocabulary.insert(part.to_owned());
                }
            });
        });
    })?;
    let near = |word: &String| text::closest_match(word, vocabulary.iter().map(String::as_str));
    let mut found: Vec<String> =
        query.words.iter().filter_map(|word| near(word).map(str::to_owned)).collect();
    found.dedup();
    Ok(found)
}

/// Puts the wanted sections of a memory into its hit.
fn slice(hit: &mut Hit, text: &str, request: &Request, warnings: &mut Vec<String>) {
    let slice = section_selection::select(text, &request.sections, false);
    warnings.extend(slice.warnings(&hit.id, &hit.file));
    hit.sections = slice.sections;
    hit.missing = slice.missing;
    hit.token_metrics = Some(slice.metrics);
    hit.content = request.content.then_some(slice.content).filter(|content| !content.is_empty());
}
