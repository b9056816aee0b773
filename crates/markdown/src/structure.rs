//! The headings, comments and code of a markdown text.
//!
//! pulldown-cmark reads CommonMark; headings and comments inside code of any kind are text. Two
//! exceptions to CommonMark tolerate common mistakes around tags: a comment ends at the next
//! `<!--` at the latest, and inline code and escapes are recognised on the line of a comment that
//! starts a block.

use std::borrow::Cow;

use cerberus_model::Span;
use memchr::memmem::Finder;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::frontmatter;

/// The maximum nesting of containers on one line; markers of deeper ones are read as text.
/// The library takes time proportional to the depth times the continuation lines.
const MAX_DEPTH: usize = 64;

/// The comments, code and headings of a document.
#[derive(Debug, Default)]
pub struct Structure {
    pub(crate) comments: Vec<Comment>,
    /// Fenced, indented and inline code, including its delimiters.
    pub(crate) code: Vec<Span>,
    /// The headings outside quotes and lists.
    pub headings: Vec<Heading>,
}

#[derive(Debug)]
pub(crate) struct Comment {
    /// Includes the delimiters.
    pub(crate) span: Span,
    /// Whether it has a `-->`.
    pub(crate) is_closed: bool,
}

/// A heading with its place.
#[derive(Debug)]
pub struct Heading {
    /// 1 to 6.
    pub level: usize,
    /// The start of its line.
    pub start: usize,
    /// The start of the next line, or the end of the text.
    pub(crate) end: usize,
    /// The title without markup.
    pub title: String,
}

/// Returns the structure of a file below its frontmatter.
pub fn parse_body(text: &str) -> Structure {
    parse(text, Span::new(frontmatter::body_start(text), text.len()))
}

/// Returns the structure of `within`, a part of `text` that starts a line.
pub(crate) fn parse(text: &str, within: Span) -> Structure {
    let mut reader = Reader {
        text: &normalize(text),
        opening: Finder::new("<!--"),
        closing: Finder::new("-->"),
        found: Structure::default(),
    };
    reader.read(within);
    reader.found
}

/// Returns a text for the library, with the same length and the same positions.
///
/// A lone `\r` is replaced by `\n`: both end a line in CommonMark, but the library ends an HTML
/// block at `\n` only, and then reads other blocks in it. Quote and list markers beyond the maximum
/// depth are replaced by letters.
pub fn normalize(text: &str) -> Cow<'_, str> {
    let mut normalized = Cow::Borrowed(text);
    let mut line_start = 0;
    let is_item_marker = |byte| b"-+*.)".contains(&byte);
    for newline in memchr::memchr2_iter(b'\n', b'\r', text.as_bytes()).chain([text.len()]) {
        let (mut n_markers, mut last) = (0, b'\n');
        for (column, byte) in text[line_start..newline].bytes().enumerate() {
            match byte {
                b'>' if n_markers < MAX_DEPTH => n_markers += 1,
                // A line of dashes is not a nested list, whose dashes are followed by spaces.
                b' ' | b'\t' => n_markers += usize::from(is_item_marker(last)),
                b'0'..=b'9' => {}
                _ if n_markers < MAX_DEPTH && is_item_marker(byte) => {}
                _ => {
                    if n_markers >= MAX_DEPTH && (byte == b'>' || is_item_marker(byte)) {
                        let at = line_start + column;
                        normalized.to_mut().replace_range(at..=at, "x");
                    }
                    break;
                }
            }
            last = byte;
        }
        line_start = newline + 1;
        if text[newline..].starts_with('\r') && !text[line_start..].starts_with('\n') {
            normalized.to_mut().replace_range(newline..=newline, "\n");
        }
    }
    normalized
}

struct Reader<'a> {
    text: &'a str,
    opening: Finder<'static>,
    closing: Finder<'static>,
    found: Structure,
}

