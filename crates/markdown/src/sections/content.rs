//! The text of a section as it is displayed.
//!
//! Removes blank lines at the ends and tags; code and line endings stay byte for byte. Linear
//! in the section and its tags.

use cerberus_model::text::Span;

use super::{Origin, Section, Sections};

/// Returns the text of a section without the blank lines at its ends and, unless `raw`,
/// without the tags in it.
pub fn content(text: &str, section: &Section, sections: &Sections, raw: bool) -> String {
    let mut inner = section.inner;
    if section.origin == Origin::Tag {
        inner.end -= quote_markers_at_end(inner.slice(text));
    }
    if raw {
        return trimmed(text, inner).slice(text).to_owned();
    }
    let stripped = without_tags(text, inner, &sections.tags);
    trim_blank_lines(&stripped, starts_line(text, inner.start))
        .slice(&stripped)
        .to_owned()
}

/// Returns `within` without the blank lines at both ends.
pub fn trimmed(text: &str, within: Span) -> Span {
    let starts_line = starts_line(text, within.start);
    trim_blank_lines(within.slice(text), starts_line).shifted(within.start)
}

fn starts_line(text: &str, at: usize) -> bool {
    at == 0 || text[..at].ends_with('\n')
}

/// Returns the length of the quote markers before a closing tag on its own line.
fn quote_markers_at_end(text: &str) -> usize {
    let before = text.trim_end_matches(['>', ' ', '\t']);
    if before.ends_with('\n') {
        text.len() - before.len()
    } else {
        0
    }
}

/// Returns the part of `text` that `within` covers without the tags in it.
///
/// Lines that contained only a removed tag are deleted, unless they separated paragraphs.
fn without_tags(text: &str, within: Span, tags: &[Span]) -> String {
    let first = tags.partition_point(|tag| tag.start < within.start);
    let mut tags = tags[first..]
        .iter()
        .copied()
        .take_while(|tag| tag.end <= within.end)
        .peekable();
    let mut stripped = String::with_capacity(within.end - within.start);
    let mut after_blank = true;
    let mut at = within.start;
    while let Some(mut gap) = tags.next() {
        while let Some(next) = tags.next_if(|next| is_blank(&text[gap.end..next.start])) {
            gap.end = next.end;
        }
        let before = &text[at..gap.start];
        let after = &text[gap.end..within.end];
        let (whole_lines, indent) = before.split_at(before.rfind('\n').map_or(0, |at| at + 1));
        if let Some(lines) = whole_lines.strip_suffix('\n') {
            after_blank = match lines.rsplit_once('\n') {
                Some((_, last)) => is_blank(last),
                None => is_blank(lines) && (stripped.is_empty() || stripped.ends_with('\n')),
            };
        }
        let starts_line = !whole_lines.is_empty() || stripped.ends_with('\n');
        let rest_of_line = blank_line(after).filter(|_| starts_line && is_blank(indent));
        at = gap.end;
        let Some(rest_of_line) = rest_of_line else {
            stripped.push_str(before);
            continue;
        };
        stripped.push_str(whole_lines);
        at += rest_of_line.len();
        let below = &text[at..within.end];
        match blank_line(below) {
            // One of the blank lines above and below the tags is enough.
            Some(blank) if after_blank => at += blank.len(),
            None if !after_blank && !below.is_empty() => {
                stripped.push_str(rest_of_line.trim_start_matches([' ', '\t']));
                after_blank = true;
            }
            _ => {}
        }
    }
    stripped.push_str(&text[at..within.end]);
    stripped
}

/// Returns the first line of `text`, with its newline, if it is blank.
fn blank_line(text: &str) -> Option<&str> {
    let n_blank = text
        .bytes()
        .take_while(|byte| b" \t\r".contains(byte))
        .count();
    (text.as_bytes().get(n_blank) == Some(&b'\n')).then(|| &text[..=n_blank])
}

/// Returns whether a text is blank and within one line.
fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| b" \t\r".contains(&byte))
}

/// Returns `text` without the blank lines at both ends, and without the white space between a
/// tag and text on the same line.
pub fn trim_blank_lines(text: &str, starts_line: bool) -> Span {
    let content_start = text.len() - text.trim_ascii_start().len();
    let start = match text[..content_start].rfind('\n') {
        Some(newline) => newline + 1,
        None if starts_line => 0,
        None => content_start,
    };
    let content_end = text.trim_ascii_end().len().max(start);
    let end = match text[content_end..].find('\n') {
        // White space at the end of a complete line is part of the text.
        Some(newline) => {
            let line = &text[start..content_end + newline];
            start + line.strip_suffix('\r').unwrap_or(line).len()
        }
        None => content_end,
    };
    Span::new(start, end)
}
