//! Memories that link to a file, a symbol or a memory, or are anchored to
//! it.

use std::collections::BTreeMap;

use anyhow::Result;
use cerberus_engine::syntax::parse::last_name;
use cerberus_engine::track;
use cerberus_markdown::links::{Kind, Part, Target, normalize_path};
use cerberus_model::{
    Globs, LinkState, MemoryStatus, MemoryType, UserError, format_location, refuse, split_number,
};
use serde::Serialize;

use crate::Workspace;
use crate::lockfile::Anchors;
use crate::ops::links::{self, Edge};
use crate::ops::search::signals::{self, Query};
use crate::ops::{Project, rounded};
use crate::sync::{IndexedMemory, SyncedStore};

/// Memories that are linked or anchored to the targets.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The normalized target.
    pub targets: Vec<String>,
    pub query: Option<String>,
    pub memories: Vec<Linked>,
    pub warnings: Vec<String>,
}

/// Memory with its relations to the targets.
#[derive(Debug, Clone, Serialize)]
pub struct Linked {
    pub id: String,
    pub file: String,
    #[serde(rename = "type")]
    pub memory_type: MemoryType,
    /// Score for the query, if there is one.
    pub score: Option<f64>,
    pub reasons: Vec<Reason>,
}

impl Linked {
    fn is_changed(&self) -> bool {
        let mut reasons = self.reasons.iter();
        reasons.any(|reason| reason.is_changed == Some(true))
    }
}

/// Link or anchor from a memory to a target.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reason {
    /// `anchor`, `paths`, or the relation that the link states.
    pub relation: &'static str,
    /// Target of the link, location of the anchor, or glob that matches the target.
    pub target: String,
    /// Sentence around the link.
    pub context: Option<String>,
    /// 1-based line of the link in the memory.
    pub line: Option<usize>,
    /// Whether the changes overlap the target. `None` if the target is a whole file.
    #[serde(skip)]
    pub is_changed: Option<bool>,
}

/// The relation of the example of a memory.
pub const ANCHOR: &str = "anchor";
/// The relation of a glob of a memory that matches the target.
pub const PATHS: &str = "paths";

/// Returns the memories that are linked or anchored to the target, ranked by words if there are some.
pub fn linked(project: &Workspace, target: &str, words: Option<&str>) -> Result<Report> {
    let mut query = None;
    if let Some(text) = words {
        query = Query::parse(text);
        if query.is_none() {
            return refuse(
                "the query contains no words",
                "omit it to list all memories",
            );
        }
    }
    let targets = [(TargetPattern::parse(target)?, None)];
    let mut report = find(project, &targets, query.as_ref())?;
    report.query = words.map(str::to_owned);
    Ok(report)
}

/// Returns the memories that are linked or anchored to changed files, given with their changed lines.
pub fn of_changes(
    project: &Workspace,
    changes: &BTreeMap<String, Vec<(u32, u32)>>,
) -> Result<Report> {
    let targets: Vec<_> = changes
        .iter()
        .map(|(path, hunks)| (TargetPattern::of_path(path), Some(&hunks[..])))
        .collect();
    find(project, &targets, None)
}

/// Half-open ranges of changed lines.
type Hunks<'a> = &'a [(u32, u32)];

