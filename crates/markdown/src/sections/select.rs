//! Selecting sections by id.

use cerberus_model::text::suggest;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use super::{Section, Sections};

/// The separator between several sections in one output.
pub const SEPARATOR: &str = "\n\n---\n\n";

/// The sections found and missing, each in the order of the request.
#[derive(Debug, Default)]
pub struct Selection<'a> {
    pub found: Vec<&'a Section>,
    pub missing: Vec<MissingSection>,
}

/// Requested section that was not found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MissingSection {
    pub id: String,
    /// Most similar id in the memory.
    pub nearest: Option<String>,
}

/// Returns the sections that `requested` names, each once.
///
/// Ids match case-insensitively: either completely, or as the part of an id before a hyphen,
/// in which case the shortest such id wins. A request that is empty or ends with a hyphen is
/// not a prefix.
pub fn select<'a>(sections: &'a Sections, requested: &[String]) -> Selection<'a> {
    let ids: Vec<String> = sections
        .list
        .iter()
        .map(|it| it.id.to_lowercase())
        .collect();
    let by_id: FxHashMap<&str, usize> = ids
        .iter()
        .enumerate()
        .map(|(section_idx, id)| (id.as_str(), section_idx))
        .collect();
    let mut selection = Selection::default();
    let mut seen_sections = FxHashSet::default();
    let mut seen_missing = FxHashSet::default();
    for wanted in requested {
        let key = wanted.to_lowercase();
        let exact = by_id.get(key.as_str()).copied();
        if let Some(section_idx) = exact.or_else(|| by_prefix(&ids, &key)) {
            if seen_sections.insert(section_idx) {
                selection.found.push(&sections.list[section_idx]);
            }
        } else if seen_missing.insert(key) {
            let ids = sections.list.iter().map(|section| section.id.as_str());
            let nearest = suggest(wanted, ids).map(str::to_owned);
            selection.missing.push(MissingSection {
                id: wanted.clone(),
                nearest,
            });
        }
    }
    selection
}

fn by_prefix(ids: &[String], wanted: &str) -> Option<usize> {
    if wanted.is_empty() || wanted.ends_with('-') {
        return None;
    }
    let has_prefix = |id: &str| {
        id.strip_prefix(wanted)
            .is_some_and(|rest| rest.starts_with('-'))
    };
    let candidates = ids.iter().enumerate().filter(|(_, id)| has_prefix(id));
    candidates
        .min_by_key(|(_, id)| id.len())
        .map(|(section_idx, _)| section_idx)
}
