//! `search`: memories that speak of something, whole or just the wanted sections.

use anyhow::Result;
use serde::Serialize;

use crate::error::Failure;
use crate::model::MemoryStatus;
use crate::rank::tokenize;
use crate::store::Store;
use crate::store::memories as table;

use super::memories::{Filter, Memories};
use super::slices::{self, Missing, SectionPlace, TokenMetrics};
use super::{Project, rounded, sync};

/// What to look for.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) query: String,
    /// The sections to return, instead of whole memories.
    pub(crate) sections: Vec<String>,
    /// Whether the text is returned too.
    pub(crate) content: bool,
    pub(crate) filter: Filter,
    pub(crate) limit: usize,
}

/// What was found.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) query: String,
    pub(crate) results: Vec<Hit>,
    pub(crate) warnings: Vec<String>,
}

/// A memory that was found.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Hit {
    pub(crate) id: String,
    pub(crate) file: String,
    pub(crate) score: f64,
    /// The words that matched, and where.
    pub(crate) why: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<String>,
    pub(crate) sections: Vec<SectionPlace>,
    pub(crate) missing: Vec<Missing>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) token_metrics: Option<TokenMetrics>,
}

/// Returns the memories that match the query, best first.
pub(crate) fn search(project: &Project, request: &Request) -> Result<Report> {
    let words = query_words(&request.query);
    if words.is_empty() {
        return Err(Failure::usage("the query has no words to look for")
            .hint("search for a word that the memory uses, as in `cerberus memory search session`")
            .into());
    }
    let memories = Memories::load(project)?;
    request.filter.check_scope(&memories)?;
    let mut store = Store::open(&project.store)?;
    let mut warnings = memories.warnings.clone();
    warnings.append(&mut store.warnings);
    sync::memories(&mut store, &memories)?;
    let matches = table::search(store.reader(), &words)?;
    let mut results = Vec::new();
    for found in matches {
        let Some(stored) = memories.all.iter().find(|stored| stored.memory.id == found.memory)
        else {
            continue;
        };
        let is_hidden =
            request.filter.status.is_none() && stored.memory.status == MemoryStatus::Archived;
        if is_hidden || !request.filter.takes(stored, &memories.anchors) {
            continue;
        }
        let mut hit = Hit {
            id: found.memory,
            file: stored.file.clone(),
            score: rounded(found.score),
            why: why(&request.query, &stored.text, &found.sections),
            content: None,
            sections: Vec::new(),
            missing: Vec::new(),
            token_metrics: None,
        };
        if request.sections.is_empty() {
            hit.content = request.content.then(|| stored.memory.body.trim().to_owned());
        } else {
            slice(&mut hit, &stored.text, request, &mut warnings);
        }
        results.push(hit);
        if results.len() == request.limit {
            break;
        }
    }
    Ok(Report { query: request.query.clone(), results, warnings })
}

/// Puts the wanted sections of a memory into its hit.
fn slice(hit: &mut Hit, text: &str, request: &Request, warnings: &mut Vec<String>) {
    let slice = slices::slice(text, &request.sections, false);
    warnings.extend(slice.warnings(&hit.id, &hit.file));
    hit.sections = slice.sections;
    hit.missing = slice.missing;
    hit.token_metrics = Some(slice.metrics);
    hit.content = request.content.then_some(slice.content).filter(|content| !content.is_empty());
}

/// Returns the words of a query; whatever else is in it has no meaning here.
fn query_words(query: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    tokenize::words(query, |word| {
        let word = word.trim_matches(['_', '$']).to_lowercase();
        if !word.is_empty() && !found.contains(&word) {
            found.push(word);
        }
    });
    found
}

fn why(query: &str, text: &str, sections: &[String]) -> Vec<String> {
    let known: rustc_hash::FxHashSet<String> = tokenize::terms(text).into_iter().collect();
    let mut why = Vec::new();
    for word in query_words(query) {
        if tokenize::terms(&word).iter().any(|term| known.contains(term)) {
            why.push(format!("`{word}`"));
        }
    }
    let places = sections.iter().filter(|id| !id.is_empty()).map(|id| format!("section {id}"));
    why.extend(places);
    why
}
