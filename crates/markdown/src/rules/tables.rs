//! Rules in tables: rows of what to do and what not.

use cerberus_model::WordList;

use super::wording::words;
use crate::word_lists::{DO_COLUMNS, DONT_COLUMNS, RULE_COLUMNS};

/// Returns the rules of a table, each with the number of its row below the header, or `None` if
/// the table lists something else.
pub(super) fn rules(rows: &[Vec<String>]) -> Option<Vec<(usize, String)>> {
    let (header, rows) = rows.split_first()?;
    let titles: Vec<Vec<String>> = header.iter().map(|title| words(title)).collect();
    let has = |list: &WordList| titles.iter().any(|title| list.contains_any(title));
    let is_pair = has(&DO_COLUMNS) && has(&DONT_COLUMNS);
    let has_rules = has(&RULE_COLUMNS);
    if !is_pair && !has_rules {
        return None;
    }
    let text = |row: &Vec<String>| {
        let cells = header
            .iter()
            .zip(row)
            .filter(|(_, cell)| !cell.trim().is_empty());
        let cells = cells.map(|(title, cell)| match title.trim() {
            "" => cell.trim().to_owned(),
            title => format!("{title}: {}", cell.trim()),
        });
        cells.collect::<Vec<_>>().join("; ")
    };
    let rules = rows
        .iter()
        .map(text)
        .enumerate()
        .filter(|(_, text)| !text.is_empty());
    Some(rules.collect())
}
