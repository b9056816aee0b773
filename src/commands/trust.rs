//! `cerberus trust`: the user's consent that a project opens a user bank.

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use crate::config::GlobalArgs;
use crate::config::trust::{self, TrustedProject};
use crate::output::{NAME, OK, Printer};
use cerberus_model::error::ExitStatus;

#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// Remove the consent for this project
    #[arg(long, conflicts_with = "list")]
    remove: bool,
    /// List the trusted projects and their banks
    #[arg(long)]
    list: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    #[serde(flatten)]
    project: TrustedProject,
    /// Other projects that open the same bank.
    shared_with: Vec<String>,
    written: bool,
}

#[derive(Debug, Serialize)]
struct ListReport {
    projects: Vec<TrustedProject>,
}

pub(crate) fn run(args: &TrustArgs, global: &GlobalArgs, out: &mut Printer) -> Result<ExitStatus> {
    if args.list {
        return print_list(out);
    }
    let (project, written) =
        if args.remove { (trust::remove(global)?, true) } else { trust::add(global)? };
    let others = trust::list()?.into_iter();
    let others = others.filter(|other| other.bank == project.bank && other.root != project.root);
    let report = Report { shared_with: others.map(|other| other.root).collect(), written, project };
    if out.json {
        out.json(&report)?;
        return Ok(ExitStatus::Done);
    }
    let (root, bank) = (out.style(NAME, &report.project.root), out.safe(&report.project.bank));
    if args.remove {
        out.line(&format!(
            "{} {root}: it no longer opens the user bank `{bank}`",
            out.paint(OK, "removed")
        ));
    } else if written {
        out.line(&format!("{} {root} with the user bank `{bank}`", out.paint(OK, "trusted")));
    } else {
        out.line(&format!("unchanged: {root} is trusted with the user bank `{bank}`"));
    }
    for other in report.shared_with.iter().filter(|_| !args.remove) {
        out.line(&format!("shared with {}", out.safe(other)));
    }
    Ok(ExitStatus::Done)
}

fn print_list(out: &mut Printer) -> Result<ExitStatus> {
    let report = ListReport { projects: trust::list()? };
    if out.json {
        out.json(&report)?;
    } else if report.projects.is_empty() {
        out.line("no project is trusted with a user bank");
    } else {
        let row = |project: &TrustedProject| vec![project.root.clone(), project.bank.clone()];
        let rows: Vec<Vec<String>> = report.projects.iter().map(row).collect();
        out.rows(&["root", "bank"], &rows);
    }
    Ok(ExitStatus::Done)
}
