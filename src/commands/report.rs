//! `cerberus memory report`: an overview of the bank, as an HTML page or as JSON.
//!
//! Does not change the bank. Anchors have the state that `reanchor --check` reports. The same
//! bank and tree give the same report at any time, so only persistent pins are included.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Result;
use cerberus_bank::lockfile::Anchors;
use cerberus_bank::ops::examples::OtherSummary;
use cerberus_bank::ops::links::{self, Edge};
use cerberus_bank::ops::metadata::Metadata;
use cerberus_bank::ops::patterns::{self, PatternSummary};
use cerberus_bank::ops::pins::{self, BuiltinPin};
use cerberus_bank::ops::reanchor::{self, Finding, TrackedLocation};
use cerberus_bank::ops::rule_counts::RuleCounts;
use cerberus_bank::ops::stats::MemoryCounts;
use cerberus_bank::ops::{Progress, Project, anchors, rounded};
use cerberus_bank::{Bank, MemoryFile, OutputFile};
use cerberus_engine::excerpt::LineRange;
use cerberus_engine::syntax::language;
use cerberus_engine::tree::{git, read};
use cerberus_engine::{excerpt, track};
use cerberus_model::error::{ExitStatus, UserError};
use cerberus_model::text::plural;
use cerberus_model::{
    Anchor, ExampleChoice, Language, MemoryType, PinScope, Scope, Severity, State, SymbolKind,
};
use clap::Args;
use jiff::Timestamp;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::Serialize;

use crate::commands::check::{self, CheckArgs, Extent};
use crate::commands::doctor::{self, Reach};
use crate::config::Settings;
use crate::output::{CliResult, OK, Printer, ProgressBar, WARN};

pub(super) mod page;

/// Maximum number of lines of a memory's text in the report.
const MAX_TEXT_LINES: usize = 200;

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Write the page to this file, replacing an older page (`-` for standard output)
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    /// Name of the project folder.
    pub(crate) project: String,
    pub(crate) commit: Option<Commit>,
    pub(crate) counts: Counts,
    /// What the documents say that is not true. `None` if they could not be checked.
    pub(crate) documents: Option<Documents>,
    /// Ordered by id.
    pub(crate) memories: Vec<Entry>,
    /// Ids of anchors whose memory does not exist.
    pub(crate) orphans: Vec<String>,
    /// How the rules reach the agents of the project.
    pub(crate) reach: Vec<Reach>,
    pub(crate) links: Vec<Edge>,
    pub(crate) pins: Vec<pins::PinReport>,
    /// The enabled built-in pins.
    pub(crate) default_pins: Vec<BuiltinPin>,
    pub(crate) warnings: Vec<String>,
}

/// What `check` finds in the documents of the project.
#[derive(Debug, Serialize)]
pub(crate) struct Documents {
    /// Number of documents that were read as a whole, without the memories.
    pub(crate) read: usize,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    /// Errors first.
    pub(crate) findings: Vec<check::Finding>,
}

/// The checked out commit.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Commit {
    pub(crate) id: String,
    pub(crate) committed_at: String,
    /// Files of the bank and of examples that differ from the commit.
    pub(crate) changed_files: Vec<String>,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Counts {
    #[serde(flatten)]
    pub(crate) of_memories: MemoryCounts,
    pub(crate) rules: RuleCounts,
    pub(crate) anchors_by_state: BTreeMap<State, usize>,
    /// Number of anchors that need a decision.
    pub(crate) drifted: usize,
    pub(crate) links: usize,
    pub(crate) broken_links: usize,
    pub(crate) pins: usize,
}

impl Counts {
    /// Counts the states of the anchors only.
    fn of_anchors(entries: &[Entry]) -> Self {
        let mut counts = Self::default();
        for anchor in entries.iter().filter_map(|entry| entry.anchor.as_ref()) {
            *counts
                .anchors_by_state
                .entry(anchor.finding.state)
                .or_default() += 1;
            counts.drifted += usize::from(anchor.finding.drift);
        }
        counts
    }
}

