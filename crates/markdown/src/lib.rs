//! Memories as markdown: frontmatter, sections, links, rules, and a check for secrets.
//!
//! All functions map text to plain values. Reading never fails: invalid parts are reported as
//! [`Diagnostic`]s and the rest is read. An edit changes only the requested bytes, or fails with
//! an [`EditError`]. Every pass is linear in its input, even for hostile input. Reads no file
//! and no clock.

pub mod code_examples;
pub mod edit;
pub mod frontmatter;
#[cfg(any(fuzzing, test))]
#[path = "../../../tests/fuzz/properties/markdown.rs"]
pub mod fuzz;
pub mod html;
pub mod layout;
pub mod links;
pub mod merge;
pub mod rules;
pub mod secrets;
pub mod sections;
pub mod structure;
#[cfg(test)]
mod test_support;

use cerberus_model::text::LineIndex;
use serde::Serialize;

/// A problem in the text of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// A stable identifier of the kind of problem, such as `unclosed`.
    pub code: &'static str,
    pub line: usize,
    /// In bytes.
    pub column: usize,
    /// Line numbers in the message count from 1.
    pub message: String,
    pub hint: Option<String>,
}

impl Diagnostic {
    fn new(code: &'static str, at: usize, lines: &LineIndex, message: String) -> Self {
        let (line, column) = lines.line_column(at);
        Self {
            code,
            line,
            column,
            message,
            hint: None,
        }
    }

    /// Returns the message with its place in a file, counted from 1.
    pub fn in_file(&self, file: &str) -> String {
        format!(
            "{file}:{}:{}: {}",
            self.line + 1,
            self.column + 1,
            self.message
        )
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// The reason why an edit was refused: it would damage the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditError {
    /// The line of the problem, from 0, if it has one.
    pub line: Option<usize>,
    pub message: String,
    pub hint: String,
}

impl EditError {
    fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            line: None,
            message: message.into(),
            hint: hint.into(),
        }
    }

    fn on_line(self, line: usize) -> Self {
        Self {
            line: Some(line),
            ..self
        }
    }
}

impl From<&Diagnostic> for EditError {
    fn from(diagnostic: &Diagnostic) -> Self {
        let hint = diagnostic.hint.clone().unwrap_or_default();
        Self::new(diagnostic.message.clone(), hint).on_line(diagnostic.line)
    }
}
