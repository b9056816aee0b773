//! `cerberus memory import`.

use super::args::SecretArgs;
use crate::model::Scope;
use clap::Args;
use std::path::Path;
use std::path::PathBuf;

use anyhow::Result;
use serde::de::DeserializeOwned;

use crate::config::Settings;
use crate::error::{ExitStatus, UserError};
use crate::ops::export::{Header, Line};
use crate::ops::import;
use crate::ops::import::rules::{self, Outcome, Request, Row};
use crate::output::{DIM, NAME, OK, Printer, WARN};

use super::content;

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Take the rules of these documents, or of all documents in a folder
    #[arg(value_name = "FILE", required_unless_present = "from_export")]
    pub(crate) files: Vec<PathBuf>,
    /// Say what would be taken and what left, and write nothing
    #[arg(long, conflicts_with = "from_export")]
    pub(crate) dry_run: bool,
    /// Do not look for the rules' examples
    #[arg(long, conflicts_with = "from_export")]
    pub(crate) no_anchor: bool,
    /// Say where they hold: universal, language:NAME or project:NAME
    #[arg(long, conflicts_with = "from_export")]
    pub(crate) scope: Option<Scope>,
    /// Take what `cerberus memory export` wrote, or the standard input with -
    #[arg(long, value_name = "EXPORT", conflicts_with = "files")]
    pub(crate) from_export: Option<PathBuf>,
    /// Write over memories that differ; the bank's own go to the trash
    #[arg(long, requires = "from_export", conflicts_with = "files")]
    pub(crate) overwrite: bool,
    #[command(flatten)]
    pub(crate) secret: SecretArgs,
}

/// The largest export: a hundred thousand large memories.
const MAX_EXPORT_BYTES: u64 = 1024 * 1024 * 1024;

pub(crate) fn run(args: &ImportArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    match &args.from_export {
        Some(path) => export(path, args, settings, out),
        None => documents(args, settings, out),
    }
}

fn documents(args: &ImportArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let request = Request {
        files: args.files.clone(),
        scope: args.scope.clone(),
        no_anchor: args.no_anchor,
        dry_run: args.dry_run,
        allow_secret: args.secret.allow_secret,
    };
    let report = rules::import(&settings.project, &request)?;
    if out.json {
        out.json(&report)?;
        return Ok(ExitStatus::Done);
    }
    out.warn(&report.warnings);
    let place = |row: &Row| format!("{}:{}", row.file, row.line);
    if args.dry_run {
        let rows = report.items.iter().map(|row| {
            let anchor = row.anchor.as_ref();
            let example = anchor.map(|it| super::place(&it.file, it.symbol.as_deref()));
            let about = row.reason.clone().or_else(|| row.id.clone()).unwrap_or_default();
            let first = row.text.lines().next().unwrap_or_default().to_owned();
            vec![
                place(row),
                row.outcome.as_str().to_owned(),
                about,
                first,
                example.unwrap_or_default(),
            ]
        });
        let rows: Vec<Vec<String>> = rows.collect();
        out.rows(&["from", "", "id, or why not", "text", "example"], &rows);
    } else {
        for row in report.items.iter().filter(|row| row.outcome == Outcome::Added) {
            let (id, from) = (row.id.as_deref().unwrap_or_default(), place(row));
            let from = out.paint(DIM, &format!("({})", out.safe(&from)));
            out.line(&format!("{} {} {from}", out.paint(OK, "added"), out.style(NAME, id)));
            if let Some(anchor) = &row.anchor {
                let example = super::place(&anchor.file, anchor.symbol.as_deref());
                out.line(&format!("  example {}", out.style(NAME, &example)));
            }
        }
        for row in report.items.iter().filter(|row| row.outcome == Outcome::Changed) {
            let reason = row.reason.as_deref().unwrap_or_default();
            out.line(&format!(
                "{} {}: {}",
                out.paint(WARN, "changed"),
                out.safe(&place(row)),
                out.safe(reason)
            ));
        }
    }
    let would = if args.dry_run { "would be added" } else { "added" };
    let (n_added, n_changed) = (report.n(Outcome::Added), report.n(Outcome::Changed));
    let (n_known, n_left) = (report.n(Outcome::Known), report.n(Outcome::Left));
    let rules = if n_added == 1 { "rule" } else { "rules" };
    out.line(&format!(
        "{n_added} {rules} {would}, {n_changed} changed, {n_known} known, {n_left} left"
    ));
    if !args.dry_run && n_left > 0 {
        out.line("  see what was left and why with --dry-run");
    }
    Ok(ExitStatus::Done)
}

fn export(
    path: &Path,
    args: &ImportArgs,
    settings: &Settings,
    out: &mut Printer,
) -> Result<ExitStatus> {
    let (header, lines) = read_export(path)?;
    let report = import::from_export(
        &settings.project,
        &header,
        &lines,
        args.overwrite,
        args.secret.allow_secret,
    )?;
    if out.json {
        out.json(&report)?;
        return Ok(ExitStatus::Done);
    }
    out.warn(&report.warnings);
    for file in &report.imported {
        out.line(&format!("{} {}", out.paint(OK, "imported"), out.safe(file)));
    }
    for file in &report.overwritten {
        out.line(&format!("{} {}", out.paint(OK, "written over"), out.safe(file)));
    }
    if report.unchanged > 0 {
        let n = report.unchanged;
        let files = if n == 1 { "file is" } else { "files are" };
        out.line(&format!("{n} {files} in the bank already"));
    }
    Ok(ExitStatus::Done)
}

fn read_export(path: &Path) -> Result<(Header, Vec<Line>)> {
    let bytes = content::bytes(path, MAX_EXPORT_BYTES)?;
    let text = String::from_utf8(bytes).map_err(|_| {
        UserError::usage(format!("{} is no export: it is no valid UTF-8", content::shown(path)))
            .hint("make one with `cerberus memory export`")
    })?;
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (at, first) = lines.next().unwrap_or((0, ""));
    let header = parsed(path, at, first)?;
    let files = lines.map(|(at, line)| parsed(path, at, line)).collect::<Result<_>>()?;
    Ok((header, files))
}

fn parsed<T: DeserializeOwned>(path: &Path, at: usize, line: &str) -> Result<T> {
    serde_json::from_str(line).map_err(|error| {
        let message = error.to_string();
        // The position within the line stands in the place before.
        let message = message.split(" at line ").next().unwrap_or_default();
        let place = format!("line {}, column {}", at + 1, error.column());
        UserError::usage(format!("failed to read {}, {place}: {message}", content::shown(path)))
            .hint("make an export with `cerberus memory export`")
            .into()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_line_of_an_export_holds_any_file(
            file in any::<String>(),
            bytes in any::<Vec<u8>>(),
            text in any::<String>(),
        ) {
            for bytes in [bytes, text.into_bytes()] {
                let line = Line::new(file.clone(), bytes.clone());
                let written = serde_json::to_string(&line).expect("strings have a JSON form");
                prop_assert!(!written.contains('\n'));
                let read: Line = parsed(Path::new("-"), 0, &written).expect("it was written");
                prop_assert_eq!(&read, &line);
                prop_assert_eq!(read.bytes(), Ok(bytes));
            }
        }
    }
}
