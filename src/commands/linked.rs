//! `cerberus memory linked`.

use cerberus_bank::ops::linked::{self, Linked, Reason};
use cerberus_model::error::{ExitStatus, UserError};
use clap::Args;

use crate::config::Settings;
use crate::output::{CliResult, DIM, NAME, Printer};

#[derive(Debug, Args)]
pub(crate) struct LinkedArgs {
    /// FILE, FOLDER, FILE::SYMBOL, SYMBOL or memory:ID
    target: String,
    /// Rank the memories by this query
    query: Option<String>,
}

pub(crate) fn run(args: &LinkedArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let report = linked::linked(&settings.project, &args.target, args.query.as_deref())?;
    let is_found = !report.memories.is_empty();
    if out.json {
        out.json(&report)?;
        return Ok(ExitStatus::of_check(is_found));
    }
    out.warn(&report.warnings);
    if !is_found {
        let target = report.targets.join(", ");
        return Err(
            UserError::check(format!("no memory mentions or is anchored to `{target}`"))
                .hint("list all links with `cerberus memory links`")
                .into(),
        );
    }
    for memory in &report.memories {
        print_memory(memory, out);
    }
    Ok(ExitStatus::Done)
}

fn print_memory(memory: &Linked, out: &mut Printer) {
    let memory_type = out.paint(DIM, memory.memory_type.as_str());
    out.line(&format!("{}  {memory_type}", out.style(NAME, &memory.id)));
    for reason in &memory.reasons {
        out.line(&format!("  {}", out.safe(&display(memory, reason))));
    }
}

fn display(memory: &Linked, reason: &Reason) -> String {
    let Reason {
        relation, target, ..
    } = reason;
    if *relation == linked::ANCHOR {
        return format!("anchored to {target}");
    }
    if *relation == linked::PATHS {
        return format!("applies to {target}");
    }
    let mut text = format!("{relation} {target}");
    if let Some(line) = reason.line {
        text.push_str(&format!(" {}:{line}", memory.file));
    }
    if let Some(context) = &reason.context {
        text.push_str(&format!("  {context}"));
    }
    text
}
