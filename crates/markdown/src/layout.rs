//! The lists that an author means, where CommonMark reads the lines in another way.
//!
//! A list below "1. Never:" whose items are indented by two spaces is not below it in CommonMark, and
//! a line "Don't:" right below an item is a part of that item. Both would lose the text that forbids
//! the items. So spaces and line breaks are inserted before the text is parsed; positions are those
//! of the text without them.

use cerberus_model::text::Span;

/// The width of a tab.
const TAB: usize = 4;

/// The maximum number of spaces between the marker of an item and its text.
const MAX_GAP: usize = 4;

/// The maximum length of a label that a list follows.
const MAX_LABEL: usize = 80;

/// A text with spaces and line breaks inserted.
#[derive(Debug)]
pub struct Layout {
    /// The new text.
    pub text: String,
    insertions: Vec<Insertion>,
}

#[derive(Debug)]
struct Insertion {
    /// Where it ends in the new text.
    end: usize,
    /// The length of this and of all earlier ones.
    n_inserted: usize,
}

/// An item whose list is below it.
#[derive(Debug)]
struct Announcing {
    /// The column of its marker in the text as it is.
    marker: usize,
    /// The column of its text in the new text.
    content: usize,
    /// The number of spaces that the lines below it get, or `None` before the first one.
    shift: Option<usize>,
}

/// A line of a text.
#[derive(Debug, Clone, Copy)]
struct Line<'t> {
    text: &'t str,
    /// The length of the white space before its first character.
    indent_len: usize,
    /// The column of its first character.
    indent: usize,
}

/// The marker of an item.
#[derive(Debug, Clone, Copy)]
struct Marker<'t> {
    /// The number of columns from the marker to the text behind it.
    width: usize,
    text: &'t str,
}

/// Reads the lines of a text.
#[derive(Debug, Default)]
struct Reader<'t> {
    fence: Option<&'t str>,
    announcing: Vec<Announcing>,
    /// The column of the last marker, until an empty line.
    item: Option<usize>,
}

impl Layout {
    /// Returns the layout of a text.
    pub fn of(text: &str) -> Self {
        let mut layout = Self {
            text: String::with_capacity(text.len()),
            insertions: Vec::new(),
        };
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut reader = Reader::default();
        for (line_idx, text) in lines.iter().enumerate() {
            let line = Line::of(text);
            if line.bare().is_empty() {
                reader.item = None;
                layout.text.push_str(text);
                continue;
            }
            if reader.is_label(line, &lines[line_idx + 1..]) {
                layout.insert("\n");
            }
            let shift = reader.line(line);
            layout.text.push_str(&text[..line.indent_len]);
            layout.insert(&" ".repeat(shift));
            layout.text.push_str(&text[line.indent_len..]);
        }
        layout
    }

    fn insert(&mut self, inserted: &str) {
        if inserted.is_empty() {
            return;
        }
        self.text.push_str(inserted);
        let n_before = self.insertions.last().map_or(0, |last| last.n_inserted);
        self.insertions.push(Insertion {
            end: self.text.len(),
            n_inserted: n_before + inserted.len(),
        });
    }

    /// Returns the span in the text without the insertions.
    pub fn original(&self, span: Span) -> Span {
        Span::new(self.original_at(span.start), self.original_at(span.end))
    }

    fn original_at(&self, at: usize) -> usize {
        let n_before = self.insertions.partition_point(|it| it.end <= at);
        let n_inserted = match n_before.checked_sub(1) {
            Some(last) => self.insertions[last].n_inserted,
            None => 0,
        };
        let Some(next) = self.insertions.get(n_before) else {
            return at - n_inserted;
        };
        // A position inside of an insertion is that of the insertion.
        let start = next.end - (next.n_inserted - n_inserted);
        at.min(start) - n_inserted
    }
}

impl<'t> Line<'t> {
    fn of(text: &'t str) -> Self {
        let mut indent = 0;
        let mut indent_len = 0;
        for byte in text.bytes() {
            match byte {
                b' ' => indent += 1,
                b'\t' => indent += TAB - indent % TAB,
                _ => break,
            }
            indent_len += 1;
        }
        Self {
            text,
            indent_len,
            indent,
        }
    }

