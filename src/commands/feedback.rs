//! `cerberus memory feedback`.

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::Project;
use crate::ops::memories::Memories;
use crate::output::{NAME, Printer};
use crate::store::{Store, feedback as table};

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("verdict").required(true).args(["helpful", "unhelpful"]))]
pub(crate) struct FeedbackArgs {
    /// The id of the memory, or a unique prefix
    pub(crate) id: String,
    /// The memory was helpful
    #[arg(long, alias = "good")]
    pub(crate) helpful: bool,
    /// The memory was not helpful
    #[arg(long, alias = "bad")]
    pub(crate) unhelpful: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    id: String,
    good: bool,
    /// Whether the memory has an example.
    anchored: bool,
    warnings: Vec<String>,
}

fn feedback(project: &Project, args: &FeedbackArgs) -> Result<Report> {
    let memories = Memories::load(project)?;
    let id = memories.find(&args.id)?.memory.id.clone();
    let anchored = memories.anchors.contains_key(&id);
    let mut store = Store::open(&project.store)?;
    store.check_persistent()?;
    store.transaction(|connection| {
        table::insert(connection, &project.now.to_string(), &id, args.helpful, anchored)
    })?;
    let mut warnings = memories.warnings;
    warnings.append(&mut store.warnings);
    Ok(Report { id, good: args.helpful, anchored, warnings })
}

pub(crate) fn run(
    args: &FeedbackArgs,
    settings: &Settings,
    out: &mut Printer,
) -> Result<ExitStatus> {
    let report = feedback(&settings.project, args)?;
    out.warn(&report.warnings);
    if out.json {
        out.document(&report)?;
        return Ok(ExitStatus::Done);
    }
    let verdict = if report.good { "helpful" } else { "unhelpful" };
    out.line(&format!("recorded {} as {verdict}", out.styled(NAME, &report.id)));
    Ok(ExitStatus::Done)
}
