//! The blocks of a document: headings, paragraphs and lists.

use cerberus_model::text::Span;
/// The placeholder of inline code in plain text: one word for any code.
pub(super) use cerberus_prose::wording::CODE;
use pulldown_cmark::{CodeBlockKind, Event, OffsetIter, Options, Parser, Tag, TagEnd};

use super::scopes::html_tags;
use crate::layout::Layout;
use crate::structure::normalize;

#[derive(Debug)]
pub(super) enum Block {
    Heading {
        start: usize,
        level: usize,
        title: String,
        /// The title with its inline code.
        shown: String,
    },
    Paragraph(Words),
    List(Vec<Item>),
    Code {
        span: Span,
        /// Whether it contains commands, according to its language.
        is_shell: bool,
    },
    /// The cells of a table by row, the header first.
    Table {
        span: Span,
        rows: Vec<Vec<String>>,
    },
    /// A comment or other HTML, of which only the text counts.
    Html {
        span: Span,
        text: String,
    },
}

impl Block {
    pub(super) fn start(&self) -> usize {
        match self {
            Self::Heading { start, .. } => *start,
            other => other.span().start,
        }
    }

    pub(super) fn end(&self) -> usize {
        self.span().end
    }

    /// Returns whether it is a comment, or another tag without a text.
    pub(super) fn is_empty_html(&self) -> bool {
        matches!(self, Self::Html { text, .. } if text.trim().is_empty())
    }

    fn span(&self) -> Span {
        match self {
            Self::Heading { start, .. } => Span::new(*start, *start),
            Self::Paragraph(words) => words.span.unwrap_or(Span::new(0, 0)),
            Self::List(items) => match (items.first(), items.last()) {
                (Some(first), Some(last)) => Span::new(first.span.start, last.span.end),
                _ => Span::new(0, 0),
            },
            Self::Code { span, .. } | Self::Table { span, .. } | Self::Html { span, .. } => *span,
        }
    }
}

#[derive(Debug)]
pub(super) struct Item {
    /// Includes its marker and nested blocks.
    pub(super) span: Span,
    /// The text before its first nested block.
    pub(super) words: Words,
    /// The first paragraph of `words`, with the inline code in backticks.
    pub(super) first: String,
    pub(super) is_task: bool,
    /// Whether a block of commands comes after its text.
    pub(super) is_before_commands: bool,
    pub(super) lists: Vec<Nested>,
}

/// A list in an item.
#[derive(Debug)]
pub(super) struct Nested {
    /// The paragraphs and headings of the item between its text and the list.
    pub(super) above: Vec<Words>,
    pub(super) items: Vec<Item>,
}

/// Text without markup, each inline code as one [`CODE`].
#[derive(Debug, Default, Clone)]
pub(super) struct Words {
    pub(super) span: Option<Span>,
    pub(super) plain: String,
    /// Like `plain`, with the inline code.
    pub(super) shown: String,
    /// Like `shown`, with the inline code in backticks.
    pub(super) marked: String,
    pub(super) starts_with_link: bool,
    /// The length of `plain` at the end of the last link.
    link_end: usize,
    /// The bold text that it starts with.
    pub(super) lead: Option<String>,
}

impl Words {
    fn add(&mut self, event: &Event) {
        match event {
            Event::Text(text) => self.push(text, text),
            Event::Code(code) => {
                self.plain.push(CODE);
                self.shown.push_str(code);
                self.marked.push_str(&format!("`{code}`"));
            }
            // "**Warning**" alone on the first line is a label.
            Event::SoftBreak | Event::HardBreak if self.lead.as_deref() == Some(&self.plain) => {
                self.push(": ", ": ");
            }
            Event::SoftBreak | Event::HardBreak => self.push(" ", " "),
            Event::Start(Tag::Link { .. }) if self.plain.is_empty() => self.starts_with_link = true,
            Event::End(TagEnd::Link) => self.link_end = self.plain.len(),
            Event::Start(Tag::Strong) if self.plain.is_empty() => self.lead = Some(String::new()),
            Event::End(TagEnd::Strong) => match &mut self.lead {
                Some(lead) if lead.is_empty() => lead.clone_from(&self.plain),
                _ => {}
            },
            _ => {}
        }
    }

    pub(super) fn has_link(&self) -> bool {
        self.link_end > 0
    }

    /// Returns whether a link is all of it.
    pub(super) fn is_link(&self) -> bool {
        self.starts_with_link && self.link_end == self.plain.trim_end().len()
    }

