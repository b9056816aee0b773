//! `report`: all that a bank holds and how its anchors stand, for people to read.
//!
//! Writes nothing: an anchor is in the state in which `reanchor --check` finds it. The
//! same bank and tree give the same report, whatever the time: pins that pass or are a
//! session's own are left out.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use jiff::Timestamp;
use rayon::prelude::*;
use serde::Serialize;

use crate::bank::MemoryFile;
use crate::bank::lockfile::Anchors;
use crate::model::{
    Anchor, Language, MemoryStatus, MemoryType, PinScope, Scope, State, SymbolKind,
};
use crate::syntax::excerpt::excerpt;
use crate::syntax::language;
use crate::tree::{git, read};

use super::links::{self, Cycle, Edge};
use super::memories::{Filter, Memories};
use super::pins::{self, BuiltinPin};
use super::reanchor::{self, Finding, Mode, Request};
use super::sections::{self, Section};
use super::{Progress, Project, inject, rounded};
use crate::engine::track;

/// The most lines of a memory's text: what is longer is read in its own file.
const MAX_TEXT_LINES: usize = 200;

/// The first and the last, from 0.
type Lines = (u32, u32);

/// A bank as it is now.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    /// The name of the project's folder.
    pub(crate) project: String,
    /// What is checked out, where git knows.
    pub(crate) commit: Option<Commit>,
    pub(crate) counts: Counts,
    /// Ordered by id.
    pub(crate) memories: Vec<Entry>,
    /// Anchors of memories that are no more.
    pub(crate) orphans: Vec<String>,
    pub(crate) links: Vec<Edge>,
    pub(crate) cycles: Vec<Cycle>,
    /// The pins that stay until they are removed.
    pub(crate) pins: Vec<pins::PinReport>,
    /// The built-in pins that are on.
    pub(crate) default_pins: Vec<BuiltinPin>,
    pub(crate) warnings: Vec<String>,
}

/// The commit that is checked out.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Commit {
    pub(crate) id: String,
    pub(crate) committed_at: String,
    /// The files of the bank and of the examples that are not as they are in the commit.
    pub(crate) changed_files: Vec<String>,
}

/// How much there is of everything.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Counts {
    pub(crate) memories: usize,
    pub(crate) by_type: BTreeMap<String, usize>,
    pub(crate) by_scope: BTreeMap<String, usize>,
    pub(crate) by_status: BTreeMap<String, usize>,
    pub(crate) anchored: usize,
    pub(crate) anchors_by_state: BTreeMap<State, usize>,
    /// How many anchors a person has to decide on.
    pub(crate) drifted: usize,
    pub(crate) links: usize,
    /// Links that do not lead where they say.
    pub(crate) broken_links: usize,
    pub(crate) pins: usize,
}

/// A memory with its example.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entry {
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
    /// Without the tags of its sections, and at most as long as is read in one go.
    pub(crate) text: String,
    /// How many lines of the text are left out at its end.
    pub(crate) left_out_lines: usize,
    pub(crate) sections: Vec<Section>,
    /// Whether it can have an example: what is universal cannot.
    pub(crate) anchorable: bool,
    pub(crate) anchor: Option<Anchored>,
}

/// An anchor, what became of it, and its code.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Anchored {
    pub(crate) kind: SymbolKind,
    pub(crate) language: Option<Language>,
    pub(crate) quality: f64,
    #[serde(rename = "match")]
    pub(crate) match_score: f64,
    #[serde(flatten)]
    pub(crate) finding: Finding,
    /// The command that settles it, where anything is to be done.
    pub(crate) command: Option<String>,
    /// None where the code is lost.
    pub(crate) code: Option<Code>,
}

/// Code at its place now.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Code {
    pub(crate) file: String,
    pub(crate) start_line: u32,
    pub(crate) end_line: u32,
    /// With a comment in place of what has no room.
    pub(crate) text: String,
}

/// Returns the report, and what is to be told of the store alone.
pub(crate) fn report(project: &Project, progress: Progress<'_>) -> Result<(Report, Vec<String>)> {
    let memories = Memories::load(project)?;
    let request = Request {
        mode: Mode::Check,
        filter: Filter::default(),
        min_quality: project.min_quality,
        strict: false,
        since: None,
    };
    let followed = reanchor::reanchor(project, &request, progress)?;
    let links = links::links(project, false)?;
    let lasting = pins::Filter { scope: Some(PinScope::Persistent), ..pins::Filter::default() };
    let pins = pins::list(project, &lasting, false, None)?;
    let findings: BTreeMap<String, Finding> =
        followed.results.into_iter().map(|finding| (finding.id.clone(), finding)).collect();
    let lines = lines(project, &memories.anchors, &findings);
    let entry = |stored: &MemoryFile| {
        let id = &stored.memory.id;
        let anchor = memories.anchors.get(id).zip(findings.get(id));
        let lines = lines.get(id.as_str()).copied();
        entry(stored, anchor.map(|(anchor, finding)| anchored(project, anchor, finding, lines)))
    };
    let mut entries: Vec<Entry> = memories.all.par_iter().map(entry).collect();
    entries.sort_by(|a, b| a.id.cmp(&b.id));

    let mut warnings = memories.warnings;
    warnings.extend(links.cycles.iter().map(Cycle::warning));
    let told = links.warnings.into_iter().chain(pins.warnings);
    let mut of_store: Vec<String> = told.filter(|it| !warnings.contains(it)).collect();
    of_store.sort_unstable();
    of_store.dedup();
    let report = Report {
        project: project.root.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        commit: commit(project, &entries),
        counts: counts(&entries, links.total, links.broken, pins.pins.len()),
        memories: entries,
        orphans: followed.orphans,
        links: links.edges,
        cycles: links.cycles,
        pins: pins.pins,
        default_pins: pins.defaults,
        warnings,
    };
    Ok((report, of_store))
}