impl Reader<'_> {
    fn read(&mut self, within: Span) {
        let mut depth = 0_usize;
        let (mut in_heading, mut in_code) = (false, false);
        for (event, range) in Parser::new(within.slice(self.text)).into_offset_iter() {
            let span = Span::new(range.start, range.end).shifted(within.start);
            match event {
                Event::Start(tag) => {
                    match tag {
                        Tag::Heading { level, .. } if depth == 0 => {
                            in_heading = true;
                            self.found.headings.push(Heading {
                                level: level as usize,
                                start: self.text[..span.start].trim_end_matches(' ').len(),
                                end: self.line_end(span.end),
                                title: String::new(),
                            });
                        }
                        Tag::CodeBlock(_) => {
                            in_code = true;
                            self.found.code.push(span);
                        }
                        Tag::HtmlBlock => self.html_block(span),
                        _ => {}
                    }
                    depth += 1;
                }
                Event::End(tag) => {
                    match tag {
                        TagEnd::Heading(_) => in_heading = false,
                        TagEnd::CodeBlock => in_code = false,
                        _ => {}
                    }
                    depth -= 1;
                }
                Event::InlineHtml(html) if html.starts_with("<!--") => self.comments(span),
                Event::Text(text) if !in_code => {
                    // An unclosed comment; it may be a malformed tag.
                    if text.starts_with("!--") && self.text[..span.start].ends_with('<') {
                        self.comment(span.start - 1, span.end, false);
                    }
                    self.title(in_heading, &text);
                }
                Event::Code(text) => {
                    self.found.code.push(span);
                    self.title(in_heading, &text);
                }
                Event::SoftBreak | Event::HardBreak => self.title(in_heading, " "),
                _ => {}
            }
        }
    }

    /// Returns the end of the line that contains the byte before `at`; a lone `\r` ends a line.
    fn line_end(&self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let from = at - usize::from(self.text[..at].ends_with(['\n', '\r']));
        let Some(newline) = memchr::memchr2(b'\n', b'\r', &bytes[from..]) else {
            return bytes.len();
        };
        let newline = from + newline;
        newline
            + if bytes[newline..].starts_with(b"\r\n") {
                2
            } else {
                1
            }
    }

    fn title(&mut self, in_heading: bool, text: &str) {
        if let Some(heading) = self.found.headings.last_mut().filter(|_| in_heading) {
            heading.title += text;
        }
    }

    fn comment(&mut self, start: usize, end: usize, is_closed: bool) {
        self.found.comments.push(Comment {
            span: Span::new(start, end),
            is_closed,
        });
    }

    /// Finds the comments of an HTML block; a block that starts with a comment ends with the
    /// comment's line.
    fn html_block(&mut self, block: Span) {
        let html = block.slice(self.text).as_bytes();
        let starts_with_comment = html.starts_with(b"<!--");
        // `<!-->` is a complete comment, so its delimiters may share the dashes.
        let end = self.closing.find(html).filter(|_| starts_with_comment);
        let after = end.map_or(block.end, |dashes| block.start + dashes + 3);
        let rest = &html[after - block.start..];
        // Fast path: most blocks are one comment on one line.
        if end.is_some_and(|dashes| dashes > 3 && !html[4..dashes].contains(&b'<'))
            && rest.iter().all(|byte| b"\r\n".contains(byte))
        {
            return self.comment(block.start, after, true);
        }
        self.comments(Span::new(block.start, after));
        if memchr::memchr2(b'`', b'\\', rest).is_some() {
            // With the last two bytes of the comment, `->`, in front, the rest is a paragraph.
            self.read(Span::new(after - 2, block.end));
        } else {
            self.comments(Span::new(after, block.end));
        }
    }

    /// Finds the comments of a piece of HTML; a comment ends at the next one at the latest.
    fn comments(&mut self, html: Span) {
        let bytes = html.slice(self.text).as_bytes();
        let mut starts = self.opening.find_iter(bytes).peekable();
        while let Some(start) = starts.next() {
            let limit = starts.peek().copied().unwrap_or(bytes.len());
            let dashes = self.closing.find(&bytes[start + 2..limit]);
            let end = dashes.map_or(limit, |at| start + 2 + at + 3);
            let span = Span::new(start, end).shifted(html.start);
            self.found.comments.push(Comment {
                span,
                is_closed: dashes.is_some(),
            });
        }
    }
}
