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
        let is_in_group = place.is_some();
        let whole = item_of(text, is_in_group);
        let short = start.map(|start| item_of(&format!("{start} [… {id}]"), is_in_group));
        Self {
            group: place,
            short: short.filter(|short| short.cost.tokens + MIN_SAVING <= whole.cost.tokens),
            whole,
            needs_example: false,
        }
    }

    /// Returns the cost of the whole text.
    pub(super) fn cost(&self) -> Cost {
        self.whole.cost
    }

    fn item(&self, is_short: bool) -> &Item {
        match &self.short {
            Some(short) if is_short => short,
            _ => &self.whole,
        }
    }
}

/// Returns a text as a list item, or as one below the line of its group.
fn item_of(text: &str, is_in_group: bool) -> Item {
    let item = render::list_item(text);
    if is_in_group {
        Item::new(indented(&item))
    } else {
        Item::new(item)
    }
}

/// Returns the lines of a list item as an item of a list in a list.
fn indented(item: &str) -> String {
    let mut text = String::new();
    for line in item.split_inclusive('\n') {
        if !line.trim().is_empty() {
            text.push_str("  ");
        }
        text.push_str(line);
    }
    text
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
        let mut pins = Vec::new();
        for pin in self.pins {
            pins.push(PinCost {
                cost: pin_cost(pin),
                is_builtin: is_builtin(pin),
            });
        }
        let (groups, lines) = self.groups();
        let mut texts = Vec::new();
        let mut header = self.header;
        for (Candidate { text, .. }, group) in self.candidates.iter().zip(groups) {
            if text.short.is_some() {
                header = HEADER_OF_SHORT;
            }
            texts.push(TextCost {
                whole: text.whole.cost,
                short: text.short.as_ref().map(|short| short.cost),
                group,
                needs_example: text.needs_example,
            });
        }
        PackInput {
            pin_header: Cost::of(render::HEADER),
            pins,
            text_header: Cost::of(header),
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
            let item = example.read(project, stored, max_lines)?;
            is_wanted.then_some(item.cost)
        };
        pack::pack(input, &mut example, limit)
    }

    /// Returns the maximum number of lines of each example: more if few share the budget.
    fn example_lines(&self, limit: Cost) -> usize {
        let mut n_examples = 0;
        for candidate in &self.candidates {
            if !matches!(candidate.example, Slot::Absent | Slot::Unverified(_)) {
                n_examples += 1;
            }
        }
        let budget = pack::share(limit.tokens, self.project.inject.code_share);
        let fair = budget / n_examples.max(1) / TOKENS_PER_LINE;
        fair.max(MIN_EXAMPLE_LINES)
            .min(self.project.inject.max_lines.get())
    }

    fn render(&self, packed: &Packed, footer: Option<&str>) -> String {
        let mut text = String::new();
        for (pin, is_packed) in self.pins.iter().zip(&packed.pins) {
            if *is_packed {
                if text.is_empty() {
                    text.push_str(render::HEADER);
                }
                text.push_str(&render::item(pin));
            }
        }
        let (groups, lines) = self.groups();
        // The texts of a group follow its first one.
        let mut given: Vec<(Option<usize>, Vec<String>)> = Vec::new();
        for (idx, group) in groups.into_iter().enumerate() {
            if !packed.texts[idx].is_given {
                continue;
            }
            let item = self.candidates[idx].item(packed.texts[idx]);
            let known = given.iter_mut().find(|(known, _)| *known == group);
            match known {
                Some((_, items)) if group.is_some() => items.push(item),
                _ => given.push((group, vec![item])),
            }
        }
        if !given.is_empty() {
            let has_short = packed.texts.iter().any(|text| text.is_short);
            text.push_str(if has_short {
                HEADER_OF_SHORT
            } else {
                self.header
            });
        }
        for (group, items) in &given {
            match (group, items.as_slice()) {
                (Some(group), [item]) => text.push_str(&joined(&lines[*group], item)),
                (Some(group), items) => {
                    text.push_str(&lines[*group]);
                    text.push_str(&items.concat());
                }
                (None, items) => text.push_str(&items.concat()),
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
        let groups = self.candidates.iter().map(|candidate| {
            let place = candidate.text.group.as_deref()?;
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
        let mut skipped = Vec::new();
        for (n, noun) in [
            (omitted.pins, "pin"),
            (n_memories, "memory"),
            (omitted.examples, "example"),
        ] {
            if n > 0 {
                skipped.push(plural(n, noun));
            }
        }
        if skipped.is_empty() {
            return None;
        }
        let skipped = skipped.join(", ");
        Some(format!("Omitted for lack of space: {skipped}. {hint}\n"))
    }

    /// Returns warnings about the examples that were not found or not read.
    pub(super) fn unread(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        for Candidate {
            stored, example, ..
        } in &self.candidates
        {
            if let Slot::Read(_, Err(why)) = example {
                let id = &stored.memory.id;
                warnings.push(format!("`{id}` is without its example: {why}"));
            }
        }
        warnings
    }

    /// Returns the room that all examples need, with as many lines as any budget gives them.
    pub(super) fn all_examples(&self) -> Cost {
        let max_lines = self.project.inject.max_lines.get();
        let mut cost = Cost::ZERO;
        for candidate in &self.candidates {
            let (Slot::Unread(anchor) | Slot::Read(anchor, _)) = candidate.example else {
                continue;
            };
            let found = example::example(self.project, candidate.stored, anchor, max_lines);
            if let Ok(example) = found {
                cost = cost.plus(example.item.cost);
            }
        }
        cost
    }

    /// Returns the numbers of items without room, and the room that all need, with `examples` for theirs.
    pub(super) fn omitted(&self, packed: &Packed, client_limit: Cost, examples: Cost) -> Omitted {
        let mut omitted = Omitted::default();
        let mut needed = envelope_cost()
            .plus(Cost::of(&self.contents))
            .plus(examples);
        let mut n_builtin = 0;
        if !self.pins.is_empty() {
            needed = needed.plus(Cost::of(render::HEADER));
        }
        for (pin, is_packed) in self.pins.iter().zip(&packed.pins) {
            let cost = pin_cost(pin);
            needed = needed.plus(cost);
            if is_builtin(pin) {
                n_builtin += cost.tokens;
            }
            omitted.pins += usize::from(!is_packed);
        }
        if !self.candidates.is_empty() {
            needed = needed.plus(Cost::of(self.header));
        }
        for (Candidate { text, example, .. }, packed) in self.candidates.iter().zip(&packed.texts) {
            needed = needed.plus(text.whole.cost);
            let is_missing = !packed.is_given && !text.needs_example;
            let has_example = matches!(example, Slot::Unread(_) | Slot::Read(_, Ok(_)));
            if is_missing {
                omitted.memories += 1;
            } else if has_example && !packed.has_example {
                omitted.examples += 1;
            }
        }
        let (_, lines) = self.groups();
        for line in &lines {
            needed = needed.plus(Cost::of(line));
        }
        omitted.needed_tokens = needed.tokens.max(n_builtin * pack::BUILTIN_SHARE);
        omitted.by_client = !needed.fits(client_limit);
        omitted
    }

    /// Returns the memories in the text.
    pub(super) fn injected(&self, packed: &Packed) -> Vec<InjectedMemory> {
        let mut injected = Vec::new();
        for (candidate, packed) in self.candidates.iter().zip(&packed.texts) {
            if !packed.is_given {
                continue;
            }
            let stored = candidate.stored;
            let mut memory = InjectedMemory {
                id: stored.memory.id.clone(),
                text: text(stored),
                is_shortened: packed.is_short,
                example: None,
                candidates: Vec::new(),
                why: candidate.why.clone(),
            };
            if packed.has_example {
                memory.example = candidate.injected_example();
                memory.candidates = candidate.injected_candidates();
            }
            injected.push(memory);
        }
        injected
    }

    /// Returns the items without room and the examples that are not available.
    pub(super) fn skipped(&self, packed: &Packed, limit: Cost) -> Vec<Skipped> {
        let rest = limit.minus(packed.used);
        let mut skipped = Vec::new();
        for (pin, is_packed) in self.pins.iter().zip(&packed.pins) {
            if !is_packed {
                skipped.push(Skipped {
                    id: pin.id.clone(),
                    what: "pin",
                    why: lack_of_room(pin_cost(pin), rest),
                });
            }
        }
        for (candidate, packed) in self.candidates.iter().zip(&packed.texts) {
            let Candidate { stored, text, .. } = candidate;
            if !packed.is_given && !text.needs_example {
                let why = lack_of_room(text.whole.cost, rest);
                skipped.push(Skipped::memory(stored, why));
            } else if !packed.has_example
                && let Some(why) = candidate.without_example(rest)
            {
                skipped.push(Skipped {
                    what: "example",
                    ..Skipped::memory(stored, why)
                });
            }
        }
        skipped
    }
}

/// Returns the reason to skip an item of this cost.
fn lack_of_room(cost: Cost, rest: Cost) -> String {
    if cost.tokens > rest.tokens {
        format!("it needs {} tokens, {} remain", cost.tokens, rest.tokens)
    } else {
        "it exceeds the limit of the client".to_owned()
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

    /// Returns the reason for which the text has no example, if the memory has one.
    fn without_example(&self, rest: Cost) -> Option<String> {
        match &self.example {
            Slot::Absent | Slot::Unverified(_) => None,
            Slot::Hidden => Some("the files have too little in common with it".to_owned()),
            Slot::Unread(_) => Some("no tokens remain".to_owned()),
            Slot::Read(_, Ok(example)) => Some(lack_of_room(example.item.cost, rest)),
            Slot::Read(_, Err(why)) => Some(why.clone()),
        }
    }

    fn injected_candidates(&self) -> Vec<InjectedCandidate> {
        match &self.example {
            Slot::Unverified(candidates) => candidates.found.clone(),
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
    let mut outdented = String::new();
    for line in item.split_inclusive('\n') {
        outdented.push_str(line.strip_prefix("  ").unwrap_or(line));
    }
    let item = outdented.strip_prefix("- ").unwrap_or(&outdented);
    format!("{} {item}", line.trim_end())
}
