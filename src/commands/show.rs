//! `cerberus memory show`.

use super::args::FilterArgs;
use anyhow::Result;
use clap::Args;

use crate::config::Settings;
use crate::error::ExitStatus;
use crate::model::State;
use crate::ops::memories;
use crate::ops::show::{self, Request, Shown, ShownAnchor};
use crate::output::{DIM, ERROR, NAME, OK, Printer, WARN};

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// Memories, or unique starts of their ids
    pub(crate) ids: Vec<String>,
    /// Only memories with an anchor, with the code at its current lines
    #[arg(long)]
    pub(crate) anchored: bool,
    /// Only memories without an anchor
    #[arg(long, conflicts_with = "anchored")]
    pub(crate) unanchored: bool,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
}

pub(crate) fn run(args: &ShowArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let request = Request {
        ids: args.ids.clone(),
        filter: super::filter(&args.filter),
        anchored: args.anchored,
        unanchored: args.unanchored,
    };
    let report = show::show(&settings.project, &request)?;
    out.warn(&report.warnings);
    if out.json {
        out.json(&report)?;
        let is_empty = report.memories.is_empty();
        return Ok(if is_empty { ExitStatus::CheckFailed } else { ExitStatus::Done });
    }
    if report.memories.is_empty() {
        out.flush()?;
        return Err(show::nothing(&request).into());
    }
    if request.anchored || !request.ids.is_empty() {
        for (at, memory) in report.memories.iter().enumerate() {
            if at > 0 {
                out.line("");
            }
            in_full(memory, out);
        }
    } else {
        let rows: Vec<Vec<String>> = report.memories.iter().map(row).collect();
        out.rows(&["id", "type", "example", "text"], &rows);
    }
    Ok(ExitStatus::Done)
}

fn row(memory: &Shown) -> Vec<String> {
    let example = memory.anchor.as_ref().map(|anchor| {
        let place = super::place(&anchor.file, anchor.symbol.as_deref());
        match anchor.state {
            State::Fresh => place,
            state => format!("{place} ({state})"),
        }
    });
    vec![
        memory.id.clone(),
        memory.memory_type.to_string(),
        example.unwrap_or_else(|| "-".to_owned()),
        memories::title(&memory.text).to_owned(),
    ]
}

fn in_full(memory: &Shown, out: &mut Printer) {
    let kind = out.paint(DIM, &format!("{} · {}", memory.memory_type, memory.scope));
    out.line(&format!("{}  {kind}", out.style(NAME, &memory.id)));
    for line in memory.text.lines() {
        out.line(&format!("  {}", out.safe(line)));
    }
    if let Some(anchor) = &memory.anchor {
        example(&memory.id, anchor, out);
    }
}

fn example(id: &str, anchor: &ShownAnchor, out: &mut Printer) {
    let place = out.safe(&super::place(&anchor.file, anchor.symbol.as_deref()));
    let lines = match (anchor.start_line, anchor.end_line) {
        (Some(start), Some(end)) => format!(":{start}-{end}"),
        _ => String::new(),
    };
    let style = match anchor.state {
        State::Fresh | State::Reformatted => OK,
        State::Gone => ERROR,
        _ => WARN,
    };
    let state = out.paint(style, anchor.state.as_str());
    let origin = out.paint(DIM, &format!("quality {:.2}, {}", anchor.quality, anchor.chosen));
    out.line(&format!("  example {place}{lines}  {state}  {origin}"));
    match &anchor.code {
        Some(code) => {
            for line in code.lines() {
                out.line(format!("    {}", out.safe(line)).trim_end());
            }
        }
        None if anchor.state == State::Gone => {
            out.line(&format!("  next: cerberus memory reanchor, then cerberus memory show {id}"));
        }
        None => {}
    }
}
