//! `linked`: the memories that speak of a file, a symbol or a memory, or are anchored there.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;

use super::links::{self, Edge};
use super::search::lanes::{self, Query};
use super::sync::{IndexedMemory, SyncedStore};
use super::{Project, rounded, sync};
use crate::bank::lockfile::Anchors;
use crate::engine::track;
use crate::error::UserError;
use crate::markdown::links::{Kind, Part, Target, normalize_path};
use crate::model::{EdgeType, LinkState, MemoryStatus, MemoryType};
use crate::syntax::parse::last_name;
use crate::tree::git;

/// What memories are to speak of.
#[derive(Debug, Clone)]
pub(crate) enum About {
    /// A file, a folder, a symbol or a memory, as it is typed.
    Target(String),
    /// The files that are staged in git.
    Staged,
}

/// What to look for.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) about: About,
    /// What ranks the memories; by their links alone where there is none.
    pub(crate) query: Option<String>,
    /// Whether memories that another one supersedes are wanted too.
    pub(crate) superseded: bool,
}

/// The memories that speak of something.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    /// What was asked for, in its one spelling; the staged files.
    pub(crate) targets: Vec<String>,
    pub(crate) query: Option<String>,
    pub(crate) memories: Vec<Linked>,
    pub(crate) warnings: Vec<String>,
}

/// A memory that speaks of it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Linked {
    pub(crate) id: String,
    pub(crate) file: String,
    #[serde(rename = "type")]
    pub(crate) memory_type: MemoryType,
    /// How well it fits the query, where there is one.
    pub(crate) score: Option<f64>,
    pub(crate) reasons: Vec<Reason>,
}

/// Why a memory is listed: a link in it, or its anchor.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Reason {
    /// `link` or `anchor`.
    pub(crate) by: &'static str,
    /// The place that is linked or anchored.
    pub(crate) target: String,
    pub(crate) edge_type: Option<EdgeType>,
    /// The sentence around the link.
    pub(crate) context: Option<String>,
    /// Where the link stands in the memory.
    pub(crate) line: Option<usize>,
    /// Whether staged lines touch just this place; none where that cannot be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) touched: Option<bool>,
}

/// Returns the memories that speak of what is asked for.
pub(crate) fn linked(project: &Project, request: &Request) -> Result<Report> {
    let query = match &request.query {
        None => None,
        Some(text) => Some(Query::read(text).ok_or_else(|| {
            UserError::usage("the query has no words to look for").hint("leave it out to see all")
        })?),
    };
    let staged = match &request.about {
        About::Staged => Some(git::staged(&project.root)?),
        About::Target(_) => None,
    };
    let mut synced = sync::open(project)?;
    let warnings = std::mem::take(&mut synced.warnings);
    let (edges, anchors) = (links::edges(project, &synced)?, synced.anchors()?);
    let mut reasons: BTreeMap<String, Vec<Reason>> = BTreeMap::new();
    let targets = match (&request.about, &staged) {
        (About::Target(typed), _) => {
            let wanted = Wanted::read(typed)?;
            collect(&wanted, &edges, &anchors, None, &mut reasons);
            vec![wanted.spelled]
        }
        (About::Staged, staged) => {
            let staged = staged.iter().flatten();
            for (path, lines) in staged.clone() {
                let touch = Touch { project, path, lines };
                let wanted =
                    Wanted { spelled: path.clone(), path: Some(path.clone()), ..Wanted::default() };
                collect(&wanted, &edges, &anchors, Some(&touch), &mut reasons);
            }
            staged.map(|(path, _)| path.clone()).collect()
        }
    };
    let mut memories = describe(&synced, request, reasons)?;
    rank(&synced, query.as_ref(), &mut memories)?;
    Ok(Report { targets, query: request.query.clone(), memories, warnings })
}

/// What is asked for, read as all that it may mean.
#[derive(Debug, Default)]
struct Wanted {
    spelled: String,
    path: Option<String>,
    symbol: Option<String>,
    memory: Option<String>,
}

impl Wanted {
    fn read(typed: &str) -> Result<Self> {
        let nothing = || {
            UserError::usage(format!("`{typed}` names nothing"))
                .hint("name a file, a symbol or a memory, as in `cerberus memory linked src/server.py::start`")
        };
        let target = Target::parse(typed).ok_or_else(nothing)?;
        if target.kind == Kind::Memory {
            let spelled = format!("memory:{}", target.name);
            return Ok(Self { spelled, memory: Some(target.name), ..Self::default() });
        }
        let path = normalize_path(&target.name).ok_or_else(|| {
            UserError::usage(format!("`{typed}` leads out of the project"))
                .hint("name it from the project's root, as in `src/server.py`")
        })?;
        if path.is_empty() {
            return Err(nothing().into());
        }
        let symbol = match target.part {
            Some(Part::Symbol(symbol)) => Some(symbol),
            _ => None,
        };
        let is_name = target.kind == Kind::Plain && symbol.is_none();
        Ok(Self {
            spelled: match &symbol {
                Some(symbol) => format!("{path}::{symbol}"),
                None => path.clone(),
            },
            symbol: symbol.or_else(|| is_name.then(|| target.name.clone())),
            memory: is_name.then(|| target.name.clone()),
            path: Some(path),
        })
    }

