//! `cerberus memory inject`: pins, memories and their examples within a token budget.
//!
//! The budget is a hard limit that includes the envelope, headers and fences. The output is deterministic: the
//! same bank, source tree and request produce the same text.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::Result;
use cerberus_bank::ops::Project;
use cerberus_bank::ops::memories::Memories;
use cerberus_bank::ops::pins::{self, builtin};
use cerberus_bank::ops::search::signals;
use cerberus_bank::{MemoryFile, tokens};
use cerberus_engine::excerpt::LineRange;
use cerberus_engine::rank::moment::{self, Moment};
use cerberus_engine::rank::relevance::Features;
use cerberus_engine::tree::git::AddedLines;
use cerberus_engine::tree::{git, read};
use cerberus_markdown::sections::{self, Origin, Section};
use cerberus_model::{Language, Memory, Pin, PinScope, Priority, Span, State};
use clap::Args;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::Serialize;

use super::args::SessionArgs;
use crate::config::Settings;
use crate::output::{CliResult, Printer};

mod block;
mod client;
mod edit;
mod example;
mod into;
mod pack;
mod relevance;
mod short;
mod start;
mod task;
mod unverified;

use block::{Block, Candidate, Slot, Text};
pub(crate) use client::ClientProfile;
pub(crate) use edit::rules_for_edit;
pub(crate) use into::is_block_stale;
pub(crate) use pack::Cost;
use relevance::{Focus, Ranked, Relevant};
pub(crate) use task::{inject_new, rules_for_task};

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Request {
    /// Limit the output to this many tokens [default: 1500]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) budget: Option<usize>,
    /// Only memories that match these words, the best first; a task (four words or more, or with
    /// files) also needs the rules for any change and for the files that it is likely to change
    #[arg(long, value_name = "WORDS")]
    pub(crate) query: Option<String>,
    /// Only memories that are relevant to this file, the best first (may be repeated)
    #[arg(long = "file", value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Only memories that are relevant to the staged files, the best first
    #[arg(long = "diff")]
    pub(crate) staged: bool,
    /// Omit the examples
    #[arg(long)]
    pub(crate) no_examples: bool,
    /// Format for this client within its size limit, and count the skipped items
    #[arg(long = "for", value_name = "CLIENT")]
    pub(crate) client: Option<ClientProfile>,
    /// Allow --into to write texts of a user bank into a file of the project
    #[arg(long, requires = "into")]
    pub(crate) include_user_bank: bool,
    /// Print to stderr why items are relevant or skipped
    #[arg(long)]
    pub(crate) explain: bool,
    /// Skips pins of a session and pins that expire, for text that is saved in a file.
    #[arg(skip)]
    pub(crate) persistent_only: bool,
    /// The part of the client's limit that other text uses.
    #[arg(skip)]
    pub(crate) reserved: Option<Cost>,
    /// The memories whose text the file has already, with its line: they are given with their example only.
    #[arg(skip)]
    pub(crate) stated: BTreeMap<String, usize>,
    /// Only the user's own pins.
    #[arg(skip)]
    pub(crate) without_builtin_pins: bool,
    /// Memories only.
    #[arg(skip)]
    pub(crate) without_pins: bool,
    /// Not these memories.
    #[arg(skip)]
    pub(crate) excluded: BTreeSet<String>,
    /// How to get the skipped items, for the line that counts them; without it and a client there is
    /// no such line.
    #[arg(skip)]
    pub(crate) footer: Option<&'static str>,
}

impl Request {
    /// Returns what the line that counts the skipped items says about them.
    fn footer(&self) -> Option<&'static str> {
        let is_file_or_client = self.persistent_only || self.client.is_some();
        self.footer.or(is_file_or_client.then_some(FOOTER))
    }
}

/// How to get the skipped items on a command line.
const FOOTER: &str = "Find them with `cerberus memory search WORDS --content`, read them with `cerberus memory show ID`.";

