//! Rules in a document that people write for people and agents: `AGENTS.md` and the like.
//!
//! List items that tell what to do are rules; prose, links, listings of files and
//! commands, steps of a procedure are not. What decides is, in this order: the shape of
//! the item, its wording, and what it stands under, an introduction or the nearest
//! heading that says something about its items. An item that is a rule only because of
//! what it stands under takes that along, so that it says the same alone. Nothing is
//! decided by what a project's words mean.

mod blocks;
mod names;
#[cfg(test)]
mod tests;
mod wording;

use self::blocks::{Block, CODE, Item, List, Words};
pub(crate) use self::names::names;
use self::wording::{Force, describes, force, is_conditional, is_negative, prohibits, words};
use super::frontmatter;
use super::sections::slug;
use crate::text::{LineIndex, Span};

/// What a document says, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// Counted from 0.
    pub(crate) line: usize,
    /// As it is written, without the marks of the list; if it is left, only its beginning.
    pub(crate) text: String,
    /// Where in `text` the item's own words begin, behind what it takes along.
    pub(crate) own_start: usize,
    /// What it stands under, the nearest last, as slugs.
    pub(crate) headings: Vec<String>,
    /// Why it is no rule, if it is none.
    pub(crate) left: Option<&'static str>,
}

/// What a block begins and ends with that cerberus itself keeps in such a file.
const OWN_START: &str = "<!-- cerberus:start";
const OWN_END: &str = "<!-- cerberus:end";

/// How many characters of what is left are shown, and how long slugs may be.
const SHOWN_CHARS: usize = 80;
const SLUG_WORDS: usize = 6;

/// The fewest words that an item needs to be a rule by what it stands under.
const MIN_WORDS: usize = 2;

/// From so many words on such an item says enough alone, and how long the name of a
/// list may be.
const SENTENCE_WORDS: usize = 8;
const LABEL_WORDS: usize = 5;

const PROSE: &str = "prose";
const DEMANDING_PROSE: &str = "prose, though it demands: as a list item it would be taken";
const LINKS: &str = "links";
const LISTING: &str = "names something and says what it is";
const STATEMENT: &str = "states, and asks for nothing";
const STEP: &str = "a step or a command";
const EXAMPLE: &str = "an example";
const REASON: &str = "gives a reason";
const TASK: &str = "a task to tick off";
const QUESTION: &str = "a question";
const LEAD: &str = "introduces what follows";
const CODE_BLOCK: &str = "a code block of its own";
const OWN: &str = "kept by `inject --into`";

/// What a heading or an introduction makes of the items below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// They are not to be done.
    Prohibits,
    /// They are rules.
    Rules,
    /// They are steps.
    Steps,
    /// They describe.
    Describes,
}

/// What items stand under.
#[derive(Debug, Clone)]
struct Above {
    /// Nothing for an introduction that only says when they hold.
    kind: Option<Kind>,
    /// What says so, to be taken along.
    text: String,
    /// Whether it is part of what every item says.
    is_condition: bool,
}

/// An introduction: a paragraph or an item that ends with a colon.
struct Lead<'a> {
    span: Span,
    /// Where its first words begin.
    text_start: usize,
    plain: &'a str,
}

/// Finds the rules of a document, and what is none.
pub(crate) fn rules(text: &str) -> Vec<Found> {
    let mut reader = Reader {
        text,
        lines: LineIndex::new(text),
        own: own_blocks(text),
        headings: Vec::new(),
        found: Vec::new(),
        has_parts: false,
    };
    reader.read();
    reader.found
}

struct Reader<'a> {
    text: &'a str,
    lines: LineIndex,
    own: Vec<Span>,
    headings: Vec<(usize, String)>,
    found: Vec<Found>,
    /// Whether there are headings below the first level: then that one is the title.
    has_parts: bool,
}

