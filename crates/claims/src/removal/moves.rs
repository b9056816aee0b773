//! Where commits moved paths.
//!
//! Git pairs the files that a commit removed with similar ones that it added. A pair is believed only
//! if the files share more than a leading comment or a few common lines, and if the new one is not a
//! copy: a wrong new place is worse than none.

use std::collections::BTreeMap;
use std::rc::Rc;

use cerberus_engine::tree::git::past;
use cerberus_engine::tree::git::past::Node;
use cerberus_model::text;
use rustc_hash::FxHashMap;

use super::super::versions::Version;
use super::{LIMITS, MAX_RENAMES, Search};
use crate::paths::folder_of;

/// Minimum number of lines below the leading comment that identify a file.
const MIN_LINES: usize = 5;

/// Maximum number of files beside a new path that are compared.
const MAX_BESIDE: usize = 100;

/// Whether the path of a file was given to other content.
enum Taken {
    No,
    /// The commit that moved another file there, and the new path of the first one.
    ByFile(Node, Option<String>),
    /// The commit that wrote other text there, and the path that has the first one.
    ByText(Node, String),
}

impl Search<'_, '_> {
    /// Follows a path to now. Returns the first commit that removed it, and its new path with
    /// whether it is certain.
    pub(super) fn follow_path(
        &mut self,
        since: &str,
        path: &str,
    ) -> (Option<Node>, Option<(String, bool)>) {
        let (mut since, mut at) = (since.to_owned(), path.to_owned());
        let (start, mut removed) = (since.clone(), None);
        let mut is_certain = true;
        for _ in 0..MAX_RENAMES {
            let (node, new) = match self.path_taken(&since, &at) {
                Taken::ByFile(node, None) => {
                    removed.get_or_insert(node);
                    return (removed, None);
                }
                Taken::ByFile(node, new) => (node, new),
                // Its text may have been copied before it was written anew.
                Taken::ByText(node, new) => {
                    is_certain = false;
                    (node, Some(new))
                }
                Taken::No if self.now.tree.contains(&at) => {
                    let place = self.is_as_committed(&at).then_some((at, is_certain));
                    return (removed, place);
                }
                Taken::No => {
                    let Some(node) = self.end_of_path(&since, &at) else {
                        break;
                    };
                    let new = self.renamed(&node.id, &at);
                    (node, new)
                }
            };
            since.clone_from(&node.id);
            removed.get_or_insert(node);
            let Some(new) = new else { break };
            at = new;
        }
        let copy = self.copy(&start, path).map(|path| (path, false));
        (removed, copy)
    }

    /// Returns the first commit after `since` that gave the path of a file to another file, with the new
    /// path of the first one.
    fn path_taken(&mut self, since: &str, path: &str) -> Taken {
        let mut since = since.to_owned();
        for _ in 0..MAX_RENAMES {
            let Some(first) = self.stored.version(&since, path) else {
                break;
            };
            let Some(node) = self.end_of_content(&since, path, &first) else {
                break;
            };
            if self.stored.id(&node.id, path).is_none() {
                // It was removed, which the caller looks for.
                break;
            }
            self.read_renames(&node.id);
            let exchanges = self.exchanges_in(&node.id);
            let new = self
                .same_content(&node.id, path)
                .or_else(|| exchanges.get(path).cloned())
                .filter(|new| self.is_moved(&node.id, path, new));
            let is_exchanged = exchanges.values().any(|other| other == path);
            if is_exchanged || self.has_content_of_other(&node.id, path) {
                return Taken::ByFile(node, new);
            }
            let is_removed = self.stored.version(&node.id, path).is_none();
            if let Some(new) = new.filter(|_| !is_removed) {
                return Taken::ByText(node, new);
            }
            // It was edited.
            since = node.id;
        }
        Taken::No
    }

    /// Returns whether a path has most of the lines in the working tree that it has at HEAD.
    fn is_as_committed(&mut self, path: &str) -> bool {
        let (Some(committed), Some(now)) = (
            self.stored.version("HEAD", path),
            self.stored.version_now(self.root, path),
        ) else {
            return true;
        };
        are_alike(&committed.text, &now.text)
    }

