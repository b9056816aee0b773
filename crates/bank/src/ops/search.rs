//! Full-text search in the memories, or in sections of them.

pub mod signals;

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use anyhow::Result;
use cerberus_engine::rank::tokenize;
use cerberus_markdown::frontmatter;
use cerberus_markdown::sections::MissingSection;
use cerberus_model::{Memory, MemoryStatus, MemoryType, UserError, text};
use cerberus_store::memories as table;
use jiff::{SignedDuration, Timestamp};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use self::signals::{Query, SearchResult, SignalRank};
use super::memories::{self, Filter};
use super::section_selection::{self, SectionPlace, TokenMetrics};
use super::{Project, rounded};
use crate::sync::{IndexedMemory, SyncedStore};
use crate::{MemoryFile, Workspace};

/// Maximum number of matching sections that a hit lists.
const MAX_SECTIONS_LISTED: usize = 3;

const SECONDS_PER_DAY: f64 = 86_400.0;

/// Query with its filters.
#[derive(Debug, Clone, Default)]
pub struct Request {
    pub query: Vec<String>,
    /// Only these sections, with the tokens that this saves.
    pub sections: Vec<String>,
    /// Whether the hits have their text.
    pub content: bool,
    /// Whether superseded memories are included.
    pub superseded: bool,
    /// Only memories created or changed at or after this date or time.
    pub since: Option<String>,
    /// Only memories created or changed at or before this date or time.
    pub until: Option<String>,
    /// Maximum number of memories.
    pub limit: Option<NonZeroUsize>,
    pub filter: Filter,
}

/// Search results.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    pub query: String,
    pub results: Vec<Hit>,
    /// If there are no results: words of the memories that are similar to those of the query.
    pub did_you_mean: Vec<String>,
    /// If there are no results: number of matching memories that are archived, superseded or
    /// excluded by the filters.
    pub skipped: usize,
    pub warnings: Vec<String>,
}

/// Memory that matches the query.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    pub id: String,
    pub file: String,
    /// First line of the text, for printing.
    #[serde(skip)]
    pub title: String,
    /// 1 for a memory that is first by keyword and by vector, multiplied by `recency`.
    pub score: f64,
    /// Matched words and sections, and the hit that this memory is related to.
    pub why: Vec<String>,
    pub signals: Vec<SignalRank>,
    /// Factor for recently changed memories, at least 1.
    pub recency: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    pub sections: Vec<SectionPlace>,
    pub(crate) missing: Vec<MissingSection>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_metrics: Option<TokenMetrics>,
}

/// Returns the memories that match the query, best first.
pub fn search(project: &Workspace, request: &Request) -> Result<Report> {
    let words = request.query.join(" ");
    let query = Query::parse(&words).ok_or_else(|| {
        UserError::usage("the query contains no words")
            .hint("use a word of the memory, as in `cerberus memory search session`")
    })?;
    let synced = &project.synced()?;
    let mut warnings = synced.warnings.clone();
    let mut known: FxHashMap<String, IndexedMemory> = FxHashMap::default();
    for indexed in synced.memories()? {
        known.insert(indexed.memory.id.clone(), indexed);
    }
    let memories = known.values().map(|indexed| &indexed.memory);
    request.filter.check(memories)?;
    let supersession = synced.supersession()?;
    warnings.extend(supersession.warning);
    let wanted = matching_ids(request, &known, &supersession.superseded)?;
    let found = signals::search(&synced.store, &query, &|id| wanted.contains(id))?;
    let mut report = Report {
        query: words,
        warnings,
        ..Report::default()
    };
    if found.is_empty() {
        let all = signals::search(&synced.store, &query, &|_| true)?;
        report.skipped = all.iter().filter(|result| result.matches_text()).count();
        if report.skipped == 0 {
            report.did_you_mean = similar_words(synced, &query)?;
        }
        return Ok(report);
    }
    let limit = match request.limit {
        Some(limit) => limit.get(),
        None => usize::MAX,
    };
    for (found, recency) in boost_recent(project, found, &known).into_iter().take(limit) {
        let file = &known[&found.id].file;
        match synced.read(file) {
            Ok(stored) => {
                let mut hit = hit(&query, (found, recency), &stored);
                if !request.sections.is_empty() {
                    add_sections(&mut hit, &stored.text, request, &mut report.warnings);
                } else if request.content {
                    hit.content = Some(stored.memory.body.trim().to_owned());
                }
                report.results.push(hit);
            }
            Err(error) => report.warnings.push(format!("{error:#}")),
        }
    }
    Ok(report)
}

/// Returns the ids of the memories that match the filters of a request.
fn matching_ids<'k>(
    request: &Request,
    known: &'k FxHashMap<String, IndexedMemory>,
    superseded: &BTreeMap<String, String>,
) -> Result<FxHashSet<&'k str>> {
    let mut time = TimeRange::default();
    if let Some(text) = &request.since {
        time.since = Some(parse_time("changed-after", text)?.0);
    }
    if let Some(text) = &request.until {
        time.until = Some(parse_time("changed-before", text)?.1);
    }
    let hides_unused = request.filter.status.is_none();
    let matching = known.values().filter(|indexed| {
        let IndexedMemory {
            memory,
            file,
            anchored,
            ..
        } = indexed;
        let is_hidden = (hides_unused && memory.status != MemoryStatus::Active)
            || (!request.superseded && superseded.contains_key(&memory.id));
        !is_hidden
            && (request.filter).takes_memory(memory, file, anchored.as_deref())
            && time.contains(date(memory))
    });
    Ok(matching.map(|indexed| indexed.memory.id.as_str()).collect())
}

