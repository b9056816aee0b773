//! Rules in a document that people write for people and agents: `AGENTS.md` and the like.
//!
//! List items, paragraphs, rows of tables and sections that demand something of their reader are
//! rules; descriptions, links, commands and steps of a procedure are not. The decision depends on
//! the shape of the text, then on its wording, then on its context: the introduction above its
//! list, its siblings, or the nearest heading that describes its items. What is above an item and
//! governs it is prefixed to it, whatever it says ([`governing`]). The meaning of a project's own
//! words does not matter.

mod blocks;
mod comments;
mod context;
mod examples;
mod fences;
mod governing;
mod imports;
mod items;
mod lists;
mod paths;
mod places;
mod scopes;
mod tables;
mod tags;
#[cfg(test)]
mod tests;
mod verdict;

use cerberus_model::text::{LineIndex, Span};
use cerberus_prose::lists::{INSTANCES, PROSE_TITLES, TUTORIAL_TITLES};
pub use cerberus_prose::samples::{path as path_of_sample, without_places};
use cerberus_prose::wording::{Modality, is_aside, is_universal, modality, words};

use self::blocks::{Block, Blocks, CODE, Words};
use self::comments::Blanked;
use self::context::{Kind, is_incomplete, kind_of_intro, kind_of_title};
use self::governing::{Above, Form, Piece, Prefix, is_name_of_document};
pub use self::imports::{Import, imports};
use self::items::SHOWN_CHARS;
pub use self::paths::replace_paths;
pub use self::places::Place;
use self::scopes::Scope;
use self::tags::Mark;
use self::verdict::{INTRO, ends_open, is_example};
use super::frontmatter;

/// An item of a document: a rule, or another block with the reason why it is not a rule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleItem {
    /// Counted from 0.
    pub line: usize,
    /// The last line.
    pub end_line: usize,
    /// The text without the list marker; of a skipped block only the beginning.
    pub text: String,
    /// The length of the headings and sentences above it that `text` is prefixed with.
    pub prefix_len: usize,
    /// Whether the text without its prefix may be the opposite of the rule.
    pub may_be_negated: bool,
    /// The headings above as slugs, the nearest last.
    pub headings: Vec<String>,
    /// The headings above, as in `Testing › Mocks`.
    pub heading: String,
    pub skipped_because: Option<&'static str>,
    /// Why a reader has to confirm that it is a rule.
    pub doubt: Option<&'static str>,
    /// The places of code that it names as samples: a file, perhaps with a symbol or a line.
    pub samples: Vec<String>,
    /// Whether only a sample makes it one.
    pub is_sample: bool,
}

/// The markers of the block that `inject --into` manages.
const MANAGED_START: &str = "<!-- cerberus:start";
const MANAGED_END: &str = "<!-- cerberus:end";

/// The maximum length of a rule. A memory of at most 100 KB has a frontmatter, too.
const MAX_RULE_BYTES: usize = 96 * 1024;

/// The maximum length of the text above an item that is a part of its text. A longer one is not cut,
/// because any sentence of it may be the one that forbids.
const MAX_PREFIX_BYTES: usize = 1000;

/// Why all rules of a document are doubtful.
pub const OF_PROSE: &str = "a guide for prose";
pub const TUTORIAL: &str = "a tutorial";

/// The maximum number of words of an introduction that only names its list.
const LABEL_WORDS: usize = 5;

/// The maximum number of words of bold text that only a list makes a rule.
const LEAD_WORDS: usize = 2;

/// The maximum number of paragraphs and code blocks below a heading that is a rule itself.
const MAX_SECTION_BLOCKS: usize = 6;

/// The minimum number of labelled examples that make their heading a rule: a good and a bad one.
const MIN_EXAMPLES: usize = 2;

/// The heading or introduction that items belong to.
#[derive(Debug, Clone)]
struct Context {
    /// `None` for an introduction that only states a condition, or nothing about its items.
    kind: Option<Kind>,
    /// Inline code is one [`CODE`].
    text: String,
}

/// An introduction: a paragraph or an item that ends with a colon.
struct Intro<'a> {
    span: Span,
    text_start: usize,
    words: &'a Words,
}

impl Intro<'_> {
    fn plain(&self) -> &str {
        self.words.plain.trim()
    }
}

