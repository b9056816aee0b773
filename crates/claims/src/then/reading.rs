//! Reads the files that differ in old trees: each version once, for all commits together.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use cerberus_engine::tree::git::past::{self, TreeEntry};
use cerberus_model::text;
use rayon::iter::ParallelIterator;
use rayon::slice::ParallelSlice;
use rustc_hash::FxHashSet;

use super::{OldTree, Past};
use crate::{manifests, words};

/// Maximum number of old versions of code that are read.
const MAX_VERSIONS: usize = 60_000;

/// A smaller number of versions is read by the process that reads all other objects.
const MIN_PARALLEL: usize = 64;

impl Past<'_, '_> {
    /// Reads what differs in old trees. Returns the commits with too much code to read.
    pub(crate) fn read_trees(
        &mut self,
        root: &Path,
        trees: &BTreeMap<String, OldTree>,
    ) -> BTreeSet<String> {
        self.read_manifests(trees.values().filter(|tree| tree.needs.manifests));
        let with_code = trees.iter().filter(|(_, tree)| tree.needs.code);
        self.read_code(root, with_code.map(|(commit, tree)| (&**commit, tree)))
    }

    /// Reads the differing files of code of all trees. Returns the commits whose files are too many.
    fn read_code<'t>(
        &mut self,
        root: &Path,
        trees: impl Iterator<Item = (&'t str, &'t OldTree)>,
    ) -> BTreeSet<String> {
        let mut omitted = BTreeSet::new();
        if self.words.is_empty() {
            return omitted;
        }
        // Versions of one path are similar, so git reads them faster one after the other.
        let mut wanted: BTreeMap<(&str, &str), ()> = BTreeMap::new();
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        for (commit, tree) in trees {
            let is_new = |entry: &&Arc<TreeEntry>| !seen.contains(entry.object.as_str());
            let new: Vec<&Arc<TreeEntry>> = tree
                .entries
                .iter()
                .filter(is_new)
                .filter(|entry| words::is_code(entry))
                .collect();
            if wanted.len() + new.len() > MAX_VERSIONS {
                omitted.insert(commit.to_owned());
                continue;
            }
            for entry in new {
                if seen.insert(&entry.object) {
                    wanted.insert((&entry.path, &entry.object), ());
                }
            }
        }
        let objects: Vec<&str> = wanted.keys().map(|(_, object)| *object).collect();
        let words = self.words;
        if objects.len() <= MIN_PARALLEL {
            let found = &mut self.found;
            let missing = self.objects.read_all(&objects, |idx, bytes| {
                found.insert(objects[idx].to_owned(), words.in_text(bytes));
            });
            self.missing
                .extend(missing.into_iter().map(|idx| objects[idx].to_owned()));
            return omitted;
        }
        let n_each = objects
            .len()
            .div_ceil(rayon::current_num_threads().max(1))
            .max(MIN_PARALLEL);
        let read = |objects: &[&str]| {
            let mut found: Vec<(String, Vec<usize>)> = Vec::new();
            let missing = past::read_objects(root, objects, |idx, bytes| {
                let words = words.in_text(bytes);
                if !words.is_empty() {
                    found.push((objects[idx].to_owned(), words));
                }
            });
            let missing = missing.into_iter().map(|idx| objects[idx].to_owned());
            (found, missing.collect::<Vec<String>>())
        };
        let read: Vec<_> = objects.par_chunks(n_each).map(read).collect();
        for (found, missing) in read {
            self.found.extend(found);
            self.missing.extend(missing);
        }
        omitted
    }

    /// Reads the differing manifests of all trees.
    fn read_manifests<'t>(&mut self, trees: impl Iterator<Item = &'t OldTree>) {
        let mut wanted: BTreeSet<(&str, &str)> = BTreeSet::new();
        for tree in trees {
            let is_manifest = |entry: &&Arc<TreeEntry>| manifests::is_manifest(&entry.path);
            let own = tree.entries.iter().filter(is_manifest);
            wanted.extend(own.map(|entry| (entry.path.as_str(), entry.object.as_str())));
        }
        let wanted: Vec<(&str, &str)> = wanted.into_iter().collect();
        let objects: Vec<&str> = wanted.iter().map(|(_, object)| *object).collect();
        let facts = &mut self.facts;
        let missing = self.objects.read_all(&objects, |idx, bytes| {
            let (path, object) = wanted[idx];
            let own = manifests::read(path, &text::decode(bytes).0);
            facts.insert((path.to_owned(), object.to_owned()), Arc::new(own));
        });
        self.missing
            .extend(missing.into_iter().map(|idx| objects[idx].to_owned()));
    }
}
