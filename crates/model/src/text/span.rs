//! Spans of bytes and the index of line starts.

/// A half-open range of bytes in a text.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    /// Returns the span between two offsets.
    pub fn new(start: usize, end: usize) -> Self {
        debug_assert!(start <= end, "a span never ends before it starts");
        Self { start, end }
    }

    /// Returns the text the span covers, or an empty text if it does not fit `text`.
    pub fn slice(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }

    /// Returns whether the span has no bytes.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns the same span in a text with `n_bytes` more in front of it.
    pub fn shifted(self, n_bytes: usize) -> Self {
        Self::new(n_bytes + self.start, n_bytes + self.end)
    }
}

/// The byte offset of each line start of a text.
#[derive(Debug, Clone)]
pub struct LineIndex {
    starts: Vec<usize>,
    n_bytes: usize,
}

impl LineIndex {
    /// Finds the starts of the lines of a text.
    pub fn new(text: &str) -> Self {
        let after_newlines = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        Self {
            starts: std::iter::once(0).chain(after_newlines).collect(),
            n_bytes: text.len(),
        }
    }

    /// Returns the number of lines.
    #[expect(clippy::len_without_is_empty, reason = "every text has a line")]
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns the start of a 0-based line; a line past the last one starts at the end.
    pub fn start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.n_bytes)
    }

    /// Returns the 0-based line that contains the byte at `offset`.
    pub fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset) - 1
    }

    /// Returns the 0-based line that contains the byte at `offset`, and its column in bytes.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let line = self.line(offset);
        (line, offset - self.starts[line])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_includes_its_newline() {
        let lines = LineIndex::new("a\nbc\n");
        assert_eq!([0, 1, 2, 4, 5].map(|at| lines.line(at)), [0, 0, 1, 1, 2]);
    }
}