    fn bare(self) -> &'t str {
        self.text.trim()
    }

    /// Returns the mark that opens or closes a block of code.
    fn fence(self) -> Option<&'static str> {
        ["```", "~~~"]
            .into_iter()
            .find(|mark| self.bare().starts_with(mark))
    }

    /// Returns the marker of an item.
    fn marker(self) -> Option<Marker<'t>> {
        let bare = self.bare();
        let rest = bare.trim_start_matches(|c: char| c.is_ascii_digit());
        let n_digits = bare.len() - rest.len();
        let after = if n_digits == 0 {
            rest.strip_prefix(['-', '*', '+'])
        } else {
            rest.strip_prefix(['.', ')'])
        }?;
        let text = after.trim_start();
        let n_spaces = after.len() - text.len();
        let is_marker = n_spaces > 0 && !text.is_empty();
        is_marker.then_some(Marker {
            width: n_digits + 1 + n_spaces.min(MAX_GAP),
            text,
        })
    }
}

impl Marker<'_> {
    /// Returns whether a list is to follow its item.
    fn announces(self) -> bool {
        self.text.ends_with([':', '：']) || is_bold(self.text)
    }
}

impl<'t> Reader<'t> {
    /// Returns whether a line right below an item names the list in the next lines. The list of the
    /// item ends there.
    fn is_label(&mut self, line: Line<'t>, next: &[&str]) -> bool {
        let is_label = self.fence.is_none()
            && is_label(line.bare())
            && self
                .item
                .is_some_and(|column| starts_with_item(next, column));
        if is_label {
            self.item = None;
        }
        is_label
    }

    /// Reads a line. Returns the number of spaces with which it is below the item that it is meant to
    /// be below.
    fn line(&mut self, line: Line<'t>) -> usize {
        let is_code = self.fence.is_some();
        match (self.fence, line.fence()) {
            (None, Some(mark)) => self.fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => self.fence = None,
            _ => {}
        }
        let marker = line.marker().filter(|_| !is_code);
        let shift = if is_code {
            self.last_shift()
        } else {
            self.shift(line, marker.is_some())
        };
        if let Some(marker) = marker {
            self.item = Some(line.indent);
            if marker.announces() {
                self.announcing.push(Announcing {
                    marker: line.indent,
                    content: line.indent + shift + marker.width,
                    shift: None,
                });
            }
        }
        shift
    }

    fn last_shift(&self) -> usize {
        let mut shifts = self.announcing.iter().rev().filter_map(|it| it.shift);
        shifts.next().unwrap_or_default()
    }

    fn shift(&mut self, line: Line<'t>, is_item: bool) -> usize {
        while let Some(last) = self.announcing.last()
            && line.indent <= last.marker
        {
            self.announcing.pop();
        }
        let shift = self.last_shift();
        let Some(last) = self.announcing.last_mut() else {
            return 0;
        };
        if last.shift.is_some() || !is_item {
            return shift;
        }
        let missing = last.content.saturating_sub(line.indent + shift);
        last.shift = Some(shift + missing);
        shift + missing
    }
}

/// Returns whether a line consists of bold text.
fn is_bold(text: &str) -> bool {
    ["**", "__"].into_iter().any(|mark| {
        let inner = text.strip_prefix(mark).and_then(|it| it.strip_suffix(mark));
        inner.is_some_and(|inner| !inner.is_empty() && !inner.contains(mark))
    })
}

/// Returns whether a line names a list. A line that continues a sentence begins with a small letter.
fn is_label(bare: &str) -> bool {
    let is_mark = |c: char| !c.is_ascii() && !c.is_alphanumeric();
    let is_named = bare.ends_with([':', '：']) || is_bold(bare) || bare.starts_with(is_mark);
    let line = Line::of(bare);
    let is_other =
        line.marker().is_some() || line.fence().is_some() || bare.starts_with(['#', '>', '|', '<']);
    let first = bare.chars().find(|c| c.is_alphanumeric());
    let is_continued = first.is_some_and(char::is_lowercase);
    is_named && !is_other && !is_continued && bare.len() <= MAX_LABEL
}

/// Returns whether lines start with an item whose marker is not further right than a column.
fn starts_with_item(lines: &[&str], column: usize) -> bool {
    let lines = lines.iter().map(|text| Line::of(text));
    let next = lines.into_iter().find(|line| !line.bare().is_empty());
    next.is_some_and(|next| next.marker().is_some() && next.indent <= column)
}
