//! `cerberus memory pin`.

use anyhow::Result;

use crate::cli::{PinCommand, PinFilterArgs, SessionArgs};
use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::pins::{self, Filter, Removed, Request, Shown, Totals};
use crate::output::{FAINT, GOOD, NAME, ODD, Printer};

pub(super) fn run(
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
            let about = format!("({}, {}, {} tokens)", pin.priority, lasts(pin), pin.tokens);
            out.line(&format!(
                "{} {} {}",
                out.painted(GOOD, "pinned"),
                out.styled(NAME, &pin.id),
                out.painted(FAINT, &about)
            ));
            for id in &report.evicted {
                let gone = out.painted(ODD, "removed");
                out.line(&format!("  {gone} {} to make room", out.styled(NAME, id)));
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
            out.rows(&["id", "priority", "lasts", "text"], &rows);
            out.line(&out.painted(FAINT, &full(&report.totals)));
            if !report.defaults.is_empty() {
                let n = report.defaults.len();
                let hint =
                    format!("{n} built-in pins besides; all with: cerberus memory pin render");
                out.line(&out.painted(FAINT, &hint));
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
        return out.document(report);
    }
    for id in &report.removed {
        out.line(&format!("removed {}", out.styled(NAME, id)));
    }
    if report.removed.is_empty() {
        out.line("there was nothing to remove");
    }
    Ok(())
}