    /// Returns the commit after which a path has no longer most of the lines of a file.
    fn end_of_content(&mut self, since: &str, path: &str, first: &Version) -> Option<Node> {
        let Self { ends, stored, .. } = self;
        ends.find(since, &mut |commit| {
            let version = stored.version(commit, path);
            version.is_some_and(|version| are_alike(&first.text, &version.text))
        })
    }

    /// Returns whether a commit gave a path the content of another file, which has other content now.
    fn has_content_of_other(&mut self, commit: &str, path: &str) -> bool {
        let object = self.stored.id(commit, path).map(str::to_owned);
        object.is_some_and(|object| self.is_of_other(commit, path, &object))
    }

    fn end_of_path(&mut self, since: &str, path: &str) -> Option<Node> {
        let Self { ends, stored, .. } = self;
        ends.find(since, &mut |commit| stored.id(commit, path).is_some())
    }

    /// Returns where a commit moved a path, which may be a folder. Many claims name the same one.
    fn renamed(&mut self, commit: &str, path: &str) -> Option<String> {
        let key = (commit.to_owned(), path.to_owned());
        if let Some(known) = self.moved.get(&key) {
            return known.clone();
        }
        let new = self.moved_to(commit, path);
        self.moved.insert(key, new.clone());
        new
    }

    /// Returns the renames of a commit, with those to paths that other files had.
    fn exchanges_in(&mut self, commit: &str) -> Rc<BTreeMap<String, String>> {
        let exchanges = self.exchanges.entry(commit.to_owned());
        exchanges
            .or_insert_with(|| past::exchanges_of(self.root, commit).into())
            .clone()
    }

    /// Reads the renames of a commit, once.
    fn read_renames(&mut self, commit: &str) {
        if !self.renames.contains_key(commit) {
            let found = past::renames_of(self.root, commit);
            self.renames.insert(commit.to_owned(), found);
        }
    }

    fn moved_to(&mut self, commit: &str, path: &str) -> Option<String> {
        self.read_renames(commit);
        let renamed = self.renames[commit].get(path).cloned();
        if let Some(new) = self.same_content(commit, path).or(renamed) {
            return self.is_moved(commit, path, &new).then_some(new);
        }
        // A folder moved if most of its files moved to the same one.
        let prefix = format!("{path}/");
        let renames = self.renames[commit].range(prefix.clone()..);
        let within = renames.take_while(|(file, _)| file.starts_with(&prefix));
        let within: Vec<(String, String)> = within
            .map(|(file, new)| (file.clone(), new.clone()))
            .collect();
        let mut votes: BTreeMap<String, usize> = BTreeMap::new();
        for (idx, (file, renamed)) in within.into_iter().enumerate() {
            let exact = if idx < MAX_BESIDE {
                self.same_content(commit, &file)
            } else {
                None
            };
            let new = exact.unwrap_or(renamed);
            let folder = new.strip_suffix(&file[prefix.len()..]);
            if let Some(folder) = folder.and_then(|folder| folder.strip_suffix('/')) {
                *votes.entry(folder.to_owned()).or_default() += 1;
            }
        }
        let (folder, n_votes) = votes.into_iter().max_by_key(|(_, n_votes)| *n_votes)?;
        let n_files = past::n_files(self.root, &format!("{commit}^"), path);
        (n_votes * 2 > n_files).then_some(folder)
    }

    /// Returns the only file that has exactly the content of an old one after a commit that changed it. Git
    /// does not pair a removed file with one that was there: `a` and `b` became `b` and `c`.
    fn same_content(&mut self, commit: &str, path: &str) -> Option<String> {
        let changed = self.changed_in(commit);
        let old = self.stored.id(&format!("{commit}^"), path)?;
        let mut same = changed
            .iter()
            .filter(|entry| entry.object == old && entry.path != path);
        let found = same.next()?;
        same.next().is_none().then(|| found.path.clone())
    }

