//! Memories as markdown: frontmatter, sections, links, rules, and a check for secrets.
//!
//! All functions map text to plain values. Reading never fails: invalid parts are reported as
//! [`Diagnostic`]s and the rest is read. An edit changes only the requested bytes, or fails with
//! an [`EditError`]. Every pass is linear in its input, even for hostile input. Reads no file
//! and no clock.

pub(crate) mod claims;
pub(crate) mod code_examples;
pub(crate) mod edit;
pub(crate) mod frontmatter;
pub(crate) mod html;
pub(crate) mod links;
pub(crate) mod merge;
pub(crate) mod rules;
pub(crate) mod secrets;
pub(crate) mod sections;
mod structure;
#[cfg(test)]
mod test_support;
mod word_lists;

use crate::text::LineIndex;

/// A problem in the text of a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Diagnostic {
    /// A stable identifier of the kind of problem, such as `unclosed`.
    pub(crate) code: &'static str,
    pub(crate) line: usize,
    /// In bytes.
    pub(crate) column: usize,
    /// Line numbers in the message count from 1.
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Diagnostic {
    fn new(code: &'static str, at: usize, lines: &LineIndex, message: String) -> Self {
        let (line, column) = lines.line_column(at);
        Self { code, line, column, message, hint: None }
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// The reason why an edit was refused: it would damage the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EditError {
    /// The line of the problem, from 0, if it has one.
    pub(crate) line: Option<usize>,
    pub(crate) message: String,
    pub(crate) hint: String,
}

impl EditError {
    fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { line: None, message: message.into(), hint: hint.into() }
    }

    fn on_line(self, line: usize) -> Self {
        Self { line: Some(line), ..self }
    }
}

impl From<&Diagnostic> for EditError {
    fn from(diagnostic: &Diagnostic) -> Self {
        let hint = diagnostic.hint.clone().unwrap_or_default();
        Self::new(diagnostic.message.clone(), hint).on_line(diagnostic.line)
    }
}
