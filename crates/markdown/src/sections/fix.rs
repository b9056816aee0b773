//! Closing the sections that are never closed.
//!
//! A closing tag is inserted before the first of these: a heading of the same or a higher level
//! than the section's own, a tag that starts a section or ends the enclosing one, the end of
//! the text. Other bytes stay. If another fix is equally likely, the section is skipped with a
//! reason. The fixed text is parsed again, and insertions that create no section or change
//! another one are reverted. Repeating a fix has no further effect.

use rustc_hash::{FxHashMap, FxHashSet};

use super::tag::{self, Parsed};
use super::{Origin, Section, Sections, parse};
use crate::edit::newline_of;
use crate::structure::{self, Heading};
use cerberus_model::text::{LineIndex, Span};

/// A text with its sections closed; lists are ordered by position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fixed {
    pub text: String,
    pub closed: Vec<Closed>,
    pub skipped: Vec<Skipped>,
}

/// A section that was closed, with positions in the fixed text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closed {
    pub id: String,
    /// The start of its opening tag.
    pub start: usize,
    /// The inserted tag.
    pub closing: Span,
}

/// A section that is still open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The start of its opening tag in the fixed text.
    pub start: usize,
    pub reason: String,
}

/// A tag, or a comment that looks like a malformed one.
struct TagLike<'a> {
    span: Span,
    is_nested: bool,
    /// Whether it is a closing tag, and its id; `None` if it is malformed.
    tag: Option<(bool, &'a str)>,
}

/// The reason why a section is skipped. `{line}` in it means the line of a position in the original
/// text, `{id}` the id.
#[derive(Debug, Clone, Copy)]
pub struct Reason<'a> {
    template: &'static str,
    at: usize,
    id: &'a str,
}

impl Reason<'_> {
    const OPEN_CODE: Self = Self::new("the code block or comment at its end is not closed", 0);
    const OTHER_SECTIONS: Self = Self::new("closing it would change other sections", 0);

    const fn new(template: &'static str, at: usize) -> Self {
        Self { template, at, id: "" }
    }
}

/// The insertion that closes one section.
struct Insertion<'a> {
    id: &'a str,
    /// The start of its opening tag.
    opened: usize,
    at: usize,
    before: &'static str,
    after: &'static str,
}

impl Insertion<'_> {
    fn tag(&self) -> String {
        format!("<!-- /ANCHOR:{} -->", self.id)
    }
}

/// Closes the unclosed sections of a complete file.
pub fn fix(text: &str) -> Fixed {
    let sections = parse(text);
    let original = Original::new(text, &sections);
    let (mut insertions, mut skipped) = (Vec::new(), Vec::new());
    for &opened in &sections.unclosed {
        match original.insertion_for(opened) {
            Ok(insertion) => insertions.push(insertion),
            Err(reason) => skipped.push((opened.start, reason)),
        }
    }
    let mut attempt = Attempt::new(text, insertions);
    let failed = attempt.failed();
    if !failed.is_empty() {
        skipped.extend(failed.iter().map(|&opened| (opened, Reason::OPEN_CODE)));
        attempt.insertions.retain(|it| !failed.contains(&it.opened));
        attempt = Attempt::new(text, attempt.insertions);
    }
    if !attempt.failed().is_empty() || !attempt.preserves(&sections) {
        skipped.extend(attempt.insertions.iter().map(|it| (it.opened, Reason::OTHER_SECTIONS)));
        attempt = Attempt::new(text, Vec::new());
    }
    attempt.into_fixed(skipped)
}

/// The text before the fix.
struct Original<'a> {
    text: &'a str,
    headings: Vec<Heading>,
    tags: Vec<TagLike<'a>>,
    /// The number of tags for each lower-case id.
    n_tags_by_id: FxHashMap<String, usize>,
    /// The starts of the tags that end a section.
    closers: FxHashSet<usize>,
}