#[derive(Debug, Args)]
pub(crate) struct InjectArgs {
    #[command(flatten)]
    pub(crate) request: Request,
    /// Write to a managed block of this markdown file; the rest of the file is unchanged
    #[arg(long, value_name = "FILE")]
    pub(crate) into: Option<PathBuf>,
    /// Write nothing; exit with 1 if the block is out of date
    #[arg(long, requires = "into")]
    pub(crate) check: bool,
    /// Write the pins to the block, too
    #[arg(long, requires = "into")]
    pub(crate) pins: bool,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

/// The injected text and its parts.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) budget: usize,
    pub(crate) used_tokens: usize,
    pub(crate) tokenizer: &'static str,
    pub(crate) pins: Vec<InjectedPin>,
    pub(crate) memories: Vec<InjectedMemory>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) omitted: Omitted,
    /// The files that the task is expected to change, if it names none.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) likely_files: BTreeSet<String>,
    /// What decides on each memory, if it is to be explained.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) features: BTreeMap<String, Features>,
    pub(crate) text: String,
    pub(crate) warnings: Vec<String>,
}

/// The items that do not fit into the budget.
#[derive(Debug, Default, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Omitted {
    pub(crate) pins: usize,
    pub(crate) memories: usize,
    pub(crate) examples: usize,
    /// The budget for all pins and memories, and for their examples too if a file has not all of them.
    pub(crate) needed_tokens: usize,
    /// Whether they do not fit into the limit of the client either.
    pub(crate) by_client: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct InjectedPin {
    pub(crate) id: String,
    pub(crate) priority: Priority,
    pub(crate) text: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InjectedMemory {
    pub(crate) id: String,
    pub(crate) text: String,
    /// Whether the injected text has only its start.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_shortened: bool,
    pub(crate) example: Option<InjectedExample>,
    /// Code that may be an example, found by words, if there is no example.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) candidates: Vec<InjectedCandidate>,
    /// Why it is relevant to the task, if a query or files were named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InjectedExample {
    pub(crate) file: String,
    pub(crate) symbol: Option<String>,
    pub(crate) start_line: u32,
    pub(crate) code: String,
    /// The lines of the file in `code`.
    pub(crate) shown_lines: Vec<LineRange>,
    /// `edited` if the code changed since the anchor was recorded.
    pub(crate) state: State,
}

/// Code that may be the example of a memory.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InjectedCandidate {
    pub(crate) file: String,
    pub(crate) symbol: Option<String>,
    pub(crate) start_line: u32,
    pub(crate) code: String,
    #[serde(skip)]
    pub(crate) language: Language,
}

/// An item that is not part of the text, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Skipped {
    pub(crate) id: String,
    pub(crate) what: &'static str,
    pub(crate) why: String,
}

impl Skipped {
    fn memory(stored: &MemoryFile, why: impl Into<String>) -> Self {
        Self {
            id: stored.memory.id.clone(),
            what: "memory",
            why: why.into(),
        }
    }
}

/// Selects and formats the text.
pub(crate) fn inject(
    project: &Project,
    request: &Request,
    session: Option<&str>,
) -> Result<Report> {
    inject_from(project, &Memories::load(project)?, request, session)
}

