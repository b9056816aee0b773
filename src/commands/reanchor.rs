//! `cerberus memory reanchor`: prints how every anchor was followed through changes in the code.

use cerberus_bank::ops::reanchor::{self, Mode, Request};
use cerberus_bank::ops::recorded;
use cerberus_model::error::ExitStatus;
use cerberus_model::text::plural;
use clap::Args;
use serde_json::json;

use super::args::quality;
use crate::config::Settings;
use crate::output::{CliResult, Printer, ProgressBar};

mod print;

#[derive(Debug, Args)]
pub(crate) struct ReanchorArgs {
    /// Fail if any anchor is out of date, without writing
    #[arg(long, group = "mode")]
    check: bool,
    /// Approve the changed code of one memory, or of all
    #[arg(long, value_name = "ID", group = "mode")]
    accept: Option<Option<String>>,
    /// Show what would be recorded, without writing
    #[arg(long, group = "mode")]
    dry_run: bool,
    /// Undo the last reanchor, or the anchors of the last review by an agent
    #[arg(long, group = "mode")]
    undo: bool,
    /// Fail on any edit
    #[arg(long, requires = "check")]
    strict: bool,
    /// Only anchors that changed since this revision; fail if git does not know it
    #[arg(long, value_name = "REV")]
    since: Option<String>,
    /// Show the compared code and the reason for this memory
    #[arg(long, value_name = "ID")]
    explain: Option<String>,
    /// Only memories of this scope (default: all)
    #[arg(long)]
    scope: Option<String>,
    /// Minimum quality of a first anchor, or of a replacement for a missing one (0 to 1)
    #[arg(long, value_name = "QUALITY", value_parser = quality)]
    min_quality: Option<f64>,
}

impl ReanchorArgs {
    fn request(&self) -> Request {
        let mode = if self.check {
            Mode::Check
        } else if let Some(id) = &self.accept {
            Mode::Accept(id.clone())
        } else if self.dry_run || self.explain.is_some() {
            // A question for an explanation does not write.
            Mode::DryRun
        } else {
            Mode::Record
        };
        Request {
            mode,
            strict: self.strict,
            since: self.since.clone(),
            scope: self.scope.clone(),
            min_quality: self.min_quality,
            keeps_open: false,
        }
    }
}

pub(crate) fn run(args: &ReanchorArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    if args.undo {
        // Unless the lock file was changed since.
        let _guard = settings.project.lock()?;
        let n_anchors = settings.project.bank.undo_anchors()?;
        return out.report(&json!({ "anchors": n_anchors }), |_, out| {
            let n = plural(n_anchors, "anchor");
            out.line(&format!("reverted the last recorded change; restored {n}"));
        });
    }
    let bar = ProgressBar::new(out.terminal, "following anchors");
    let request = args.request();
    let mut report = reanchor::reanchor(&settings.project, &request, &|done, total| {
        bar.step(done, total)
    })?;
    drop(bar);
    if let Some(prefix) = &args.explain {
        report = report.explained(prefix, request.writes())?;
    }
    out.warn(&report.warnings);
    match &args.explain {
        _ if out.json => out.json(&report)?,
        Some(_) => {
            let finding = &report.results[0];
            let versions = recorded::versions(&settings.project, finding)?;
            print::explanation(finding, &versions, out);
        }
        None => print::report(&report, &request, out),
    }
    let is_done = report.ok || request.mode == Mode::DryRun;
    Ok(ExitStatus::of_check(is_done))
}
