//! `cerberus memory delete`, `cerberus memory restore` and `cerberus memory trash`.

use cerberus_bank::ops::trash::{self, Report};
use cerberus_bank::ops::trash_folder;
use cerberus_model::error::{ExitStatus, UserError};
use cerberus_model::text::{plural, shell_word};
use clap::Args;

use super::confirm;
use crate::config::Settings;
use crate::output::{CliResult, NAME, Printer, WARN};

#[derive(Debug, Args)]
pub(crate) struct DeleteArgs {
    /// Ids of memories, or unique id prefixes
    #[arg(required = true)]
    ids: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// Name of the memory in the trash, or a unique prefix of it
    id: String,
}

#[derive(Debug, Args)]
pub(crate) struct TrashArgs {
    /// Remove what is in the trash for good
    #[arg(long)]
    empty: bool,
    /// Remove without a question
    #[arg(short, long, requires = "empty")]
    yes: bool,
}

pub(crate) fn run_trash(args: &TrashArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let project = &settings.project;
    let mut report = trash_folder::list(project)?;
    if args.empty && !report.memories.is_empty() {
        if !args.yes {
            if !confirm::is_possible(out) {
                return Err(UserError::usage("removing the trash needs a confirmation")
                    .hint("confirm it with `cerberus memory trash --empty --yes`")
                    .into());
            }
            print_trash(&report, out);
            if !confirm::ask("Remove them for good?", out)? {
                out.line("nothing was removed");
                return Ok(ExitStatus::Done);
            }
        }
        report = trash_folder::empty(project)?;
    }
    out.report(&report, print_trash)
}

fn print_trash(report: &trash_folder::Report, out: &mut Printer) {
    if report.memories.is_empty() {
        return out.line("the trash is empty");
    }
    if report.emptied {
        let n = plural(report.memories.len(), "name");
        return out.line(&format!("removed {n} for good"));
    }
    for name in &report.memories {
        out.line(&out.safe(name));
    }
}

pub(crate) fn run_delete(args: &DeleteArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let report = trash::delete(&settings.project, &args.ids)?;
    out.warn(&report.warnings);
    out.report(&report, |report, out| {
        print(report, "moved to the trash as", out);
        for broken in &report.broken_links {
            let id = out.style(NAME, &broken.id);
            let links = plural(broken.links, "link");
            out.line(&format!("{} {links} of {id}", out.paint(WARN, "broken:")));
        }
        let verb = "undo with: cerberus memory restore";
        for moved in &report.moved {
            let name = shell_word(&moved.name);
            out.line(&format!("{verb} {}", out.safe(&name)));
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
