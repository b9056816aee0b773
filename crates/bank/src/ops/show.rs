//! Memories, newest first, with the current code of their anchors.

use std::cmp::Reverse;

use anyhow::Result;
use cerberus_engine::excerpt::LineRange;
use cerberus_engine::track::InPlaceSymbol;
use cerberus_engine::tree::read;
use cerberus_engine::{excerpt, track};
use cerberus_model::{Anchor, Language, MemoryType, Origin, State, SymbolKind};
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use serde::Serialize;

use crate::ops::examples::OtherSummary;
use crate::ops::memories::Filter;
use crate::ops::metadata::Metadata;
use crate::ops::patterns::{self, PatternSummary};
use crate::ops::{Project, anchors, rounded};
use crate::{MemoryFile, Workspace};

/// The memories to show.
#[derive(Debug, Default)]
pub struct Request {
    /// Ids of memories, or unique prefixes; without any, all of them.
    pub ids: Vec<String>,
    /// Only memories with an anchor, with its code.
    pub anchored: bool,
    /// Only memories without an anchor.
    pub unanchored: bool,
    /// Whether the whole code of examples is shown.
    pub full: bool,
    pub filter: Filter,
}

impl Request {
    fn matches(&self, is_anchored: bool) -> bool {
        (!self.anchored || is_anchored) && (!self.unanchored || !is_anchored)
    }

    /// Returns the maximum number of lines of an example.
    fn max_lines(&self, project: &Project) -> usize {
        if self.full {
            usize::MAX
        } else {
            project.inject.max_lines.get()
        }
    }
}

/// Memories with their anchors.
#[derive(Debug, Serialize)]
pub struct Report {
    pub memories: Vec<MemoryReport>,
    pub warnings: Vec<String>,
}

/// Memory with its anchor.
#[derive(Debug, Clone, Serialize)]
pub struct MemoryReport {
    #[serde(flatten)]
    pub metadata: Metadata,
    pub text: String,
    pub anchor: Option<AnchorReport>,
    /// How the rule is checked; only for memories that are named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<PatternSummary>,
}

/// Anchor with its state and code in the current tree.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AnchorReport {
    pub file: String,
    pub symbol: Option<String>,
    pub kind: SymbolKind,
    pub language: Option<Language>,
    pub quality: f64,
    #[serde(rename = "match")]
    pub match_score: f64,
    pub chosen: Origin,
    /// `gone` if the code is not at its recorded location; only `reanchor` searches for it.
    pub state: State,
    pub start_line: Option<u32>,
    pub end_line: Option<u32>,
    /// Long code is shortened, with comments in place of the omitted lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The lines of the file in `code`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown_lines: Option<Vec<LineRange>>,
    /// The examples beside the main one, and the counter-examples.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherSummary>,
}

/// Returns the memories that match the arguments.
pub fn show(project: &Workspace, request: &Request) -> Result<Report> {
    let filter = &request.filter;
    if !request.ids.is_empty() {
        return show_ids(project, request, filter);
    }
    let memories = project.memories()?;
    let mut selected = memories.select(filter)?;
    selected.retain(|stored| request.matches(memories.anchors.contains_key(&stored.memory.id)));
    selected.sort_by_key(|stored| {
        let memory = &stored.memory;
        let time = memory.updated_at.max(memory.created_at);
        (Reverse(time), memory.id.clone())
    });
    let mut anchored: Vec<Anchored<'_>> = Vec::new();
    let mut warnings = memories.warnings.clone();
    for &stored in &selected {
        if let Some(anchor) = memories.anchors.get(&stored.memory.id) {
            anchored.push((stored, anchor));
            warnings.extend(anchored_without_example(stored));
        }
    }
    let max_lines = request.anchored.then(|| request.max_lines(project));
    let mut anchors = anchor_reports(project, &anchored, max_lines).into_iter();
    let mut reports = Vec::new();
    for stored in selected {
        let is_anchored = memories.anchors.contains_key(&stored.memory.id);
        let anchor = if is_anchored { anchors.next() } else { None };
        reports.push(MemoryReport::new(stored, anchor));
    }
    Ok(Report {
        memories: reports,
        warnings,
    })
}

