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
use comfy_table::{Cell, ColumnConstraint, ContentArrangement, Row, Table, Width, presets};
use serde::Serialize;
use textwrap::core::display_width;
use textwrap::{Options, WordSeparator, WordSplitter};

use crate::config::Terminal;

mod code;
mod keyboard;
mod progress;

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

/// Minimum width of a table column with longer cells.
const MIN_COLUMN_WIDTH: usize = 12;

/// Where a cell may break, a space without width. It is removed from the printed table; one in the text
/// itself is escaped before.
const BREAK: char = '\u{200b}';

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

    /// Adds rows: a table with a heading on a terminal, otherwise lines with cells separated by tabs.
    pub(crate) fn rows<R: AsRef<[String]>>(
        &mut self,
        heading: &[&str],
        rows: impl IntoIterator<Item = R>,
    ) {
        self.table(heading, rows, usize::MAX);
    }

    /// Like [`rows`](Self::rows), with at most `max_height` lines of the terminal for each row: longer cells are
    /// cut, and with one line the first column, of names, at a third of the width.
    pub(crate) fn table<R: AsRef<[String]>>(
        &mut self,
        heading: &[&str],
        rows: impl IntoIterator<Item = R>,
        max_height: usize,
    ) {
        let rows: Vec<R> = rows.into_iter().collect();
        let rows: Vec<&[String]> = rows.iter().map(AsRef::as_ref).collect();
        if rows.is_empty() {
            return;
        }
        if !self.terminal.out_is_terminal {
            for row in rows {
                let cells = row.iter().map(|cell| cell.replace(['\t', '\n', '\r'], " "));
                self.line(&cells.collect::<Vec<_>>().join("\t"));
            }
            return;
        }
        let max_name_width = if max_height == 1 {
            self.terminal.width / 3
        } else {
            usize::MAX
        };
        if min_width(heading, &rows, max_name_width) > self.terminal.width {
            rows.into_iter().for_each(|row| self.stacked_row(row));
            return;
        }
        let mut table = Table::new();
        table
            .load_style(presets::NOTHING)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(u16::try_from(self.terminal.width).unwrap_or(u16::MAX))
            .set_header(heading);
        for row in rows {
            let mut row = Row::from(row.iter().map(|cell| breakable(&self.safe(cell))));
            row.max_height(max_height);
            table.add_row(row);
        }
        // The first column identifies the row, so it is never wrapped.
        if let Some(first) = table.column_mut(0) {
            let constraint = match u16::try_from(max_name_width) {
                Ok(max) => ColumnConstraint::UpperBoundary(Width::Fixed(max)),
                Err(_) => ColumnConstraint::ContentWidth,
            };
            first.set_constraint(constraint).set_padding((0, 1));
        }
        let text = table.to_string().replace(BREAK, "");
        for line in text.lines() {
            self.line(line.trim_end());
        }
    }

    /// Adds a row with one cell per line, for a narrow terminal.
    fn stacked_row(&mut self, row: &[String]) {
        let Some((first, rest)) = row.split_first() else {
            return;
        };
        self.line(&self.style(NAME, first));
        for cell in rest {
            if !matches!(cell.as_str(), "" | "-") {
                self.line(&format!("  {}", self.safe(cell)));
            }
        }
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

/// Returns a cell whose text breaks at spaces, or after the separators of a path or a symbol
/// without spaces.
fn breakable(text: &str) -> Cell {
    const SEPARATORS: [char; 5] = ['/', ':', '.', '_', '-'];
    if text.contains(' ') || !text.contains(SEPARATORS) {
        return Cell::new(text);
    }
    let mut broken = String::with_capacity(text.len() * 2);
    // The name of a file stays with its extension.
    let mut is_symbol = !text.contains('/');
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        broken.push(c);
        is_symbol |= broken.ends_with("::");
        // `::` is one separator, and so is `__`.
        let is_last = chars.peek().is_some_and(|next| *next != c);
        if SEPARATORS.contains(&c) && is_last && (c != '.' || is_symbol) {
            broken.push(BREAK);
        }
    }
    Cell::new(broken).set_delimiter(BREAK)
}

/// Returns the minimum width of a table whose first column, of names, is not wrapped.
fn min_width(heading: &[&str], rows: &[&[String]], max_name_width: usize) -> usize {
    const GAP: usize = 2;
    let column_width = |idx: usize| {
        let cells = rows
            .iter()
            .filter_map(|row| row.get(idx))
            .map(|cell| cell.chars().count());
        let widest = cells.chain([heading[idx].len()]).max().unwrap_or_default();
        if idx == 0 {
            widest.min(max_name_width)
        } else {
            GAP + widest.min(MIN_COLUMN_WIDTH)
        }
    };
    (0..heading.len()).map(column_width).sum()
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

    const ROW: &[&str] = &[
        "close-sessions-with-the-request",
        "rule",
        "src/shop/db.py::close",
    ];

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

    fn printed(width: usize) -> String {
        let mut out = printer(width);
        let row: Vec<String> = ROW.iter().map(|cell| (*cell).to_owned()).collect();
        out.rows(&["id", "type", "example"], &[row]);
        out.take()
    }

    #[test]
    fn rows_are_printed_as_a_table_on_a_wide_terminal() {
        let table = "id                               type  example\n\
                     close-sessions-with-the-request  rule  src/shop/db.py::close\n";
        assert_eq!(printed(80), table);
    }

    #[test]
    fn the_names_of_short_rows_take_a_third_of_the_width() {
        let mut out = printer(40);
        let row = [
            "close-sessions-with-the-request",
            "Close them when the request ends",
        ];
        out.table(&["id", "text"], &[row.map(str::to_owned)], 1);
        assert_eq!(
            out.take(),
            "id            text\nclose-…       Close them when th…\n"
        );
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

    #[test]
    fn a_path_breaks_after_its_separators() {
        let mut out = printer(60);
        let row = [
            "env-config",
            "rule",
            "src/flask/settings/config.py::Config.from_prefixed_env",
        ];
        out.rows(
            &["id", "type", "example"],
            &[row.map(str::to_owned).to_vec()],
        );
        let table = "id          type  example\n\
                     env-config  rule  src/flask/settings/config.py::\n                  \
                     Config.from_prefixed_env\n";
        assert_eq!(out.take(), table);
    }

    #[test]
    fn a_long_name_breaks_after_its_separators_too() {
        let mut out = printer(60);
        let row = [
            "1",
            "0.63",
            "tests/test_templating.py:71-88",
            "test_escaping",
            "escape html",
        ];
        out.rows(
            &["#", "quality", "location", "symbol", "matched terms"],
            &[row.map(str::to_owned).to_vec()],
        );
        let table = "#  quality  location        symbol         matched terms\n\
                     1  0.63     tests/test_     test_escaping  escape html\n            \
                     templating.py:\n            \
                     71-88\n";
        assert_eq!(out.take(), table);
    }

    #[test]
    fn rows_are_stacked_on_a_narrow_terminal() {
        let stack = "close-sessions-with-the-request\n  rule\n  src/shop/db.py::close\n";
        assert_eq!(printed(48), stack);
    }
}
