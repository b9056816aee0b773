//! The code at HEAD to which the history led.

use std::collections::BTreeMap;
use std::path::Path;

use cerberus_model::Anchor;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::track::file_symbols::{FileSymbols, Filter};
use crate::track::in_place::{InPlaceMatch, in_place_match, last_name, same_code_under_name};
use crate::track::walk::{End, Walk};
use crate::track::{Outcome, outcome};

/// The symbol to which an anchor was followed.
pub(super) struct Arrival {
    pub(super) file: String,
    pub(super) symbol_idx: usize,
    pub(super) outcome: Outcome,
}

/// The files in which walks ended at HEAD, by their paths. Each is parsed once for all its anchors.
pub(super) struct Arrivals<'w>(FxHashMap<&'w str, FileSymbols>);

impl<'w> Arrivals<'w> {
    pub(super) fn new(root: &Path, walks: &'w [Walk]) -> Self {
        let mut names: BTreeMap<&str, FxHashSet<Option<&str>>> = BTreeMap::new();
        for walk in walks {
            if walk.end == End::Head {
                let of_file = names.entry(&walk.anchor.file).or_default();
                of_file.insert(last_name(walk.anchor.symbol.as_deref()));
            }
        }
        let mut files = FxHashMap::default();
        for (path, names) in names {
            let has_name: Filter<'_> = &|other| names.contains(&last_name(other));
            if let Ok(file) = FileSymbols::read(root, path, Some(has_name)) {
                files.insert(path, file);
            }
        }
        Self(files)
    }

    /// Returns the outcome of an anchor that was followed to HEAD, if its file still contains the symbol.
    pub(super) fn arrival(&self, recorded: &Anchor, walk: &Walk) -> Option<Arrival> {
        if walk.end != End::Head {
            return None;
        }
        let file = self.0.get(&*walk.anchor.file)?;
        let anchor = &walk.anchor;
        let found = match in_place_match(anchor, file) {
            Some(found) => found,
            None => InPlaceMatch {
                symbol_idx: same_code_under_name(anchor, file)?,
                similarity: 1.0,
            },
        };
        if found.is_ambiguous(anchor) {
            return None;
        }
        let outcome = outcome::walked(recorded, file, found.symbol_idx, walk.steps.clone());
        Some(Arrival {
            file: file.path.clone(),
            symbol_idx: found.symbol_idx,
            outcome,
        })
    }
}
