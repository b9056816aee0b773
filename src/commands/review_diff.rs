//! `cerberus memory review-diff`: checks added and changed code against the patterns of the rules.

use anyhow::Result;
use cerberus_bank::Workspace;
use clap::Args;

use super::added_code::{self, Request};
pub(crate) use super::added_code::{Finding, Report, review_file};
use super::findings::{self, FindingsFormat};
use crate::config::Settings;
use crate::output::{CliResult, Printer};

mod annotations;
mod print;

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ReviewDiffArgs {
    /// Compare the working tree with the last common commit of HEAD and REV (default: HEAD)
    #[arg(value_name = "REV", conflicts_with_all = ["staged", "all"])]
    pub(crate) revision: Option<String>,
    /// Check the staged changes
    #[arg(long, conflicts_with = "all")]
    pub(crate) staged: bool,
    /// Check all code, not only changes
    #[arg(long)]
    pub(crate) all: bool,
    /// Output format (--json is the same as json)
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<FindingsFormat>,
}

impl ReviewDiffArgs {
    fn request(&self) -> Request {
        if self.staged {
            Request::Staged
        } else if self.all {
            Request::All
        } else {
            Request::Since(self.revision.clone())
        }
    }
}

/// Checks the changes that the arguments select. `progress` gets the number of checked files and of all.
pub(crate) fn review(
    project: &Workspace,
    args: &ReviewDiffArgs,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Report> {
    added_code::review(project, &args.request(), progress)
}

pub(crate) fn run(args: &ReviewDiffArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let format = findings::format(args.format, out)?;
    let report = review(&settings.project, args, &|_, _| {})?;
    findings::print(&report, format, out, |out| print::report(&report, out))
}
