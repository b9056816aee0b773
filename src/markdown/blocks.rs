//! The blocks of markdown, as far as telling prose from code needs them.
//!
//! Follows CommonMark for block quotes, list items, fenced and indented code,
//! headings and comments. Indented code is four columns or more inside its
//! container, never as the continuation of a paragraph. A fence that is not
//! closed ends with its container, at the top level with the text.
//!
//! Not known: HTML blocks other than comments, tables, link definitions.

use super::inline::Places;
use crate::text::Span;

/// Containers nested deeper than this are read as text, which bounds the work a line can cost.
const MAX_DEPTH: usize = 64;

/// What of a text is not code.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    /// Stretches of prose, each within one block: inline code never crosses their ends.
    pub(crate) prose: Vec<Span>,
    /// The headings outside quotes and lists.
    pub(crate) headings: Vec<Heading>,
}

#[derive(Debug)]
pub(crate) struct Heading {
    /// 1 to 6.
    pub(crate) level: usize,
    /// Its first byte, at the start of a line.
    pub(crate) start: usize,
    /// The title, without the marks that make it one.
    pub(crate) title: Span,
}

/// Returns the prose and headings of `text` from byte `start`, which begins a line.
pub(crate) fn blocks(text: &str, start: usize) -> Blocks {
    let mut scanner = Scanner {
        bytes: text.as_bytes(),
        containers: Vec::new(),
        leaf: Leaf::Nothing,
        comment_ends: Places::new(text.as_bytes(), b"-->"),
        blocks: Blocks::default(),
    };
    let mut line_start = start;
    while line_start < text.len() {
        let newline = memchr::memchr(b'\n', &scanner.bytes[line_start..]);
        let line_end = newline.map_or(text.len(), |at| line_start + at);
        scanner.line(line_start, line_end);
        line_start = line_end + 1;
    }
    scanner.blocks
}

enum Container {
    Quote,
    /// A list item whose content is indented by `width` columns.
    Item {
        width: usize,
        /// Nothing stands behind its mark: a blank line would end it.
        is_empty: bool,
    },
}

/// The block that the next line may continue.
enum Leaf {
    Nothing,
    Paragraph {
        line_start: usize,
        /// Whether an underline makes it a heading.
        may_be_heading: bool,
    },
    Fence {
        mark: u8,
        len: usize,
    },
    /// A comment at the start of a line; its `-->` ends at `end`.
    Comment {
        end: usize,
    },
}

struct Scanner<'a> {
    bytes: &'a [u8],
    containers: Vec<Container>,
    leaf: Leaf,
    comment_ends: Places<'a>,
    blocks: Blocks,
}

