//! Comments that exclude claims: `<!-- cerberus: ignore -->` for its line, or for the block after it if
//! it is alone on its line, `<!-- cerberus: ignore-file -->` for the document.

use cerberus_model::text::{LineIndex, Span};

#[derive(Debug, Default)]
pub(super) struct Ignored {
    is_whole: bool,
    /// The comments, each with the block that it excludes.
    comments: Vec<(Span, Option<Span>)>,
}

impl Ignored {
    /// Reads the comments in a piece of HTML.
    pub(super) fn comment(&mut self, text: &str, html: Span) {
        for line in html.slice(text).lines() {
            let Some(rest) = line
                .trim_start()
                .strip_prefix("<!--")
                .or_else(|| line.find("<!--").map(|at| &line[at + 4..]))
            else {
                continue;
            };
            let content = rest.split("-->").next().unwrap_or_default();
            let Some(verb) = content.trim().strip_prefix("cerberus:") else { continue };
            match verb.split_whitespace().next() {
                Some("ignore-file") => self.is_whole = true,
                Some("ignore") => {
                    let before = text[..html.start].rsplit('\n').next().unwrap_or_default();
                    let follows_text = before.contains(char::is_alphanumeric);
                    self.comments.push((html, follows_text.then_some(html)));
                }
                _ => {}
            }
        }
    }

    /// Notes the start of a block: comments right before it exclude it.
    pub(super) fn block(&mut self, block: Span) {
        for (comment, next) in self.comments.iter_mut().rev() {
            if next.is_none() && comment.end <= block.start {
                *next = Some(block);
            }
        }
    }

    pub(super) fn contains(&self, span: Span, lines: &LineIndex) -> bool {
        let is_in = |outer: &Span| outer.start <= span.start && span.end <= outer.end;
        self.is_whole
            || self.comments.iter().any(|(comment, block)| {
                let line = lines.line(comment.start);
                lines.line(span.start) == line || block.as_ref().is_some_and(is_in)
            })
    }
}