impl Reader<'_> {
    fn read(&mut self) {
        let blocks = blocks::blocks(self.text, frontmatter::body_start(self.text));
        self.has_parts =
            blocks.iter().any(|block| matches!(block, Block::Heading { level, .. } if *level > 1));
        for span in self.own.clone() {
            self.leave(span.start, OWN);
        }
        let mut at = 0;
        while at < blocks.len() {
            at += self.block(&blocks[at..]);
        }
        self.found.sort_by_key(|found| found.line);
    }

    /// Reads the first of some blocks and returns how many were read with it.
    fn block(&mut self, blocks: &[Block]) -> usize {
        match &blocks[0] {
            Block::Heading { start, level, title } => {
                if self.is_own(Span::new(*start, *start)) {
                    return 1;
                }
                self.headings.retain(|(other, _)| other < level);
                self.headings.push((*level, title.clone()));
            }
            Block::Paragraph(words) => {
                let Some(span) = words.span.filter(|span| !self.is_own(*span)) else { return 1 };
                if let (true, Some(Block::List(list))) = (ends_open(&words.plain), blocks.get(1)) {
                    let lead = Lead { span, text_start: span.start, plain: &words.plain };
                    self.list(list, Some(&lead), blocks.get(2));
                    return 2;
                }
                let reason =
                    if force(&words.plain) == Force::Demand { DEMANDING_PROSE } else { PROSE };
                self.leave(span.start, reason);
            }
            Block::List(list) => self.list(list, None, blocks.get(1)),
            Block::Code(span) => {
                let is_taken = self.found.last().is_some_and(|last| {
                    last.left.is_none() && last.text.ends_with(span.of(self.text).trim_end())
                });
                if !is_taken {
                    self.leave(span.start, CODE_BLOCK);
                }
            }
            Block::Other(span, what) => self.leave(span.start, what),
            Block::Silent => {}
        }
        1
    }

    fn list(&mut self, list: &List, lead: Option<&Lead>, next: Option<&Block>) {
        let above =
            lead.and_then(|lead| self.above_of_lead(lead)).or_else(|| self.above_of_headings());
        let kind = above.as_ref().and_then(|above| above.kind);
        if let Some(lead) = lead {
            let n_rules = list.items.iter().filter(|item| is_rule_alone(&item.words, kind)).count();
            let is_step =
                self.above_of_headings().is_some_and(|above| above.kind == Some(Kind::Steps));
            let least = if is_step { Force::Demand } else { Force::Command };
            if force(lead.plain) >= least
                && !prohibits(lead.plain)
                && n_rules * 2 <= list.items.len()
            {
                let end = list.items.last().map_or(lead.span.end, |item| item.span.end);
                self.take(lead.text_start, end, None);
                return;
            }
            self.leave(lead.span.start, LEAD);
        }
        for (at, item) in list.items.iter().enumerate() {
            let is_last = at + 1 == list.items.len();
            self.item(item, above.as_ref(), next.filter(|_| is_last));
        }
    }

    fn item(&mut self, item: &Item, above: Option<&Above>, next: Option<&Block>) {
        let Some(span) = item.words.span.filter(|span| !self.is_own(*span)) else { return };
        let plain = item.words.plain.trim();
        let kind = above.and_then(|above| above.kind);
        let is_open = ends_open(plain);
        if is_open && !item.lists.is_empty() {
            let lead = Lead { span: item.span, text_start: span.start, plain };
            for list in &item.lists {
                self.list(list, Some(&lead), None);
            }
            return;
        }
        let verdict = if item.is_task { Err(TASK) } else { verdict(&item.words, kind) };
        let verdict = match verdict {
            // A name alone over a list is a heading of its own.
            Ok(true) if !item.lists.is_empty() && words(plain).len() <= 4 => Err(LEAD),
            other => other,
        };
        match verdict {
            Ok(takes_along) => {
                let after = match next {
                    Some(Block::Code(code)) if is_open => code.end,
                    _ => item.span.end,
                };
                let along = above.filter(|above| takes_along || above.is_condition);
                let along = along.map(|above| above.text.clone());
                self.take(span.start, after, along);
            }
            Err(reason) => {
                self.leave(span.start, reason);
                for list in &item.lists {
                    self.list(list, None, None);
                }
            }
        }
    }

    /// Returns what the nearest heading that says anything makes of its items. A prohibition
    /// is taken along itself, else the nearest heading is: it says what they are about.
    fn above_of_headings(&self) -> Option<Above> {
        let has_parts = self.has_parts;
        let mut told = self.headings.iter().rev().filter(|(level, _)| *level > 1 || !has_parts);
        let nearest = told.clone().next()?;
        let (kind, title) = told.find_map(|(_, title)| Some((kind_of_title(title)?, title)))?;
        let text = if kind == Kind::Prohibits { title } else { &nearest.1 };
        let is_far = title != &nearest.1 && matches!(kind, Kind::Steps | Kind::Describes);
        (!is_far).then(|| Above { kind: Some(kind), text: label(text), is_condition: false })
    }

    /// Returns what an introduction makes of its items; a mere name keeps what the headings do.
    fn above_of_lead(&self, lead: &Lead) -> Option<Above> {
        let text = label(lead.plain);
        let below = self.above_of_headings();
        if let Some(kind) = kind_of_lead(lead.plain) {
            return Some(Above { kind: Some(kind), text, is_condition: false });
        }
        if is_conditional(lead.plain) {
            let kind = below.and_then(|above| above.kind);
            return Some(Above { kind, text, is_condition: true });
        }
        let is_name = words(&text).len() <= LABEL_WORDS;
        below.filter(|_| is_name).map(|above| match above.kind {
            Some(Kind::Prohibits) => above,
            _ => Above { text, ..above },
        })
    }

    fn is_own(&self, span: Span) -> bool {
        self.own.iter().any(|own| own.start <= span.start && span.start < own.end)
    }

    fn take(&mut self, start: usize, end: usize, along: Option<String>) {
        let text = self.outdented(start, end);
        let along = along.map(|along| format!("{}: ", along.replace(CODE, "…")));
        let along = along.unwrap_or_default();
        self.found.push(Found {
            line: self.lines.line(start),
            text: format!("{along}{text}"),
            own_start: along.len(),
            headings: self.slugs(),
            left: None,
        });
    }

    fn leave(&mut self, start: usize, reason: &'static str) {
        let line = self.text[start..].lines().next().unwrap_or_default().trim();
        let text = match line.char_indices().nth(SHOWN_CHARS) {
            Some((end, _)) => format!("{}…", line[..end].trim_end()),
            None => line.to_owned(),
        };
        let found = Found {
            line: self.lines.line(start),
            text,
            own_start: 0,
            headings: Vec::new(),
            left: Some(reason),
        };
        self.found.push(found);
    }

    /// Returns a piece of the text, its further lines without the indent of the first.
    fn outdented(&self, start: usize, end: usize) -> String {
        let (_, column) = self.lines.line_column(start);
        let mut text = String::new();
        for (at, line) in self.text[start..end].trim_end().lines().enumerate() {
            if at > 0 {
                text.push('\n');
            }
            let indent = line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let line = if at > 0 { &line[indent.min(column)..] } else { line };
            text.push_str(line.trim_end());
        }
        text
    }

    fn slugs(&self) -> Vec<String> {
        let is_title = |level: usize| level == 1 && self.has_parts;
        let titles = self.headings.iter().filter(|(level, _)| !is_title(*level));
        let slugs = titles.map(|(_, title)| {
            let slug = slug(&title.replace(CODE, " "));
            let words = slug.split('-').filter(|word| !word.is_empty());
            words.take(SLUG_WORDS).collect::<Vec<_>>().join("-")
        });
        slugs.filter(|slug| !slug.is_empty()).collect()
    }
}

