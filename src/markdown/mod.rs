//! Memories as markdown: frontmatter, sections, links, and secrets that must not be in them.
//!
//! Text goes in, plain values come out; reading never fails. What cannot be read
//! becomes a [`Diagnostic`] and the rest still counts. An edit keeps every byte
//! that it is not about, or is refused ([`Refusal`]). Every pass is linear in its
//! input, hostile input included. Reads no file and no clock.

pub(crate) mod edit;
pub(crate) mod frontmatter;
pub(crate) mod html;
pub(crate) mod join;
pub(crate) mod links;
pub(crate) mod rules;
pub(crate) mod secrets;
pub(crate) mod sections;
mod structure;

use crate::text::LineIndex;

/// Something wrong in a memory's text, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Diagnostic {
    /// A stable word for the kind of trouble, such as `unclosed`.
    pub(crate) code: &'static str,
    pub(crate) line: usize,
    /// In bytes.
    pub(crate) column: usize,
    /// What is wrong; line numbers in it are printed ones, from 1.
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

/// Why a text is not edited as it was asked: the edit would harm it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The line it is about, from 0, where there is one.
    pub(crate) line: Option<usize>,
    pub(crate) message: String,
    pub(crate) hint: String,
}

impl Refusal {
    fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { line: None, message: message.into(), hint: hint.into() }
    }

    fn on_line(self, line: usize) -> Self {
        Self { line: Some(line), ..self }
    }
}

impl Diagnostic {
    fn new(code: &'static str, at: usize, lines: &LineIndex, message: String) -> Self {
        let (line, column) = lines.line_column(at);
        Self { code, line, column, message, hint: None }
    }

    fn hint(mut self, hint: String) -> Self {
        self.hint = Some(hint);
        self
    }
}