    /// Returns whether a place is, or is in, what is asked for.
    fn takes(&self, file: &str, symbol: Option<&str>) -> bool {
        let in_path = self.path.as_ref().is_some_and(|path| {
            let rest = file.strip_prefix(path.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        match &self.symbol {
            None => in_path,
            // A name alone.
            Some(name) if self.memory.is_some() => {
                in_path || symbol.is_some_and(|symbol| is_in_symbol(symbol, name))
            }
            Some(name) => in_path && symbol.is_some_and(|symbol| is_in_symbol(symbol, name)),
        }
    }

    /// Returns whether a link's target, or what it was found to be, is asked for.
    fn takes_spelled(&self, spelled: &str) -> bool {
        let Some(target) = Target::parse(spelled) else {
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
        let file = normalize_path(&target.name);
        file.is_some_and(|file| self.takes(&file, symbol))
    }
}

/// Returns whether a qualified symbol is the wanted one or in it; either may be just the
/// tail of the other.
fn is_in_symbol(symbol: &str, wanted: &str) -> bool {
    let parts: Vec<&str> = symbol.split('.').collect();
    let wanted: Vec<&str> = wanted.split('.').collect();
    parts.windows(wanted.len()).any(|window| window == wanted)
        || (wanted.ends_with(&parts) && last_name(symbol) == *wanted.last().unwrap_or(&""))
}

/// What is staged in one file.
struct Touch<'a> {
    project: &'a Project,
    path: &'a str,
    lines: &'a [(u32, u32)],
}

impl Touch<'_> {
    /// Returns whether the staged lines touch the named part of the file.
    fn touches(&self, part: Option<&Part>) -> Option<bool> {
        let (first, last) = match part? {
            Part::Lines(first, last) => (*first, *last),
            Part::Symbol(symbol) => {
                let found = track::locate(&self.project.root, self.path, Some(symbol)).ok()?;
                found.found.lines?
            }
            Part::Section(_) => return None,
        };
        Some(self.lines.iter().any(|(start, end)| *start <= last && *end > first))
    }
}

fn collect(
    wanted: &Wanted,
    edges: &[Edge],
    anchors: &Anchors,
    touch: Option<&Touch>,
    reasons: &mut BTreeMap<String, Vec<Reason>>,
) {
    for edge in edges {
        let places = [Some(&edge.target), edge.found.as_ref()];
        let is_meant = edge.state != LinkState::Outside
            && places.into_iter().flatten().any(|place| wanted.takes_spelled(place));
        if is_meant {
            let part =
                Target::parse(edge.found.as_ref().unwrap_or(&edge.target)).and_then(|it| it.part);
            reasons.entry(edge.source.clone()).or_default().push(Reason {
                by: "link",
                target: edge.target.clone(),
                edge_type: Some(edge.edge_type),
                context: Some(edge.context.clone()).filter(|context| !context.is_empty()),
                line: Some(edge.line),
                touched: touch.and_then(|touch| touch.touches(part.as_ref())),
            });
        }
    }
    for (id, anchor) in anchors {
        if wanted.takes(&anchor.file, anchor.symbol.as_deref()) {
            let part = anchor.symbol.clone().map(Part::Symbol);
            let target = Target { kind: Kind::Path, name: anchor.file.clone(), part: part.clone() };
            reasons.entry(id.clone()).or_default().push(Reason {
                by: "anchor",
                target: target.to_string(),
                edge_type: None,
                context: None,
                line: None,
                touched: touch.and_then(|touch| touch.touches(part.as_ref())),
            });
        }
    }
}

/// Puts the memories to their reasons, and leaves out those that nobody should act on.
fn describe(
    synced: &SyncedStore,
    request: &Request,
    mut reasons: BTreeMap<String, Vec<Reason>>,
) -> Result<Vec<Linked>> {
    let supersession = links::supersession(synced)?;
    let mut found = Vec::new();
    for IndexedMemory { memory, file, .. } in synced.memories()? {
        let is_hidden = memory.status == MemoryStatus::Archived
            || (!request.superseded && supersession.superseded.contains_key(&memory.id));
        let Some(reasons) = reasons.remove(&memory.id).filter(|_| !is_hidden) else {
            continue;
        };
        let (id, memory_type) = (memory.id, memory.memory_type);
        found.push(Linked { id, file, memory_type, score: None, reasons });
    }
    Ok(found)
}

/// Orders the memories: by the query where there is one, then those whose very place is
/// touched, then those with most reasons, then by id.
fn rank(synced: &SyncedStore, query: Option<&Query>, memories: &mut [Linked]) -> Result<()> {
    if let Some(query) = query {
        let is_wanted = |id: &str| memories.iter().any(|it| it.id == id);
        let found = lanes::search(&synced.store, query, &is_wanted)?;
        let scores: BTreeMap<String, f64> =
            found.into_iter().map(|it| (it.memory, rounded(it.score))).collect();
        for memory in memories.iter_mut() {
            memory.score = Some(scores.get(&memory.id).copied().unwrap_or(0.0));
        }
    }
    let is_touched = |it: &Linked| it.reasons.iter().any(|reason| reason.touched == Some(true));
    memories.sort_by(|a, b| {
        let score = |it: &Linked| it.score.unwrap_or(0.0);
        score(b)
            .total_cmp(&score(a))
            .then_with(|| is_touched(b).cmp(&is_touched(a)))
            .then_with(|| b.reasons.len().cmp(&a.reasons.len()))
            .then_with(|| a.id.cmp(&b.id))
    });
    Ok(())
}

/// Returns the error for a target that no memory speaks of.
pub(crate) fn nothing(report: &Report) -> UserError {
    let target = report.targets.join(", ");
    let failure = UserError::check(format!("no memory speaks of `{target}` or is anchored there"));
    failure.hint("see what they do speak of with `cerberus memory links`")
}
