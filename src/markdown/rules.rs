//! Rules in a document that people write for people and agents: `AGENTS.md` and the like.
//!
//! A list item that instructs its reader is a rule; prose, links, descriptions of files and
//! commands, and steps of a procedure are not. The decision depends on the shape of the item,
//! then on its wording, then on its context: the introduction above its list, or the nearest
//! heading that describes its items. An item that is a rule only by its heading is prefixed with
//! the heading. The meaning of a project's own words does not matter.

mod blocks;
mod mentions;
mod paths;
#[cfg(test)]
mod tests;
mod wording;

use self::blocks::{Block, CODE, Item, Words};
pub(crate) use self::mentions::mentions;
pub(crate) use self::paths::replace_paths;
use self::wording::{
    Modality, is_conditional, is_descriptive, is_negated, is_prohibition, modality, words,
};
use super::frontmatter;
use super::sections::slug;
use super::word_lists::{
    DESCRIPTION_TITLES, EXAMPLE_LABELS, REASON_LABELS, RULE_INTROS, RULE_TITLES, STEP_TITLES,
};
use crate::text::{LineIndex, Span, WordList};

/// An item of a document: a rule, or another block with the reason why it is not a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RuleItem {
    /// Counted from 0.
    pub(crate) line: usize,
    /// The text without the list marker; of a skipped block only the beginning.
    pub(crate) text: String,
    /// The length of the heading or introduction that `text` is prefixed with.
    pub(crate) prefix_len: usize,
    /// The headings above as slugs, the nearest last.
    pub(crate) headings: Vec<String>,
    /// The headings above, as in `Testing › Mocks`.
    pub(crate) heading: String,
    pub(crate) skipped_because: Option<&'static str>,
}

/// The markers of the block that `inject --into` manages.
const MANAGED_START: &str = "<!-- cerberus:start";
const MANAGED_END: &str = "<!-- cerberus:end";

/// The maximum length of a skipped block's text, in characters, and of a slug, in words.
const SHOWN_CHARS: usize = 80;
const SLUG_WORDS: usize = 6;

/// The minimum number of words of an item that is a rule by its context.
const MIN_WORDS: usize = 2;

/// An item with this many words is clear without its context.
const SENTENCE_WORDS: usize = 8;

/// The maximum number of words of an introduction that only names its list.
const LABEL_WORDS: usize = 5;

const STATEMENT: &str = "a statement";
const INTRO: &str = "an introduction";

/// The kind of items that a heading or an introduction announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Prohibitions,
    Rules,
    Steps,
    Descriptions,
}

/// The heading or introduction that items belong to.
#[derive(Debug, Clone)]
struct Context {
    /// `None` for an introduction that only states a condition.
    kind: Option<Kind>,
    /// The prefix for rules that are unclear without it.
    text: String,
    /// Whether it is a condition, which is prefixed to every rule.
    is_condition: bool,
}

/// An introduction: a paragraph or an item that ends with a colon.
struct Intro<'a> {
    span: Span,
    text_start: usize,
    plain: &'a str,
}

/// Returns the rules of a document and its skipped blocks, ordered by line.
pub(crate) fn parse(text: &str) -> Vec<RuleItem> {
    let blocks = blocks::blocks(text, frontmatter::body_start(text));
    let mut reader = Reader {
        text,
        lines: LineIndex::new(text),
        managed: managed_blocks(text),
        headings: Vec::new(),
        found: Vec::new(),
        has_title: blocks
            .iter()
            .any(|block| matches!(block, Block::Heading { level, .. } if *level > 1)),
    };
    for span in reader.managed.clone() {
        reader.skip(span.start, "managed by `inject --into`");
    }
    let mut block_idx = 0;
    while block_idx < blocks.len() {
        block_idx += reader.block(&blocks[block_idx..]);
    }
    reader.found.sort_by_key(|item| item.line);
    reader.found
}

#[derive(Debug)]
struct Heading {
    level: usize,
    /// Inline code is one [`CODE`].
    title: String,
    shown: String,
}

struct Reader<'a> {
    text: &'a str,
    lines: LineIndex,
    managed: Vec<Span>,
    headings: Vec<Heading>,
    found: Vec<RuleItem>,
    /// Whether a heading of level 1 is the title, because headings of other levels exist.
    has_title: bool,
}

