//! Builds the injected text from the items that fit into the budget.

use anyhow::Result;
use cerberus_bank::MemoryFile;
use cerberus_bank::ops::pins::{builtin, render};
use cerberus_bank::ops::{Project, envelope};
use cerberus_model::text::plural;
use cerberus_model::{Anchor, Pin};
use rustc_hash::FxHashMap;

use super::example::{self, Example};
use super::pack::{self, Cost, PackInput, Packed, PackedText, PinCost, TextCost};
use super::unverified::Unverified;
use super::{InjectedCandidate, InjectedExample, InjectedMemory, Omitted, Skipped, text};

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
#[derive(Debug, Clone)]
pub(super) struct Item {
    text: String,
    pub(super) cost: Cost,
}

impl Item {
    pub(super) fn new(text: String) -> Self {
        Self {
            cost: Cost::of(&text),
            text,
        }
    }
}

/// A text of a memory.
pub(super) struct Text {
    /// The line of its group, without which the text is unclear, and which is above all texts of the group.
    group: Option<String>,
    whole: Item,
    short: Option<Item>,
    /// Whether it only names a rule that the file has already, for the example below it.
    needs_example: bool,
}

impl Text {
    /// Returns a text as a list item without a group.
    pub(super) fn alone(text: &str) -> Self {
        Self {
            group: None,
            whole: Item::new(render::list_item(text)),
            short: None,
            needs_example: false,
        }
    }

    /// Returns the item above the example of a rule in a line of the file.
    pub(super) fn in_line(line: usize, id: &str) -> Self {
        Self {
            needs_example: true,
            ..Self::alone(&format!("line {line} above (`{id}`)"))
        }
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
            Item::new(if place.is_some() {
                indented(&item)
            } else {
                item
            })
        };
        let whole = item(text);
        let short = start.map(|start| item(&format!("{start} [… {id}]")));
        let saves = |short: &Item| short.cost.tokens + MIN_SAVING <= whole.cost.tokens;
        let short = short.filter(saves);
        Self {
            group: place,
            whole,
            short,
            needs_example: false,
        }
    }

    /// Returns the cost of the whole text.
    pub(super) fn cost(&self) -> Cost {
        self.whole.cost
    }

    fn item(&self, is_short: bool) -> &Item {
        self.short
            .as_ref()
            .filter(|_| is_short)
            .unwrap_or(&self.whole)
    }
}

/// Returns the lines of a list item as an item of a list in a list.
fn indented(item: &str) -> String {
    let line = |line: &str| {
        if line.trim().is_empty() {
            line.to_owned()
        } else {
            format!("  {line}")
        }
    };
    item.split_inclusive('\n').map(line).collect()
}

/// A memory that may be in the text, in the order of importance.
pub(super) struct Candidate<'a> {
    pub(super) stored: &'a MemoryFile,
    pub(super) text: Text,
    pub(super) example: Slot<'a>,
    /// Why it is relevant.
    pub(super) why: Option<String>,
}

/// The example of a memory.
pub(super) enum Slot<'a> {
    /// There is none, or it is not wanted.
    Absent,
    /// It is not worth its room.
    Hidden,
    /// It was not looked up yet.
    Unread(&'a Anchor),
    Read(&'a Anchor, Result<Example, String>),
    /// There is none, but code that may be one.
    Unverified(Unverified),
}

impl Slot<'_> {
    /// Returns the code, which is looked up once.
    fn read(&mut self, project: &Project, stored: &MemoryFile, max_lines: usize) -> Option<&Item> {
        if let Self::Unread(anchor) = *self {
            *self = Self::Read(anchor, example::example(project, stored, anchor, max_lines));
        }
        self.found()
    }

    /// Discards an example that was read.
    pub(super) fn forget(&mut self) {
        if let Self::Read(anchor, _) = *self {
            *self = Self::Unread(anchor);
        }
    }

    fn found(&self) -> Option<&Item> {
        match self {
            Self::Read(_, found) => found.as_ref().ok().map(|example| &example.item),
            Self::Unverified(candidates) => Some(&candidates.item),
            _ => None,
        }
    }
}

