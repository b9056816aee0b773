//! `cerberus memory feedback`.

use anyhow::Result;
use clap::Args;

use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::feedback;
use crate::output::{NAME, Printer};

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("verdict").required(true).args(["good", "bad"]))]
pub(crate) struct FeedbackArgs {
    /// The memory, or a unique start of its id
    pub(crate) id: String,
    /// It has helped
    #[arg(long)]
    pub(crate) good: bool,
    /// It has not
    #[arg(long)]
    pub(crate) bad: bool,
}

pub(crate) fn run(
    args: &FeedbackArgs,
    settings: &Settings,
    out: &mut Printer,
) -> Result<ExitStatus> {
    let report = feedback::feedback(&settings.project, &args.id, args.good)?;
    out.warn(&report.warnings);
    if out.json {
        out.json(&report)?;
        return Ok(ExitStatus::Done);
    }
    let verdict = if report.good { "has helped" } else { "has not helped" };
    out.line(&format!("noted that {} {verdict}", out.style(NAME, &report.id)));
    Ok(ExitStatus::Done)
}
