//! The commits of the history of HEAD with their parents.
//!
//! One `rev-list` lists them all. Questions about the order of commits are answered from the list.

use std::path::Path;

use super::process::Git;

/// A commit with its parents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    pub id: String,
    pub parents: Vec<String>,
}

/// The history of a commit. A position is that of a commit in the list, where no commit comes before a child.
#[derive(Debug, Default)]
pub struct Graph {
    /// Lines with the time of a commit, its id and those of its parents.
    text: String,
    commits: Vec<Listed>,
    /// The positions, sorted by the ids.
    sorted: Vec<u32>,
}

/// A commit in the list.
#[derive(Debug)]
struct Listed {
    seconds: i64,
    /// Where its id starts in the text, and where it ends. The parents are behind it.
    start: usize,
    end: usize,
}

/// The marks of a commit in the search for the last common one.
const OF_FIRST: u8 = 1;
const OF_SECOND: u8 = 2;
const OF_BOTH: u8 = OF_FIRST | OF_SECOND;
/// It is in the history of a common commit.
const OLDER: u8 = 4;

impl Graph {
    /// Reads the history of a commit. It is empty if git fails.
    pub fn read(root: &Path, head: &str) -> Self {
        let args = ["rev-list", "--topo-order", "--parents", "--timestamp", head];
        let git = Git::for_history(root, &args);
        Self::new(git.and_then(Git::text).unwrap_or_default())
    }

