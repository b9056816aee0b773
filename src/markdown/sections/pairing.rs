//! Pairs opening and closing tags, and says what is wrong with those left over.
//!
//! A closing tag goes with the nearest open tag of its id. What was opened in
//! between and is closed later crosses it and is dropped; the section around
//! stands. Each tag is pushed and popped once, so that no order of tags costs
//! more than another.

use std::borrow::Cow;

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::tag::Tag;
use super::{Origin, Section, Sections};
use crate::markdown::Diagnostic;
use crate::text::{LineIndex, Span};

/// Pairs tags as they come.
pub(super) struct Pairing<'a> {
    lines: LineIndex,
    tags: Vec<Tag<'a>>,
    /// Ids without their case, as indices into `names`.
    numbers: FxHashMap<Cow<'a, str>, usize>,
    names: Vec<Name>,
    /// The tags that are open, innermost last.
    open: Vec<Open>,
    /// Opening and closing tag and the number of their name, in the order of the closing ones.
    pairs: Vec<(usize, usize, usize)>,
    unclosed: Vec<Span>,
    /// With their places, sorted at the end.
    diagnostics: Vec<(usize, Diagnostic)>,
}

struct Open {
    tag_idx: usize,
    name: usize,
    /// The place in `Pairing::open` of the tag of the same name around it.
    around: Option<usize>,
}

#[derive(Default)]
struct Name {
    /// The place in `Pairing::open` of the innermost tag of this name.
    open: Option<usize>,
    /// Tags left open when a section around them closed, and the tag that closed it.
    left: Vec<(usize, usize)>,
}

