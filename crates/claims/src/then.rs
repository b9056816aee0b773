//! Whether a claim was true in the tree of an old commit.
//!
//! A claim that fails now can only have been true there because of a file that differs from now. So
//! an old tree is the list of these, and only their versions are read: once each, for all claims and
//! commits together.

use std::sync::Arc;

use cerberus_engine::tree::git::past::{Differences, TreeEntry};
use cerberus_engine::tree::git::{IgnoredPath, Objects};
use cerberus_model::text;
use rustc_hash::{FxHashMap, FxHashSet};

use super::manifests::{self, Facts, Manifests};
use super::meant::is_related;
use super::moved;
use super::now::Now;
use super::snapshot::{self, Snapshot};
use super::versions::{Version, Versions};
use super::words::{self, Words};
use crate::kinds::path::Part;
use crate::parse::{Claim, Target};
use crate::paths::folder_of;
use crate::report::Document;

mod old_manifests;
mod reading;

/// Maximum number of versions of files with a name that are searched for its definition.
pub(super) const MAX_SEARCHED: usize = 200;

/// A name of more files and folders says little about what a document means.
pub(super) const MAX_NAMESAKES: usize = 3;

/// Maximum number of definitions of a name that are followed.
pub(super) const MAX_DEFINITIONS: usize = 8;

/// What made a claim true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Truth {
    /// The paths that it named.
    Paths(Vec<String>),
    /// The part that it named, and the file.
    Part(String, Part),
    /// The files that define the name.
    Definitions(Vec<String>),
    /// Files of code with the word.
    Word(Vec<String>),
    /// Manifests.
    Manifests(Vec<String>),
}

impl Truth {
    /// Returns the first file, or the path.
    pub(super) fn file(&self) -> &str {
        match self {
            Self::Part(file, _) => file,
            Self::Paths(files)
            | Self::Definitions(files)
            | Self::Word(files)
            | Self::Manifests(files) => files.first().map_or("", String::as_str),
        }
    }
}

/// An old version of a file: its path and its object.
type FileVersion = (String, String);

/// Reads old trees.
pub(super) struct Past<'p, 'o> {
    pub(super) objects: &'p mut Objects<'o>,
    pub(super) now: &'p Now,
    pub(super) words: &'p Words,
    /// The words of each version of a file of code.
    found: FxHashMap<String, Vec<usize>>,
    facts: FxHashMap<FileVersion, Arc<Facts>>,
    versions: Versions,
    /// The objects that the clone lacks or git cannot read, of those that were looked for.
    missing: FxHashSet<String>,
}

/// A document with a claim, and its path in an old tree.
#[derive(Clone, Copy)]
pub(super) struct Writer<'d> {
    pub(super) document: &'d Document,
    pub(super) claim: &'d Claim,
    pub(super) old_path: &'d str,
    /// Whether that is another document, from which the text moved.
    pub(super) has_moved: bool,
    /// Whether the claim holds perhaps now.
    pub(super) is_doubtful: bool,
}

impl Writer<'_> {
    pub(super) fn folder(&self) -> &str {
        folder_of(self.old_path)
    }

    /// Returns whether the text moved from a folder that is neither around nor inside that of the document:
    /// what it said of its own folder was said of another part of the project.
    pub(super) fn is_from_elsewhere(&self) -> bool {
        self.has_moved && !is_related(self.folder(), self.document.folder())
    }

    /// Returns the folder that a command of the text is read in.
    pub(super) fn reader_folder(&self) -> &str {
        if self.is_from_elsewhere() {
            self.document.folder()
        } else {
            self.folder()
        }
    }
}

/// What is compared with an old tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Needs {
    pub(super) paths: bool,
    pub(super) code: bool,
    pub(super) manifests: bool,
}

impl Needs {
    pub(super) const PATHS: Self = Self {
        paths: true,
        code: false,
        manifests: false,
    };
    pub(super) const CODE: Self = Self {
        paths: false,
        code: true,
        manifests: false,
    };
    pub(super) const MANIFESTS: Self = Self {
        paths: false,
        code: false,
        manifests: true,
    };

    pub(super) fn or(self, other: Self) -> Self {
        Self {
            paths: self.paths || other.paths,
            code: self.code || other.code,
            manifests: self.manifests || other.manifests,
        }
    }
}

/// The files of an old commit that differ from now.
pub(super) struct OldTree {
    pub(super) needs: Needs,
    /// Sorted by path. Only manifests, if nothing else is needed.
    pub(super) entries: Vec<Arc<TreeEntry>>,
    /// The documents among the files that differ.
    pub(super) documents: Vec<Arc<TreeEntry>>,
    /// The files that now has no longer.
    pub(super) removed: Snapshot,
    /// The paths that now has and the commit lacked.
    pub(super) added: FxHashSet<Arc<str>>,
    manifests: Option<Manifests>,
    /// With those that are as now.
    all_manifests: Option<Arc<Manifests>>,
    /// The entries with each word.
    entries_with: Option<FxHashMap<usize, Vec<usize>>>,
    /// The folders that trees of documents draw, by document and start.
    tree_bases: FxHashMap<(String, usize), Option<String>>,
}

