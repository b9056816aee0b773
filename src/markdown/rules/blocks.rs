//! A document as the blocks that rules are looked for in: headings, paragraphs, lists.

use pulldown_cmark::{Event, OffsetIter, Options, Parser, Tag, TagEnd};

use super::super::structure::shallow;
use crate::text::Span;

/// What stands for inline code in plain text: one word, whatever is in it.
pub(super) const CODE: char = '\u{FFFC}';

#[derive(Debug)]
pub(super) enum Block {
    Heading {
        start: usize,
        level: usize,
        title: String,
    },
    Paragraph(Words),
    List(List),
    Code(Span),
    /// A table, a quotation: what is left whole, and what it is called.
    Other(Span, &'static str),
    /// A comment or other HTML, which says nothing.
    Silent,
}

#[derive(Debug)]
pub(super) struct List {
    pub(super) items: Vec<Item>,
}

#[derive(Debug)]
pub(super) struct Item {
    /// With its mark and everything nested in it.
    pub(super) span: Span,
    /// Its first words.
    pub(super) words: Words,
    pub(super) is_task: bool,
    pub(super) lists: Vec<List>,
}

/// Running text as it is shown, each inline code as one [`CODE`].
#[derive(Debug, Default, Clone)]
pub(super) struct Words {
    pub(super) span: Option<Span>,
    pub(super) plain: String,
    pub(super) opens_with_link: bool,
}

/// Reads the blocks of `text` from `start` on.
pub(super) fn blocks(text: &str, start: usize) -> Vec<Block> {
    let text = shallow(text);
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
    let events = Parser::new_ext(&text[start..], options).into_offset_iter();
    Reader { events, start, found: Vec::new() }.read()
}

struct Reader<'a> {
    events: OffsetIter<'a>,
    start: usize,
    found: Vec<Block>,
}

impl Reader<'_> {
    fn read(mut self) -> Vec<Block> {
        while let Some((event, range)) = self.events.next() {
            let span = Span::new(self.start + range.start, self.start + range.end);
            let Event::Start(tag) = event else { continue };
            let block = match tag {
                Tag::Heading { level, .. } => {
                    let title = self.words().plain;
                    Block::Heading { start: span.start, level: level as usize, title }
                }
                Tag::Paragraph => {
                    let words = self.words();
                    Block::Paragraph(Words { span: Some(span), ..words })
                }
                Tag::List(_) => Block::List(self.list()),
                Tag::CodeBlock(_) => self.skipped(Block::Code(span)),
                Tag::Table(_) => self.skipped(Block::Other(span, "a table")),
                Tag::BlockQuote(_) => self.skipped(Block::Other(span, "a quotation")),
                _ => self.skipped(Block::Silent),
            };
            self.found.push(block);
        }
        self.found
    }

    fn skipped(&mut self, block: Block) -> Block {
        let mut depth = 1;
        while depth > 0 {
            match self.events.next() {
                Some((Event::Start(_), _)) => depth += 1,
                Some((Event::End(_), _)) => depth -= 1,
                Some(_) => {}
                None => break,
            }
        }
        block
    }

    fn words(&mut self) -> Words {
        let mut words = Words::default();
        let mut depth = 1;
        while depth > 0 {
            let Some((event, _)) = self.events.next() else { break };
            match &event {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                _ => {}
            }
            add(&mut words, &event);
        }
        words
    }

    fn list(&mut self) -> List {
        let mut items = Vec::new();
        while let Some((event, range)) = self.events.next() {
            match event {
                Event::Start(Tag::Item) => {
                    items.push(
                        self.item(Span::new(self.start + range.start, self.start + range.end)),
                    );
                }
                Event::End(TagEnd::List(_)) => break,
                _ => {}
            }
        }
        List { items }
    }

    /// Reads an item; its first words are what stands before its first other block.
    fn item(&mut self, span: Span) -> Item {
        let mut item = Item { span, words: Words::default(), is_task: false, lists: Vec::new() };
        let (mut depth, mut is_first) = (1, true);
        while let Some((event, range)) = self.events.next() {
            match &event {
                Event::Start(Tag::List(_)) => {
                    is_first = false;
                    let list = self.list();
                    item.lists.push(list);
                    continue;
                }
                Event::Start(Tag::Paragraph) if item.words.plain.is_empty() => {}
                Event::Start(
                    Tag::Paragraph
                    | Tag::CodeBlock(_)
                    | Tag::BlockQuote(_)
                    | Tag::Heading { .. }
                    | Tag::Table(_)
                    | Tag::HtmlBlock,
                ) => is_first = false,
                Event::TaskListMarker(_) => {
                    item.is_task = true;
                    continue;
                }
                _ => {}
            }
            match &event {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            if is_first {
                let (start, end) = (self.start + range.start, self.start + range.end);
                let known = item.words.span.unwrap_or(Span::new(start, start));
                item.words.span = Some(Span::new(known.start, known.end.max(end)));
                add(&mut item.words, &event);
            }
        }
        item
    }
}

fn add(words: &mut Words, event: &Event) {
    match event {
        Event::Text(text) => words.plain.push_str(text),
        Event::Code(_) => words.plain.push(CODE),
        Event::SoftBreak | Event::HardBreak => words.plain.push(' '),
        Event::Start(Tag::Link { .. }) if words.plain.is_empty() => words.opens_with_link = true,
        _ => {}
    }
}