/// Returns whether an item is a rule, and if so, whether only because of what it stands
/// under; else why it is none.
fn verdict(item: &Words, kind: Option<Kind>) -> Result<bool, &'static str> {
    let plain = item.plain.trim();
    let force = force(plain);
    let n_words = words(plain).len();
    if plain.ends_with('?') {
        return Err(QUESTION);
    }
    if has_label(plain, EXAMPLE_LABELS) {
        return Err(EXAMPLE);
    }
    if force < Force::Demand && has_label(plain, REASON_LABELS) {
        return Err(REASON);
    }
    if kind == Some(Kind::Prohibits) && n_words > 0 {
        return Ok(!is_negative(plain));
    }
    if force == Force::None && (item.opens_with_link || refers(plain)) {
        return Err(LINKS);
    }
    if force < Force::Demand && is_listing(plain) {
        return Err(LISTING);
    }
    if is_rule_by_wording(force, kind) {
        return Ok(false);
    }
    match kind {
        Some(Kind::Rules) if describes(plain) => Err(STATEMENT),
        Some(Kind::Rules) if n_words >= MIN_WORDS && !ends_open(plain) => {
            Ok(n_words < SENTENCE_WORDS)
        }
        Some(Kind::Steps) => Err(STEP),
        _ if ends_open(plain) => Err(LEAD),
        _ => Err(STATEMENT),
    }
}

/// Returns whether a text only sends its reader elsewhere.
fn refers(plain: &str) -> bool {
    matches!(words(plain).first().map(String::as_str), Some("see" | "refer"))
}

fn is_rule_alone(item: &Words, kind: Option<Kind>) -> bool {
    verdict(item, kind.filter(|kind| matches!(kind, Kind::Steps | Kind::Describes))) == Ok(false)
}

