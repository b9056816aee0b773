//! Reports and failures to bytes: streams, colour, width, tables, JSON, progress.
//!
//! stdout is the answer, stderr is everything else. Nothing else in the crate prints
//! but clap, which writes its own usage errors. Every write may fail: a reader that
//! went away ends the program quietly, anything else is an error.

use std::fmt::Write as _;
use std::io::{ErrorKind, Write};
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use anyhow::Result;
use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};
use serde::Serialize;

use crate::config::Terminal;
use crate::error::{ExitStatus, UserError};
use crate::text;
use crate::timings::Step;

pub(crate) mod graph;
mod progress;

pub(crate) use progress::Bar;

/// Names, paths and other things to find again in the text.
pub(crate) const NAME: Style = AnsiColor::Cyan.on_default();
/// What is well.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// What needs a look.
pub(crate) const ODD: Style = AnsiColor::Yellow.on_default();
/// What is wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
/// What may be skipped in reading.
pub(crate) const FAINT: Style = Style::new().dimmed();

/// How many columns a cell of a table needs to be read, if it is longer than that.
const READABLE: usize = 12;

/// The reader of the output went away.
#[derive(Debug)]
pub(crate) struct Closed;

impl std::fmt::Display for Closed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the output was closed")
    }
}

impl std::error::Error for Closed {}

/// Where a command's answer goes.
pub(crate) struct Printer {
    pub(crate) terminal: Terminal,
    /// Whether reports are printed as JSON.
    pub(crate) json: bool,
    text: Vec<u8>,
}

impl Printer {
    pub(crate) fn new(terminal: Terminal, json: bool) -> Self {
        Self { terminal, json, text: Vec::new() }
    }

    /// Adds a line to the answer.
    pub(crate) fn line(&mut self, line: &str) {
        self.text.extend_from_slice(line.as_bytes());
        self.text.push(b'\n');
    }

    /// Adds bytes as they are; a terminal is shown what it would obey.
    pub(crate) fn exactly(&mut self, bytes: &[u8]) {
        if self.terminal.out_is_terminal {
            let text = text::escaped(&String::from_utf8_lossy(bytes));
            self.text.extend_from_slice(text.as_bytes());
        } else {
            self.text.extend_from_slice(bytes);
        }
    }

    /// Returns what a repository says, safe to show where the answer goes: on a terminal
    /// control and bidirectional characters are escaped.
    pub(crate) fn safe(&self, text: &str) -> String {
        if self.terminal.out_is_terminal { text::escaped(text) } else { text.to_owned() }
    }

    /// Returns a text from the repository in a style.
    pub(crate) fn styled(&self, style: Style, text: &str) -> String {
        self.painted(style, &self.safe(text))
    }

    /// Returns our own text in a style.
    pub(crate) fn painted(&self, style: Style, text: &str) -> String {
        if self.terminal.color { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    /// Adds rows: aligned below a heading on a terminal, else a record a line with tabs between.
    pub(crate) fn rows(&mut self, heading: &[&str], rows: &[Vec<String>]) {
        if rows.is_empty() {
            return;
        }
        if !self.terminal.out_is_terminal {
            for row in rows {
                let cells: Vec<String> =
                    row.iter().map(|cell| cell.replace(['\t', '\n', '\r'], " ")).collect();
                self.line(&cells.join("\t"));
            }
            return;
        }
        if narrowest(heading, rows) > self.terminal.width {
            for row in rows {
                self.stacked(row);
            }
            return;
        }
        let mut table = Table::new();
        table
            .load_style(presets::NOTHING)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(u16::try_from(self.terminal.width).unwrap_or(u16::MAX))
            .set_header(heading);
        for row in rows {
            table.add_row(row.iter().map(|cell| self.safe(cell)));
        }
        // What identifies a row stays in one piece; the rest shares what is left.
        if let Some(first) = table.column_mut(0) {
            first.set_constraint(ColumnConstraint::ContentWidth).set_padding((0, 1));
        }
        let text = table.to_string();
        for line in text.lines() {
            self.line(line.trim_end());
        }
    }

    /// Adds a row whose cells would be too narrow beside each other: below what identifies it.
    fn stacked(&mut self, row: &[String]) {
        let Some((first, rest)) = row.split_first() else {
            return;
        };
        self.line(&self.styled(NAME, first));
        for cell in rest.iter().filter(|cell| !matches!(cell.as_str(), "" | "-")) {
            self.line(&format!("  {}", self.safe(cell)));
        }
    }

    /// Adds a report as one JSON document.
    pub(crate) fn document<T: Serialize>(&mut self, report: &T) -> Result<()> {
        let text = serde_json::to_string(report)?;
        self.line(&text);
        Ok(())
    }

    /// Returns what the answer is so far, which is then empty again.
    pub(crate) fn take(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.text)).into_owned()
    }