impl Reader<'_> {
    /// Reads the first block, and the next one if they belong together; returns their number.
    fn block(&mut self, blocks: &[Block]) -> usize {
        match &blocks[0] {
            Block::Heading { start, level, title, shown } => {
                if !self.is_managed(*start) {
                    let (level, title) = (*level, title.clone());
                    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
                    self.headings.retain(|other| other.level < level);
                    self.headings.push(Heading { level, title, shown });
                }
            }
            Block::Paragraph(words) => {
                let Some(span) = self.own_span(words) else { return 1 };
                if let (true, Some(Block::List(items))) = (ends_open(&words.plain), blocks.get(1)) {
                    let intro = Intro { span, text_start: span.start, plain: &words.plain };
                    self.list(items, Some(&intro), blocks.get(2));
                    return 2;
                }
                let reason = match modality(&words.plain) {
                    Modality::Obligation => {
                        "an instruction in prose; as a list item it would be imported"
                    }
                    _ => "prose",
                };
                self.skip(span.start, reason);
            }
            Block::List(items) => self.list(items, None, blocks.get(1)),
            Block::Code(span) => {
                let code = span.slice(self.text).trim_end();
                let is_part =
                    |last: &RuleItem| last.skipped_because.is_none() && last.text.ends_with(code);
                if !self.found.last().is_some_and(is_part) {
                    self.skip(span.start, "a separate code block");
                }
            }
            Block::Other(span, name) => self.skip(span.start, name),
            Block::Ignored => {}
        }
        1
    }

    fn list(&mut self, items: &[Item], intro: Option<&Intro>, next: Option<&Block>) {
        let context =
            intro.and_then(|intro| self.intro_context(intro)).or_else(|| self.heading_context());
        let kind = context.as_ref().and_then(|context| context.kind);
        if let Some(intro) = intro {
            let n_rules = items.iter().filter(|item| is_rule_alone(&item.words, kind)).count();
            let heading_kind = self.heading_context().and_then(|context| context.kind);
            let is_step = heading_kind == Some(Kind::Steps);
            let required = if is_step { Modality::Obligation } else { Modality::Command };
            // The introduction is the rule, and its items are the details.
            if modality(intro.plain) >= required
                && !is_prohibition(intro.plain)
                && n_rules * 2 <= items.len()
            {
                let end = items.last().map_or(intro.span.end, |item| item.span.end);
                self.accept(intro.text_start, end, None);
                return;
            }
            self.skip(intro.span.start, INTRO);
        }
        for (item_idx, item) in items.iter().enumerate() {
            let is_last = item_idx + 1 == items.len();
            self.item(item, context.as_ref(), next.filter(|_| is_last));
        }
    }

    fn item(&mut self, item: &Item, context: Option<&Context>, next: Option<&Block>) {
        let Some(span) = self.own_span(&item.words) else { return };
        let plain = item.words.plain.trim();
        let is_open = ends_open(plain);
        if is_open && !item.lists.is_empty() {
            let intro = Intro { span: item.span, text_start: span.start, plain };
            for items in &item.lists {
                self.list(items, Some(&intro), None);
            }
            return;
        }
        // A short item above a nested list is its heading.
        let is_heading = !item.lists.is_empty() && words(plain).len() <= 4;
        let verdict = match item.is_task {
            true => Err("a task list item"),
            false => verdict(&item.words, context.and_then(|context| context.kind)),
        };
        match verdict {
            Ok(needs_context) if !(needs_context && is_heading) => {
                let end = match next {
                    Some(Block::Code(code)) if is_open => code.end,
                    _ => item.span.end,
                };
                let prefix = context.filter(|context| needs_context || context.is_condition);
                self.accept(span.start, end, prefix);
            }
            skipped => {
                self.skip(span.start, skipped.err().unwrap_or(INTRO));
                for items in &item.lists {
                    self.list(items, None, None);
                }
            }
        }
    }

    /// Returns the context of the nearest heading with a kind. Its prefix is that heading if it
    /// is a prohibition, else the nearest heading, which is the subject of the items.
    fn heading_context(&self) -> Option<Context> {
        let mut headings = self.own_headings().rev();
        let nearest = headings.clone().next()?;
        let (kind, title) = headings.find_map(|it| Some((kind_of_title(&it.title)?, &it.title)))?;
        let text = if kind == Kind::Prohibitions { title } else { &nearest.title };
        let is_far = title != &nearest.title && matches!(kind, Kind::Steps | Kind::Descriptions);
        (!is_far).then(|| Context { kind: Some(kind), text: label(text), is_condition: false })
    }

    /// Returns the context of an introduction; a mere name inherits the kind of the headings.
    fn intro_context(&self, intro: &Intro) -> Option<Context> {
        let text = label(intro.plain);
        if let Some(kind) = kind_of_intro(intro.plain) {
            return Some(Context { kind: Some(kind), text, is_condition: false });
        }
        let inherited = self.heading_context();
        if is_conditional(intro.plain) {
            let kind = inherited.and_then(|context| context.kind);
            return Some(Context { kind, text, is_condition: true });
        }
        let is_name = words(&text).len() <= LABEL_WORDS;
        inherited.filter(|_| is_name).map(|context| match context.kind {
            Some(Kind::Prohibitions) => context,
            _ => Context { text, ..context },
        })
    }

    /// Returns the span of a text, or `None` if it is in a managed block.
    fn own_span(&self, words: &Words) -> Option<Span> {
        words.span.filter(|span| !self.is_managed(span.start))
    }

    fn is_managed(&self, at: usize) -> bool {
        self.managed.iter().any(|block| block.start <= at && at < block.end)
    }

    /// Returns the headings above, without the title of the document.
    fn own_headings(&self) -> impl DoubleEndedIterator<Item = &Heading> + Clone {
        self.headings.iter().filter(|heading| heading.level > 1 || !self.has_title)
    }

    fn accept(&mut self, start: usize, end: usize, context: Option<&Context>) {
        let prefix = context.map(|context| format!("{}: ", context.text.replace(CODE, "…")));
        let prefix = prefix.unwrap_or_default();
        self.found.push(RuleItem {
            line: self.lines.line(start),
            text: format!("{prefix}{}", self.dedent(start, end)),
            prefix_len: prefix.len(),
            headings: self.slugs(),
            heading: self
                .own_headings()
                .map(|it| it.shown.as_str())
                .collect::<Vec<_>>()
                .join(" › "),
            skipped_because: None,
        });
    }

    fn skip(&mut self, start: usize, reason: &'static str) {
        let line = self.text[start..].lines().next().unwrap_or_default().trim();
        let text = match line.char_indices().nth(SHOWN_CHARS) {
            Some((end, _)) => format!("{}…", line[..end].trim_end()),
            None => line.to_owned(),
        };
        self.found.push(RuleItem {
            line: self.lines.line(start),
            text,
            prefix_len: 0,
            headings: Vec::new(),
            heading: String::new(),
            skipped_because: Some(reason),
        });
    }

    /// Returns a part of the text, without the indent of the first line on the others.
    fn dedent(&self, start: usize, end: usize) -> String {
        let (_, column) = self.lines.line_column(start);
        let mut lines = self.text[start..end].trim_end().lines();
        let mut text = lines.next().unwrap_or_default().trim_end().to_owned();
        for line in lines {
            let n_indent = line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            text.push('\n');
            text.push_str(line[n_indent.min(column)..].trim_end());
        }
        text
    }

    fn slugs(&self) -> Vec<String> {
        let slugs = self.own_headings().map(|heading| {
            let slug = slug(&heading.title.replace(CODE, " "));
            let words = slug.split('-').filter(|word| !word.is_empty());
            words.take(SLUG_WORDS).collect::<Vec<_>>().join("-")
        });
        slugs.filter(|slug| !slug.is_empty()).collect()
    }
}