fn entry(stored: &MemoryFile, anchor: Option<Anchored>) -> Entry {
    let memory = &stored.memory;
    let text = inject::text(stored).replace("\r\n", "\n");
    let n_lines = text.lines().count();
    let shown: Vec<&str> = text.lines().take(MAX_TEXT_LINES).collect();
    Entry {
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
        text: shown.join("\n"),
        left_out_lines: n_lines - shown.len(),
        sections: sections::report(stored, &stored.text).sections,
        anchorable: memory.scope != Scope::Universal,
        anchor,
    }
}

/// Returns the lines from 0, by the id of the memory, of each anchor that was found: what
/// is fresh is known to be there without a look at where.
fn lines<'a>(
    project: &Project,
    anchors: &'a Anchors,
    findings: &BTreeMap<String, Finding>,
) -> BTreeMap<&'a str, Lines> {
    let mut known = BTreeMap::new();
    let mut open: BTreeMap<&str, Vec<(&str, &Anchor)>> = BTreeMap::new();
    for (id, anchor) in anchors {
        let Some(place) = findings.get(id).and_then(|finding| finding.new.as_ref()) else {
            continue;
        };
        match place.start_line.zip(place.end_line) {
            Some((first, last)) => {
                known.insert(id.as_str(), (first - 1, last - 1));
            }
            None => open.entry(&anchor.file).or_default().push((id, anchor)),
        }
    }
    let open = Vec::from_iter(open);
    let found = open.par_iter().flat_map_iter(|(file, named)| {
        let anchors: Vec<&Anchor> = named.iter().map(|(_, anchor)| *anchor).collect();
        let held = track::held_in(&project.root, file, &anchors).into_iter();
        held.zip(named).filter_map(|(held, (id, _))| Some((*id, held?.new?.lines?)))
    });
    known.par_extend(found);
    known
}

fn anchored(
    project: &Project,
    anchor: &Anchor,
    finding: &Finding,
    lines: Option<Lines>,
) -> Anchored {
    let records = finding.recorded.then(|| "cerberus memory reanchor".to_owned());
    Anchored {
        kind: anchor.kind,
        language: anchor.language,
        quality: rounded(anchor.quality),
        match_score: rounded(anchor.match_score),
        command: finding.next.clone().or(records),
        code: lines.and_then(|lines| code(project, finding, lines)),
        finding: finding.clone(),
    }
}

/// Returns the code at the place where the anchor was found.
fn code(project: &Project, finding: &Finding, (first, last): Lines) -> Option<Code> {
    let place = finding.new.as_ref()?;
    let text = read::text(&project.root, &place.file).ok()?;
    let is_head = place.symbol.is_none();
    let language = language::from_path(&place.file);
    let lines = (first as usize, last as usize);
    Some(Code {
        file: place.file.clone(),
        start_line: first + 1,
        end_line: last + 1,
        text: excerpt(language, &text, lines, project.inject.max_lines, is_head),
    })
}

fn counts(entries: &[Entry], links: usize, broken_links: usize, pins: usize) -> Counts {
    let count = |key: &dyn Fn(&Entry) -> String| {
        let mut counts = BTreeMap::new();
        for entry in entries {
            *counts.entry(key(entry)).or_insert(0) += 1;
        }
        counts
    };
    let anchors: Vec<&Finding> =
        entries.iter().filter_map(|entry| Some(&entry.anchor.as_ref()?.finding)).collect();
    let mut anchors_by_state = BTreeMap::new();
    for finding in &anchors {
        *anchors_by_state.entry(finding.state).or_insert(0) += 1;
    }
    Counts {
        memories: entries.len(),
        by_type: count(&|entry| entry.memory_type.to_string()),
        by_scope: count(&|entry| entry.scope.clone()),
        by_status: count(&|entry| entry.status.to_string()),
        anchored: anchors.len(),
        drifted: anchors.iter().filter(|finding| finding.drift).count(),
        anchors_by_state,
        links,
        broken_links,
        pins,
    }
}

/// Returns the commit that is checked out, with what is not as it says.
fn commit(project: &Project, entries: &[Entry]) -> Option<Commit> {
    let head = git::head(&project.root)?;
    let changed = git::changed_since(&project.root, &head.id).unwrap_or_default();
    let bank = project.bank.folder().strip_prefix(&project.root).ok();
    let bank = bank.map(|bank| format!("{}/", bank.display()));
    let examples: BTreeSet<&str> = entries
        .iter()
        .filter_map(|entry| entry.anchor.as_ref())
        .flat_map(|anchor| {
            let new = anchor.finding.new.iter().map(|new| new.file.as_str());
            new.chain([anchor.finding.old.file.as_str()])
        })
        .collect();
    let is_shown = |file: &String| {
        examples.contains(file.as_str())
            || bank.as_ref().is_some_and(|bank| file.starts_with(bank.as_str()))
    };
    Some(Commit {
        id: head.id,
        committed_at: Timestamp::from_second(head.seconds).ok()?.to_string(),
        changed_files: changed.into_iter().filter(is_shown).collect(),
    })
}
