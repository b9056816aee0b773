//! `cerberus memory review`: walks a person through the rules whose example is not sure.
//!
//! Each decision is written when it is made, with the operation of the command that makes the same
//! decision (`anchor`, `update`), so an interrupted review loses nothing.

use cerberus_bank::ops::review::{self, Item, Report, Request};
use cerberus_model::text::plural;
use cerberus_model::{ExitStatus, refuse};
use clap::Args;
use reader::ReaderArgs;
use serde::Serialize;

use super::confirm;
use crate::config::Settings;
use crate::output::{CliResult, Keyboard, Printer, ProgressBar};

mod print;
pub(crate) mod reader;
mod session;
#[cfg(test)]
mod tests;

#[derive(Debug, Args)]
pub(crate) struct ReviewArgs {
    /// Only these memories, also if their example is sure: ids or unique id prefixes
    ids: Vec<String>,
    /// Maximum number of memories
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Only memories with this scope; `project` and `language` match every scope of that kind
    #[arg(long)]
    scope: Option<String>,
    /// Also rules about the work on the project, which no code shows
    #[arg(long)]
    all: bool,
    /// Print the list without asking
    #[arg(long)]
    list: bool,
    /// Anchor the rules whose first candidate is likely to it, after one question about the list
    #[arg(long, conflicts_with_all = ["list", "with"])]
    accept_likely: bool,
    /// Accept them without the question
    #[arg(short, long, requires = "accept_likely")]
    yes: bool,
    #[command(flatten)]
    reader: ReaderArgs,
}

impl ReviewArgs {
    fn request(&self) -> Request {
        Request {
            ids: self.ids.clone(),
            limit: self.limit,
            scope: self.scope.clone(),
            all: self.all,
        }
    }
}

/// The rules that were anchored to their likely candidates.
#[derive(Serialize)]
struct Accepted {
    anchored: Vec<String>,
}

/// Lists the likely candidates, and anchors their rules in one step.
fn accept_likely(
    accepts: bool,
    settings: &Settings,
    mut report: Report,
    out: &mut Printer,
) -> CliResult {
    report.items.retain(|item| item.likely().is_some());
    if !out.json {
        print::likely(&report.items, out);
    }
    let n = report.items.len();
    let mut accepted = Accepted {
        anchored: Vec::new(),
    };
    if n > 0 {
        if !accepts && !confirm::is_possible(out) {
            return refuse(
                "nobody can be asked about the list",
                "read it, then repeat the command with `--yes`",
            );
        }
        let rules = plural(n, "rule");
        if accepts || confirm::ask(&format!("Anchor {rules} to these candidates?"), out)? {
            accepted.anchored = review::accept_likely(&settings.project, &report.items)?;
        }
    }
    out.report(&accepted, |accepted, out| {
        let n = plural(accepted.anchored.len(), "rule");
        out.line(&match accepted.anchored.len() {
            0 => "no rule anchored".to_owned(),
            _ => format!("{n} anchored; `cerberus memory reanchor --undo` reverts that"),
        });
    })
}

pub(crate) fn run(args: &ReviewArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    if let Some(with) = &args.reader.with {
        return reader::run(with, args, settings, out);
    }
    let bar = ProgressBar::new(out.terminal, "ranking candidates");
    let report = review::list(&settings.project, &args.request(), &|done, total| {
        bar.step(done, total)
    })?;
    drop(bar);
    out.warn(&report.warnings);
    if args.accept_likely {
        return accept_likely(args.yes, settings, report, out);
    }
    let asks = !args.list && confirm::is_possible(out);
    if out.json {
        out.json(&report)?;
    } else if asks && !(report.items.is_empty() && report.folded.is_empty()) {
        print::proposals(&report, out);
        session::run(settings, report, &mut Keyboard::new(), out)?;
    } else {
        print::report(&report, out);
    }
    Ok(ExitStatus::Done)
}
