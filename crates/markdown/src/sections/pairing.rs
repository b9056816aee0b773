//! Pairs opening and closing tags and reports the unpaired ones.
//!
//! A closing tag is paired with the nearest open tag with the same id. A tag that was opened
//! in between and is closed later crosses the enclosing section; it is dropped and the enclosing
//! section stays. Each tag is pushed and popped once, so the order of the tags does not affect
//! the cost.

use std::borrow::Cow;

use cerberus_model::{LineIndex, Span};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::tag::Tag;
use super::{Origin, Section, Sections};
use crate::Diagnostic;

/// Pairs tags in the order of the text.
pub(super) struct Pairing<'a> {
    lines: LineIndex,
    tags: Vec<Tag<'a>>,
    /// Lower-case ids with their indices in `names`.
    name_idxs: FxHashMap<Cow<'a, str>, usize>,
    names: Vec<Name>,
    /// The open tags, innermost last.
    open: Vec<Open>,
    /// Opening tag, closing tag and name, ordered by closing tag.
    pairs: Vec<(usize, usize, usize)>,
    /// With their positions, by which they are sorted at the end.
    diagnostics: Vec<(usize, Diagnostic)>,
}

struct Open {
    tag_idx: usize,
    name_idx: usize,
    /// The index in `Pairing::open` of the enclosing tag with the same name.
    outer: Option<usize>,
}

#[derive(Default)]
struct Name {
    /// The index in `Pairing::open` of the innermost tag with this name.
    open: Option<usize>,
    /// Tags that were open when an enclosing section closed, and the tag that closed it.
    unclosed: Vec<(usize, usize)>,
}

impl<'a> Pairing<'a> {
    pub(super) fn new(text: &'a str, n_tags: usize) -> Self {
        let n_pairs = n_tags.div_ceil(2);
        Self {
            lines: LineIndex::new(text),
            tags: Vec::with_capacity(n_tags),
            name_idxs: FxHashMap::with_capacity_and_hasher(n_pairs, FxBuildHasher),
            names: Vec::with_capacity(n_pairs),
            open: Vec::new(),
            pairs: Vec::with_capacity(n_pairs),
            diagnostics: Vec::new(),
        }
    }

    pub(super) fn tag(&mut self, tag: Tag<'a>) {
        let tag_idx = self.tags.len();
        let name_idx = self.name_idx(tag);
        self.tags.push(tag);
        if tag.is_closing {
            self.close(tag_idx, name_idx);
        } else {
            let outer = self.names[name_idx].open.replace(self.open.len());
            self.open.push(Open {
                tag_idx,
                name_idx,
                outer,
            });
        }
    }

    fn name_idx(&mut self, tag: Tag<'a>) -> usize {
        // Fast path: most tags close the tag that was opened last.
        let last = self.open.last().filter(|_| tag.is_closing);
        if let Some(open) = last.filter(|open| self.tags[open.tag_idx].id == tag.id) {
            return open.name_idx;
        }
        let n_names = self.names.len();
        let name_idx = *self.name_idxs.entry(tag.key()).or_insert(n_names);
        if name_idx == n_names {
            self.names.push(Name::default());
        }
        name_idx
    }

    fn close(&mut self, tag_idx: usize, name_idx: usize) {
        if let Some(open_idx) = self.names[name_idx].open {
            // The tags opened since then are unclosed or cross this section.
            while let Some(open) = self.open.pop() {
                self.names[open.name_idx].open = open.outer;
                if self.open.len() == open_idx {
                    self.pair(open.tag_idx, tag_idx, name_idx);
                    break;
                }
                self.names[open.name_idx]
                    .unclosed
                    .push((open.tag_idx, tag_idx));
            }
        } else if let Some((opening, closer)) = self.names[name_idx].unclosed.pop() {
            self.report_crossed(opening, closer, tag_idx);
        } else {
            self.report_stray(tag_idx);
        }
    }

    fn pair(&mut self, opening: usize, closing: usize, name_idx: usize) {
        let (id, line) = self.at(opening);
        let (closed_id, closed_line) = self.at(closing);
        if id != closed_id {
            let message = format!(
                "section `{id}`, opened on line {line}, is closed as `{closed_id}` on line {closed_line}"
            );
            let hint = format!("write `<!-- /ANCHOR:{id} -->`");
            self.report_tag("mixed-case", closing, message, hint);
        }
        self.pairs.push((opening, closing, name_idx));
    }

    fn report_crossed(&mut self, opening: usize, closer: usize, closing: usize) {
        let (id, line) = self.at(opening);
        let (outer_id, outer_line) = self.at(closer);
        let (_, closed_line) = self.at(closing);
        let message = format!(
            "section `{id}`, opened on line {line}, is closed on line {closed_line}, after `{outer_id}` around it on line {outer_line}"
        );
        let hint = format!("close it before `<!-- /ANCHOR:{outer_id} -->` on line {outer_line}");
        self.report_tag("crossed", opening, message, hint);
    }