    fn push(&mut self, plain: &str, shown: &str) {
        self.plain.push_str(plain);
        self.shown.push_str(shown);
        self.marked.push_str(shown);
    }
}

/// The blocks of a document.
#[derive(Debug)]
pub(super) struct Blocks {
    pub(super) blocks: Vec<Block>,
    /// The quotations around them.
    pub(super) quotes: Vec<Span>,
}

/// Returns the blocks of `text` from `start` on. No list goes on behind one of the `breaks`.
pub(super) fn blocks(text: &str, start: usize, breaks: &[usize]) -> Blocks {
    let text = normalize(text);
    let layout = Layout::of(&text[start..]);
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
    let mut reader = Reader {
        events: Parser::new_ext(&layout.text, options).into_offset_iter(),
        layout: &layout,
        start,
        quotes: Vec::new(),
    };
    let blocks = split_lists(reader.read(), breaks);
    let quotes = reader.quotes;
    let mut ends: Vec<usize> = breaks.to_vec();
    for quote in &quotes {
        ends.extend([quote.start, quote.end]);
    }
    ends.sort_unstable();
    Blocks {
        blocks: join_lists(&text, blocks, &ends),
        quotes,
    }
}

/// Splits the lists at positions, in order.
fn split_lists(blocks: Vec<Block>, breaks: &[usize]) -> Vec<Block> {
    let mut split = Vec::with_capacity(blocks.len());
    for block in blocks {
        let Block::List(items) = block else {
            split.push(block);
            continue;
        };
        let mut part: Vec<Item> = Vec::new();
        for item in items {
            let is_end = part
                .last()
                .is_some_and(|last| has_between(breaks, last.span.start, item.span.start));
            if is_end {
                split.push(Block::List(std::mem::take(&mut part)));
            }
            part.push(item);
        }
        split.push(Block::List(part));
    }
    split
}

/// Joins lists with nothing but comments or elements without an end between them: their items are
/// siblings. A list that begins in another quotation or element is another one.
fn join_lists(text: &str, blocks: Vec<Block>, breaks: &[usize]) -> Vec<Block> {
    let mut joined: Vec<Block> = Vec::with_capacity(blocks.len());
    // The last block that is not a comment.
    let mut last_own: Option<usize> = None;
    for block in blocks {
        let at = block.start();
        let last = last_own.and_then(|idx| joined.get_mut(idx));
        match (block, last) {
            (html @ Block::Html { .. }, _) if html.is_empty_html() => {
                if !html_tags(html.span().slice(text)).is_empty() {
                    last_own = None;
                }
                joined.push(html);
            }
            (Block::List(items), Some(Block::List(first)))
                if !first
                    .last()
                    .is_some_and(|last| has_between(breaks, last.span.start, at)) =>
            {
                first.extend(items);
            }
            (block, _) => {
                last_own = Some(joined.len());
                joined.push(block);
            }
        }
    }
    joined
}

/// Returns whether one of the positions, which are in order, is between two others.
fn has_between(positions: &[usize], from: usize, to: usize) -> bool {
    let next = positions.partition_point(|at| *at <= from);
    positions.get(next).is_some_and(|at| *at <= to)
}