/// Returns the rules of a markdown document and its skipped blocks, ordered by line. `project` is
/// the name of the project, whose words in a heading say nothing about a rule.
pub fn parse(text: &str, project: &str) -> Vec<RuleItem> {
    let start = frontmatter::body_start(text);
    let is_ruled = is_between_rulers(&text[..start]);
    let start = if is_ruled { 0 } else { start };
    let Blanked { text, blanks } = comments::blank(text, is_ruled);
    let (text, mut marks) = tags::blank(&text);
    let text = text.as_str();
    let breaks: Vec<usize> = marks.iter().map(|(at, _)| *at).collect();
    let Blocks { blocks, quotes } = blocks::blocks(text, start, &breaks);
    for quote in quotes {
        marks.push((quote.start, Mark::OpenQuote));
        marks.push((quote.end, Mark::CloseQuote));
    }
    marks.sort_by_key(|(at, mark)| (*at, matches!(mark, Mark::Open(_) | Mark::OpenQuote)));
    let has_title = blocks
        .iter()
        .any(|block| matches!(block, Block::Heading { level, .. } if *level > 1));
    let title = blocks.iter().find_map(|block| match block {
        Block::Heading { title, .. } => Some(title.clone()),
        _ => None,
    });
    let title = title.unwrap_or_default();
    let mut reader = Reader {
        text,
        blanks,
        lines: LineIndex::new(text),
        managed: managed_blocks(text),
        marks: marks.into_iter().peekable(),
        project: words(project),
        headings: Vec::new(),
        tags: Vec::new(),
        scopes: Vec::new(),
        n_lists: 0,
        above: Above::default(),
        outer: Vec::new(),
        labels: Vec::new(),
        found: Vec::new(),
        has_title,
        title,
    };
    for span in reader.managed.clone() {
        reader.skip(span.start, "managed by `inject --into`");
    }
    let mut block_idx = 0;
    while block_idx < blocks.len() {
        block_idx += reader.block(&blocks[block_idx..]);
    }
    for item in reader
        .found
        .iter_mut()
        .filter(|item| item.text.len() > MAX_RULE_BYTES)
    {
        item.skipped_because = Some("longer than a memory");
        item.text = item.text.chars().take(SHOWN_CHARS).collect();
    }
    let subject = reader.subject();
    for item in &mut reader.found {
        if item.skipped_because.is_none() {
            item.doubt = subject.or(item.doubt);
        }
    }
    reader.found.sort_by_key(|item| item.line);
    reader.found
}

/// A heading above a rule.
#[derive(Debug, Clone)]
pub struct Heading {
    level: usize,
    /// Inline code is one [`CODE`].
    title: String,
    shown: String,
}

struct Reader<'a> {
    text: &'a str,
    /// The parts of the text that are blank, because they say nothing.
    blanks: Vec<Span>,
    lines: LineIndex,
    managed: Vec<Span>,
    marks: std::iter::Peekable<std::vec::IntoIter<(usize, Mark)>>,
    project: Vec<String>,
    headings: Vec<Heading>,
    /// The tags around the current block.
    tags: Vec<String>,
    /// The parts of the document around the current block.
    scopes: Vec<Scope>,
    /// The number of lists and tables so far.
    n_lists: usize,
    /// The paragraphs above the current block.
    above: Above,
    /// The items around the current list, and the paragraphs above their lists.
    outer: Vec<Piece>,
    /// Tags and short items around the current block, which end the path of headings.
    labels: Vec<String>,
    found: Vec<RuleItem>,
    /// Whether a heading of level 1 is the title, because headings of other levels exist.
    has_title: bool,
    /// The first heading.
    title: String,
}