/// Selects and formats the text from memories that were read before.
fn inject_from(
    project: &Project,
    memories: &Memories,
    request: &Request,
    session: Option<&str>,
) -> Result<Report> {
    let loaded = pins::load(project, session)?;
    let pins = pins(project, request, &loaded);
    let (focus, likely_files) = focus(project, request)?;
    let Ranked {
        relevant: mut ranked,
        skipped: mut not_applicable,
        features,
    } = relevance::rank(project, memories, &focus)?;
    ranked.retain(|it| !request.excluded.contains(&it.stored.memory.id));
    not_applicable.retain(|it| !request.excluded.contains(&it.id));
    let has_nothing_to_add = |id: &String| {
        request.stated.contains_key(id)
            && (request.no_examples || !memories.anchors.contains_key(id))
    };
    ranked.retain(|it| !has_nothing_to_add(&it.stored.memory.id));
    let features = features.into_iter().map(|(id, it)| (id.to_owned(), it));
    let n_first = if focus.is_empty() {
        start::sort(memories, &mut ranked)
    } else {
        ranked.len()
    };
    // Stable, in the order of the file.
    ranked.sort_by_key(|it| {
        request
            .stated
            .get(&it.stored.memory.id)
            .copied()
            .unwrap_or(usize::MAX)
    });
    let budget = request.budget.unwrap_or(project.inject.budget);
    let client_limit = request.client.map_or(Cost::UNLIMITED, ClientProfile::limit);
    let client_limit = client_limit.minus(request.reserved.unwrap_or(Cost::ZERO));
    let limit = Cost {
        tokens: client_limit.tokens.min(budget),
        ..client_limit
    };
    let limit = limit.minus(block::envelope_cost());
    // A file of rules, the start of a session and that of a task are rather without an example than
    // without a rule. Before an edit, there are few rules.
    let has_few = !(request.persistent_only || focus.is_empty() || focus.is_task());
    let mut candidates: Vec<_> = ranked
        .par_iter()
        .map(|it| candidate(it, memories, request))
        .collect();
    if !(focus.is_empty() || request.persistent_only || request.no_examples) {
        unverified::add(project, &mut candidates)?;
    }
    let mut block = Block {
        project,
        code_share: if has_few && !request.no_examples {
            project.inject.code_share
        } else {
            0.0
        },
        pins: &pins,
        candidates,
        header: block::HEADER,
        contents: String::new(),
    };
    let (mut text, mut packed) = block.fill(limit, request.footer());
    let mut rest = Vec::new();
    let is_start = focus.is_empty() && !request.persistent_only;
    if is_start && packed.texts.iter().any(|text| !text.is_given) {
        block.contents = start::contents(&ranked, limit);
        if !block.contents.is_empty() {
            // Fewer examples may be longer.
            block.candidates.truncate(n_first);
            block
                .candidates
                .iter_mut()
                .for_each(|it| it.example.forget());
            (text, packed) = block.fill(limit, request.footer());
            rest = ranked.split_off(n_first);
        }
    }
    let mut omitted = block.omitted(&packed, client_limit, Cost::ZERO);
    // Somebody chooses the budget of a file.
    if request.persistent_only && omitted.examples + omitted.memories + omitted.pins > 0 {
        omitted = block.omitted(&packed, client_limit, block.all_examples());
    }
    let mut skipped = block.skipped(&packed, limit);
    let why = "it holds for some paths only";
    skipped.extend(rest.iter().map(|it| Skipped::memory(it.stored, why)));
    skipped.append(&mut not_applicable);
    let mut warnings = loaded.warnings;
    warnings.extend(memories.warnings.iter().cloned());
    // In a file nobody sees that an example is missing.
    if request.persistent_only {
        warnings.extend(block.unread());
    }
    let given = pins
        .iter()
        .zip(&packed.pins)
        .filter(|(_, is_packed)| **is_packed);
    Ok(Report {
        budget,
        used_tokens: tokens::count(&text),
        tokenizer: tokens::NAME,
        pins: given.map(|(pin, _)| injected_pin(pin)).collect(),
        memories: block.injected(&packed),
        skipped,
        omitted,
        likely_files,
        features: if request.explain {
            features.collect()
        } else {
            BTreeMap::new()
        },
        text,
        warnings,
    })
}

/// Returns the pins of a request.
fn pins(project: &Project, request: &Request, loaded: &pins::Loaded) -> Vec<Pin> {
    if request.without_pins {
        return Vec::new();
    }
    let mut pins = loaded.injected(project);
    pins.retain(|pin| !request.persistent_only || pin.scope == PinScope::Persistent);
    pins.retain(|pin| !request.without_builtin_pins || !pin.id.starts_with(builtin::PREFIX));
    pins
}

