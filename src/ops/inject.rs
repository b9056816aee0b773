//! `inject`: pins, memories and the code that shows them, inside a budget.
//!
//! The budget is hard: it counts every token that is given, headers and fences with
//! them. The same bank, tree and question give the same text.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use crate::bank::{ExternalFile, MemoryFile};
use crate::error::UserError;
use crate::markdown::sections::{self, Origin, Section};
use crate::model::{Pin, PinScope, Priority, State};
use crate::text::Span;
use crate::tokens;
use crate::tree::git;

use super::memories::Memories;
use super::pins::{builtin, render};
use super::{Project, managed_block, pins};

mod example;
mod host;
mod pack;
mod relevance;

pub(crate) use host::Host;
pub(crate) use pack::Size;

use example::Example;
use pack::{Load, Packed};
use relevance::{Focus, Ranked};

/// What stands above the memories.
const HEADER: &str = "Project memory:\n";

/// How often the text is packed again with room for what it tells of the last packing.
const MAX_PACKINGS: usize = 4;

/// What the user has settled for `inject`.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) budget: usize,
    /// The part of the budget that examples get where texts want the rest.
    pub(crate) code_share: f64,
    /// The most lines of an example.
    pub(crate) max_lines: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { budget: 1500, code_share: 0.6, max_lines: 30 }
    }
}

/// What is to be given.
#[derive(Debug, Clone, Default)]
pub(crate) struct Request {
    pub(crate) budget: Option<usize>,
    pub(crate) query: Option<String>,
    pub(crate) files: Vec<String>,
    /// Whether the files of the staged change count too.
    pub(crate) staged: bool,
    pub(crate) no_examples: bool,
    pub(crate) host: Option<Host>,
    /// Whether it is kept in a file that others read: then what is this session's or
    /// passes is left out.
    pub(crate) lasting: bool,
    /// What else of the host's room is taken.
    pub(crate) taken: Option<Size>,
}

/// The text to be given, and what it is made of.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) budget: usize,
    pub(crate) used_tokens: usize,
    pub(crate) tokenizer: &'static str,
    pub(crate) pins: Vec<GivenPin>,
    pub(crate) memories: Vec<Given>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) text: String,
    pub(crate) warnings: Vec<String>,
}

/// A pin that is given.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GivenPin {
    pub(crate) id: String,
    pub(crate) priority: Priority,
    pub(crate) text: String,
}

/// A memory that is given.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Given {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) example: Option<GivenExample>,
}

/// The code that is given with a memory.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GivenExample {
    pub(crate) file: String,
    pub(crate) symbol: Option<String>,
    pub(crate) start_line: u32,
    pub(crate) code: String,
    /// `edited` where it has changed since it was recorded.
    pub(crate) state: State,
}

/// What was left out, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Skipped {
    pub(crate) id: String,
    pub(crate) what: &'static str,
    pub(crate) why: String,
}

/// Returns what is to be given.
pub(crate) fn inject(
    project: &Project,
    request: &Request,
    session: Option<&str>,
) -> Result<Report> {
    let loaded = pins::load(project, session)?;
    let mut given_pins = loaded.given(project);
    if request.lasting {
        given_pins.retain(|pin| pin.scope == PinScope::Persistent);
    }
    let memories = Memories::load(project)?;
    let focus = Focus { query: request.query.clone(), files: files(project, request)? };
    let Ranked { memories: ranked, left_out } = relevance::ranked(project, &memories, &focus)?;
    let mut warnings = loaded.warnings;
    warnings.extend(memories.warnings.iter().cloned());
    let budget = request.budget.unwrap_or(project.inject.budget);
    let cap = request.host.map_or(Size::UNLIMITED, Host::cap);
    let mut limit = cap.less(request.taken.unwrap_or(Size::ZERO));
    limit.tokens = limit.tokens.min(budget);
    let mut block = Block {
        project,
        memories: &memories,
        with_examples: !request.no_examples,
        pins: given_pins.iter().map(|pin| Piece::new(render::item(pin))).collect(),
        built_in: given_pins.iter().map(|pin| pin.id.starts_with(builtin::PREFIX)).collect(),
        texts: ranked.iter().map(|stored| Piece::new(render::list_item(&text(stored)))).collect(),
        examples: vec![None; ranked.len()],
        ranked: &ranked,
    };
    let (rendered, packed) = block.fill(limit, request.host.is_some());
    let mut skipped = block.skipped(&given_pins, &packed, limit);
    skipped.extend(left_out.into_iter().map(|(id, why)| Skipped { id, what: "memory", why }));
    let pins = given_pins.iter().zip(&packed.pins).filter(|(_, is_in)| **is_in);
    Ok(Report {
        budget,
        used_tokens: tokens::count(&rendered),
        tokenizer: tokens::NAME,
        pins: pins.map(|(pin, _)| given_pin(pin)).collect(),
        memories: block.given(&packed),
        skipped,
        text: rendered,
        warnings,
    })
}

