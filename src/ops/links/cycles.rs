//! Cycles among relations: memories that supersede, extend or need each other in a ring.

use std::collections::{BTreeMap, BTreeSet};

/// Edges by their sources, each once.
pub(super) type Graph = BTreeMap<String, BTreeSet<String>>;

/// Returns one ring for each knot of nodes that reach each other, from its first node
/// on, ordered; every node stands in one at most.
pub(super) fn cycles(graph: &Graph) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = Vec::new();
    for knot in knots(graph) {
        found.extend(knot.first().and_then(|first| ring(graph, first, &knot)));
    }
    found
}

/// Returns the sets of nodes that reach each other: those of several nodes, and those of
/// one node that points at itself.
pub(super) fn knots(graph: &Graph) -> Vec<BTreeSet<String>> {
    let mut back: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in graph {
        for to in to {
            back.entry(to).or_default().push(from);
        }
    }
    let forward = |node: &str| -> Vec<&str> {
        graph.get(node).into_iter().flatten().map(String::as_str).collect()
    };
    // Kosaraju: nodes in the order in which they are left, then backwards from the last.
    let mut left = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for start in graph.keys() {
        let mut path = vec![(start.as_str(), false)];
        while let Some((node, is_done)) = path.pop() {
            if is_done {
                left.push(node);
            } else if seen.insert(node) {
                path.push((node, true));
                path.extend(forward(node).into_iter().map(|next| (next, false)));
            }
        }
    }
    let mut taken: BTreeSet<&str> = BTreeSet::new();
    let mut found = Vec::new();
    for start in left.into_iter().rev() {
        let (mut knot, mut open) = (BTreeSet::new(), vec![start]);
        while let Some(node) = open.pop() {
            if taken.insert(node) {
                knot.insert(node.to_owned());
                open.extend(back.get(node).into_iter().flatten());
            }
        }
        let points_at_itself = |node: &String| graph.get(node).is_some_and(|to| to.contains(node));
        if knot.len() > 1 || knot.iter().any(points_at_itself) {
            found.push(knot);
        }
    }
    found.sort();
    found
}

/// Returns the shortest way from a node of a knot back to it, the node at both ends.
fn ring(graph: &Graph, first: &str, knot: &BTreeSet<String>) -> Option<Vec<String>> {
    let mut from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut open = std::collections::VecDeque::from([first]);
    while let Some(node) = open.pop_front() {
        for next in graph.get(node).into_iter().flatten().filter(|next| knot.contains(*next)) {
            if next == first {
                let mut ring = vec![first.to_owned(), node.to_owned()];
                let mut at = node;
                while at != first {
                    at = from.get(at)?;
                    ring.push(at.to_owned());
                }
                ring.reverse();
                return Some(ring);
            }
            if !from.contains_key(next.as_str()) {
                from.insert(next, node);
                open.push_back(next);
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
            let (from, to) = edge.split_once('>').expect("an edge");
            graph.entry(from.to_owned()).or_default().insert(to.to_owned());
        }
        let found: Vec<String> = cycles(&graph).iter().map(|ring| ring.join(">")).collect();
        assert_eq!(found.join(" "), expected, "{edges}");
    }

    #[test]
    fn rings_are_found_once_each() {
        check("", "");
        check("a>b b>c a>c", "");
        check("a>a", "a>a");
        check("a>b b>a", "a>b>a");
        check("x>b b>c c>d d>b c>y", "b>c>d>b");
        check("a>b b>a c>d d>c b>c", "a>b>a c>d>c");
        check("a>b b>c c>a b>a", "a>b>a");
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let graph: Graph = (0..50_000)
            .map(|n| (format!("{n:06}"), BTreeSet::from([format!("{:06}", n + 1)])))
            .collect();
        assert!(cycles(&graph).is_empty());
    }
}
