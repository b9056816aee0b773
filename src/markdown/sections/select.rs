//! Choosing sections by the ids that were asked for.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Section, Sections, lower};
use crate::text::nearest;

/// What stands between several sections that are given together.
pub(crate) const SEPARATOR: &str = "\n\n---\n\n";

/// What was asked for: found and missing, each in the order of asking.
#[derive(Debug, Default)]
pub(crate) struct Selection<'a> {
    pub(crate) found: Vec<&'a Section>,
    pub(crate) missing: Vec<Missing>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Missing {
    pub(crate) id: String,
    /// The id of the section that may have been meant.
    pub(crate) nearest: Option<String>,
}

/// Returns the sections that `requested` names, each once.
///
/// An id is matched without case: exactly, else as the part of an id before a
/// hyphen, the shortest such id first. Nothing, and what ends in a hyphen, is the
/// beginning of no id.
pub(crate) fn select<'a>(sections: &'a Sections, requested: &[String]) -> Selection<'a> {
    let ids: Vec<String> = sections.list.iter().map(|it| lower(&it.id)).collect();
    let by_id: FxHashMap<&str, usize> =
        ids.iter().enumerate().map(|(section_idx, id)| (id.as_str(), section_idx)).collect();
    let mut selection = Selection::default();
    let mut seen_sections = FxHashSet::default();
    let mut seen_missing = FxHashSet::default();
    for wanted in requested {
        let key = lower(wanted);
        let exact = by_id.get(key.as_str()).copied();
        if let Some(section_idx) = exact.or_else(|| by_prefix(&ids, &key)) {
            if seen_sections.insert(section_idx) {
                selection.found.push(&sections.list[section_idx]);
            }
        } else if seen_missing.insert(key) {
            let ids = sections.list.iter().map(|section| section.id.as_str());
            selection.missing.push(Missing {
                id: wanted.clone(),
                nearest: nearest(wanted, ids).map(str::to_owned),
            });
        }
    }
    selection
}

fn by_prefix(ids: &[String], wanted: &str) -> Option<usize> {
    if wanted.is_empty() || wanted.ends_with('-') {
        return None;
    }
    let has_prefix = |id: &str| id.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('-'));
    let candidates = ids.iter().enumerate().filter(|(_, id)| has_prefix(id));
    candidates.min_by_key(|(_, id)| id.len()).map(|(section_idx, _)| section_idx)
}
