//! `cerberus memory rename`.

use cerberus_bank::ops::rename::{self, Report};
use cerberus_model::text::plural;
use clap::Args;

use crate::config::Settings;
use crate::output::{CliResult, NAME, Printer};

#[derive(Debug, Args)]
pub(crate) struct RenameArgs {
    /// Id of the memory, or a unique prefix of it
    id: String,
    /// The new id
    new_id: String,
}

pub(crate) fn run(args: &RenameArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let report = rename::rename(&settings.project, &args.id, &args.new_id)?;
    out.warn(&report.warnings);
    out.report(&report, print)
}

fn print(report: &Report, out: &mut Printer) {
    let old = out.style(NAME, &report.old_id);
    let new = out.style(NAME, &report.id);
    let anchor = if report.anchored {
        ", with its anchor"
    } else {
        ""
    };
    out.line(&format!("renamed {old} to {new}{anchor}"));
    for redirected in &report.redirected {
        let id = out.style(NAME, &redirected.id);
        let links = plural(redirected.links, "link");
        out.line(&format!("  {links} of {id} changed"));
    }
}
