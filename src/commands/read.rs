//! `cerberus memory read`.

use cerberus_bank::ops::read::{self, Request};
use cerberus_model::error::ExitStatus;
use clap::Args;

use super::args;
use crate::config::Settings;
use crate::output::{CliResult, Printer};

#[derive(Debug, Args)]
pub(crate) struct ReadArgs {
    /// Memory id or a unique prefix of it
    id: String,
    /// Print only this section (repeatable, or separated by commas)
    #[arg(long = "section", value_name = "SECTION", value_delimiter = ',')]
    sections: Vec<String>,
    /// Keep the section tags; without --section, print the file byte for byte
    #[arg(long)]
    raw: bool,
}

pub(crate) fn run(given: &ReadArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let request = Request {
        id: given.id.clone(),
        sections: args::ids(&given.sections),
        raw: given.raw,
    };
    let report = read::read(&settings.project, &request)?;
    let is_missing = !request.sections.is_empty() && report.sections.is_empty();
    out.report(&report, |report, out| {
        out.warn(&report.warnings);
        match &report.bytes {
            Some(bytes) => out.raw(bytes),
            None => report
                .content
                .lines()
                .for_each(|line| out.line(&out.safe(line))),
        }
    })?;
    Ok(ExitStatus::of_check(!is_missing))
}
