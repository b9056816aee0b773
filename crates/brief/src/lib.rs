//! Selects what an agent is given: pins, rules and the code that shows them.
//!
//! There is one request for each occasion and one answer: the pieces in their order, each with its reason and
//! its cost, and the text that contains them. Rules are ranked first and packed then: a budget is a limit, never
//! an aim. The same bank, tree and request give the same text.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use cerberus_bank::ops::Project;
use cerberus_bank::ops::memories::Memories;
use cerberus_bank::{MemoryFile, Workspace, tokens};
use cerberus_engine::excerpt::LineRange;
use cerberus_engine::rank::relevance::Features;
use cerberus_model::{Language, Pin, Priority, State};
use serde::Serialize;

mod block;
mod candidates;
mod cost;
mod example;
mod focus;
mod intent;
mod list;
mod loaded;
mod pack;
mod paths;
mod place;
mod relevance;
mod start;
mod task;
mod unverified;

use block::Block;
pub use cost::Cost;
use focus::Focus;
pub use focus::Occasion;
pub use loaded::{Loaded, Reader};
pub use place::text;
use relevance::{Ranked, Relevant};

/// Maximum number of rules of a task.
const MAX_TASK_RULES: usize = 6;

/// A request for what an agent is to know on an occasion.
#[derive(Debug, Clone)]
pub struct Request {
    pub occasion: Occasion,
    /// The notes that precede the rules.
    pub pins: Vec<Pin>,
    pub room: Room,
    pub known: Known,
    pub shows_examples: bool,
}

impl Request {
    /// Returns a request without pins, to an agent that knows nothing yet.
    pub fn new(occasion: Occasion, budget: usize) -> Self {
        Self {
            occasion,
            pins: Vec::new(),
            room: Room {
                budget,
                client: Cost::UNLIMITED,
            },
            known: Known::default(),
            shows_examples: true,
        }
    }
}

/// The limits of an answer.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// In tokens.
    pub budget: usize,
    /// The limit of the client for all that it reads there.
    pub client: Cost,
}

impl Room {
    fn limit(self) -> Cost {
        Cost {
            tokens: self.client.tokens.min(self.budget),
            ..self.client
        }
    }
}

/// The rules that the agent has already.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// Memories that were given with their code, or that are not wanted.
    pub whole: BTreeSet<String>,
    /// Memories that were given as text only.
    pub texts: BTreeSet<String>,
    /// The documents that the agent has loaded.
    pub loaded: Loaded,
}

/// The pieces that are given, and those that are not, with the reasons.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    pub budget: usize,
    pub used_tokens: usize,
    pub tokenizer: &'static str,
    pub pins: Vec<GivenPin>,
    pub memories: Vec<GivenMemory>,
    pub skipped: Vec<Skipped>,
    pub omitted: Omitted,
    /// The files that the task is expected to change.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub likely_files: BTreeSet<String>,
    /// The features that decide on each memory.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub features: BTreeMap<String, Features>,
    pub text: String,
    pub warnings: Vec<String>,
}

/// The items that do not fit into the budget.
#[derive(Debug, Default, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Omitted {
    pub pins: usize,
    pub memories: usize,
    pub examples: usize,
    /// The budget for all pins and memories, and for their examples too if a document has not all of them.
    pub needed_tokens: usize,
    /// Whether they do not fit into the limit of the client either.
    pub by_client: bool,
}

