//! Which memories come first: those about what is being worked on, then by scope and age.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use anyhow::Result;
use rustc_hash::FxHashMap;

use crate::bank::MemoryFile;
use crate::engine::rank::tokenize;
use crate::model::{Language, MemoryStatus, Scope};
use crate::ops::memories::Memories;
use crate::ops::sync::{self, SyncedStore};
use crate::ops::{Project, links, search};
use crate::syntax::language;

/// What a memory anchored to a file at hand is worth, against 1 for the best match of the
/// query; one that names the file half of that.
const ANCHORED_HERE: f64 = 4.0;
const NAMES_IT: f64 = 2.0;

/// How many memories a query puts first; no budget holds more.
const MAX_MATCHES: usize = 100;

/// What is being worked on.
#[derive(Debug, Clone, Default)]
pub(super) struct Focus {
    pub(super) query: Option<String>,
    /// Paths from the project's root.
    pub(super) files: BTreeSet<String>,
}

/// The memories that hold here, the most relevant first.
pub(super) struct Ranked<'m> {
    pub(super) memories: Vec<&'m MemoryFile>,
    /// The ids of the others, and why they are left out.
    pub(super) left_out: Vec<(String, String)>,
}

/// Returns the memories that hold here, the most relevant first, and of the others why
/// they are left out.
pub(super) fn ranked<'m>(
    project: &Project,
    memories: &'m Memories,
    focus: &Focus,
) -> Result<Ranked<'m>> {
    let mut synced = sync::open_with(project, memories)?;
    let matches = matches(project, &mut synced, focus)?;
    let superseded = links::supersession(&synced)?.superseded;
    let (mut ranked, mut left_out) = (Vec::new(), Vec::new());
    for stored in &memories.all {
        let memory = &stored.memory;
        let why = if memory.status == MemoryStatus::Archived {
            Some("it is archived".to_owned())
        } else if let Some(by) = superseded.get(&memory.id) {
            Some(format!("`{by}` supersedes it"))
        } else if memory.body.trim().is_empty() {
            Some("it has no text".to_owned())
        } else {
            elsewhere(&memory.scope, focus)
        };
        match why {
            Some(why) => left_out.push((memory.id.clone(), why)),
            None => ranked.push((score(stored, memories, focus, &matches), stored)),
        }
    }
    ranked.sort_by(|(a_score, a), (b_score, b)| {
        b_score.total_cmp(a_score).then_with(|| key(a).cmp(&key(b)))
    });
    Ok(Ranked { memories: ranked.into_iter().map(|(_, stored)| stored).collect(), left_out })
}

/// The order among memories of one relevance: what is nearest, then what is newest.
fn key(stored: &MemoryFile) -> impl Ord + '_ {
    let memory = &stored.memory;
    let distance = match memory.scope {
        Scope::Project(_) => 0,
        Scope::Language(_) => 1,
        Scope::Universal => 2,
    };
    (distance, Reverse(memory.updated_at.max(memory.created_at)), &memory.id)
}

fn score(
    stored: &MemoryFile,
    memories: &Memories,
    focus: &Focus,
    matches: &FxHashMap<String, f64>,
) -> f64 {
    let memory = &stored.memory;
    let mut score = matches.get(&memory.id).copied().unwrap_or(0.0);
    let anchor = memories.anchors.get(&memory.id);
    if anchor.is_some_and(|anchor| focus.files.contains(&anchor.file)) {
        score += ANCHORED_HERE;
    } else if focus.files.iter().any(|file| memory.body.contains(file.as_str())) {
        score += NAMES_IT;
    }
    score
}

/// Returns how well memories match the query and the names of the files, the best one 1,
/// as `search` sees it.
fn matches(
    project: &Project,
    synced: &mut SyncedStore,
    focus: &Focus,
) -> Result<FxHashMap<String, f64>> {
    let stems = focus.files.iter().map(|file| file.rsplit_once('.').map_or(&**file, |it| it.0));
    let query: Vec<&str> = focus.query.as_deref().into_iter().chain(stems).collect();
    let query = query.join(" ");
    if tokenize::terms(&query).is_empty() {
        return Ok(FxHashMap::default());
    }
    let request = search::Request { superseded: true, ..search::Request::new(query, MAX_MATCHES) };
    let results = search::search_in(project, synced, &request)?.results;
    let best = results.iter().map(|hit| hit.score).fold(f64::MIN_POSITIVE, f64::max);
    Ok(results.into_iter().map(|hit| (hit.id, hit.score / best)).collect())
}

/// Returns why a memory of this scope does not hold for the files at hand.
fn elsewhere(scope: &Scope, focus: &Focus) -> Option<String> {
    let Scope::Language(name) = scope else { return None };
    let wanted = language::from_scope(name)?;
    let mut found: Vec<Language> = Vec::new();
    for file in &focus.files {
        found.push(language::from_path(file)?);
    }
    let is_here = |language: &Language| wanted.contains(language);
    (!found.is_empty() && !found.iter().any(is_here))
        .then(|| format!("it is about {name}, which none of the files at hand is"))
}