struct Reader<'a> {
    events: OffsetIter<'a>,
    layout: &'a Layout,
    start: usize,
    quotes: Vec<Span>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<(Event<'a>, Span)> {
        let (event, range) = self.events.next()?;
        let span = self.layout.original(Span::new(range.start, range.end));
        Some((event, span.shifted(self.start)))
    }

    fn read(&mut self) -> Vec<Block> {
        let mut blocks = Vec::new();
        while let Some((event, span)) = self.next() {
            let Event::Start(tag) = event else { continue };
            blocks.push(match tag {
                Tag::List(_) => Block::List(self.list()),
                Tag::Table(_) => Block::Table {
                    span,
                    rows: self.rows(),
                },
                // The blocks of a quotation are read like those around it.
                Tag::BlockQuote(_) => {
                    self.quotes.push(span);
                    continue;
                }
                Tag::Heading { level, .. } => {
                    let Words {
                        plain: title,
                        shown,
                        ..
                    } = self.words(span);
                    Block::Heading {
                        start: span.start,
                        level: level as usize,
                        title,
                        shown,
                    }
                }
                Tag::Paragraph => Block::Paragraph(self.words(span)),
                Tag::CodeBlock(kind) => {
                    self.words(span);
                    let is_shell = is_commands(&kind);
                    Block::Code { span, is_shell }
                }
                _ => Block::Html {
                    span,
                    text: self.html(),
                },
            });
        }
        blocks
    }

    /// Reads to the end of the current block, which covers `span`.
    fn words(&mut self, span: Span) -> Words {
        let mut words = Words {
            span: Some(span),
            ..Words::default()
        };
        let mut depth = 1;
        while depth > 0 {
            let Some((event, _)) = self.next() else { break };
            depth += depth_change(&event);
            words.add(&event);
        }
        words
    }

    /// Reads to the end of a block of HTML and returns its text without tags and comments.
    fn html(&mut self) -> String {
        let (mut html, mut depth) = (String::new(), 1);
        while depth > 0 {
            let Some((event, _)) = self.next() else { break };
            depth += depth_change(&event);
            if let Event::Html(part) | Event::Text(part) = &event {
                html.push_str(part);
            }
        }
        text_of_html(&html)
    }

    fn rows(&mut self) -> Vec<Vec<String>> {
        let (mut rows, mut row) = (Vec::new(), Vec::new());
        while let Some((event, span)) = self.next() {
            match event {
                Event::Start(Tag::TableCell) => row.push(self.words(span).marked),
                Event::End(TagEnd::TableHead | TagEnd::TableRow) => {
                    rows.push(std::mem::take(&mut row));
                }
                Event::End(TagEnd::Table) => break,
                _ => {}
            }
        }
        rows
    }

    fn list(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while let Some((event, span)) = self.next() {
            match event {
                Event::Start(Tag::Item) => items.push(self.item(span)),
                Event::End(TagEnd::List(_)) => break,
                _ => {}
            }
        }
        items
    }

    fn item(&mut self, span: Span) -> Item {
        let mut item = Item {
            span,
            words: Words::default(),
            first: String::new(),
            is_task: false,
            is_before_commands: false,
            lists: Vec::new(),
        };
        let (mut depth, mut in_words) = (1, true);
        let mut above = Vec::new();
        while let Some((event, span)) = self.next() {
            match &event {
                Event::Start(Tag::List(_)) => {
                    in_words = false;
                    let items = self.list();
                    item.lists.push(Nested {
                        above: std::mem::take(&mut above),
                        items,
                    });
                    continue;
                }
                Event::Start(Tag::Paragraph) if !in_words => {
                    above.push(self.words(span));
                    continue;
                }
                Event::Start(Tag::Heading { .. }) => {
                    in_words = false;
                    above.push(self.words(span));
                    continue;
                }
                Event::Start(Tag::HtmlBlock) => {
                    in_words = false;
                    let text = self.html();
                    above.push(Words {
                        marked: text.clone(),
                        plain: text,
                        ..Words::default()
                    });
                    continue;
                }
                Event::Start(Tag::Paragraph) if in_words => {
                    let gap = if item.words.plain.is_empty() { "" } else { " " };
                    if item.first.is_empty() {
                        item.first.clone_from(&item.words.marked);
                    }
                    item.words.push(gap, gap);
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    item.is_before_commands |= in_words && is_commands(kind);
                    in_words = false;
                }
                Event::Start(Tag::BlockQuote(_) | Tag::Table(_)) => in_words = false,
                Event::TaskListMarker(_) => {
                    item.is_task = true;
                    continue;
                }
                _ => {}
            }
            depth += depth_change(&event);
            if depth == 0 {
                break;
            }
            if in_words {
                let known = item.words.span.unwrap_or(Span::new(span.start, span.start));
                item.words.span = Some(Span::new(known.start, known.end.max(span.end)));
                item.words.add(&event);
            }
        }
        item
    }
}

/// Returns whether the info string of a code block names the language of a shell.
fn is_commands(kind: &CodeBlockKind) -> bool {
    let CodeBlockKind::Fenced(info) = kind else {
        return false;
    };
    let language = info.split([' ', ',', '{']).next().unwrap_or_default();
    ["sh", "bash", "shell", "zsh", "console", "powershell"].contains(&language)
}

/// Returns HTML without its tags and comments.
fn text_of_html(html: &str) -> String {
    let (mut text, mut rest) = (String::new(), html);
    while let Some((before, after)) = rest.split_once('<') {
        text.push_str(before);
        text.push(' ');
        let end = if after.starts_with("!--") { "-->" } else { ">" };
        rest = after.split_once(end).map_or("", |(_, rest)| rest);
    }
    text.push_str(rest);
    text
}

fn depth_change(event: &Event) -> i32 {
    match event {
        Event::Start(_) => 1,
        Event::End(_) => -1,
        _ => 0,
    }
}
