//! Memories that other memories supersede.
//!
//! Memories that supersede each other in a cycle do not hide each other, because it is unknown which of
//! them is current.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use cerberus_markdown::links::{self, Kind, Target};
use cerberus_model::EdgeType;
use cerberus_store::links as table;
use rustc_hash::FxHashSet;

use super::resolve_memory;
use crate::MemoryFile;
use crate::ops::sync::SyncedStore;

/// The ids that each memory supersedes.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// Superseded memories of a bank.
#[derive(Debug, Clone, Default)]
pub struct Supersession {
    /// Id of each superseded memory, with the id of one that supersedes it.
    pub superseded: BTreeMap<String, String>,
    /// About memories in cycles.
    pub(crate) warning: Option<String>,
}

impl Supersession {
    fn of(graph: &Graph) -> Self {
        let in_cycle = in_cycles(graph);
        let pairs = graph
            .iter()
            .flat_map(|(source, all)| all.iter().map(move |it| (source, it)));
        let mut superseded = BTreeMap::new();
        for (source, target) in pairs {
            if !(in_cycle.contains(&**source) && in_cycle.contains(&**target)) {
                superseded
                    .entry(target.clone())
                    .or_insert_with(|| source.clone());
            }
        }
        let ids: Vec<String> = in_cycle.iter().map(|id| format!("`{id}`")).collect();
        let warning = (!ids.is_empty()).then(|| {
            format!(
                "{} supersede each other in a cycle, so none of them is hidden",
                ids.join(", ")
            )
        });
        Self {
            superseded,
            warning,
        }
    }
}

/// Returns the memories that are in a cycle, or between two. The others are removed one by one: those
/// that supersede nothing that is left, and those that nothing that is left supersedes.
fn in_cycles(graph: &Graph) -> BTreeSet<&str> {
    let mut neighbours: BTreeMap<&str, [BTreeSet<&str>; 2]> = BTreeMap::new();
    for (source, targets) in graph {
        for target in targets {
            neighbours.entry(source).or_default()[0].insert(target);
            neighbours.entry(target).or_default()[1].insert(source);
        }
    }
    let is_end = |sides: &[BTreeSet<&str>; 2]| sides.iter().any(BTreeSet::is_empty);
    let ends = neighbours.iter().filter(|(_, sides)| is_end(sides));
    let mut ends: Vec<&str> = ends.map(|(id, _)| *id).collect();
    while let Some(id) = ends.pop() {
        let [targets, sources] = neighbours.remove(id).unwrap_or_default();
        for (others, side) in [(targets, 1), (sources, 0)] {
            for other in others {
                let Some(sides) = neighbours.get_mut(other) else {
                    continue;
                };
                let was_end = is_end(sides);
                sides[side].remove(id);
                ends.extend((!was_end && is_end(sides)).then_some(other));
            }
        }
    }
    neighbours.into_keys().collect()
}

/// Returns the superseded memories. Search results omit them unless the user asks for them.
pub fn supersession(synced: &SyncedStore) -> Result<Supersession> {
    let mut graph = Graph::new();
    for (source, target) in table::with_relation(synced.store.reader(), EdgeType::Supersedes)? {
        if let Some(target) = resolve_memory(synced, &target)? {
            graph.entry(source).or_default().insert(target);
        }
    }
    Ok(Supersession::of(&graph))
}

/// Returns the id of each superseded memory, with the id of one that supersedes it, from memories
/// that were read before.
pub fn superseded(memories: &[MemoryFile]) -> BTreeMap<String, String> {
    let ids: FxHashSet<&str> = memories.iter().map(|it| it.memory.id.as_str()).collect();
    let mut graph = Graph::new();
    for MemoryFile { memory, text, .. } in memories {
        let listed = memory
            .links
            .iter()
            .filter_map(|entry| links::parse_target(entry));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &str) -> Graph {
        let mut graph = Graph::new();
        for edge in edges.split_whitespace() {
            let (source, target) = edge.split_once('>').expect("an edge");
            graph
                .entry(source.to_owned())
                .or_default()
                .insert(target.to_owned());
        }
        graph
    }

    #[test]
    fn memories_of_a_cycle_are_not_hidden_by_each_other() {
        for (edges, hidden, in_cycle) in [
            ("", "", ""),
            ("a>b b>c a>c", "b c", ""),
            ("a>a", "", "a"),
            ("a>b b>a", "", "a b"),
            ("x>b b>c c>d d>b c>y", "b y", "b c d"),
            ("a>b b>a c>d d>c", "", "a b c d"),
        ] {
            let graph = graph(edges);
            let found = Supersession::of(&graph);
            let ids: Vec<&str> = found.superseded.keys().map(String::as_str).collect();
            assert_eq!(ids.join(" "), hidden, "{edges}");
            assert_eq!(
                Vec::from_iter(in_cycles(&graph)).join(" "),
                in_cycle,
                "{edges}"
            );
            assert_eq!(found.warning.is_some(), !in_cycle.is_empty(), "{edges}");
        }
    }

    #[test]
    fn a_long_chain_takes_linear_time() {
        let edges = (0..50_000)
            .map(|n| format!("{n:06}>{:06} ", n + 1))
            .collect::<String>();
        assert_eq!(Supersession::of(&graph(&edges)).superseded.len(), 50_000);
    }
}