/// Returns the memories with the given ids, without reading the others.
fn show_ids(project: &Workspace, request: &Request, filter: &Filter) -> Result<Report> {
    let mut found = Vec::new();
    let mut warnings = Vec::new();
    if filter.scope.is_some() || filter.path.is_some() {
        let indexed = project.synced()?.memories()?;
        filter.check(indexed.iter().map(|indexed| &indexed.memory))?;
    }
    for typed in &request.ids {
        let (mut stored, anchor) = match project.memory(typed)? {
            Some(known) => known,
            None => {
                let mut synced = project.synced()?;
                warnings.append(&mut synced.warnings);
                let (id, file) = synced.find(typed)?;
                (synced.read(&file)?, synced.anchor(&id)?)
            }
        };
        warnings.append(&mut stored.warnings);
        let anchor_file = anchor.as_ref().map(|anchor| anchor.file.as_str());
        if !filter.takes_memory(&stored.memory, &stored.file, anchor_file)
            || !request.matches(anchor.is_some())
        {
            continue;
        }
        let mut report = MemoryReport::new(&stored, None);
        if let Some(anchor) = &anchor {
            warnings.extend(anchored_without_example(&stored));
            let max_lines = Some(request.max_lines(project));
            report.anchor = anchor_reports(project, &[(&stored, anchor)], max_lines).pop();
        }
        if stored.memory.memory_type == MemoryType::Rule {
            report.pattern = Some(PatternSummary::from(&patterns::of_memory(&stored)));
        }
        found.push(report);
    }
    warnings.sort_unstable();
    warnings.dedup();
    Ok(Report {
        memories: found,
        warnings,
    })
}

/// Returns a warning about an anchored memory that has no example by decision.
fn anchored_without_example(stored: &MemoryFile) -> Option<String> {
    stored.memory.example?;
    let id = &stored.memory.id;
    let command = anchors::command(id, "--none");
    Some(format!(
        "`{id}` has `example: none` in its frontmatter but also has an anchor: remove the anchor with `{command}`, or the line `example: none` from its frontmatter"
    ))
}

/// A memory with its anchor.
pub type Anchored<'a> = (&'a MemoryFile, &'a Anchor);

/// Returns the current states of anchors, in the order of the anchors, with their code if there is a
/// maximum number of lines.
pub fn anchor_reports(
    project: &Project,
    anchored: &[Anchored<'_>],
    max_lines: Option<usize>,
) -> Vec<AnchorReport> {
    let anchors: Vec<&Anchor> = anchored.iter().map(|(_, anchor)| *anchor).collect();
    let symbols = track::verify_all(&project.root, &anchors);
    match (anchored, symbols.as_slice()) {
        // The start of the threads takes longer than the work.
        ([anchored], [symbol]) => {
            vec![anchor_report(
                project,
                *anchored,
                symbol.as_ref(),
                max_lines,
            )]
        }
        _ => anchored
            .par_iter()
            .zip(&symbols)
            .map(|(anchored, symbol)| anchor_report(project, *anchored, symbol.as_ref(), max_lines))
            .collect(),
    }
}

/// Returns the state of an anchor whose code was found in its place, or not.
fn anchor_report(
    project: &Project,
    (stored, anchor): Anchored<'_>,
    symbol: Option<&InPlaceSymbol>,
    max_lines: Option<usize>,
) -> AnchorReport {
    let mut report = AnchorReport {
        file: anchor.file.clone(),
        symbol: anchor.symbol.clone(),
        kind: anchor.kind,
        language: anchor.language,
        quality: rounded(anchor.quality),
        match_score: rounded(anchor.match_score),
        chosen: anchor.origin,
        state: State::Gone,
        start_line: None,
        end_line: None,
        shown_lines: None,
        code: None,
        others: anchor.others.iter().map(OtherSummary::from).collect(),
    };
    let Some(symbol) = symbol else {
        return report;
    };
    let (first, last) = symbol.lines;
    report.state = symbol.state;
    report.start_line = Some(first + 1);
    report.end_line = Some(last + 1);
    if let Some(max_lines) = max_lines
        && let Ok(text) = read::text(&project.root, &anchor.file)
    {
        let rule = anchors::rule_words(stored);
        let source = excerpt::Source {
            language: symbol.language,
            text: &text,
        };
        let excerpt = excerpt::of_text(&rule, source, symbol.lines, max_lines);
        report.shown_lines = Some(excerpt::shown_lines(&excerpt));
        report.code = Some(excerpt.text);
    }
    report
}

impl MemoryReport {
    fn new(stored: &MemoryFile, anchor: Option<AnchorReport>) -> Self {
        let text = stored.memory.body.trim().to_owned();
        Self {
            metadata: stored.into(),
            text,
            anchor,
            pattern: None,
        }
    }
}
