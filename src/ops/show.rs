//! `show`: memories, newest first, with the code that shows them as it is now.

use anyhow::Result;
use rayon::prelude::*;
use serde::Serialize;

use crate::bank::MemoryFile;
use crate::error::UserError;
use crate::model::{Anchor, Language, MemoryStatus, MemoryType, Origin, State, SymbolKind};
use crate::tree::read;

use super::memories::{Filter, Memories};
use super::{Project, rounded, sync};
use crate::engine::track;
use crate::engine::track::InPlaceSymbol;

/// What to show.
#[derive(Debug, Clone, Default)]
pub(crate) struct Request {
    /// Only these memories; all that the filter takes where none is named.
    pub(crate) ids: Vec<String>,
    pub(crate) filter: Filter,
    /// Only memories with an anchor, with their code.
    pub(crate) anchored: bool,
    /// Only memories without one.
    pub(crate) unanchored: bool,
}

/// Memories with their anchors.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) memories: Vec<Shown>,
    pub(crate) warnings: Vec<String>,
}

/// A memory as it is shown.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Shown {
    pub(crate) id: String,
    pub(crate) file: String,
    #[serde(rename = "type")]
    pub(crate) memory_type: MemoryType,
    pub(crate) category: Option<String>,
    pub(crate) scope: String,
    pub(crate) status: MemoryStatus,
    pub(crate) tags: Vec<String>,
    pub(crate) hints: Vec<String>,
    pub(crate) created_at: Option<String>,
    pub(crate) updated_at: Option<String>,
    pub(crate) text: String,
    pub(crate) anchor: Option<ShownAnchor>,
}

/// An anchor with its code.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShownAnchor {
    pub(crate) file: String,
    pub(crate) symbol: Option<String>,
    pub(crate) kind: SymbolKind,
    pub(crate) language: Option<Language>,
    pub(crate) quality: f64,
    #[serde(rename = "match")]
    pub(crate) match_score: f64,
    pub(crate) chosen: Origin,
    /// `gone` where the code is not at its place any more; `reanchor` looks for it.
    pub(crate) state: State,
    pub(crate) start_line: Option<u32>,
    pub(crate) end_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<String>,
}

/// Returns the memories that are asked for.
pub(crate) fn show(project: &Project, request: &Request) -> Result<Report> {
    if !request.ids.is_empty() {
        return show_named(project, request);
    }
    let memories = Memories::load(project)?;
    request.filter.check_scope(memories.all.iter().map(|stored| &stored.memory))?;
    let mut chosen: Vec<&MemoryFile> = memories.all.iter().collect();
    chosen.retain(|stored| {
        let is_anchored = memories.anchors.contains_key(&stored.memory.id);
        request.filter.takes(stored, &memories.anchors) && request.takes(is_anchored)
    });
    chosen.sort_by_key(|stored| {
        let memory = &stored.memory;
        (std::cmp::Reverse(memory.updated_at.max(memory.created_at)), memory.id.clone())
    });
    let anchors: Vec<&Anchor> =
        chosen.iter().filter_map(|stored| memories.anchors.get(&stored.memory.id)).collect();
    let mut anchors = shown_anchors(project, &anchors, request.anchored).into_iter();
    let shown = chosen.into_iter().map(|stored| {
        let is_anchored = memories.anchors.contains_key(&stored.memory.id);
        shown(stored, is_anchored.then(|| anchors.next()).flatten())
    });
    Ok(Report { memories: shown.collect(), warnings: memories.warnings.clone() })
}

/// Returns the memories that are named, and reads no others.
fn show_named(project: &Project, request: &Request) -> Result<Report> {
    let (mut found, mut warnings) = (Vec::new(), Vec::new());
    if request.filter.scope.is_some() {
        let known = sync::open(project)?.memories()?;
        request.filter.check_scope(known.iter().map(|it| &it.memory))?;
    }
    for typed in &request.ids {
        let (mut stored, anchor) = match sync::one(project, typed)? {
            Some(known) => known,
            None => {
                let mut synced = sync::open(project)?;
                warnings.append(&mut synced.warnings);
                let (id, file) = synced.find(typed)?;
                (synced.read(&file)?.into_owned(), synced.anchor(&id)?)
            }
        };
        warnings.append(&mut stored.warnings);
        let anchored = anchor.as_ref().map(|anchor| anchor.file.as_str());
        let passes = request.filter.takes_memory(&stored.memory, &stored.file, anchored)
            && request.takes(anchor.is_some());
        if passes {
            let anchor = anchor.and_then(|it| shown_anchors(project, &[&it], true).pop());
            found.push(shown(&stored, anchor));
        }
    }
    warnings.sort_unstable();
    warnings.dedup();
    Ok(Report { memories: found, warnings })
}

