//! The blocks of a document: headings, paragraphs and lists.

use pulldown_cmark::{Event, OffsetIter, Options, Parser, Tag, TagEnd};

use crate::markdown::structure::normalize;
use crate::text::Span;

/// The placeholder of inline code in plain text: one word for any code.
pub(super) const CODE: char = '\u{FFFC}';

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
    Code(Span),
    /// A table or a quotation, with its name.
    Other(Span, &'static str),
    /// A comment or other HTML, which is ignored.
    Ignored,
}

#[derive(Debug)]
pub(super) struct Item {
    /// Includes its marker and nested blocks.
    pub(super) span: Span,
    /// The text before its first nested block.
    pub(super) words: Words,
    pub(super) is_task: bool,
    pub(super) lists: Vec<Vec<Item>>,
}

/// Text without markup, each inline code as one [`CODE`].
#[derive(Debug, Default, Clone)]
pub(super) struct Words {
    pub(super) span: Option<Span>,
    pub(super) plain: String,
    /// Like `plain`, with the inline code.
    pub(super) shown: String,
    pub(super) starts_with_link: bool,
}

impl Words {
    fn add(&mut self, event: &Event) {
        match event {
            Event::Text(text) => self.push(text, text),
            Event::Code(code) => self.push(&CODE.to_string(), code),
            Event::SoftBreak | Event::HardBreak => self.push(" ", " "),
            Event::Start(Tag::Link { .. }) if self.plain.is_empty() => self.starts_with_link = true,
            _ => {}
        }
    }

    fn push(&mut self, plain: &str, shown: &str) {
        self.plain.push_str(plain);
        self.shown.push_str(shown);
    }
}

/// Returns the blocks of `text` from `start` on.
pub(super) fn blocks(text: &str, start: usize) -> Vec<Block> {
    let text = normalize(text);
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
    let events = Parser::new_ext(&text[start..], options).into_offset_iter();
    Reader { events, start }.read()
}

struct Reader<'a> {
    events: OffsetIter<'a>,
    start: usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<(Event<'a>, Span)> {
        let (event, range) = self.events.next()?;
        Some((event, Span::new(range.start, range.end).shifted(self.start)))
    }

    fn read(mut self) -> Vec<Block> {
        let mut blocks = Vec::new();
        while let Some((event, span)) = self.next() {
            let Event::Start(tag) = event else { continue };
            if matches!(tag, Tag::List(_)) {
                blocks.push(Block::List(self.list()));
                continue;
            }
            let words = self.words(span);
            blocks.push(match tag {
                Tag::Heading { level, .. } => {
                    let (level, Words { plain: title, shown, .. }) = (level as usize, words);
                    Block::Heading { start: span.start, level, title, shown }
                }
                Tag::Paragraph => Block::Paragraph(words),
                Tag::CodeBlock(_) => Block::Code(span),
                Tag::Table(_) => Block::Other(span, "a table"),
                Tag::BlockQuote(_) => Block::Other(span, "a quotation"),
                _ => Block::Ignored,
            });
        }
        blocks
    }

    /// Reads to the end of the current block, which covers `span`.
    fn words(&mut self, span: Span) -> Words {
        let mut words = Words { span: Some(span), ..Words::default() };
        let mut depth = 1;
        while depth > 0 {
            let Some((event, _)) = self.next() else { break };
            depth += depth_change(&event);
            words.add(&event);
        }
        words
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
        let mut item = Item { span, words: Words::default(), is_task: false, lists: Vec::new() };
        let (mut depth, mut in_words) = (1, true);
        while let Some((event, span)) = self.next() {
            match &event {
                Event::Start(Tag::List(_)) => {
                    in_words = false;
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
                ) => in_words = false,
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

fn depth_change(event: &Event) -> i32 {
    match event {
        Event::Start(_) => 1,
        Event::End(_) => -1,
        _ => 0,
    }
}
