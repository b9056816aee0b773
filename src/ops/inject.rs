//! `inject`: pins, memories and their examples within a token budget.
//!
//! The budget is a hard limit that includes headers and fences. The output is deterministic: the
//! same bank, source tree and request produce the same text.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use crate::bank::{ExternalFile, MemoryFile};
use crate::error::UserError;
use crate::markdown::sections::{self, Origin, Section};
use crate::model::{Pin, PinScope, Priority, State};
use crate::text::{Span, plural};
use crate::tokens;
use crate::tree::git;

use super::memories::Memories;
use super::pins::{builtin, render};
use super::{Project, managed_block, pins};

mod client;
mod example;
mod pack;
mod relevance;

pub(crate) use client::ClientProfile;
pub(crate) use pack::Cost;

use example::Example;
use pack::{PackInput, Packed};
use relevance::{Focus, Ranked};

const HEADER: &str = "Project memory:\n";

/// How often packing is repeated to make room for the footer that lists the skipped items.
const MAX_PACKINGS: usize = 4;

/// The configuration of `inject`.
#[derive(Debug, Clone)]
pub(crate) struct InjectOptions {
    pub(crate) budget: usize,
    /// The share of the budget for examples if the texts need the rest.
    pub(crate) code_share: f64,
    /// The maximum number of lines of an example.
    pub(crate) max_lines: usize,
}

impl Default for InjectOptions {
    fn default() -> Self {
        Self { budget: 1500, code_share: 0.6, max_lines: 30 }
    }
}

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Request {
    /// Limit the output to this many tokens [default: 1500]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) budget: Option<usize>,
    /// Rank memories that match these words first
    #[arg(long, value_name = "WORDS")]
    pub(crate) query: Option<String>,
    /// Rank memories about this file first (may be repeated)
    #[arg(long = "file", value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Rank memories about the staged files first
    #[arg(long = "diff")]
    pub(crate) staged: bool,
    /// Omit the examples
    #[arg(long)]
    pub(crate) no_examples: bool,
    /// Format for this client within its size limit, and count the skipped items
    #[arg(long = "for", value_name = "CLIENT")]
    pub(crate) client: Option<ClientProfile>,
    /// Skips pins of a session and pins that expire, for text that is saved in a file.
    #[arg(skip)]
    pub(crate) persistent_only: bool,
    /// The part of the client's limit that other text uses.
    #[arg(skip)]
    pub(crate) reserved: Option<Cost>,
}

/// The injected text and its parts.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) budget: usize,
    pub(crate) used_tokens: usize,
    pub(crate) tokenizer: &'static str,
    pub(crate) pins: Vec<InjectedPin>,
    pub(crate) memories: Vec<InjectedMemory>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) text: String,
    pub(crate) warnings: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
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
    pub(crate) example: Option<InjectedExample>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InjectedExample {
    pub(crate) file: String,
    pub(crate) symbol: Option<String>,
    pub(crate) start_line: u32,
    pub(crate) code: String,
    /// `edited` if the code changed since the anchor was recorded.
    pub(crate) state: State,
}

/// An item that is not part of the text, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Skipped {
    pub(crate) id: String,
    pub(crate) what: &'static str,
    pub(crate) why: String,
}

