//! `cerberus memory links`.

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::links::{self, Report};
use crate::output::{OK, Printer, graph};

#[derive(Debug, Args)]
pub(crate) struct LinksArgs {
    /// Only links that do not lead where they say; fail if there is any
    #[arg(long)]
    pub(crate) broken: bool,
    /// Print the links in this form (--json is the same as json)
    #[arg(long, value_name = "FORM", default_value = "table")]
    pub(crate) format: LinksFormat,
}

/// How links are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LinksFormat {
    /// For people
    Table,
    /// One document
    Json,
    /// A graph for Graphviz
    Dot,
    /// A graph for Mermaid, which GitHub shows
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
        LinksFormat::Table | LinksFormat::Json => table(&report, args.broken, out),
    }
    Ok(status)
}

fn table(report: &Report, only_broken: bool, out: &mut Printer) {
    if report.total == 0 {
        out.line("no memory has a link; write one as in `[[src/server.py]]`");
    } else if only_broken && report.broken == 0 {
        let held = format!("every link leads where it says ({} links)", report.total);
        out.line(&out.paint(OK, &held));
    }
    let rows: Vec<Vec<String>> = report
        .edges
        .iter()
        .map(|edge| {
            let now = edge.found.as_ref().filter(|_| edge.is_broken());
            let now = now.map(|found| format!("now {found}"));
            let known: Vec<String> = now.into_iter().chain(edge.note.clone()).collect();
            let said = if known.is_empty() { edge.context.clone() } else { known.join(", ") };
            vec![
                format!("{}:{}", edge.file, edge.line),
                edge.edge_type.to_string(),
                edge.target.clone(),
                edge.state.to_string(),
                said,
            ]
        })
        .collect();
    out.rows(&["place", "relation", "target", "state", "said"], &rows);
}