/// A memory with its example.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entry {
    #[serde(flatten)]
    pub(crate) metadata: Metadata,
    /// Without section tags, and truncated to [`MAX_TEXT_LINES`].
    pub(crate) text: String,
    /// Number of lines that were truncated.
    pub(crate) skipped_lines: usize,
    /// Whether the memory can have an example; a universal one cannot.
    pub(crate) anchorable: bool,
    pub(crate) anchor: Option<Anchored>,
    /// How a rule is checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pattern: Option<PatternSummary>,
}

impl Entry {
    /// Returns whether a person decided that the code has no example.
    pub(crate) fn is_refused(&self) -> bool {
        self.anchor.is_none() && self.metadata.memory.example == Some(ExampleChoice::None)
    }
}

/// An anchor with its outcome and its code.
#[derive(Debug, Serialize)]
pub(crate) struct Anchored {
    pub(crate) kind: SymbolKind,
    pub(crate) language: Option<Language>,
    pub(crate) quality: f64,
    #[serde(rename = "match")]
    pub(crate) match_score: f64,
    #[serde(flatten)]
    pub(crate) finding: Finding,
    /// The command that resolves or records the finding.
    pub(crate) command: Option<String>,
    /// `None` if the code was not found.
    pub(crate) code: Option<Code>,
    /// The examples beside the main one, and the counter-examples.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) others: Vec<OtherSummary>,
}

/// The current code of an example.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Code {
    pub(crate) file: String,
    pub(crate) start_line: u32,
    pub(crate) end_line: u32,
    /// Long code is shortened, with comments in place of the omitted lines.
    pub(crate) text: String,
    pub(crate) shown_lines: Vec<LineRange>,
}

/// First and last line, counted from 0.
type Lines = (u32, u32);

/// Returns the report, and the warnings of the store, which are not part of the page.
fn report(settings: &Settings, progress: Progress<'_>) -> Result<(Report, Vec<String>)> {
    let project = &settings.project;
    let memories = &*project.memories()?;
    let request = reanchor::Request::check();
    let checked = reanchor::reanchor_in(project, memories, &request, progress)?;
    let links = links::links(project, false)?;
    let filter = pins::Filter {
        scope: Some(PinScope::Persistent),
        ..pins::Filter::default()
    };
    let pins = pins::list(project, &filter, false, None)?;
    let findings: BTreeMap<String, Finding> = checked
        .results
        .into_iter()
        .filter(|finding| finding.role.is_none())
        .map(|finding| (finding.id.clone(), finding))
        .collect();
    let lines = lines(project, &memories.anchors, &findings);
    let files: &Project = project;
    let to_entry = |stored: &MemoryFile| {
        let id = &stored.memory.id;
        let anchor = memories.anchors.get(id);
        let followed = anchor.zip(findings.get(id)).map(|(anchor, finding)| {
            let place = finding.new.as_ref().zip(lines.get(&id[..]));
            let code = place.and_then(|(new, lines)| code(files, stored, new, *lines));
            anchored(anchor, finding, code)
        });
        let is_rule = stored.memory.memory_type == MemoryType::Rule;
        let pattern = is_rule.then(|| PatternSummary::from(&patterns::of_memory(stored)));
        Entry {
            pattern,
            ..entry(stored, followed)
        }
    };
    let mut entries: Vec<Entry> = memories.all.par_iter().map(to_entry).collect();
    entries.sort_by(|a, b| a.metadata.memory.id.cmp(&b.metadata.memory.id));
    let with_state = memories
        .all
        .iter()
        .map(|stored| (stored, findings.contains_key(&stored.memory.id)));
    let counts = Counts {
        of_memories: MemoryCounts::of(with_state),
        rules: RuleCounts::of(memories),
        links: links.total,
        broken_links: links.broken,
        pins: pins.pins.len(),
        ..Counts::of_anchors(&entries)
    };

    let reach = doctor::reach(&project.root, memories)?;
    let mut warnings = memories.warnings.clone();
    let documents = match documents(settings) {
        Ok(documents) => Some(documents),
        Err(error) => {
            warnings.push(format!("the documents were not checked: {error:#}"));
            None
        }
    };
    let store_warnings = links.warnings.into_iter().chain(pins.warnings);
    let store_warnings: BTreeSet<String> = store_warnings
        .filter(|warning| !warnings.contains(warning))
        .collect();
    let report = Report {
        project: project
            .root
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        commit: commit(project, &entries),
        counts,
        documents,
        memories: entries,
        orphans: checked.orphans,
        reach,
        links: links.edges,
        pins: pins.pins,
        default_pins: pins.defaults,
        warnings,
    };
    Ok((report, Vec::from_iter(store_warnings)))
}

