//! `cerberus memory import`: adds the rules of documents, or restores an export of a bank.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use serde::de::DeserializeOwned;

use super::args::SecretArgs;
use super::content;
use crate::config::Settings;
use crate::error::{ExitStatus, UserError};
use crate::model::Scope;
use crate::ops::export::{Header, Line};
use crate::output::{DIM, NAME, OK, Printer, WARN};

mod from_export;
mod mentions;
mod place;
mod rules;
mod sources;

use rules::{Item, Outcome};

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Documents with rules, or folders of documents
    #[arg(value_name = "FILE", required_unless_present = "from_export")]
    pub(crate) files: Vec<PathBuf>,
    /// Show what would be imported and skipped
    #[arg(long, conflicts_with = "from_export")]
    pub(crate) dry_run: bool,
    /// Do not search for examples of the rules
    #[arg(long, conflicts_with = "from_export")]
    pub(crate) no_anchor: bool,
    /// Scope of the rules: universal, language:NAME or project:NAME
    #[arg(long, conflicts_with = "from_export")]
    pub(crate) scope: Option<Scope>,
    /// Import the output of `cerberus memory export` (`-` for standard input)
    #[arg(long, value_name = "EXPORT", conflicts_with = "files")]
    pub(crate) from_export: Option<PathBuf>,
    /// Replace memories that differ, and move the old ones to the trash
    #[arg(long, requires = "from_export", conflicts_with = "files")]
    pub(crate) overwrite: bool,
    #[command(flatten)]
    pub(crate) secret: SecretArgs,
}

/// Maximum size of an export: about 100,000 large memories.
const MAX_EXPORT_BYTES: u64 = 1024 * 1024 * 1024;

pub(crate) fn run(args: &ImportArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    if let Some(path) = &args.from_export {
        let (header, lines) = read_export(path)?;
        let report = from_export::import(&settings.project, &header, &lines, args)?;
        if out.json {
            out.json(&report)?;
        } else {
            out.warn(&report.warnings);
            print_export(&report, out);
        }
    } else {
        let report = rules::import(&settings.project, args)?;
        if out.json {
            out.json(&report)?;
        } else {
            out.warn(&report.warnings);
            print_rules(&report, out);
        }
    }
    Ok(ExitStatus::Done)
}

fn print_rules(report: &rules::Report, out: &mut Printer) {
    let source = |item: &Item| format!("{}:{}", item.file, item.line);
    let example = |item: &Item| {
        item.anchor
            .as_ref()
            .map(|anchor| super::format_location(&anchor.file, anchor.symbol.as_deref()))
    };
    if report.dry_run {
        let row = |item: &Item| {
            vec![
                source(item),
                item.outcome.as_str().to_owned(),
                item.reason.as_ref().or(item.id.as_ref()).cloned().unwrap_or_default(),
                item.text.lines().next().unwrap_or_default().to_owned(),
                example(item).unwrap_or_default(),
            ]
        };
        let rows: Vec<Vec<String>> = report.items.iter().map(row).collect();
        out.rows(&["source", "outcome", "id or reason", "text", "example"], &rows);
    } else {
        for item in report.items.iter().filter(|item| item.outcome == Outcome::Added) {
            let id = out.style(NAME, item.id.as_deref().unwrap_or_default());
            let source = out.paint(DIM, &format!("({})", out.safe(&source(item))));
            out.line(&format!("{} {id} {source}", out.paint(OK, "added")));
            if let Some(example) = example(item) {
                out.line(&format!("  example {}", out.style(NAME, &example)));
            }
        }
        for item in report.items.iter().filter(|item| item.outcome == Outcome::Changed) {
            let source = out.safe(&source(item));
            let reason = out.safe(item.reason.as_deref().unwrap_or_default());
            out.line(&format!("{} {source}: {reason}", out.paint(WARN, "changed")));
        }
    }
    let n = |outcome| report.items.iter().filter(|item| item.outcome == outcome).count();
    let (n_added, n_changed) = (n(Outcome::Added), n(Outcome::Changed));
    let (n_duplicates, n_skipped) = (n(Outcome::Duplicate), n(Outcome::Skipped));
    let rules = if n_added == 1 { "rule" } else { "rules" };
    let added = if report.dry_run { "would be added" } else { "added" };
    let duplicates = if n_duplicates == 1 { "duplicate" } else { "duplicates" };
    out.line(&format!(
        "{n_added} {rules} {added}, {n_changed} changed, {n_duplicates} {duplicates}, {n_skipped} skipped"
    ));
    if !report.dry_run && n_skipped > 0 {
        out.line("  show the skipped items and the reasons with --dry-run");
    }
}

fn print_export(report: &from_export::Report, out: &mut Printer) {
    for file in &report.imported {
        out.line(&format!("{} {}", out.paint(OK, "imported"), out.safe(file)));
    }
    for file in &report.overwritten {
        out.line(&format!("{} {}", out.paint(OK, "overwritten"), out.safe(file)));
    }
    match report.unchanged {
        0 => {}
        1 => out.line("1 file unchanged"),
        n => out.line(&format!("{n} files unchanged")),
    }
}

fn read_export(path: &Path) -> Result<(Header, Vec<Line>)> {
    let bytes = content::bytes(path, MAX_EXPORT_BYTES)?;
    let text = String::from_utf8(bytes).map_err(|_| {
        UserError::usage(format!(
            "{} is not an export: it is not valid UTF-8",
            content::shown(path)
        ))
        .hint("create one with `cerberus memory export`")
    })?;
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (line_idx, header) = lines.next().unwrap_or((0, ""));
    let header = parse_line(path, line_idx, header)?;
    let files = lines.map(|(line_idx, line)| parse_line(path, line_idx, line));
    Ok((header, files.collect::<Result<_>>()?))
}

fn parse_line<T: DeserializeOwned>(path: &Path, line_idx: usize, line: &str) -> Result<T> {
    serde_json::from_str(line).map_err(|error| {
        let (message, column) = super::json_error(&error);
        let position = format!("line {}, column {column}", line_idx + 1);
        UserError::usage(format!("failed to read {}, {position}: {message}", content::shown(path)))
            .hint("create an export with `cerberus memory export`")
            .into()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::ops::export::VERSION;

    use super::*;

    proptest! {
        #[test]
        fn export_lines_represent_any_file(
            file in any::<String>(),
            bytes in any::<Vec<u8>>(),
            text in any::<String>(),
        ) {
            for bytes in [bytes, text.into_bytes()] {
                let line = Line::new(file.clone(), bytes.clone());
                let written = serde_json::to_string(&line).expect("strings have a JSON form");
                prop_assert!(!written.contains('\n'));
                let read: Line = parse_line(Path::new("-"), 0, &written).expect("valid JSON");
                prop_assert_eq!(&read, &line);
                prop_assert_eq!(read.bytes(VERSION), Ok(bytes));
            }
        }
    }
}
