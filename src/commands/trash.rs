//! `cerberus memory delete` and `cerberus memory restore`.

use cerberus_bank::ops::trash::{self, Report};
use clap::Args;

use crate::config::Settings;
use crate::output::{CliResult, NAME, Printer};

#[derive(Debug, Args)]
pub(crate) struct DeleteArgs {
    /// Complete memory ids
    #[arg(required = true)]
    ids: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// Name of the memory in the trash, or a unique prefix of it
    id: String,
}

pub(crate) fn run_delete(args: &DeleteArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let report = trash::delete(&settings.project, &args.ids)?;
    out.warn(&report.warnings);
    out.report(&report, |report, out| {
        print(report, "moved to the trash as", out);
        if let Some(moved) = report.moved.first() {
            out.line(&format!(
                "undo with: cerberus memory restore {}",
                out.safe(&moved.name)
            ));
        }
    })
}

pub(crate) fn run_restore(args: &RestoreArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let report = trash::restore(&settings.project, &args.id)?;
    out.warn(&report.warnings);
    out.report(&report, |report, out| print(report, "restored as", out))
}

fn print(report: &Report, verb: &str, out: &mut Printer) {
    for moved in &report.moved {
        let id = out.style(NAME, &moved.id);
        let file = out.safe(&moved.file);
        let anchor = if moved.anchored {
            ", with its anchor"
        } else {
            ""
        };
        out.line(&format!("{id} {verb} {file}{anchor}"));
    }
}
