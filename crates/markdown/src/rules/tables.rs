//! Rules in tables: rows of what to do and what not, of what to use when, or that demand something.

use cerberus_model::WordList;
use cerberus_prose::lists::{
    CHOOSING, CONDITION_COLUMNS, DONT_COLUMNS, NEGATING, RIGHT, RULE_COLUMNS, WANTED, WRONG,
};
use cerberus_prose::samples;
use cerberus_prose::wording::{Modality, modality, words};

use super::blocks::CODE;

/// The minimum number of words of a cell that makes its row a rule.
const MIN_WORDS: usize = 4;

/// A row of a table that is a rule.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Its number below the header.
    pub(super) idx: usize,
    pub(super) text: String,
    /// Whether the header says that it is one, and not only its own words.
    pub(super) is_sure: bool,
    /// Whether it is one without its samples.
    pub(super) is_rule: bool,
    /// The code that shows its subject, if the header or the text above the table announces samples.
    pub(super) samples: Vec<String>,
}

/// Returns the rules of a table, and its samples; none if the table lists something else.
pub(super) fn rules(rows: &[Vec<String>], is_below_samples: bool) -> Vec<Row> {
    let Some((header, rows)) = rows.split_first() else {
        return Vec::new();
    };
    let is_sure = is_of_rules(header);
    let mut found = Vec::new();
    for (idx, row) in rows.iter().enumerate() {
        let text = text(header, row);
        let is_rule = is_sure || row.iter().any(|cell| demands(cell));
        let samples = samples_of(header, row, is_below_samples);
        if (is_rule || !samples.is_empty()) && !text.is_empty() {
            found.push(Row {
                idx,
                text,
                is_sure,
                is_rule,
                samples,
            });
        }
    }
    found
}

/// Returns the code of a row that shows its subject. Below a text that announces samples any column may have it, else
/// one whose title names samples.
fn samples_of(header: &[String], row: &[String], is_below_samples: bool) -> Vec<String> {
    let has_column = header.iter().skip(1).any(|title| samples::is_column(title));
    let mut found = Vec::new();
    for (idx, (title, cell)) in header.iter().zip(row).enumerate() {
        let is_of_samples = idx > 0 && samples::is_column(title);
        if is_of_samples || is_below_samples && !has_column {
            found.extend(samples::places(cell).into_iter().map(str::to_owned));
        }
    }
    found
}

/// Returns whether each row of a table is a rule, according to its header.
fn is_of_rules(header: &[String]) -> bool {
    let mut n_do = 0;
    let mut n_other = 0;
    for title in header {
        let title = words(title);
        if RULE_COLUMNS.contains_any(&title) {
            return true;
        }
        // "Use case" says when.
        let others = [&DONT_COLUMNS, &NEGATING, &WRONG, &CONDITION_COLUMNS];
        let demanded = [&RIGHT, &CHOOSING, &WANTED];
        if is_in_any(&title, &others) {
            n_other += 1;
        } else if is_in_any(&title, &demanded) || names_use(&title) {
            n_do += 1;
        }
    }
    n_do > 0 && n_other > 0
}

fn is_in_any(title: &[String], lists: &[&WordList]) -> bool {
    lists.iter().any(|list| list.contains_any(title))
}

fn names_use(title: &[String]) -> bool {
    title
        .iter()
        .any(|word| matches!(word.as_str(), "do" | "use" | "instead" | "yes"))
}

/// Returns whether a cell is an obligation of its own.
fn demands(cell: &str) -> bool {
    let mut plain = String::new();
    for (idx, part) in cell.split('`').enumerate() {
        if idx % 2 == 0 {
            plain.push_str(part);
        } else {
            plain.push(CODE);
        }
    }
    words(&plain).len() >= MIN_WORDS && modality(&plain) == Modality::Obligation
}

/// Returns the cells of a row with their titles.
fn text(header: &[String], row: &[String]) -> String {
    let mut cells = Vec::new();
    for (title, cell) in header.iter().zip(row) {
        match (title.trim(), cell.trim()) {
            (_, "") => {}
            ("", cell) => cells.push(cell.to_owned()),
            (title, cell) => cells.push(format!("{title}: {cell}")),
        }
    }
    cells.join("; ")
}
