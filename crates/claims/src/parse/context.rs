//! Where the blocks, tables, lists and sections of a document are, and how they present the claims in
//! them.

use std::collections::BTreeMap;

use cerberus_model::text::Span;
use cerberus_prose::language::{Language, Words};
use cerberus_prose::stance::bans::Ban;
use cerberus_prose::stance::{self, Stance};
use cerberus_prose::times;
use memchr::{memchr, memrchr};
use pulldown_cmark::{Event, HeadingLevel, Tag};

use super::MAX_BYTES;

/// Maximum number of blocks before a claim that may contain it.
const MAX_DEPTH: usize = 64;

/// Maximum length of a line, of the first row of a table, and of another row before a claim.
const MAX_ROW: usize = 2000;

/// Number of headings of versions and days, of one level, that make a document a changelog.
const MIN_DATED: usize = 3;

/// A list, and the words before it.
#[derive(Debug, Clone, Copy)]
struct List {
    span: Span,
    /// How the words before it present its items, if there are any.
    lead: Option<Stance>,
    words: Words,
}

/// What is below a heading.
#[derive(Debug, Clone, Copy)]
struct Section {
    start: usize,
    /// How the headings around it present it.
    stance: Stance,
    /// How its own heading presents the items of its lists.
    of_items: Stance,
    /// The language of its own heading.
    language: Language,
    /// Whether its heading, or one around it, is about the past.
    is_past: bool,
}

/// A heading around the last event.
#[derive(Debug, Clone, Copy)]
struct OpenHeading {
    level: HeadingLevel,
    /// How it presents what is below it.
    stance: Stance,
    is_past: bool,
}

#[derive(Debug, Default)]
pub(super) struct Context<'a> {
    text: &'a str,
    /// The blocks with text, outer before inner ones.
    blocks: Vec<Span>,
    /// The pieces of code and the links, in order.
    names: Vec<Span>,
    /// The tables with their first rows.
    tables: Vec<(Span, Span)>,
    /// The lists, outer before inner ones.
    lists: Vec<List>,
    /// The headings around the last event.
    open_headings: Vec<OpenHeading>,
    /// For each level of headings their number, and that of versions and days.
    n_headings: BTreeMap<HeadingLevel, (usize, usize)>,
    /// The sections in order.
    sections: Vec<Section>,
    /// The words of the whole document.
    words: Words,
    /// The first heading of the first level.
    pub(super) title: Option<Span>,
}

