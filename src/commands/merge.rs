//! `cerberus memory merge`.

use std::path::PathBuf;

use cerberus_bank::ops::merge::{self, Report, Request};
use cerberus_model::text::plural;
use clap::Args;

use super::args::{ContentArgs, SecretArgs};
use crate::config::Settings;
use crate::output::{CliResult, DIM, NAME, OK, Printer};

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// Complete ids of the memories to merge
    #[arg(required = true, value_name = "SOURCE")]
    sources: Vec<String>,
    /// Memory to merge into; created if it does not exist
    #[arg(long, value_name = "TARGET")]
    into: String,
    /// Text of the target instead of the texts of the sources
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    content: Option<String>,
    /// File to read the text of the target from, or - for standard input
    #[arg(long, alias = "file", value_name = "FILE", conflicts_with = "content")]
    from: Option<PathBuf>,
    #[command(flatten)]
    secret: SecretArgs,
}

pub(crate) fn run(args: &MergeArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let content = ContentArgs {
        text: None,
        content: args.content.clone(),
        from: args.from.clone(),
    };
    let content = content.read_if_passed()?;
    let request = Request {
        sources: args.sources.clone(),
        into: args.into.clone(),
        content,
        allow_secrets: args.secret.allow_secret,
    };
    let report = merge::merge(&settings.project, &request)?;
    out.report(&report, print)
}

fn print(report: &Report, out: &mut Printer) {
    out.warn(&report.warnings);
    let id = out.style(NAME, &report.id);
    let file = out.paint(DIM, &format!("({})", out.safe(&report.file)));
    if report.merged.is_empty() && report.redirected.is_empty() {
        return out.line(&format!("unchanged {id} {file}"));
    }
    let verb = if report.created {
        "merged into the new"
    } else {
        "merged into"
    };
    out.line(&format!("{} {id} {file}", out.paint(OK, verb)));
    for moved in &report.merged {
        let id = out.style(NAME, &moved.id);
        let file = out.safe(&moved.file);
        out.line(&format!("  {id} moved to the trash as {file}"));
    }
    for other in &report.redirected {
        let links = plural(other.links, "link");
        out.line(&format!(
            "  {}: {links} redirected",
            out.style(NAME, &other.id)
        ));
    }
    if let Some(id) = &report.anchor_from {
        out.line(&format!("  anchored to the example of {}", out.safe(id)));
    }
}
