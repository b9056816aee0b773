//! Which of the claims that fail now were true, and when.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cerberus_engine::tree::git;
use cerberus_engine::tree::git::past;
use cerberus_engine::tree::git::past::TreeEntry;
use cerberus_model::text;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::checker::Checker;
use crate::moved::{self, Differing, Start};
use crate::now::Now;
use crate::origin::{self, Moment, Place};
use crate::project::{Position, Project};
use crate::report::{GIT_FAILED, LACKING, SHALLOW, Verdict};
use crate::then::{Needs, OldTree, Past, Truth, Writer};
use crate::words::Words;
use crate::{gone, snapshot};

/// Maximum number of old commits whose trees are compared.
const MAX_TREES: usize = 1000;

/// A claim that fails now, with the moments at which it may have been true.
#[derive(Debug, Clone)]
pub(super) struct Open {
    pub(super) at: Position,
    pub(super) moments: Vec<Moment>,
    /// Where its text appears, which may have been in another document before.
    places: Vec<Place>,
    /// Whether the moments are those of another document, from which its text moved.
    has_moved: bool,
    /// Why other moments may be missing.
    gap: Option<&'static str>,
}

impl Open {
    /// Returns a claim with its moments, of which no place is known.
    fn new(at: Position, moments: Vec<Moment>) -> Self {
        Self {
            at,
            moments,
            places: Vec::new(),
            has_moved: false,
            gap: None,
        }
    }
}

/// A claim that was true.
pub(super) struct Former {
    pub(super) at: Position,
    /// The commit in whose tree it was.
    pub(super) commit: String,
    /// The commit that wrote its line, in whatever document it was then.
    pub(super) written: Moment,
    /// The commit that is reported: in whose tree it was, or an older one that wrote its text in another document.
    pub(super) first: String,
    pub(super) truth: Truth,
}

/// A claim that was true, or the verdict about one that was not.
pub(super) type Tried = Result<Former, Verdict>;

/// What the claims that fail are compared with.
pub(super) struct History<'h> {
    pub(super) head: &'h str,
    /// The revision since which claims became false, if only these count.
    pub(super) since: Option<&'h str>,
    /// The files of HEAD that the index or the working tree lacks or has in another version.
    pub(super) unsaved: Vec<Arc<TreeEntry>>,
    /// The trees of the moments of the claims.
    pub(super) trees: BTreeMap<String, OldTree>,
    /// The commits with too much code to read.
    omitted: BTreeSet<String>,
}

impl<'h> History<'h> {
    pub(super) fn new(head: &'h str, since: Option<&'h str>, unsaved: Vec<TreeEntry>) -> Self {
        let unsaved = unsaved.into_iter().map(Arc::new).collect();
        let (trees, omitted) = Default::default();
        Self {
            head,
            since,
            unsaved,
            trees,
            omitted,
        }
    }
}

/// Returns the files of HEAD that are not as it has them. `staged` are those that the index has not so.
pub(super) fn unsaved(now: &Now, staged: Vec<TreeEntry>) -> Vec<TreeEntry> {
    let mut unsaved = staged;
    unsaved.extend(now.modified.iter().cloned());
    unsaved.sort_by(|a, b| a.path.cmp(&b.path));
    unsaved.dedup_by(|a, b| a.path == b.path);
    unsaved
}

