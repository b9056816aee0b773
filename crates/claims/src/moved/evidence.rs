//! Whether equal lines of two documents are the same text, and not equal by accident.

use std::collections::BTreeSet;

use cerberus_model::text::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// Minimum numbers of words and of letters of a block that moved: a short line, as `## Tests` or the
/// name of a file alone, is in many documents.
const MOVED: Evidence = Evidence {
    n_words: 4,
    n_letters: 20,
    n_lines: 1,
    is_all: false,
};

/// The same for a block that the other document lost in a later commit, which only its length connects
/// with the copy. `git blame -C` asks for as many letters.
const COPIED: Evidence = Evidence {
    n_words: 10,
    n_letters: 40,
    n_lines: 2,
    is_all: false,
};

/// A line of more documents is in them by custom: `npm install`.
const MAX_DOCUMENTS: u32 = 2;

/// A block with more lines is not read further.
const MAX_LINES: usize = 40;

/// Maximum number of places of a line in a document that are compared.
const MAX_PLACES: usize = 8;

/// How much of two documents around a line is equal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Evidence {
    n_words: usize,
    n_letters: usize,
    n_lines: usize,
    /// Whether the other document has nothing else.
    is_all: bool,
}

impl Evidence {
    /// Returns whether the text is the same. `is_at_once` says that one commit wrote it to a document and
    /// removed it from the other one.
    pub(super) fn is_enough(self, is_at_once: bool) -> bool {
        let least = if is_at_once || self.is_all {
            MOVED
        } else {
            COPIED
        };
        self.n_words >= least.n_words
            && self.n_letters >= least.n_letters
            && self.n_lines >= least.n_lines
    }

    fn add(&mut self, line: &str) {
        self.n_lines += 1;
        for word in line.split_whitespace() {
            let n_letters = word.chars().filter(|c| c.is_alphanumeric()).count();
            self.n_letters += n_letters;
            // A script without spaces has a word in about two characters.
            let n_wide = word.chars().filter(|c| *c >= '\u{2e80}').count();
            self.n_words += usize::from(n_letters > n_wide) + n_wide.div_ceil(2);
        }
    }
}

/// The lines of a document, trimmed and without empty ones.
#[derive(Debug, Default)]
pub(super) struct Lines {
    text: String,
    spans: Vec<Span>,
    /// The first positions of each line that is looked for.
    positions: FxHashMap<String, Vec<usize>>,
}

impl Lines {
    /// Reads a document in which the `wanted` lines are looked for. One without any of them is not stored:
    /// most documents have none.
    pub(super) fn new(text: &str, wanted: &FxHashSet<String>) -> Self {
        let mut spans = Vec::new();
        let mut positions: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for line in lines_of(text) {
            if wanted.contains(line) {
                let of_line = positions.entry(line.to_owned()).or_default();
                if of_line.len() < MAX_PLACES {
                    of_line.push(spans.len());
                }
            }
            let start = line.as_ptr() as usize - text.as_ptr() as usize;
            spans.push(Span {
                start,
                end: start + line.len(),
            });
        }
        if positions.is_empty() {
            return Self::default();
        }
        Self {
            text: text.to_owned(),
            spans,
            positions,
        }
    }

    pub(super) fn has(&self, line: &str) -> bool {
        self.positions.contains_key(line)
    }

    /// Returns the largest block of equal lines around a line that both documents have.
    pub(super) fn shared_with(
        &self,
        other: &Self,
        line: &str,
        common: &Common,
    ) -> Option<Evidence> {
        let (own, others) = (self.positions.get(line)?, other.positions.get(line)?);
        let mut best = Evidence::default();
        for &at in own {
            for &other_at in others {
                best = best.max(self.block(at, other, other_at, common));
            }
        }
        Some(best)
    }

