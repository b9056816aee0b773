//! `cerberus memory read`.

use anyhow::Result;
use clap::Args;

use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::read::{self, Request};
use crate::output::Printer;

#[derive(Debug, Args)]
pub(crate) struct ReadArgs {
    /// The memory, or a unique start of its id
    pub(crate) id: String,
    /// Only this section (may be repeated, or several with commas between)
    #[arg(long = "section", value_name = "SECTION", value_delimiter = ',')]
    pub(crate) sections: Vec<String>,
    /// Keep the tags in sections; without a section, print the file to the byte
    #[arg(long)]
    pub(crate) raw: bool,
}

pub(crate) fn run(args: &ReadArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let sections = args.sections.iter().map(|id| id.trim().to_owned());
    let request = Request {
        id: args.id.clone(),
        sections: sections.filter(|id| !id.is_empty()).collect(),
        raw: args.raw,
    };
    let report = read::read(&settings.project, &request)?;
    let is_empty = !request.sections.is_empty() && report.sections.is_empty();
    let status = if is_empty { ExitStatus::CheckFailed } else { ExitStatus::Done };
    if out.json {
        out.json(&report)?;
        return Ok(status);
    }
    out.warn(&report.warnings);
    match &report.bytes {
        Some(bytes) => out.raw(bytes),
        None => {
            for line in report.content.lines() {
                out.line(&out.safe(line));
            }
        }
    }
    Ok(status)
}
