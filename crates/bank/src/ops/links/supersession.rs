//! Memories that other memories supersede.
//!
//! Memories of a supersession cycle do not hide each other, because it is unknown which of them is
//! current.

use std::collections::BTreeMap;

use anyhow::Result;
use rustc_hash::FxHashSet;
use serde::Serialize;

use super::cycles::{self, Graph};
use super::resolve_memory;
use crate::MemoryFile;
use crate::ops::sync::SyncedStore;
use cerberus_markdown::links::{self, Kind, Target};
use cerberus_model::EdgeType;
use cerberus_store::links as table;

/// Relations that must not form a cycle.
const ACYCLIC: &[EdgeType] = &[EdgeType::Supersedes, EdgeType::Extends, EdgeType::DependsOn];

/// Cycle of memories.
#[derive(Debug, Clone, Serialize)]
pub struct Cycle {
    pub(crate) relation: EdgeType,
    /// Ids in the order of the links; the first one is repeated at the end.
    pub(crate) ids: Vec<String>,
}

impl Cycle {
    /// Returns the warning about this cycle.
    pub fn warning(&self) -> String {
        let verb = match self.relation {
            EdgeType::DependsOn => " depends on ".to_owned(),
            other => format!(" {other} "),
        };
        let ids: Vec<String> = self.ids.iter().map(|id| format!("`{id}`")).collect();
        let effect = match self.relation {
            EdgeType::Supersedes => ", so none of them is hidden",
            _ => "",
        };
        format!("{}: a cycle{effect}", ids.join(&verb))
    }
}

/// Superseded memories of a bank.
#[derive(Debug, Clone, Default)]
pub struct Supersession {
    /// Id of each superseded memory, with the id of one that supersedes it.
    pub superseded: BTreeMap<String, String>,
    pub(crate) cycles: Vec<Cycle>,
}

impl Supersession {
    fn of(graph: &Graph) -> Self {
        let mut scc_of: BTreeMap<&str, usize> = BTreeMap::new();
        for (scc_idx, scc) in cycles::sccs(graph).into_iter().enumerate() {
            scc_of.extend(scc.into_iter().map(|id| (id, scc_idx)));
        }
        let mut superseded = BTreeMap::new();
        for (source, targets) in graph {
            for target in targets {
                let scc = scc_of.get(source.as_str());
                if scc.is_none() || scc != scc_of.get(target.as_str()) {
                    superseded.entry(target.clone()).or_insert_with(|| source.clone());
                }
            }
        }
        Self { superseded, cycles: cycles_of(graph, EdgeType::Supersedes) }
    }

    /// Returns a warning for each cycle.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.cycles.iter().map(Cycle::warning).collect()
    }
}

/// Returns the superseded memories. Search results omit them unless the user asks for them.
pub fn supersession(synced: &SyncedStore) -> Result<Supersession> {
    Ok(Supersession::of(&graph(synced, EdgeType::Supersedes)?))
}

/// Returns the id of each superseded memory, with the id of one that supersedes it, from memories
/// that were read before.
pub fn superseded(memories: &[MemoryFile]) -> BTreeMap<String, String> {
    let ids: FxHashSet<&str> = memories.iter().map(|it| it.memory.id.as_str()).collect();
    let mut graph = Graph::new();
    for MemoryFile { memory, text, .. } in memories {
        let listed = memory.links.iter().filter_map(|entry| links::parse_target(entry));
        let listed = listed.filter(|(_, relation)| *relation == Some(EdgeType::Supersedes));
        let mut targets: Vec<Target> = listed.map(|(target, _)| target).collect();
        if memory.body.contains("[[") {
            let found = links::parse(text).into_iter();
            let found = found.filter(|link| link.relation == EdgeType::Supersedes);
            targets.extend(found.map(|link| link.target));
        }
        targets.retain(|target| target.kind != Kind::Url && ids.contains(&*target.name));
        if !targets.is_empty() {
            let targets = targets.into_iter().map(|target| target.name);
            graph.entry(memory.id.clone()).or_default().extend(targets);
        }
    }
    Supersession::of(&graph).superseded
}

/// Returns the cycles of all relations that must not form one.
pub(super) fn all_cycles(synced: &SyncedStore) -> Result<Vec<Cycle>> {
    let mut found = Vec::new();
    for &relation in ACYCLIC {
        found.extend(cycles_of(&graph(synced, relation)?, relation));
    }
    Ok(found)
}

fn cycles_of(graph: &Graph, relation: EdgeType) -> Vec<Cycle> {
    cycles::cycles(graph).into_iter().map(|ids| Cycle { relation, ids }).collect()
}

/// Returns the links of one relation between existing memories.
fn graph(synced: &SyncedStore, relation: EdgeType) -> Result<Graph> {
    let mut graph = Graph::new();
    for (source, target) in table::with_relation(synced.store.reader(), relation)? {
        if let Some(target) = resolve_memory(synced, &target)? {
            graph.entry(source).or_default().insert(target);
        }
    }
    Ok(graph)
}