    /// Returns the equal lines around one.
    fn block(&self, at: usize, other: &Self, other_at: usize, common: &Common) -> Evidence {
        let max_before = at.min(other_at).min(MAX_LINES);
        let is_before = |n: &usize| self.line(at - n) == other.line(other_at - n);
        let n_before = (1..=max_before).take_while(is_before).count();
        let n_rest = (self.spans.len() - at).min(other.spans.len() - other_at);
        let is_after = |n: &usize| self.line(at + n) == other.line(other_at + n);
        let n_after = (0..n_rest.min(MAX_LINES)).take_while(is_after).count();
        let mut found = Evidence {
            is_all: n_before + n_after == other.spans.len(),
            ..Evidence::default()
        };
        for idx in at - n_before..at + n_after {
            let line = self.line(idx);
            if !common.0.contains_key(line) {
                found.add(line);
            }
        }
        found
    }

    fn line(&self, idx: usize) -> &str {
        self.spans[idx].slice(&self.text)
    }
}

/// Returns the lines of a text, trimmed and without empty ones.
pub(super) fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// The number of documents with each line.
#[derive(Debug, Default)]
pub(super) struct Common(FxHashMap<String, u32>);

impl Common {
    /// Reads documents, of which those with the same text count once.
    pub(super) fn new<'d>(texts: impl Iterator<Item = &'d str>) -> Self {
        let mut counts: FxHashMap<String, u32> = FxHashMap::default();
        for text in texts.collect::<BTreeSet<_>>() {
            let mut lines: Vec<&str> = text.lines().map(str::trim).collect();
            lines.sort_unstable();
            lines.dedup();
            for line in lines {
                *counts.entry(line.to_owned()).or_default() += 1;
            }
        }
        counts.retain(|_, n_documents| *n_documents > MAX_DOCUMENTS);
        Self(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, wanted: &str) -> Lines {
        Lines::new(text, &FxHashSet::from_iter([wanted.to_owned()]))
    }

    #[test]
    fn a_document_without_a_wanted_line_is_not_stored() {
        assert!(lines("a\n b", "b").has("b"));
        let other = lines("a\nb", "c");
        assert!(!other.has("a") && other.text.is_empty());
    }

    #[test]
    fn a_short_line_is_no_evidence_and_a_sentence_is() {
        let common = Common::default();
        let check = |old: &str, new: &str, line: &str, [is_moved, is_copied]: [bool; 2]| {
            let found = lines(new, line).shared_with(&lines(old, line), line, &common);
            let found = found.expect("both have it");
            assert_eq!(found.is_enough(true), is_moved, "{line}");
            assert_eq!(found.is_enough(false), is_copied, "{line}");
        };
        let path = "- `packages/server/src/index.ts`";
        let sentence = "Rows are read by `load_rows` once.";
        check(
            "# A\n## Tests\nx",
            "# B\n\n## Tests\ny",
            "## Tests",
            [false; 2],
        );
        check(
            &format!("a\n{path}\nb"),
            &format!("c\n{path}\nd"),
            path,
            [false; 2],
        );
        check(
            &format!("a\n{sentence}\nb"),
            &format!("c\n  {sentence}"),
            sentence,
            [true, false],
        );
        // The lines around it are the same.
        let block = format!("## Files of the server\n\n{path}\n- it reads the rows of all shops\n");
        check(
            &format!("a\n{block}"),
            &format!("{block}\nb"),
            path,
            [true; 2],
        );
        // All of the other document was copied.
        check(sentence, &format!("a\n{sentence}"), sentence, [true; 2]);
        let wide = "`src/a.py` 读取所有商店的行并写入数据库表格";
        check(
            &format!("a\n{wide}"),
            &format!("b\n{wide}"),
            wide,
            [true, false],
        );
    }

    #[test]
    fn a_line_of_many_documents_is_no_evidence() {
        let line = "Install the packages and run the tests.";
        let texts = [1, 2, 3].map(|n| format!("{line}\n{n}"));
        let is_enough = |n_texts: usize| {
            let common = Common::new(texts[..n_texts].iter().map(String::as_str));
            let [old, new] = ["x", "y"].map(|end| lines(&format!("{line}\n{end}"), line));
            new.shared_with(&old, line, &common)
                .is_some_and(|found| found.is_enough(true))
        };
        assert!(is_enough(2) && !is_enough(3));
        // Copies of one document are one.
        let common = Common::new([texts[0].as_str(); 4].into_iter());
        assert!(common.0.is_empty());
    }
}
