//! Builds the injected text from the items that fit into the budget.

use crate::bank::MemoryFile;
use crate::model::Pin;
use crate::ops::Project;
use crate::ops::envelope;
use crate::ops::memories::Memories;
use crate::ops::pins::render;
use crate::text::plural;

use super::example::{self, Example};
use super::pack::{self, Cost, PackInput, Packed};
use super::{InjectedExample, InjectedMemory, Omitted, Skipped, text};

/// Returns the cost of the envelope around the items.
pub(super) fn envelope_cost() -> Cost {
    Cost::of(envelope::START).plus(Cost::of(envelope::END))
}

pub(super) const HEADER: &str = "Project memory:\n";

/// How often packing is repeated to make room for the footer that lists the skipped items.
const MAX_PACKINGS: usize = 4;

/// The maximum number of lines of an example if many share the budget.
const MIN_EXAMPLE_LINES: usize = 12;

/// The number of tokens of an average line of code.
const TOKENS_PER_LINE: usize = 12;

/// A part of the text with its cost.
pub(super) struct Item {
    text: String,
    pub(super) cost: Cost,
}

impl Item {
    pub(super) fn new(text: String) -> Self {
        Self { cost: Cost::of(&text), text }
    }
}

/// Builds the text.
pub(super) struct Block<'a> {
    pub(super) project: &'a Project,
    pub(super) memories: &'a Memories,
    pub(super) with_examples: bool,
    /// The share of the budget that examples get if the texts need the rest.
    pub(super) code_share: f64,
    pub(super) pins: Vec<Item>,
    pub(super) is_builtin: Vec<bool>,
    pub(super) texts: Vec<Item>,
    /// The examples that were looked up so far.
    pub(super) examples: Vec<Option<Result<Example, String>>>,
    pub(super) ranked: &'a [&'a MemoryFile],
    /// Why each of them is relevant.
    pub(super) reasons: &'a [Option<String>],
    /// The line above the texts.
    pub(super) header: &'static str,
    /// The table of contents below the texts, or nothing.
    pub(super) contents: String,
}