impl Reader<'_> {
    /// Reads the first block, and the next ones that belong to it; returns their number.
    fn block(&mut self, blocks: &[Block]) -> usize {
        self.read_marks(blocks[0].start());
        match &blocks[0] {
            Block::Heading {
                start,
                level,
                title,
                shown,
            } => {
                if self.is_managed(*start) {
                    return 1;
                }
                let (level, title) = (*level, title.clone());
                let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
                self.above = Above::default();
                self.headings.retain(|other| other.level < level);
                self.headings.push(Heading {
                    level,
                    title,
                    shown,
                });
                return self.section(*start, blocks);
            }
            Block::Paragraph(words) => return self.paragraph(words, blocks),
            Block::List(items) => {
                self.list(items, None, blocks.get(1));
                self.above.list();
                return 1 + self.attach_examples(&blocks[1..]);
            }
            Block::Code { span, is_shell } => {
                let code = span.slice(self.text).trim_end();
                let is_part =
                    |last: &RuleItem| last.skipped_because.is_none() && last.text.ends_with(code);
                if !self.found.last().is_some_and(is_part) {
                    self.code(*span, *is_shell);
                }
                self.above.code(code);
            }
            Block::Table { span, rows } => self.table(*span, rows),
            Block::Html { span, text } => {
                self.read_html(span.slice(self.text));
                if !blocks[0].is_empty_html() {
                    self.above.paragraph(self.piece(text), Form::Announces);
                }
            }
        }
        1
    }

    /// Reads a section whose heading is a rule itself and whose text explains it. Returns the
    /// number of its blocks, or 1 for other headings.
    fn section(&mut self, start: usize, blocks: &[Block]) -> usize {
        let next_tag = self.marks.peek().map_or(usize::MAX, |(start, _)| *start);
        let is_end =
            |block: &Block| matches!(block, Block::Heading { .. }) || block.start() > next_tag;
        let n_blocks = blocks
            .iter()
            .skip(1)
            .take_while(|block| !is_end(block))
            .count();
        let own = &blocks[1..=n_blocks];
        let is_text = own
            .iter()
            .all(|block| matches!(block, Block::Paragraph(_) | Block::Code { .. }));
        let title = self
            .headings
            .last()
            .map_or("", |heading| heading.title.as_str());
        // "Good:" and "Bad:" with code below each.
        let is_label =
            |block: &Block| matches!(block, Block::Paragraph(it) if is_example(&it.plain));
        let is_labelled =
            |pair: &[Block]| is_label(&pair[0]) && matches!(pair[1], Block::Code { .. });
        let n_examples = own.windows(2).filter(|pair| is_labelled(pair)).count();
        let is_rule = modality(title) == Modality::Obligation && words(title).len() > 2
            || n_examples >= MIN_EXAMPLES && words(title).len() > 1;
        let has_text = matches!(own.first(), Some(Block::Paragraph(_)));
        if !(is_rule && is_text && has_text && own.len() <= MAX_SECTION_BLOCKS) {
            return 1;
        }
        let end = own.last().map_or(start, Block::end);
        // It is the text of the rule, not a heading above it or above what follows.
        self.headings.pop();
        let title_start = start + self.text[start..].len()
            - self.text[start..]
                .trim_start_matches(['#', ' ', '\t'])
                .len();
        self.accept(title_start, end, self.prefix(&[]));
        1 + n_blocks
    }

    fn paragraph(&mut self, own: &Words, blocks: &[Block]) -> usize {
        let Some(span) = self.own_span(own) else {
            return 1;
        };
        let next = 1 + blocks[1..]
            .iter()
            .take_while(|block| block.is_empty_html())
            .count();
        if let (true, Some(Block::List(items))) = (announces(own), blocks.get(next)) {
            let intro = Intro {
                span,
                text_start: span.start,
                words: own,
            };
            self.enter(&blocks[1..next], items[0].span.start);
            self.list(items, Some(&intro), blocks.get(next + 1));
            self.above.list();
            return next + 1 + self.attach_examples(&blocks[next + 1..]);
        }
        let is_rule = self.single_paragraph(own, span, blocks);
        self.above.paragraph(self.piece(&own.marked), form(own));
        if !is_rule {
            return 1;
        }
        self.above.complete();
        if let Some(Block::Code { span, .. }) = blocks.get(1) {
            self.above.code(span.slice(self.text));
        }
        1 + self.attach_examples(&blocks[1..])
    }

    /// Reads a paragraph that introduces no list; returns whether it is a rule.
    fn single_paragraph(&mut self, own: &Words, span: Span, blocks: &[Block]) -> bool {
        let kind = self.heading_context().and_then(|context| context.kind);
        let is_before_commands = matches!(blocks.get(1), Some(Block::Code { is_shell: true, .. }));
        let plain = own.plain.trim();
        // "Avoid" above a list.
        let is_name = is_short_name(plain) && matches!(blocks.get(1), Some(Block::List(_)));
        let n_words = words(plain).len();
        let is_demand = n_words > LEAD_WORDS && modality(plain) == Modality::Obligation;
        let is_label = ends_open(plain) && n_words <= LABEL_WORDS && !is_demand;
        if is_name || is_label {
            self.skip(span.start, INTRO);
            return false;
        }
        let is_name = is_lead(own, LEAD_WORDS);
        let is_rule = !is_name && verdict::paragraph(own, kind, is_before_commands);
        let is_step = is_name || is_before_commands || kind == Some(Kind::Steps);
        let is_aside = is_rule
            && is_aside(plain)
            && !verdict::has_bold_command(own)
            && !verdict::is_standing_condition(plain);
        let doubt = if is_aside {
            "a demand in a description"
        } else if is_universal(plain) {
            "a statement about all of a kind"
        } else if is_rule || modality(plain) == Modality::Need {
            verdict::NEED
        } else {
            "prose"
        };
        if !is_rule && (is_step || doubt == "prose") {
            self.skip(span.start, "prose");
            return false;
        }
        self.accept(span.start, span.end, self.prefix(self.above.of_paragraph()));
        if !is_rule || is_aside {
            self.doubt(doubt);
        }
        true
    }

    /// Returns the reason why all rules of the document are doubtful: its title says that it is about
    /// prose, or that it is a tutorial.
    fn subject(&self) -> Option<&'static str> {
        let title = words(&self.title);
        let names_style = title
            .iter()
            .any(|word| matches!(word.as_str(), "style" | "guide"));
        let is_of_prose = PROSE_TITLES.contains_any(&title)
            || names_style && title.first().is_some_and(|first| first == "writing");
        if is_of_prose {
            Some(OF_PROSE)
        } else if TUTORIAL_TITLES.contains_any(&title) {
            Some(TUTORIAL)
        } else {
            None
        }
    }

    /// Reads the tags between an introduction and its list.
    fn enter(&mut self, html: &[Block], list_start: usize) {
        for block in html {
            self.read_html(&self.text[block.start()..block.end()]);
        }
        self.read_marks(list_start);
    }

    fn table(&mut self, span: Span, rows: &[Vec<String>]) {
        self.n_lists += 1;
        if self.is_managed(span.start) {
            return;
        }
        let rules = tables::rules(rows, self.is_below_samples());
        if rules.is_empty() {
            return self.skip(span.start, "a table");
        }
        // Two lines, the header and its rule, precede the rows.
        let first_line = self.lines.line(span.start) + 2;
        for row in rules {
            // A carriage return alone ends a row, too, but not a line.
            let line = (first_line + row.idx).min(self.lines.len() - 1);
            let prefix = self.prefix(self.above.of_list());
            self.push((line, line), &row.text, prefix);
            if !row.samples.is_empty() {
                self.sample(row.samples, !row.is_rule);
            } else if !row.is_sure {
                self.doubt("a row of a table");
            }
        }
    }

    /// Returns the context of the nearest heading with a kind.
    fn heading_context(&self) -> Option<Context> {
        let mut headings = self.own_headings().rev();
        let nearest = headings.clone().next()?;
        let (kind, heading) = headings.find_map(|it| Some((kind_of_title(&it.title)?, it)))?;
        let is_far = heading.title != nearest.title;
        let is_weak = matches!(kind, Kind::Steps | Kind::Descriptions);
        (!(is_far && is_weak)).then(|| Context {
            kind: Some(kind),
            text: label(&heading.title),
        })
    }

    /// Returns the context of an introduction; a mere name inherits the kind of the headings.
    fn intro_context(&self, intro: &Intro) -> Context {
        let text = label(intro.plain().rsplit(". ").next().unwrap_or_default());
        let is_name = words(&text).len() <= LABEL_WORDS;
        let own = kind_of_intro(&text);
        let is_open = is_incomplete(&text);
        let inherited = self.heading_context().and_then(|context| context.kind);
        // "When you add a table:" announces instructions, whatever its section describes.
        let kind = match inherited {
            _ if own.is_some() => own,
            Some(Kind::Descriptions) if is_open => None,
            _ if is_name || is_open => inherited,
            _ => None,
        };
        Context { kind, text }
    }

    /// Returns whether the text above the current list or table announces samples.
    fn is_below_samples(&self) -> bool {
        let heading = self.own_headings().last();
        let heading = heading.map(|heading| Piece::Text(heading.shown.clone()));
        let labels = self.labels.iter().cloned().map(Piece::Text);
        let above = [&self.outer, self.above.of_list()].concat();
        let mut is_below = false;
        for piece in heading.into_iter().chain(labels).chain(above) {
            let Some(announces) = piece.announces_samples() else {
                return false;
            };
            is_below |= announces;
        }
        is_below
    }

    /// Returns what governs a block below the paragraphs `above` it.
    fn prefix(&self, above: &[Piece]) -> Prefix {
        let is_name = |heading: &&Heading| {
            self.has_title && heading.level == 1 && is_name_of_document(&heading.shown)
        };
        let headings = self.headings.iter().filter(|heading| !is_name(heading));
        let headings = headings.map(|heading| heading.shown.as_str());
        let titles = headings.chain(self.tags.iter().map(String::as_str));
        let titles: Vec<Piece> = titles.filter_map(|title| self.piece(title)).collect();
        Prefix::of(&[&titles[..], &self.outer, above].concat())
    }

    /// Returns a text above a block, or `None` if it only names a topic.
    fn piece(&self, text: &str) -> Option<Piece> {
        Piece::of(text, &self.project)
    }

    /// Returns the headings above, without the title of the document.
    fn own_headings(&self) -> impl DoubleEndedIterator<Item = &Heading> + Clone {
        self.headings
            .iter()
            .filter(|heading| heading.level > 1 || !self.has_title)
    }

    /// Returns the span of a text, or `None` if it is in a managed block.
    fn own_span(&self, words: &Words) -> Option<Span> {
        words.span.filter(|span| !self.is_managed(span.start))
    }

    fn is_managed(&self, at: usize) -> bool {
        self.managed
            .iter()
            .any(|block| block.start <= at && at < block.end)
    }
}

