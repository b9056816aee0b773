//! The project with which the claims of documents are compared.

use std::collections::BTreeMap;
use std::path::Path;

use cerberus_engine::tree::git::{self, IgnoredPath};
use rustc_hash::FxHashMap;

use crate::former::Tried;
use crate::kinds::path::FilePath;
use crate::now::Now;
use crate::parse::{Claim, Target};
use crate::report::Document;
use crate::snapshot;

/// The positions of a document, and of a claim in it.
pub(crate) type Position = (usize, usize);

/// The documents, and the project with which their claims are compared.
#[derive(Clone, Copy)]
pub(crate) struct Project<'p> {
    pub(crate) root: &'p Path,
    pub(crate) documents: &'p [Document],
    pub(crate) now: &'p Now,
}

impl<'p> Project<'p> {
    pub(crate) fn claim(self, (document_idx, claim_idx): Position) -> (&'p Document, &'p Claim) {
        let document = &self.documents[document_idx];
        (document, &document.claims.claims[claim_idx])
    }

    /// Returns the claims whose path git ignores, with the pattern: one that the document may name, or that it
    /// named.
    pub(crate) fn ignored(self, tried: &[(Position, Tried)]) -> FxHashMap<Position, IgnoredPath> {
        let mut asked: BTreeMap<String, Vec<Position>> = BTreeMap::new();
        for (at, former) in tried {
            let (document, claim) = self.claim(*at);
            let Target::Path(FilePath { path, .. }) = &claim.target else {
                continue;
            };
            if !path.contains(['*', '{']) {
                let is_folder = !snapshot::last(path.trim_end_matches('/')).contains('.');
                let named = former.iter().map(|former| former.truth.file().to_owned());
                let paths = snapshot::candidates(document.folder(), path).into_iter();
                for path in paths.chain(named).filter(|path| !path.is_empty()) {
                    // A pattern that ends with a slash is for folders. Git sees whether what exists is one.
                    if is_folder && self.root.join(&path).symlink_metadata().is_err() {
                        asked.entry(format!("{path}/")).or_default().push(*at);
                    }
                    asked.entry(path).or_default().push(*at);
                }
            }
        }
        if asked.is_empty() {
            return FxHashMap::default();
        }
        let is_untracked = |path: &&str| !self.now.tree.contains(path.trim_end_matches('/'));
        let paths = asked.keys().map(String::as_str).filter(is_untracked);
        let paths: Vec<&str> = paths.collect();
        let mut found = FxHashMap::default();
        for ignored in git::ignored_by_tree(self.root, &paths) {
            for at in asked.remove(&ignored.path).unwrap_or_default() {
                found.insert(at, ignored.clone());
            }
        }
        found
    }
}
