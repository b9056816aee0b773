//! Builds the injected text from the items that fit into the budget.

use rustc_hash::FxHashMap;

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

/// The header if some texts are shortened.
const HEADER_OF_SHORT: &str = "Project memory (of a text that ends in `[… ID]`, `cerberus memory show ID` prints the rest):\n";

/// Number of tokens that the short form of a text saves at least.
const MIN_SAVING: usize = 20;

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

/// A text of a memory.
pub(super) struct Text {
    /// The line of its group, without which the text is unclear, and which is above all texts of the group.
    group: Option<String>,
    whole: Item,
    short: Option<Item>,
}

impl Text {
    /// Returns a text as a list item without a group.
    pub(super) fn alone(text: &str) -> Self {
        Self { group: None, whole: Item::new(render::list_item(text)), short: None }
    }

    /// Returns a text in the group of texts of the same place, which may be shortened to its start.
    pub(super) fn in_place(
        place: Option<String>,
        text: &str,
        start: Option<&str>,
        id: &str,
    ) -> Self {
        let item = |text: &str| {
            let item = render::list_item(text);
            Item::new(if place.is_some() { indented(&item) } else { item })
        };
        let whole = item(text);
        let short = start.map(|start| item(&format!("{start} [… {id}]")));
        let saves = |short: &Item| short.cost.tokens + MIN_SAVING <= whole.cost.tokens;
        let short = short.filter(saves);
        Self { group: place, whole, short }
    }

    fn item(&self, is_short: bool) -> &Item {
        self.short.as_ref().filter(|_| is_short).unwrap_or(&self.whole)
    }
}

/// Returns the lines of a list item as an item of a list in a list.
fn indented(item: &str) -> String {
    let line =
        |line: &str| if line.trim().is_empty() { line.to_owned() } else { format!("  {line}") };
    item.split_inclusive('\n').map(line).collect()
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
    pub(super) texts: Vec<Text>,
    /// The examples that were looked up so far.
    pub(super) examples: Vec<Option<Result<Example, String>>>,
    pub(super) ranked: &'a [&'a MemoryFile],
    /// Why each of them is relevant.
    pub(super) reasons: &'a [Option<String>],
    /// Whether the example of each of them is worth its room.
    pub(super) shows: &'a [bool],
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
        let texts: Vec<Cost> = self.texts.iter().map(|text| text.whole.cost).collect();
        let shorts: Vec<Option<Cost>> =
            self.texts.iter().map(|text| Some(text.short.as_ref()?.cost)).collect();
        let is_builtin = self.is_builtin.clone();
        let (groups, lines) = self.groups();
        let group_lines: Vec<Cost> = lines.iter().map(|line| Cost::of(line)).collect();
        let has_short = shorts.iter().any(Option::is_some);
        let input = PackInput {
            pin_header: Cost::of(render::HEADER),
            pins: &pins,
            is_builtin: &is_builtin,
            text_header: Cost::of(if has_short { HEADER_OF_SHORT } else { self.header }),
            texts: &texts,
            shorts: &shorts,
            groups: &groups,
            group_lines: &group_lines,
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
        if !self.with_examples || !self.shows[idx] {
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
        let has_short = packed.short.contains(&true);
        let header = if has_short { HEADER_OF_SHORT } else { self.header };
        let (groups, lines) = self.groups();
        let mut is_done = vec![false; self.texts.len()];
        let mut is_first = true;
        for idx in (0..self.texts.len()).filter(|&idx| packed.texts[idx]) {
            text.push_str(if is_first { header } else { "" });
            is_first = false;
            if std::mem::replace(&mut is_done[idx], true) {
                continue;
            }
            let Some(group) = groups[idx] else {
                text.push_str(&self.item(idx, packed));
                continue;
            };
            let members: Vec<usize> = (idx..self.texts.len())
                .filter(|&other| packed.texts[other] && groups[other] == Some(group))
                .collect();
            members.iter().for_each(|&member| is_done[member] = true);
            match members.as_slice() {
                [only] => text.push_str(&joined(&lines[group], &self.item(*only, packed))),
                members => {
                    text.push_str(&lines[group]);
                    members.iter().for_each(|&member| text.push_str(&self.item(member, packed)));
                }
            }
        }
        text.push_str(&self.contents);
        if text.is_empty() {
            return text;
        }
        envelope::wrapped(&text) + footer.unwrap_or_default()
    }

    /// Returns the lines of a text with its example.
    fn item(&self, idx: usize, packed: &Packed) -> String {
        let mut item = self.texts[idx].item(packed.short[idx]).text.clone();
        if packed.examples[idx]
            && let Some(Some(Ok(example))) = self.examples.get(idx)
        {
            match self.texts[idx].group {
                Some(_) => item.push_str(&indented(&example.text)),
                None => item.push_str(&example.text),
            }
        }
        item
    }

    /// Returns the group of each text, and the lines of the groups.
    fn groups(&self) -> (Vec<Option<usize>>, Vec<String>) {
        let mut known: FxHashMap<&str, usize> = FxHashMap::default();
        let mut lines: Vec<String> = Vec::new();
        let groups = self.texts.iter().map(|text| {
            let place = text.group.as_deref()?;
            Some(*known.entry(place).or_insert_with(|| {
                lines.push(render::list_item(&format!("{place}:")));
                lines.len() - 1
            }))
        });
        (groups.collect(), lines)
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
            .filter(|&idx| self.with_examples && self.shows[idx] && self.has_anchor(idx))
            .filter(|&idx| !matches!(self.examples[idx], Some(Err(_))))
            .count();
        let pins: Vec<Cost> = self.pins.iter().map(|pin| pin.cost).collect();
        let lines = self.groups().1;
        let lines = lines.iter().map(|line| Cost::of(line));
        let texts: Vec<Cost> = self.texts.iter().map(|text| text.whole.cost).chain(lines).collect();
        let headers = [(pins, render::HEADER), (texts, self.header)];
        let mut needed = envelope_cost().plus(Cost::of(&self.contents));
        for (costs, header) in headers.into_iter().filter(|(costs, _)| !costs.is_empty()) {
            needed = costs.into_iter().fold(needed.plus(Cost::of(header)), Cost::plus);
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
                is_shortened: packed.short[idx],
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
                skipped.push(Skipped { id, what: "memory", why: room(self.texts[idx].whole.cost) });
            } else if self.with_examples && self.has_anchor(idx) && !packed.examples[idx] {
                let why = match &self.examples[idx] {
                    _ if !self.shows[idx] => {
                        "the files have too little in common with it".to_owned()
                    }
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

/// Returns the item of a group with one text, in one line with that of the group.
fn joined(line: &str, item: &str) -> String {
    let item: String =
        item.split_inclusive('\n').map(|line| line.strip_prefix("  ").unwrap_or(line)).collect();
    format!("{} {}", line.trim_end(), item.strip_prefix("- ").unwrap_or(&item))
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
