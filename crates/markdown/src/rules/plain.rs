//! The blocks of a text without markup: paragraphs, lists, and headings that are underlined or in
//! capitals. Nothing in it is markdown: `*.rs` has no emphasis, an indented line has no code.

use super::blocks::{Block, Item, Words};
use cerberus_model::text::Span;

/// The maximum number of words of a heading in capitals.
const MAX_HEADING_WORDS: usize = 8;

/// A line with its indent and without the white space at its end.
struct Line<'a> {
    start: usize,
    indent: usize,
    text: &'a str,
}

impl Line<'_> {
    fn text_start(&self) -> usize {
        self.start + self.indent
    }

    fn end(&self) -> usize {
        self.text_start() + self.text.len()
    }

    /// Returns the length of the marker of a list item with the white space after it.
    fn marker_len(&self) -> Option<usize> {
        let rest = match self.text.strip_prefix(['-', '*', '+', '•']) {
            Some(rest) => rest,
            None => {
                let rest = self.text.trim_start_matches(|c: char| c.is_ascii_digit());
                rest.strip_prefix(['.', ')']).filter(|_| rest.len() < self.text.len())?
            }
        };
        let words = rest.trim_start();
        (words.len() < rest.len() && !words.is_empty()).then_some(self.text.len() - words.len())
    }

    fn is_underline(&self) -> bool {
        self.text.len() >= 3 && ["=", "-", "~"].iter().any(|c| self.text.replace(c, "").is_empty())
    }

    fn is_in_capitals(&self) -> bool {
        self.text.split_whitespace().count() <= MAX_HEADING_WORDS
            && self.text.chars().filter(|c| c.is_alphabetic()).count() > 1
            && !self.text.chars().any(char::is_lowercase)
            && !self.text.ends_with(['.', '!', '?', ','])
    }
}

/// Returns the blocks of a text without markup.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut lines = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        lines.push(Line { start, indent, text: line.trim() });
        start += line.len();
    }
    let mut blocks: Vec<Block> = Vec::new();
    for group in lines.split(|line| line.text.is_empty()).filter(|group| !group.is_empty()) {
        let mut rest = group;
        while !rest.is_empty() {
            let n_lines = read(rest, &mut blocks);
            rest = &rest[n_lines..];
        }
    }
    blocks
}

/// Reads the first block of adjacent lines; returns the number of its lines.
fn read(lines: &[Line], blocks: &mut Vec<Block>) -> usize {
    let first = &lines[0];
    if first.marker_len().is_some() {
        return list(lines, blocks);
    }
    let is_underlined = lines.get(1).is_some_and(Line::is_underline);
    let is_alone = lines.len() == 1;
    if is_underlined || (is_alone && first.is_in_capitals()) {
        let title = first.text.to_owned();
        let (start, shown) = (first.text_start(), title.clone());
        blocks.push(Block::Heading { start, level: 2, title, shown });
        return if is_underlined { 2 } else { 1 };
    }
    let n_lines = lines.iter().take_while(|line| line.marker_len().is_none()).count();
    blocks.push(Block::Paragraph(words(&lines[..n_lines], 0)));
    n_lines
}

/// Reads a list. Items with a larger indent than the first one belong to the item before them.
fn list(lines: &[Line], blocks: &mut Vec<Block>) -> usize {
    let indent = lines[0].indent;
    let starts_item = |line: &Line| line.marker_len().is_some() && line.indent <= indent;
    let mut items = Vec::new();
    let mut rest = lines;
    while let Some(marker_len) = rest.first().and_then(Line::marker_len) {
        let n_lines = 1 + rest[1..].iter().take_while(|line| !starts_item(line)).count();
        let own = &rest[..n_lines];
        let n_words = own.iter().skip(1).take_while(|line| line.marker_len().is_none()).count();
        let end = own.last().map_or(0, Line::end);
        items.push(Item {
            span: Span::new(own[0].text_start(), end),
            words: words(&own[..=n_words], marker_len),
            is_task: false,
            lists: Vec::new(),
        });
        rest = &rest[n_lines..];
    }
    // Blank lines between items do not end a list.
    match blocks.last_mut() {
        Some(Block::List(before)) => before.extend(items),
        _ => blocks.push(Block::List(items)),
    }
    lines.len() - rest.len()
}

fn words(lines: &[Line], marker_len: usize) -> Words {
    let texts: Vec<&str> = lines.iter().map(|line| line.text).collect();
    let end = lines.last().map_or(0, Line::end);
    let span = Span::new(lines[0].text_start() + marker_len, end);
    Words::plain(&texts.join(" ")[marker_len..], span)
}
