//! `cerberus memory show`: memories, newest first, with the current code of their anchors.

use std::cmp::Reverse;

use anyhow::Result;
use cerberus_bank::MemoryFile;
use cerberus_bank::Workspace;
use cerberus_bank::ops::examples::OtherSummary;
use cerberus_bank::ops::memories::Filter;
use cerberus_bank::ops::metadata::Metadata;
use cerberus_bank::ops::patterns::{self, PatternSummary};
use cerberus_bank::ops::{Project, anchors, memories, rounded, sync};
use cerberus_engine::excerpt::LineRange;
use cerberus_engine::track::InPlaceSymbol;
use cerberus_engine::tree::read;
use cerberus_engine::{excerpt, track};
use cerberus_model::error::{ExitStatus, UserError};
use cerberus_model::text::{sentences, shell_word};
use cerberus_model::{
    Anchor, Enforcement, ExampleChoice, ExampleRole, Language, Memory, MemoryType, Origin, State,
    SymbolKind, format_location,
};
use clap::Args;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use serde::Serialize;

use crate::config::Settings;
use crate::output::{CliResult, DIM, ERROR, NAME, OK, Printer, WARN};

#[derive(Debug, Default, Args)]
pub(crate) struct ShowArgs {
    /// Ids of memories, or unique id prefixes
    pub(crate) ids: Vec<String>,
    /// Only memories with an anchor, with the code at its current lines
    #[arg(long)]
    pub(crate) anchored: bool,
    /// Only memories without an anchor
    #[arg(long, conflicts_with = "anchored")]
    pub(crate) unanchored: bool,
    /// Show the whole code of examples, not only the lines with the words of the rule
    #[arg(long)]
    pub(crate) full: bool,
    #[command(flatten)]
    pub(crate) filter: Filter,
}

impl ShowArgs {
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
pub(crate) struct Report {
    pub(crate) memories: Vec<MemoryReport>,
    pub(crate) warnings: Vec<String>,
}

/// Memory with its anchor.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct MemoryReport {
    #[serde(flatten)]
    pub(crate) metadata: Metadata,
    pub(crate) text: String,
    pub(crate) anchor: Option<AnchorReport>,
    /// How the rule is checked; only for memories that are named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pattern: Option<PatternSummary>,
}

/// Anchor with its state and code in the current tree.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AnchorReport {
    pub(crate) file: String,
    pub(crate) symbol: Option<String>,
    pub(crate) kind: SymbolKind,
    pub(crate) language: Option<Language>,
    pub(crate) quality: f64,
    #[serde(rename = "match")]
    pub(crate) match_score: f64,
    pub(crate) chosen: Origin,
    /// `gone` if the code is not at its recorded location; only `reanchor` searches for it.
    pub(crate) state: State,
    pub(crate) start_line: Option<u32>,
    pub(crate) end_line: Option<u32>,
    /// Long code is shortened, with comments in place of the omitted lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<String>,
    /// The lines of the file in `code`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shown_lines: Option<Vec<LineRange>>,
    /// The examples beside the main one, and the counter-examples.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) others: Vec<OtherSummary>,
}

