//! `cerberus memory linked`.

use anyhow::Result;

use crate::cli::LinkedArgs;
use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::linked::{self, About, Linked, Reason, Request};
use crate::output::{FAINT, NAME, ODD, Printer};

pub(super) fn run(args: &LinkedArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let request = Request {
        about: match &args.target {
            Some(target) => About::Target(target.clone()),
            None => About::Staged,
        },
        query: args.query.clone(),
        superseded: args.superseded,
    };
    let report = linked::linked(&settings.project, &request)?;
    // Nothing staged, or nothing to say of it, is no failure: hooks ask this.
    let is_empty = report.memories.is_empty() && !args.diff;
    if out.json {
        out.document(&report)?;
        return Ok(if is_empty { ExitStatus::CheckFailed } else { ExitStatus::Done });
    }
    out.warn(&report.warnings);
    if is_empty {
        return Err(linked::nothing(&report).into());
    }
    if args.diff && report.targets.is_empty() {
        out.line("nothing is staged");
    } else if report.memories.is_empty() {
        out.line("no memory speaks of what is staged");
    }
    for memory in &report.memories {
        show(memory, out);
    }
    Ok(ExitStatus::Done)
}

fn show(memory: &Linked, out: &mut Printer) {
    let about = out.painted(FAINT, memory.memory_type.as_str());
    out.line(&format!("{}  {about}", out.styled(NAME, &memory.id)));
    for reason in &memory.reasons {
        let touched = match reason.touched {
            Some(true) => out.painted(ODD, "  staged lines touch it"),
            _ => String::new(),
        };
        out.line(&format!("  {}{touched}", out.safe(&said(memory, reason))));
    }
}

fn said(memory: &Linked, reason: &Reason) -> String {
    let Some(edge) = reason.edge_type else {
        return format!("anchored to {}", reason.target);
    };
    let place = reason.line.map(|line| format!(" {}:{line}", memory.file)).unwrap_or_default();
    let context = reason.context.as_ref().map(|it| format!("  {it}")).unwrap_or_default();
    format!("{edge} {}{place}{context}", reason.target)
}