    /// Writes the answer.
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
            let label = self.label(ODD, "warning");
            let _ = writeln!(text, "{label}: {}", self.safe_err(&one_line(warning)));
        }
        // Where stderr is gone there is nobody to tell.
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }

    /// Writes lines to stderr that are no part of the answer.
    pub(crate) fn note(&self, lines: &[String]) {
        let text: String = lines.iter().map(|line| self.safe_err(line) + "\n").collect();
        // Where stderr is gone there is nobody to tell.
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }

    /// Writes where the time went to stderr, a step a line, inner steps below theirs.
    pub(crate) fn timings(&self, steps: &[Step], total: Duration) {
        let row =
            |time: Duration, what: &str| format!("{:9.1} ms  {what}", time.as_secs_f64() * 1e3);
        let told: Duration = steps.iter().filter(|it| it.depth == 0).map(|it| it.time).sum();
        let mut lines: Vec<String> = Vec::with_capacity(steps.len() + 2);
        for step in steps {
            let times =
                if step.n_times > 1 { format!(", {} times", step.n_times) } else { String::new() };
            lines.push(row(step.time, &format!("{}{}{times}", "  ".repeat(step.depth), step.name)));
        }
        lines.push(row(total.saturating_sub(told), "all else"));
        lines.push(row(total, "in all"));
        self.note(&lines);
    }

    /// Writes what went wrong and what to do about it to stderr, and returns the status.
    pub(crate) fn failure(&self, error: &anyhow::Error) -> ExitStatus {
        if error.chain().any(|cause| cause.is::<Closed>()) {
            return ExitStatus::Done;
        }
        let failure = error.chain().find_map(|cause| cause.downcast_ref::<UserError>());
        let mut text = format!(
            "{}: {}\n",
            self.label(BAD, "cerberus"),
            self.safe_err(&one_line(&format!("{error:#}")))
        );
        for hint in failure.map(|failure| failure.hints.as_slice()).unwrap_or_default() {
            let _ =
                writeln!(text, "{}: {}", self.label(NAME, "hint"), self.safe_err(&one_line(hint)));
        }
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
        failure.map_or(ExitStatus::Environment, |failure| failure.status)
    }

    fn label(&self, style: Style, text: &str) -> String {
        let colours = self.terminal.color && self.terminal.err_is_terminal;
        if colours { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    fn safe_err(&self, text: &str) -> String {
        if self.terminal.err_is_terminal { text::escaped(text) } else { text.to_owned() }
    }
}

/// Returns how many columns a table needs for its first column in one piece and the others wide
/// enough to be read.
fn narrowest(heading: &[&str], rows: &[Vec<String>]) -> usize {
    const GAP: usize = 2;
    let column = |at: usize| {
        let cells = rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count());
        let widest = cells.chain([heading[at].len()]).max().unwrap_or_default();
        if at == 0 { widest } else { GAP + widest.min(READABLE) }
    };
    (0..heading.len()).map(column).sum()
}

/// Returns a message in one line: what it quotes is not to begin one of its own, which a
/// CI service might obey.
fn one_line(message: &str) -> String {
    message.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &[&str] = &["close-sessions-with-the-request", "rule", "src/shop/db.py::close"];

    fn printed(width: usize) -> String {
        let terminal =
            Terminal { out_is_terminal: true, err_is_terminal: false, color: false, width };
        let mut out = Printer::new(terminal, false);
        let row = ROW.iter().map(|cell| (*cell).to_owned()).collect();
        out.rows(&["id", "type", "example"], &[row]);
        out.take()
    }

    #[test]
    fn rows_are_a_table_where_every_cell_can_be_read() {
        let table = "id                               type  example\n\
                     close-sessions-with-the-request  rule  src/shop/db.py::close\n";
        assert_eq!(printed(80), table);
    }

    #[test]
    fn rows_are_stacked_on_a_narrow_terminal() {
        let stack = "close-sessions-with-the-request\n  rule\n  src/shop/db.py::close\n";
        assert_eq!(printed(48), stack);
    }
}