/// The times of the last change of memories that match.
#[derive(Default)]
struct TimeRange {
    since: Option<Timestamp>,
    /// Not in the range itself.
    until: Option<Timestamp>,
}

impl TimeRange {
    /// Returns whether a time is in the range. An unknown time is only in the range of all times.
    fn contains(&self, time: Option<Timestamp>) -> bool {
        let Some(time) = time else {
            return self.since.is_none() && self.until.is_none();
        };
        self.since.is_none_or(|since| time >= since) && self.until.is_none_or(|until| time < until)
    }
}

/// Returns the time of the last change of a memory.
fn date(memory: &Memory) -> Option<Timestamp> {
    memory.updated_at.max(memory.created_at)
}

/// Parses a date or a time. Returns its start and its end.
fn parse_time(flag: &str, text: &str) -> Result<(Timestamp, Timestamp)> {
    const DAY: SignedDuration = SignedDuration::from_hours(24);
    let found = frontmatter::time(text.trim()).ok_or_else(|| {
        UserError::usage(format!("`--{flag} {text}` is not a date")).hint(format!(
            "use a date or a time, as in `--{flag} 2026-01-15` or `--{flag} 2026-01-15T09:30:00Z`"
        ))
    })?;
    let is_day = !text.contains(['T', 't', ' ', ':']);
    let end = if is_day {
        DAY
    } else {
        SignedDuration::from_nanos(1)
    };
    Ok((found, found.checked_add(end).unwrap_or(Timestamp::MAX)))
}

/// Raises the scores of recent memories. Returns the memories by their new scores, each with the
/// factor. Rules and decisions are valid until they are changed, so their age is ignored.
fn boost_recent(
    project: &Project,
    found: Vec<SearchResult>,
    known: &FxHashMap<String, IndexedMemory>,
) -> Vec<(SearchResult, f64)> {
    let mut boosted = Vec::with_capacity(found.len());
    for mut result in found {
        let memory = &known[&result.id].memory;
        let is_timeless = matches!(memory.memory_type, MemoryType::Rule | MemoryType::Decision);
        let mut factor = 1.0;
        if let Some(date) = date(memory)
            && !is_timeless
        {
            let age = project.now.as_second() - date.as_second();
            factor = project.recency.boost(age as f64 / SECONDS_PER_DAY);
        }
        result.score *= factor;
        boosted.push((result, factor));
    }
    boosted.sort_by(|(a, _), (b, _)| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    boosted
}

fn hit(query: &Query, (found, recency): (SearchResult, f64), stored: &MemoryFile) -> Hit {
    let mut signals = found.signals;
    for rank in &mut signals {
        rank.contribution = rounded(rank.contribution);
    }
    let mut why = matched_words(query, &found.id, &stored.text);
    let sections = found.sections.iter().take(MAX_SECTIONS_LISTED);
    why.extend(sections.map(|id| format!("section {id}")));
    why.extend(found.related_to.map(|id| format!("related to `{id}`")));
    Hit {
        id: found.id,
        file: stored.file.clone(),
        title: memories::title(&stored.memory.body),
        score: rounded(found.score),
        why,
        signals,
        recency: rounded(recency),
        ..Hit::default()
    }
}

/// Returns the words of a query that a memory contains in any form.
fn matched_words(query: &Query, id: &str, text: &str) -> Vec<String> {
    let mut known: BTreeSet<String> = tokenize::terms(text).into_iter().collect();
    known.extend(tokenize::terms(id));
    // A single letter, as in `C++`, is a word but not a term.
    tokenize::words(text, |word| {
        if word.len() == 1 {
            known.insert(word.to_lowercase());
        }
    });
    let mut matched = Vec::new();
    for word in &query.words {
        let terms = tokenize::terms(word);
        if known.contains(word) || terms.iter().any(|term| known.contains(term)) {
            matched.push(format!("`{word}`"));
        }
    }
    matched
}

/// Returns for each word of a query the most similar word of the memories.
fn similar_words(synced: &SyncedStore, query: &Query) -> Result<Vec<String>> {
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
    let mut found: Vec<String> = Vec::new();
    for word in &query.words {
        let known = vocabulary.iter().map(String::as_str);
        found.extend(text::closest_match(word, known).map(str::to_owned));
    }
    found.dedup();
    Ok(found)
}

/// Adds the requested sections of a memory to its hit.
fn add_sections(hit: &mut Hit, text: &str, request: &Request, warnings: &mut Vec<String>) {
    let slice = section_selection::select(text, &request.sections, false);
    warnings.extend(slice.warnings(&hit.id, &hit.file));
    hit.sections = slice.sections;
    hit.missing = slice.missing;
    hit.token_metrics = Some(slice.metrics);
    if request.content && !slice.content.is_empty() {
        hit.content = Some(slice.content);
    }
}
