//! Closing the sections that are never closed.
//!
//! A closing tag is put in before whatever comes first: the next heading of the level
//! of the section's own or above, the next tag that begins a section or ends the one
//! around, the end of the text. Nothing else is changed. Where another repair is as
//! likely, none is made and the reason is told; what was put in is read once more, and
//! taken back where it makes no section or another section would be a different one.
//! Fixing twice is fixing once.

use rustc_hash::{FxHashMap, FxHashSet};

use super::tag::{self, Reading};
use super::{Origin, Section, Sections, lower, parse};
use crate::markdown::edit::newline_of;
use crate::markdown::frontmatter;
use crate::markdown::structure::{Heading, structure};
use crate::text::{LineIndex, Span};

/// A text with its sections closed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Fixed {
    pub(crate) text: String,
    /// In the order of the text.
    pub(crate) closed: Vec<Closed>,
    /// In the order of the text.
    pub(crate) left: Vec<Left>,
}

/// A section that was closed, by its place in the fixed text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Closed {
    pub(crate) id: String,
    /// Where its opening tag starts.
    pub(crate) start: usize,
    /// The tag that was put in.
    pub(crate) closing: Span,
}

/// A section that stays open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Left {
    /// Where its opening tag is in the fixed text.
    pub(crate) start: usize,
    pub(crate) reason: String,
}

/// A comment that is a tag, or was meant as one.
struct Mark<'a> {
    span: Span,
    contained: bool,
    /// Whether it closes, and its id; nothing if it is malformed.
    tag: Option<(bool, &'a str)>,
}

/// Why a section is left open; positions are of the text before.
#[derive(Debug, Clone, Copy)]
enum Reason<'a> {
    SeveralTags(&'a str),
    InContainer,
    EndInContainer(usize),
    PerhapsClosed(usize),
    NoText,
    OpenCode,
    OtherSections,
}

impl Reason<'_> {
    fn told(self, line: impl Fn(usize) -> usize) -> String {
        match self {
            Self::SeveralTags(id) => format!("several tags name `{id}`"),
            Self::InContainer => "it stands in a quote, a list or a table".to_owned(),
            Self::EndInContainer(at) => {
                format!("what ends it on line {} stands in a quote, a list or a table", line(at))
            }
            Self::PerhapsClosed(at) => {
                format!("the tag on line {} may be meant to close it", line(at))
            }
            Self::NoText => "no text of its own follows it".to_owned(),
            Self::OpenCode => {
                "the code block or comment at its end is never closed itself".to_owned()
            }
            Self::OtherSections => "closing it would change which sections there are".to_owned(),
        }
    }
}

/// What is put in to close one section.
struct Insertion<'a> {
    id: &'a str,
    /// Where its opening tag starts.
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

/// Closes what is unclosed in `text`, which is a whole file.
pub(crate) fn fix(text: &str) -> Fixed {
    let sections = parse(text);
    let draft = Draft::new(text, &sections);
    let (mut insertions, mut left) = (Vec::new(), Vec::new());
    for &opened in &sections.unclosed {
        match draft.closing(opened) {
            Ok(insertion) => insertions.push(insertion),
            Err(reason) => left.push((opened.start, reason)),
        }
    }
    let mut trial = Trial::new(text, insertions);
    let unmade = trial.unmade();
    if !unmade.is_empty() {
        left.extend(unmade.iter().map(|&opened| (opened, Reason::OpenCode)));
        trial.insertions.retain(|it| !unmade.contains(&it.opened));
        trial = Trial::new(text, trial.insertions);
    }
    if !trial.unmade().is_empty() || !trial.keeps(&sections) {
        left.extend(trial.insertions.iter().map(|it| (it.opened, Reason::OtherSections)));
        trial = Trial::new(text, Vec::new());
    }
    trial.fixed(left)
}

