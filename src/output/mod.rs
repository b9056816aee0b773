//! Output: text, colours, tables, JSON, errors and progress.
//!
//! Answers go to stdout, everything else to stderr. Only this module prints, except that clap writes
//! its usage errors and `mcp` its protocol. A closed pipe ends the program silently; other write
//! errors are reported.

use std::borrow::Cow;
use std::io::{ErrorKind, Write};

use anstyle::{AnsiColor, Style};
use anyhow::Result;
use cerberus_model::{ExitStatus, UserError, text};
use serde::Serialize;
use textwrap::core::display_width;
use textwrap::{Options, WordSeparator, WordSplitter};

use crate::config::Terminal;

mod code;
mod keyboard;
mod progress;
mod table;

pub(crate) use keyboard::Keyboard;
pub(crate) use progress::ProgressBar;

/// Ids and paths.
pub(crate) const NAME: Style = AnsiColor::Cyan.on_default();
/// Success.
pub(crate) const OK: Style = AnsiColor::Green.on_default();
/// Warnings.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
/// Errors.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default();
/// Secondary text.
pub(crate) const DIM: Style = Style::new().dimmed();

/// What a command returns.
pub(crate) type CliResult = Result<ExitStatus>;

/// Error for a closed pipe on stdout.
#[derive(Debug, thiserror::Error)]
#[error("the output was closed")]
pub(crate) struct Closed;

/// Buffered answer of a command, written to stdout by [`flush`](Self::flush).
pub(crate) struct Printer {
    pub(crate) terminal: Terminal,
    /// Whether reports are printed as JSON.
    pub(crate) json: bool,
    text: Vec<u8>,
}

impl Printer {
    pub(crate) fn new(terminal: Terminal, json: bool) -> Self {
        Self {
            terminal,
            json,
            text: Vec::new(),
        }
    }

    /// Adds a line to the answer. On a terminal it is wrapped at words.
    pub(crate) fn line(&mut self, line: &str) {
        for row in self.wrapped(line) {
            self.text.extend_from_slice(row.as_bytes());
            self.text.push(b'\n');
        }
    }

    /// Adds a line of code or data, which is not wrapped.
    pub(crate) fn code(&mut self, line: &str) {
        self.text.extend_from_slice(line.as_bytes());
        self.text.push(b'\n');
    }

    /// Returns the rows of the terminal that a text takes.
    fn wrapped(&self, text: &str) -> Vec<String> {
        match self.terminal.out_is_terminal {
            true => wrapped(text, self.terminal.width),
            false => vec![text.to_owned()],
        }
    }

    /// Adds bytes unchanged. On a terminal control characters are escaped.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        if self.terminal.out_is_terminal {
            let text = text::escaped(&String::from_utf8_lossy(bytes));
            self.text.extend_from_slice(text.as_bytes());
        } else {
            self.text.extend_from_slice(bytes);
        }
    }

    /// Returns untrusted text for stdout. On a terminal control and bidirectional characters are
    /// escaped.
    pub(crate) fn safe(&self, text: &str) -> String {
        if self.terminal.out_is_terminal {
            text::escaped(text)
        } else {
            text.to_owned()
        }
    }

    /// Applies a style to untrusted text.
    pub(crate) fn style(&self, style: Style, text: &str) -> String {
        self.paint(style, &self.safe(text))
    }

    /// Applies a style to trusted text.
    pub(crate) fn paint(&self, style: Style, text: &str) -> String {
        if self.terminal.color {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }

    /// Returns the number of rows of the terminal that a line takes.
    pub(crate) fn n_rows(&self, line: &str) -> usize {
        self.wrapped(line).len()
    }

    /// Adds a report as one JSON document. Escapes are needed, and longer, only on a terminal.
    pub(crate) fn json<T: Serialize>(&mut self, report: &T) -> Result<()> {
        let text = serde_json::to_string(report)?;
        let is_terminal = self.terminal.out_is_terminal;
        self.code(&if is_terminal {
            text::escaped_json(&text)
        } else {
            text
        });
        Ok(())
    }

    /// Adds a report as one JSON document if that was requested, else as `print` shows it. Returns
    /// the status of a command that is done.
    pub(crate) fn report<T: Serialize>(
        &mut self,
        report: &T,
        print: impl FnOnce(&T, &mut Self),
    ) -> CliResult {
        if self.json {
            self.json(report)?;
        } else {
            print(report, self);
        }
        Ok(ExitStatus::Done)
    }

    /// Takes the buffered text.
    pub(crate) fn take(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.text)).into_owned()
    }

    /// Writes the buffered text to stdout.
    pub(crate) fn flush(&mut self) -> Result<()> {
        let mut out = std::io::stdout().lock();
        let written = out.write_all(&self.text).and_then(|()| out.flush());
        self.text.clear();
        match written {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Closed.into()),
            Err(error) => Err(anyhow::Error::new(error).context("failed to write output")),
        }
    }

    /// Writes warnings to stderr.
    pub(crate) fn warn(&self, warnings: &[String]) {
        let mut text = String::new();
        for warning in warnings {
            text += &self.labelled(WARN, "warning", warning);
        }
        write_error(&text);
    }

    /// Writes lines to stderr.
    pub(crate) fn note(&self, lines: &[String]) {
        let mut text = String::new();
        for line in lines {
            text += &self.error_lines(&self.safe_err(line));
        }
        write_error(&text);
    }

    /// Writes an error and its hints to stderr, and returns the exit status.
    pub(crate) fn failure(&self, error: &anyhow::Error) -> ExitStatus {
        if error.chain().any(|cause| cause.is::<Closed>()) {
            return ExitStatus::Done;
        }
        let failure = error
            .chain()
            .find_map(|cause| cause.downcast_ref::<UserError>());
        let hints = failure.map_or(&[][..], |failure| &failure.hints);
        if self.json {
            let failure = serde_json::json!({ "error": format!("{error:#}"), "hints": hints });
            write_error(&format!("{}\n", text::escaped_json(&failure.to_string())));
        } else {
            let mut text = self.labelled(ERROR, "cerberus", &format!("{error:#}"));
            for hint in hints {
                text += &self.labelled(NAME, "hint", hint);
            }
            write_error(&text);
        }
        failure.map_or(ExitStatus::Environment, |failure| failure.status)
    }

    /// Returns a line for stderr.
    fn labelled(&self, style: Style, label: &str, message: &str) -> String {
        let message = self.safe_err(&one_line(message));
        if self.terminal.color && self.terminal.err_is_terminal {
            return self.error_lines(&format!("{style}{label}{style:#}: {message}"));
        }
        self.error_lines(&format!("{label}: {message}"))
    }

    /// Returns the lines of a text on stderr. On a terminal it is wrapped at words.
    fn error_lines(&self, text: &str) -> String {
        match self.terminal.err_is_terminal {
            true => wrapped(text, self.terminal.width).join("\n") + "\n",
            false => format!("{text}\n"),
        }
    }

    fn safe_err(&self, text: &str) -> String {
        if self.terminal.err_is_terminal {
            text::escaped(text)
        } else {
            text.to_owned()
        }
    }
}

