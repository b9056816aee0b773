//! `reanchor`: follows every anchor through what changed, and says what a person must decide.
//!
//! What is followed exactly is recorded. What changed is recorded where the anchor was
//! found automatically and the code still shows its rule; an anchor chosen by hand stays
//! as it was approved until somebody accepts the change. Nothing is written by a check.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::bank::lockfile::Anchors;
use crate::error::UserError;
use crate::model::{Anchor, Origin, State};
use crate::tree::git;

use super::memories::{Filter, Memories};
use super::{Progress, Project};
use crate::engine::examples::RankedSymbol;
use crate::engine::track::{self, FoundSymbol};

mod reconcile;

use reconcile::Desk;

/// What `reanchor` does with what it finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Records what can be recorded.
    Follow,
    /// Writes nothing; the report says whether all is well.
    Check,
    /// Writes nothing; the report says what would be recorded.
    DryRun,
    /// Records the changed code of one memory, or of all, as approved.
    Accept(Option<String>),
}

/// How `reanchor` works.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) mode: Mode,
    pub(crate) filter: Filter,
    pub(crate) min_quality: f64,
    /// Whether any edit fails the check.
    pub(crate) strict: bool,
    /// Only anchors whose code, memory or record changed since this revision.
    pub(crate) since: Option<String>,
}

/// What became of the anchors.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) summary: Summary,
    pub(crate) results: Vec<Finding>,
    /// Anchors of memories that are no more.
    pub(crate) orphans: Vec<String>,
    /// Whether a check passes.
    pub(crate) ok: bool,
    /// Whether the lock file was changed.
    pub(crate) stored: bool,
    pub(crate) warnings: Vec<String>,
}

/// How many anchors are in each state.
#[derive(Debug, Default, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Summary {
    pub(crate) total: usize,
    pub(crate) anchored: usize,
    pub(crate) failed: usize,
    #[serde(flatten)]
    pub(crate) states: BTreeMap<State, usize>,
}

/// What became of one anchor.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Finding {
    pub(crate) id: String,
    /// The file of the memory, from the root.
    pub(crate) memory: String,
    pub(crate) state: State,
    pub(crate) edited: bool,
    pub(crate) chosen: Origin,
    pub(crate) old: Target,
    pub(crate) new: Option<Target>,
    pub(crate) similarity: f64,
    /// The first line of the example that changed since the anchor was last true, as
    /// far as git knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) changed_line: Option<u32>,
    /// For `ambiguous` the equals, for `gone` the nearest look-alikes.
    pub(crate) candidates: Vec<Target>,
    /// For `gone`: the best other example of the rule.
    pub(crate) replacement: Option<RankedSymbol>,
    /// A clearly better example than the one that holds.
    pub(crate) better: Option<RankedSymbol>,
    /// Whether a person has to decide: the anchor is lost, or no longer shows its rule.
    pub(crate) drift: bool,
    /// Whether the lock file holds, or would hold, something new.
    pub(crate) recorded: bool,
    pub(crate) reason: String,
    /// The command that settles it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<String>,
}

/// A place in the code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Target {
    pub(crate) file: String,
    pub(crate) symbol: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) start_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) similarity: Option<f64>,
}

impl Target {
    fn of(found: &FoundSymbol) -> Self {
        Self {
            file: found.file.clone(),
            symbol: found.symbol.clone(),
            start_line: found.lines.map(|(first, _)| first + 1),
            end_line: found.lines.map(|(_, last)| last + 1),
            similarity: Some(super::rounded(found.similarity)),
        }
    }

    fn recorded(anchor: &Anchor) -> Self {
        Self {
            file: anchor.file.clone(),
            symbol: anchor.symbol.clone(),
            start_line: None,
            end_line: None,
            similarity: None,
        }
    }
}