impl Checker<'_> {
    /// Returns the claims that were true, and decides the others.
    pub(super) fn former(
        &mut self,
        mut open: Vec<Open>,
        mut history: History<'_>,
        past: &mut Past<'_, '_>,
    ) -> Vec<Former> {
        // Claims that were written together are compared with the same files.
        open.sort_by(|a, b| a.moments.cmp(&b.moments));
        history.omitted = past.read_trees(self.project.root, &history.trees);
        let mut tried: Vec<(Position, Tried)> = Vec::with_capacity(open.len());
        for (n_tried, it) in open.iter().enumerate() {
            (self.progress)(n_tried, open.len());
            tried.push((it.at, self.tried(it, &mut history, past)));
        }
        self.try_moved(&open, &mut tried, &mut history, past);
        if !history.omitted.is_empty() {
            self.warn("too much code changed since some lines were written: names in them were not compared with their commits");
        }
        let gone = gone::find(self.project, &self.never_true(&tried, &history));
        let ignored = self.project.ignored(&tried);
        let mut former = Vec::new();
        for (at, tried) in tried {
            // What was ignored after it was tracked may be generated now.
            let may_be_generated = ignored.get(&at).is_some_and(|ignored| {
                !tried
                    .as_ref()
                    .is_ok_and(|former| past.was_ignored(ignored, &former.commit))
            });
            match tried {
                _ if may_be_generated => self.put(at, Verdict::Unknown("git ignores it")),
                Ok(found) => former.push(found),
                Err(verdict) => match gone.get(&at) {
                    Some(reason) => {
                        self.put(at, Verdict::mistaken(reason, self.added.contains(&at)))
                    }
                    None => self.put(at, verdict),
                },
            }
        }
        former.sort_by_key(|it| it.at);
        former
    }

    /// Returns the claims that were never true, on lines that the check is about.
    fn never_true(&self, tried: &[(Position, Tried)], history: &History<'_>) -> Vec<Position> {
        let mut found = Vec::new();
        for (at, tried) in tried {
            let is_never = matches!(tried, Err(Verdict::NeverTrue)) && !self.doubtful.contains(at);
            if is_never && (history.since.is_none() || self.added.contains(at)) {
                found.push(*at);
            }
        }
        found
    }

    /// Compares a claim with the trees of its moments.
    fn tried(&self, open: &Open, history: &mut History<'_>, past: &mut Past<'_, '_>) -> Tried {
        let (document, claim) = self.project.claim(open.at);
        let needs_code = claim.target.kind().needs().code;
        let is_doubtful = self.doubtful.contains(&open.at);
        let (mut gap, mut is_omitted) = (open.gap, false);
        for Moment { commit, path } in &open.moments {
            let Some(tree) = history.trees.get_mut(commit) else {
                gap = Some(GIT_FAILED);
                continue;
            };
            is_omitted |= needs_code && history.omitted.contains(commit);
            let has_moved = open.has_moved;
            let writer = Writer {
                document,
                claim,
                old_path: path,
                has_moved,
                is_doubtful,
            };
            let kind = claim.target.kind();
            if let Some(truth) = kind.held(past, tree, writer) {
                let (commit, written) = (commit.clone(), open.moments[0].clone());
                let first = commit.clone();
                return Ok(Former {
                    at: open.at,
                    commit,
                    written,
                    first,
                    truth,
                });
            }
            if past.lacks(tree, &claim.target) {
                gap = Some(LACKING);
            }
            if is_doubtful && kind.meant_another(past, tree, writer) {
                return Err(Verdict::NeverTrue);
            }
        }
        Err(match gap {
            Some(why) => Verdict::Unchecked(why),
            None if is_omitted => Verdict::Unknown("its commit was not read"),
            None => Verdict::NeverTrue,
        })
    }

    /// Follows the text of claims to the documents that had it before. What was true gets the time at
    /// which it was written first, and what was never true is compared with the trees of that time.
    fn try_moved(
        &self,
        open: &[Open],
        tried: &mut [(Position, Tried)],
        history: &mut History<'_>,
        past: &mut Past<'_, '_>,
    ) {
        let mut documents: FxHashMap<String, Vec<Arc<TreeEntry>>> = FxHashMap::default();
        for (commit, tree) in &history.trees {
            documents.insert(commit.clone(), tree.documents.clone());
        }
        let unsaved = history.unsaved.as_slice();
        let differing = Differing {
            head: history.head,
            unsaved,
            documents: &documents,
        };
        let start = |it: &Open| Start {
            at: it.at,
            places: it.places.clone(),
        };
        let starts: Vec<Start> = open.iter().map(start).collect();
        let moved = moved::follow(self.project, past.objects, &differing, starts);
        let mut again: Vec<(usize, Open)> = Vec::new();
        for (idx, moved) in moved.into_iter().enumerate() {
            let Some(written) = moved.moments.first() else {
                continue;
            };
            let Open { at, gap, .. } = open[idx];
            let since = history
                .since
                .map(|since| self.moment_at(since, &moved.earlier, past));
            let moments = match (since, &mut tried[idx].1) {
                (Some(Some(moment)), _) => vec![moment],
                (_, Ok(former)) => {
                    former.written = written.clone();
                    former.first.clone_from(&written.commit);
                    continue;
                }
                (_, Err(_)) => moved.moments,
            };
            let moved = Open {
                has_moved: true,
                gap,
                ..Open::new(at, moments)
            };
            again.push((idx, moved));
        }
        if again.is_empty() {
            return;
        }
        let moved: Vec<Open> = again.iter().map(|(_, open)| open.clone()).collect();
        let trees = self.old_trees(&moved, history.head, &history.unsaved);
        history
            .omitted
            .extend(past.read_trees(self.project.root, &trees));
        for (commit, tree) in trees {
            // The one that is known may lack what these claims need.
            history.trees.insert(commit, tree);
        }
        for (idx, open) in again {
            tried[idx].1 = self.tried(&open, history, past);
        }
    }

    /// Returns the moment of a line at a revision, if it was in one of the documents then.
    fn moment_at(
        &self,
        since: &str,
        earlier: &[(String, String)],
        past: &mut Past<'_, '_>,
    ) -> Option<Moment> {
        for (path, line) in earlier {
            let bytes = past
                .objects
                .read(&format!("{since}:./{path}"))
                .unwrap_or_default();
            let text = text::decode(&bytes).0;
            if text.lines().any(|it| it.trim() == line) {
                return Some(Moment {
                    commit: since.to_owned(),
                    path: path.clone(),
                });
            }
        }
        None
    }

    /// Returns the trees of all moments.
    pub(super) fn old_trees(
        &self,
        open: &[Open],
        head: &str,
        unsaved: &[Arc<TreeEntry>],
    ) -> BTreeMap<String, OldTree> {
        let mut needs: BTreeMap<&str, Needs> = BTreeMap::new();
        for it in open {
            let own = self.project.claim(it.at).1.target.kind().needs();
            for moment in &it.moments {
                let of_commit = needs.entry(&moment.commit).or_default();
                *of_commit = of_commit.or(own);
            }
        }
        let commits: BTreeSet<&str> = needs.keys().copied().take(MAX_TREES).collect();
        let Project { root, now, .. } = self.project;
        let trees = past::read_trees(root, head, &commits, |commit, differences| {
            let needs = needs.get(commit)?;
            let tree = OldTree::new(differences, unsaved, now, *needs);
            Some((commit.to_owned(), tree))
        });
        trees.into_iter().flatten().collect()
    }

    /// Returns the names that are looked for in old code.
    pub(super) fn wanted_words(&self, open: &[Open]) -> Words {
        Words::new(
            open.iter()
                .flat_map(|it| self.project.claim(it.at).1.target.kind().words()),
        )
    }

    /// Returns the claims whose line was in its document at `commit`, with that moment, and the others, which were
    /// written later.
    pub(super) fn all_at(
        &self,
        objects: &mut git::Objects<'_>,
        failing: &[Position],
        commit: &str,
    ) -> (Vec<Open>, Vec<Position>) {
        let (mut open, mut later) = (Vec::new(), Vec::new());
        for of_document in failing.chunk_by(|a, b| a.0 == b.0) {
            let path = &self.project.documents[of_document[0].0].path;
            let bytes = objects
                .read(&format!("{commit}:./{path}"))
                .unwrap_or_default();
            let text = text::decode(&bytes).0;
            let lines: FxHashSet<&str> = text.lines().map(str::trim).collect();
            for &at in of_document {
                let (document, claim) = self.project.claim(at);
                if lines.contains(origin::line_of(document, claim.span)) {
                    let moment = Moment {
                        commit: commit.to_owned(),
                        path: path.clone(),
                    };
                    open.push(Open::new(at, vec![moment]));
                } else {
                    later.push(at);
                }
            }
        }
        (open, later)
    }

    /// Returns the claims of documents outside of the repository with the times of these.
    pub(super) fn all_written(&self, failing: &[Position]) -> Vec<Open> {
        let mut open = Vec::new();
        for &at in failing {
            let (document, _) = self.project.claim(at);
            let commit = document.written_at.clone().unwrap_or_default();
            let mut moments = Vec::new();
            if !commit.is_empty() {
                // Its name alone, as if it were at the root.
                let path = snapshot::last(&document.path).to_owned();
                moments.push(Moment { commit, path });
            }
            open.push(Open::new(at, moments));
        }
        open
    }

    /// Returns the claims with the moments at which they were written.
    pub(super) fn origins(
        &self,
        objects: &mut git::Objects<'_>,
        failing: &[Position],
        head: &str,
    ) -> Vec<Open> {
        let mut open = Vec::with_capacity(failing.len());
        let Some(found) = origin::origins(self.project, objects, head, failing) else {
            for &at in failing {
                open.push(Open {
                    gap: Some(GIT_FAILED),
                    ..Open::new(at, Vec::new())
                });
            }
            return open;
        };
        let is_shallow = git::is_shallow(self.project.root);
        for (&at, origin) in failing.iter().zip(found) {
            let gap = if origin.is_unread {
                Some(GIT_FAILED)
            } else {
                (origin.is_cut && is_shallow).then_some(SHALLOW)
            };
            open.push(Open {
                places: origin.places,
                gap,
                ..Open::new(at, origin.moments)
            });
        }
        open
    }
}