/// Returns whether an item is a rule only by its context, or the reason why it is not a rule.
fn verdict(item: &Words, kind: Option<Kind>) -> Result<bool, &'static str> {
    let plain = item.plain.trim();
    let modality = modality(plain);
    let words = words(plain);
    if plain.ends_with('?') {
        return Err("a question");
    }
    if has_label(plain, EXAMPLE_LABELS) {
        return Err("an example");
    }
    if modality < Modality::Obligation && has_label(plain, REASON_LABELS) {
        return Err("a reason");
    }
    if kind == Some(Kind::Prohibitions) && !words.is_empty() {
        return Ok(!is_negated(plain));
    }
    let is_reference = || matches!(words.first().map(String::as_str), Some("see" | "refer"));
    if modality == Modality::Statement && (item.starts_with_link || is_reference()) {
        return Err("links");
    }
    if modality < Modality::Obligation && is_description_of_code(plain) {
        return Err("a description, not a rule");
    }
    let required = match kind {
        Some(Kind::Steps | Kind::Descriptions) => Modality::Obligation,
        _ => Modality::Command,
    };
    if modality >= required {
        return Ok(false);
    }
    match kind {
        Some(Kind::Rules) if is_descriptive(plain) => Err(STATEMENT),
        Some(Kind::Rules) if words.len() >= MIN_WORDS && !ends_open(plain) => {
            Ok(words.len() < SENTENCE_WORDS)
        }
        Some(Kind::Steps) => Err("a step or a command"),
        _ if ends_open(plain) => Err(INTRO),
        _ => Err(STATEMENT),
    }
}

