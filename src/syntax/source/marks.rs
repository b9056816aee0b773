//! What tells that code need not be walked token by token.

use crate::text::Span;

/// Where in a text something may be defined, quoted or commented.
pub(super) struct Marks {
    positions: Vec<usize>,
    /// The first one that is not before what was asked last.
    next: usize,
}

impl Marks {
    pub(super) fn new(positions: Vec<usize>) -> Self {
        Self { positions, next: 0 }
    }

    /// Returns whether a piece of the text has a mark; asked by ascending starts.
    pub(super) fn any_in(&mut self, span: Span) -> bool {
        self.first_in(span).is_some()
    }

    /// Returns the first mark in a piece of the text; asked by ascending starts.
    pub(super) fn first_in(&mut self, span: Span) -> Option<usize> {
        while self.positions.get(self.next).is_some_and(|at| *at < span.start) {
            self.next += 1;
        }
        self.positions.get(self.next).copied().filter(|at| *at < span.end)
    }
}
