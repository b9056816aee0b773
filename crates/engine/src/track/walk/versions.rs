//! The versions of files that a walk parses, up to a limit.

use std::rc::Rc;

use cerberus_model::Anchor;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::in_place::plain_name;
use crate::track::file_symbols::{FileSymbols, Filter};
use crate::track::in_place::same_name;
use crate::tree::git;

/// Maximum number of bytes of all versions of files that are parsed, and as many more for each
/// anchor.
const MAX_PARSED: usize = 32 * 1024 * 1024;
const MAX_PARSED_EACH: usize = 2 * 1024 * 1024;

/// Parses versions of files. Each version is parsed once for all anchors in its file.
pub(super) struct Versions {
    n_parsed: usize,
    max_parsed: usize,
    /// The qualified names of the anchors in the file that is looked at.
    names: FxHashSet<String>,
    /// Its versions by path and object, with the features of the symbols of these names.
    files: FxHashMap<(String, String), Rc<FileSymbols>>,
}

impl Versions {
    pub(super) fn new(n_anchors: usize) -> Self {
        let max_parsed = MAX_PARSED + MAX_PARSED_EACH * n_anchors;
        Self {
            n_parsed: 0,
            max_parsed,
            names: FxHashSet::default(),
            files: FxHashMap::default(),
        }
    }

    /// Starts with another file, which has these anchors.
    pub(super) fn start_file<'a>(&mut self, anchors: impl Iterator<Item = &'a Anchor>) {
        self.names = anchors
            .map(|anchor| plain_name(anchor.symbol.as_deref()).into_owned())
            .collect();
        self.files.clear();
    }

    /// Counts bytes that are parsed elsewhere.
    pub(super) fn count(&mut self, n_bytes: usize) {
        self.n_parsed += n_bytes;
    }

    pub(super) fn is_limit_exceeded(&self) -> bool {
        self.n_parsed > self.max_parsed
    }

    /// Parses a version of a file for the symbol with the name of an anchor. Returns `None` beyond
    /// the limit.
    pub(super) fn parse(
        &mut self,
        anchor: &Anchor,
        version: &git::TreeEntry,
        bytes: &[u8],
    ) -> Option<Rc<FileSymbols>> {
        let name = anchor.symbol.as_deref();
        let is_shared = self.names.contains(&*plain_name(name));
        let key = (version.path.clone(), version.object.clone());
        if let Some(file) = self.files.get(&key).filter(|_| is_shared) {
            return Some(Rc::clone(file));
        }
        self.count(bytes.len());
        if self.is_limit_exceeded() {
            return None;
        }
        // An anchor may have got another name on the way.
        let is_wanted: Filter<'_> = &|other| {
            if is_shared {
                self.names.contains(&*plain_name(other))
            } else {
                same_name(other, name)
            }
        };
        let file = Rc::new(FileSymbols::parse(&version.path, bytes, Some(is_wanted)));
        if is_shared {
            self.files.insert(key, Rc::clone(&file));
        }
        Some(file)
    }
}