/// Selects and formats the text.
pub(crate) fn inject(
    project: &Project,
    request: &Request,
    session: Option<&str>,
) -> Result<Report> {
    let loaded = pins::load(project, session)?;
    let mut pins = loaded.injected(project);
    if request.persistent_only {
        pins.retain(|pin| pin.scope == PinScope::Persistent);
    }
    let memories = Memories::load(project)?;
    let focus = Focus { query: request.query.clone(), files: files(project, request)? };
    let Ranked { memories: ranked, skipped: not_applicable } =
        relevance::rank(project, &memories, &focus)?;
    let mut warnings = loaded.warnings;
    warnings.extend(memories.warnings.iter().cloned());
    let budget = request.budget.unwrap_or(project.inject.budget);
    let client_limit = request.client.map_or(Cost::UNLIMITED, ClientProfile::limit);
    let mut limit = client_limit.minus(request.reserved.unwrap_or(Cost::ZERO));
    limit.tokens = limit.tokens.min(budget);
    let mut block = Block {
        project,
        memories: &memories,
        with_examples: !request.no_examples,
        pins: pins.iter().map(|pin| Item::new(render::item(pin))).collect(),
        is_builtin: pins.iter().map(|pin| pin.id.starts_with(builtin::PREFIX)).collect(),
        texts: ranked.iter().map(|stored| Item::new(render::list_item(&text(stored)))).collect(),
        examples: vec![None; ranked.len()],
        ranked: &ranked,
    };
    let (rendered, packed) = block.fill(limit, request.client.is_some());
    let mut skipped = block.skipped(&pins, &packed, limit);
    skipped.extend(not_applicable.into_iter().map(|(id, why)| Skipped { id, what: "memory", why }));
    let pins = pins.iter().zip(&packed.pins).filter(|(_, is_packed)| **is_packed);
    Ok(Report {
        budget,
        used_tokens: tokens::count(&rendered),
        tokenizer: tokens::NAME,
        pins: pins.map(|(pin, _)| injected_pin(pin)).collect(),
        memories: block.injected(&packed),
        skipped,
        text: rendered,
        warnings,
    })
}

/// The state of the managed block in a file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BlockReport {
    pub(crate) file: String,
    /// Whether the block was out of date.
    pub(crate) stale: bool,
    pub(crate) written: bool,
    #[serde(flatten)]
    pub(crate) report: Report,
}

/// Updates the block in the file at `path`; with `check_only` writes nothing.
pub(crate) fn update_block(
    project: &Project,
    request: &Request,
    path: &Path,
    check_only: bool,
) -> Result<BlockReport> {
    let file = ExternalFile::open(path, Some(&project.root))?;
    if file.bytes.starts_with(&[0xFF, 0xFE]) || file.bytes.starts_with(&[0xFE, 0xFF]) {
        return Err(UserError::usage(format!("`{}` is UTF-16", path.display()))
            .hint("save it as UTF-8, or print the block with `cerberus memory inject`")
            .into());
    }
    let with_path = |error: UserError| UserError {
        message: format!("`{}`: {}", path.display(), error.message),
        ..error
    };
    let outside = managed_block::MARKDOWN.without_block(&file.bytes).map_err(with_path)?;
    let markers = Cost::of(&format!(
        "\n{}\n{}\n",
        managed_block::MARKDOWN.start,
        managed_block::MARKDOWN.end
    ));
    let budget = request.budget.unwrap_or(project.inject.budget);
    let request = Request {
        budget: Some(budget.saturating_sub(markers.tokens)),
        persistent_only: true,
        reserved: Some(Cost::of(&String::from_utf8_lossy(&outside)).plus(markers)),
        ..request.clone()
    };
    let mut report = inject(project, &request, None)?;
    report.budget = budget;
    let new = managed_block::MARKDOWN.update(&file.bytes, &report.text).map_err(with_path)?;
    let stale = new != file.bytes;
    let written = !check_only && file.write(&new)?;
    Ok(BlockReport { file: path.display().to_string(), stale, written, report })
}

fn injected_pin(pin: &Pin) -> InjectedPin {
    InjectedPin { id: pin.id.clone(), priority: pin.priority, text: pin.content.clone() }
}

/// Returns the files of the request as paths relative to the root of the project.
fn files(project: &Project, request: &Request) -> Result<BTreeSet<String>> {
    let mut files = BTreeSet::new();
    for file in &request.files {
        let root = project.root.to_string_lossy();
        let file = file.strip_prefix(&*root).map_or(&**file, |rest| rest.trim_start_matches('/'));
        let file = file.replace('\\', "/");
        files.insert(file.trim_start_matches("./").to_owned());
    }
    if request.staged {
        files.extend(git::staged(&project.root)?.into_keys());
    }
    Ok(files)
}

/// Returns the text of a memory without section tags.
pub(crate) fn text(stored: &MemoryFile) -> String {
    let body = &stored.memory.body;
    if !body.contains("<!--") {
        return body.trim().to_owned();
    }
    let span = Span::new(stored.text.len() - body.len(), stored.text.len());
    let all = Section { id: String::new(), origin: Origin::Heading, outer: span, inner: span };
    sections::content(&stored.text, &all, &sections::parse(&stored.text), false).trim().to_owned()
}

