//! Builds the injected text from the items that fit into the budget.

use anyhow::Result;
use cerberus_bank::MemoryFile;
use cerberus_bank::ops::pins::{builtin, render};
use cerberus_bank::ops::{Project, envelope};
use cerberus_model::{Anchor, Pin};
use rustc_hash::FxHashMap;

use super::cost::Cost;
use super::example::{self, Example};
use super::pack::{self, PackInput, Packed, PackedText, PinCost, TextCost};
use super::unverified::Unverified;
use super::{GivenCandidate, GivenExample, GivenMemory, Omitted, Skipped, text};

/// Returns the cost of the envelope around the items.
pub(crate) fn envelope_cost() -> Cost {
    Cost::of(envelope::START).plus(Cost::of(envelope::END))
}

/// The maximum number of lines of an example if many share the budget.
const MIN_EXAMPLE_LINES: usize = 12;

/// The number of tokens of an average line of code.
const TOKENS_PER_LINE: usize = 12;

/// A part of the text with its cost.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    text: String,
    pub(crate) cost: Cost,
}

impl Item {
    pub(crate) fn new(text: String) -> Self {
        Self {
            cost: Cost::of(&text),
            text,
        }
    }
}

/// A text of a memory.
pub(crate) struct Text {
    /// The line of its group, without which the text is unclear, and which is above all texts of the group.
    group: Option<String>,
    item: Item,
    /// Whether it only names a rule that the document has already, for the example below it.
    needs_example: bool,
    /// The place of the text in a document that the agent has loaded, which is given instead of it.
    loaded: Option<String>,
}

impl Text {
    /// Returns a text as a list item without a group.
    pub(crate) fn alone(text: &str) -> Self {
        Self {
            group: None,
            item: Item::new(render::list_item(text)),
            needs_example: false,
            loaded: None,
        }
    }

    /// Returns the item above the example of a rule in a line of the document.
    pub(crate) fn in_line(line: usize, id: &str) -> Self {
        Self {
            needs_example: true,
            ..Self::alone(&format!("line {line} above (`{id}`)"))
        }
    }

    /// Returns the place of a text that the agent has loaded, with its first words.
    pub(crate) fn loaded(place: &str, first_words: &str) -> Self {
        Self {
            loaded: Some(place.to_owned()),
            ..Self::alone(&format!("{place} \"{first_words}…\""))
        }
    }

    /// Returns a text in the group of texts of the same place.
    pub(crate) fn in_place(place: Option<String>, text: &str) -> Self {
        let item = render::list_item(text);
        Self {
            item: Item::new(if place.is_some() {
                indented(&item)
            } else {
                item
            }),
            group: place,
            needs_example: false,
            loaded: None,
        }
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
pub(crate) struct Candidate<'a> {
    pub(crate) stored: &'a MemoryFile,
    pub(crate) text: Text,
    pub(crate) example: Slot<'a>,
    /// Why it is relevant.
    pub(crate) why: Option<String>,
}

/// The example of a memory.
pub(crate) enum Slot<'a> {
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
    pub(crate) fn forget(&mut self) {
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
pub(crate) struct Block<'a> {
    pub(crate) project: &'a Project,
    /// The share of the budget that examples get if the texts need the rest.
    pub(crate) code_share: f64,
    pub(crate) pins: &'a [Pin],
    pub(crate) candidates: Vec<Candidate<'a>>,
    /// The line above the texts.
    pub(crate) header: &'static str,
    /// The table of contents below the texts, or nothing.
    pub(crate) contents: String,
}

impl Block<'_> {
    /// Returns the text that fits into `limit` and the envelope, and the items in it.
    pub(crate) fn fill(&mut self, limit: Cost) -> (String, Packed) {
        let whole_limit = limit.plus(envelope_cost());
        let limit = limit.minus(Cost::of(&self.contents));
        let input = self.pack_input();
        let max_lines = self.example_lines(limit);
        let mut packed = self.pack(&input, max_lines, limit);
        let mut text = self.render(&packed);
        // The sum of the costs can differ slightly from the cost of the whole text.
        while !Cost::of(&text).fits(whole_limit) && packed.drop_last(&input) {
            text = self.render(&packed);
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
        for (Candidate { text, .. }, group) in self.candidates.iter().zip(groups) {
            texts.push(TextCost {
                cost: text.item.cost,
                group,
                needs_example: text.needs_example,
            });
        }
        PackInput {
            pin_header: Cost::of(render::HEADER),
            pins,
            text_header: Cost::of(self.header),
            texts,
            group_lines: lines.iter().map(|line| Cost::of(line)).collect(),
            code_share: self.code_share,
        }
    }

    fn pack(&mut self, input: &PackInput, max_lines: usize, limit: Cost) -> Packed {
        let project = self.project;
        let mut code = |idx: usize| {
            let candidate = &mut self.candidates[idx];
            let stored = candidate.stored;
            let item = candidate.example.read(project, stored, max_lines)?;
            Some(item.cost)
        };
        pack::pack(input, &mut code, limit)
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

    fn render(&self, packed: &Packed) -> String {
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
            text.push_str(self.header);
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
        envelope::wrapped(&text)
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

    /// Returns warnings about the examples that were not found or not read.
    pub(crate) fn unread(&self) -> Vec<String> {
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
    pub(crate) fn all_examples(&self) -> Cost {
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
    pub(crate) fn omitted(&self, packed: &Packed, client_limit: Cost, examples: Cost) -> Omitted {
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
            needed = needed.plus(text.item.cost);
            let is_missing = !packed.is_given && !text.needs_example;
            let has_example = matches!(example, Slot::Unread(_) | Slot::Read(_, Ok(_)));
            if is_missing {
                omitted.memories += 1;
            } else if has_example && !packed.has_code {
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
    pub(crate) fn given(&self, packed: &Packed) -> Vec<GivenMemory> {
        let mut given = Vec::new();
        for (candidate, packed) in self.candidates.iter().zip(&packed.texts) {
            if !packed.is_given {
                continue;
            }
            let stored = candidate.stored;
            let mut memory = GivenMemory {
                id: stored.memory.id.clone(),
                text: text(stored),
                place: candidate.text.loaded.clone(),
                tokens: candidate.text.item.cost.tokens,
                example: None,
                candidates: Vec::new(),
                why: candidate.why.clone(),
            };
            if packed.has_code
                && let Some(code) = candidate.example.found()
            {
                memory.tokens += code.cost.tokens;
                memory.example = candidate.given_example();
                memory.candidates = candidate.given_candidates();
            }
            given.push(memory);
        }
        given
    }

    /// Returns the items without room and the examples that are not available.
    pub(crate) fn skipped(&self, packed: &Packed, limit: Cost) -> Vec<Skipped> {
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
                let why = lack_of_room(text.item.cost, rest);
                skipped.push(Skipped::memory(stored, why));
            } else if !packed.has_code
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
        let mut item = self.text.item.text.clone();
        if let Some(example) = self.example.found().filter(|_| packed.has_code) {
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

    fn given_candidates(&self) -> Vec<GivenCandidate> {
        match &self.example {
            Slot::Unverified(candidates) => candidates.found.clone(),
            _ => Vec::new(),
        }
    }

    fn given_example(&self) -> Option<GivenExample> {
        let Slot::Read(anchor, Ok(example)) = &self.example else {
            return None;
        };
        Some(GivenExample {
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
