//! `cerberus memory feedback`.

use anyhow::Result;
use cerberus_bank::ops::Project;
use cerberus_bank::ops::memories::Memories;
use cerberus_store::{Store, feedback as table};
use clap::Args;
use serde::Serialize;

use crate::config::Settings;
use crate::output::{CliResult, NAME, Printer};

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
    let at = project.now.to_string();
    let row = table::Feedback {
        at: &at,
        memory: &id,
        is_good: args.helpful,
        is_anchored: anchored,
    };
    store.transaction(|connection| table::insert(connection, &row))?;
    let mut warnings = memories.warnings;
    warnings.append(&mut store.warnings);
    Ok(Report {
        id,
        good: args.helpful,
        anchored,
        warnings,
    })
}

pub(crate) fn run(args: &FeedbackArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let report = feedback(&settings.project, args)?;
    out.warn(&report.warnings);
    out.report(&report, |report, out| {
        let verdict = if report.good { "helpful" } else { "unhelpful" };
        out.line(&format!(
            "recorded {} as {verdict}",
            out.style(NAME, &report.id)
        ));
    })
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Approval {
    pub(crate) with_example: Verdicts,
    pub(crate) without_example: Verdicts,
}

/// Counts of helpful (`good`) and unhelpful (`bad`) verdicts.
#[derive(Debug, Serialize)]
pub(crate) struct Verdicts {
    pub(crate) good: usize,
    pub(crate) bad: usize,
    /// The percentage of helpful verdicts, if there are any.
    pub(crate) percent: Option<f64>,
}

/// Returns the totals.
pub(crate) fn approval(project: &Project) -> Result<Approval> {
    let store = Store::open(&project.store)?;
    let verdicts = |is_anchored: bool| -> Result<Verdicts> {
        let (good, bad) = table::counts(store.reader(), is_anchored)?;
        let percent = (good as f64 / (good + bad).max(1) as f64 * 1e3).round() / 10.0;
        Ok(Verdicts {
            good,
            bad,
            percent: (good + bad > 0).then_some(percent),
        })
    };
    Ok(Approval {
        with_example: verdicts(true)?,
        without_example: verdicts(false)?,
    })
}