    fn report_stray(&mut self, tag_idx: usize) {
        let (id, line) = self.at(tag_idx);
        let message = format!("line {line} closes section `{id}`, which is not open");
        let hint = match self.open.last().map(|open| self.at(open.tag_idx)) {
            Some((open_id, open_line)) => {
                format!("open here is `{open_id}`, from line {open_line}")
            }
            None => format!("remove it, or write `<!-- ANCHOR:{id} -->` where the section begins"),
        };
        self.report_tag("stray-close", tag_idx, message, hint);
    }

    fn report_unclosed(&mut self, tag_idx: usize, closer: Option<usize>) {
        let (id, line) = self.at(tag_idx);
        let message = format!("section `{id}`, opened on line {line}, is never closed");
        let mut hint = format!("add `<!-- /ANCHOR:{id} -->` where it ends");
        if let Some((outer_id, outer_line)) = closer.map(|closer| self.at(closer)) {
            hint += &format!(", before `{outer_id}` closes on line {outer_line}");
        }
        self.report_tag("unclosed", tag_idx, message, hint);
    }

    /// Returns the sections, and reports every unpaired tag.
    pub(super) fn finish(mut self) -> Sections {
        for open in std::mem::take(&mut self.open) {
            self.report_unclosed(open.tag_idx, None);
        }
        for name in std::mem::take(&mut self.names) {
            for (tag_idx, closer) in name.unclosed {
                self.report_unclosed(tag_idx, Some(closer));
            }
        }
        let list = self.sections();
        self.diagnostics.sort_by_key(|(at, _)| *at);
        Sections {
            list,
            diagnostics: self.diagnostics.into_iter().map(|(_, it)| it).collect(),
            tags: self.tags.iter().map(|tag| tag.span).collect(),
        }
    }

    /// Returns the pairs as sections ordered by start, with numbers added to repeated names.
    fn sections(&mut self) -> Vec<Section> {
        #[derive(Clone, Default)]
        struct SeenName {
            n_sections: usize,
            first: usize,
            /// The last pair that is not inside another one with the same name.
            outermost: (usize, usize),
        }
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.sort_unstable();
        let mut by_name = vec![SeenName::default(); self.name_idxs.len()];
        let mut list = Vec::with_capacity(pairs.len());
        for (opening, closing, name_idx) in pairs {
            let (opened, closed) = (self.tags[opening], self.tags[closing]);
            let seen = &mut by_name[name_idx];
            seen.n_sections += 1;
            let mut id = opened.id.to_owned();
            if seen.n_sections == 1 {
                seen.first = opening;
                seen.outermost = (opening, closing);
            } else {
                id += &format!("#{}", seen.n_sections);
                let (outer_opening, outer_closing) = seen.outermost;
                let is_nested = opening < outer_closing;
                if !is_nested {
                    seen.outermost = (opening, closing);
                }
                let other = if is_nested { outer_opening } else { seen.first };
                self.report_same_name(opening, other, is_nested, &id);
            }
            list.push(Section {
                id,
                origin: Origin::Tag,
                outer: Span::new(opened.span.start, closed.span.end),
                inner: Span::new(opened.span.end, closed.span.start),
            });
        }
        list
    }

    fn report_same_name(&mut self, opening: usize, other: usize, is_nested: bool, id: &str) {
        let (name, line) = self.at(opening);
        let (other_name, other_line) = self.at(other);
        let (code, problem) = match is_nested {
            true => (
                "self-nested",
                format!("is inside another `{other_name}`, opened on line {other_line}"),
            ),
            false => (
                "duplicate",
                format!("has the same name as the one on line {other_line}"),
            ),
        };
        let message = format!("section `{name}` on line {line} {problem}");
        let hint = format!("rename one of them; this one is `{id}` until then");
        self.report_tag(code, opening, message, hint);
    }

    fn report_tag(&mut self, code: &'static str, tag_idx: usize, message: String, hint: String) {
        self.report(code, self.tags[tag_idx].span.start, message, hint);
    }

    pub(super) fn report(&mut self, code: &'static str, at: usize, message: String, hint: String) {
        let diagnostic = Diagnostic::new(code, at, &self.lines, message).hint(hint);
        self.diagnostics.push((at, diagnostic));
    }

    /// Returns the id of a tag and its line, counted from 1.
    fn at(&self, tag_idx: usize) -> (&'a str, usize) {
        let tag = self.tags[tag_idx];
        (tag.id, self.lines.line(tag.span.start) + 1)
    }
}
