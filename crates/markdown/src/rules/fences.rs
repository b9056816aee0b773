//! Rules in blocks of code: comments that demand something, each with the code below it, and
//! labelled examples, whose heading or sentence is the rule.

use cerberus_model::text::Span;
use cerberus_prose::wording::{Modality, modality, words};

use super::context::{Kind, kind_of_title};
use super::governing::Piece;
use super::{LABEL_WORDS, Reader, label};
use crate::code_examples::{comment, comment_label};

/// The minimum number of words of a comment that is a rule.
const MIN_WORDS: usize = 3;

const SEPARATE: &str = "a separate code block";
const BY_EXAMPLE: &str = "only its code shows it";
const BY_COMMENT: &str = "a comment in code";

/// A block of code, line by line.
struct Fence<'t> {
    /// The line that opens it.
    opening: &'t str,
    /// The mark that closes it.
    mark: &'t str,
    lines: Vec<&'t str>,
}

/// A comment on lines of its own.
struct Comment {
    /// The first line in the block.
    line: usize,
    /// The line of code below it.
    code_line: usize,
    text: String,
    is_labelled: bool,
    modality: Modality,
}

impl<'t> Fence<'t> {
    /// Returns a fenced block, or `None` for an indented one.
    fn of(block: &'t str) -> Option<Self> {
        let mut lines = block.trim_end().lines();
        let opening = lines.next()?.trim();
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| opening.starts_with(mark))?;
        let mut lines: Vec<&str> = lines.collect();
        if lines
            .last()
            .is_some_and(|last| last.trim().starts_with(mark))
        {
            lines.pop();
        }
        Some(Self {
            opening,
            mark,
            lines,
        })
    }

    /// Returns the comments that no code precedes on their lines.
    fn comments(&self) -> Vec<Comment> {
        let mut found: Vec<Comment> = Vec::new();
        for (line_idx, line) in self.lines.iter().enumerate() {
            let Some(text) = comment(line.trim()) else {
                continue;
            };
            let text = text.trim();
            let is_labelled = comment_label(text).is_some();
            match found.last_mut() {
                Some(last) if last.code_line == line_idx && !is_labelled => {
                    last.text.push(' ');
                    last.text.push_str(text);
                    last.code_line += 1;
                }
                _ => found.push(Comment {
                    line: line_idx,
                    code_line: line_idx + 1,
                    text: text.to_owned(),
                    is_labelled,
                    modality: Modality::Statement,
                }),
            }
        }
        for comment in &mut found {
            comment.modality = modality_of(&comment.text);
        }
        found
    }

    /// Returns some of its lines as a block, or `None` if they are blank.
    fn part(&self, from: usize, to: usize) -> Option<String> {
        let code = self.lines[from..to].join("\n");
        let code = code.trim_end().trim_start_matches('\n');
        (!code.is_empty()).then(|| format!("{}\n{code}\n{}", self.opening, self.mark))
    }
}

/// Returns the modality of a comment without its sign or its label: "✅ GOOD - use `x`".
fn modality_of(text: &str) -> Modality {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let rest = text
        .split_once([':', '—', '–', '-'])
        .filter(|(label, _)| words(label).len() == 1)
        .map_or(text, |(_, rest)| rest);
    if words(rest).len() < MIN_WORDS {
        return Modality::Statement;
    }
    modality(text).max(modality(rest))
}

impl Reader<'_> {
    /// Reads a block of code that is not a part of a rule above it.
    pub(super) fn code(&mut self, span: Span, is_shell: bool) {
        let fence = Fence::of(span.slice(self.text)).filter(|_| !is_shell);
        let Some(fence) = fence.filter(|_| !self.is_managed(span.start)) else {
            return self.skip(span.start, SEPARATE);
        };
        let first_line = self.lines.line(span.start) + 1;
        let comments = fence.comments();
        let n_labelled = comments.iter().filter(|it| it.is_labelled).count();
        let kind = self.heading_context().and_then(|context| context.kind);
        let is_guide = kind == Some(Kind::Rules);
        let required = match n_labelled {
            0 if !is_guide => Modality::Obligation,
            _ => Modality::Command,
        };
        let is_own = |comment: &&Comment| {
            comment.modality >= required && (comment.is_labelled || n_labelled == 0)
        };
        let own: Vec<&Comment> = comments.iter().filter(is_own).collect();
        if own.is_empty() || own.len() < n_labelled {
            return self.code_below_its_rule(span, &fence, n_labelled);
        }
        let is_labelled = n_labelled > 0;
        for (own_idx, comment) in own.iter().enumerate() {
            let next = own.get(own_idx + 1).map(|next| next.line);
            let end = next.unwrap_or(fence.lines.len());
            let mut text = comment.text.clone();
            if let Some(code) = fence.part(comment.code_line, end) {
                text.push_str(&format!("\n\n{code}"));
            }
            let prefix = self.prefix(self.above.of_list());
            self.push(
                (first_line + comment.line, first_line + end - 1),
                &text,
                prefix,
            );
            if !is_labelled && comment.modality < Modality::Obligation {
                self.doubt(BY_COMMENT);
            }
        }
    }

    /// Reads a block of code whose rule is the sentence or the heading above it.
    fn code_below_its_rule(&mut self, span: Span, fence: &Fence, n_labelled: usize) {
        let above = self.above.of_list().to_vec();
        let heading = self.headings.last().map(|heading| heading.shown.clone());
        let (title, outer) = match above.split_last() {
            Some((Piece::Text(text), outer)) => (Some(text.clone()), outer),
            _ => (heading.clone(), &above[..]),
        };
        let Some(title) = title else {
            return self.skip(span.start, SEPARATE);
        };
        let names_pattern = words(&title).iter().any(|word| word.starts_with("pattern"));
        let names_rules = words(&title).len() <= LABEL_WORDS
            && kind_of_title(&label(&title)) == Some(Kind::Rules);
        let has_language = fence.opening.len() > fence.mark.len();
        let is_pattern = has_language && (names_pattern || names_rules);
        if n_labelled == 0 && !is_pattern {
            return self.skip(span.start, SEPARATE);
        }
        // The heading is the text of the rule, not above it.
        let is_heading = heading.as_deref() == Some(&title) && above.is_empty();
        let last = if is_heading {
            self.headings.pop()
        } else {
            None
        };
        let prefix = self.prefix(outer);
        let code = fence.part(0, fence.lines.len()).unwrap_or_default();
        let text = format!("{title}\n\n{code}");
        let line = self.lines.line(span.start);
        let end_line = line + fence.lines.len() + 1;
        self.push((line, end_line.min(self.lines.len() - 1)), &text, prefix);
        if n_labelled == 0 {
            self.doubt(BY_EXAMPLE);
        }
        self.headings.extend(last);
    }
}