/// What is known of a text in which sections are to be closed.
struct Draft<'a> {
    text: &'a str,
    headings: Vec<Heading>,
    marks: Vec<Mark<'a>>,
    /// How many tags name each id.
    n_named: FxHashMap<String, usize>,
    /// Where the tags start that end a section.
    closers: FxHashSet<usize>,
}

impl<'a> Draft<'a> {
    fn new(text: &'a str, sections: &Sections) -> Self {
        let body = Span::new(frontmatter::body_start(text), text.len());
        let structure = structure(text, body);
        let marks: Vec<Mark<'_>> = structure
            .comments
            .iter()
            .filter_map(|comment| {
                let tag = match tag::read(comment.span.of(text), comment.ended) {
                    Reading::Tag { closing, id } => Some((closing, id)),
                    Reading::Malformed { .. } => None,
                    Reading::Other => return None,
                };
                Some(Mark { span: comment.span, contained: comment.contained, tag })
            })
            .collect();
        let mut n_named = FxHashMap::default();
        for (_, id) in marks.iter().filter_map(|mark| mark.tag) {
            *n_named.entry(lower(id)).or_default() += 1;
        }
        let tagged = sections.list.iter().filter(|it| it.origin == Origin::Tag);
        let closers = tagged.map(|it| it.inner.end).collect();
        let headings = structure.headings;
        Self { text, headings, marks, n_named, closers }
    }

    /// Returns what closes the section that `opened` begins, or why it is left open.
    fn closing(&self, opened: Span) -> Result<Insertion<'a>, Reason<'a>> {
        let mark_idx = self.marks.partition_point(|mark| mark.span.start < opened.start);
        let (own, next) = (&self.marks[mark_idx], self.marks.get(mark_idx + 1));
        let id = own.tag.map_or("", |(_, id)| id);
        if self.n_named.get(&lower(id)).is_some_and(|&n| n > 1) {
            return Err(Reason::SeveralTags(id));
        }
        if own.contained {
            return Err(Reason::InContainer);
        }
        let limit = next.map_or(self.text.len(), |next| next.span.start);
        let heading = self.heading_after(opened, limit);
        if let Some(next) = next {
            let ends_it = match next.tag {
                Some((true, _)) => self.closers.contains(&limit),
                Some((false, _)) => true,
                None => false,
            };
            if !ends_it {
                return Err(Reason::PerhapsClosed(limit));
            }
            if next.contained && heading.is_none() {
                return Err(Reason::EndInContainer(limit));
            }
        }
        let mut end = heading.unwrap_or(limit);
        let around = self.headings.partition_point(|it| it.end <= opened.start);
        let own = self.headings.get(around).filter(|it| it.start < opened.start);
        let start = own.map_or(opened.end, |it| it.end);
        let begun = self.headings.partition_point(|it| it.start < end);
        let is_in_heading = self.headings[..begun].last().is_some_and(|it| end < it.end);
        // Before another section, a heading with nothing below it opens that one.
        let opens_next = heading.is_none() && next.is_some() && !is_in_heading;
        for last in self.headings[..begun].iter().rev().filter(|_| opens_next) {
            if last.start < start || !self.text[last.end..end].trim_ascii().is_empty() {
                break;
            }
            end = last.start;
        }
        if is_in_heading || self.text[start..end.max(start)].trim_ascii().is_empty() {
            return Err(Reason::NoText);
        }
        Ok(self.insertion(id, opened, end))
    }

    /// Returns where the first heading before `limit` starts that ends the section at `opened`.
    fn heading_after(&self, opened: Span, limit: usize) -> Option<usize> {
        let after = self.headings.partition_point(|it| it.end <= opened.start);
        let n_before = self.headings.partition_point(|it| it.start < limit).max(after);
        let (above, below) = self.headings[..n_before].split_at(after);
        let is_own = |it: &&Heading| {
            it.start <= opened.start || self.text[opened.end..it.start].trim_ascii().is_empty()
        };
        let own = below.first().filter(is_own);
        // Above every heading stands what is none's: any of them ends it.
        let level = own.or(above.last()).map_or(usize::MAX, |it| it.level);
        let rest = &below[usize::from(own.is_some())..];
        rest.iter().find(|it| it.level <= level).map(|it| it.start)
    }