/// Returns the memories about the targets, which have their changed lines if they are changed files.
fn find(
    project: &Workspace,
    targets: &[(TargetPattern, Option<Hunks<'_>>)],
    query: Option<&Query>,
) -> Result<Report> {
    let mut synced = project.synced()?;
    let warnings = std::mem::take(&mut synced.warnings);
    let edges = links::edges(project, &synced)?;
    let anchors = synced.anchors()?;
    let memories = synced.memories()?;
    let mut reasons = Reasons::new();
    for (pattern, hunks) in targets {
        let is_changed =
            |part: Option<&Part>| overlap(project, pattern.path.as_deref()?, (*hunks)?, part?);
        add_links(pattern, &edges, is_changed, &mut reasons);
        add_anchors(pattern, &anchors, is_changed, &mut reasons);
        // The rules of the folders of changed files would hide the memories about the files.
        if hunks.is_none() {
            add_paths(pattern, &memories, &mut reasons);
        }
    }
    let superseded = synced.supersession()?.superseded;
    let mut found = Vec::new();
    for IndexedMemory { memory, file, .. } in memories {
        let is_hidden =
            memory.status != MemoryStatus::Active || superseded.contains_key(&memory.id);
        if let Some(reasons) = reasons.remove(&memory.id)
            && !is_hidden
        {
            found.push(Linked {
                id: memory.id,
                file,
                memory_type: memory.memory_type,
                score: None,
                reasons,
            });
        }
    }
    rank(&synced, query, &mut found)?;
    let targets = targets
        .iter()
        .map(|(pattern, _)| pattern.text.clone())
        .collect();
    Ok(Report {
        targets,
        query: None,
        memories: found,
        warnings,
    })
}

/// The target argument in each of its possible meanings.
#[derive(Debug, Default)]
struct TargetPattern {
    /// Normalized spelling.
    text: String,
    path: Option<String>,
    symbol: Option<String>,
    memory: Option<String>,
}

impl TargetPattern {
    fn of_path(path: &str) -> Self {
        Self {
            text: path.to_owned(),
            path: Some(path.to_owned()),
            ..Self::default()
        }
    }

    fn parse(typed: &str) -> Result<Self> {
        let Some(target) = Target::parse(typed) else {
            return not_a_target(typed);
        };
        if target.kind == Kind::Memory {
            let text = format!("memory:{}", target.name);
            return Ok(Self {
                text,
                memory: Some(target.name),
                ..Self::default()
            });
        }
        let path = normalize_path(&target.name).ok_or_else(|| {
            UserError::usage(format!("`{typed}` is outside the project"))
                .hint("use a path from the project root, as in `src/server.py`")
        })?;
        if path.is_empty() {
            return not_a_target(typed);
        }
        let symbol = match target.part {
            Some(Part::Symbol(symbol)) => Some(symbol),
            _ => None,
        };
        let is_name = target.kind == Kind::Plain && symbol.is_none();
        Ok(Self {
            text: format_location(&path, symbol.as_deref()),
            symbol: symbol.or_else(|| is_name.then(|| target.name.clone())),
            memory: is_name.then(|| target.name.clone()),
            path: Some(path),
        })
    }

    /// Returns whether a location is the target or inside it.
    fn matches_location(&self, file: &str, symbol: Option<&str>) -> bool {
        let in_path = match &self.path {
            Some(path) => is_in_path(file, path),
            None => false,
        };
        let Some(name) = &self.symbol else {
            return in_path;
        };
        let in_symbol = match symbol {
            Some(symbol) => is_in_symbol(symbol, name),
            None => false,
        };
        // A name without a path: of a file or of a symbol.
        if self.memory.is_some() {
            in_path || in_symbol
        } else {
            in_path && in_symbol
        }
    }

    /// Returns whether the target of a link is this target or inside it.
    fn matches_link(&self, link_target: &str) -> bool {
        let Some(target) = Target::parse(link_target) else {
            return false;
        };
        if target.kind == Kind::Memory {
            return self.memory.as_ref() == Some(&target.name);
        }
        let symbol = match &target.part {
            Some(Part::Symbol(symbol)) => Some(symbol.as_str()),
            _ if target.kind == Kind::Plain => Some(target.name.as_str()),
            _ => None,
        };
        match normalize_path(&target.name) {
            Some(file) => self.matches_location(&file, symbol),
            None => false,
        }
    }
}

fn not_a_target<T>(typed: &str) -> Result<T> {
    refuse(
        format!("`{typed}` is not a valid target"),
        "use a file, a symbol or a memory, as in `cerberus memory linked src/server.py::start`",
    )
}

/// Returns whether a file is a path or below it.
fn is_in_path(file: &str, path: &str) -> bool {
    match file.strip_prefix(path) {
        Some(rest) => rest.is_empty() || rest.starts_with('/'),
        None => false,
    }
}

/// Returns whether a qualified symbol is the wanted one or inside it. Either name may lack its
/// first parts, and its number.
fn is_in_symbol(symbol: &str, wanted: &str) -> bool {
    let (symbol, number) = split_number(symbol);
    let (wanted, wanted_number) = split_number(wanted);
    if let (Some(number), Some(wanted)) = (number, wanted_number)
        && number != wanted
    {
        return false;
    }
    let parts: Vec<&str> = symbol.split('.').collect();
    let wanted: Vec<&str> = wanted.split('.').collect();
    parts.windows(wanted.len()).any(|window| window == wanted)
        || (wanted.ends_with(&parts) && last_name(symbol) == *wanted.last().unwrap_or(&""))
}

/// Returns whether changed lines overlap a part of a file, if the lines of the part are known.
fn overlap(project: &Project, path: &str, hunks: Hunks<'_>, part: &Part) -> Option<bool> {
    let parts = match part {
        Part::Lines(first, last) => vec![(*first, *last)],
        Part::Symbol(symbol) => {
            let all = track::locate_all(&project.root, path, Some(symbol)).ok()?;
            all.into_iter()
                .filter_map(|place| place.found.lines)
                .collect()
        }
        Part::Section(_) => return None,
    };
    for (first, last) in parts {
        for (start, end) in hunks {
            if *start <= last && *end > first {
                return Some(true);
            }
        }
    }
    Some(false)
}

/// Reasons by memory id.
type Reasons = BTreeMap<String, Vec<Reason>>;

fn add_links(
    pattern: &TargetPattern,
    edges: &[Edge],
    is_changed: impl Fn(Option<&Part>) -> Option<bool>,
    reasons: &mut Reasons,
) {
    for edge in edges {
        let targets = [Some(&edge.target), edge.resolved_to.as_ref()];
        let matches = edge.state != LinkState::Outside
            && targets
                .into_iter()
                .flatten()
                .any(|target| pattern.matches_link(target));
        if matches {
            let resolved = Target::parse(edge.resolved_to.as_ref().unwrap_or(&edge.target));
            let part = resolved.and_then(|target| target.part);
            reasons
                .entry(edge.source.clone())
                .or_default()
                .push(Reason {
                    context: Some(edge.context.clone()).filter(|context| !context.is_empty()),
                    line: Some(edge.line),
                    is_changed: is_changed(part.as_ref()),
                    relation: edge.relation.as_str(),
                    target: edge.target.clone(),
                });
        }
    }
}

fn add_anchors(
    pattern: &TargetPattern,
    anchors: &Anchors,
    is_changed: impl Fn(Option<&Part>) -> Option<bool>,
    reasons: &mut Reasons,
) {
    for (id, anchor) in anchors {
        if pattern.matches_location(&anchor.file, anchor.symbol.as_deref()) {
            let part = anchor.symbol.clone().map(Part::Symbol);
            let is_changed = is_changed(part.as_ref());
            let target = Target {
                kind: Kind::Path,
                name: anchor.file.clone(),
                part,
            }
            .to_string();
            let reason = Reason {
                relation: ANCHOR,
                target,
                is_changed,
                ..Reason::default()
            };
            reasons.entry(id.clone()).or_default().push(reason);
        }
    }
}

/// Adds the memories whose paths match the file of a target.
fn add_paths(pattern: &TargetPattern, memories: &[IndexedMemory], reasons: &mut Reasons) {
    for IndexedMemory { memory, .. } in memories {
        let globs = Globs::new(&memory.paths);
        if let Some(glob) = pattern.path.as_ref().and_then(|path| globs.find(path)) {
            let target = glob.to_owned();
            let reason = Reason {
                relation: PATHS,
                target,
                ..Reason::default()
            };
            reasons.entry(memory.id.clone()).or_default().push(reason);
        }
    }
}

/// Sorts the memories by their score for the query, then those with changes first, then by
/// their number of reasons, then by id.
fn rank(synced: &SyncedStore, query: Option<&Query>, memories: &mut [Linked]) -> Result<()> {
    if let Some(query) = query {
        let is_wanted = |id: &str| memories.iter().any(|memory| memory.id == id);
        let found = signals::search(&synced.store, query, &is_wanted)?;
        let mut scores = BTreeMap::new();
        for hit in found {
            scores.insert(hit.id, rounded(hit.score));
        }
        for memory in memories.iter_mut() {
            memory.score = Some(scores.get(&memory.id).copied().unwrap_or(0.0));
        }
    }
    memories.sort_by(|a, b| {
        let a_score = a.score.unwrap_or(0.0);
        let b_score = b.score.unwrap_or(0.0);
        b_score
            .total_cmp(&a_score)
            .then_with(|| b.is_changed().cmp(&a.is_changed()))
            .then_with(|| b.reasons.len().cmp(&a.reasons.len()))
            .then_with(|| a.id.cmp(&b.id))
    });
    Ok(())
}
