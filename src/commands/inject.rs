//! `cerberus memory inject`: pins, memories and their examples within a token budget.
//!
//! The budget is a hard limit that includes the envelope, headers and fences. The output is deterministic: the
//! same bank, source tree and request produce the same text.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::Result;
use cerberus_bank::Workspace;
use cerberus_bank::ops::Project;
use cerberus_bank::ops::memories::Memories;
use cerberus_bank::ops::pins::{self, builtin};
use cerberus_bank::ops::search::signals;
use cerberus_bank::{MemoryFile, tokens};
use cerberus_engine::excerpt::LineRange;
use cerberus_engine::rank::relevance::Features;
use cerberus_engine::tree::read;
use cerberus_model::{Language, Memory, Pin, PinScope, Priority, State};
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
mod files;
mod into;
mod pack;
mod place;
mod relevance;
mod short;
mod start;
mod task;
mod unverified;

use block::{Block, Candidate, Slot, Text};
pub(crate) use client::ClientProfile;
pub(crate) use edit::rules_for_edit;
pub(crate) use files::added_text;
use files::{files, staged_lines};
pub(crate) use into::is_block_stale;
pub(crate) use pack::Cost;
pub(crate) use place::text;
use place::{place, start_of, with_place};
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
    /// Returns the hint in the line that counts the skipped items.
    fn footer(&self) -> Option<&'static str> {
        let is_file_or_client = self.persistent_only || self.client.is_some();
        self.footer.or(is_file_or_client.then_some(FOOTER))
    }

    /// Returns the part of the client's limit that is left for the text.
    fn client_limit(&self) -> Cost {
        let limit = match self.client {
            Some(client) => client.limit(),
            None => Cost::UNLIMITED,
        };
        limit.minus(self.reserved.unwrap_or(Cost::ZERO))
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
    /// The features that decide on each memory, if it is to be explained.
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
    project: &Workspace,
    request: &Request,
    session: Option<&str>,
) -> Result<Report> {
    inject_from(project, &*project.memories()?, request, session)
}

/// Selects and formats the text from memories that were read before.
fn inject_from(
    project: &Workspace,
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
    not_applicable.retain(|skipped| !request.excluded.contains(&skipped.id));
    ranked.retain(|relevant| {
        let id = &relevant.stored.memory.id;
        let has_example = !request.no_examples && memories.anchors.contains_key(id);
        // Nothing is to be added to a stated rule without an example.
        let is_new = has_example || !request.stated.contains_key(id);
        is_new && !request.excluded.contains(id)
    });
    let n_first = if focus.is_empty() {
        start::sort(memories, &mut ranked)
    } else {
        ranked.len()
    };
    // Stable, in the order of the file.
    ranked.sort_by_key(|relevant| {
        let line = request.stated.get(&relevant.stored.memory.id);
        line.copied().unwrap_or(usize::MAX)
    });
    let budget = request.budget.unwrap_or(project.inject.budget);
    let client_limit = request.client_limit();
    let mut limit = client_limit;
    limit.tokens = limit.tokens.min(budget);
    let limit = limit.minus(block::envelope_cost());
    // A file of rules, the start of a session and that of a task are rather without an example than
    // without a rule. Before an edit, there are few rules.
    let has_few = !(request.persistent_only || focus.is_empty() || focus.is_task());
    let mut candidates: Vec<_> = ranked
        .par_iter()
        .map(|relevant| candidate(relevant, memories, request))
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
            for candidate in &mut block.candidates {
                candidate.example.forget();
            }
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
    for relevant in rest {
        let why = "it holds for some paths only";
        skipped.push(Skipped::memory(relevant.stored, why));
    }
    skipped.append(&mut not_applicable);
    let mut warnings = loaded.warnings;
    warnings.extend(memories.warnings.iter().cloned());
    // In a file nobody sees that an example is missing.
    if request.persistent_only {
        warnings.extend(block.unread());
    }
    let mut given_pins = Vec::new();
    for (pin, is_packed) in pins.iter().zip(&packed.pins) {
        if *is_packed {
            given_pins.push(InjectedPin {
                id: pin.id.clone(),
                priority: pin.priority,
                text: pin.content.clone(),
            });
        }
    }
    let mut explained = BTreeMap::new();
    if request.explain {
        for (id, features) in features {
            explained.insert(id.to_owned(), features);
        }
    }
    Ok(Report {
        budget,
        used_tokens: tokens::count(&text),
        tokenizer: tokens::NAME,
        pins: given_pins,
        memories: block.injected(&packed),
        skipped,
        omitted,
        likely_files,
        features: explained,
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

/// Returns the focus of the request, and the files that a task without any is likely to change.
fn focus(project: &Workspace, request: &Request) -> Result<(Focus, BTreeSet<String>)> {
    let mut focus = Focus::default();
    if let Some(query) = &request.query {
        focus.query = Some(signals::part_to_read(query).to_owned());
    }
    focus.files = files(project, request)?;
    if request.staged {
        focus.changed = staged_lines(project)?;
    }
    let Some(task) = focus.task_without_files() else {
        return Ok((focus, BTreeSet::new()));
    };
    let likely_files = task::likely_files(project, task)?;
    focus.files.clone_from(&likely_files);
    Ok((focus, likely_files))
}

/// Returns a relevant memory with its text.
fn candidate<'a>(
    relevant: &Relevant<'a>,
    memories: &'a Memories,
    request: &Request,
) -> Candidate<'a> {
    let stored = relevant.stored;
    let Memory { id, .. } = &stored.memory;
    let stated_line = request.stated.get(id);
    let text = if let Some(line) = stated_line {
        Text::in_line(*line, id)
    } else if request.persistent_only {
        Text::alone(&with_place(stored))
    } else {
        let text = text(stored);
        let start = start_of(stored, &text);
        Text::in_place(place(stored), &text, start.as_deref(), id)
    };
    let example = match memories.anchors.get(id) {
        None => Slot::Absent,
        Some(anchor) if stated_line.is_some() => Slot::Unread(anchor),
        Some(_) if request.no_examples => Slot::Absent,
        Some(_) if !relevant.shows_example => Slot::Hidden,
        Some(anchor) => Slot::Unread(anchor),
    };
    Candidate {
        stored,
        text,
        example,
        why: relevant.why.clone(),
    }
}

pub(crate) fn run(args: &InjectArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let request = &args.request;
    if let Some(path) = &args.into {
        return into::run(args, path, &settings.project, out);
    }
    let session = args.session.name(settings);
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
    let mut doubts = Vec::new();
    for file in &request.files {
        if !read::exists(&project.root, file) {
            doubts.push(format!(
                "`{file}` does not exist: only its path is compared"
            ));
        }
    }
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
    let mut lines = Vec::new();
    if !report.likely_files.is_empty() {
        let files: Vec<&str> = report.likely_files.iter().map(String::as_str).collect();
        lines.push(format!("likely files of the task: {}", files.join(", ")));
    }
    for memory in &report.memories {
        if let Some(why) = &memory.why {
            lines.push(format!("given: memory {}: {why}", memory.id));
        }
    }
    for Skipped { id, what, why } in &report.skipped {
        lines.push(format!("skipped: {what} {id}: {why}"));
    }
    if report.skipped.is_empty() {
        lines.push("no items were skipped".to_owned());
    }
    lines
}

#[cfg(test)]
mod tests;