/// Returns the memories that match the arguments.
pub(crate) fn show(project: &Workspace, args: &ShowArgs) -> Result<Report> {
    let filter = &args.filter;
    if !args.ids.is_empty() {
        return show_ids(project, args, filter);
    }
    let memories = project.memories()?;
    filter.check(memories.all.iter().map(|stored| &stored.memory))?;
    let mut selected: Vec<&MemoryFile> = Vec::new();
    for stored in &memories.all {
        let is_anchored = memories.anchors.contains_key(&stored.memory.id);
        if args.matches(is_anchored) && filter.takes(stored, &memories.anchors) {
            selected.push(stored);
        }
    }
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
    let max_lines = args.anchored.then(|| args.max_lines(project));
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
fn show_ids(project: &Workspace, args: &ShowArgs, filter: &Filter) -> Result<Report> {
    let mut found = Vec::new();
    let mut warnings = Vec::new();
    if filter.scope.is_some() || filter.path.is_some() {
        let indexed = project.synced()?.memories()?;
        filter.check(indexed.iter().map(|indexed| &indexed.memory))?;
    }
    for typed in &args.ids {
        let (mut stored, anchor) = match sync::one(project, typed)? {
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
            || !args.matches(anchor.is_some())
        {
            continue;
        }
        let mut report = MemoryReport::new(&stored, None);
        if let Some(anchor) = &anchor {
            warnings.extend(anchored_without_example(&stored));
            let max_lines = Some(args.max_lines(project));
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
    let word = shell_word(id);
    Some(format!(
        "`{id}` has `example: none` in its frontmatter but also has an anchor: remove the anchor with `cerberus memory anchor {word} --none`, or the line `example: none` from its frontmatter"
    ))
}

/// A memory with its anchor.
pub(crate) type Anchored<'a> = (&'a MemoryFile, &'a Anchor);

/// Returns the current states of anchors, in the order of the anchors, with their code if there is a
/// maximum number of lines.
pub(crate) fn anchor_reports(
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

pub(crate) fn run(args: &ShowArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let report = show(&settings.project, args)?;
    out.warn(&report.warnings);
    if out.json {
        out.json(&report)?;
        return Ok(ExitStatus::of_check(!report.memories.is_empty()));
    }
    if report.memories.is_empty() {
        out.flush()?;
        return Err(no_memories(args).into());
    }
    if args.anchored || !args.ids.is_empty() {
        for (idx, memory) in report.memories.iter().enumerate() {
            if idx > 0 {
                out.line("");
            }
            print_memory(memory, out);
        }
    } else {
        out.table(
            &["id", "type", "example", "text"],
            report.memories.iter().map(row),
            1,
        );
    }
    Ok(ExitStatus::Done)
}

fn no_memories(args: &ShowArgs) -> UserError {
    if args.filter != Filter::default() {
        return UserError::check("no memory matches the filters")
            .hint("list all with `cerberus memory show`");
    }
    let message = match (args.anchored, args.unanchored) {
        (true, _) => "no memory has an anchor",
        (_, true) => "every memory has an anchor",
        _ => "there are no memories",
    };
    UserError::check(message).hint("add one with `cerberus memory add \"…\"`")
}

fn row(memory: &MemoryReport) -> [String; 4] {
    let metadata = &memory.metadata.memory;
    let example = match (&memory.anchor, metadata.example) {
        (Some(anchor), _) => {
            let location = format_location(&anchor.file, anchor.symbol.as_deref());
            match anchor.state {
                State::Fresh => location,
                state => format!("{location} ({state})"),
            }
        }
        (None, Some(ExampleChoice::None)) => "none, by decision".to_owned(),
        (None, None) => "-".to_owned(),
    };
    [
        metadata.id.clone(),
        metadata.memory_type.to_string(),
        example,
        memories::title(&memory.text),
    ]
}

fn print_memory(memory: &MemoryReport, out: &mut Printer) {
    let Memory {
        id,
        memory_type,
        kind: rule_kind,
        scope,
        paths,
        heading,
        ..
    } = &memory.metadata.memory;
    let mut facts = vec![memory_type.to_string(), scope.to_string()];
    facts.extend(rule_kind.map(|kind| format!("kind {kind}")));
    if !paths.is_empty() {
        facts.push(paths.join(", "));
    }
    facts.extend(heading.clone());
    let kind = out.paint(DIM, &out.safe(&facts.join(" · ")));
    out.line(&format!("{}  {kind}", out.style(NAME, id)));
    for line in by_sentence(&memory.text) {
        out.line(format!("  {}", out.safe(&line)).trim_end());
    }
    if let Some(anchor) = &memory.anchor {
        print_example(id, anchor, out);
    } else if memory.metadata.memory.example == Some(ExampleChoice::None) {
        out.line("  no example, by decision (`example: none`)");
    }
    if let Some(pattern) = &memory.pattern {
        let is_enforced = pattern.enforcement == Enforcement::Enforced;
        let state = if is_enforced {
            pattern.enforcement.as_str()
        } else {
            "pattern proposed"
        };
        if is_enforced || pattern.proposed_by.is_some() {
            let id = shell_word(id);
            let command = format!("see cerberus memory pattern {}", out.safe(&id));
            out.line(&format!("  {state}: {command}"));
        }
    }
}

/// Returns the lines of a text, with each sentence of its paragraphs on a line of its own. Lists, tables,
/// headings and code remain as they are.
fn by_sentence(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut paragraph = String::new();
    let mut is_code = false;
    for line in text.lines().chain([""]) {
        let unindented = line.trim_start();
        let is_fence = unindented.starts_with("```") || unindented.starts_with("~~~");
        if !is_code && !is_fence && line.starts_with(is_prose_start) {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(line.trim_end());
            continue;
        }
        lines.extend(sentences::of(&paragraph).map(str::to_owned));
        paragraph.clear();
        is_code ^= is_fence;
        lines.push(line.to_owned());
    }
    lines.pop();
    lines
}

/// Whether a line that starts with this is part of a paragraph: not of a list, a table, a quotation or code.
fn is_prose_start(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '`' | '"' | '\'' | '(' | '[')
}

fn print_example(id: &str, anchor: &AnchorReport, out: &mut Printer) {
    let location = out.safe(&format_location(&anchor.file, anchor.symbol.as_deref()));
    let lines = match (anchor.start_line, anchor.end_line) {
        (Some(first), Some(last)) => format!(":{first}-{last}"),
        _ => String::new(),
    };
    let style = match anchor.state {
        State::Fresh | State::Reformatted => OK,
        State::Gone => ERROR,
        _ => WARN,
    };
    let state = out.paint(style, anchor.state.as_str());
    let origin = match anchor.chosen {
        Origin::Manual => "chosen by hand".to_owned(),
        chosen => format!("quality {:.2}, {chosen}", anchor.quality),
    };
    let origin = out.paint(DIM, &origin);
    out.line(&format!("  example {location}{lines}  {state}  {origin}"));
    for line in anchor.code.iter().flat_map(|code| code.lines()) {
        out.code(format!("    {}", out.safe(line)).trim_end());
    }
    if anchor.code.is_none() && anchor.state == State::Gone {
        out.line(&format!(
            "  next: cerberus memory reanchor, then cerberus memory show {id}"
        ));
    }
    for other in &anchor.others {
        let kind = match other.role {
            ExampleRole::Also => "also",
            ExampleRole::Not => "not",
        };
        out.line(&format!("  {kind} {}", out.safe(&other.location())));
    }
}
