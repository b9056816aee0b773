//! The files of commits. Each object is asked for once.

use std::path::Path;
use std::sync::Arc;

use cerberus_engine::tree::git::Objects;
use cerberus_engine::tree::git::past::TreeEntry;
use cerberus_engine::tree::read;
use rustc_hash::FxHashMap;

use crate::versions::{Version, Versions};

pub(super) struct Stored<'s, 'o> {
    pub(super) objects: &'s mut Objects<'o>,
    versions: Versions,
    /// The objects of files in commits, by the names that git reads.
    ids: FxHashMap<String, Option<String>>,
}

impl<'s, 'o> Stored<'s, 'o> {
    pub(super) fn new(objects: &'s mut Objects<'o>) -> Self {
        Self {
            objects,
            versions: Versions::default(),
            ids: FxHashMap::default(),
        }
    }

    /// Returns the object of a path in a commit.
    pub(super) fn id(&mut self, commit: &str, path: &str) -> Option<&str> {
        let name = name(commit, path);
        if !self.ids.contains_key(&name) {
            let id = self.objects.find(&name).map(|found| found.id);
            self.ids.insert(name.clone(), id);
        }
        self.ids.get(&name)?.as_deref()
    }

    /// Returns the version of a file in a commit.
    pub(super) fn version(&mut self, commit: &str, file: &str) -> Option<Arc<Version>> {
        let name = name(commit, file);
        if let Some(id) = self.ids.get(&name) {
            let id = id.as_ref()?;
            return self.versions.get(file, id, || self.objects.read(id));
        }
        let found = self.objects.find(&name);
        let id = found.as_ref().map(|found| found.id.clone());
        self.ids.insert(name, id);
        let found = found?;
        self.versions.get(file, &found.id, || found.bytes)
    }

    /// Returns the version of a file that an entry of a tree names.
    pub(super) fn version_of(&mut self, entry: &TreeEntry) -> Option<Arc<Version>> {
        let TreeEntry { path, object, .. } = entry;
        self.versions
            .get(path, object, || self.objects.read(object))
    }

    /// Returns the version of a file in the working tree.
    pub(super) fn version_now(&mut self, root: &Path, file: &str) -> Option<Arc<Version>> {
        self.versions.get(file, "", || read::bytes(root, file).ok())
    }
}

fn name(commit: &str, path: &str) -> String {
    format!("{commit}:./{path}")
}
