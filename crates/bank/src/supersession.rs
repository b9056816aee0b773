//! Memories that other memories supersede.
//!
//! Memories that supersede each other in a cycle do not hide each other, because it is unknown which of
//! them is current.

use std::collections::{BTreeMap, BTreeSet};

use cerberus_markdown::links::{self, Kind, Target};
use cerberus_model::EdgeType;
use rustc_hash::FxHashSet;

use crate::MemoryFile;

/// The ids that each memory supersedes.
pub(crate) type Graph = BTreeMap<String, BTreeSet<String>>;

/// Superseded memories of a bank.
#[derive(Debug, Clone, Default)]
pub struct Supersession {
    /// Id of each superseded memory, with the id of one that supersedes it.
    pub superseded: BTreeMap<String, String>,
    /// About memories in cycles.
    pub(crate) warning: Option<String>,
}

impl Supersession {
    pub(crate) fn of(graph: &Graph) -> Self {
        let in_cycle = in_cycles(graph);
        let mut superseded = BTreeMap::new();
        for (source, targets) in graph {
            for target in targets {
                if in_cycle.contains(&**source) && in_cycle.contains(&**target) {
                    continue;
                }
                let entry = superseded.entry(target.clone());
                entry.or_insert_with(|| source.clone());
            }
        }
        let mut warning = None;
        if !in_cycle.is_empty() {
            let ids: Vec<String> = in_cycle.iter().map(|id| format!("`{id}`")).collect();
            warning = Some(format!(
                "{} supersede each other in a cycle, so none of them is hidden",
                ids.join(", ")
            ));
        }
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
    let mut ends: Vec<&str> = Vec::new();
    for (id, sides) in &neighbours {
        if is_end(sides) {
            ends.push(id);
        }
    }
    while let Some(id) = ends.pop() {
        let [targets, sources] = neighbours.remove(id).unwrap_or_default();
        for (others, side) in [(targets, 1), (sources, 0)] {
            for other in others {
                let Some(sides) = neighbours.get_mut(other) else {
                    continue;
                };
                let was_end = is_end(sides);
                sides[side].remove(id);
                if !was_end && is_end(sides) {
                    ends.push(other);
                }
            }
        }
    }
    neighbours.into_keys().collect()
}

/// Returns whether a memory supersedes nothing or is not superseded.
fn is_end(sides: &[BTreeSet<&str>; 2]) -> bool {
    sides.iter().any(BTreeSet::is_empty)
}

/// Returns the id of each superseded memory, with the id of one that supersedes it, from memories
/// that were read before.
pub(crate) fn superseded(memories: &[MemoryFile]) -> BTreeMap<String, String> {
    let stored = memories.iter();
    let ids: FxHashSet<&str> = stored.map(|stored| stored.memory.id.as_str()).collect();
    let mut graph = Graph::new();
    for stored in memories {
        for target in superseded_targets(stored) {
            if target.kind != Kind::Url && ids.contains(&*target.name) {
                let targets = graph.entry(stored.memory.id.clone()).or_default();
                targets.insert(target.name);
            }
        }
    }
    Supersession::of(&graph).superseded
}

/// Returns the targets of the links of a memory that say that it supersedes them.
fn superseded_targets(stored: &MemoryFile) -> Vec<Target> {
    let mut targets = Vec::new();
    for entry in &stored.memory.links {
        if let Some((target, Some(EdgeType::Supersedes))) = links::parse_target(entry) {
            targets.push(target);
        }
    }
    if stored.memory.body.contains("[[") {
        for link in links::parse(&stored.text) {
            if link.relation == EdgeType::Supersedes {
                targets.push(link.target);
            }
        }
    }
    targets
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
