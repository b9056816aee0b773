//! `cerberus fleet`: the shared rules of many repositories, read with git alone.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};

use super::content;
use crate::config::Folders;
use crate::output::{Printer, ProgressBar};
use cerberus_bank::ops::fleet::{self, Fleet, Options, Repository};
use cerberus_bank::{Bank, OutputFile, OutputKind};
use cerberus_model::error::{ExitStatus, UserError};

mod page;
mod print;

/// Number of repositories that are read at the same time.
const JOBS: usize = 8;

/// Maximum number of repositories that are read at the same time.
const MAX_JOBS: u16 = 256;

/// Version of the parts.
const PART_VERSION: u32 = 1;

/// The start of every part.
const PART_START: &str = "{\"version\":";

/// Maximum size of a part.
const MAX_PART_BYTES: u64 = 512 * 1024 * 1024;

#[derive(Debug, Subcommand)]
pub(crate) enum FleetCommand {
    /// Read many repositories and report their pins, rules and examples
    Report(FleetReportArgs),
    /// Join the parts of a report
    Join(FleetJoinArgs),
}

#[derive(Debug, Args)]
pub(crate) struct FleetReportArgs {
    /// URLs, folders, and files that list them
    #[arg(value_name = "SOURCE", required = true)]
    sources: Vec<String>,
    /// Read this branch (default: the branch of the HEAD)
    #[arg(long)]
    branch: Option<String>,
    /// Number of repositories that are read at the same time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MAX_JOBS as i64))]
    jobs: Option<u16>,
    /// Folder for what was read (default: in the cache of the user)
    #[arg(long, value_name = "FOLDER")]
    state: Option<PathBuf>,
    /// Write the repositories to this file, for `cerberus fleet join`
    #[arg(long, value_name = "FILE", conflicts_with = "html")]
    part: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct FleetJoinArgs {
    /// Files of `cerberus fleet report --part`
    #[arg(value_name = "PART", required = true)]
    parts: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct OutputArgs {
    /// Write a page to this file, replacing an older page (`-` for standard output)
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// The repositories of one job.
#[derive(Debug, Serialize, Deserialize)]
struct Part {
    version: u32,
    repositories: Vec<Repository>,
}

pub(crate) fn run(
    command: &FleetCommand,
    folders: &Folders,
    out: &mut Printer,
) -> Result<ExitStatus> {
    match command {
        FleetCommand::Report(args) => report(args, folders, out),
        FleetCommand::Join(args) => {
            let page = page_file(&args.output, folders, out)?;
            let mut repositories = Vec::new();
            for path in &args.parts {
                repositories.extend(read_part(path)?.repositories);
            }
            finish(repositories, &args.output, page, out)
        }
    }
}

fn report(args: &FleetReportArgs, folders: &Folders, out: &mut Printer) -> Result<ExitStatus> {
    let page = page_file(&args.output, folders, out)?;
    let bank = Bank::new(folders.here.join(".memories"));
    let open =
        |path: &PathBuf| OutputFile::open(path, OutputKind::Part(PART_START), &bank, &folders.here);
    let part = args.part.as_ref().map(open).transpose()?;
    let sources = fleet::sources(&args.sources, args.branch.as_deref())?;
    let state = args.state.clone().unwrap_or_else(|| folders.cache.join("fleet"));
    let jobs = args.jobs.map_or(JOBS, usize::from);
    let bar = ProgressBar::new(out.terminal, "reading repositories");
    let options = Options { state, cache: folders.banks(), jobs };
    let repositories = fleet::read(&sources, &options, &|done, total| bar.step(done, total))?;
    drop(bar);
    let (Some(path), Some(part)) = (&args.part, part) else {
        return finish(repositories, &args.output, page, out);
    };
    let status = status(&repositories);
    print::failures(&repositories, out);
    let n = repositories.len();
    part.write(&(serde_json::to_string(&Part { version: PART_VERSION, repositories })? + "\n"))?;
    print::part(n, path, out)?;
    Ok(status)
}

/// Returns the exit status: a report without some of its repositories is not complete.
fn status(repositories: &[Repository]) -> ExitStatus {
    ExitStatus::of_check(repositories.iter().all(|repository| repository.error.is_none()))
}

fn page_file(args: &OutputArgs, folders: &Folders, out: &Printer) -> Result<Option<OutputFile>> {
    let bank = Bank::new(folders.here.join(".memories"));
    super::report::page_file(args.html.as_deref(), &bank, &folders.here, out)
}

fn finish(
    repositories: Vec<Repository>,
    args: &OutputArgs,
    page: Option<OutputFile>,
    out: &mut Printer,
) -> Result<ExitStatus> {
    let status = status(&repositories);
    let fleet = Fleet::new(repositories);
    if let Some(page) = page {
        page.write(&page::page(&fleet))?;
    } else if args.html.is_some() {
        out.raw(page::page(&fleet).as_bytes());
        return Ok(status);
    }
    out.report(&fleet, print::fleet)?;
    Ok(status)
}

fn read_part(path: &Path) -> Result<Part> {
    let shown = content::shown(path);
    let bytes = content::bytes(path, MAX_PART_BYTES)?;
    let part: Part = serde_json::from_slice(&bytes).map_err(|error| {
        let (why, _) = super::json_error(&error);
        UserError::usage(format!("{shown} is not a part of a report: {why}"))
            .hint("write it with `cerberus fleet report SOURCE --part FILE`")
    })?;
    if part.version != PART_VERSION {
        return Err(UserError::usage(format!("{shown} is of version {}", part.version))
            .hint("write and join the parts with the same version of cerberus")
            .into());
    }
    Ok(part)
}
