//! Orders memories by relevance to the current task, then by scope and age.

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
use crate::text::Globs;

/// The scores of a memory that is anchored to, or mentions, a file of the focus; the best match of
/// the query scores 1.
const ANCHORED_SCORE: f64 = 4.0;
const MENTION_SCORE: f64 = 2.0;

/// The score of a memory whose paths match a file of the focus.
const PATHS_SCORE: f64 = 0.5;

/// The most memories that a query moves to the front.
const MAX_MATCHES: usize = 100;

/// The current task.
#[derive(Debug, Clone, Default)]
pub(super) struct Focus {
    pub(super) query: Option<String>,
    /// Paths relative to the root of the project.
    pub(super) files: BTreeSet<String>,
}

/// The applicable memories, the most relevant first.
pub(super) struct Ranked<'m> {
    pub(super) memories: Vec<&'m MemoryFile>,
    /// The ids of the other memories with the reason.
    pub(super) skipped: Vec<(String, String)>,
}

/// Ranks the memories that apply to the task.
pub(super) fn rank<'m>(
    project: &Project,
    memories: &'m Memories,
    focus: &Focus,
) -> Result<Ranked<'m>> {
    let mut synced = sync::open_with(project, memories)?;
    let matches = matches(project, &mut synced, focus)?;
    let superseded = links::supersession(&synced)?.superseded;
    let (mut ranked, mut skipped) = (Vec::new(), Vec::new());
    for stored in &memories.all {
        let memory = &stored.memory;
        let reason = if memory.status == MemoryStatus::Archived {
            Some("archived".to_owned())
        } else if let Some(by) = superseded.get(&memory.id) {
            Some(format!("superseded by `{by}`"))
        } else if memory.body.trim().is_empty() {
            Some("it has no text".to_owned())
        } else {
            other_language(&memory.scope, focus).or_else(|| other_paths(&memory.paths, focus))
        };
        match reason {
            Some(reason) => skipped.push((memory.id.clone(), reason)),
            None => ranked.push((score(stored, memories, focus, &matches), stored)),
        }
    }
    ranked.sort_by(|(a_score, a), (b_score, b)| {
        b_score.total_cmp(a_score).then_with(|| tie_break(a).cmp(&tie_break(b)))
    });
    Ok(Ranked { memories: ranked.into_iter().map(|(_, stored)| stored).collect(), skipped })
}

/// The order of memories with the same score: by scope, then the newest first.
fn tie_break(stored: &MemoryFile) -> impl Ord + '_ {
    let memory = &stored.memory;
    let distance = match memory.scope {
        // Without files in focus, what holds everywhere comes first.
        _ if !memory.paths.is_empty() => 3,
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
        score += ANCHORED_SCORE;
    } else if focus.files.iter().any(|file| memory.body.contains(file.as_str())) {
        score += MENTION_SCORE;
    }
    if !memory.paths.is_empty() && !focus.files.is_empty() {
        // The others are skipped.
        score += PATHS_SCORE;
    }
    score
}

/// Returns the `search` scores for the query and the file names, scaled so that the best is 1.
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

/// Returns the reason to skip a memory whose language no file of the focus has.
fn other_language(scope: &Scope, focus: &Focus) -> Option<String> {
    let Scope::Language(name) = scope else { return None };
    let wanted = language::from_scope(name)?;
    let mut found: Vec<Language> = Vec::new();
    for file in &focus.files {
        found.push(language::from_path(file)?);
    }
    let is_wanted = |language: &Language| wanted.contains(language);
    (!found.is_empty() && !found.iter().any(is_wanted))
        .then(|| format!("its language is {name}, but none of the files is"))
}

/// Returns the reason to skip a memory that applies to none of the files of the focus.
fn other_paths(paths: &[String], focus: &Focus) -> Option<String> {
    if paths.is_empty() || focus.files.is_empty() {
        return None;
    }
    let globs = Globs::new(paths);
    let is_other = focus.files.iter().all(|file| globs.find(file).is_none());
    is_other.then(|| format!("it applies to {}, but to none of the files", paths.join(", ")))
}
