//! The commit at which something ended.
//!
//! What was there at an old commit and is not at HEAD ended somewhere on the first-parent history
//! between them, which a bisection finds by looking at a dozen commits. If that commit is a merge,
//! the search continues in the merged branch.

use std::collections::BTreeSet;
use std::path::Path;

use rustc_hash::FxHashMap;

use crate::tree::git::past::{self, Node};

/// Maximum number of merges inside merges.
const MAX_DEPTH: usize = 6;

/// The history of HEAD.
pub(super) struct Ends<'r> {
    root: &'r Path,
    /// The first-parent history, newest first.
    main: Vec<Node>,
    positions: FxHashMap<String, usize>,
}

impl<'r> Ends<'r> {
    /// Reads the first-parent history of `head` back to all of the `wanted` commits.
    pub(super) fn new(root: &'r Path, head: &str, wanted: &BTreeSet<&str>) -> Self {
        let main = past::first_parents(root, head, None, wanted);
        let positions = main.iter().enumerate().map(|(idx, node)| (node.id.clone(), idx)).collect();
        Self { root, main, positions }
    }

    /// Returns the commit after `since` before which something was there and in which it is not, or
    /// `None` if it is at HEAD. It was there at `since`.
    pub(super) fn find(&self, since: &str, is_there: &mut dyn FnMut(&str) -> bool) -> Option<Node> {
        let head = self.main.first()?;
        if is_there(&head.id) {
            return None;
        }
        let mut found = match self.positions.get(since) {
            Some(&position) => bisect(&self.main[..position], is_there)?.clone(),
            None => self.on_branch(since, is_there)?,
        };
        for _ in 0..MAX_DEPTH {
            // The branch that a merge brought may have removed it.
            let [first, second, ..] = &found.parents[..] else { break };
            let Some(base) = past::merge_base(self.root, first, second) else { break };
            if is_there(second) || !is_there(&base) {
                break;
            }
            let branch = past::first_parents(self.root, second, Some(&base), &BTreeSet::new());
            match bisect(&branch, is_there) {
                Some(inner) => found = inner.clone(),
                None => break,
            }
        }
        Some(found)
    }

    /// Like [`Self::find`], for a commit of a branch that was merged later.
    fn on_branch(&self, since: &str, is_there: &mut dyn FnMut(&str) -> bool) -> Option<Node> {
        let after = past::descendants(self.root, since);
        let position = self.main.iter().rposition(|node| after.contains(&node.id))?;
        let merge = &self.main[position];
        if is_there(&merge.id) {
            return bisect(&self.main[..position], is_there).cloned();
        }
        let first = merge.parents.first()?;
        // The mainline removed it while the branch still had it, or the branch did.
        let base = past::merge_base(self.root, first, since)?;
        if !is_there(first) && is_there(&base) {
            let mainline = past::first_parents(self.root, first, Some(&base), &BTreeSet::new());
            return bisect(&mainline, is_there).cloned();
        }
        let second = merge.parents.get(1)?;
        let branch = past::first_parents(self.root, second, Some(since), &BTreeSet::new());
        if is_there(second) {
            return Some(merge.clone());
        }
        bisect(&branch, is_there).cloned()
    }
}

/// Returns the oldest commit of a chain, newest first, after which something is not there. It was
/// there before the chain, and is not in its first commit.
fn bisect<'c>(chain: &'c [Node], is_there: &mut dyn FnMut(&str) -> bool) -> Option<&'c Node> {
    let (mut without, mut with) = (0, chain.len());
    while with - without > 1 {
        let middle = without + (with - without) / 2;
        if is_there(&chain[middle].id) {
            with = middle;
        } else {
            without = middle;
        }
    }
    chain.get(without)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bisection_finds_the_commit_that_removed_it() {
        for n_commits in 1..20 {
            for removing in 0..n_commits {
                let node = |idx: usize| Node { id: idx.to_string(), parents: Vec::new() };
                let chain: Vec<Node> = (0..n_commits).map(node).collect();
                let mut is_there = |id: &str| id.parse::<usize>().is_ok_and(|id| id > removing);
                let found = bisect(&chain, &mut is_there).map(|node| node.id.clone());
                assert_eq!(found, Some(removing.to_string()), "{n_commits}");
            }
        }
    }
}