/// Returns what the request is about, and the files that a task without any is likely to change.
fn focus(project: &Project, request: &Request) -> Result<(Focus, BTreeSet<String>)> {
    let mut focus = Focus {
        query: request
            .query
            .as_deref()
            .map(signals::part_to_read)
            .map(str::to_owned),
        files: files(project, request)?,
        changed: if request.staged {
            staged_lines(project)?
        } else {
            BTreeMap::new()
        },
        is_edit: false,
    };
    let Some(task) = focus.task_without_files() else {
        return Ok((focus, BTreeSet::new()));
    };
    let likely_files = task::likely_files(project, task)?;
    focus.files.clone_from(&likely_files);
    Ok((focus, likely_files))
}

/// Returns a relevant memory with its text.
fn candidate<'a>(it: &Relevant<'a>, memories: &'a Memories, request: &Request) -> Candidate<'a> {
    let Memory { id, .. } = &it.stored.memory;
    if let Some(line) = request.stated.get(id) {
        let text = Text::in_line(*line, id);
        let example = memories.anchors.get(id).map_or(Slot::Absent, Slot::Unread);
        return Candidate {
            stored: it.stored,
            text,
            example,
            why: it.why.clone(),
        };
    }
    let (place, text) = (place(it.stored), text(it.stored));
    let text = if request.persistent_only {
        Text::alone(&after_place(place, text))
    } else {
        Text::in_place(place, &text, start_of(it.stored, &text).as_deref(), id)
    };
    let example = match memories.anchors.get(id) {
        None => Slot::Absent,
        _ if request.no_examples => Slot::Absent,
        _ if !it.shows_example => Slot::Hidden,
        Some(anchor) => Slot::Unread(anchor),
    };
    Candidate {
        stored: it.stored,
        text,
        example,
        why: it.why.clone(),
    }
}

pub(crate) fn run(args: &InjectArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let request = &args.request;
    if let Some(path) = &args.into {
        return into::run(args, path, &settings.project, out);
    }
    let session = super::pin::session(&args.session, settings);
    let report = inject(&settings.project, request, session)?;
    out.report(&report, |report, out| {
        out.warn(&report.warnings);
        out.warn(&doubts(&settings.project, request, report));
        if !report.text.is_empty() {
            out.line(report.text.trim_end_matches('\n'));
        }
        if request.explain {
            out.note(&explanation(report));
        }
    })
}

/// Returns why the text may not be what is expected.
fn doubts(project: &Project, request: &Request, report: &Report) -> Vec<String> {
    let is_missing = |file: &&String| !read::exists(&project.root, file);
    let missing = request.files.iter().filter(is_missing);
    let mut doubts: Vec<String> = missing
        .map(|file| format!("`{file}` does not exist: only its path is compared"))
        .collect();
    let Omitted {
        memories,
        needed_tokens,
        ..
    } = report.omitted;
    if report.text.is_empty() && memories > 0 {
        let budget = report.budget;
        doubts.push(format!(
            "nothing fits into {budget} tokens: all rules need {needed_tokens}"
        ));
    }
    doubts
}

fn explanation(report: &Report) -> Vec<String> {
    let given = report.memories.iter().filter_map(|memory| {
        let why = memory.why.as_ref()?;
        Some(format!("given: memory {}: {why}", memory.id))
    });
    let skipped = report.skipped.iter();
    let skipped = skipped.map(|it| format!("skipped: {} {}: {}", it.what, it.id, it.why));
    let likely = (!report.likely_files.is_empty()).then(|| {
        let files: Vec<&str> = report.likely_files.iter().map(String::as_str).collect();
        format!("likely files of the task: {}", files.join(", "))
    });
    let mut lines: Vec<String> = likely.into_iter().chain(given).chain(skipped).collect();
    if report.skipped.is_empty() {
        lines.push("no items were skipped".to_owned());
    }
    lines
}

fn injected_pin(pin: &Pin) -> InjectedPin {
    InjectedPin {
        id: pin.id.clone(),
        priority: pin.priority,
        text: pin.content.clone(),
    }
}

