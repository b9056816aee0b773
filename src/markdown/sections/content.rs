//! The text of a section as it is given out.
//!
//! Cuts blank lines and tags and nothing else: code and line ends stay as they
//! are, byte for byte. Linear in the section and the tags within it.

use super::{Origin, Section, Sections};
use crate::text::Span;

/// Returns the text of a section without the blank lines at its ends and, unless
/// `raw`, without the tags in it.
pub(crate) fn content(text: &str, section: &Section, sections: &Sections, raw: bool) -> String {
    if raw {
        return extent(text, section).of(text).to_owned();
    }
    let inner = without_quote_marks(text, section);
    let stripped = without_tags(text, inner, &sections.tags);
    trim_blank_lines(&stripped, begins_line(text, inner.start)).of(&stripped).to_owned()
}

/// Returns where the text of a section stands, tags in it and all.
fn extent(text: &str, section: &Section) -> Span {
    let inner = without_quote_marks(text, section);
    let within = trim_blank_lines(inner.of(text), begins_line(text, inner.start));
    Span::new(inner.start + within.start, inner.start + within.end)
}

fn without_quote_marks(text: &str, section: &Section) -> Span {
    let mut inner = section.inner;
    if section.origin == Origin::Tag {
        inner.end -= quote_marks_at_end(inner.of(text));
    }
    inner
}

fn begins_line(text: &str, at: usize) -> bool {
    at == 0 || text[..at].ends_with('\n')
}

/// Returns the length of the quote marks that stand before a closing tag on its own line.
fn quote_marks_at_end(text: &str) -> usize {
    let marks = text.trim_end_matches(['>', ' ', '\t']);
    match marks.ends_with('\n') {
        true => text.len() - marks.len(),
        false => 0,
    }
}

/// Returns the part of `text` that `within` covers without the tags in it.
///
/// A line that held nothing else goes with its tags, unless only it kept the
/// lines around it apart: then it stays, empty.
fn without_tags(text: &str, within: Span, tags: &[Span]) -> String {
    let first = tags.partition_point(|tag| tag.start < within.start);
    let mut tags = tags[first..].iter().copied().take_while(|tag| tag.end <= within.end).peekable();
    let mut kept = String::with_capacity(within.end - within.start);
    let mut after_blank = true;
    let mut at = within.start;
    while let Some(mut gap) = tags.next() {
        while let Some(next) = tags.next_if(|next| is_blank(&text[gap.end..next.start])) {
            gap.end = next.end;
        }
        let before = &text[at..gap.start];
        let after = &text[gap.end..within.end];
        let (whole_lines, indent) = match before.rfind('\n') {
            Some(newline) => before.split_at(newline + 1),
            None => ("", before),
        };
        if let Some(lines) = whole_lines.strip_suffix('\n') {
            after_blank = match lines.rsplit_once('\n') {
                Some((_, last)) => is_blank(last),
                None => is_blank(lines) && (kept.is_empty() || kept.ends_with('\n')),
            };
        }
        let begins_line = !whole_lines.is_empty() || kept.ends_with('\n');
        let rest_of_line = blank_line(after).filter(|_| begins_line && is_blank(indent));
        at = gap.end;
        let Some(rest_of_line) = rest_of_line else {
            kept.push_str(before);
            continue;
        };
        kept.push_str(whole_lines);
        at += rest_of_line.len();
        let below = &text[at..within.end];
        match blank_line(below) {
            // Of the blank lines above and below the tags, one is enough.
            Some(blank) if after_blank => at += blank.len(),
            None if !after_blank && !below.is_empty() => {
                kept.push_str(rest_of_line.trim_start_matches([' ', '\t']));
                after_blank = true;
            }
            _ => {}
        }
    }
    kept.push_str(&text[at..within.end]);
    kept
}

/// Returns the first line of `text`, with its end, if it is blank.
fn blank_line(text: &str) -> Option<&str> {
    let blank = text.bytes().take_while(|byte| b" \t\r".contains(byte));
    let newline = blank.count();
    (text.as_bytes().get(newline) == Some(&b'\n')).then(|| &text[..=newline])
}

/// Returns whether a text within one line is blank; a text of several never is.
fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| b" \t\r".contains(&byte))
}

/// Returns what is left without the blank lines at both ends, and without the white
/// space between text and tags on one line.
pub(in crate::markdown) fn trim_blank_lines(text: &str, begins_line: bool) -> Span {
    let content_start = text.len() - text.trim_ascii_start().len();
    let start = match text[..content_start].rfind('\n') {
        Some(newline) => newline + 1,
        None if begins_line => 0,
        None => content_start,
    };
    let content_end = text.trim_ascii_end().len().max(start);
    let end = match text[content_end..].find('\n') {
        // White space at the end of a whole line is the author's.
        Some(newline) => {
            let line = &text[start..content_end + newline];
            start + line.strip_suffix('\r').unwrap_or(line).len()
        }
        None => content_end,
    };
    Span::new(start, end)
}
