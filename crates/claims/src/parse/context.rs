//! Where the blocks, tables, lists and sections of a document are, and how they present the claims in
//! them.

use memchr::{memchr, memrchr};
use pulldown_cmark::{Event, HeadingLevel, Tag};

use super::MAX_BYTES;
use super::stance::bans::Ban;
use super::stance::{self, Stance};
use crate::prelude::*;
use crate::times;

/// Maximum number of blocks before a claim that may contain it.
const MAX_DEPTH: usize = 64;

/// Maximum length of a line, of the first row of a table, and of another row before a claim.
const MAX_ROW: usize = 2000;

/// Number of headings of versions and days, of one level, that make a document a changelog.
const MIN_DATED: usize = 3;

#[derive(Debug, Default)]
pub(super) struct Context<'a> {
    text: &'a str,
    /// The blocks with text, outer before inner ones.
    blocks: Vec<Span>,
    /// The pieces of code and the links, in order.
    names: Vec<Span>,
    /// The tables with their first rows.
    tables: Vec<(Span, Span)>,
    /// The lists whose items the words before them present, outer before inner ones.
    lists: Vec<(Span, Stance)>,
    /// The headings around the last event, and how each presents what is below it.
    open_headings: Vec<(HeadingLevel, Stance)>,
    /// For each level of headings their number, and that of versions and days.
    n_headings: BTreeMap<HeadingLevel, (usize, usize)>,
    /// The starts of sections, and how their headings present what is in them.
    sections: Vec<(usize, Stance)>,
    /// The first heading of the first level.
    pub(super) title: Option<Span>,
}

impl<'a> Context<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, ..Self::default() }
    }

    /// Adds an event of the document. Returns whether it starts a block with text.
    pub(super) fn add(&mut self, event: &Event<'_>, span: Span) -> bool {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                self.heading(*level, span);
                self.blocks.push(span);
                return true;
            }
            Event::Start(Tag::Paragraph | Tag::Item | Tag::TableHead | Tag::TableRow) => {
                if let (Event::Start(Tag::TableHead), Some(table)) = (event, self.tables.last_mut())
                {
                    table.1 = span;
                }
                self.blocks.push(span);
                return true;
            }
            Event::Start(Tag::Table(_)) => self.tables.push((span, span)),
            Event::Start(Tag::List(_)) => {
                let stance = self.lead(span.start);
                if stance != Stance::Plain {
                    self.lists.push((span, stance));
                }
            }
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) | Event::Code(_) => {
                self.names.push(span);
            }
            _ => {}
        }
        false
    }

    fn heading(&mut self, level: HeadingLevel, span: Span) {
        if level == HeadingLevel::H1 {
            self.title.get_or_insert(span);
        }
        self.open_headings.retain(|(outer, _)| *outer < level);
        let title = span.slice(self.text).trim_matches(|c: char| c == '#' || c.is_whitespace());
        let (n_all, n_dated) = self.n_headings.entry(level).or_default();
        *n_all += 1;
        *n_dated += usize::from(times::is_dated(title));
        let outer = self.open_headings.last().map_or(Stance::Plain, |it| it.1);
        let stance = stance::of_title(title).max(outer);
        self.open_headings.push((level, stance));
        self.sections.push((span.start, stance));
    }

    /// Returns how the words before a list or a block of code present it.
    pub(super) fn lead(&self, start: usize) -> Stance {
        let before = self.text[..start].trim_end().trim_end_matches(['*', '_']);
        if !before.ends_with(':') {
            return Stance::Plain;
        }
        let from = before.len().saturating_sub(MAX_BYTES);
        let before = before.get(from..).unwrap_or_default();
        stance::of_lead(before.rsplit(['\n', '.']).next().unwrap_or_default())
    }

    /// Returns how the headings around a place present it.
    pub(super) fn section(&self, at: usize) -> Stance {
        let n_before = self.sections.partition_point(|it| it.0 <= at);
        n_before.checked_sub(1).map_or(Stance::Plain, |idx| self.sections[idx].1)
    }

    /// Returns whether the headings are those of a changelog: versions and days below its title.
    pub(super) fn is_history(&self) -> bool {
        let mut n_above = 0;
        self.n_headings.values().any(|(n_all, n_dated)| {
            let is_log = *n_dated >= MIN_DATED && n_dated * 2 >= *n_all && n_above <= 1;
            n_above += n_all;
            is_log
        })
    }

    /// Returns how the sentence around a claim presents it, and the words before its list.
    pub(super) fn stance(&self, span: Span) -> Stance {
        let Some(block) = self.block(span) else { return Stance::Plain };
        let own = stance::of(self.text, block, &self.names, span);
        let before = self.lists.partition_point(|it| it.0.start <= span.start);
        let mut lists = self.lists[..before].iter().rev().take(MAX_DEPTH);
        let list = lists.find(|(list, _)| list.end >= span.end).map(|it| it.1);
        own.max(list.unwrap_or_default()).max(self.column(block, span)).max(self.record(span))
    }

    /// Returns how the line of a list or a table presents a claim: with a day, it is a record of it.
    fn record(&self, span: Span) -> Stance {
        let bytes = self.text.as_bytes();
        let from = span.start.saturating_sub(MAX_ROW);
        let start = memrchr(b'\n', &bytes[from..span.start]);
        let start = start.map(|n| from + n + 1).or((from == 0).then_some(0));
        let to = bytes.len().min(span.end + MAX_ROW);
        let end = memchr(b'\n', &bytes[span.end..to]).map(|n| span.end + n);
        let end = end.or((to == bytes.len()).then_some(to));
        // A longer line is none.
        let (Some(start), Some(end)) = (start, end) else { return Stance::Plain };
        let line = self.text[start..end].trim_start();
        let is_item = ["- ", "* ", "+ ", "|"].iter().any(|marker| line.starts_with(marker));
        let is_record = is_item && line.len() <= MAX_ROW && times::has_day(line);
        if is_record { Stance::Absent } else { Stance::Plain }
    }

    /// Returns the prohibition of a piece of code, without its text, if the sentence around it forbids it.
    pub(super) fn ban(&self, span: Span) -> Option<Ban> {
        stance::bans::ban(self.text, self.block(span)?, &self.names, span)
    }

    /// Returns how the title of a column presents what is in its cells.
    fn column(&self, row: Span, span: Span) -> Stance {
        let n_before = self.tables.partition_point(|(table, _)| table.start <= row.start);
        let table = n_before.checked_sub(1).map(|idx| self.tables[idx]);
        let Some((_, head)) = table.filter(|(table, _)| row.end <= table.end) else {
            return Stance::Plain;
        };
        let len = (span.start - row.start).max(head.end - head.start);
        if len > MAX_ROW || !row.slice(self.text).starts_with('|') {
            return Stance::Plain;
        }
        let column = self.text[row.start..span.start].matches('|').count();
        let title = head.slice(self.text).split('|').nth(column);
        title.map_or(Stance::Plain, stance::of_column)
    }

    /// Returns the innermost block that contains a claim.
    pub(super) fn block(&self, span: Span) -> Option<Span> {
        // The innermost block that contains it is the last one that started.
        let n_before = self.blocks.partition_point(|it| it.start <= span.start);
        let mut before = self.blocks[..n_before].iter().rev().take(MAX_DEPTH);
        before.find(|it| it.end >= span.end).copied()
    }
}