impl Scanner<'_> {
    fn line(&mut self, start: usize, end: usize) {
        let mut cursor = Cursor::new(self.bytes, start, end);
        let mut n_matched = self.continue_containers(&mut cursor);
        if n_matched == self.containers.len() {
            if self.continue_leaf(cursor) {
                return;
            }
        } else if !matches!(self.leaf, Leaf::Paragraph { .. }) {
            self.leaf = Leaf::Nothing;
        }
        self.open_containers(&mut cursor, &mut n_matched);
        self.open_leaf(start, cursor, n_matched);
    }

    /// Passes the marks of the open containers; returns how many go on.
    fn continue_containers(&mut self, cursor: &mut Cursor) -> usize {
        for (depth, container) in self.containers.iter_mut().enumerate() {
            let goes_on = match container {
                Container::Quote => cursor.eat_quote_mark(),
                Container::Item { is_empty, .. } if cursor.is_blank() => !*is_empty,
                Container::Item { width, is_empty } => {
                    let inside = cursor.indent(*width) == *width;
                    if inside {
                        cursor.skip_columns(*width);
                        *is_empty = false;
                    }
                    inside
                }
            };
            if !goes_on {
                return depth;
            }
        }
        self.containers.len()
    }

    /// Returns whether the line belongs to the fence or comment that is open.
    fn continue_leaf(&mut self, mut cursor: Cursor) -> bool {
        match self.leaf {
            Leaf::Fence { mark, len } => {
                let indent = cursor.indent(4);
                cursor.skip_columns(indent);
                let rest = cursor.rest();
                if indent < 4 && rest.len() >= len && rest.iter().all(|&byte| byte == mark) {
                    self.leaf = Leaf::Nothing;
                }
                true
            }
            Leaf::Comment { end } => {
                self.extend_prose(cursor.end);
                self.end_comment(end, cursor);
                true
            }
            Leaf::Nothing | Leaf::Paragraph { .. } => false,
        }
    }

    fn open_containers(&mut self, cursor: &mut Cursor, n_matched: &mut usize) {
        while *n_matched < MAX_DEPTH {
            let mut ahead = *cursor;
            let container = if ahead.eat_quote_mark() {
                Container::Quote
            } else {
                let in_paragraph = *n_matched == self.containers.len()
                    && matches!(self.leaf, Leaf::Paragraph { .. });
                match ahead.eat_list_mark(in_paragraph) {
                    Some(width) => Container::Item {
                        width,
                        is_empty: ahead.is_blank(),
                    },
                    None => break,
                }
            };
            self.containers.truncate(*n_matched);
            self.containers.push(container);
            self.leaf = Leaf::Nothing;
            *cursor = ahead;
            *n_matched += 1;
        }
    }

    fn open_leaf(&mut self, line_start: usize, mut cursor: Cursor, n_matched: usize) {
        let in_paragraph = matches!(self.leaf, Leaf::Paragraph { .. });
        let indent = cursor.indent(4);
        cursor.skip_columns(indent);
        let rest = cursor.rest();
        if in_paragraph
            && n_matched == self.containers.len()
            && indent < 4
            && let Some(level) = underline(rest)
            && self.end_underlined(level)
        {
            return;
        }
        let opens = if rest.is_empty() {
            Opens::Blank
        } else if indent == 4 {
            Opens::Text
        } else {
            self.opens(cursor)
        };
        if matches!(opens, Opens::Text) && in_paragraph {
            // Containers that the line does not continue stay open: it is lazy.
            self.extend_prose(cursor.end);
            return;
        }
        self.containers.truncate(n_matched);
        self.leaf = Leaf::Nothing;
        match opens {
            Opens::Blank | Opens::Break => {}
            Opens::Text if indent == 4 => {}
            Opens::Text => {
                self.blocks.prose.push(Span::new(cursor.at, cursor.end));
                self.leaf = Leaf::Paragraph {
                    line_start,
                    may_be_heading: true,
                };
            }
            Opens::Heading(level) => {
                self.blocks.prose.push(Span::new(cursor.at, cursor.end));
                let title = heading_title(self.bytes, cursor.at + level, cursor.end);
                self.push_heading(level, line_start, title);
            }
            Opens::Fence { mark, len } => self.leaf = Leaf::Fence { mark, len },
            Opens::Comment { end } => {
                self.blocks.prose.push(Span::new(cursor.at, cursor.end));
                self.end_comment(end, cursor);
            }
        }
    }

    /// Returns what the line opens at the cursor, which is on its first mark.
    fn opens(&mut self, cursor: Cursor) -> Opens {
        let rest = cursor.rest();
        let mark = rest[0];
        let len = rest.iter().take_while(|&&byte| byte == mark).count();
        let after = rest.get(len).copied();
        match mark {
            b'#' if len <= 6 && matches!(after, None | Some(b' ' | b'\t')) => Opens::Heading(len),
            b'`' if len >= 3 && memchr::memchr(b'`', &rest[len..]).is_none() => {
                Opens::Fence { mark, len }
            }
            b'~' if len >= 3 => Opens::Fence { mark, len },
            b'-' | b'*' | b'_' if is_thematic_break(rest) => Opens::Break,
            b'<' if rest.starts_with(b"<!--") => match self.comment_ends.next(cursor.at + 2) {
                // `<!-->` is a whole comment, so its end may share the dashes.
                Some(dashes) => Opens::Comment { end: dashes + 3 },
                None => Opens::Text,
            },
            _ => Opens::Text,
        }
    }

    /// Turns the open paragraph into a heading, unless it follows a comment on its line.
    fn end_underlined(&mut self, level: usize) -> bool {
        let (
            Leaf::Paragraph {
                line_start,
                may_be_heading: true,
            },
            Some(&title),
        ) = (&self.leaf, self.blocks.prose.last())
        else {
            return false;
        };
        self.push_heading(level, *line_start, title);
        self.leaf = Leaf::Nothing;
        true
    }

    fn push_heading(&mut self, level: usize, start: usize, title: Span) {
        if self.containers.is_empty() {
            self.blocks.headings.push(Heading {
                level,
                start,
                title,
            });
        }
    }

    fn extend_prose(&mut self, end: usize) {
        if let Some(last) = self.blocks.prose.last_mut() {
            last.end = last.end.max(end);
        }
    }

    /// Leaves the comment if it ends on this line; text behind it reads as a paragraph.
    fn end_comment(&mut self, end: usize, cursor: Cursor) {
        self.leaf = if end > cursor.end {
            Leaf::Comment { end }
        } else if end == cursor.end {
            Leaf::Nothing
        } else {
            Leaf::Paragraph {
                line_start: cursor.at,
                may_be_heading: false,
            }
        };
    }
}