    fn new(text: String) -> Self {
        let mut commits = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let mut fields = line.trim_end().split(' ');
            let time = fields.next().unwrap_or_default();
            let id = fields.next().unwrap_or_default();
            let id_start = start + line.len().min(time.len() + 1);
            commits.push(Listed {
                seconds: time.parse().unwrap_or(0),
                start: id_start,
                end: id_start + id.len(),
            });
            start += line.len();
        }
        let mut graph = Self {
            text,
            commits,
            sorted: Vec::new(),
        };
        let mut sorted: Vec<u32> = (0..graph.commits.len() as u32).collect();
        sorted.sort_unstable_by_key(|position| graph.id(*position as usize));
        graph.sorted = sorted;
        graph
    }

    fn id(&self, position: usize) -> &str {
        let commit = &self.commits[position];
        &self.text[commit.start..commit.end]
    }

    /// Returns the ids of the parents of a commit.
    fn parent_ids(&self, position: usize) -> impl Iterator<Item = &str> {
        let rest = &self.text[self.commits[position].end..];
        let line = rest.lines().next().unwrap_or_default();
        line.split(' ').filter(|id| !id.is_empty())
    }

    fn position(&self, id: &str) -> Option<usize> {
        let known = |position: &u32| self.id(*position as usize);
        let idx = self.sorted.binary_search_by_key(&id, known).ok()?;
        Some(self.sorted[idx] as usize)
    }

    fn parents(&self, position: usize) -> impl Iterator<Item = usize> {
        self.parent_ids(position).filter_map(|id| self.position(id))
    }

    fn node(&self, position: usize) -> Node {
        Node {
            id: self.id(position).to_owned(),
            parents: self.parent_ids(position).map(str::to_owned).collect(),
        }
    }

    /// Returns the history of first parents, newest first.
    pub fn first_parents(&self) -> Vec<Node> {
        let mut found = Vec::new();
        let mut next = (!self.commits.is_empty()).then_some(0);
        while let Some(position) = next {
            found.push(self.node(position));
            let first = self.parent_ids(position).next();
            next = first.and_then(|id| self.position(id));
        }
        found
    }

    /// Returns commits that lead from an ancestor to a commit, newest first, without the ancestor. Each
    /// is a child of the next one, and the last is a child of the ancestor.
    pub fn path(&self, ancestor: &str, commit: &str) -> Vec<Node> {
        let (Some(end), Some(start)) = (self.position(ancestor), self.position(commit)) else {
            return Vec::new();
        };
        // A descendant comes before its ancestor.
        if start >= end {
            return Vec::new();
        }
        let mut leads = vec![false; end - start + 1];
        leads[end - start] = true;
        for position in (start..end).rev() {
            let mut parents = self.parents(position);
            leads[position - start] = parents.any(|parent| parent <= end && leads[parent - start]);
        }
        let mut found = Vec::new();
        let mut next = leads[0].then_some(start);
        while let Some(position) = next {
            found.push(self.node(position));
            if self.parents(position).any(|parent| parent == end) {
                break;
            }
            let mut parents = self.parents(position);
            next = parents.find(|parent| *parent < end && leads[parent - start]);
        }
        found
    }

    /// Returns the last common commit of two.
    pub fn merge_base(&self, a: &str, b: &str) -> Option<String> {
        let (first, second) = (self.position(a)?, self.position(b)?);
        let start = first.min(second);
        let mut known = vec![0; self.commits.len() - start];
        known[first - start] |= OF_FIRST;
        known[second - start] |= OF_SECOND;
        let mut n_open = if first == second { 1 } else { 2 };
        let mut best: Option<usize> = None;
        for position in start..self.commits.len() {
            if n_open == 0 {
                break;
            }
            let mut own = known[position - start];
            if own == 0 {
                continue;
            }
            if own & OLDER == 0 {
                n_open -= 1;
            }
            if own == OF_BOTH {
                let is_later =
                    |best: usize| self.commits[position].seconds > self.commits[best].seconds;
                if best.is_none_or(is_later) {
                    best = Some(position);
                }
                own |= OLDER;
            }
            for parent in self.parents(position) {
                let of_parent = &mut known[parent - start];
                let was_open = *of_parent != 0 && *of_parent & OLDER == 0;
                *of_parent |= own;
                let is_open = *of_parent & OLDER == 0;
                n_open += usize::from(is_open);
                n_open -= usize::from(was_open);
            }
        }
        best.map(|position| self.id(position).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two branches, `b` and `c`, of which each was merged into the other, and a later merge of both.
    const LISTED: &str = "9 h f g\n8 f d e\n7 g e d\n6 d b\n5 e c\n4 b a\n3 c a\n2 a\n";

    #[test]
    fn the_history_of_first_parents_ends_at_the_first_commit() {
        let graph = Graph::new(LISTED.to_owned());
        let ids: Vec<String> = graph.first_parents().into_iter().map(|it| it.id).collect();
        assert_eq!(ids, ["h", "f", "d", "b", "a"]);
        assert_eq!(Graph::new(String::new()).first_parents(), []);
    }

    #[test]
    fn a_path_leads_to_a_child_of_the_ancestor() {
        let graph = Graph::new(LISTED.to_owned());
        let check = |ancestor: &str, commit: &str, expected: &[&str]| {
            let path = graph.path(ancestor, commit);
            let ids: Vec<&str> = path.iter().map(|node| node.id.as_str()).collect();
            assert_eq!(ids, expected, "{ancestor}..{commit}");
        };
        check("c", "h", &["h", "f", "e"]);
        check("a", "d", &["d", "b"]);
        check("b", "g", &["g", "d"]);
        check("e", "d", &[]);
        check("h", "a", &[]);
        check("a", "a", &[]);
        check("x", "h", &[]);
    }

    #[test]
    fn the_last_common_commit_is_no_ancestor_of_another_one() {
        let graph = Graph::new(LISTED.to_owned());
        let check = |a: &str, b: &str, expected: Option<&str>| {
            assert_eq!(graph.merge_base(a, b).as_deref(), expected, "{a} {b}");
        };
        check("d", "e", Some("a"));
        check("f", "g", Some("d"));
        check("h", "c", Some("c"));
        check("d", "d", Some("d"));
        check("f", "c", Some("c"));
        check("x", "d", None);
        let graph = Graph::new("2 b\n1 a\n".to_owned());
        assert_eq!(graph.merge_base("a", "b"), None);
    }
}
