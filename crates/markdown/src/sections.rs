//! Sections: the named parts of a memory, marked by tags or by headings.
//!
//! A single tolerant pass: code and frontmatter contain no tags, and an invalid tag does not
//! affect others (see `pairing`). Linear in the text.
//!
//! A heading outside quotes and lists starts a section too. Its id is the heading's slug as
//! GitHub generates it; it includes the heading line and ends at the next heading of the same
//! or a higher level. A tagged section hides the heading section with the same id.

mod content;
mod pairing;
mod select;
mod slug;
mod tag;
#[cfg(test)]
mod tests;

pub use cerberus_model::SectionOrigin as Origin;
use cerberus_model::Span;
use rustc_hash::FxHashSet;

pub use self::content::{content, trim_blank_lines, trimmed};
use self::pairing::Pairing;
pub use self::select::{MissingSection, SEPARATOR, select};
pub use self::slug::Slugs;
pub(super) use self::slug::slug;
use self::tag::{Parsed, Tag};
use super::structure::{self, Heading};
use crate::Diagnostic;

/// A part of a memory, between two tags or below a heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The id used to select it: the second section with the same name is `id#2`.
    pub id: String,
    pub origin: Origin,
    /// Includes its own tags.
    pub outer: Span,
    /// Excludes its own tags; the same as `outer` for a heading, which is part of the text.
    pub inner: Span,
}

/// The sections of a memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sections {
    /// Ordered by start.
    pub list: Vec<Section>,
    /// Ordered by position.
    pub diagnostics: Vec<Diagnostic>,
    /// Every well-formed tag, paired or not, ordered by position.
    pub(crate) tags: Vec<Span>,
}

impl Sections {
    pub(super) fn tagged(&self) -> impl Iterator<Item = &Section> {
        self.list
            .iter()
            .filter(|section| section.origin == Origin::Tag)
    }
}

/// Returns the sections of a complete file, frontmatter included.
pub fn parse(text: &str) -> Sections {
    let structure = structure::parse_body(text);
    let mut pairing = Pairing::new(text, structure.comments.len());
    for comment in structure.comments {
        match tag::parse(comment.span.slice(text), comment.is_closed) {
            Parsed::Tag { is_closing, id } => {
                pairing.tag(Tag {
                    span: comment.span,
                    is_closing,
                    id,
                });
            }
            Parsed::Malformed { message, hint } => {
                pairing.report("malformed", comment.span.start, message, hint);
            }
            Parsed::Other => {}
        }
    }
    let mut sections = pairing.finish();
    if structure.headings.is_empty() {
        return sections;
    }
    let tagged: FxHashSet<String> = sections
        .list
        .iter()
        .map(|it| it.id.to_lowercase())
        .collect();
    let from_headings = heading_sections(text, &structure.headings);
    sections
        .list
        .extend(from_headings.filter(|section| !tagged.contains(&section.id)));
    sections.list.sort_by_key(|section| section.outer.start);
    sections
}

/// Returns the sections that start with a heading; headings without a slug are skipped.
fn heading_sections(text: &str, headings: &[Heading]) -> impl Iterator<Item = Section> {
    let mut ends = vec![text.len(); headings.len()];
    let mut open: Vec<usize> = Vec::new();
    for (heading_idx, heading) in headings.iter().enumerate() {
        while let Some(last) = open.pop_if(|&mut last| headings[last].level >= heading.level) {
            ends[last] = heading.start;
        }
        open.push(heading_idx);
    }
    let mut slugs = Slugs::default();
    headings.iter().zip(ends).filter_map(move |(heading, end)| {
        let id = slugs.slug(&heading.title)?;
        let span = Span::new(heading.start, end);
        Some(Section {
            id,
            origin: Origin::Heading,
            outer: span,
            inner: span,
        })
    })
}

/// Returns the first tag with this id, paired or not.
pub(crate) fn find_tag(text: &str, sections: &Sections, id: &str) -> Option<Span> {
    let has_id = |span: &Span| match tag::parse(span.slice(text), true) {
        Parsed::Tag { id: other, .. } => other.eq_ignore_ascii_case(id),
        _ => false,
    };
    sections.tags.iter().copied().find(has_id)
}
