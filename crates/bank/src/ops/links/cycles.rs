//! Cycles of relations: memories that supersede, extend or depend on each other.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;

/// Targets of each source node.
pub(super) type Graph = BTreeMap<String, BTreeSet<String>>;

/// Returns a shortest cycle of each strongly connected component, sorted. A cycle starts and ends
/// with the first node of its component.
pub(super) fn cycles(graph: &Graph) -> Vec<Vec<String>> {
    sccs(graph).iter().filter_map(|scc| cycle(graph, scc)).collect()
}

/// Returns the strongly connected components that contain a cycle, sorted.
pub(super) fn sccs(graph: &Graph) -> Vec<BTreeSet<&str>> {
    let mut indexed = DiGraph::<&str, ()>::new();
    let mut indices = BTreeMap::new();
    for (source, targets) in graph {
        for target in targets {
            let [source, target] = [source.as_str(), target.as_str()]
                .map(|node| *indices.entry(node).or_insert_with(|| indexed.add_node(node)));
            indexed.add_edge(source, target, ());
        }
    }
    let links_to_itself = |node: &&str| graph.get(*node).is_some_and(|it| it.contains(*node));
    // petgraph's `tarjan_scc` is recursive: a long chain of memories would overflow the stack.
    let mut found: Vec<BTreeSet<&str>> = kosaraju_scc(&indexed)
        .into_iter()
        .map(|scc| scc.into_iter().map(|node| indexed[node]).collect())
        .filter(|scc: &BTreeSet<&str>| scc.len() > 1 || scc.iter().any(links_to_itself))
        .collect();
    found.sort();
    found
}

/// Returns a shortest cycle through the first node of a component, with that node at both ends.
fn cycle(graph: &Graph, scc: &BTreeSet<&str>) -> Option<Vec<String>> {
    let first = *scc.first()?;
    let mut previous: BTreeMap<&str, &str> = BTreeMap::new();
    let mut queue = VecDeque::from([first]);
    while let Some(node) = queue.pop_front() {
        for next in graph.get(node).into_iter().flatten().filter(|it| scc.contains(it.as_str())) {
            if next == first {
                let mut cycle = vec![first.to_owned(), node.to_owned()];
                let mut current = node;
                while current != first {
                    current = previous.get(current)?;
                    cycle.push(current.to_owned());
                }
                cycle.reverse();
                return Some(cycle);
            }
            if !previous.contains_key(next.as_str()) {
                previous.insert(next, node);
                queue.push_back(next);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(edges: &str, expected: &str) {
        let mut graph = Graph::new();
        for edge in edges.split_whitespace() {
            let (source, target) = edge.split_once('>').expect("an edge");
            graph.entry(source.to_owned()).or_default().insert(target.to_owned());
        }
        let found: Vec<String> = cycles(&graph).iter().map(|cycle| cycle.join(">")).collect();
        assert_eq!(found.join(" "), expected, "{edges}");
    }

    #[test]
    fn each_component_yields_one_cycle() {
        check("", "");
        check("a>b b>c a>c", "");
        check("a>a", "a>a");
        check("a>b b>a", "a>b>a");
        check("x>b b>c c>d d>b c>y", "b>c>d>b");
        check("a>b b>a c>d d>c b>c", "a>b>a c>d>c");
        check("a>b b>c c>a b>a", "a>b>a");
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        let graph: Graph = (0..50_000)
            .map(|n| (format!("{n:06}"), BTreeSet::from([format!("{:06}", n + 1)])))
            .collect();
        assert!(cycles(&graph).is_empty());
    }
}