impl<'a> Pairing<'a> {
    /// Makes room for so many tags in `text`.
    pub(super) fn new(text: &'a str, n_tags: usize) -> Self {
        let n_pairs = n_tags.div_ceil(2);
        Self {
            lines: LineIndex::new(text),
            tags: Vec::with_capacity(n_tags),
            numbers: FxHashMap::with_capacity_and_hasher(n_pairs, FxBuildHasher),
            names: Vec::with_capacity(n_pairs),
            open: Vec::new(),
            pairs: Vec::with_capacity(n_pairs),
            unclosed: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    pub(super) fn tag(&mut self, tag: Tag<'a>) {
        let tag_idx = self.tags.len();
        let name = self.number(tag);
        self.tags.push(tag);
        if tag.closing {
            self.close(tag_idx, name);
        } else {
            let around = self.names[name].open.replace(self.open.len());
            self.open.push(Open { tag_idx, name, around });
        }
    }

    /// Returns the number of a tag's name.
    fn number(&mut self, tag: Tag<'a>) -> usize {
        // Most tags close the one that was opened last.
        let last = self.open.last().filter(|_| tag.closing);
        if let Some(open) = last.filter(|open| self.tags[open.tag_idx].id == tag.id) {
            return open.name;
        }
        let n_names = self.names.len();
        let name = *self.numbers.entry(tag.key()).or_insert(n_names);
        if name == n_names {
            self.names.push(Name::default());
        }
        name
    }

    fn close(&mut self, tag_idx: usize, name: usize) {
        if let Some(place) = self.names[name].open {
            // Whatever was opened since then is unclosed or crosses this section.
            while let Some(open) = self.open.pop() {
                self.names[open.name].open = open.around;
                if self.open.len() == place {
                    self.pair(open.tag_idx, tag_idx, name);
                    break;
                }
                self.names[open.name].left.push((open.tag_idx, tag_idx));
            }
        } else if let Some((opening, closer)) = self.names[name].left.pop() {
            self.report_crossed(opening, closer, tag_idx);
        } else {
            self.report_stray(tag_idx);
        }
    }

    fn pair(&mut self, opening: usize, closing: usize, name: usize) {
        let (opened, closed) = (self.tags[opening], self.tags[closing]);
        if opened.id != closed.id {
            let message = format!(
                "section `{}`, opened on line {}, is closed as `{}` on line {}",
                opened.id,
                self.line(opening),
                closed.id,
                self.line(closing)
            );
            let hint = format!("write `<!-- /ANCHOR:{} -->`", opened.id);
            self.report("mixed-case", closed.span.start, message, hint);
        }
        self.pairs.push((opening, closing, name));
    }

    fn report_crossed(&mut self, opening: usize, closer: usize, closing: usize) {
        let (opened, around) = (self.tags[opening], self.tags[closer]);
        let message = format!(
            "section `{}`, opened on line {}, is closed on line {}, after `{}` around it on line {}",
            opened.id,
            self.line(opening),
            self.line(closing),
            around.id,
            self.line(closer)
        );
        let hint = format!(
            "close it before `<!-- /ANCHOR:{} -->` on line {}",
            around.id,
            self.line(closer)
        );
        self.report("crossed", opened.span.start, message, hint);
    }

    fn report_stray(&mut self, tag_idx: usize) {
        let tag = self.tags[tag_idx];
        let message =
            format!("line {} closes section `{}`, which is not open", self.line(tag_idx), tag.id);
        let hint = match self.open.last() {
            Some(open) => format!(
                "open here is `{}`, from line {}",
                self.tags[open.tag_idx].id,
                self.line(open.tag_idx)
            ),
            None => {
                format!("remove it, or write `<!-- ANCHOR:{} -->` where the section begins", tag.id)
            }
        };
        self.report("stray-close", tag.span.start, message, hint);
    }

    fn report_unclosed(&mut self, tag_idx: usize, closer: Option<usize>) {
        let tag = self.tags[tag_idx];
        let message =
            format!("section `{}`, opened on line {}, is never closed", tag.id, self.line(tag_idx));
        let mut hint = format!("add `<!-- /ANCHOR:{} -->` where it ends", tag.id);
        if let Some(closer) = closer {
            hint += &format!(
                ", before `{}` closes on line {}",
                self.tags[closer].id,
                self.line(closer)
            );
        }
        self.unclosed.push(tag.span);
        self.report("unclosed", tag.span.start, message, hint);
    }

    /// Returns the sections, and reports every tag that is in none.
    pub(super) fn finish(mut self) -> Sections {
        for open in std::mem::take(&mut self.open) {
            self.report_unclosed(open.tag_idx, None);
        }
        for name in std::mem::take(&mut self.names) {
            for (tag_idx, closer) in name.left {
                self.report_unclosed(tag_idx, Some(closer));
            }
        }
        let list = self.tagged();
        self.diagnostics.sort_by_key(|(at, _)| *at);
        self.unclosed.sort_unstable();
        Sections {
            list,
            diagnostics: self.diagnostics.into_iter().map(|(_, it)| it).collect(),
            tags: self.tags.iter().map(|tag| tag.span).collect(),
            unclosed: self.unclosed,
        }
    }

    /// Names the pairs in the order in which they begin, telling those of one name apart.
    fn tagged(&mut self) -> Vec<Section> {
        #[derive(Clone, Default)]
        struct Earlier {
            n_sections: usize,
            first: usize,
            /// The last pair that no other of the name encloses.
            outermost: (usize, usize),
        }
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.sort_unstable();
        let mut by_name = vec![Earlier::default(); self.numbers.len()];
        let mut list = Vec::with_capacity(pairs.len());
        for (opening, closing, name) in pairs {
            let (opened, closed) = (self.tags[opening], self.tags[closing]);
            let earlier = &mut by_name[name];
            earlier.n_sections += 1;
            let mut id = opened.id.to_owned();
            if earlier.n_sections == 1 {
                earlier.first = opening;
                earlier.outermost = (opening, closing);
            } else {
                id += &format!("#{}", earlier.n_sections);
                let (outer_opening, outer_closing) = earlier.outermost;
                if opening < outer_closing {
                    self.report_self_nested(opening, outer_opening, &id);
                } else {
                    earlier.outermost = (opening, closing);
                    self.report_duplicate(opening, earlier.first, &id);
                }
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

    fn report_self_nested(&mut self, opening: usize, outer: usize, id: &str) {
        let tag = self.tags[opening];
        let message = format!(
            "section `{}` on line {} lies inside another `{}`, opened on line {}",
            tag.id,
            self.line(opening),
            self.tags[outer].id,
            self.line(outer)
        );
        let hint = format!("rename one of them; this one is `{id}` until then");
        self.report("self-nested", tag.span.start, message, hint);
    }

    fn report_duplicate(&mut self, opening: usize, first: usize, id: &str) {
        let tag = self.tags[opening];
        let message = format!(
            "section `{}` on line {} has the name of the one on line {}",
            tag.id,
            self.line(opening),
            self.line(first)
        );
        let hint = format!("rename one of them; this one is `{id}` until then");
        self.report("duplicate", tag.span.start, message, hint);
    }

    pub(super) fn report(&mut self, code: &'static str, at: usize, message: String, hint: String) {
        let diagnostic = Diagnostic::new(code, at, &self.lines, message).hint(hint);
        self.diagnostics.push((at, diagnostic));
    }

    /// Returns the printed number of the line a tag begins on.
    fn line(&self, tag_idx: usize) -> usize {
        self.lines.line(self.tags[tag_idx].span.start) + 1
    }
}