impl OldTree {
    /// `unsaved` are the files of HEAD that the index or the working tree lacks or has in another
    /// version.
    pub(super) fn new(
        differences: &Differences,
        unsaved: &[Arc<TreeEntry>],
        now: &Now,
        needs: Needs,
    ) -> Self {
        let has_all = needs.paths || needs.code;
        let mut removed = Vec::new();
        let mut is_wanted = |entry: &&Arc<TreeEntry>| {
            if !has_all && !manifests::is_manifest(&entry.path) {
                return false;
            }
            if needs.paths && now.tree.entry(&entry.path).is_none() {
                removed.push(TreeEntry::clone(entry));
            }
            !now.has_version(entry)
        };
        let unsaved = unsaved
            .iter()
            .filter(|it| !differences.contains_key(it.path.as_str()));
        let own = differences.values().flatten().chain(unsaved);
        let is_document = |entry: &&Arc<TreeEntry>| moved::is_document(&entry.path);
        let documents = own.clone().filter(is_document).cloned().collect();
        let mut entries: Vec<Arc<TreeEntry>> = own.filter(&mut is_wanted).cloned().collect();
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        let is_needed = |path: &str| needs.paths || manifests::is_manifest(path);
        let added = differences
            .iter()
            .filter(|(path, it)| it.is_none() && is_needed(path));
        let added = added.map(|(path, _)| path.clone()).collect();
        let removed = Snapshot::new(removed);
        let (manifests, all_manifests, entries_with, tree_bases) = Default::default();
        Self {
            needs,
            entries,
            documents,
            removed,
            added,
            manifests,
            all_manifests,
            entries_with,
            tree_bases,
        }
    }

    pub(super) fn contains(&self, now: &Snapshot, path: &str) -> bool {
        self.removed.contains(path) || (now.contains(path) && !self.added.contains(path))
    }

    /// Returns the folder that the tree around a claim drew.
    pub(super) fn tree_base(&mut self, now: &Snapshot, writer: Writer<'_>) -> Option<String> {
        let claims = &writer.document.claims;
        let tree = claims.tree(writer.claim)?;
        let key = (writer.document.path.clone(), tree.span.start);
        if let Some(base) = self.tree_bases.get(&key) {
            return base.clone();
        }
        let paths = claims.paths_of(tree);
        let paths = (tree.root.as_deref(), paths.as_slice());
        let contains = |path: &str| self.contains(now, path);
        let place = (writer.folder(), writer.document.text.as_str());
        let base = snapshot::tree_base(place, paths, &[&self.removed, now], &contains);
        self.tree_bases.insert(key, base.clone());
        base
    }

    fn entry(&self, path: &str) -> Option<&TreeEntry> {
        let idx = self
            .entries
            .binary_search_by(|entry| entry.path.as_str().cmp(path))
            .ok()?;
        Some(&self.entries[idx])
    }
}

impl<'p, 'o> Past<'p, 'o> {
    pub(super) fn new(objects: &'p mut Objects<'o>, now: &'p Now, words: &'p Words) -> Self {
        let (found, facts, versions, missing) = Default::default();
        Self {
            objects,
            now,
            words,
            found,
            facts,
            versions,
            missing,
        }
    }

    /// Returns whether a file of an old tree that a claim may be about cannot be read.
    pub(super) fn lacks(&self, old: &OldTree, target: &Target) -> bool {
        if self.missing.is_empty() {
            return false;
        }
        let kind = target.kind();
        old.entries
            .iter()
            .any(|entry| kind.is_read_in(entry) && self.missing.contains(&entry.object))
    }

    /// Returns whether the ignore file of a path had its pattern in a commit.
    pub(super) fn was_ignored(&mut self, ignored: &IgnoredPath, commit: &str) -> bool {
        let bytes = self.objects.read(&format!("{commit}:./{}", ignored.source));
        bytes.is_some_and(|bytes| {
            let text = text::decode(&bytes).0;
            text.lines().any(|line| line.trim_end() == ignored.pattern)
        })
    }

    pub(super) fn has_part(&mut self, old: &OldTree, file: &str, part: &Part) -> bool {
        let version = old.entry(file).and_then(|entry| self.version(entry));
        version.is_some_and(|version| version.has_part(part))
    }

    pub(super) fn version(&mut self, entry: &TreeEntry) -> Option<Arc<Version>> {
        let (objects, missing) = (&mut *self.objects, &mut self.missing);
        self.versions.get(&entry.path, &entry.object, || {
            let found = objects.find(&entry.object);
            if found.is_none() {
                missing.insert(entry.object.clone());
            }
            found?.bytes
        })
    }

    /// Returns the entries with a word.
    pub(super) fn entries_with(&mut self, old: &mut OldTree, word: usize) -> Vec<usize> {
        let entries_with = old.entries_with.get_or_insert_with(|| {
            let mut entries_with: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
            for (idx, entry) in old.entries.iter().enumerate() {
                for word in self.found.get(&entry.object).into_iter().flatten() {
                    // A file that is not code may have the content of one that is.
                    if words::is_code(entry) {
                        entries_with.entry(*word).or_default().push(idx);
                    }
                }
            }
            entries_with
        });
        entries_with.get(&word).cloned().unwrap_or_default()
    }
}
