//! Anchors the rules that have no example yet.

use anyhow::Result;
use cerberus_engine::examples::{Options, Query, RankedSymbol};
use cerberus_model::RuleKind;
use serde::Serialize;

use super::{Mode, Request};
use crate::lockfile::Anchors;
use crate::ops::anchors::AnchorSummary;
use crate::ops::import::sources::Source;
use crate::ops::memories::{Filter, Memories};
use crate::ops::{anchors, memories, rule_counts};
use crate::{MemoryFile, Workspace};

/// The first anchor of a rule.
#[derive(Debug, Clone, Serialize)]
pub struct Added {
    pub id: String,
    /// File of the memory, relative to the project root.
    pub memory: String,
    pub anchor: AnchorSummary,
}

/// Adds anchors to the rules that `filter` takes, that have none, and whose example nobody decided about. A rule that was
/// imported needs the quality that it needs there: nobody sees each of many.
pub(super) fn add(
    project: &Workspace,
    memories: &Memories,
    request: &Request,
    filter: &Filter,
    anchors: &mut Anchors,
) -> Result<Vec<Added>> {
    let is_complete = matches!(request.mode, Mode::Record | Mode::DryRun);
    if !is_complete || request.since.is_some() || request.keeps_open {
        return Ok(Vec::new());
    }
    let mut open: Vec<&MemoryFile> = Vec::new();
    let mut queries = Vec::new();
    for stored in &memories.all {
        if !is_open(stored, memories) || !filter.takes(stored, &memories.anchors) {
            continue;
        }
        if let Ok(languages) = memories::languages(&stored.memory.scope) {
            open.push(stored);
            queries.push(Query {
                languages,
                ..anchors::query(stored, &[])
            });
        }
    }
    if queries.is_empty() {
        return Ok(Vec::new());
    }
    let least = request.min_quality.unwrap_or(project.min_quality);
    let rankings = project.rank(&queries, Options::distinct(1, least))?;
    let mut found: Vec<(&MemoryFile, RankedSymbol)> = Vec::new();
    for (stored, ranking) in open.into_iter().zip(rankings) {
        if let Some(best) = ranking.anchor
            && (!is_imported(stored) || best.meets_threshold(project.min_import_quality))
        {
            found.push((stored, best));
        }
    }
    let best: Vec<&RankedSymbol> = found.iter().map(|(_, best)| best).collect();
    let new = anchors::from_candidates(project, &best)?;
    let mut added = Vec::new();
    for ((stored, _), anchor) in found.iter().zip(new) {
        added.push(Added {
            id: stored.memory.id.clone(),
            memory: project.bank.shown_path(&stored.file, &project.root),
            anchor: AnchorSummary::from(&anchor),
        });
        anchors.insert(stored.memory.id.clone(), anchor);
    }
    Ok(added)
}

/// Returns whether nobody decided about the example of a rule about code.
fn is_open(stored: &MemoryFile, memories: &Memories) -> bool {
    let memory = &stored.memory;
    rule_counts::is_active_rule(stored)
        && !memories.anchors.contains_key(&memory.id)
        && memory.example.is_none()
        && memory.reviewed_by.is_none()
        && anchors::kind(stored) == RuleKind::Code
}

fn is_imported(stored: &MemoryFile) -> bool {
    let sources = &stored.memory.source;
    sources.iter().any(|source| Source::parse(source).is_some())
}