impl<'a> Original<'a> {
    fn new(text: &'a str, sections: &Sections) -> Self {
        let structure = structure::parse_body(text);
        let tags = structure.comments.iter().filter_map(|comment| {
            let tag = match tag::parse(comment.span.slice(text), comment.is_closed) {
                Parsed::Tag { is_closing, id } => Some((is_closing, id)),
                Parsed::Malformed { .. } => None,
                Parsed::Other => return None,
            };
            Some(TagLike { span: comment.span, is_nested: comment.is_nested, tag })
        });
        let tags: Vec<TagLike<'_>> = tags.collect();
        let mut n_tags_by_id = FxHashMap::default();
        for (_, id) in tags.iter().filter_map(|tag| tag.tag) {
            *n_tags_by_id.entry(id.to_lowercase()).or_default() += 1;
        }
        let closers = sections.tagged().map(|section| section.inner.end).collect();
        Self { text, headings: structure.headings, tags, n_tags_by_id, closers }
    }

    /// Returns the insertion that closes the section that `opened` starts.
    fn insertion_for(&self, opened: Span) -> Result<Insertion<'a>, Reason<'a>> {
        let tag_idx = self.tags.partition_point(|tag| tag.span.start < opened.start);
        let (own, next) = (&self.tags[tag_idx], self.tags.get(tag_idx + 1));
        let id = own.tag.map_or("", |(_, id)| id);
        if self.n_tags_by_id.get(&id.to_lowercase()).is_some_and(|&n| n > 1) {
            return Err(Reason { template: "several tags name `{id}`", at: 0, id });
        }
        if own.is_nested {
            return Err(Reason::new("it is in a quote, a list or a table", 0));
        }
        let limit = next.map_or(self.text.len(), |next| next.span.start);
        let heading = self.heading_after(opened, limit);
        if let Some(next) = next {
            let ends_it = next
                .tag
                .is_some_and(|(is_closing, _)| !is_closing || self.closers.contains(&limit));
            if !ends_it {
                let template = "the tag on line {line} may be intended to close it";
                return Err(Reason::new(template, limit));
            }
            if next.is_nested && heading.is_none() {
                let template = "its end on line {line} is in a quote, a list or a table";
                return Err(Reason::new(template, limit));
            }
        }
        let mut end = heading.unwrap_or(limit);
        let current = self.headings.partition_point(|it| it.end <= opened.start);
        let own = self.headings.get(current).filter(|it| it.start < opened.start);
        let start = own.map_or(opened.end, |it| it.end);
        let n_before = self.headings.partition_point(|it| it.start < end);
        let headings = &self.headings[..n_before];
        let is_in_heading = headings.last().is_some_and(|it| end < it.end);
        // A heading with no text below it belongs to the section that starts next.
        let belongs_to_next = heading.is_none() && next.is_some() && !is_in_heading;
        for last in headings.iter().rev().filter(|_| belongs_to_next) {
            if last.start < start || !self.text[last.end..end].trim_ascii().is_empty() {
                break;
            }
            end = last.start;
        }
        if is_in_heading || self.text[start..end.max(start)].trim_ascii().is_empty() {
            return Err(Reason::new("it has no text of its own", 0));
        }
        Ok(self.insertion(id, opened, end))
    }

    /// Returns the start of the first heading before `limit` that ends the section at `opened`.
    fn heading_after(&self, opened: Span, limit: usize) -> Option<usize> {
        let after = self.headings.partition_point(|it| it.end <= opened.start);
        let n_before = self.headings.partition_point(|it| it.start < limit).max(after);
        let (above, below) = self.headings[..n_before].split_at(after);
        let is_own = |heading: &&Heading| {
            heading.start <= opened.start
                || self.text[opened.end..heading.start].trim_ascii().is_empty()
        };
        let own = below.first().filter(is_own);
        // A section above all headings ends at any heading.
        let level = own.or(above.last()).map_or(usize::MAX, |it| it.level);
        let rest = &below[usize::from(own.is_some())..];
        rest.iter().find(|it| it.level <= level).map(|it| it.start)
    }

