//! The parts of a document between tags, and quotations: what governs the items of one of them does
//! not govern the text behind it.

use super::governing::Above;
use super::tags::Mark;
use super::{Heading, Reader};

/// HTML elements without an end.
const VOID: [&str; 8] = ["br", "hr", "img", "input", "link", "meta", "source", "wbr"];

/// A part of a document that did not end yet.
#[derive(Debug)]
pub(super) struct Scope {
    kind: Kind,
    /// What governed the text before it.
    above: Above,
    headings: Vec<Heading>,
    n_lists: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Quote,
    /// A tag that is not one of HTML.
    Tag,
    /// An element of HTML with its name.
    Html(String),
}

/// A tag of HTML that is not closed, or not opened, in its block.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HtmlTag {
    Open(String),
    Close(String),
}

impl Reader<'_> {
    /// Opens and closes the tags and quotations before a position.
    pub(super) fn read_marks(&mut self, at: usize) {
        while let Some((_, mark)) = self.marks.next_if(|(start, _)| *start <= at) {
            match mark {
                Mark::Open(title) => {
                    self.open(Kind::Tag);
                    self.tags.push(title.clone());
                    self.labels.push(title);
                }
                Mark::Close => {
                    self.tags.pop();
                    self.labels.pop();
                    self.close(&Kind::Tag);
                }
                Mark::OpenQuote => self.open(Kind::Quote),
                Mark::CloseQuote => self.close(&Kind::Quote),
            }
        }
    }

    /// Opens and closes the elements of a block of HTML.
    pub(super) fn read_html(&mut self, html: &str) {
        for tag in html_tags(html) {
            match tag {
                HtmlTag::Open(name) => self.open(Kind::Html(name)),
                HtmlTag::Close(name) => self.close(&Kind::Html(name)),
            }
        }
    }

    fn open(&mut self, kind: Kind) {
        // An element of HTML may be a part of the layout of one list.
        let is_aside = !matches!(kind, Kind::Html(_));
        self.scopes.push(Scope {
            kind,
            above: self.above.clone(),
            headings: self.headings.clone(),
            n_lists: self.n_lists,
        });
        if is_aside {
            self.above.leave_list();
        }
    }

    fn close(&mut self, kind: &Kind) {
        let Some(idx) = self.scopes.iter().rposition(|scope| scope.kind == *kind) else {
            return self.above.leave_list();
        };
        let scope = self.scopes.swap_remove(idx);
        self.scopes.truncate(idx);
        // Without a list, its text may announce the next one.
        if self.n_lists > scope.n_lists {
            self.above = scope.above;
            self.headings = scope.headings;
        }
    }
}

/// Returns the tags of a block of HTML whose other end is not in it.
pub(super) fn html_tags(html: &str) -> Vec<HtmlTag> {
    let mut tags = Vec::new();
    let mut rest = html;
    while let Some((_, after)) = rest.split_once('<') {
        let end = if after.starts_with("!--") { "-->" } else { ">" };
        let Some((tag, after)) = after.split_once(end) else {
            break;
        };
        rest = after;
        let is_end = tag.starts_with('/');
        let name = tag.trim_start_matches('/');
        let name = name.split(|c: char| !c.is_ascii_alphanumeric()).next();
        let name = name.unwrap_or_default().to_ascii_lowercase();
        if name.is_empty() || tag.ends_with('/') || VOID.contains(&name.as_str()) {
            continue;
        }
        let open = HtmlTag::Open(name.clone());
        if !is_end {
            tags.push(open);
        } else if let Some(idx) = tags.iter().rposition(|tag| *tag == open) {
            tags.truncate(idx);
        } else {
            tags.push(HtmlTag::Close(name));
        }
    }
    tags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_without_their_other_end_are_found() {
        let open = |name: &str| HtmlTag::Open(name.to_owned());
        let close = |name: &str| HtmlTag::Close(name.to_owned());
        assert_eq!(html_tags("<!-- <b> --><br><p>A</p><x/>"), []);
        assert_eq!(
            html_tags("</details>\n<DETAILS open><summary>A</summary>"),
            [close("details"), open("details")]
        );
        assert_eq!(html_tags("a < b <"), []);
    }
}