fn is_rule_by_wording(force: Force, kind: Option<Kind>) -> bool {
    match kind {
        Some(Kind::Steps | Kind::Describes) => force == Force::Demand,
        _ => force > Force::None,
    }
}

fn ends_open(plain: &str) -> bool {
    plain.trim_end().ends_with(':')
}

/// Returns whether a text is a name in code and what that is: `src/`: the sources.
fn is_listing(plain: &str) -> bool {
    let rest = plain.trim_start_matches([CODE, ',', '/', ' ', '+', '&']);
    let separator = |c: char| matches!(c, ':' | '-' | '–' | '—' | '→' | '(' | '=');
    plain.starts_with(CODE) && (rest.is_empty() || rest.starts_with(separator))
        // Only a command: "Run: `x`", "Test: `y`".
        || plain.split_once(':').is_some_and(|(label, rest)| {
            words(label).len() <= 3 && !rest.is_empty() && rest.chars().all(|c| c == CODE || !c.is_alphanumeric())
        })
}

const EXAMPLE_LABELS: &[&str] =
    &["example", "examples", "good", "bad", "right", "wrong", "correct", "incorrect", "desired"];
const REASON_LABELS: &[&str] = &["rationale", "reason", "why", "because"];

fn has_label(plain: &str, labels: &[&str]) -> bool {
    let label = plain.split(':').next().unwrap_or_default();
    let words = words(label);
    label.len() < plain.len() && words.len() == 1 && labels.contains(&words[0].as_str())
}

fn label(text: &str) -> String {
    text.trim().trim_end_matches(':').trim_end().to_owned()
}

fn kind_of_lead(plain: &str) -> Option<Kind> {
    const RULES: &[&str] = &["rules", "principles", "conventions", "guidelines", "standards"];
    let all = words(plain);
    let has = |words: &[&str]| words.iter().any(|word| all.iter().any(|it| it == word));
    if prohibits(plain) {
        Some(Kind::Prohibits)
    } else if has(&["steps", "commands"]) || plain.contains("as follows") {
        Some(Kind::Steps)
    } else if has(RULES) && !has(&["apply", "applies"]) {
        Some(Kind::Rules)
    } else {
        None
    }
}

fn kind_of_title(title: &str) -> Option<Kind> {
    const RULES: &str = "rule rules convention conventions guideline guidelines style standard standards
        principle principles practice practices requirement requirements constraint constraints policy
        policies naming idioms heuristics invariants formatting boundaries restrictions quality do dos
        do's don'ts always must gotchas learnings indentation directives";
    const STEPS: &str = "commands command setup install installation installing quickstart running
        deployment deploying prerequisites steps releasing publishing debugging";
    const DESCRIBES: &str = "overview structure layout architecture stack technology technologies
        dependencies resources references reference links features about contents directory
        directories folders files background glossary terminology introduction acknowledgements
        license licensing contributors roadmap skills components concepts environment summary
        organization organisation";
    let all = words(title);
    let has = |list: &str| list.split_whitespace().any(|word| all.iter().any(|it| it == word));
    let starts = |first: &str, second: &[&str]| {
        all.first().is_some_and(|it| it == first)
            && all.get(1).is_some_and(|it| second.contains(&it.as_str()))
    };
    // "Adding a command", "How to release": what is done once, one step after the other.
    let is_how_to = starts("how", &["to"])
        || starts("getting", &["started"])
        || starts("quick", &["start"])
        || starts("see", &["also"])
        || (all.first().is_some_and(|it| it.ends_with("ing"))
            && all.get(1).is_some_and(|it| matches!(it.as_str(), "a" | "an" | "new" | "the")));
    if prohibits(title) {
        Some(Kind::Prohibits)
    } else if has(RULES) {
        Some(Kind::Rules)
    } else if is_how_to || has(STEPS) {
        Some(Kind::Steps)
    } else if has(DESCRIBES) {
        Some(Kind::Describes)
    } else {
        None
    }
}

/// Returns where cerberus keeps what `inject` writes.
fn own_blocks(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let (mut at, mut start) = (0, None);
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if trimmed.starts_with(OWN_START) {
            start.get_or_insert(at);
        } else if trimmed.starts_with(OWN_END)
            && let Some(start) = start.take()
        {
            found.push(Span::new(start, at + line.len()));
        }
        at += line.len();
    }
    found.extend(start.map(|start| Span::new(start, text.len())));
    found
}