    /// Returns the closing tag after the last text before `end`: on a line of its own, unless
    /// the section lies within a line or ends within one.
    fn insertion(&self, id: &'a str, opened: Span, end: usize) -> Insertion<'a> {
        let text = self.text;
        let at = opened.end + text[opened.end..end].trim_ascii_end().len();
        let is_one_line = !text[opened.end..at].contains('\n');
        let ends_within = end < text.len() && !text[at..end].contains('\n');
        let opened = opened.start;
        if is_one_line || ends_within {
            // A space before it could make a list item of what it follows.
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

/// A text with closing tags put in, read once more.
struct Trial<'a> {
    insertions: Vec<Insertion<'a>>,
    /// How many bytes were put in before each insertion, and by all of them.
    offsets: Vec<usize>,
    text: String,
    sections: Sections,
}

impl<'a> Trial<'a> {
    /// Takes insertions in the order of the text.
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

    /// Returns where that is now which started at `at`.
    fn moved(&self, at: usize) -> usize {
        at + self.offsets[self.insertions.partition_point(|it| it.at <= at)]
    }

    /// Returns where the closing tag of an insertion starts.
    fn tag_start(&self, insertion_idx: usize) -> usize {
        let insertion = &self.insertions[insertion_idx];
        insertion.at + self.offsets[insertion_idx] + insertion.before.len()
    }

    /// Returns where those opening tags were that are not closed by what was put in.
    fn unmade(&self) -> FxHashSet<usize> {
        let tagged = self.sections.list.iter().filter(|it| it.origin == Origin::Tag);
        let made: FxHashSet<(usize, usize)> =
            tagged.map(|it| (it.outer.start, it.inner.end)).collect();
        let is_made = |(insertion_idx, insertion): &(usize, &Insertion<'_>)| {
            made.contains(&(self.moved(insertion.opened), self.tag_start(*insertion_idx)))
        };
        let insertions = self.insertions.iter().enumerate();
        insertions.filter(|it| !is_made(it)).map(|(_, it)| it.opened).collect()
    }

    /// Returns whether every section of before is there; a heading's gives way to a tag's.
    fn keeps(&self, before: &Sections) -> bool {
        let ends = |it: &Section| match it.origin {
            Origin::Tag => Some(it.inner.end),
            Origin::Heading => None,
        };
        let now: FxHashSet<(&str, usize, Option<usize>)> = self
            .sections
            .list
            .iter()
            .map(|it| (it.id.as_str(), it.outer.start, ends(it)))
            .collect();
        let closed: FxHashSet<String> = self.insertions.iter().map(|it| lower(it.id)).collect();
        let n_tags = before.tags.len() + self.insertions.len();
        self.sections.tags.len() == n_tags
            && before.list.iter().all(|it| {
                let end = ends(it).map(|end| self.moved(end));
                now.contains(&(it.id.as_str(), self.moved(it.outer.start), end))
                    || (it.origin == Origin::Heading && closed.contains(&it.id))
            })
    }

    fn fixed(self, mut left: Vec<(usize, Reason<'_>)>) -> Fixed {
        let closed = self.insertions.iter().enumerate().map(|(insertion_idx, it)| {
            let start = self.tag_start(insertion_idx);
            Closed {
                id: it.id.to_owned(),
                start: self.moved(it.opened),
                closing: Span::new(start, start + it.tag().len()),
            }
        });
        let closed = closed.collect();
        left.sort_unstable_by_key(|(opened, _)| *opened);
        let lines = LineIndex::new(&self.text);
        let line = |at| lines.line(self.moved(at)) + 1;
        let left = left
            .into_iter()
            .map(|(opened, reason)| Left { start: self.moved(opened), reason: reason.told(line) });
        let left = left.collect();
        Fixed { text: self.text, closed, left }
    }
}