/// Returns the rows that a text takes at a width. What is in back-ticks, often a command to copy, stays
/// together, and a word that is too long for an indented row, such as a location, is not indented.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    /// In place of a space that does not break: a character of private use, which is as wide.
    const KEPT: char = '\u{e000}';
    let wrap = |line: &str| {
        let indent = " ".repeat(line.len() - line.trim_start_matches(' ').len() + 2);
        let options = Options::new(width)
            .subsequent_indent(&indent)
            .break_words(false)
            .word_separator(WordSeparator::AsciiSpace)
            .word_splitter(WordSplitter::NoHyphenation);
        let mut is_code = false;
        let kept = line.chars().map(|c| {
            is_code ^= c == '`';
            if is_code && c == ' ' { KEPT } else { c }
        });
        let kept: String = kept.collect();
        let row = |row: Cow<str>| match display_width(&row) > width {
            true => row.trim_start().replace(KEPT, " "),
            false => row.replace(KEPT, " "),
        };
        textwrap::wrap(&kept, options)
            .into_iter()
            .map(row)
            .collect::<Vec<_>>()
    };
    text.split('\n').flat_map(wrap).collect()
}

fn write_error(text: &str) {
    // An error on stderr cannot be reported.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Returns a message on one line, because a CI service could interpret a quoted line as a command.
fn one_line(message: &str) -> String {
    message.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printer(width: usize) -> Printer {
        let terminal = Terminal {
            out_is_terminal: true,
            err_is_terminal: false,
            color: false,
            width,
            height: 24,
        };
        Printer::new(terminal, false)
    }

    #[test]
    fn messages_break_at_words_on_a_terminal() {
        let mut out = printer(24);
        let message = "the bank `a b c d e` has no rule";
        assert_eq!(
            out.labelled(WARN, "warning", message),
            format!("warning: {message}\n")
        );
        out.terminal.err_is_terminal = true;
        let rows = "warning: the bank\n  `a b c d e` has no\n  rule\n";
        assert_eq!(out.labelled(WARN, "warning", message), rows);
    }

    #[test]
    fn a_location_that_is_as_wide_as_the_terminal_is_not_indented() {
        let rows = wrapped("  [1] src/client.rs::f:2-3  0.83", 20);
        assert_eq!(rows, ["  [1]", "src/client.rs::f:2-3", "    0.83"]);
    }

    #[test]
    fn json_has_no_control_characters_on_a_terminal() {
        let mut out = printer(80);
        out.json(&["\u{9b}2J\u{202e}"]).expect("JSON");
        assert_eq!(out.take(), "[\"\\u009b2J\\u202e\"]\n");
    }
}