enum Opens {
    Blank,
    Text,
    Break,
    Heading(usize),
    Fence { mark: u8, len: usize },
    Comment { end: usize },
}

/// A place in a line, with the column that tabs have brought it to.
#[derive(Clone, Copy)]
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    column: usize,
    /// Where the line ends but for white space.
    end: usize,
}

impl<'a> Cursor<'a> {
    fn new(bytes: &'a [u8], start: usize, end: usize) -> Self {
        let content = bytes[start..end].trim_ascii_end();
        Self {
            bytes,
            at: start,
            column: 0,
            end: start + content.len(),
        }
    }

    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..self.end]
    }

    fn is_blank(&self) -> bool {
        self.at == self.end
    }

    /// Returns the columns of white space ahead, counted up to `most`.
    fn indent(mut self, most: usize) -> usize {
        let start = self.column;
        self.skip_columns(most);
        self.column - start
    }

    /// Passes white space up to `n` columns; a tab may be passed in part.
    fn skip_columns(&mut self, n: usize) {
        let goal = self.column + n;
        while self.column < goal && self.at < self.end {
            let next = match self.bytes[self.at] {
                b' ' => self.column + 1,
                b'\t' => self.column + 4 - self.column % 4,
                _ => return,
            };
            if next > goal {
                self.column = goal;
                return;
            }
            self.column = next;
            self.at += 1;
        }
    }

    fn eat_quote_mark(&mut self) -> bool {
        let mut ahead = *self;
        let indent = ahead.indent(4);
        ahead.skip_columns(indent);
        if indent == 4 || ahead.rest().first() != Some(&b'>') {
            return false;
        }
        ahead.at += 1;
        ahead.column += 1;
        ahead.skip_columns(1);
        *self = ahead;
        true
    }

    /// Passes a list item's mark; returns the columns its content is indented by.
    fn eat_list_mark(&mut self, in_paragraph: bool) -> Option<usize> {
        let mut ahead = *self;
        let indent = ahead.indent(4);
        ahead.skip_columns(indent);
        let rest = ahead.rest();
        if indent == 4 || is_thematic_break(rest) {
            return None;
        }
        let (mark, is_first) = match rest.first()? {
            b'-' | b'+' | b'*' => (1, true),
            _ => {
                let n_digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let closed = matches!(rest.get(n_digits), Some(b'.' | b')'));
                if !(1..=9).contains(&n_digits) || !closed {
                    return None;
                }
                (n_digits + 1, &rest[..n_digits] == b"1")
            }
        };
        if !matches!(rest.get(mark), None | Some(b' ' | b'\t')) {
            return None;
        }
        if in_paragraph && !(is_first && rest.len() > mark) {
            return None;
        }
        ahead.at += mark;
        ahead.column += mark;
        // Five columns or more are one, and indented code.
        let gap = match ahead.indent(5) {
            0 | 5 => 1,
            gap => gap,
        };
        ahead.skip_columns(gap);
        *self = ahead;
        Some(indent + mark + gap)
    }
}

/// Returns the level of the heading that a line of only `=` or `-` makes of the paragraph above.
fn underline(rest: &[u8]) -> Option<usize> {
    let mark = *rest.first()?;
    let level = match mark {
        b'=' => 1,
        b'-' => 2,
        _ => return None,
    };
    rest.iter().all(|&byte| byte == mark).then_some(level)
}

fn is_thematic_break(rest: &[u8]) -> bool {
    let Some(&mark @ (b'-' | b'*' | b'_')) = rest.first() else {
        return false;
    };
    let mut n_marks = 0;
    for &byte in rest {
        if byte == mark {
            n_marks += 1;
        } else if !matches!(byte, b' ' | b'\t') {
            return false;
        }
    }
    n_marks >= 3
}

/// Returns the title between the leading marks and the closing ones, which need a space before them.
fn heading_title(bytes: &[u8], start: usize, end: usize) -> Span {
    let raw = &bytes[start..end];
    let start = start + (raw.len() - raw.trim_ascii_start().len());
    let title = raw.trim_ascii_start();
    let n_closing = title.iter().rev().take_while(|&&byte| byte == b'#').count();
    let unmarked = &title[..title.len() - n_closing];
    let title = match unmarked.last() {
        None => unmarked,
        Some(b' ' | b'\t') => unmarked.trim_ascii_end(),
        Some(_) => title,
    };
    Span::new(start, start + title.len())
}
