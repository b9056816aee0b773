//! `cerberus memory pin`.

use super::args::{SecretArgs, SessionArgs};
use crate::model::{PinScope, Priority};
use anyhow::Result;
use clap::{Args, Subcommand};

use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::pins::{self, Filter, Removed, Request, Shown, Totals};
use crate::output::{DIM, NAME, OK, Printer, WARN};

#[derive(Debug, Subcommand)]
pub(crate) enum PinCommand {
    /// Pin a note
    #[command(after_help = "\
Over 20 pins or 2,000 tokens the oldest info goes first, then the oldest safety; a critical one
never goes.

Examples:
  cerberus memory pin add \"Run the tests before a push\" --priority safety
  cerberus memory pin add \"auth.py is being split; do not touch it\" --expires 2h")]
    Add(PinAddArgs),
    /// List the pins with what they cost
    #[command(after_help = "Example: cerberus memory pin list --priority critical")]
    List(PinListArgs),
    /// Remove pins
    #[command(after_help = "Example: cerberus memory pin remove run-the-tests-before-a-push")]
    Remove(PinRemoveArgs),
    /// Remove all pins that pass a filter
    #[command(after_help = "\
Examples:
  cerberus memory pin clear --expired-only
  cerberus memory pin clear --scope session --session review")]
    Clear(PinClearArgs),
    /// Print the pins as they are given to an agent, built-in ones with them
    #[command(after_help = "Example: cerberus memory pin render")]
    Render(SessionArgs),
    /// Print what happened to pins, a JSON document a line
    #[command(after_help = "Example: cerberus memory pin events")]
    Events(SessionArgs),
}

#[derive(Debug, Args)]
pub(crate) struct PinAddArgs {
    /// What is to be kept in mind
    pub(crate) text: String,
    /// Name the pin instead of making a name from its text
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// How much it matters: critical, safety or info
    #[arg(long, default_value = "info")]
    pub(crate) priority: Priority,
    /// How long it lasts: session, persistent or temporary; persistent unless it expires
    #[arg(long)]
    pub(crate) scope: Option<PinScope>,
    /// Let it expire after a duration (2h, 3d) or at a date or time
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    pub(crate) expires: Option<String>,
    /// Tag it (may be repeated)
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Keep something with it (may be repeated)
    #[arg(long = "meta", value_name = "KEY=VALUE", value_parser = key_value)]
    pub(crate) metadata: Vec<(String, String)>,
    /// Say which project it is about; without one it is about every project
    #[arg(long, value_name = "NAME")]
    pub(crate) project_id: Option<String>,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
    #[command(flatten)]
    pub(crate) secret: SecretArgs,
}

/// Which pins a command is about.
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
    /// Only pins about this project
    #[arg(long, value_name = "NAME", help_heading = "Filters", conflicts_with = "global_only")]
    pub(crate) project_id: Option<String>,
    /// Only pins about every project
    #[arg(long, help_heading = "Filters")]
    pub(crate) global_only: bool,
    /// Only pins that have expired
    #[arg(long, help_heading = "Filters")]
    pub(crate) expired_only: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PinListArgs {
    /// Also pins that have expired
    #[arg(long)]
    pub(crate) include_expired: bool,
    #[command(flatten)]
    pub(crate) filter: PinFilterArgs,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PinRemoveArgs {
    /// Pins, or unique starts of their ids
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
        _ => Err("write it as KEY=VALUE".to_owned()),
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
                out.json(&report)?;
                return Ok(ExitStatus::Done);
            }
            let pin = &report.pin;
            let about = format!("({}, {}, {} tokens)", pin.priority, lasts(pin), pin.tokens);
            out.line(&format!(
                "{} {} {}",
                out.paint(OK, "pinned"),
                out.style(NAME, &pin.id),
                out.paint(DIM, &about)
            ));
            for id in &report.evicted {
                let gone = out.paint(WARN, "removed");
                out.line(&format!("  {gone} {} to make room", out.style(NAME, id)));
            }
        }
        PinCommand::List(args) => {
            let filter = filter(&args.filter);
            let session = session(&args.session, settings);
            let report = pins::list(project, &filter, args.include_expired, session)?;
            out.warn(&report.warnings);
            if out.json {
                out.json(&report)?;
                return Ok(ExitStatus::Done);
            }
            let rows: Vec<Vec<String>> = report.pins.iter().map(row).collect();
            out.rows(&["id", "priority", "lasts", "text"], &rows);
            out.line(&out.paint(DIM, &full(&report.totals)));
            if !report.defaults.is_empty() {
                let n = report.defaults.len();
                let hint =
                    format!("{n} built-in pins besides; all with: cerberus memory pin render");
                out.line(&out.paint(DIM, &hint));
            }
        }
        PinCommand::Remove(args) => {
            removed(&pins::remove(project, &args.ids, session(&args.session, settings))?, out)?;
        }
        PinCommand::Clear(args) => {
            let filter = filter(&args.filter);
            let session = session(&args.session, settings);
            removed(&pins::clear(project, &filter, args.all, session)?, out)?;
        }
        PinCommand::Render(args) => {
            let report = pins::render(project, session(args, settings))?;
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

/// Returns the session that a command is for.
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

fn row(pin: &Shown) -> Vec<String> {
    let text = pin.content.lines().next().unwrap_or_default().to_owned();
    vec![pin.id.clone(), pin.priority.to_string(), lasts(pin), text]
}

fn lasts(pin: &Shown) -> String {
    match &pin.expires_at {
        Some(at) if pin.expired => format!("expired {at}"),
        Some(at) => format!("until {at}"),
        None => pin.scope.to_string(),
    }
}

fn full(totals: &Totals) -> String {
    let Totals { pins, max_pins, tokens, max_tokens, utilisation, .. } = totals;
    let percent = (utilisation * 100.0).round();
    format!("{pins} of {max_pins} pins, {tokens} of {max_tokens} tokens: {percent} % used")
}

fn removed(report: &Removed, out: &mut Printer) -> Result<()> {
    out.warn(&report.warnings);
    if out.json {
        return out.json(report);
    }
    for id in &report.removed {
        out.line(&format!("removed {}", out.style(NAME, id)));
    }
    if report.removed.is_empty() {
        out.line("there was nothing to remove");
    }
    Ok(())
}
