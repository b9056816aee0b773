//! The excerpt of an example for a reader: the lines that show its rule.

use std::path::Path;

use super::rank::imports::{import_lines, imported_names};
use super::rank::rule_words::RuleWords;
pub use crate::syntax::excerpt::Source;
use crate::syntax::excerpt::{self, Excerpt};
use crate::syntax::language;
use crate::tree::read;

/// First and last line of a range, counted from 1.
pub type LineRange = (u32, u32);

/// Maximum number of lines of each candidate that a person or an agent chooses from.
pub const CANDIDATE_LINES: usize = 7;

/// The part of a candidate's lines that the comment above it may take, and the imports as well.
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
    let max_above = max_lines / COMMENT_SHARE;
    let imports = imports_above(rule, &text, lines.0 as usize, max_above);
    let comment = excerpt::comment_above(&text, lines.0 as usize, max_above);
    let above = imports.followed_by(comment);
    let n_left = max_lines - above.text.lines().count();
    above.followed_by(of_text(rule, source, lines, n_left))
}

/// Returns the lines above a candidate that import what its rule names: the same name may come from another package.
fn imports_above(rule: &RuleWords, text: &str, first: usize, max_lines: usize) -> Excerpt {
    let mut shown: Vec<&str> = Vec::new();
    let mut rows = Vec::new();
    for line in import_lines(text) {
        if shown.len() == max_lines {
            break;
        }
        let start = line.as_ptr() as usize - text.as_ptr() as usize;
        let row = memchr::memchr_iter(b'\n', &text.as_bytes()[..start]).count();
        if row < first && rule.has_name(&imported_names(line)) {
            shown.push(line);
            rows.push((row, row));
        }
    }
    Excerpt {
        text: shown.join("\n"),
        lines: rows,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test writes a file")]
    fn the_import_of_a_named_type_is_shown() {
        let folder = tempfile::tempdir().expect("a folder");
        let text = "import { Join } from \"box-types\";\nimport { seal } from \"./wax\";\n\nconst size = 3;\n\nexport function pack(): Join {\n  return seal(size);\n}\n";
        std::fs::write(folder.path().join("a.ts"), text).expect("a file");
        let shown = |rule: &str| {
            let words = RuleWords::new(rule, &[]);
            of_candidate(folder.path(), &words, ("a.ts", (6, 8)), CANDIDATE_LINES)
        };
        let excerpt = shown("Return `Join` of `box-types`");
        let expected = "import { Join } from \"box-types\";\nexport function pack(): Join {\n  return seal(size);\n}";
        assert_eq!(excerpt.text, expected);
        assert_eq!(shown_lines(&excerpt), [(1, 1), (6, 8)]);
        assert_eq!(shown_lines(&shown("Return sizes")), [(6, 8)]);
    }
}