/// A file in which a block is kept.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Kept {
    pub(crate) file: String,
    /// Whether the block was not what it should be.
    pub(crate) stale: bool,
    /// Whether the file was written.
    pub(crate) written: bool,
    #[serde(flatten)]
    pub(crate) report: Report,
}

/// Brings the block in the file at `path` up to date, or with `checks` only looks at it.
pub(crate) fn keep(
    project: &Project,
    request: &Request,
    path: &Path,
    checks: bool,
) -> Result<Kept> {
    let file = ExternalFile::open(path, Some(&project.root))?;
    if file.bytes.starts_with(&[0xFF, 0xFE]) || file.bytes.starts_with(&[0xFE, 0xFF]) {
        return Err(UserError::usage(format!("`{}` is UTF-16", path.display()))
            .hint("save it as UTF-8, or print the block with `cerberus memory inject`")
            .into());
    }
    let located = |failure: UserError| UserError {
        message: format!("`{}`: {}", path.display(), failure.message),
        ..failure
    };
    let around = managed_block::MARKDOWN.around(&file.bytes).map_err(located)?;
    let marks = Size::of(&format!(
        "\n{}\n{}\n",
        managed_block::MARKDOWN.start,
        managed_block::MARKDOWN.end
    ));
    let budget = request.budget.unwrap_or(project.inject.budget);
    let request = Request {
        budget: Some(budget.saturating_sub(marks.tokens)),
        lasting: true,
        taken: Some(Size::of(&String::from_utf8_lossy(&around)).plus(marks)),
        ..request.clone()
    };
    let mut report = inject(project, &request, None)?;
    report.budget = budget;
    let new = managed_block::MARKDOWN.put(&file.bytes, &report.text).map_err(located)?;
    let stale = new != file.bytes;
    let written = !checks && file.write(&new)?;
    Ok(Kept { file: path.display().to_string(), stale, written, report })
}

fn given_pin(pin: &Pin) -> GivenPin {
    GivenPin { id: pin.id.clone(), priority: pin.priority, text: pin.content.clone() }
}

/// Returns the paths, from the root, of the files at hand.
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

/// Returns the text of a memory without the tags of its sections.
pub(crate) fn text(stored: &MemoryFile) -> String {
    let body = &stored.memory.body;
    if !body.contains("<!--") {
        return body.trim().to_owned();
    }
    let whole = Span::new(stored.text.len() - body.len(), stored.text.len());
    let all = Section { id: String::new(), origin: Origin::Heading, outer: whole, inner: whole };
    sections::content(&stored.text, &all, &sections::parse(&stored.text), false).trim().to_owned()
}

/// A part of the text with what it costs.
struct Piece {
    text: String,
    size: Size,
}

impl Piece {
    fn new(text: String) -> Self {
        Self { size: Size::of(&text), text }
    }
}

/// The text in the making.
struct Block<'a> {
    project: &'a Project,
    memories: &'a Memories,
    with_examples: bool,
    pins: Vec<Piece>,
    built_in: Vec<bool>,
    texts: Vec<Piece>,
    /// What was found at the anchors that were looked at.
    examples: Vec<Option<Result<Example, String>>>,
    ranked: &'a [&'a MemoryFile],
}