/// Returns whether the block at the start of a document is text between two rulers, which
/// [`frontmatter`] would read as a frontmatter.
fn is_between_rulers(block: &str) -> bool {
    let mut lines = block.lines().skip(1).map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with("# "));
    let Some(first) = first.filter(|first| *first != "---") else {
        return false;
    };
    let key = first.split_once(':').map(|(key, _)| key);
    key.is_none_or(|key| key.contains([' ', '*', '`']))
}

/// Returns whether a text introduces the list below it.
fn announces(own: &Words) -> bool {
    ends_open(&own.plain) || is_lead(own, LABEL_WORDS)
}

fn form(own: &Words) -> Form {
    // "❌ Don't" and "✅ Do" begin a list each.
    let is_mark = |c: char| !c.is_ascii() && !c.is_alphanumeric() && c != CODE;
    let plain = own.plain.trim();
    let has_label = own.lead.is_some() || plain.starts_with(is_mark) || is_short_name(plain);
    match has_label {
        _ if announces(own) && names_instances(plain) => Form::Continues,
        _ if announces(own) => Form::Announces,
        true => Form::Labelled,
        false => Form::Plain,
    }
}

/// Returns whether a text says no more than that it has instances: "Examples:", unlike "Bad examples:".
fn names_instances(plain: &str) -> bool {
    let words = words(plain);
    plain.is_ascii() && !words.is_empty() && words.iter().all(|word| INSTANCES.contains(word))
}

/// Returns whether a text is one word or two, and not a sentence.
fn is_short_name(plain: &str) -> bool {
    words(plain).len() <= LEAD_WORDS && !plain.ends_with(['.', '!'])
}

/// Returns whether a text is only a few bold words.
fn is_lead(own: &Words, max_words: usize) -> bool {
    let plain = own.plain.trim();
    own.lead.as_deref().is_some_and(|lead| lead.trim() == plain) && words(plain).len() <= max_words
}

fn label(text: &str) -> String {
    text.trim().trim_end_matches(':').trim_end().to_owned()
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
