//! `cerberus memory pin`.

use cerberus_bank::ops::pins::{self, Filter, PinReport, Removed, Request, Totals};
use cerberus_model::error::ExitStatus;
use cerberus_model::text::plural;
use cerberus_model::{PinScope, Priority};
use clap::{Args, Subcommand};

use super::args::SessionArgs;
use crate::config::Settings;
use crate::output::{CliResult, DIM, NAME, OK, Printer, WARN};

#[derive(Debug, Args)]
pub(crate) struct PinArgs {
    #[command(subcommand)]
    command: PinCommand,
    #[command(flatten)]
    session: SessionArgs,
}

#[derive(Debug, Subcommand)]
enum PinCommand {
    /// Add a pin
    Add(AddArgs),
    /// List the pins and their use of the limits
    List {
        /// Include expired pins
        #[arg(long)]
        include_expired: bool,
        #[command(flatten)]
        filter: FilterArgs,
    },
    /// Remove pins
    Remove {
        /// The complete ids of the pins
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Remove all pins that match a filter
    Clear {
        /// Remove every pin
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        filter: FilterArgs,
    },
    /// Print the pins as injected, including the built-in ones
    #[command(alias = "render")]
    Show,
    /// Print the event log of the pins, one JSON document per line
    Events,
}

#[derive(Debug, Args)]
struct AddArgs {
    /// The note
    #[arg(value_name = "TEXT")]
    content: String,
    /// Set the id (default: derived from the text)
    #[arg(long)]
    id: Option<String>,
    /// Set the priority: critical, safety or info
    #[arg(long, default_value = "info")]
    priority: Priority,
    /// Set the scope: session, persistent or temporary [default: persistent unless it expires]
    #[arg(long)]
    scope: Option<PinScope>,
    /// Expire after a duration (2h, 3d) or at a date or time
    #[arg(long, value_name = "DURATION|DATE", allow_hyphen_values = true)]
    expires: Option<String>,
    /// Add a tag (may be repeated)
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Add metadata (may be repeated)
    #[arg(long = "meta", value_name = "KEY=VALUE", value_parser = key_value)]
    metadata: Vec<(String, String)>,
    /// Inject only in this project (default: in every project)
    #[arg(long, value_name = "NAME")]
    project_id: Option<String>,
    /// Write text that looks like a private key or an access token
    #[arg(long)]
    allow_secret: bool,
}

impl AddArgs {
    fn request(&self) -> Request {
        Request {
            content: self.content.clone(),
            id: self.id.clone(),
            priority: self.priority,
            scope: self.scope,
            expires: self.expires.clone(),
            tags: self.tags.clone(),
            metadata: self.metadata.clone(),
            project_id: self.project_id.clone(),
            allow_secret: self.allow_secret,
        }
    }
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() && !value.trim().is_empty() => {
            Ok((key.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("the format is KEY=VALUE".to_owned()),
    }
}

/// The conditions that pins must match.
#[derive(Debug, Args)]
struct FilterArgs {
    /// Only pins of this priority
    #[arg(long, help_heading = "Filters")]
    priority: Option<Priority>,
    /// Only pins of this scope
    #[arg(long, help_heading = "Filters")]
    scope: Option<PinScope>,
    /// Only pins with this tag (repeated: with all of them)
    #[arg(long = "tag", value_name = "TAG", help_heading = "Filters")]
    tags: Vec<String>,
    /// Only pins of this project
    #[arg(
        long,
        value_name = "NAME",
        help_heading = "Filters",
        conflicts_with = "global_only"
    )]
    project_id: Option<String>,
    /// Only pins of every project
    #[arg(long, help_heading = "Filters")]
    global_only: bool,
    /// Only expired pins
    #[arg(long, help_heading = "Filters")]
    expired_only: bool,
}

impl FilterArgs {
    fn filter(&self) -> Filter {
        Filter {
            priority: self.priority,
            scope: self.scope,
            tags: self.tags.clone(),
            project_id: self.project_id.clone(),
            global_only: self.global_only,
            expired_only: self.expired_only,
        }
    }
}

pub(crate) fn run(args: &PinArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let project = &settings.project;
    let session = args.session.name(settings);
    match &args.command {
        PinCommand::Add(args) => {
            let report = pins::add(project, &args.request(), session)?;
            out.warn(&report.warnings);
            out.report(&report, |report, out| {
                let PinReport { pin, tokens, .. } = &report.pin;
                let pinned = out.paint(OK, "pinned");
                let id = out.style(NAME, &pin.id);
                let expiry = expiry_label(&report.pin);
                let about = format!("({}, {expiry}, {tokens} tokens)", pin.priority);
                out.line(&format!("{pinned} {id} {}", out.paint(DIM, &about)));
                for id in &report.evicted {
                    let removed = out.paint(WARN, "removed");
                    let id = out.style(NAME, id);
                    out.line(&format!("  {removed} {id} to stay within the limits"));
                }
            })
        }
        PinCommand::List {
            include_expired,
            filter,
        } => {
            let report = pins::list(project, &filter.filter(), *include_expired, session)?;
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
        PinCommand::Remove { ids } => print_removed(&pins::remove(project, ids, session)?, out),
        PinCommand::Clear { all, filter } => {
            print_removed(&pins::clear(project, &filter.filter(), *all, session)?, out)
        }
        PinCommand::Show => {
            let report = pins::show(project, session)?;
            out.warn(&report.warnings);
            out.report(&report, |report, out| {
                if !report.text.is_empty() {
                    out.line(report.text.trim_end());
                }
            })
        }
        PinCommand::Events => {
            for event in pins::events(project, session)? {
                out.json(&event)?;
            }
            Ok(ExitStatus::Done)
        }
    }
}

fn row(report: &PinReport) -> [String; 4] {
    let pin = &report.pin;
    let text = pin.content.lines().next().unwrap_or_default().to_owned();
    [
        pin.id.clone(),
        pin.priority.to_string(),
        expiry_label(report),
        text,
    ]
}

fn expiry_label(PinReport { pin, expired, .. }: &PinReport) -> String {
    match pin.expires_at {
        Some(at) if *expired => format!("expired {at}"),
        Some(at) => format!("until {at}"),
        None => pin.scope.to_string(),
    }
}

fn usage_line(totals: &Totals) -> String {
    let Totals {
        pins,
        max_pins,
        tokens,
        max_tokens,
        usage,
        ..
    } = totals;
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
