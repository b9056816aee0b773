//! `cerberus memory links`.

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::config::Settings;
use crate::output::{OK, Printer, graph};
use cerberus_bank::ops::links::{self, Edge, Report};
use cerberus_model::error::ExitStatus;

#[derive(Debug, Args)]
pub(crate) struct LinksArgs {
    /// Only broken links; fail if there are any
    #[arg(long)]
    pub(crate) broken: bool,
    /// Output format; --json is the same as --format json
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub(crate) format: LinksFormat,
}

/// Output format of `links`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LinksFormat {
    /// Table for reading
    Table,
    /// One JSON document
    Json,
    /// Graphviz graph
    Dot,
    /// Mermaid graph, which GitHub displays
    Mermaid,
}

pub(crate) fn run(args: &LinksArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let report = links::links(&settings.project, args.broken)?;
    let is_failed = args.broken && report.broken > 0;
    let status = if is_failed { ExitStatus::CheckFailed } else { ExitStatus::Done };
    if out.json || args.format == LinksFormat::Json {
        out.json(&report)?;
        return Ok(status);
    }
    out.warn(&report.warnings);
    match args.format {
        LinksFormat::Dot => out.line(&out.safe(&graph::dot(&report.edges))),
        LinksFormat::Mermaid => out.line(&out.safe(&graph::mermaid(&report.edges))),
        LinksFormat::Table | LinksFormat::Json => print_table(&report, args.broken, out),
    }
    Ok(status)
}

fn print_table(report: &Report, only_broken: bool, out: &mut Printer) {
    if report.total == 0 {
        out.line("no memory contains a link: add one, as in `[[src/server.py]]`");
    } else if only_broken && report.broken == 0 {
        out.line(&out.paint(OK, &format!("no broken links ({} in total)", report.total)));
    }
    let rows: Vec<Vec<String>> = report.edges.iter().map(row).collect();
    out.rows(&["location", "relation", "target", "state", "context"], &rows);
}

fn row(edge: &Edge) -> Vec<String> {
    let resolved_to = edge.resolved_to.as_ref().filter(|_| edge.is_broken());
    let notes: Vec<String> =
        resolved_to.map(|it| format!("now {it}")).into_iter().chain(edge.note.clone()).collect();
    vec![
        format!("{}:{}", edge.file, edge.line),
        edge.relation.to_string(),
        edge.target.clone(),
        edge.state.to_string(),
        if notes.is_empty() { edge.context.clone() } else { notes.join(", ") },
    ]
}
