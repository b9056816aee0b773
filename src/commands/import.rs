//! `cerberus memory import`: adds the rules of documents, or restores an export of a bank.

use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use serde::de::DeserializeOwned;

use super::args::SecretArgs;
use super::{content, trash};
use crate::bank::shared::is_shared;
use crate::config::Settings;
use crate::error::{ExitStatus, UserError};
use crate::markdown::frontmatter;
use crate::model::Scope;
use crate::ops::Project;
use crate::ops::export::{Header, Line};
use crate::ops::memories::Memories;
use crate::output::Printer;
use crate::text::plural;

mod classify;
mod find;
mod from_export;
mod moves;
mod place;
mod print;
mod rules;
pub(crate) mod sources;
mod write;

use rules::Report;

#[derive(Debug, Default, Args)]
pub(crate) struct ImportArgs {
    /// Documents with rules, or folders of documents (default: all files of rules in the project)
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Show what would be imported and skipped
    #[arg(long, conflicts_with = "from_export")]
    pub(crate) dry_run: bool,
    /// Write nothing; exit with 1 if the documents and the bank differ
    #[arg(long, conflicts_with_all = ["from_export", "dry_run"])]
    pub(crate) check: bool,
    /// Do not ask before the rules of all files are imported
    #[arg(long, conflicts_with = "from_export")]
    pub(crate) yes: bool,
    /// Move the memories of items that are no longer in their documents to the trash
    #[arg(long, conflicts_with_all = ["from_export", "check"])]
    pub(crate) prune: bool,
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
    let Some(path) = &args.from_export else { return import_rules(args, settings, out) };
    let (header, lines) = read_export(path)?;
    let report = from_export::import(&settings.project, &header, &lines, args)?;
    if out.json {
        out.json(&report)?;
    } else {
        out.warn(&report.warnings);
        print::export(&report, out);
    }
    Ok(ExitStatus::Done)
}

fn import_rules(args: &ImportArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let project = &settings.project;
    let mut plan = rules::plan(project, args)?;
    if args.check {
        return check(&plan.report, out);
    }
    let is_interactive = std::io::stdin().is_terminal() && out.is_terminal();
    let may_ask = !args.yes && !args.dry_run && !out.json && is_interactive;
    let n_removed = if args.prune { plan.removed.len() } else { 0 };
    if may_ask
        && (args.files.is_empty() || n_removed > 0)
        && plan.report.items.iter().any(|item| item.outcome.is_difference())
    {
        print::documents(&plan.report, out);
        if args.prune {
            print::removals(&plan.report, true, out);
        }
        out.line(&question(n_removed));
        out.flush()?;
        if !is_confirmed()? {
            out.line("nothing was imported");
            return Ok(ExitStatus::Done);
        }
    }
    rules::examine(project, args, &mut plan)?;
    if !args.dry_run {
        write::write(project, &mut plan)?;
        if args.prune {
            trash::delete_files(project, &plan.removed)?;
        }
    }
    if out.json {
        out.json(&plan.report)?;
    } else {
        out.warn(&plan.report.warnings);
        print::rules(&plan.report, args.prune, out);
    }
    Ok(if plan.report.is_complete() { ExitStatus::Done } else { ExitStatus::CheckFailed })
}

/// Returns the rules that differ between the bank and the documents that it was imported from.
pub(crate) fn differences(project: &Project) -> Result<Vec<rules::Item>> {
    let memories = Memories::load(project)?;
    let mut files: Vec<PathBuf> = memories
        .all
        .iter()
        .filter(|stored| !is_shared(&stored.file))
        .flat_map(|stored| frontmatter::parse(&stored.text).frontmatter.source)
        .filter_map(|written| Some(project.root.join(sources::Source::parse(&written)?.file)))
        .filter(|file| file.is_file())
        .collect();
    files.sort_unstable();
    files.dedup();
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let args = ImportArgs { files, check: true, ..ImportArgs::default() };
    let mut items = rules::plan(project, &args)?.report.items;
    items.retain(|item| item.outcome.is_difference());
    Ok(items)
}

/// Reports the differences between the documents and the bank.
fn check(report: &Report, out: &mut Printer) -> Result<ExitStatus> {
    let differs = report.items.iter().any(|item| item.outcome.is_difference());
    let status = if differs { ExitStatus::CheckFailed } else { ExitStatus::Done };
    if out.json {
        out.json(report)?;
    } else {
        out.warn(&report.warnings);
        print::differences(report, out);
    }
    Ok(status)
}

/// Returns the question before an import that moves memories to the trash.
fn question(n_removed: usize) -> String {
    match n_removed {
        0 => "import these rules? [y/N]".to_owned(),
        n => format!("import these rules and move {} to the trash? [y/N]", plural(n, "memory")),
    }
}

/// Reads the answer of the user.
fn is_confirmed() -> Result<bool> {
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
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

    #[test]
    fn a_prune_is_asked_with_the_number_of_memories() {
        assert_eq!(question(0), "import these rules? [y/N]");
        let question = question(3);
        assert_eq!(question, "import these rules and move 3 memories to the trash? [y/N]");
    }

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
