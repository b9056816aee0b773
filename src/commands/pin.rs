//! `cerberus memory pin`.

use super::args::SessionArgs;
use anyhow::Result;
use clap::{Args, Subcommand};

use crate::config::Settings;
use crate::output::{DIM, NAME, OK, Printer, WARN};
use cerberus_bank::ops::pins::{self, Filter, PinReport, Removed, Request, Totals};
use cerberus_model::error::ExitStatus;
use cerberus_model::text::plural;

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
    /// The ids of the pins, or unique prefixes
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

pub(crate) fn run(
    command: &PinCommand,
    settings: &Settings,
    out: &mut Printer,
) -> Result<ExitStatus> {
    let project = &settings.project;
    match command {
        PinCommand::Add(args) => {
            let report = pins::add(project, &args.request, session(&args.session, settings))?;
            out.warn(&report.warnings);
            if out.json {
                out.json(&report)?;
                return Ok(ExitStatus::Done);
            }
            let pin = &report.pin;
            let about = format!("({}, {}, {} tokens)", pin.priority, expiry_label(pin), pin.tokens);
            out.line(&format!(
                "{} {} {}",
                out.paint(OK, "pinned"),
                out.style(NAME, &pin.id),
                out.paint(DIM, &about)
            ));
            for id in &report.evicted {
                let evicted = out.paint(WARN, "removed");
                out.line(&format!("  {evicted} {} to stay within the limits", out.style(NAME, id)));
            }
        }
        PinCommand::List(args) => {
            let session = session(&args.session, settings);
            let report = pins::list(project, &args.filter, args.include_expired, session)?;
            out.warn(&report.warnings);
            if out.json {
                out.json(&report)?;
                return Ok(ExitStatus::Done);
            }
            let rows: Vec<Vec<String>> = report.pins.iter().map(row).collect();
            out.rows(&["id", "priority", "expiry", "text"], &rows);
            out.line(&out.paint(DIM, &usage_line(&report.totals)));
            if !report.defaults.is_empty() {
                let n = report.defaults.len();
                let hint = format!(
                    "plus {}; print all: cerberus memory pin show",
                    plural(n, "built-in pin")
                );
                out.line(&out.paint(DIM, &hint));
            }
        }
        PinCommand::Remove(args) => {
            print_removed(
                &pins::remove(project, &args.ids, session(&args.session, settings))?,
                out,
            )?;
        }
        PinCommand::Clear(args) => {
            let session = session(&args.session, settings);
            print_removed(&pins::clear(project, &args.filter, args.all, session)?, out)?;
        }
        PinCommand::Show(args) => {
            let report = pins::show(project, session(args, settings))?;
            out.warn(&report.warnings);
            if out.json {
                out.json(&report)?;
            } else if !report.text.is_empty() {
                out.line(report.text.trim_end());
            }
        }
        PinCommand::Events(args) => {
            for event in pins::events(project, session(args, settings))? {
                out.json(&event)?;
            }
        }
    }
    Ok(ExitStatus::Done)
}

/// Returns the session of a command.
pub(super) fn session<'a>(args: &'a SessionArgs, settings: &'a Settings) -> Option<&'a str> {
    args.session.as_deref().or(settings.session.as_deref())
}

fn row(pin: &PinReport) -> Vec<String> {
    let text = pin.content.lines().next().unwrap_or_default().to_owned();
    vec![pin.id.clone(), pin.priority.to_string(), expiry_label(pin), text]
}

fn expiry_label(pin: &PinReport) -> String {
    match &pin.expires_at {
        Some(at) if pin.expired => format!("expired {at}"),
        Some(at) => format!("until {at}"),
        None => pin.scope.to_string(),
    }
}

fn usage_line(totals: &Totals) -> String {
    let Totals { pins, max_pins, tokens, max_tokens, usage, .. } = totals;
    let percent = (usage * 100.0).round();
    format!("{pins} of {max_pins} pins, {tokens} of {max_tokens} tokens: {percent} % used")
}

fn print_removed(report: &Removed, out: &mut Printer) -> Result<()> {
    out.warn(&report.warnings);
    if out.json {
        return out.json(report);
    }
    for id in &report.removed {
        out.line(&format!("removed {}", out.style(NAME, id)));
    }
    if report.removed.is_empty() {
        out.line("no pins match");
    }
    Ok(())
}
