//! The commit at which something ended.
//!
//! What was there at an old commit and is not at HEAD ended somewhere on a path of commits between
//! them, which a bisection finds by looking at a dozen of them. If that commit is a merge, the
//! search continues in the history that it merged.

use std::path::Path;
use std::rc::Rc;

use cerberus_engine::tree::git::past::{Graph, Node};
use rustc_hash::FxHashMap;

/// Maximum number of merges inside merges.
const MAX_DEPTH: usize = 20;

/// The history of HEAD.
pub(super) struct MainLine {
    graph: Graph,
    /// The history of first parents, newest first.
    nodes: Vec<Node>,
    positions: FxHashMap<String, usize>,
}

impl MainLine {
    /// Reads the history of `head`.
    pub(super) fn read(root: &Path, head: &str) -> Self {
        let graph = Graph::read(root, head);
        let nodes = graph.first_parents();
        let positions = nodes
            .iter()
            .enumerate()
            .map(|(idx, node)| (node.id.clone(), idx))
            .collect();
        Self {
            graph,
            nodes,
            positions,
        }
    }
}

/// Finds where something ended.
pub(super) struct Ends<'r> {
    main: &'r MainLine,
    /// The paths from a commit to another one, newest first.
    paths: FxHashMap<(String, String), Rc<[Node]>>,
}

impl<'r> Ends<'r> {
    pub(super) fn new(main: &'r MainLine) -> Self {
        Self {
            main,
            paths: FxHashMap::default(),
        }
    }

    /// Returns the commit after `since` before which something was there and in which it is not, or
    /// `None` if it is at HEAD. It was there at `since`.
    pub(super) fn find(
        &mut self,
        since: &str,
        is_there: &mut dyn FnMut(&str) -> bool,
    ) -> Option<Node> {
        let head = self.main.nodes.first()?.id.clone();
        if is_there(&head) {
            return None;
        }
        let (mut found, mut older) = match self.main.positions.get(since) {
            Some(&position) => Self::on(&self.main.nodes[..position], since, is_there)?,
            None => Self::on(&self.path(since, &head), since, is_there)?,
        };
        for _ in 0..MAX_DEPTH {
            let mut others = found.parents.iter().filter(|id| **id != older);
            let Some(other) = others.find(|id| !is_there(id)) else {
                break;
            };
            let Some(base) = self.main.graph.merge_base(&older, other) else {
                break;
            };
            if !is_there(&base) {
                break;
            }
            let path = self.path(&base, other);
            let Some(inner) = Self::on(&path, &base, is_there) else {
                break;
            };
            (found, older) = inner;
        }
        Some(found)
    }

    /// Returns the commits that lead from one to another.
    fn path(&mut self, from: &str, to: &str) -> Rc<[Node]> {
        let path = self.paths.entry((from.to_owned(), to.to_owned()));
        path.or_insert_with(|| self.main.graph.path(from, to).into())
            .clone()
    }

    /// Returns the commit of a path from `since` that ended something, and the one before it.
    fn on(
        path: &[Node],
        since: &str,
        is_there: &mut dyn FnMut(&str) -> bool,
    ) -> Option<(Node, String)> {
        let position = bisect(path, is_there)?;
        let older = path
            .get(position + 1)
            .map_or(since, |node| node.id.as_str());
        Some((path[position].clone(), older.to_owned()))
    }
}

/// Returns the position of a commit of a path, newest first, after which something is not there. It
/// was there before the path, and is not in its first commit.
fn bisect(chain: &[Node], is_there: &mut dyn FnMut(&str) -> bool) -> Option<usize> {
    let (mut without, mut with) = (0, chain.len());
    while with - without > 1 {
        let middle = without + (with - without) / 2;
        if is_there(&chain[middle].id) {
            with = middle;
        } else {
            without = middle;
        }
    }
    (!chain.is_empty()).then_some(without)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bisection_finds_the_commit_that_removed_it() {
        for n_commits in 1..20 {
            for removing in 0..n_commits {
                let node = |idx: usize| Node {
                    id: idx.to_string(),
                    parents: Vec::new(),
                };
                let chain: Vec<Node> = (0..n_commits).map(node).collect();
                let mut is_there = |id: &str| id.parse::<usize>().is_ok_and(|id| id > removing);
                assert_eq!(bisect(&chain, &mut is_there), Some(removing), "{n_commits}");
            }
        }
    }
}
