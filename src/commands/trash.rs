//! `cerberus memory delete` and `cerberus memory restore`.

use anyhow::Result;
use clap::Args;

use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::trash::{self, Report};
use crate::output::{NAME, Printer};

#[derive(Debug, Args)]
pub(crate) struct DeleteArgs {
    /// Memories, or unique starts of their ids
    #[arg(required = true)]
    pub(crate) ids: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// The name of the memory in the trash
    pub(crate) id: String,
}

pub(crate) fn delete(
    args: &DeleteArgs,
    settings: &Settings,
    out: &mut Printer,
) -> Result<ExitStatus> {
    let report = trash::delete(&settings.project, &args.ids)?;
    show(&report, "moved to the trash as", out)?;
    if !out.json
        && let Some(moved) = report.moved.first()
    {
        out.line(&format!("take it back with: cerberus memory restore {}", out.safe(&moved.name)));
    }
    Ok(ExitStatus::Done)
}

pub(crate) fn restore(
    args: &RestoreArgs,
    settings: &Settings,
    out: &mut Printer,
) -> Result<ExitStatus> {
    let report = trash::restore(&settings.project, &args.id)?;
    show(&report, "is back as", out)?;
    Ok(ExitStatus::Done)
}

fn show(report: &Report, verb: &str, out: &mut Printer) -> Result<()> {
    out.warn(&report.warnings);
    if out.json {
        return out.json(report);
    }
    for moved in &report.moved {
        let anchor = if moved.anchored { ", with its anchor" } else { "" };
        out.line(&format!(
            "{} {verb} {}{anchor}",
            out.style(NAME, &moved.id),
            out.safe(&moved.file)
        ));
    }
    Ok(())
}
