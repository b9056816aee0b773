//! `cerberus memory merge`.

use super::args::SecretArgs;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::merge::{self, Request};
use crate::output::{DIM, NAME, OK, Printer};

use super::content;

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// The memories to merge, or unique starts of their ids
    #[arg(required = true, value_name = "SOURCE")]
    pub(crate) sources: Vec<String>,
    /// Merge them into this memory, which is made if it is not there
    #[arg(long, value_name = "TARGET")]
    pub(crate) into: String,
    /// Let the target say this instead of the sources' own texts
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) content: Option<String>,
    /// Let the target say what is in this file, or in the standard input with -
    #[arg(long, value_name = "FILE", conflicts_with = "content")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) secret: SecretArgs,
}

pub(crate) fn run(args: &MergeArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let request = Request {
        sources: args.sources.clone(),
        into: args.into.strip_suffix(".md").unwrap_or(&args.into).to_owned(),
        content: content::named(args.content.as_deref(), args.file.as_deref())?,
        allow_secret: args.secret.allow_secret,
    };
    let report = merge::merge(&settings.project, &request)?;
    if out.json {
        out.json(&report)?;
        return Ok(ExitStatus::Done);
    }
    out.warn(&report.warnings);
    if report.merged.is_empty() && report.redirected.is_empty() {
        out.line(&format!(
            "{} holds them already; nothing is changed",
            out.style(NAME, &report.id)
        ));
        return Ok(ExitStatus::Done);
    }
    let done = if report.created { "merged into the new" } else { "merged into" };
    out.line(&format!(
        "{} {} {}",
        out.paint(OK, done),
        out.style(NAME, &report.id),
        out.paint(DIM, &format!("({})", out.safe(&report.file)))
    ));
    for moved in &report.merged {
        out.line(&format!(
            "  {} moved to the trash as {}",
            out.style(NAME, &moved.id),
            out.safe(&moved.file)
        ));
    }
    for other in &report.redirected {
        let links = if other.links == 1 { "link" } else { "links" };
        out.line(&format!("  {}: {} {links} redirected", out.style(NAME, &other.id), other.links));
    }
    if let Some(id) = &report.anchor_from {
        out.line(&format!("  the example is that of {}", out.safe(id)));
    }
    Ok(ExitStatus::Done)
}
