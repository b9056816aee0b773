//! Which memories others supersede.
//!
//! Memories that supersede each other in a ring hide none of each other: nobody could
//! say which one holds.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;

use super::cycles::{self, Graph};
use super::memory_meant;
use crate::model::EdgeType;
use crate::ops::sync::SyncedStore;
use crate::store::links as table;

/// Relations in which a ring makes no sense.
const RINGLESS: &[EdgeType] = &[EdgeType::Supersedes, EdgeType::Extends, EdgeType::DependsOn];

/// A ring of memories.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Cycle {
    pub(crate) edge_type: EdgeType,
    /// The memories in their order, the first one again at the end.
    pub(crate) ids: Vec<String>,
}

impl Cycle {
    /// Returns the warning that tells of it.
    pub(crate) fn warning(&self) -> String {
        let verb = match self.edge_type {
            EdgeType::DependsOn => " depends on ".to_owned(),
            other => format!(" {other} "),
        };
        let ids: Vec<String> = self.ids.iter().map(|id| format!("`{id}`")).collect();
        let so = match self.edge_type {
            EdgeType::Supersedes => ", so that none of them is hidden",
            _ => "",
        };
        format!("{}: a cycle{so}", ids.join(&verb))
    }
}

/// What supersedes what.
#[derive(Debug, Clone, Default)]
pub(crate) struct Supersession {
    /// The memories that are superseded, each with one that supersedes it.
    pub(crate) superseded: BTreeMap<String, String>,
    pub(crate) cycles: Vec<Cycle>,
}

impl Supersession {
    /// Returns what there is to warn of.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.cycles.iter().map(Cycle::warning).collect()
    }
}

/// Returns which memories of the store others supersede; operations that hand memories
/// out leave them out unless they are asked for.
pub(crate) fn supersession(synced: &SyncedStore) -> Result<Supersession> {
    let graph = graph(synced, EdgeType::Supersedes)?;
    let mut knot_of: BTreeMap<String, usize> = BTreeMap::new();
    for (knot_idx, knot) in cycles::knots(&graph).into_iter().enumerate() {
        knot_of.extend(knot.into_iter().map(|id| (id, knot_idx)));
    }
    let mut superseded = BTreeMap::new();
    for (from, to) in &graph {
        for to in to {
            let in_ring = knot_of.get(from).is_some_and(|knot| knot_of.get(to) == Some(knot));
            if !in_ring {
                superseded.entry(to.clone()).or_insert_with(|| from.clone());
            }
        }
    }
    Ok(Supersession { superseded, cycles: rings(&graph, EdgeType::Supersedes) })
}

/// Returns the rings of every relation in which they make no sense.
pub(super) fn all_cycles(synced: &SyncedStore) -> Result<Vec<Cycle>> {
    let mut found = Vec::new();
    for &edge in RINGLESS {
        found.extend(rings(&graph(synced, edge)?, edge));
    }
    Ok(found)
}

fn rings(graph: &Graph, edge_type: EdgeType) -> Vec<Cycle> {
    cycles::cycles(graph).into_iter().map(|ids| Cycle { edge_type, ids }).collect()
}

/// Returns the edges of one relation between memories that there are.
fn graph(synced: &SyncedStore, edge: EdgeType) -> Result<Graph> {
    let mut graph = Graph::new();
    for (from, target) in table::with_relation(synced.store.reader(), edge)? {
        if let Some(to) = memory_meant(synced, &target)? {
            graph.entry(from).or_default().insert(to);
        }
    }
    Ok(graph)
}
