//! Tables on a terminal: columns that fit its width, or else records with labels.

use comfy_table::{Cell, ColumnConstraint, ContentArrangement, Row, Table, presets};
use console::truncate_str;
use textwrap::core::display_width;

use super::{DIM, NAME, Printer};

/// Width between two columns.
const GAP: usize = 2;

/// Minimum width of a column whose cells are wrapped.
const MIN_COLUMN_WIDTH: usize = 12;

/// Minimum width of a last column whose cells are cut.
const MIN_TEXT_WIDTH: usize = 24;

/// Where a cell may break, a space without width. It is removed from the printed table; one in the text
/// itself is escaped before.
const BREAK: char = '\u{200b}';

/// What happens to cells that are wider than their column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// All columns but the first are wrapped.
    Wrapped,
    /// The last column is cut, and all others are whole.
    Cut,
}

impl Printer {
    /// Adds rows: a table with a heading on a terminal, otherwise lines with cells separated by tabs.
    pub(crate) fn rows<R: AsRef<[String]>>(
        &mut self,
        heading: &[&str],
        rows: impl IntoIterator<Item = R>,
    ) {
        self.table(heading, rows, Layout::Wrapped);
    }

    /// Like [`rows`](Self::rows), with one line for each row: the last column gets the rest of the width.
    pub(crate) fn list<R: AsRef<[String]>>(
        &mut self,
        heading: &[&str],
        rows: impl IntoIterator<Item = R>,
    ) {
        self.table(heading, rows, Layout::Cut);
    }

