//! `cerberus memory pin`.

use super::args::{SecretArgs, SessionArgs};
use crate::model::{PinScope, Priority};
use anyhow::Result;
use clap::{Args, Subcommand};

use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::pins::{self, Filter, PinReport, Removed, Request, Totals};
use crate::output::{FAINT, GOOD, NAME, ODD, Printer};
use crate::text::plural;

#[derive(Debug, Subcommand)]
pub(crate) enum PinCommand {
    /// Add a pin
    #[command(after_help = "\
Above 20 pins or 2,000 tokens the oldest pin of priority info is removed first, then the oldest of
priority safety, never a critical one.

Examples:
  cerberus memory pin add \"Run the tests before a push\" --priority safety
  cerberus memory pin add \"auth.py is being split; do not touch it\" --expires 2h")]
    Add(PinAddArgs),
    /// List the pins and their use of the limits
    #[command(after_help = "Example: cerberus memory pin list --priority critical")]
    List(PinListArgs),
    /// Remove pins
    #[command(after_help = "Example: cerberus memory pin remove run-the-tests-before-a-push")]
    Remove(PinRemoveArgs),
    /// Remove all pins that match a filter
    #[command(after_help = "\
Examples:
  cerberus memory pin clear --expired-only
  cerberus memory pin clear --scope session --session review")]
    Clear(PinClearArgs),
    /// Print the pins as injected, including the built-in ones
    #[command(alias = "render", after_help = "Example: cerberus memory pin show")]
    Show(SessionArgs),
    /// Print the event log of the pins, one JSON document per line
    #[command(after_help = "Example: cerberus memory pin events")]
    Events(SessionArgs),
}

#[derive(Debug, Args)]
pub(crate) struct PinAddArgs {
    /// The note
    pub(crate) text: String,
    /// Set the id (default: derived from the text)
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// Set the priority: critical, safety or info
    #[arg(long, default_value = "info")]
    pub(crate) priority: Priority,
    /// Set the scope: session, persistent or temporary [default: persistent unless it expires]
    #[arg(long)]
    pub(crate) scope: Option<PinScope>,
    /// Expire after a duration (2h, 3d) or at a date or time
    #[arg(long, value_name = "DURATION|DATE", allow_hyphen_values = true)]
    pub(crate) expires: Option<String>,
    /// Add a tag (may be repeated)
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Add metadata (may be repeated)
    #[arg(long = "meta", value_name = "KEY=VALUE", value_parser = key_value)]
    pub(crate) metadata: Vec<(String, String)>,
    /// Inject only in this project (default: in every project)
    #[arg(long, value_name = "NAME")]
    pub(crate) project_id: Option<String>,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
    #[command(flatten)]
    pub(crate) secret: SecretArgs,
}

/// Conditions that a pin has to match.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct PinFilterArgs {
    /// Only pins of this priority
    #[arg(long, help_heading = "Filters")]
    pub(crate) priority: Option<Priority>,
    /// Only pins of this scope
    #[arg(long, help_heading = "Filters")]
    pub(crate) scope: Option<PinScope>,
    /// Only pins with this tag (repeated: with all of them)
    #[arg(long = "tag", value_name = "TAG", help_heading = "Filters")]
    pub(crate) tags: Vec<String>,
    /// Only pins of this project
    #[arg(long, value_name = "NAME", help_heading = "Filters", conflicts_with = "global_only")]
    pub(crate) project_id: Option<String>,
    /// Only pins of every project
    #[arg(long, help_heading = "Filters")]
    pub(crate) global_only: bool,
    /// Only expired pins
    #[arg(long, help_heading = "Filters")]
    pub(crate) expired_only: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PinListArgs {
    /// Include expired pins
    #[arg(long)]
    pub(crate) include_expired: bool,
    #[command(flatten)]
    pub(crate) filter: PinFilterArgs,
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
    pub(crate) filter: PinFilterArgs,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() && !value.trim().is_empty() => {
            Ok((key.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("the format is KEY=VALUE".to_owned()),
    }
}

pub(crate) fn run(
    command: &PinCommand,
    settings: &Settings,
    out: &mut Printer,
) -> Result<ExitStatus> {
    let project = &settings.project;
    match command {
        PinCommand::Add(args) => {
            let request = Request {
                content: args.text.clone(),
                id: args.id.clone(),
                priority: args.priority,
                scope: args.scope,
                expires: args.expires.clone(),
                tags: args.tags.clone(),
                metadata: args.metadata.iter().cloned().collect(),
                project_id: args.project_id.clone(),
                allow_secret: args.secret.allow_secret,
            };
            let report = pins::add(project, &request, session(&args.session, settings))?;
            out.warn(&report.warnings);
            if out.json {
                out.document(&report)?;
                return Ok(ExitStatus::Done);
            }
            let pin = &report.pin;
            let about = format!("({}, {}, {} tokens)", pin.priority, expiry_label(pin), pin.tokens);
            out.line(&format!(
                "{} {} {}",
                out.painted(GOOD, "pinned"),
                out.styled(NAME, &pin.id),
                out.painted(FAINT, &about)
            ));
            for id in &report.evicted {
                let evicted = out.painted(ODD, "removed");
                out.line(&format!(
                    "  {evicted} {} to stay within the limits",
                    out.styled(NAME, id)
                ));
            }
        }
        PinCommand::List(args) => {
            let filter = filter(&args.filter);
            let session = session(&args.session, settings);
            let report = pins::list(project, &filter, args.include_expired, session)?;
            out.warn(&report.warnings);
            if out.json {
                out.document(&report)?;
                return Ok(ExitStatus::Done);
            }
            let rows: Vec<Vec<String>> = report.pins.iter().map(row).collect();
            out.rows(&["id", "priority", "expiry", "text"], &rows);
            out.line(&out.painted(FAINT, &usage_line(&report.totals)));
            if !report.defaults.is_empty() {
                let n = report.defaults.len();
                let hint = format!(
                    "plus {}; print all: cerberus memory pin show",
                    plural(n, "built-in pin")
                );
                out.line(&out.painted(FAINT, &hint));
            }
        }
        PinCommand::Remove(args) => {
            print_removed(
                &pins::remove(project, &args.ids, session(&args.session, settings))?,
                out,
            )?;
        }
        PinCommand::Clear(args) => {
            let filter = filter(&args.filter);
            let session = session(&args.session, settings);
            print_removed(&pins::clear(project, &filter, args.all, session)?, out)?;
        }
        PinCommand::Show(args) => {
            let report = pins::show(project, session(args, settings))?;
            out.warn(&report.warnings);
            if out.json {
                out.document(&report)?;
            } else if !report.text.is_empty() {
                out.line(report.text.trim_end());
            }
        }
        PinCommand::Events(args) => {
            for event in pins::events(project, session(args, settings))? {
                out.document(&event)?;
            }
        }
    }
    Ok(ExitStatus::Done)
}

/// Returns the session of a command.
pub(super) fn session<'a>(args: &'a SessionArgs, settings: &'a Settings) -> Option<&'a str> {
    args.session.as_deref().or(settings.session.as_deref())
}

fn filter(args: &PinFilterArgs) -> Filter {
    Filter {
        priority: args.priority,
        scope: args.scope,
        tags: args.tags.clone(),
        project_id: args.project_id.clone(),
        global_only: args.global_only,
        expired_only: args.expired_only,
    }
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
        return out.document(report);
    }
    for id in &report.removed {
        out.line(&format!("removed {}", out.styled(NAME, id)));
    }
    if report.removed.is_empty() {
        out.line("no pins match");
    }
    Ok(())
}