#[derive(Debug, Serialize)]
pub struct GivenPin {
    pub id: String,
    pub priority: Priority,
    pub text: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GivenMemory {
    pub id: String,
    pub text: String,
    /// The place of the text in a document that the agent has loaded, if it is given instead of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Tokens of the text and its code.
    pub tokens: usize,
    pub example: Option<GivenExample>,
    /// Code that may be an example, found by words, if there is no example.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<GivenCandidate>,
    /// Why it is relevant to the task or the files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl GivenMemory {
    /// Whether code is given with the text.
    pub fn has_code(&self) -> bool {
        self.example.is_some() || !self.candidates.is_empty()
    }
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GivenExample {
    pub file: String,
    pub symbol: Option<String>,
    pub start_line: u32,
    pub code: String,
    /// The lines of the file in `code`.
    pub shown_lines: Vec<LineRange>,
    /// `edited` if the code changed since the anchor was recorded.
    pub state: State,
}

/// Code that may be the example of a memory.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GivenCandidate {
    pub file: String,
    pub symbol: Option<String>,
    pub start_line: u32,
    pub code: String,
    #[serde(skip)]
    pub(crate) language: Language,
}

/// An item that is not part of the text, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    pub id: String,
    pub what: &'static str,
    pub why: String,
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

/// Selects and formats what an agent is given.
pub fn answer(project: &Workspace, request: &Request) -> Result<Answer> {
    let memories = &*project.memories()?;
    let focus = Focus::of(project, &request.occasion)?;
    let Ranked {
        mut relevant,
        mut skipped,
        features,
    } = match &focus.task {
        Some(task) => task::rank(project, memories, &focus, task)?,
        None => relevance::rank(project, memories, &focus)?,
    };
    let known = &request.known;
    let n_first = order(memories, &request.occasion, &mut relevant);
    relevant.retain(|relevant| is_new(relevant, memories, request));
    if focus.task.is_some() {
        cut(&mut relevant, &mut skipped);
    }
    skipped.retain(|skipped| !known.whole.contains(&skipped.id));
    let mut block = Block {
        project,
        code_share: code_share(project, request),
        pins: &request.pins,
        candidates: candidates::all(memories, request, &relevant),
        header: focus.header(&request.occasion),
        contents: String::new(),
    };
    let may_guess = matches!(
        request.occasion,
        Occasion::Task { .. } | Occasion::Files { .. }
    );
    if may_guess && request.shows_examples {
        unverified::add(project, &focus, &mut block.candidates)?;
    }
    let limit = request.room.limit().minus(block::envelope_cost());
    let (mut text, mut packed) = block.fill(limit);
    let mut rest = Vec::new();
    let is_start = matches!(request.occasion, Occasion::Session);
    if is_start && packed.texts.iter().any(|text| !text.is_given) {
        block.contents = start::contents(&relevant, limit);
        if !block.contents.is_empty() {
            // Fewer examples may be longer.
            block.candidates.truncate(n_first);
            for candidate in &mut block.candidates {
                candidate.example.forget();
            }
            (text, packed) = block.fill(limit);
            rest = relevant.split_off(n_first.min(relevant.len()));
        }
    }
    let is_block = matches!(request.occasion, Occasion::Block { .. });
    let mut omitted = block.omitted(&packed, request.room.client, Cost::ZERO);
    // Somebody chooses the budget of a document.
    if is_block && omitted.examples + omitted.memories + omitted.pins > 0 {
        omitted = block.omitted(&packed, request.room.client, block.all_examples());
    }
    let mut left_out = block.skipped(&packed, limit);
    for relevant in rest {
        let why = "it holds for some paths only";
        left_out.push(Skipped::memory(relevant.stored, why));
    }
    left_out.append(&mut skipped);
    let mut warnings = memories.warnings.clone();
    // In a document nobody sees that an example is missing.
    if is_block {
        warnings.extend(block.unread());
    }
    Ok(Answer {
        budget: request.room.budget,
        used_tokens: tokens::count(&text),
        tokenizer: tokens::NAME,
        pins: given_pins(&request.pins, &packed.pins),
        memories: block.given(&packed),
        skipped: left_out,
        omitted,
        likely_files: focus.likely_files,
        features: features
            .into_iter()
            .map(|(id, features)| (id.to_owned(), features))
            .collect(),
        text,
        warnings,
    })
}

/// Puts the most important memories of a session or a block first. Returns how many of them to give.
fn order(memories: &Memories, occasion: &Occasion, relevant: &mut [Relevant]) -> usize {
    match occasion {
        Occasion::Session => start::sort(memories, relevant),
        Occasion::Block { lines } => {
            start::sort(memories, relevant);
            // Stable, in the order of the document.
            relevant.sort_by_key(|relevant| {
                let line = lines.get(&relevant.stored.memory.id);
                line.copied().unwrap_or(usize::MAX)
            });
            relevant.len()
        }
        _ => relevant.len(),
    }
}

/// Removes all but the first rules of a task. Of a long list the items remain that concern it most.
fn cut(relevant: &mut Vec<Relevant>, skipped: &mut Vec<Skipped>) {
    let n_kept = relevant.len().min(MAX_TASK_RULES);
    for memory in relevant.drain(n_kept..) {
        let why = "others are more relevant to the task";
        skipped.push(Skipped::memory(memory.stored, why));
    }
}

/// Returns whether a memory adds something to what the agent has.
fn is_new(relevant: &Relevant<'_>, memories: &Memories, request: &Request) -> bool {
    let stored = relevant.stored;
    let id = &stored.memory.id;
    let known = &request.known;
    if known.whole.contains(id) {
        return false;
    }
    let has_example = request.shows_examples && memories.anchors.contains_key(id);
    match &request.occasion {
        Occasion::Session => {
            !known.texts.contains(id) && known.loaded.find(&stored.memory.body).is_none()
        }
        Occasion::Block { lines } => has_example || !lines.contains_key(id),
        _ => !known.texts.contains(id) || (has_example && relevant.shows_example),
    }
}

/// Returns the share of the budget for code if the texts need the rest. A document is rather without an example
/// than without a rule.
fn code_share(project: &Project, request: &Request) -> f64 {
    if request.shows_examples && !matches!(request.occasion, Occasion::Block { .. }) {
        project.inject.code_share
    } else {
        0.0
    }
}

fn given_pins(pins: &[Pin], is_packed: &[bool]) -> Vec<GivenPin> {
    let mut given = Vec::new();
    for (pin, is_packed) in pins.iter().zip(is_packed) {
        if *is_packed {
            given.push(GivenPin {
                id: pin.id.clone(),
                priority: pin.priority,
                text: pin.content.clone(),
            });
        }
    }
    given
}