    fn table<R: AsRef<[String]>>(
        &mut self,
        heading: &[&str],
        rows: impl IntoIterator<Item = R>,
        layout: Layout,
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
        if min_width(heading, &rows, layout) > self.terminal.width {
            for row in rows {
                self.record(heading, row, layout);
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
            let mut row = Row::from(row.iter().map(|cell| breakable(&self.safe(cell))));
            if layout == Layout::Cut {
                row.max_height(1);
            }
            table.add_row(row);
        }
        let n_whole = match layout {
            Layout::Wrapped => 1,
            Layout::Cut => heading.len() - 1,
        };
        for column in table.column_iter_mut().take(n_whole) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
        if let Some(first) = table.column_mut(0) {
            first.set_padding((0, 1));
        }
        let text = table.to_string().replace(BREAK, "");
        for line in text.lines() {
            self.line(line.trim_end());
        }
    }

    /// Adds a row for a narrow terminal: its name, and below it the other cells with their labels, as many in
    /// a line as fit. A last cell that would be cut in a table has a line of its own.
    fn record(&mut self, heading: &[&str], row: &[String], layout: Layout) {
        const INDENT: &str = "  ";
        let Some((name, cells)) = row.split_first() else {
            return;
        };
        self.line(&self.style(NAME, name));
        let width = self.terminal.width;
        let mut line = INDENT.to_owned();
        let mut line_width = INDENT.len();
        for (cell_idx, cell) in cells.iter().enumerate() {
            if matches!(cell.as_str(), "" | "-") {
                continue;
            }
            let label = heading[cell_idx + 1];
            let cell = self.safe(cell);
            let is_cut = layout == Layout::Cut && cell_idx + 1 == cells.len();
            let cell_width = label.len() + 2 + display_width(&cell);
            let is_full = line_width > INDENT.len() && line_width + GAP + cell_width > width;
            if is_cut || is_full {
                self.record_line(&line);
                line.truncate(INDENT.len());
                line_width = INDENT.len();
            }
            if is_cut {
                let text = truncate_str(&cell, width.saturating_sub(INDENT.len()), "…");
                self.line(&format!("{INDENT}{text}"));
                continue;
            }
            if line_width > INDENT.len() {
                line.push_str(INDENT);
                line_width += GAP;
            }
            let label = self.paint(DIM, &format!("{label}:"));
            line.push_str(&format!("{label} {cell}"));
            line_width += cell_width;
        }
        self.record_line(&line);
    }

    fn record_line(&mut self, line: &str) {
        if !line.trim().is_empty() {
            self.line(line);
        }
    }
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

/// Returns the minimum width of a table.
fn min_width(heading: &[&str], rows: &[&[String]], layout: Layout) -> usize {
    let last_idx = heading.len() - 1;
    let mut width = GAP * last_idx;
    for (column_idx, label) in heading.iter().enumerate() {
        let mut widest = label.len();
        for row in rows {
            widest = widest.max(display_width(&row[column_idx]));
        }
        width += match layout {
            Layout::Wrapped if column_idx > 0 => widest.min(MIN_COLUMN_WIDTH),
            Layout::Cut if column_idx == last_idx => widest.min(MIN_TEXT_WIDTH),
            _ => widest,
        };
    }
    width
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Terminal;

    const HEADING: [&str; 3] = ["id", "example", "text"];

    const ROW: [&str; 3] = [
        "close-sessions-with-the-request",
        "src/shop/db.py::close",
        "Close them when the request ends",
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

    fn rows<const N: usize>(width: usize, heading: [&str; N], row: [&str; N]) -> String {
        let mut out = printer(width);
        out.rows(&heading, [row.map(str::to_owned)]);
        out.take()
    }

    fn list(width: usize) -> String {
        let mut out = printer(width);
        out.list(&HEADING, [ROW.map(str::to_owned)]);
        out.take()
    }

    #[test]
    fn rows_are_printed_as_a_table_on_a_wide_terminal() {
        let heading = ["id", "type", "example"];
        let row = [ROW[0], "rule", ROW[1]];
        let table = "id                               type  example\n\
                     close-sessions-with-the-request  rule  src/shop/db.py::close\n";
        assert_eq!(rows(80, heading, row), table);
        let record =
            "close-sessions-with-the-request\n  type: rule  example: src/shop/db.py::close\n";
        assert_eq!(rows(48, heading, row), record);
        let narrow =
            "close-sessions-with-the-request\n  type: rule\n  example: src/shop/db.py::close\n";
        assert_eq!(rows(40, heading, row), narrow);
    }

    #[test]
    fn numbers_have_labels_on_a_narrow_terminal() {
        let heading = ["rule", "given", "broken", "last"];
        let row = [ROW[0], "3", "1", "never"];
        assert_eq!(
            rows(40, heading, row),
            "close-sessions-with-the-request\n  given: 3  broken: 1  last: never\n"
        );
    }

    #[test]
    fn the_text_of_a_list_is_cut_and_names_are_whole() {
        assert_eq!(
            list(84),
            "id                               example                text\n\
             close-sessions-with-the-request  src/shop/db.py::close  Close them when the reques…\n"
        );
        assert_eq!(
            list(78),
            "close-sessions-with-the-request\n  example: src/shop/db.py::close\n  \
             Close them when the request ends\n"
        );
        assert_eq!(
            list(32),
            "close-sessions-with-the-request\n  example: src/shop/db.py::close\n  \
             Close them when the request e…\n"
        );
    }

    #[test]
    fn a_path_breaks_after_its_separators() {
        let heading = ["id", "type", "example"];
        let row = [
            "env-config",
            "rule",
            "src/flask/settings/config.py::Config.from_prefixed_env",
        ];
        let table = "id          type  example\n\
                     env-config  rule  src/flask/settings/config.py::\n                  \
                     Config.from_prefixed_env\n";
        assert_eq!(rows(60, heading, row), table);
    }

    #[test]
    fn a_long_name_breaks_after_its_separators_too() {
        let heading = ["#", "quality", "location", "symbol", "matched terms"];
        let row = [
            "1",
            "0.63",
            "tests/test_templating.py:71-88",
            "test_escaping",
            "escape html",
        ];
        let table = "#  quality  location        symbol         matched terms\n\
                     1  0.63     tests/test_     test_escaping  escape html\n            \
                     templating.py:\n            \
                     71-88\n";
        assert_eq!(rows(60, heading, row), table);
    }
}