/// Builds the text.
pub(super) struct Block<'a> {
    pub(super) project: &'a Project,
    /// The share of the budget that examples get if the texts need the rest.
    pub(super) code_share: f64,
    pub(super) pins: &'a [Pin],
    pub(super) candidates: Vec<Candidate<'a>>,
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
        let input = self.pack_input();
        let max_lines = self.example_lines(limit);
        let mut packed = self.pack(&input, max_lines, limit);
        let mut footer = None;
        if let Some(hint) = hint {
            let mut shorter = packed.clone();
            for _ in 0..MAX_PACKINGS {
                let Some(line) = self.footer(&shorter, hint) else {
                    break;
                };
                if shorter.is_empty() {
                    break;
                }
                if shorter.used.plus(Cost::of(&line)).fits(limit) {
                    (packed, footer) = (shorter, Some(line));
                    break;
                }
                shorter = self.pack(&input, max_lines, limit.minus(Cost::of(&line)));
            }
        }
        let mut text = self.render(&packed, footer.as_deref());
        // The sum of the costs can differ slightly from the cost of the whole text.
        while !Cost::of(&text).fits(whole_limit) && packed.drop_last(&input) {
            footer = footer.and_then(|_| self.footer(&packed, hint?));
            text = self.render(&packed, footer.as_deref());
        }
        (text, packed)
    }

    fn pack_input(&self) -> PackInput {
        let (groups, lines) = self.groups();
        let pin = |pin: &Pin| PinCost {
            cost: pin_cost(pin),
            is_builtin: is_builtin(pin),
        };
        let texts = self
            .candidates
            .iter()
            .zip(groups)
            .map(|(Candidate { text, .. }, group)| {
                let short = text.short.as_ref().map(|it| it.cost);
                TextCost {
                    whole: text.whole.cost,
                    short,
                    group,
                    needs_example: text.needs_example,
                }
            });
        let texts: Vec<TextCost> = texts.collect();
        let has_short = texts.iter().any(|text| text.short.is_some());
        PackInput {
            pin_header: Cost::of(render::HEADER),
            pins: self.pins.iter().map(pin).collect(),
            text_header: Cost::of(if has_short {
                HEADER_OF_SHORT
            } else {
                self.header
            }),
            texts,
            group_lines: lines.iter().map(|line| Cost::of(line)).collect(),
            code_share: self.code_share,
        }
    }

    fn pack(&mut self, input: &PackInput, max_lines: usize, limit: Cost) -> Packed {
        let project = self.project;
        let mut example = |idx: usize, is_verified: bool| {
            let Candidate {
                stored, example, ..
            } = &mut self.candidates[idx];
            let is_wanted = matches!(example, Slot::Unverified(_)) != is_verified;
            Some(
                example
                    .read(project, stored, max_lines)
                    .filter(|_| is_wanted)?
                    .cost,
            )
        };
        pack::pack(input, &mut example, limit)
    }

    /// Returns the maximum number of lines of each example: more if few share the budget.
    fn example_lines(&self, limit: Cost) -> usize {
        let has_example =
            |it: &&Candidate| !matches!(it.example, Slot::Absent | Slot::Unverified(_));
        let n_examples = self.candidates.iter().filter(has_example).count();
        let budget = pack::share(limit.tokens, self.project.inject.code_share);
        let fair = budget / n_examples.max(1) / TOKENS_PER_LINE;
        fair.max(MIN_EXAMPLE_LINES)
            .min(self.project.inject.max_lines.get())
    }

    fn render(&self, packed: &Packed, footer: Option<&str>) -> String {
        let mut text = String::new();
        for (pin, _) in self
            .pins
            .iter()
            .zip(&packed.pins)
            .filter(|(_, is_packed)| **is_packed)
        {
            text.push_str(if text.is_empty() { render::HEADER } else { "" });
            text.push_str(&render::item(pin));
        }
        let has_short = packed.texts.iter().any(|text| text.is_short);
        let (groups, lines) = self.groups();
        let given: Vec<(usize, Option<usize>)> = groups
            .into_iter()
            .enumerate()
            .filter(|(idx, _)| packed.texts[*idx].is_given)
            .collect();
        if !given.is_empty() {
            text.push_str(if has_short {
                HEADER_OF_SHORT
            } else {
                self.header
            });
        }
        let item = |idx: usize| self.candidates[idx].item(packed.texts[idx]);
        for &(idx, group) in &given {
            let Some(line) = group.map(|group| &lines[group]) else {
                text.push_str(&item(idx));
                continue;
            };
            // The texts of a group follow its first one.
            let mut members = given
                .iter()
                .filter(|it| it.1 == group)
                .map(|it| it.0)
                .peekable();
            if members.peek() != Some(&idx) {
                continue;
            }
            match members.clone().count() {
                1 => text.push_str(&joined(line, &item(idx))),
                _ => {
                    text.push_str(line);
                    members.for_each(|member| text.push_str(&item(member)));
                }
            }
        }
        text.push_str(&self.contents);
        if text.is_empty() {
            return text;
        }
        envelope::wrapped(&text) + footer.unwrap_or_default()
    }

    /// Returns the group of each text, and the lines of the groups.
    fn groups(&self) -> (Vec<Option<usize>>, Vec<String>) {
        let mut known: FxHashMap<&str, usize> = FxHashMap::default();
        let mut lines: Vec<String> = Vec::new();
        let groups = self.candidates.iter().map(|it| {
            let place = it.text.group.as_deref()?;
            Some(*known.entry(place).or_insert_with(|| {
                lines.push(render::list_item(&format!("{place}:")));
                lines.len() - 1
            }))
        });
        (groups.collect(), lines)
    }

    /// Returns the line that counts the items without room, if there are any.
    fn footer(&self, packed: &Packed, hint: &str) -> Option<String> {
        let omitted = self.omitted(packed, Cost::UNLIMITED, Cost::ZERO);
        // The table of contents says where to find the memories.
        let n_memories = if self.contents.is_empty() {
            omitted.memories
        } else {
            0
        };
        let counts = [
            (omitted.pins, "pin"),
            (n_memories, "memory"),
            (omitted.examples, "example"),
        ];
        let present = counts.iter().filter(|(n, _)| *n > 0);
        let skipped: Vec<String> = present.map(|(n, noun)| plural(*n, noun)).collect();
        (!skipped.is_empty()).then(|| {
            format!(
                "Omitted for lack of space: {}. {hint}\n",
                skipped.join(", ")
            )
        })
    }

    /// Returns which examples were not found or not read, and why.
    pub(super) fn unread(&self) -> impl Iterator<Item = String> {
        self.candidates.iter().filter_map(|it| match &it.example {
            Slot::Read(_, Err(why)) => Some(format!(
                "`{}` is without its example: {why}",
                it.stored.memory.id
            )),
            _ => None,
        })
    }

    /// Returns the room that all examples need, with as many lines as any budget gives them.
    pub(super) fn all_examples(&self) -> Cost {
        let max_lines = self.project.inject.max_lines.get();
        let costs = self.candidates.iter().filter_map(|it| {
            let (Slot::Unread(anchor) | Slot::Read(anchor, _)) = it.example else {
                return None;
            };
            Some(
                example::example(self.project, it.stored, anchor, max_lines)
                    .ok()?
                    .item
                    .cost,
            )
        });
        costs.fold(Cost::ZERO, Cost::plus)
    }

    /// Returns the numbers of items without room, and the room that all need, with `examples` for theirs.
    pub(super) fn omitted(&self, packed: &Packed, client_limit: Cost, examples: Cost) -> Omitted {
        let is_omitted = |(it, packed): &(&Candidate, &PackedText)| {
            let has_example = matches!(it.example, Slot::Unread(_) | Slot::Read(_, Ok(_)));
            has_example && (packed.is_given || it.text.needs_example) && !packed.has_example
        };
        let pins: Vec<Cost> = self.pins.iter().map(pin_cost).collect();
        let builtin = self
            .pins
            .iter()
            .zip(&pins)
            .filter(|(pin, _)| is_builtin(pin));
        let n_builtin: usize = builtin.map(|(_, cost)| cost.tokens).sum();
        let lines = self.groups().1;
        let texts = self.candidates.iter().map(|it| it.text.whole.cost);
        let texts: Vec<Cost> = texts
            .chain(lines.iter().map(|line| Cost::of(line)))
            .collect();
        let headers = [(pins, render::HEADER), (texts, self.header)];
        let is_missing =
            |(it, packed): &(&Candidate, &PackedText)| !packed.is_given && !it.text.needs_example;
        let mut needed = envelope_cost()
            .plus(Cost::of(&self.contents))
            .plus(examples);
        for (costs, header) in headers.into_iter().filter(|(costs, _)| !costs.is_empty()) {
            needed = costs
                .into_iter()
                .fold(needed.plus(Cost::of(header)), Cost::plus);
        }
        Omitted {
            pins: packed.pins.iter().filter(|is_packed| !**is_packed).count(),
            memories: self
                .candidates
                .iter()
                .zip(&packed.texts)
                .filter(is_missing)
                .count(),
            examples: self
                .candidates
                .iter()
                .zip(&packed.texts)
                .filter(is_omitted)
                .count(),
            needed_tokens: needed.tokens.max(n_builtin * pack::BUILTIN_SHARE),
            by_client: !needed.fits(client_limit),
        }
    }

    /// Returns the memories in the text.
    pub(super) fn injected(&self, packed: &Packed) -> Vec<InjectedMemory> {
        let given = self
            .candidates
            .iter()
            .zip(&packed.texts)
            .filter(|(_, packed)| packed.is_given);
        let injected = given.map(|(it, packed)| InjectedMemory {
            id: it.stored.memory.id.clone(),
            text: text(it.stored),
            is_shortened: packed.is_short,
            example: it.injected_example().filter(|_| packed.has_example),
            candidates: it.injected_candidates(*packed),
            why: it.why.clone(),
        });
        injected.collect()
    }

    /// Returns the items without room and the examples that are not available.
    pub(super) fn skipped(&self, packed: &Packed, limit: Cost) -> Vec<Skipped> {
        let rest = limit.minus(packed.used);
        let room = |cost: Cost| {
            if cost.tokens > rest.tokens {
                format!("it needs {} tokens, {} remain", cost.tokens, rest.tokens)
            } else {
                "it exceeds the limit of the client".to_owned()
            }
        };
        let pins = self
            .pins
            .iter()
            .zip(&packed.pins)
            .filter(|(_, is_packed)| !**is_packed);
        let pins = pins.map(|(pin, _)| Skipped {
            id: pin.id.clone(),
            what: "pin",
            why: room(pin_cost(pin)),
        });
        let memories = self
            .candidates
            .iter()
            .zip(&packed.texts)
            .filter_map(|(it, packed)| {
                if !packed.is_given && !it.text.needs_example {
                    return Some(Skipped::memory(it.stored, room(it.text.whole.cost)));
                }
                let why = match &it.example {
                    _ if packed.has_example => return None,
                    Slot::Absent => return None,
                    Slot::Hidden => "the files have too little in common with it".to_owned(),
                    Slot::Unread(_) => "no tokens remain".to_owned(),
                    Slot::Read(_, Ok(example)) => room(example.item.cost),
                    Slot::Read(_, Err(why)) => why.clone(),
                    Slot::Unverified(_) => return None,
                };
                Some(Skipped {
                    what: "example",
                    ..Skipped::memory(it.stored, why)
                })
            });
        pins.chain(memories).collect()
    }
}