    /// Returns whether the content of a new file is that of another old one, whose path has other content.
    fn is_of_other(&mut self, commit: &str, old: &str, object: &str) -> bool {
        let changed = self.changed_in(commit);
        let parent = format!("{commit}^");
        let beside = changed.iter().filter(|entry| entry.path != old);
        for entry in beside.take(MAX_BESIDE) {
            if entry.object != object && self.stored.id(&parent, &entry.path) == Some(object) {
                return true;
            }
        }
        false
    }

    /// Returns whether a commit moved a file to the place that git names.
    fn is_moved(&mut self, commit: &str, old: &str, new: &str) -> bool {
        let before = self.stored.objects.find(&format!("{commit}^:./{old}"));
        let after = self.stored.objects.find(&format!("{commit}:./{new}"));
        let (Some(before), Some(after)) = (before, after) else {
            return true;
        };
        let (is_same, object) = (before.id == after.id, after.id);
        let (Some(before), Some(after)) = (before.bytes, after.bytes) else {
            return true;
        };
        let (before, after) = (text::decode(&before).0, text::decode(&after).0);
        if !is_same && self.is_of_other(commit, old, &object) {
            return false;
        }
        if !are_alike(&before, &after) {
            return false;
        }
        let (n_lines, mut n_shared) = shared_lines(&before, &after);
        if is_same && n_lines > 1 {
            // The comment of a file that is the same to the last byte is its own.
            n_shared = before.lines().filter(|line| has_words(line)).count();
        }
        let added = self.changed_in(commit);
        let now = self
            .now
            .tree
            .entries()
            .iter()
            .filter(|entry| entry.path != new);
        let n_same = added
            .iter()
            .chain(now)
            .filter(|entry| entry.object == object)
            .count();
        let is_specific = n_shared >= MIN_LINES && n_same < 2;
        (is_specific || self.has_company(commit, old, new)) && !self.is_copy(commit, old, new)
    }

    /// Returns whether a commit moved another file from one folder to the other.
    fn has_company(&self, commit: &str, old: &str, new: &str) -> bool {
        let (from, to) = (folder_of(old), folder_of(new));
        from == to
            || self.renames[commit].iter().any(|(other, other_new)| {
                other != old
                    && rest_of(other, from).is_some_and(|rest| rest_of(other_new, to) == Some(rest))
            })
    }

    /// Returns whether a commit copied the folder of a file and removed the file from it, as for
    /// the documents of a released version.
    fn is_copy(&mut self, commit: &str, old: &str, new: &str) -> bool {
        let (from, to) = common_folders(old, new);
        if from == to {
            return false;
        }
        let moved = self.renames[commit].iter().filter(|(old, new)| {
            rest_of(old, from).is_some_and(|rest| rest_of(new, to) == Some(rest))
        });
        let n_moved = moved.count();
        let added = self.changed_in(commit);
        let beside = added.iter().filter(|entry| entry.path != new);
        let beside = beside.filter_map(|it| Some((rest_of(&it.path, to)?, &it.object)));
        let mut n_copied = 0;
        for (rest, object) in beside.take(MAX_BESIDE) {
            let copied = self.stored.id(commit, &joined(from, rest));
            n_copied += usize::from(copied == Some(object.as_str()));
        }
        n_copied > n_moved
    }

    /// Returns the only file that has the content of an old one, if its folder is not a copy.
    fn copy(&mut self, commit: &str, path: &str) -> Option<String> {
        let found = self.stored.objects.find(&format!("{commit}:./{path}"))?;
        let text = text::decode(found.bytes.as_deref()?).0.into_owned();
        if shared_lines(&text, &text).0 < MIN_LINES {
            return None;
        }
        let tree = &self.now.tree;
        let mut same = tree
            .entries()
            .iter()
            .filter(|entry| entry.object == found.id);
        let first = same.next()?.path.clone();
        if same.next().is_some() {
            return None;
        }
        let (from, to) = common_folders(path, &first);
        let beside = tree.entries().iter().filter(|entry| entry.path != first);
        let rests: Vec<&str> = beside
            .filter_map(|entry| rest_of(&entry.path, to))
            .take(MAX_BESIDE)
            .collect();
        let n_in_both = rests
            .iter()
            .filter(|rest| tree.contains(&joined(from, rest)))
            .count();
        (from == to || n_in_both * 2 <= rests.len()).then_some(first)
    }
}