/// A part of the text with its cost.
struct Item {
    text: String,
    cost: Cost,
}

impl Item {
    fn new(text: String) -> Self {
        Self { cost: Cost::of(&text), text }
    }
}

/// Builds the text.
struct Block<'a> {
    project: &'a Project,
    memories: &'a Memories,
    with_examples: bool,
    pins: Vec<Item>,
    is_builtin: Vec<bool>,
    texts: Vec<Item>,
    /// The examples that were looked up so far.
    examples: Vec<Option<Result<Example, String>>>,
    ranked: &'a [&'a MemoryFile],
}

impl Block<'_> {
    /// Returns the text that fits into `limit` and the items in it. With `has_footer` the last
    /// line of the text counts the skipped items.
    fn fill(&mut self, limit: Cost, has_footer: bool) -> (String, Packed) {
        let pins: Vec<Cost> = self.pins.iter().map(|pin| pin.cost).collect();
        let texts: Vec<Cost> = self.texts.iter().map(|text| text.cost).collect();
        let is_builtin = self.is_builtin.clone();
        let input = PackInput {
            pin_header: Cost::of(render::HEADER),
            pins: &pins,
            is_builtin: &is_builtin,
            text_header: Cost::of(HEADER),
            texts: &texts,
        };
        let share = if self.with_examples { self.project.inject.code_share } else { 0.0 };
        let mut costs: Vec<Option<Cost>> = vec![None; texts.len()];
        let mut pack = |this: &mut Self, limit: Cost| {
            let mut example = |idx: usize| {
                if costs[idx].is_none() {
                    costs[idx] = Some(this.example(idx).map_or(Cost::UNLIMITED, Cost::of));
                }
                costs[idx].filter(|cost| *cost != Cost::UNLIMITED)
            };
            pack::pack(&input, &mut example, limit, share)
        };
        let mut packed = pack(self, limit);
        let mut footer = None;
        if has_footer {
            let mut shorter = packed.clone();
            for _ in 0..MAX_PACKINGS {
                let Some(line) = self.footer(&shorter) else { break };
                if shorter.is_empty() {
                    break;
                }
                if shorter.used.plus(Cost::of(&line)).fits(limit) {
                    (packed, footer) = (shorter, Some(line));
                    break;
                }
                shorter = pack(self, limit.minus(Cost::of(&line)));
            }
        }
        let mut text = self.render(&packed, footer.as_deref());
        // The sum of the costs can differ slightly from the cost of the whole text.
        while !Cost::of(&text).fits(limit) && packed.drop_last() {
            footer = footer.and_then(|_| self.footer(&packed));
            text = self.render(&packed, footer.as_deref());
        }
        (text, packed)
    }

    /// Returns the text of an example; each is looked up once.
    fn example(&mut self, idx: usize) -> Option<&str> {
        if !self.with_examples {
            return None;
        }
        let anchor = self.memories.anchors.get(&self.ranked[idx].memory.id)?;
        let max_lines = self.project.inject.max_lines;
        let found = self.examples[idx]
            .get_or_insert_with(|| example::example(self.project, anchor, max_lines));
        found.as_ref().ok().map(|example| example.text.as_str())
    }

    fn render(&self, packed: &Packed, footer: Option<&str>) -> String {
        let mut text = String::new();
        for (pin, _) in self.pins.iter().zip(&packed.pins).filter(|(_, is_packed)| **is_packed) {
            text.push_str(if text.is_empty() { render::HEADER } else { "" });
            text.push_str(&pin.text);
        }
        let mut is_first = true;
        for idx in (0..self.texts.len()).filter(|&idx| packed.texts[idx]) {
            text.push_str(if is_first { HEADER } else { "" });
            is_first = false;
            text.push_str(&self.texts[idx].text);
            if packed.examples[idx]
                && let Some(Some(Ok(example))) = self.examples.get(idx)
            {
                text.push_str(&example.text);
            }
        }
        if !text.is_empty() {
            text.push_str(footer.unwrap_or_default());
        }
        text
    }

    /// Returns the line that counts the items without room, if there are any.
    fn footer(&self, packed: &Packed) -> Option<String> {
        let n_skipped = |flags: &[bool]| flags.iter().filter(|is_packed| !**is_packed).count();
        let n_examples = (0..self.texts.len())
            .filter(|&idx| packed.texts[idx] && !packed.examples[idx])
            .filter(|&idx| self.with_examples && self.has_anchor(idx))
            .filter(|&idx| !matches!(self.examples[idx], Some(Err(_))))
            .count();
        let counts = [
            (n_skipped(&packed.pins), "pin"),
            (n_skipped(&packed.texts), "memory"),
            (n_examples, "example"),
        ];
        let present = counts.iter().filter(|(n, _)| *n > 0);
        let skipped: Vec<String> = present.map(|(n, noun)| plural(*n, noun)).collect();
        (!skipped.is_empty()).then(|| {
            format!(
                "Omitted for lack of space: {}. Find them with `cerberus memory search WORDS --content`, read them with `cerberus memory show ID`.\n",
                skipped.join(", ")
            )
        })
    }

    fn has_anchor(&self, idx: usize) -> bool {
        self.memories.anchors.contains_key(&self.ranked[idx].memory.id)
    }

    fn injected(&self, packed: &Packed) -> Vec<InjectedMemory> {
        let packed_texts = (0..self.ranked.len()).filter(|&idx| packed.texts[idx]);
        let injected = packed_texts.map(|idx| {
            let memory = &self.ranked[idx].memory;
            let anchor = self.memories.anchors.get(&memory.id);
            let example = match (&self.examples[idx], anchor) {
                (Some(Ok(example)), Some(anchor)) if packed.examples[idx] => {
                    Some(InjectedExample {
                        file: anchor.file.clone(),
                        symbol: anchor.symbol.clone(),
                        start_line: example.first_line + 1,
                        code: example.code.clone(),
                        state: example.state,
                    })
                }
                _ => None,
            };
            InjectedMemory { id: memory.id.clone(), text: text(self.ranked[idx]), example }
        });
        injected.collect()
    }

    /// Returns the items without room and the examples that are not available.
    fn skipped(&self, pins: &[Pin], packed: &Packed, limit: Cost) -> Vec<Skipped> {
        let rest = limit.minus(packed.used);
        let room = |cost: Cost| {
            if cost.tokens > rest.tokens {
                format!("it needs {} tokens, {} remain", cost.tokens, rest.tokens)
            } else {
                "it exceeds the limit of the client".to_owned()
            }
        };
        let mut skipped = Vec::new();
        for idx in (0..pins.len()).filter(|&idx| !packed.pins[idx]) {
            skipped.push(Skipped {
                id: pins[idx].id.clone(),
                what: "pin",
                why: room(self.pins[idx].cost),
            });
        }
        for idx in 0..self.ranked.len() {
            let id = self.ranked[idx].memory.id.clone();
            if !packed.texts[idx] {
                skipped.push(Skipped { id, what: "memory", why: room(self.texts[idx].cost) });
            } else if self.with_examples && self.has_anchor(idx) && !packed.examples[idx] {
                let why = match &self.examples[idx] {
                    Some(Ok(example)) => room(Cost::of(&example.text)),
                    Some(Err(why)) => why.clone(),
                    None => "no tokens remain".to_owned(),
                };
                skipped.push(Skipped { id, what: "example", why });
            }
        }
        skipped
    }
}

impl Packed {
    fn is_empty(&self) -> bool {
        !self.pins.contains(&true) && !self.texts.contains(&true)
    }

    /// Removes the least important item; returns whether there was one.
    fn drop_last(&mut self) -> bool {
        let last = |flags: &[bool]| flags.iter().rposition(|is_packed| *is_packed);
        if let Some(idx) = last(&self.examples) {
            self.examples[idx] = false;
        } else if let Some(idx) = last(&self.texts) {
            self.texts[idx] = false;
        } else if let Some(idx) = last(&self.pins) {
            self.pins[idx] = false;
        } else {
            return false;
        }
        true
    }
}

#[cfg(test)]
mod tests;