impl Request {
    fn takes(&self, is_anchored: bool) -> bool {
        (!self.anchored || is_anchored) && (!self.unanchored || !is_anchored)
    }
}

fn shown(stored: &MemoryFile, anchor: Option<ShownAnchor>) -> Shown {
    let memory = &stored.memory;
    Shown {
        id: memory.id.clone(),
        file: stored.file.clone(),
        memory_type: memory.memory_type,
        category: memory.category.clone(),
        scope: memory.scope.to_string(),
        status: memory.status,
        tags: memory.tags.clone(),
        hints: memory.hints.clone(),
        created_at: memory.created_at.map(|time| time.to_string()),
        updated_at: memory.updated_at.map(|time| time.to_string()),
        text: memory.body.trim().to_owned(),
        anchor,
    }
}

/// Returns anchors as they are now, in their order, each looked up in its own file alone;
/// a file is parsed once.
pub(super) fn shown_anchors(
    project: &Project,
    anchors: &[&Anchor],
    with_code: bool,
) -> Vec<ShownAnchor> {
    let mut by_file: Vec<usize> = (0..anchors.len()).collect();
    by_file.sort_by_key(|&n| &anchors[n].file);
    let groups: Vec<&[usize]> =
        by_file.chunk_by(|&a, &b| anchors[a].file == anchors[b].file).collect();
    let show = |group: &&[usize]| {
        let of_file: Vec<&Anchor> = group.iter().map(|&n| anchors[n]).collect();
        shown_in_file(project, &of_file, with_code)
    };
    // One file is not worth the start of the threads.
    let shown: Vec<Vec<ShownAnchor>> = match &groups[..] {
        [one] => vec![show(one)],
        several => several.par_iter().map(show).collect(),
    };
    let mut shown: Vec<(usize, ShownAnchor)> =
        by_file.iter().copied().zip(shown.into_iter().flatten()).collect();
    shown.sort_by_key(|(n, _)| *n);
    shown.into_iter().map(|(_, shown)| shown).collect()
}

fn shown_in_file(project: &Project, anchors: &[&Anchor], with_code: bool) -> Vec<ShownAnchor> {
    let file = &anchors[0].file;
    let verified = track::verify_in_place(&project.root, file, anchors);
    let text = if with_code { read::text(&project.root, file).ok() } else { None };
    anchors.iter().zip(verified).map(|(it, now)| shown_anchor(it, now, text.as_deref())).collect()
}

fn shown_anchor(anchor: &Anchor, now: Option<InPlaceSymbol>, text: Option<&str>) -> ShownAnchor {
    let state = now.as_ref().map_or(State::Gone, |now| now.state);
    let lines = now.map(|now| now.lines);
    let code = lines.zip(text).map(|((first, last), text)| {
        let (skip, take) = (first as usize, (last - first) as usize + 1);
        text.lines().skip(skip).take(take).collect::<Vec<_>>().join("\n")
    });
    ShownAnchor {
        file: anchor.file.clone(),
        symbol: anchor.symbol.clone(),
        kind: anchor.kind,
        language: anchor.language,
        quality: rounded(anchor.quality),
        match_score: rounded(anchor.match_score),
        chosen: anchor.origin,
        state,
        start_line: lines.map(|(first, _)| first + 1),
        end_line: lines.map(|(_, last)| last + 1),
        code,
    }
}

/// Returns the error for a `show` that found nothing to show.
pub(crate) fn nothing(request: &Request) -> UserError {
    let what = match (request.anchored, request.unanchored) {
        _ if request.filter != Filter::default() => {
            return UserError::check("no memory passes the filters")
                .hint("see all with `cerberus memory show`");
        }
        (true, _) => "no memory has an anchor",
        (_, true) => "no memory is without an anchor",
        _ => "there are no memories",
    };
    UserError::check(what).hint("add one with `cerberus memory add \"…\"`")
}