impl Block<'_> {
    /// Returns the text that fits into `limit` and what is in it; with `tells`, it ends with
    /// what was left out.
    fn fill(&mut self, limit: Size, tells: bool) -> (String, Packed) {
        let pins: Vec<Size> = self.pins.iter().map(|pin| pin.size).collect();
        let texts: Vec<Size> = self.texts.iter().map(|text| text.size).collect();
        let built_in = self.built_in.clone();
        let load = Load {
            pin_header: Size::of(render::HEADER),
            pins: &pins,
            built_in: &built_in,
            text_header: Size::of(HEADER),
            texts: &texts,
        };
        let share = if self.with_examples { self.project.inject.code_share } else { 0.0 };
        let mut sizes: Vec<Option<Size>> = vec![None; texts.len()];
        let mut pack = |this: &mut Self, limit: Size| {
            let mut example = |at: usize| {
                if sizes[at].is_none() {
                    sizes[at] = Some(this.example(at).map_or(Size::UNLIMITED, Size::of));
                }
                sizes[at].filter(|size| *size != Size::UNLIMITED)
            };
            pack::pack(&load, &mut example, limit, share)
        };
        let mut packed = pack(self, limit);
        let mut footer = None;
        if tells {
            let mut shorter = packed.clone();
            for _ in 0..MAX_PACKINGS {
                let Some(line) = self.footer(&shorter) else { break };
                if shorter.is_empty() {
                    break;
                }
                if shorter.used.plus(Size::of(&line)).fits(limit) {
                    (packed, footer) = (shorter, Some(line));
                    break;
                }
                shorter = pack(self, limit.less(Size::of(&line)));
            }
        }
        let mut text = self.render(&packed, footer.as_deref());
        // Sizes that are added up are exact but for the vocabulary's own surprises.
        while !Size::of(&text).fits(limit) && packed.drop_last() {
            footer = footer.and_then(|_| self.footer(&packed));
            text = self.render(&packed, footer.as_deref());
        }
        (text, packed)
    }

    /// Returns the text of an example, looked up once.
    fn example(&mut self, at: usize) -> Option<&str> {
        if !self.with_examples {
            return None;
        }
        let anchor = self.memories.anchors.get(&self.ranked[at].memory.id)?;
        let max_lines = self.project.inject.max_lines;
        let found = self.examples[at]
            .get_or_insert_with(|| example::example(self.project, anchor, max_lines));
        found.as_ref().ok().map(|example| example.text.as_str())
    }

    fn render(&self, packed: &Packed, footer: Option<&str>) -> String {
        let mut text = String::new();
        for (pin, _) in self.pins.iter().zip(&packed.pins).filter(|(_, is_in)| **is_in) {
            text.push_str(if text.is_empty() { render::HEADER } else { "" });
            text.push_str(&pin.text);
        }
        let mut is_first = true;
        for at in (0..self.texts.len()).filter(|&at| packed.texts[at]) {
            text.push_str(if is_first { HEADER } else { "" });
            is_first = false;
            text.push_str(&self.texts[at].text);
            if packed.examples[at]
                && let Some(Some(Ok(example))) = self.examples.get(at)
            {
                text.push_str(&example.text);
            }
        }
        if !text.is_empty() {
            text.push_str(footer.unwrap_or_default());
        }
        text
    }

    /// Returns the line that tells what had no room and how to get it.
    fn footer(&self, packed: &Packed) -> Option<String> {
        let out = |flags: &[bool]| flags.iter().filter(|is_in| !**is_in).count();
        let n_examples = (0..self.texts.len())
            .filter(|&at| packed.texts[at] && !packed.examples[at])
            .filter(|&at| self.with_examples && self.has_anchor(at))
            .filter(|&at| !matches!(self.examples[at], Some(Err(_))))
            .count();
        let counts =
            [(out(&packed.pins), "pin"), (out(&packed.texts), "memory"), (n_examples, "example")];
        let told: Vec<String> = counts
            .iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, what)| match (n, *what) {
                (1, what) => format!("1 {what}"),
                (n, "memory") => format!("{n} memories"),
                (n, what) => format!("{n} {what}s"),
            })
            .collect();
        (!told.is_empty()).then(|| {
            format!(
                "Left out for lack of room: {}. Find them with `cerberus memory search WORDS --content`, read them with `cerberus memory show ID`.\n",
                told.join(", ")
            )
        })
    }

    fn has_anchor(&self, at: usize) -> bool {
        self.memories.anchors.contains_key(&self.ranked[at].memory.id)
    }

    /// Returns the memories that are in.
    fn given(&self, packed: &Packed) -> Vec<Given> {
        let is_in = |at: &usize| packed.texts[*at];
        let given = (0..self.ranked.len()).filter(is_in).map(|at| {
            let memory = &self.ranked[at].memory;
            let anchor = self.memories.anchors.get(&memory.id);
            let example = match (&self.examples[at], anchor) {
                (Some(Ok(example)), Some(anchor)) if packed.examples[at] => Some(GivenExample {
                    file: anchor.file.clone(),
                    symbol: anchor.symbol.clone(),
                    start_line: example.first_line + 1,
                    code: example.code.clone(),
                    state: example.state,
                }),
                _ => None,
            };
            Given { id: memory.id.clone(), text: text(self.ranked[at]), example }
        });
        given.collect()
    }

    /// Returns what had no room, and the examples that are not what they were.
    fn skipped(&self, pins: &[Pin], packed: &Packed, limit: Size) -> Vec<Skipped> {
        let left = limit.less(packed.used);
        let room = |size: Size| {
            if size.tokens > left.tokens {
                format!("it needs {} tokens, {} are left", size.tokens, left.tokens)
            } else {
                "its host has no room left for it".to_owned()
            }
        };
        let mut skipped = Vec::new();
        for at in (0..pins.len()).filter(|&at| !packed.pins[at]) {
            skipped.push(Skipped {
                id: pins[at].id.clone(),
                what: "pin",
                why: room(self.pins[at].size),
            });
        }
        for at in 0..self.ranked.len() {
            let id = self.ranked[at].memory.id.clone();
            if !packed.texts[at] {
                skipped.push(Skipped { id, what: "memory", why: room(self.texts[at].size) });
            } else if self.with_examples && self.has_anchor(at) && !packed.examples[at] {
                let why = match &self.examples[at] {
                    Some(Ok(example)) => room(Size::of(&example.text)),
                    Some(Err(why)) => why.clone(),
                    None => "no tokens are left for it".to_owned(),
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

    /// Takes the least important piece out and returns whether there was one.
    fn drop_last(&mut self) -> bool {
        let last = |flags: &[bool]| flags.iter().rposition(|is_in| *is_in);
        if let Some(at) = last(&self.examples) {
            self.examples[at] = false;
        } else if let Some(at) = last(&self.texts) {
            self.texts[at] = false;
        } else if let Some(at) = last(&self.pins) {
            self.pins[at] = false;
        } else {
            return false;
        }
        true
    }
}

#[cfg(test)]
mod tests;
