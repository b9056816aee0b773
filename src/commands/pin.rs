//! `cerberus memory pin`.

use clap::Subcommand;

use super::args::SessionArgs;
use crate::commands::prelude::*;
use cerberus_bank::ops::pins::{self, Filter, PinReport, Removed, Request, Totals};

#[derive(Debug, Subcommand)]
pub(crate) enum PinCommand {
    /// Add a pin
    Add(PinAddArgs),
    /// List the pins and their use of the limits
    List(PinListArgs),
    /// Remove pins
    Remove(PinRemoveArgs),
    /// Remove all pins that match a filter
    Clear(PinClearArgs),
    /// Print the pins as injected, including the built-in ones
    #[command(alias = "render")]
    Show(SessionArgs),
    /// Print the event log of the pins, one JSON document per line
    Events(SessionArgs),
}

#[derive(Debug, Args)]
pub(crate) struct PinAddArgs {
    #[command(flatten)]
    pub(crate) request: Request,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PinListArgs {
    /// Include expired pins
    #[arg(long)]
    pub(crate) include_expired: bool,
    #[command(flatten)]
    pub(crate) filter: Filter,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PinRemoveArgs {
    /// The complete ids of the pins
    #[arg(required = true)]
    pub(crate) ids: Vec<String>,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PinClearArgs {
    /// Remove every pin
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) filter: Filter,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

pub(crate) fn run(command: &PinCommand, settings: &Settings, out: &mut Printer) -> CliResult {
    let project = &settings.project;
    match command {
        PinCommand::Add(args) => {
            let report = pins::add(project, &args.request, session(&args.session, settings))?;
            out.warn(&report.warnings);
            out.report(&report, |report, out| {
                let PinReport { pin, tokens, .. } = &report.pin;
                let (pinned, id) = (out.paint(OK, "pinned"), out.style(NAME, &pin.id));
                let expiry = expiry_label(&report.pin);
                let about = format!("({}, {expiry}, {tokens} tokens)", pin.priority);
                out.line(&format!("{pinned} {id} {}", out.paint(DIM, &about)));
                for id in &report.evicted {
                    let (removed, id) = (out.paint(WARN, "removed"), out.style(NAME, id));
                    out.line(&format!("  {removed} {id} to stay within the limits"));
                }
            })
        }
        PinCommand::List(args) => {
            let session = session(&args.session, settings);
            let report = pins::list(project, &args.filter, args.include_expired, session)?;
            out.warn(&report.warnings);
            out.report(&report, |report, out| {
                let rows = report.pins.iter().map(row);
                out.rows(&["id", "priority", "expiry", "text"], rows);
                out.line(&out.paint(DIM, &usage_line(&report.totals)));
                if !report.defaults.is_empty() {
                    let n = plural(report.defaults.len(), "built-in pin");
                    let hint = format!("plus {n}; print all: cerberus memory pin show");
                    out.line(&out.paint(DIM, &hint));
                }
            })
        }
        PinCommand::Remove(args) => {
            let session = session(&args.session, settings);
            print_removed(&pins::remove(project, &args.ids, session)?, out)
        }
        PinCommand::Clear(args) => {
            let session = session(&args.session, settings);
            print_removed(&pins::clear(project, &args.filter, args.all, session)?, out)
        }
        PinCommand::Show(args) => {
            let report = pins::show(project, session(args, settings))?;
            out.warn(&report.warnings);
            out.report(&report, |report, out| {
                if !report.text.is_empty() {
                    out.line(report.text.trim_end());
                }
            })
        }
        PinCommand::Events(args) => {
            for event in pins::events(project, session(args, settings))? {
                out.json(&event)?;
            }
            Ok(ExitStatus::Done)
        }
    }
}

/// Returns the session of a command.
pub(super) fn session<'a>(args: &'a SessionArgs, settings: &'a Settings) -> Option<&'a str> {
    args.session.as_deref().or(settings.session.as_deref())
}

fn row(report: &PinReport) -> Vec<String> {
    let pin = &report.pin;
    let text = pin.content.lines().next().unwrap_or_default().to_owned();
    vec![pin.id.clone(), pin.priority.to_string(), expiry_label(report), text]
}

fn expiry_label(PinReport { pin, expired, .. }: &PinReport) -> String {
    match pin.expires_at {
        Some(at) if *expired => format!("expired {at}"),
        Some(at) => format!("until {at}"),
        None => pin.scope.to_string(),
    }
}

fn usage_line(totals: &Totals) -> String {
    let Totals { pins, max_pins, tokens, max_tokens, usage, .. } = totals;
    let percent = (usage * 100.0).round();
    format!("{pins} of {max_pins} pins, {tokens} of {max_tokens} tokens: {percent} % used")
}

fn print_removed(report: &Removed, out: &mut Printer) -> CliResult {
    out.warn(&report.warnings);
    out.report(report, |report, out| {
        for id in &report.removed {
            out.line(&format!("removed {}", out.style(NAME, id)));
        }
        if report.removed.is_empty() {
            out.line("no pins match");
        }
    })
}
