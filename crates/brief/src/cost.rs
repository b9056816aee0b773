//! The size of a text in the units in which clients limit it.

use cerberus_bank::tokens;

/// The size of a text in each unit in which clients limit it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    pub tokens: usize,
    /// UTF-16 units: the characters of clients written in JavaScript, and an upper bound for the
    /// characters of others.
    pub chars: usize,
    pub bytes: usize,
    pub lines: usize,
}

impl Cost {
    pub const ZERO: Self = Self {
        tokens: 0,
        chars: 0,
        bytes: 0,
        lines: 0,
    };
    pub const UNLIMITED: Self = Self {
        tokens: usize::MAX,
        chars: usize::MAX,
        bytes: usize::MAX,
        lines: usize::MAX,
    };

    /// Returns the cost of a text.
    pub fn of(text: &str) -> Self {
        Self {
            tokens: tokens::count(text),
            chars: text.encode_utf16().count(),
            bytes: text.len(),
            lines: text.lines().count(),
        }
    }

    fn zip(self, other: Self, of: impl Fn(usize, usize) -> usize) -> Self {
        Self {
            tokens: of(self.tokens, other.tokens),
            chars: of(self.chars, other.chars),
            bytes: of(self.bytes, other.bytes),
            lines: of(self.lines, other.lines),
        }
    }

    pub fn plus(self, other: Self) -> Self {
        self.zip(other, usize::saturating_add)
    }

    pub fn minus(self, other: Self) -> Self {
        self.zip(other, usize::saturating_sub)
    }

    pub fn fits(self, limit: Self) -> bool {
        self.zip(limit, usize::min) == self
    }
}
