//! The excerpt of an example for a reader: the lines that show its rule.

use std::path::Path;

use super::rank::rule_words::RuleWords;
pub use crate::syntax::excerpt::Source;
use crate::syntax::excerpt::{self, Excerpt};
use crate::syntax::language;
use crate::tree::read;

/// First and last line of a range, counted from 1.
pub type LineRange = (u32, u32);

/// Maximum number of lines of each candidate that a person or an agent chooses from.
pub const CANDIDATE_LINES: usize = 7;

/// The part of a candidate's lines that the comment above it may take.
const COMMENT_SHARE: usize = 4;

/// Returns the excerpt of the code between two lines of a file's text, both counted from 0.
pub fn of_text(
    rule: &RuleWords,
    source: Source<'_>,
    (first, last): (u32, u32),
    max_lines: usize,
) -> Excerpt {
    let lines = (first as usize, last as usize);
    excerpt::excerpt(source, lines, max_lines, |line| rule.evidence(line))
}

/// Returns the excerpt of a candidate between two lines of a file, both counted from 1, below the start
/// of the comment above it. It is empty if the file cannot be read.
pub fn of_candidate(
    root: &Path,
    rule: &RuleWords,
    (file, (first, last)): (&str, LineRange),
    max_lines: usize,
) -> Excerpt {
    let Ok(text) = read::text(root, file) else {
        return Excerpt::default();
    };
    let lines = (first.saturating_sub(1), last.saturating_sub(1));
    let source = Source {
        language: language::from_path(file),
        text: &text,
    };
    let comment = excerpt::comment_above(&text, lines.0 as usize, max_lines / COMMENT_SHARE);
    let n_left = max_lines - comment.text.lines().count();
    comment.followed_by(of_text(rule, source, lines, n_left))
}

/// Returns the lines of a file that an excerpt has, counted from 1.
pub fn shown_lines(excerpt: &Excerpt) -> Vec<LineRange> {
    let number = |line: usize| u32::try_from(line + 1).unwrap_or(u32::MAX);
    excerpt
        .lines
        .iter()
        .map(|(first, last)| (number(*first), number(*last)))
        .collect()
}