/// Returns whether two versions of a file have most of their lines below the leading comment in common.
fn are_alike(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    let (n_lines, n_shared) = shared_lines(a, b);
    n_shared as f64 >= LIMITS.shared_lines * n_lines as f64
}

/// Returns the number of lines below the leading comment of the larger one of two texts, and of
/// those that are in both.
fn shared_lines(a: &str, b: &str) -> (usize, usize) {
    let (a, b) = (lines_of(a), lines_of(b));
    let n_lines = a.len().max(b.len());
    let mut open: FxHashMap<&str, usize> = FxHashMap::default();
    for line in a {
        *open.entry(line).or_default() += 1;
    }
    let mut n_shared = 0;
    for line in b {
        if let Some(n_open) = open.get_mut(line).filter(|n_open| **n_open > 0) {
            *n_open -= 1;
            n_shared += 1;
        }
    }
    (n_lines, n_shared)
}

/// Returns the lines with letters below the comment with which a file begins.
fn lines_of(text: &str) -> Vec<&str> {
    let lines = || text.lines().map(str::trim);
    let is_comment = |line: &str| {
        // `#` starts a comment, a heading or a directive.
        let is_directive = ["#include", "#!["].iter().any(|it| line.starts_with(it));
        let is_marked = ["//", "# ", "/*", "*", "--", ";", "<!--"];
        line.is_empty()
            || line == "#"
            || (!is_directive && is_marked.iter().any(|it| line.starts_with(it)))
    };
    lines()
        .skip_while(|line| is_comment(line))
        .filter(|line| has_words(line))
        .collect()
}

fn has_words(line: &str) -> bool {
    line.contains(char::is_alphanumeric)
}

/// Returns the folders of two paths without the last parts that they share.
fn common_folders<'p>(old: &'p str, new: &'p str) -> (&'p str, &'p str) {
    let (mut from, mut to) = (folder_of(old), folder_of(new));
    let name = |folder: &'p str| folder.rsplit('/').next().filter(|name| !name.is_empty());
    while name(from).is_some() && name(from) == name(to) {
        (from, to) = (folder_of(from), folder_of(to));
    }
    (from, to)
}

/// Returns the path below a folder, if it is in it.
fn rest_of<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    if folder.is_empty() {
        Some(path)
    } else {
        path.strip_prefix(folder)?.strip_prefix('/')
    }
}

fn joined(folder: &str, rest: &str) -> String {
    if folder.is_empty() {
        rest.to_owned()
    } else {
        format!("{folder}/{rest}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_comments_are_not_shared_lines() {
        let licence = "// Copyright\n// Licence\n\n";
        let file = |rest: &str| format!("{licence}{rest}");
        assert_eq!(
            shared_lines(&file("a();\nb();\n}\n"), &file("c();\n")),
            (2, 0)
        );
        assert_eq!(
            shared_lines(&file("a();\nb();\n"), &file("b();\na();\nc();\n")),
            (3, 2)
        );
        assert_eq!(
            shared_lines("#include <a>\nx\n", "#include <a>\ny\n"),
            (2, 1)
        );
    }

    #[test]
    fn folders_are_compared_without_their_common_end() {
        assert_eq!(
            common_folders("docs/a/x.md", "old/v1/a/x.md"),
            ("docs", "old/v1")
        );
        assert_eq!(common_folders("docs/a/x.md", "old/a/y.md"), ("docs", "old"));
        assert_eq!(common_folders("x.md", "docs/x.md"), ("", "docs"));
        assert_eq!(common_folders("a/b/x.md", "a/c/y.md"), ("a/b", "a/c"));
    }
}
