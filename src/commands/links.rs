//! `cerberus memory links`.

use cerberus_bank::ops::links::{self, Edge, Report};
use cerberus_model::error::ExitStatus;
use clap::Args;

use crate::config::Settings;
use crate::output::{CliResult, OK, Printer};

#[derive(Debug, Args)]
pub(crate) struct LinksArgs {
    /// Only the links of this memory: its id or a unique prefix of it
    pub(crate) id: Option<String>,
    /// Only broken links; fail if there are any
    #[arg(long)]
    pub(crate) broken: bool,
}

pub(crate) fn run(args: &LinksArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let mut report = links::links(&settings.project, args.broken && args.id.is_none())?;
    if let Some(id) = &args.id {
        let memories = settings.project.memories()?;
        let id = &memories.find(id)?.memory.id;
        report.edges.retain(|edge| edge.source == *id);
        report.total = report.edges.len();
        report.broken = report.edges.iter().filter(|edge| edge.is_broken()).count();
        report.edges.retain(|edge| edge.is_broken() || !args.broken);
    }
    let is_failed = args.broken && report.broken > 0;
    out.report(&report, |report, out| print_table(report, args.broken, out))?;
    Ok(ExitStatus::of_check(!is_failed))
}

fn print_table(report: &Report, only_broken: bool, out: &mut Printer) {
    out.warn(&report.warnings);
    if report.total == 0 {
        out.line("there are no links: add one, as in `[[src/server.py]]`");
    } else if only_broken && report.broken == 0 {
        out.line(&out.paint(OK, &format!("no broken links ({} in total)", report.total)));
    }
    let heading = ["location", "relation", "target", "state", "context"];
    out.rows(&heading, report.edges.iter().map(row));
}

fn row(edge: &Edge) -> [String; 5] {
    let mut notes = Vec::new();
    if let Some(target) = &edge.resolved_to
        && edge.is_broken()
    {
        notes.push(format!("now {target}"));
    }
    notes.extend(edge.note.clone());
    let context = if notes.is_empty() {
        edge.context.clone()
    } else {
        notes.join(", ")
    };
    [
        format!("{}:{}", edge.file, edge.line),
        edge.relation.to_string(),
        edge.target.clone(),
        edge.state.to_string(),
        context,
    ]
}
