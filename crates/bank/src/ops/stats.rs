//! Counts of memories, anchors and links.

use std::collections::BTreeMap;

use anyhow::Result;
use cerberus_engine::tree::git::past::{self, Addition};
use cerberus_model::{MemoryType, Scope, State};
use cerberus_store::ledger::{self, RuleCount};
use jiff::Timestamp;
use serde::Serialize;

use super::show;
use crate::ops::links;
use crate::ops::memories::Memories;
use crate::ops::rule_counts::RuleCounts;
use crate::{MemoryFile, Workspace};

/// The lists to add to the counts.
#[derive(Debug, Default)]
pub struct Request {
    /// Each anchor with its state.
    pub anchors: bool,
    /// How often hooks gave each rule, with the commit that added it.
    pub rules: bool,
}

/// Counts of a bank.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    #[serde(flatten)]
    pub counts: MemoryCounts,
    pub rules: RuleCounts,
    /// Share of the memories that can have an anchor. `None` if no memory can.
    pub anchored_percent: Option<f64>,
    pub anchors_by_state: BTreeMap<State, usize>,
    /// State of each anchor, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchors: Option<Vec<AnchorState>>,
    /// Counts of the hooks for each rule, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<Vec<LedgerRow>>,
    pub links: usize,
    pub broken_links: usize,
    pub warnings: Vec<String>,
}

/// Counts of memories by their metadata.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryCounts {
    pub memories: usize,
    pub by_type: BTreeMap<String, usize>,
    pub by_scope: BTreeMap<String, usize>,
    pub by_status: BTreeMap<String, usize>,
    pub anchored: usize,
    /// Number of memories with `example: none`.
    pub no_example: usize,
}

impl MemoryCounts {
    /// Counts memories, each with whether it has an anchor.
    pub fn of<'a>(memories: impl Iterator<Item = (&'a MemoryFile, bool)>) -> Self {
        let mut counts = Self::default();
        for (MemoryFile { memory, .. }, is_anchored) in memories {
            counts.memories += 1;
            *counts
                .by_type
                .entry(memory.memory_type.to_string())
                .or_default() += 1;
            *counts.by_scope.entry(memory.scope.to_string()).or_default() += 1;
            *counts
                .by_status
                .entry(memory.status.to_string())
                .or_default() += 1;
            counts.anchored += usize::from(is_anchored);
            counts.no_example += usize::from(memory.example.is_some() && !is_anchored);
        }
        counts
    }
}

/// State of the anchor of one memory.
#[derive(Debug, Serialize)]
pub struct AnchorState {
    /// Id of the memory.
    pub id: String,
    pub file: String,
    pub symbol: Option<String>,
    pub quality: f64,
    pub state: State,
}

/// Counts of the hooks for a rule: sessions that got it, that broke it, and that broke it after they got it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LedgerRow {
    pub id: String,
    pub given: usize,
    pub broken: usize,
    pub broken_after_given: usize,
    /// The day on which it last came up.
    pub last: Option<String>,
    /// The commit that added the rule.
    pub added: Option<Addition>,
}

/// Returns the counts of the hooks for each rule, the most given first.
fn ledger(project: &Workspace, memories: &Memories) -> Result<Vec<LedgerRow>> {
    let counts = project.with_repair(|_| ledger::counts(project.store()?.reader()))?;
    let mut counts: BTreeMap<String, RuleCount> = counts
        .into_iter()
        .map(|count| (count.memory.clone(), count))
        .collect();
    let mut additions = past::additions(&project.root, ".memories");
    let mut rows = Vec::new();
    for stored in &memories.all {
        if stored.memory.memory_type != MemoryType::Rule {
            continue;
        }
        let path = project.bank.shown_path(&stored.file, &project.root);
        let mut row = LedgerRow {
            id: stored.memory.id.clone(),
            given: 0,
            broken: 0,
            broken_after_given: 0,
            last: None,
            added: additions.remove(&path),
        };
        if let Some(count) = counts.remove(&row.id) {
            row.given = count.given;
            row.broken = count.broken;
            row.broken_after_given = count.broken_after_given;
            let last = Timestamp::from_millisecond(count.millis).ok();
            row.last = last.map(|time| time.strftime("%Y-%m-%d").to_string());
        }
        rows.push(row);
    }
    rows.sort_by(|a, b| (b.given, b.broken, &a.id).cmp(&(a.given, a.broken, &b.id)));
    Ok(rows)
}

/// Counts the memories and links, and checks each anchor against its file.
pub fn stats(project: &Workspace, request: &Request) -> Result<Report> {
    let memories = project.memories()?;
    let edges = links::edges(project, &project.synced()?)?;
    let mut anchored: Vec<show::Anchored<'_>> = Vec::new();
    let mut all = Vec::new();
    let mut n_anchorable = 0;
    for stored in &memories.all {
        let memory = &stored.memory;
        let anchor = memories.anchors.get(&memory.id);
        all.push((stored, anchor.is_some()));
        if let Some(anchor) = anchor {
            anchored.push((stored, anchor));
        }
        let can_have_anchor = memory.example.is_none() || anchor.is_some();
        if memory.scope != Scope::Universal && can_have_anchor {
            n_anchorable += 1;
        }
    }
    let reports = show::anchor_reports(project, &anchored, None);
    let mut anchors_by_state = BTreeMap::new();
    let mut anchors = Vec::new();
    for ((stored, _), anchor) in anchored.into_iter().zip(reports) {
        *anchors_by_state.entry(anchor.state).or_insert(0) += 1;
        anchors.push(AnchorState {
            id: stored.memory.id.clone(),
            file: anchor.file,
            symbol: anchor.symbol,
            quality: anchor.quality,
            state: anchor.state,
        });
    }
    let share = anchors.len() as f64 / n_anchorable as f64;
    let ledger = if request.rules {
        Some(ledger(project, &memories)?)
    } else {
        None
    };
    Ok(Report {
        counts: MemoryCounts::of(all.into_iter()),
        rules: RuleCounts::of(&memories),
        anchored_percent: (n_anchorable > 0).then_some((share * 1e3).round() / 10.0),
        anchors_by_state,
        anchors: request.anchors.then_some(anchors),
        ledger,
        links: edges.len(),
        broken_links: edges.iter().filter(|edge| edge.is_broken()).count(),
        warnings: memories.warnings.clone(),
    })
}