/// Returns what `check` finds in the documents. What it finds in the bank has its own place in the report.
fn documents(settings: &Settings) -> Result<Documents> {
    let checked = check::check(&CheckArgs::default(), settings)?;
    let bank = settings.project.bank.shown_path("", &settings.project.root);
    let mut documents = Documents {
        read: 0,
        errors: 0,
        warnings: 0,
        findings: Vec::new(),
    };
    for document in &checked.documents {
        let is_memory = document.path.starts_with(&bank);
        documents.read += usize::from(document.read == Extent::All && !is_memory);
    }
    for finding in checked.findings {
        if matches!(finding.check.as_str(), "anchor" | "memoryLink") {
            continue;
        }
        match finding.severity {
            Severity::Error => documents.errors += 1,
            Severity::Warning => documents.warnings += 1,
            _ => continue,
        }
        documents.findings.push(finding);
    }
    documents.findings.sort_by_key(|finding| finding.severity);
    Ok(documents)
}

fn entry(stored: &MemoryFile, anchor: Option<Anchored>) -> Entry {
    let text = cerberus_brief::text(stored).replace("\r\n", "\n");
    let lines: Vec<&str> = text.lines().collect();
    let n_shown = lines.len().min(MAX_TEXT_LINES);
    Entry {
        metadata: stored.into(),
        text: lines[..n_shown].join("\n"),
        skipped_lines: lines.len() - n_shown,
        anchorable: stored.memory.scope != Scope::Universal,
        anchor,
        pattern: None,
    }
}

/// Returns the lines of each anchor that was found, by the id of its memory.
///
/// A finding does not contain the lines of an unchanged anchor, so that its file is parsed here.
fn lines<'a>(
    project: &Project,
    anchors: &'a Anchors,
    findings: &BTreeMap<String, Finding>,
) -> BTreeMap<&'a str, Lines> {
    let mut lines = BTreeMap::new();
    let mut unknown_ids = Vec::new();
    let mut unknown = Vec::new();
    for (id, anchor) in anchors {
        let Some(new) = findings.get(id).and_then(|finding| finding.new.as_ref()) else {
            continue;
        };
        if let (Some(first), Some(last)) = (new.start_line, new.end_line) {
            lines.insert(id.as_str(), (first - 1, last - 1));
        } else {
            unknown_ids.push(id.as_str());
            unknown.push(anchor);
        }
    }
    let symbols = track::verify_all(&project.root, &unknown);
    for (id, symbol) in unknown_ids.into_iter().zip(symbols) {
        if let Some(symbol) = symbol
            && !symbol.is_ambiguous
        {
            lines.insert(id, symbol.lines);
        }
    }
    lines
}

fn anchored(anchor: &Anchor, finding: &Finding, code: Option<Code>) -> Anchored {
    let mut command = finding.next.clone();
    if command.is_none() && finding.written {
        command = Some("cerberus memory reanchor".to_owned());
    }
    Anchored {
        kind: anchor.kind,
        language: anchor.language,
        quality: rounded(anchor.quality),
        match_score: rounded(anchor.match_score),
        command,
        code,
        finding: finding.clone(),
        others: anchor.others.iter().map(OtherSummary::from).collect(),
    }
}

