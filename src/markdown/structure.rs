//! The structure of markdown: where its headings, comments and code are.
//!
//! CommonMark is read by pulldown-cmark, so code, however it is marked, holds
//! neither. Two things are read more kindly than CommonMark has it, since both
//! are common slips around tags: a comment ends at the next `<!--` at the latest,
//! and inline code and escapes count on the line of a comment that begins a block.

use std::borrow::Cow;

use memchr::memmem::Finder;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use crate::text::Span;

/// Containers nested deeper on one line are read as text: the library's time
/// goes with the depth times the lines that continue a paragraph in it.
const MAX_DEPTH: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct Structure {
    pub(crate) comments: Vec<Comment>,
    /// Fenced, indented and inline code, with its marks.
    pub(crate) code: Vec<Span>,
    /// The headings outside quotes and lists.
    pub(crate) headings: Vec<Heading>,
}

#[derive(Debug)]
pub(crate) struct Comment {
    /// With its marks.
    pub(crate) span: Span,
    /// Whether it has a `-->`.
    pub(crate) ended: bool,
    /// Whether it stands in a quote, a list or a table.
    pub(crate) contained: bool,
}

#[derive(Debug)]
pub(crate) struct Heading {
    /// 1 to 6.
    pub(crate) level: usize,
    /// The start of its line.
    pub(crate) start: usize,
    /// Where the line below it starts, or the text ends.
    pub(crate) end: usize,
    /// The title as it is shown.
    pub(crate) title: String,
}

/// Returns the structure of what `within`, which begins a line, covers of `text`.
pub(crate) fn structure(text: &str, within: Span) -> Structure {
    let mut reader = Reader {
        text: &shallow(text),
        opening: Finder::new("<!--"),
        closing: Finder::new("-->"),
        n_containers: 0,
        found: Structure::default(),
    };
    reader.read(within);
    reader.found
}

/// Returns `text` with letters for the marks of quotes and items beyond the deepest.
pub(super) fn shallow(text: &str) -> Cow<'_, str> {
    let mut shallow = Cow::Borrowed(text);
    let mut line_start = 0;
    for newline in memchr::memchr2_iter(b'\n', b'\r', text.as_bytes()).chain([text.len()]) {
        let (mut n_marks, mut last) = (0, b'\n');
        for (at, byte) in text[line_start..newline].bytes().enumerate() {
            let is_item_mark = |byte| b"-+*.)".contains(&byte);
            match byte {
                b'>' if n_marks < MAX_DEPTH => n_marks += 1,
                // A line of dashes is no nested list: there white space follows each.
                b' ' | b'\t' => n_marks += usize::from(is_item_mark(last)),
                b'0'..=b'9' => {}
                _ if n_marks < MAX_DEPTH && is_item_mark(byte) => {}
                _ => {
                    if n_marks >= MAX_DEPTH && (byte == b'>' || is_item_mark(byte)) {
                        let at = line_start + at;
                        shallow.to_mut().replace_range(at..=at, "x");
                    }
                    break;
                }
            }
            last = byte;
        }
        line_start = newline + 1;
    }
    shallow
}

struct Reader<'a> {
    text: &'a str,
    opening: Finder<'static>,
    closing: Finder<'static>,
    /// The quotes, lists and tables around what is read.
    n_containers: usize,
    found: Structure,
}

impl Reader<'_> {
    fn read(&mut self, within: Span) {
        let mut depth = 0_usize;
        let (mut in_heading, mut in_code) = (false, false);
        for (event, range) in Parser::new(within.of(self.text)).into_offset_iter() {
            let span = Span::new(within.start + range.start, within.start + range.end);
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
                        Tag::BlockQuote(_) | Tag::List(_) | Tag::Table(_) => self.n_containers += 1,
                        _ => {}
                    }
                    depth += 1;
                }
                Event::End(tag) => {
                    match tag {
                        TagEnd::Heading(_) => in_heading = false,
                        TagEnd::CodeBlock => in_code = false,
                        TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Table => {
                            self.n_containers -= 1;
                        }
                        _ => {}
                    }
                    depth -= 1;
                }
                Event::InlineHtml(html) if html.starts_with("<!--") => self.comments(span),
                Event::Text(words) if !in_code => {
                    // What begins as a comment here has no end, but may be meant as one.
                    if words.starts_with("!--") && self.text[..span.start].ends_with('<') {
                        self.found.comments.push(Comment {
                            span: Span::new(span.start - 1, span.end),
                            ended: false,
                            contained: self.n_containers > 0,
                        });
                    }
                    if in_heading {
                        self.title(&words);
                    }
                }
                Event::Code(words) => {
                    self.found.code.push(span);
                    if in_heading {
                        self.title(&words);
                    }
                }
                Event::SoftBreak | Event::HardBreak if in_heading => self.title(" "),
                _ => {}
            }
        }
    }

    /// Returns where the line ends that holds what stands before `at`; a line may end with
    /// `\r` alone.
    fn line_end(&self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let newline = match self.text[..at].ends_with(['\n', '\r']) {
            true => at - 1,
            false => match memchr::memchr2(b'\n', b'\r', &bytes[at..]) {
                Some(newline) => at + newline,
                None => return bytes.len(),
            },
        };
        let is_pair = bytes[newline] == b'\r' && bytes.get(newline + 1) == Some(&b'\n');
        newline + if is_pair { 2 } else { 1 }
    }

    fn title(&mut self, words: &str) {
        if let Some(heading) = self.found.headings.last_mut() {
            heading.title += words;
        }
    }

    /// Finds the comments of an HTML block; one that begins with a comment ends with its line.
    fn html_block(&mut self, block: Span) {
        let html = block.of(self.text).as_bytes();
        let begins = html.starts_with(b"<!--");
        // `<!-->` is a whole comment, so its end may share the dashes.
        let end = self.closing.find(html).filter(|_| begins);
        let after = end.map_or(block.end, |dashes| block.start + dashes + 3);
        // Nearly every block is one comment on one line.
        if end.is_some_and(|dashes| dashes > 3 && !html[4..dashes].contains(&b'<'))
            && html[after - block.start..].iter().all(|byte| b"\r\n".contains(byte))
        {
            self.found.comments.push(Comment {
                span: Span::new(block.start, after),
                ended: true,
                contained: self.n_containers > 0,
            });
            return;
        }
        self.comments(Span::new(block.start, after));
        let rest = &html[after - block.start..];
        if memchr::memchr2(b'`', b'\\', rest).is_some() {
            // With the last two bytes of the comment, `->`, before it the rest is a paragraph.
            self.read(Span::new(after - 2, block.end));
        } else {
            self.comments(Span::new(after, block.end));
        }
    }

    /// Finds the comments of HTML, in which each goes to the next one at most.
    fn comments(&mut self, html: Span) {
        let bytes = html.of(self.text).as_bytes();
        let mut starts = self.opening.find_iter(bytes).peekable();
        while let Some(start) = starts.next() {
            let limit = starts.peek().copied().unwrap_or(bytes.len());
            let dashes = self.closing.find(&bytes[start + 2..limit]);
            let end = dashes.map_or(limit, |at| start + 2 + at + 3);
            self.found.comments.push(Comment {
                span: Span::new(html.start + start, html.start + end),
                ended: dashes.is_some(),
                contained: self.n_containers > 0,
            });
        }
    }
}