/// Returns whether an item is a rule without the help of its context.
fn is_rule_alone(item: &Words, kind: Option<Kind>) -> bool {
    let restricting = kind.filter(|kind| matches!(kind, Kind::Steps | Kind::Descriptions));
    verdict(item, restricting) == Ok(false)
}

fn ends_open(plain: &str) -> bool {
    plain.trim_end().ends_with(':')
}

/// Returns whether a text is code with its description (`src/`: the sources) or a labelled
/// command ("Run: `x`").
fn is_description_of_code(plain: &str) -> bool {
    let rest = plain.trim_start_matches([CODE, ',', '/', ' ', '+', '&']);
    let separators = [':', '-', '–', '—', '→', '(', '='];
    let is_command = |(label, rest): (&str, &str)| {
        let is_code = rest.chars().all(|c| c == CODE || !c.is_alphanumeric());
        words(label).len() <= 3 && !rest.is_empty() && is_code
    };
    plain.starts_with(CODE) && (rest.is_empty() || rest.starts_with(separators))
        || plain.split_once(':').is_some_and(is_command)
}

fn has_label(plain: &str, labels: WordList) -> bool {
    let label = plain.split_once(':').map(|(label, _)| words(label));
    label.is_some_and(|words| words.len() == 1 && labels.contains(&words[0]))
}

fn label(text: &str) -> String {
    text.trim().trim_end_matches(':').trim_end().to_owned()
}

fn kind_of_intro(plain: &str) -> Option<Kind> {
    let words = words(plain);
    let has = |list: &'static str| WordList(list).contains_any(&words);
    if is_prohibition(plain) {
        Some(Kind::Prohibitions)
    } else if has("steps commands") || plain.contains("as follows") {
        Some(Kind::Steps)
    } else if RULE_INTROS.contains_any(&words) && !has("apply applies") {
        Some(Kind::Rules)
    } else {
        None
    }
}

fn kind_of_title(title: &str) -> Option<Kind> {
    let words = words(title);
    let word = |word_idx: usize| words.get(word_idx).map_or("", String::as_str);
    let (first, second) = (word(0), word(1));
    // "Adding a command", "How to release": a procedure.
    let is_procedure = [("how", "to"), ("getting", "started"), ("quick", "start"), ("see", "also")]
        .contains(&(first, second))
        || (first.ends_with("ing") && matches!(second, "a" | "an" | "new" | "the"));
    if is_prohibition(title) {
        Some(Kind::Prohibitions)
    } else if RULE_TITLES.contains_any(&words) {
        Some(Kind::Rules)
    } else if is_procedure || STEP_TITLES.contains_any(&words) {
        Some(Kind::Steps)
    } else if DESCRIPTION_TITLES.contains_any(&words) {
        Some(Kind::Descriptions)
    } else {
        None
    }
}

/// Returns the blocks that `inject --into` manages; an unclosed one goes to the end.
fn managed_blocks(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let (mut at, mut start) = (0, None);
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if trimmed.starts_with(MANAGED_START) {
            start.get_or_insert(at);
        } else if trimmed.starts_with(MANAGED_END)
            && let Some(start) = start.take()
        {
            found.push(Span::new(start, at + line.len()));
        }
        at += line.len();
    }
    found.extend(start.map(|start| Span::new(start, text.len())));
    found
}
