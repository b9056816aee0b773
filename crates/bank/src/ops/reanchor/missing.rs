//! Anchors the rules that have no example yet.

use anyhow::Result;
use cerberus_engine::examples::{Options, RankedSymbol};
use cerberus_model::{Anchor, RuleKind};

use super::{Mode, Request};
use crate::ops::import::sources::Source;
use crate::ops::memories::Memories;
use crate::ops::{anchors, rule_counts};
use crate::{MemoryFile, Workspace};

/// Returns anchors for the `taken` rules that have none and whose example nobody decided about. A rule that was
/// imported needs the quality that it needs there: nobody sees each of many.
pub(super) fn find<'m>(
    project: &Workspace,
    memories: &Memories,
    request: &Request,
    taken: &[&'m MemoryFile],
) -> Result<Vec<(&'m MemoryFile, Anchor)>> {
    let is_complete = matches!(request.mode, Mode::Record | Mode::DryRun);
    if !is_complete || request.since.is_some() || request.keeps_open {
        return Ok(Vec::new());
    }
    let mut open: Vec<&MemoryFile> = Vec::new();
    let mut queries = Vec::new();
    for &stored in taken {
        if is_open(stored, memories)
            && let Ok(query) = anchors::scoped_query(stored)
        {
            open.push(stored);
            queries.push(query);
        }
    }
    if queries.is_empty() {
        return Ok(Vec::new());
    }
    let least = request.min_quality.unwrap_or(project.min_quality);
    let rankings = project.rank(&queries, Options::distinct(1, least))?;
    let mut found = Vec::new();
    let mut best_symbols: Vec<RankedSymbol> = Vec::new();
    for (stored, ranking) in open.into_iter().zip(rankings) {
        if let Some(best) = ranking.anchor
            && (!is_imported(stored) || best.meets_threshold(project.min_import_quality))
        {
            found.push(stored);
            best_symbols.push(best);
        }
    }
    let new = anchors::from_candidates(project, &best_symbols)?;
    Ok(found.into_iter().zip(new).collect())
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
    !Source::all(&stored.memory).is_empty()
}
