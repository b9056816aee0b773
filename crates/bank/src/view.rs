//! The files of the bank as readers see them while a deletion or an import is unfinished.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use cerberus_model::sorted;

use super::deletion::Deletion;
use crate::Bank;
use crate::lockfile::Anchors;

/// The files and anchors that an unfinished deletion or import hides from readers.
#[derive(Debug, Default)]
pub(crate) struct View {
    deletion: Option<Deletion>,
    hidden: BTreeSet<String>,
    /// Copies of replaced files, by the path of the file.
    copies: BTreeMap<String, String>,
}

impl Bank {
    /// Returns the present view. Loaded once for many files.
    pub(crate) fn view(&self) -> View {
        let Some(deletion) = self.unfinished_deletion() else {
            return View::default();
        };
        let mut view = View::default();
        for moved in &deletion.moves {
            // A memory that was created after its namesake was moved is visible.
            if !self.has(&moved.file) || !self.has(&moved.trashed) {
                view.hidden.insert(moved.file.clone());
            }
        }
        for restored in &deletion.restored {
            if self.has(&restored.trashed) {
                let copy = restored.trashed.clone();
                view.copies.insert(restored.file.clone(), copy);
            }
        }
        view.deletion = Some(deletion);
        view
    }

    fn has(&self, file: &str) -> bool {
        self.folder().join(file).symlink_metadata().is_ok()
    }
}

impl View {
    /// Returns the path from which a file is read, unless it is hidden.
    pub(super) fn path(&self, bank: &Bank, file: &str) -> Option<PathBuf> {
        if self.hidden.contains(file) {
            return None;
        }
        match self.copies.get(file) {
            Some(copy) => Some(bank.folder().join(copy)),
            None => Some(bank.folder().join(file)),
        }
    }

    /// Returns the listed memories without hidden ones, and replaced ones that are missing, in order.
    pub(super) fn visible(&self, listed: Vec<String>) -> Vec<String> {
        let copied = self.copies.keys().filter(|file| file.ends_with(".md"));
        let all = listed.into_iter().chain(copied.cloned());
        sorted(all.filter(|file| !self.hidden.contains(file)))
    }

    /// Restores the anchors before an import, or removes those of deleted memories.
    pub(super) fn apply_to_anchors(&self, anchors: &mut Anchors) {
        if let Some(deletion) = &self.deletion {
            deletion.apply(anchors);
        }
    }
}
