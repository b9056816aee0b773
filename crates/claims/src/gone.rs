//! Paths that were gone before their lines were written: the writer did not know that the project had removed them.
//!
//! A path that the project never had may be that of another project. One that it had, with its folder, is meant.

use std::collections::BTreeSet;

use cerberus_engine::tree::documents;
use cerberus_engine::tree::git::past;
use cerberus_markdown::links::normalize_path;
use rustc_hash::FxHashMap;

use crate::kinds::Place;
use crate::mistakes;
use crate::parse::{Stance, Target};
use crate::project::{Position, Project};

/// Maximum number of paths that are looked for in the history.
const MAX_PATHS: usize = 400;

/// Returns what is wrong with those of `claims`, which were never true since their lines were written, that name a
/// path of the project before.
pub(crate) fn find(project: Project<'_>, claims: &[Position]) -> FxHashMap<Position, String> {
    let mut named: Vec<(Position, Vec<String>)> = Vec::new();
    let mut paths: BTreeSet<String> = BTreeSet::new();
    for &at in claims {
        let (document, claim) = project.claim(at);
        let Target::Path(path) = &claim.target else {
            continue;
        };
        let is_said = claim.stance == Stance::Plain && documents::is_guide(&document.path);
        if !is_said || paths.len() > MAX_PATHS || mistakes::is_generated(&document.text) {
            continue;
        }
        let mut places = Vec::new();
        for place in path.exact_places(project.now, Place { document, claim }) {
            // What is above the root is not of the project.
            places.extend(normalize_path(&place));
        }
        paths.extend(places.iter().cloned());
        named.push((at, places));
    }
    let removals = past::removals(project.root, &paths);
    let mut found = FxHashMap::default();
    for (at, places) in named {
        let mut commits = places.iter().filter_map(|path| removals.get(path));
        if let Some(commit) = commits.next() {
            let reason = format!("it was gone when the line was written: {commit} removed it");
            found.insert(at, reason);
        }
    }
    found
}
