//! One file per command: its arguments, the operation and the printed report.
//!
//! The clap arguments of a command are its request. `run` calls the operation and prints the
//! report; the tools of `mcp` call the same operation with the same arguments.

pub(crate) mod add;
mod added_code;
mod agent;
pub(crate) mod anchor;
pub(crate) mod anchor_test;
pub(crate) mod append;
pub(crate) mod args;
mod candidates;
pub(crate) mod check;
pub(crate) mod completions;
mod confirm;
pub(crate) mod content;
pub(crate) mod create;
pub(crate) mod demo;
pub(crate) mod doctor;
mod edited;
mod findings;
pub(crate) mod hooks;
pub(crate) mod import;
pub(crate) mod index;
pub(crate) mod init;
pub(crate) mod inject;
pub(crate) mod linked;
pub(crate) mod links;
pub(crate) mod merge;
mod outside_documents;
pub(crate) mod pattern;
pub(crate) mod pin;
pub(crate) mod read;
pub(crate) mod reanchor;
pub(crate) mod rename;
pub(crate) mod report;
pub(crate) mod review;
pub(crate) mod review_diff;
pub(crate) mod search;
pub(crate) mod sections;
mod settings_file;
pub(crate) mod setup;
pub(crate) mod show;
pub(crate) mod stats;
mod temporary;
pub(crate) mod trash;
pub(crate) mod update;

/// Splits hints at white space and commas: one argument may contain several.
fn hints(args: &[String]) -> Vec<String> {
    let is_separator = |c: char| c == ',' || c.is_whitespace();
    let words = args.iter().flat_map(|hint| hint.split(is_separator));
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Returns the message of a JSON error without its position, and the column.
fn json_error(error: &serde_json::Error) -> (String, usize) {
    let message = error.to_string();
    (
        message
            .split(" at line ")
            .next()
            .unwrap_or_default()
            .to_owned(),
        error.column(),
    )
}

/// Returns the elapsed time, rounded to microseconds.
fn milliseconds(started: std::time::Instant) -> f64 {
    (started.elapsed().as_secs_f64() * 1e6).round() / 1e3
}