    /// Returns the closing tag after the last text before `end`: on its own line, unless the
    /// section is within one line or ends within one.
    fn insertion(&self, id: &'a str, opened: Span, end: usize) -> Insertion<'a> {
        let text = self.text;
        let at = opened.end + text[opened.end..end].trim_ascii_end().len();
        let is_one_line = !text[opened.end..at].contains('\n');
        let ends_within_line = end < text.len() && !text[at..end].contains('\n');
        let opened = opened.start;
        if is_one_line || ends_within_line {
            // With a space before it, the following text could become a list item.
            return Insertion { id, opened, at, before: "", after: "" };
        }
        match text[at..].find('\n') {
            Some(newline) => {
                let is_crlf = text[..at + newline].ends_with('\r');
                let after = if is_crlf { "\r\n" } else { "\n" };
                Insertion { id, opened, at: at + newline + 1, before: "", after }
            }
            None => Insertion { id, opened, at: text.len(), before: newline_of(text), after: "" },
        }
    }
}

/// A text with closing tags inserted, parsed again.
struct Attempt<'a> {
    insertions: Vec<Insertion<'a>>,
    /// The number of bytes inserted before each insertion, and by all of them.
    offsets: Vec<usize>,
    text: String,
    sections: Sections,
}

impl<'a> Attempt<'a> {
    /// Applies insertions ordered by position.
    fn new(text: &str, insertions: Vec<Insertion<'a>>) -> Self {
        let (mut offsets, mut new, mut at) = (vec![0], String::with_capacity(text.len()), 0);
        for insertion in &insertions {
            new += &text[at..insertion.at];
            new += insertion.before;
            new += &insertion.tag();
            new += insertion.after;
            at = insertion.at;
            offsets.push(new.len() - at);
        }
        new += &text[at..];
        let sections = parse(&new);
        Self { insertions, offsets, text: new, sections }
    }

    /// Returns the new position of the original position `at`.
    fn moved(&self, at: usize) -> usize {
        at + self.offsets[self.insertions.partition_point(|it| it.at <= at)]
    }

    /// Returns the start of each inserted tag, with its insertion.
    fn inserted(&self) -> impl Iterator<Item = (usize, &Insertion<'a>)> {
        let insertions = self.insertions.iter().zip(&self.offsets);
        insertions.map(|(it, offset)| (it.at + offset + it.before.len(), it))
    }

    /// Returns the original starts of the opening tags that are still unclosed.
    fn failed(&self) -> FxHashSet<usize> {
        let closed: FxHashSet<(usize, usize)> =
            self.sections.tagged().map(|it| (it.outer.start, it.inner.end)).collect();
        let failed = self
            .inserted()
            .filter(|(start, it)| !closed.contains(&(self.moved(it.opened), *start)));
        failed.map(|(_, it)| it.opened).collect()
    }

    /// Returns whether every original section still exists; a closed section may replace the
    /// heading section with the same id.
    fn preserves(&self, before: &Sections) -> bool {
        let end = |it: &Section| (it.origin == Origin::Tag).then_some(it.inner.end);
        let sections = self.sections.list.iter();
        let now: FxHashSet<(&str, usize, Option<usize>)> =
            sections.map(|it| (it.id.as_str(), it.outer.start, end(it))).collect();
        let closed: FxHashSet<String> =
            self.insertions.iter().map(|it| it.id.to_lowercase()).collect();
        let n_tags = before.tags.len() + self.insertions.len();
        self.sections.tags.len() == n_tags
            && before.list.iter().all(|section| {
                let end = end(section).map(|end| self.moved(end));
                now.contains(&(section.id.as_str(), self.moved(section.outer.start), end))
                    || (section.origin == Origin::Heading && closed.contains(&section.id))
            })
    }

    fn into_fixed(self, mut skipped: Vec<(usize, Reason<'_>)>) -> Fixed {
        let closed = self.inserted().map(|(start, it)| Closed {
            id: it.id.to_owned(),
            start: self.moved(it.opened),
            closing: Span::new(start, start + it.tag().len()),
        });
        let closed = closed.collect();
        skipped.sort_unstable_by_key(|(opened, _)| *opened);
        let lines = LineIndex::new(&self.text);
        let skipped = skipped.into_iter().map(|(opened, Reason { template, at, id })| {
            let line = lines.line(self.moved(at)) + 1;
            let reason = template.replace("{line}", &line.to_string()).replace("{id}", id);
            Skipped { start: self.moved(opened), reason }
        });
        let skipped = skipped.collect();
        Fixed { text: self.text, closed, skipped }
    }
}