impl Block<'_> {
    /// Returns the text that fits into `limit` and the envelope, and the items in it. With a `hint`
    /// the last line of the text counts the skipped items and says how to get them.
    pub(super) fn fill(&mut self, limit: Cost, hint: Option<&str>) -> (String, Packed) {
        let whole_limit = limit.plus(envelope_cost());
        let limit = limit.minus(Cost::of(&self.contents));
        let pins: Vec<Cost> = self.pins.iter().map(|pin| pin.cost).collect();
        let texts: Vec<Cost> = self.texts.iter().map(|text| text.cost).collect();
        let is_builtin = self.is_builtin.clone();
        let input = PackInput {
            pin_header: Cost::of(render::HEADER),
            pins: &pins,
            is_builtin: &is_builtin,
            text_header: Cost::of(self.header),
            texts: &texts,
        };
        let max_lines = self.example_lines(limit);
        let share = if self.with_examples { self.code_share } else { 0.0 };
        let mut costs: Vec<Option<Cost>> = vec![None; texts.len()];
        let mut pack = |this: &mut Self, limit: Cost| {
            let mut example = |idx: usize| {
                if costs[idx].is_none() {
                    costs[idx] =
                        Some(this.example(idx, max_lines).map_or(Cost::UNLIMITED, Cost::of));
                }
                costs[idx].filter(|cost| *cost != Cost::UNLIMITED)
            };
            pack::pack(&input, &mut example, limit, share)
        };
        let mut packed = pack(self, limit);
        let mut footer = None;
        if let Some(hint) = hint {
            let mut shorter = packed.clone();
            for _ in 0..MAX_PACKINGS {
                let Some(line) = self.footer(&shorter, hint) else { break };
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
        while !Cost::of(&text).fits(whole_limit) && packed.drop_last() {
            footer = footer.and_then(|_| self.footer(&packed, hint?));
            text = self.render(&packed, footer.as_deref());
        }
        (text, packed)
    }

    /// Returns the maximum number of lines of each example: more if few share the budget.
    fn example_lines(&self, limit: Cost) -> usize {
        let n_examples = (0..self.ranked.len()).filter(|&idx| self.has_anchor(idx)).count();
        let budget = pack::share(limit.tokens, self.project.inject.code_share);
        let max_lines = self.project.inject.max_lines;
        let fair = budget / n_examples.max(1) / TOKENS_PER_LINE;
        fair.max(MIN_EXAMPLE_LINES).min(max_lines)
    }

    /// Returns the text of an example; each is looked up once.
    fn example(&mut self, idx: usize, max_lines: usize) -> Option<&str> {
        if !self.with_examples {
            return None;
        }
        let stored = self.ranked[idx];
        let anchor = self.memories.anchors.get(&stored.memory.id)?;
        let found = self.examples[idx]
            .get_or_insert_with(|| example::example(self.project, stored, anchor, max_lines));
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
            text.push_str(if is_first { self.header } else { "" });
            is_first = false;
            text.push_str(&self.texts[idx].text);
            if packed.examples[idx]
                && let Some(Some(Ok(example))) = self.examples.get(idx)
            {
                text.push_str(&example.text);
            }
        }
        text.push_str(&self.contents);
        if text.is_empty() {
            return text;
        }
        envelope::wrapped(&text) + footer.unwrap_or_default()
    }

    /// Returns the line that counts the items without room, if there are any.
    fn footer(&self, packed: &Packed, hint: &str) -> Option<String> {
        let omitted = self.omitted(packed, Cost::UNLIMITED);
        // The table of contents says where to find the memories.
        let n_memories = if self.contents.is_empty() { omitted.memories } else { 0 };
        let counts = [(omitted.pins, "pin"), (n_memories, "memory"), (omitted.examples, "example")];
        let present = counts.iter().filter(|(n, _)| *n > 0);
        let skipped: Vec<String> = present.map(|(n, noun)| plural(*n, noun)).collect();
        (!skipped.is_empty())
            .then(|| format!("Omitted for lack of space: {}. {hint}\n", skipped.join(", ")))
    }

    /// Returns the numbers of items without room, and the room that they need.
    pub(super) fn omitted(&self, packed: &Packed, client_limit: Cost) -> Omitted {
        let n_skipped = |flags: &[bool]| flags.iter().filter(|is_packed| !**is_packed).count();
        let examples = (0..self.texts.len())
            .filter(|&idx| packed.texts[idx] && !packed.examples[idx])
            .filter(|&idx| self.with_examples && self.has_anchor(idx))
            .filter(|&idx| !matches!(self.examples[idx], Some(Err(_))))
            .count();
        let headers = [(&self.pins, render::HEADER), (&self.texts, self.header)];
        let mut needed = envelope_cost().plus(Cost::of(&self.contents));
        for (items, header) in headers.into_iter().filter(|(items, _)| !items.is_empty()) {
            needed = items.iter().fold(needed.plus(Cost::of(header)), |sum, it| sum.plus(it.cost));
        }
        let builtin = self.pins.iter().zip(&self.is_builtin).filter(|(_, is_builtin)| **is_builtin);
        let n_builtin: usize = builtin.map(|(pin, _)| pin.cost.tokens).sum();
        Omitted {
            pins: n_skipped(&packed.pins),
            memories: n_skipped(&packed.texts),
            examples,
            needed_tokens: needed.tokens.max(n_builtin * pack::BUILTIN_SHARE),
            by_client: !needed.fits(client_limit),
        }
    }

    fn has_anchor(&self, idx: usize) -> bool {
        self.memories.anchors.contains_key(&self.ranked[idx].memory.id)
    }

    pub(super) fn injected(&self, packed: &Packed) -> Vec<InjectedMemory> {
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
                        shown_lines: example.shown_lines.clone(),
                        state: example.state,
                    })
                }
                _ => None,
            };
            InjectedMemory {
                id: memory.id.clone(),
                text: text(self.ranked[idx]),
                example,
                why: self.reasons[idx].clone(),
            }
        });
        injected.collect()
    }

    /// Returns the items without room and the examples that are not available.
    pub(super) fn skipped(&self, pins: &[Pin], packed: &Packed, limit: Cost) -> Vec<Skipped> {
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
