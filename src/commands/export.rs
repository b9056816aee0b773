//! `cerberus memory export`.

use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::export;
use crate::output::{OK, Printer};

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// Write to this file instead of the standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

pub(crate) fn run(args: &ExportArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let export = export::export(&settings.project)?;
    let mut text = serde_json::to_string(&export.header)? + "\n";
    for line in &export.lines {
        text += &serde_json::to_string(line)?;
        text.push('\n');
    }
    let Some(path) = &args.output else {
        out.warn(&export.warnings);
        out.raw(text.as_bytes());
        return Ok(ExitStatus::Done);
    };
    let report = export::save(export, path, &text)?;
    if out.json {
        out.json(&report)?;
        return Ok(ExitStatus::Done);
    }
    out.warn(&report.warnings);
    let memories = if report.memories == 1 { "memory" } else { "memories" };
    out.line(&format!(
        "{} {} {memories} to {}",
        out.paint(OK, "exported"),
        report.memories,
        out.safe(&report.output)
    ));
    Ok(ExitStatus::Done)
}