/// Follows the anchors that the filter takes.
pub(crate) fn reanchor(
    project: &Project,
    request: &Request,
    progress: Progress<'_>,
) -> Result<Report> {
    let writes = matches!(request.mode, Mode::Follow | Mode::Accept(_));
    // Held from reading to writing, so that nobody's anchors are lost in between.
    let guard = if writes { Some(project.bank.lock_for_writing()?) } else { None };
    let memories = Memories::load(project)?;
    request.filter.check_scope(memories.all.iter().map(|stored| &stored.memory))?;
    let taken = taken(project, request, &memories)?;
    let places: Vec<Anchor> = taken.iter().map(|(_, anchor)| anchor.clone()).collect();
    let followed = track::follow(&project.root, &project.exclude, &places, progress)?;
    let desk = Desk::open(project, &memories, request, &taken, &followed)?;
    let mut anchors = memories.anchors.clone();
    let mut results: Vec<Finding> = Vec::with_capacity(taken.len());
    for ((id, anchor), followed) in taken.into_iter().zip(followed) {
        let (finding, update) = desk.settle(&id, &anchor, followed)?;
        if let Some(update) = update {
            anchors.insert(id, update);
        }
        results.push(finding);
    }
    let orphans = orphans(&memories, request);
    for id in &orphans {
        anchors.remove(id);
    }
    let stored = writes && project.bank.write_anchors_undoably(&anchors)?;
    drop(guard);
    let is_current = stored || is_current(&anchors, &memories.anchors);
    let fails = |finding: &Finding| finding.drift || (request.strict && finding.edited);
    Ok(Report {
        ok: is_current && !results.iter().any(fails),
        summary: summary(&results),
        results,
        orphans,
        stored,
        warnings: memories.warnings,
    })
}

/// What is there after a `reanchor` was taken back.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Undone {
    pub(crate) anchors: usize,
}

/// Takes the last `reanchor` back, unless the anchors were changed since.
pub(crate) fn undo(project: &Project) -> Result<Undone> {
    let _guard = project.bank.lock_for_writing()?;
    Ok(Undone { anchors: project.bank.undo_anchors()? })
}

/// Returns the anchors that are asked for, ordered by id.
fn taken(
    project: &Project,
    request: &Request,
    memories: &Memories,
) -> Result<Vec<(String, Anchor)>> {
    let accepted = match &request.mode {
        Mode::Accept(Some(typed)) => Some(memories.find(typed)?.memory.id.clone()),
        _ => None,
    };
    let changed = match &request.since {
        Some(revision) => Some(git::changed_since(&project.root, revision)?),
        None => None,
    };
    let shown = |file: &str| memory_path(project, file);
    let is_lock_changed =
        changed.as_ref().is_some_and(|changed| changed.contains(&shown("anchors.lock")));
    let is_touched = |changed: &BTreeSet<String>, anchor: &Anchor, file: &str| {
        is_lock_changed || changed.contains(&anchor.file) || changed.contains(&shown(file))
    };
    let mut taken = BTreeMap::new();
    for stored in &memories.all {
        let id = &stored.memory.id;
        let Some(anchor) = memories.anchors.get(id) else { continue };
        if request.filter.takes(stored, &memories.anchors)
            && accepted.as_ref().is_none_or(|wanted| wanted == id)
            && changed.as_ref().is_none_or(|changed| is_touched(changed, anchor, &stored.file))
        {
            taken.insert(id.clone(), anchor.clone());
        }
    }
    if let (Some(id), true) = (accepted, taken.is_empty()) {
        return Err(UserError::usage(format!("`{id}` has no anchor to accept"))
            .hint(format!("find one with `cerberus memory anchor {id}`"))
            .into());
    }
    Ok(taken.into_iter().collect())
}

/// Returns the path of a file of the bank from the root, where the bank is below it.
fn memory_path(project: &Project, file: &str) -> String {
    let path = project.bank.folder().join(file);
    path.strip_prefix(&project.root).unwrap_or(&path).display().to_string()
}

/// A formatter's work alone leaves the lock as good as it was.
fn is_current(new: &Anchors, old: &Anchors) -> bool {
    let without_layout = |anchors: &Anchors| -> Anchors {
        let mut anchors = anchors.clone();
        for anchor in anchors.values_mut() {
            (anchor.fingerprint.bytes, anchor.fingerprint.file) = (0, 0);
            anchor.commit = None;
        }
        anchors
    };
    without_layout(new) == without_layout(old)
}

/// Anchors without a memory are dropped only when the whole bank could be read.
fn orphans(memories: &Memories, request: &Request) -> Vec<String> {
    let is_whole = request.filter.scope.as_deref().is_none_or(|scope| scope == "all");
    if !is_whole || memories.is_partial {
        return Vec::new();
    }
    let has_memory = |id: &&String| memories.all.iter().any(|stored| &stored.memory.id == *id);
    memories.anchors.keys().filter(|id| !has_memory(id)).cloned().collect()
}

fn summary(results: &[Finding]) -> Summary {
    let mut summary = Summary { total: results.len(), ..Summary::default() };
    for state in State::ALL {
        summary.states.insert(*state, 0);
    }
    for finding in results {
        *summary.states.entry(finding.state).or_insert(0) += 1;
        let is_lost = matches!(finding.state, State::Gone | State::Ambiguous);
        if is_lost && finding.drift {
            summary.failed += 1;
        } else {
            summary.anchored += 1;
        }
    }
    summary
}
