//! The items that a document is found to have, with their text as it is written.

use cerberus_prose::samples;

use super::blocks::CODE;
use super::governing::{self, Prefix};
use super::places::SEPARATOR;
use super::{MAX_PREFIX_BYTES, Reader, RuleItem};
use crate::sections::slug;

pub(super) const LONG_PREFIX: &str =
    "the text above it, without which it may say the opposite, is too long";
/// The maximum length of a skipped block's text, in characters, and of a slug, in words.
pub(super) const SHOWN_CHARS: usize = 80;
const SLUG_WORDS: usize = 6;

impl Reader<'_> {
    pub(super) fn accept(&mut self, start: usize, end: usize, prefix: Prefix) {
        let end_line = self
            .lines
            .line(start + self.text[start..end].trim_end().len());
        let lines = (self.lines.line(start), end_line);
        self.push(lines, &self.dedent(start, end), prefix);
    }

    pub(super) fn push(&mut self, (line, end_line): (usize, usize), own: &str, prefix: Prefix) {
        let is_long = prefix.text.len() > MAX_PREFIX_BYTES;
        let headings = self.own_headings().map(|heading| heading.shown.as_str());
        let heading: Vec<&str> = headings
            .chain(self.labels.iter().map(String::as_str))
            .collect();
        let mut item = RuleItem {
            line,
            end_line,
            text: format!("{}{own}", prefix.text),
            prefix_len: prefix.text.len(),
            may_be_negated: prefix.may_negate,
            headings: self.slugs(),
            heading: heading.join(SEPARATOR),
            skipped_because: None,
            doubt: None,
            samples: samples::named(own).into_iter().map(str::to_owned).collect(),
            is_sample: false,
        };
        if is_long {
            let (text, skipped_because) = (shortened(own), Some(LONG_PREFIX));
            item = RuleItem {
                line,
                end_line,
                text,
                skipped_because,
                ..RuleItem::default()
            };
        }
        self.found.push(item);
    }

    /// Records why a reader has to confirm that the last item is a rule.
    pub(super) fn doubt(&mut self, why: &'static str) {
        if let Some(last) = self.found.last_mut()
            && last.skipped_because.is_none()
        {
            last.doubt = Some(why);
        }
    }

    /// Records that the last item names samples of its heading; `is_only` if nothing else makes it a rule.
    pub(super) fn sample(&mut self, places: Vec<String>, is_only: bool) {
        if let Some(last) = self.found.last_mut()
            && last.skipped_because.is_none()
        {
            last.samples = places;
            last.is_sample = is_only;
        }
    }

    pub(super) fn skip(&mut self, start: usize, reason: &'static str) {
        let text = shortened(&self.text[start..]);
        let (line, skipped_because) = (self.lines.line(start), Some(reason));
        let item = RuleItem {
            line,
            end_line: line,
            text,
            skipped_because,
            ..RuleItem::default()
        };
        self.found.push(item);
    }

    /// Returns a part of the text, without the indent of the first line and the marks of a
    /// quotation on the others.
    fn dedent(&self, start: usize, end: usize) -> String {
        let (line, column) = self.lines.line_column(start);
        let before = &self.text[self.lines.start(line)..start];
        let is_quoted = before.trim_start().starts_with('>');
        let written = self.without_blanks(start, end);
        let mut lines = without_callout(&written).trim_end().lines();
        let mut text = lines.next().unwrap_or_default().trim_end().to_owned();
        for line in lines {
            let line = match line.trim_start().strip_prefix('>') {
                Some(rest) if is_quoted => rest.trim_start(),
                _ => line,
            };
            let n_indent = line
                .bytes()
                .take_while(|byte| matches!(byte, b' ' | b'\t'))
                .count();
            text.push('\n');
            text.push_str(line[n_indent.min(column)..].trim_end());
        }
        text
    }

    /// Returns a part of the text without its blanks and the space before each.
    fn without_blanks(&self, start: usize, end: usize) -> String {
        let mut text = String::with_capacity(end - start);
        let mut at = start;
        let first = self.blanks.partition_point(|blank| blank.start < start);
        for blank in &self.blanks[first..] {
            if blank.end > end {
                break;
            }
            let before = &self.text[at.min(blank.start)..blank.start];
            text.push_str(before.trim_end_matches(' '));
            at = at.max(blank.end);
        }
        text.push_str(&self.text[at..end]);
        text
    }

    fn slugs(&self) -> Vec<String> {
        let slugs = self.own_headings().map(|heading| {
            let slug = slug(&heading.title.replace(CODE, " "));
            let words = slug.split('-').filter(|word| !word.is_empty());
            words.take(SLUG_WORDS).collect::<Vec<_>>().join("-")
        });
        slugs.filter(|slug| !slug.is_empty()).collect()
    }
}

/// Returns a text without the name of a callout on its first line: `[!NOTE]`.
fn without_callout(text: &str) -> &str {
    match text.split_once('\n') {
        Some((first, rest)) if governing::callout(first.trim()).is_some() => {
            rest.trim_start_matches(['>', ' ', '\t'])
        }
        _ => text,
    }
}

/// Returns the beginning of the first line of a text.
fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default().trim();
    match line.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line.to_owned(),
    }
}
