//! `cerberus memory inject`: pins, rules and their examples within a token budget.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::Result;
use cerberus_bank::ops::{Project, pins};
use cerberus_brief::{Answer, Cost, Known, Occasion, Omitted, Request, Room, Skipped};
use cerberus_engine::tree::git::{self, AddedLines};
use cerberus_engine::tree::read;
use clap::Args;

use super::args::SessionArgs;
use crate::agents::{Limit, Names};
use crate::config::Settings;
use crate::output::{CliResult, Printer};

mod into;

pub(crate) use into::is_block_stale;

#[derive(Debug, Args)]
pub(crate) struct InjectArgs {
    /// Limit the output to this many tokens [default: 1500]
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
    /// Only the rules that concern this task or question, the best first
    #[arg(long, value_name = "WORDS")]
    query: Option<String>,
    /// Only memories that are relevant to this file, the best first (may be repeated)
    #[arg(long = "file", value_name = "FILE")]
    files: Vec<String>,
    /// Only memories that are relevant to the staged files, the best first
    #[arg(long = "diff")]
    staged: bool,
    /// Omit the examples
    #[arg(long)]
    no_examples: bool,
    /// Format for this client within its size limit
    #[arg(long = "for", value_name = "CLIENT", value_parser = Names::of_limits())]
    pub(crate) client: Option<&'static Limit>,
    /// Allow --into to write texts of a user bank into a file of the project
    #[arg(long, requires = "into")]
    include_user_bank: bool,
    /// Print to stderr why items are relevant or skipped
    #[arg(long)]
    explain: bool,
    /// Write to a managed block of this markdown file; the rest of the file is unchanged
    #[arg(long, value_name = "FILE")]
    into: Option<PathBuf>,
    /// Write nothing; exit with 1 if the block is out of date
    #[arg(long, requires = "into")]
    check: bool,
    /// Write the pins to the block, too
    #[arg(long, requires = "into")]
    pins: bool,
    #[command(flatten)]
    session: SessionArgs,
}

/// Returns the occasion of a task or of files.
pub(crate) fn occasion(
    project: &Project,
    query: Option<String>,
    files: &[String],
    staged: bool,
) -> Result<Occasion> {
    let mut files = relative(project, files);
    let mut added = BTreeMap::new();
    if staged {
        files.extend(git::staged(&project.root)?.into_keys());
        for file in git::added_in_index(&project.root)?.files {
            let text = added_text(&file);
            if !text.is_empty() {
                added.insert(file.path, text);
            }
        }
    }
    Ok(match query {
        Some(text) => Occasion::Task { text, files, added },
        None if files.is_empty() && !staged => Occasion::Session,
        None => Occasion::Files { files, added },
    })
}

/// Returns files as paths relative to the root of the project.
fn relative(project: &Project, files: &[String]) -> BTreeSet<String> {
    let root = project.root.to_string_lossy();
    let mut relative = BTreeSet::new();
    for file in files {
        let path = match file.strip_prefix(&*root) {
            Some(rest) => rest.trim_start_matches('/'),
            None => file,
        };
        let path = path.replace('\\', "/");
        relative.insert(path.trim_start_matches("./").to_owned());
    }
    relative
}

/// Returns the text of the added lines of a file.
pub(crate) fn added_text(file: &AddedLines) -> String {
    let mut text = String::new();
    for (line, is_added) in file.text.split_inclusive('\n').zip(&file.is_added) {
        if *is_added {
            text.push_str(line);
        }
    }
    text
}

pub(crate) fn run(args: &InjectArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let project = &settings.project;
    if let Some(path) = &args.into {
        return into::run(args, path, project, out);
    }
    let session = args.session.name(settings);
    let loaded = pins::load(project, session)?;
    let request = Request {
        occasion: occasion(project, args.query.clone(), &args.files, args.staged)?,
        pins: loaded.injected(project),
        room: Room {
            budget: args.budget.unwrap_or(project.inject.budget),
            client: args.client.map_or(Cost::UNLIMITED, Limit::cost),
        },
        known: Known::default(),
        shows_examples: !args.no_examples,
    };
    let mut answer = cerberus_brief::answer(project, &request)?;
    answer.warnings.splice(0..0, loaded.warnings);
    if !args.explain {
        answer.features.clear();
    }
    out.report(&answer, |report, out| {
        out.warn(&report.warnings);
        out.warn(&doubts(project, args, report));
        if !report.text.is_empty() {
            out.line(report.text.trim_end_matches('\n'));
        }
        if args.explain {
            out.note(&explanation(report));
        }
    })
}

/// Returns why the text may not be what is expected.
fn doubts(project: &Project, args: &InjectArgs, report: &Answer) -> Vec<String> {
    let mut doubts = Vec::new();
    for file in &args.files {
        if !read::exists(&project.root, file) {
            doubts.push(format!(
                "`{file}` does not exist: only its path is compared"
            ));
        }
    }
    let Omitted {
        memories,
        needed_tokens,
        ..
    } = report.omitted;
    if report.text.is_empty() && memories > 0 {
        let budget = report.budget;
        doubts.push(format!(
            "nothing fits into {budget} tokens: all rules need {needed_tokens}"
        ));
    }
    doubts
}

fn explanation(report: &Answer) -> Vec<String> {
    let mut lines = Vec::new();
    if !report.likely_files.is_empty() {
        let files: Vec<&str> = report.likely_files.iter().map(String::as_str).collect();
        lines.push(format!("likely files of the task: {}", files.join(", ")));
    }
    for memory in &report.memories {
        if let Some(why) = &memory.why {
            lines.push(format!("given: memory {}: {why}", memory.id));
        }
    }
    for Skipped { id, what, why } in &report.skipped {
        lines.push(format!("skipped: {what} {id}: {why}"));
    }
    if report.skipped.is_empty() {
        lines.push("no items were skipped".to_owned());
    }
    lines
}

#[cfg(test)]
mod tests;
