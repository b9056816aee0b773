//! Comments that exclude claims: `<!-- cerberus: ignore -->` for its line, or for the block after it if
//! it is alone on its line, `<!-- cerberus: ignore-file -->` for the document.

use cerberus_model::text::{LineIndex, Span};

#[derive(Debug, Default)]
pub(super) struct Ignored {
    is_whole: bool,
    /// The starts of the comments, which exclude their lines.
    starts: Vec<usize>,
    /// The ends of the comments that exclude the next block.
    pending: Vec<usize>,
    /// The excluded blocks, in order, without the ones inside of others.
    excluded: Vec<Span>,
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
            let Some(verb) = content.trim().strip_prefix("cerberus:") else {
                continue;
            };
            match verb.split_whitespace().next() {
                Some("ignore-file") => self.is_whole = true,
                Some("ignore") => {
                    let before = text[..html.start].rsplit('\n').next().unwrap_or_default();
                    self.starts.push(html.start);
                    match before.contains(char::is_alphanumeric) {
                        true => self.exclude(html),
                        false => self.pending.push(html.end),
                    }
                }
                _ => {}
            }
        }
    }

    /// Notes the start of a block: comments right before it exclude it.
    pub(super) fn block(&mut self, block: Span) {
        let n_pending = self.pending.len();
        self.pending.retain(|end| *end > block.start);
        if self.pending.len() < n_pending {
            self.exclude(block);
        }
    }

    fn exclude(&mut self, block: Span) {
        if self
            .excluded
            .last()
            .is_none_or(|outer| outer.end < block.end)
        {
            self.excluded.push(block);
        }
    }

    pub(super) fn contains(&self, span: Span, lines: &LineIndex) -> bool {
        let line = lines.line(span.start);
        let first = self
            .starts
            .partition_point(|start| *start < lines.start(line));
        let has_comment = self
            .starts
            .get(first)
            .is_some_and(|start| lines.line(*start) == line);
        let n_before = self
            .excluded
            .partition_point(|block| block.start <= span.start);
        let is_in = |block: &Span| span.end <= block.end;
        self.is_whole || has_comment || self.excluded[..n_before].last().is_some_and(is_in)
    }
}

/// Returns where the comments of a piece of HTML are. `is_open` is whether the piece starts in a comment, and says
/// afterwards whether it ends in one: each line of a block is a piece.
pub(super) fn comments(html: &str, is_open: &mut bool) -> Vec<Span> {
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        let mut start = at;
        if !*is_open {
            let Some(before) = html[at..].find("<!--") else {
                return found;
            };
            start += before;
        }
        let len = html[start..].find("-->");
        *is_open = len.is_none();
        at = len.map_or(html.len(), |len| start + len);
        found.push(Span::new(start, at));
        if *is_open {
            return found;
        }
    }
}
