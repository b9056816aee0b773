//! Whether a claim is true in the tree as it is.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::parse::{Claim, Part, Target};
use cerberus_engine::tree::git::past::{self, TreeEntry};
use cerberus_engine::tree::read;
use cerberus_model::timings;

use super::manifests::{self, Manifests};
use super::snapshot::{Found, Snapshot};
use super::then::has_part;
use super::words::{Occurrences, Words};
use super::{Document, folder_of, is_on_disk, words_of};

/// Whether a claim is true.
pub(super) enum Holds {
    Yes,
    No,
    /// Why it cannot be known.
    Unknown(&'static str),
}

/// The project as it is.
pub(super) struct Now {
    root: PathBuf,
    tree: Snapshot,
    /// The files that were deleted from the working tree only.
    deleted: Vec<TreeEntry>,
    manifests: Manifests,
    words: Words,
    occurrences: Occurrences,
}

impl Now {
    /// Reads what the claims of `documents` are compared with. Returns `None` if git cannot list
    /// the files.
    pub(super) fn read(root: &Path, documents: &[Document]) -> Option<Self> {
        let (tree, deleted) = timings::timed("list the files", || {
            let past::Tracked { entries, deleted } = past::tracked(root)?;
            Some((Snapshot::new(entries), deleted))
        })?;
        let claims = || documents.iter().flat_map(|document| &document.claims.claims);
        let mut manifests = Manifests::default();
        let needs_manifests =
            |claim: &Claim| !matches!(claim.target, Target::Path { .. } | Target::Symbol { .. });
        if claims().any(needs_manifests) {
            let _step = timings::step("read the manifests");
            let own = tree.entries().par_iter().filter(|it| manifests::is_manifest(&it.path));
            let facts = own.map(|entry| {
                let text = read::text(root, &entry.path).unwrap_or_default();
                (entry.path.clone(), manifests::read(&entry.path, &text))
            });
            manifests.0 = facts.collect::<Vec<_>>().into_iter().collect();
        }
        let mut wanted = Vec::new();
        for claim in claims() {
            wanted.extend(words_of(&claim.target));
            if let Target::Package(name) = &claim.target
                && manifests.making(&claim.target).is_empty()
            {
                wanted.push(module_name(name));
            }
        }
        let words = Words::new(wanted);
        let pair = |claim: &Claim| match &claim.target {
            Target::Symbol { parts, .. } => Some(pair(&words, parts)?),
            _ => None,
        };
        let pairs: BTreeSet<(usize, usize)> = claims().filter_map(pair).collect();
        let occurrences = timings::timed("read the code", || {
            Occurrences::read(root, tree.entries(), &words, &pairs)
        });
        Some(Self { root: root.to_owned(), tree, deleted, manifests, words, occurrences })
    }

    pub(super) fn tree(&self) -> &Snapshot {
        &self.tree
    }

    /// Returns the files that were deleted from the working tree, but not from the index.
    pub(super) fn deleted(&self) -> &[TreeEntry] {
        &self.deleted
    }

    pub(super) fn manifests(&self) -> &Manifests {
        &self.manifests
    }

    /// Returns whether a claim is true.
    pub(super) fn holds(&self, document: &Document, claim: &Claim) -> Holds {
        let is_true = match &claim.target {
            Target::Path { path, part, .. } => return self.path(document, path, part.as_ref()),
            Target::Symbol { parts, .. } => self.has_symbol(document, parts),
            Target::Task(task) => {
                self.is_made(&claim.target)
                    || self.manifests.is_dynamic(task.runner)
                    // A program of a dependency has its name.
                    || (task.may_be_program && !self.manifests.depending(&task.name).is_empty())
            }
            Target::Variable(name) => self.is_used(name),
            Target::Package(name) => {
                self.is_made(&claim.target)
                    || self.is_used(&module_name(name))
                    || self.manifests.has_key(name)
                    // A package of the project itself.
                    || self.tree.resolve("", name) != Found::No
            }
            Target::Rule { tool, .. } => {
                self.is_made(&claim.target) || self.manifests.is_open(*tool)
            }
            Target::Version { name, .. } => {
                self.manifests.depending(name).is_empty() || self.is_made(&claim.target)
            }
        };
        if is_true { Holds::Yes } else { Holds::No }
    }

    fn path(&self, document: &Document, path: &str, part: Option<&Part>) -> Holds {
        if path.is_empty() {
            let is_true = part.is_none_or(|part| has_part(&document.text, part));
            return if is_true { Holds::Yes } else { Holds::No };
        }
        let found = self.tree.resolve(folder_of(&document.path), path);
        let Some(part) = part else {
            return match found {
                Found::One(_) | Found::Several(_) => Holds::Yes,
                Found::Elsewhere => Holds::Unknown("it is in a submodule"),
                Found::No if is_on_disk(&self.root, folder_of(&document.path), path) => Holds::Yes,
                Found::No => Holds::No,
            };
        };
        let is_file = |path: &&String| self.tree.entry(path).is_some();
        let mut files = found.paths().iter().filter(is_file).peekable();
        if files.peek().is_none() {
            return match found {
                Found::Elsewhere => Holds::Unknown("it is in a submodule"),
                Found::No if !is_on_disk(&self.root, folder_of(&document.path), path) => Holds::No,
                _ => Holds::Yes,
            };
        }
        // A file that is too large to read may have any part.
        let has =
            |file: &String| read::text(&self.root, file).map_or(true, |text| has_part(&text, part));
        if files.any(has) { Holds::Yes } else { Holds::No }
    }

    fn has_symbol(&self, document: &Document, parts: &[String]) -> bool {
        let Some(name) = parts.last() else { return true };
        if parts.len() > 1 {
            let path = parts.join("/");
            if self.tree.resolve(folder_of(&document.path), &path) != Found::No {
                return true;
            }
        }
        self.is_used(name)
            && pair(&self.words, parts).is_none_or(|(a, b)| self.occurrences.are_together(a, b))
    }

    fn is_used(&self, word: &str) -> bool {
        self.words.idx(word).is_some_and(|idx| self.occurrences.is_used(idx))
    }

    fn is_made(&self, target: &Target) -> bool {
        !self.manifests.making(target).is_empty()
    }
}

/// Returns the qualifier and the name of a symbol, if it has both.
fn pair(words: &Words, parts: &[String]) -> Option<(usize, usize)> {
    let [.., qualifier, name] = parts else { return None };
    Some((words.idx(qualifier)?, words.idx(name)?))
}

/// Returns the name with which code imports a package.
fn module_name(package: &str) -> String {
    package.rsplit('/').next().unwrap_or(package).replace(['-', '.'], "_")
}