impl<'a> Context<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            ..Self::default()
        }
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
                let lead = self.lead_of(span.start);
                let paragraph = self.paragraph_before(span.start).unwrap_or_default();
                let words = Words::of(&without_code(paragraph));
                self.lists.push(List { span, lead, words });
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
        self.open_headings.retain(|outer| outer.level < level);
        let title = span
            .slice(self.text)
            .trim_matches(|c: char| c == '#' || c.is_whitespace());
        let (n_all, n_dated) = self.n_headings.entry(level).or_default();
        *n_all += 1;
        *n_dated += usize::from(times::is_dated(title));
        // The title of a document is its name.
        let is_title = self.title == Some(span);
        let mut stance = stance::of_title(title);
        let mut is_past = !is_title && times::is_past(title);
        if let Some(outer) = self.open_headings.last() {
            stance = stance.max(outer.stance);
            is_past |= outer.is_past;
        }
        self.open_headings.push(OpenHeading {
            level,
            stance,
            is_past,
        });
        let words = Words::of(title);
        let language = if is_title {
            Language::Unclear
        } else {
            words.language()
        };
        let of_items = stance::of_title_of_list(title);
        self.sections.push(Section {
            start: span.start,
            stance,
            of_items,
            language,
            is_past,
        });
    }

    /// Reads the language of the whole document, whose blocks are known.
    pub(super) fn finish(&mut self) {
        let mut words = Words::default();
        let mut end = 0;
        for block in &self.blocks {
            // The title is a name. The blocks of a list are in others.
            let is_title = self.title.is_some_and(|title| title.start == block.start);
            if block.start >= end && !is_title {
                words = words.and(Words::of(&self.without_names(*block)));
            }
            end = end.max(block.end);
        }
        self.words = words;
    }

    /// Returns a part of the text without code and links.
    fn without_names(&self, part: Span) -> String {
        let first = self.names.partition_point(|name| name.end <= part.start);
        let mut found = String::new();
        let mut at = part.start;
        for name in self.names[first..]
            .iter()
            .take_while(|name| name.start < part.end)
        {
            if name.start >= at {
                found.push_str(&self.text[at..name.start]);
                found.push(' ');
                at = name.end.min(part.end);
            }
        }
        found.push_str(&self.text[at..part.end]);
        found
    }

    /// Returns how the words before a list or a block of code present it.
    pub(super) fn lead(&self, start: usize) -> Stance {
        self.lead_of(start).unwrap_or_default()
    }

    /// Returns how the paragraph right above a list or a block of code presents it, or `None` if there are no
    /// words that do.
    fn lead_of(&self, start: usize) -> Option<Stance> {
        if let Some(title) = html_text(last_line(&self.text[..start])) {
            return Some(stance::of_lead(title).max(of_language(title)));
        }
        let paragraph = self.paragraph_before(start)?;
        let of_language = of_language(paragraph);
        let plain = paragraph.trim_end_matches(['*', '_']);
        let mut sentences = sentences(plain);
        let last = sentences.pop()?;
        let is_open = plain.ends_with([':', '：']) || is_bold(paragraph);
        if !is_open && !stance::is_about_following(&last) {
            return (of_language != Stance::Plain).then_some(of_language);
        }
        let mut found = stance::of_lead(&last);
        // "We do not use the old API. This includes:"
        if let Some(outer) = sentences
            .last()
            .filter(|_| is_open && stance::continues(&last))
        {
            found = found.max(stance::of_lead(outer));
        }
        Some(found.max(of_language))
    }

    /// Returns the paragraph right above a list or a block of code.
    fn paragraph_before(&self, start: usize) -> Option<&'a str> {
        let before = self.text[..start].trim_end();
        let from = before.len().saturating_sub(MAX_BYTES);
        let from = (from..=before.len()).find(|at| before.is_char_boundary(*at))?;
        last_paragraph(&before[from..])
    }

    /// Returns how the headings around a place present it.
    pub(super) fn section(&self, at: usize) -> Stance {
        self.section_of(at)
            .map_or(Stance::Plain, |section| section.stance)
    }

    fn section_of(&self, at: usize) -> Option<&Section> {
        let n_before = self.sections.partition_point(|it| it.start <= at);
        n_before.checked_sub(1).map(|idx| &self.sections[idx])
    }

    /// Returns whether it is known what the sentence around a claim says: not in another language. If it has
    /// too few words, its heading and the document decide.
    fn language(&self, block: Span, span: Span) -> Stance {
        let from = block.start.max(span.start.saturating_sub(MAX_BYTES));
        let to = block.end.min(span.end + MAX_BYTES);
        let is_boundary = |at: &usize| self.text.is_char_boundary(*at);
        let from = (from..=span.start).find(is_boundary).unwrap_or(span.start);
        let to = (span.end..=to).rev().find(is_boundary).unwrap_or(span.end);
        let before = &self.text[from..span.start];
        let start = last_end(before).map_or(from, |end| from + end);
        let end = first_end(&self.text[span.end..to]).map_or(to, |end| span.end + end);
        let words = Words::of(&self.without_names(Span::new(start, end)));
        let heading = || self.section_of(span.start).map(|section| section.language);
        let around = self
            .lists_around(span)
            .fold(words, |all, list| all.and(list.words));
        match words.language() {
            Language::Other => Stance::Unclear,
            Language::English => Stance::Plain,
            Language::Unclear if self.words.is_other_around(around) => Stance::Unclear,
            Language::Unclear if heading() == Some(Language::Other) => Stance::Unclear,
            Language::Unclear => Stance::Plain,
        }
    }

    /// Returns the starts of the sections, and whether their headings are about the past.
    pub(super) fn past_sections(&self) -> Vec<(usize, bool)> {
        let sections = self.sections.iter();
        sections
            .map(|section| (section.start, section.is_past))
            .collect()
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
        let Some(block) = self.block(span) else {
            return Stance::Plain;
        };
        let own = stance::of(self.text, block, &self.names, span);
        let stances = [
            own,
            self.list(span),
            self.column(block, span),
            self.record(span),
            self.language(block, span),
        ];
        stances.into_iter().max().unwrap_or_default()
    }

    /// Returns how the words before the lists around a claim present it, or else the heading of the section.
    fn list(&self, span: Span) -> Stance {
        let mut is_item = false;
        let mut lead: Option<Stance> = None;
        for list in self.lists_around(span) {
            is_item = true;
            lead = lead.max(list.lead);
        }
        let of_heading = self.section_of(span.start).map(|section| section.of_items);
        lead.or(of_heading.filter(|_| is_item)).unwrap_or_default()
    }

    /// Returns the lists that contain a claim.
    fn lists_around(&self, span: Span) -> impl Iterator<Item = &List> {
        let before = self.lists.partition_point(|it| it.span.start <= span.start);
        let lists = self.lists[..before].iter().rev().take(MAX_DEPTH);
        lists.filter(move |list| list.span.end >= span.end)
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
        let (Some(start), Some(end)) = (start, end) else {
            return Stance::Plain;
        };
        let line = self.text[start..end].trim_start();
        let is_item = ["- ", "* ", "+ ", "|"]
            .iter()
            .any(|marker| line.starts_with(marker));
        let is_record = is_item && line.len() <= MAX_ROW && times::has_day(line);
        if is_record {
            Stance::Absent
        } else {
            Stance::Plain
        }
    }

    /// Returns the prohibition of a piece of code, without its text, if the sentence around it forbids it.
    pub(super) fn ban(&self, span: Span) -> Option<Ban> {
        stance::bans::ban(self.text, self.block(span)?, &self.names, span)
    }

    /// Returns how the title of a column presents what is in its cells.
    fn column(&self, row: Span, span: Span) -> Stance {
        let n_before = self
            .tables
            .partition_point(|(table, _)| table.start <= row.start);
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

/// Returns whether the words of a text are known.
pub(super) fn of_language(text: &str) -> Stance {
    let is_other = Words::of(&without_code(text)).language() == Language::Other;
    if is_other {
        Stance::Unclear
    } else {
        Stance::Plain
    }
}

/// Returns a text without what is between back-ticks.
fn without_code(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

/// Returns whether all of a paragraph is bold.
fn is_bold(paragraph: &str) -> bool {
    let inner = paragraph.trim().strip_prefix("**");
    let inner = inner.and_then(|inner| inner.strip_suffix("**"));
    inner.is_some_and(|inner| !inner.contains("**"))
}

/// Returns the last line of a text that is not empty, if it is not too long.
fn last_line(text: &str) -> &str {
    let text = text.trim_end();
    let from = text.len().saturating_sub(MAX_ROW);
    let newline = memrchr(b'\n', &text.as_bytes()[from..]);
    newline.map_or("", |at| &text[from + at + 1..])
}

/// Returns the first text in the tags of a line, such as the title of `<details>`.
fn html_text(line: &str) -> Option<&str> {
    let line = line.trim();
    let texts = line
        .strip_prefix('<')?
        .strip_suffix('>')?
        .split('>')
        .skip(1);
    let mut texts = texts.filter_map(|part| part.split('<').next());
    texts.find(|text| !text.trim().is_empty())
}

/// Returns the last paragraph or item of a text, if the text ends with one.
fn last_paragraph(text: &str) -> Option<&str> {
    let mut start = text.len();
    for line in text.split_inclusive('\n').rev() {
        let trimmed = line.trim_start_matches([' ', '\t', '>']).trim_end();
        if trimmed.is_empty() || trimmed.starts_with(['#', '|', '<']) || trimmed.starts_with("```")
        {
            break;
        }
        start -= line.len();
        let number = trimmed.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_numbered = number.len() < trimmed.len() && number.starts_with(['.', ')']);
        if is_numbered
            || ["- ", "* ", "+ "]
                .iter()
                .any(|marker| trimmed.starts_with(marker))
        {
            break;
        }
    }
    (start < text.len()).then(|| &text[start..])
}

/// Returns the sentences of a paragraph, each on one line.
fn sentences(paragraph: &str) -> Vec<String> {
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    let mut rest = words.join(" ");
    let mut found = Vec::new();
    while let Some(end) = first_end(&rest).filter(|end| *end < rest.len()) {
        let next = rest.split_off(end);
        found.push(std::mem::replace(&mut rest, next));
    }
    found.push(rest);
    found
}

/// The ends of sentences.
const ENDS: [&str; 8] = [". ", "! ", "? ", ".\n", "。", "！", "？", "\n\n"];

/// Returns the end of the first sentence of a text.
fn first_end(text: &str) -> Option<usize> {
    let ends = ENDS
        .iter()
        .filter_map(|end| text.find(end).map(|at| at + end.len()));
    ends.min()
}

/// Returns the end of the last sentence that ends in a text.
fn last_end(text: &str) -> Option<usize> {
    let ends = ENDS
        .iter()
        .filter_map(|end| text.rfind(end).map(|at| at + end.len()));
    ends.max()
}
