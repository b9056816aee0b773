//! Sections: the named slices of a memory, by tag or by heading.
//!
//! One tolerant pass: code and frontmatter hold no tags, and a tag that is wrong
//! spoils only itself (see `pairing`). Linear in the text, whatever it holds.
//!
//! A heading of the document (not of a quote or list item) is a section too,
//! named by its slug as GitHub makes it and ending where the next heading of its
//! level or above begins; its line belongs to it. A tagged section hides the
//! heading section of the same id.

mod content;
pub(crate) mod fix;
mod pairing;
mod select;
mod slug;
mod tag;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashSet;

pub(crate) use self::content::content;
pub(super) use self::content::trim_blank_lines;
use self::pairing::Pairing;
pub(crate) use self::select::{SEPARATOR, select};
use self::slug::Slugs;
pub(super) use self::slug::slug;
use self::tag::{Reading, Tag};
use super::structure::{Heading, structure};
use super::{Diagnostic, frontmatter};
use crate::text::Span;

/// What names a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    Tag,
    Heading,
}

impl Origin {
    /// Returns the spelling in output.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Tag => "tag",
            Self::Heading => "heading",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Section {
    /// As it is addressed: the second of the same name is `id#2`.
    pub(crate) id: String,
    pub(crate) origin: Origin,
    /// With its own tags.
    pub(crate) outer: Span,
    /// Without its own tags; a heading is text, so there both are the same.
    pub(crate) inner: Span,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sections {
    /// In the order in which they begin.
    pub(crate) list: Vec<Section>,
    /// In the order of the text.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Every well-formed tag, paired or not, in the order of the text.
    pub(crate) tags: Vec<Span>,
    /// The opening tags that nothing closes, in the order of the text.
    unclosed: Vec<Span>,
}

/// Returns the sections of `text`, which is a whole file, frontmatter and all.
pub(crate) fn parse(text: &str) -> Sections {
    let body = Span::new(frontmatter::body_start(text), text.len());
    let structure = structure(text, body);
    let mut pairing = Pairing::new(text, structure.comments.len());
    for comment in structure.comments {
        match tag::read(comment.span.of(text), comment.ended) {
            Reading::Tag { closing, id } => pairing.tag(Tag { span: comment.span, closing, id }),
            Reading::Malformed { message, hint } => {
                pairing.report("malformed", comment.span.start, message, hint);
            }
            Reading::Other => {}
        }
    }
    let mut sections = pairing.finish();
    if structure.headings.is_empty() {
        return sections;
    }
    let taken: FxHashSet<String> = sections.list.iter().map(|it| lower(&it.id)).collect();
    let from_headings = heading_sections(text, &structure.headings);
    let free = from_headings.filter(|section| !taken.contains(&section.id));
    sections.list.extend(free);
    sections.list.sort_by_key(|section| section.outer.start);
    sections
}

/// Returns the sections that headings begin; a heading without a slug begins none.
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
        let span = Span::new(heading.start, end);
        Some(Section {
            id: slugs.slug(&heading.title)?,
            origin: Origin::Heading,
            outer: span,
            inner: span,
        })
    })
}

/// Returns the first tag that names `id`, also where it makes no section.
pub(crate) fn tag_of(text: &str, sections: &Sections, id: &str) -> Option<Span> {
    let names_it = |span: &Span| match tag::read(span.of(text), true) {
        Reading::Tag { id: named, .. } => named.eq_ignore_ascii_case(id),
        _ => false,
    };
    sections.tags.iter().copied().find(names_it)
}

/// Returns the form in which ids are compared.
fn lower(id: &str) -> String {
    id.to_lowercase()
}