/// Returns the files of the request as paths relative to the root of the project.
fn files(project: &Project, request: &Request) -> Result<BTreeSet<String>> {
    let mut files = BTreeSet::new();
    for file in &request.files {
        let root = project.root.to_string_lossy();
        let file = file
            .strip_prefix(&*root)
            .map_or(&**file, |rest| rest.trim_start_matches('/'));
        let file = file.replace('\\', "/");
        files.insert(file.trim_start_matches("./").to_owned());
    }
    if request.staged {
        files.extend(git::staged(&project.root)?.into_keys());
    }
    Ok(files)
}

/// Returns the lines that each staged file adds.
fn staged_lines(project: &Project) -> Result<BTreeMap<String, String>> {
    let files = git::added_in_index(&project.root)?;
    let added = |file: AddedLines| {
        let lines = file.text.split_inclusive('\n').zip(&file.is_added);
        let text: String = lines
            .filter(|(_, is_added)| **is_added)
            .map(|(line, _)| line)
            .collect();
        (!text.is_empty()).then_some((file.path, text))
    };
    Ok(files.files.into_iter().filter_map(added).collect())
}

/// Number of bytes of a text that may be shortened.
const MIN_LONG_TEXT: usize = 160;

/// Returns the start of a long text. What is to be run is complete.
fn start_of(stored: &MemoryFile, text: &str) -> Option<String> {
    if text.len() < MIN_LONG_TEXT {
        return None;
    }
    let Memory { heading, body, .. } = &stored.memory;
    let is_check = moment::moment(body, heading.as_deref()) == Moment::Checking;
    if is_check { None } else { short::start(text) }
}

/// Returns the text of a memory after its place.
fn with_place(stored: &MemoryFile) -> String {
    after_place(place(stored), text(stored))
}

fn after_place(place: Option<String>, text: String) -> String {
    match place {
        Some(place) => format!("{place}: {text}"),
        None => text,
    }
}

/// Returns the headings that a memory was imported from, without which "Keep the state here" is unclear, and
/// the paths that it applies to.
fn place(stored: &MemoryFile) -> Option<String> {
    let Memory { heading, paths, .. } = &stored.memory;
    let heading = heading
        .as_deref()
        .map(|heading| heading.trim_end_matches(':'));
    // "Do not edit: …" below the heading "Do not edit".
    let heading = heading.map(|heading| without_repeated(heading, &stored.memory.body));
    let heading = heading.filter(|heading| !heading.is_empty());
    let paths: Vec<String> = paths.iter().map(|glob| format!("`{glob}`")).collect();
    let paths = paths.join(", ");
    match (heading, paths.is_empty()) {
        (None, true) => None,
        (None, false) => Some(format!("In {paths}")),
        (Some(heading), true) => Some(heading),
        (Some(heading), false) => Some(format!("In {paths} ({heading})")),
    }
}

/// Returns a path of headings without those that a text contains before its own words.
fn without_repeated(heading: &str, body: &str) -> String {
    let mut rest = body.trim_start();
    let mut kept = Vec::new();
    for title in heading.split(" › ") {
        let repeated = format!("{}: ", title.trim_end_matches([':', '.', ' ']));
        match rest.split_once(&repeated) {
            Some((before, after)) if before.is_empty() || before.ends_with(": ") => rest = after,
            _ => kept.push(title),
        }
    }
    kept.join(" › ")
}

/// Returns the text of a memory without section tags.
pub(crate) fn text(stored: &MemoryFile) -> String {
    let body = &stored.memory.body;
    if !body.contains("<!--") {
        return body.trim().to_owned();
    }
    let span = Span::new(stored.text.len() - body.len(), stored.text.len());
    let all = Section {
        id: String::new(),
        origin: Origin::Heading,
        outer: span,
        inner: span,
    };
    sections::content(&stored.text, &all, &sections::parse(&stored.text), false)
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests;