fn is_builtin(pin: &Pin) -> bool {
    pin.id.starts_with(builtin::PREFIX)
}

fn pin_cost(pin: &Pin) -> Cost {
    Cost::of(&render::item(pin))
}

impl Candidate<'_> {
    /// Returns the lines of a text with its example.
    fn item(&self, packed: PackedText) -> String {
        let mut item = self.text.item(packed.is_short).text.clone();
        if let Some(example) = self.example.found().filter(|_| packed.has_example) {
            match self.text.group {
                Some(_) => item.push_str(&indented(&example.text)),
                None => item.push_str(&example.text),
            }
        }
        item
    }

    fn injected_candidates(&self, packed: PackedText) -> Vec<InjectedCandidate> {
        match &self.example {
            Slot::Unverified(it) if packed.has_example => it.found.clone(),
            _ => Vec::new(),
        }
    }

    fn injected_example(&self) -> Option<InjectedExample> {
        let Slot::Read(anchor, Ok(example)) = &self.example else {
            return None;
        };
        Some(InjectedExample {
            file: anchor.file.clone(),
            symbol: anchor.symbol.clone(),
            start_line: example.first_line + 1,
            code: example.code.clone(),
            shown_lines: example.shown_lines.clone(),
            state: example.state,
        })
    }
}

/// Returns the item of a group with one text, in one line with that of the group.
fn joined(line: &str, item: &str) -> String {
    let item: String = item
        .split_inclusive('\n')
        .map(|line| line.strip_prefix("  ").unwrap_or(line))
        .collect();
    format!(
        "{} {}",
        line.trim_end(),
        item.strip_prefix("- ").unwrap_or(&item)
    )
}