/// Returns the code at the new location of an anchor.
fn code(
    project: &Project,
    stored: &MemoryFile,
    new: &TrackedLocation,
    (first, last): Lines,
) -> Option<Code> {
    let text = read::text(&project.root, &new.file).ok()?;
    let source = excerpt::Source {
        language: language::from_path(&new.file),
        text: &text,
    };
    let rule = anchors::rule_words(stored);
    let excerpt = excerpt::of_text(&rule, source, (first, last), project.inject.max_lines.get());
    Some(Code {
        file: new.file.clone(),
        start_line: first + 1,
        end_line: last + 1,
        shown_lines: excerpt::shown_lines(&excerpt),
        text: excerpt.text,
    })
}

fn commit(project: &Project, entries: &[Entry]) -> Option<Commit> {
    let head = git::head(&project.root)?;
    let bank = project.bank.folder().strip_prefix(&project.root).ok();
    let mut examples = BTreeSet::new();
    for anchor in entries.iter().filter_map(|entry| entry.anchor.as_ref()) {
        let finding = &anchor.finding;
        examples.insert(finding.old.file.clone());
        if let Some(new) = &finding.new {
            examples.insert(new.file.clone());
        }
    }
    let changed = git::changed_since(&project.root, &head.id, &examples, bank).unwrap_or_default();
    Some(Commit {
        id: head.id,
        committed_at: Timestamp::from_second(head.seconds).ok()?.to_string(),
        changed_files: changed.into_iter().collect(),
    })
}

pub(crate) fn run(args: &ReportArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    if args.html.is_none() && !out.json {
        return Err(UserError::usage("no output specified")
            .hint("write the page with `cerberus memory report --html report.html`")
            .into());
    }
    let bank = &settings.project.bank;
    let root = &settings.project.root;
    let file = page_file(args.html.as_deref(), bank, root, out)?;
    let bar = ProgressBar::new(out.terminal, "following anchors");
    let (report, store_warnings) = report(settings, &|done, total| bar.step(done, total))?;
    drop(bar);
    out.warn(&report.warnings);
    out.warn(&store_warnings);
    if let Some(path) = &args.html {
        let html = page::page(&report)?;
        match file {
            None => out.raw(html.as_bytes()),
            Some(file) => file.write(&html)?,
        }
        if path != Path::new("-") && !out.json {
            print_summary(&report, path, html.len(), out);
        }
    }
    if out.json {
        out.json(&report)?;
    }
    Ok(ExitStatus::Done)
}

/// Opens the file of a page, unless it goes to the standard output. Called before the work, so that
/// an invalid path fails first.
pub(super) fn page_file(
    path: Option<&Path>,
    bank: &Bank,
    root: &Path,
    out: &Printer,
) -> Result<Option<OutputFile>> {
    let Some(path) = path else { return Ok(None) };
    if path != Path::new("-") {
        return OutputFile::open(path, bank, root).map(Some);
    }
    if out.json {
        return Err(
            UserError::usage("--json and `--html -` both write to the standard output")
                .hint("specify a file for the page")
                .into(),
        );
    }
    Ok(None)
}

fn print_summary(report: &Report, path: &Path, n_bytes: usize, out: &mut Printer) {
    let counts = &report.counts;
    let wrote = out.paint(OK, "wrote");
    let n = plural(counts.of_memories.memories, "memory");
    let path = out.safe(&path.display().to_string());
    let n_kb = n_bytes.div_ceil(1024);
    out.line(&format!("{wrote} {n} to {path}, {n_kb} KB"));
    if let Some(documents) = &report.documents {
        let errors = plural(documents.errors, "error");
        let warnings = plural(documents.warnings, "warning");
        let read = plural(documents.read, "document");
        out.line(&format!("{errors} and {warnings} in {read}"));
    }
    out.line(&counts.rules.to_string());
    if counts.drifted > 0 {
        let verb = if counts.drifted == 1 {
            "example needs"
        } else {
            "examples need"
        };
        out.line(&out.paint(WARN, &format!("{} {verb} a decision", counts.drifted)));
    }
}
