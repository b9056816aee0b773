//! `cerberus memory anchor`.

use super::args::quality;
use anyhow::Result;
use clap::Args;

use crate::config::Settings;
use crate::error::ExitStatus;
use crate::model::CodeLocation;
use crate::ops::anchor::{self, Choice, Report, Request};
use crate::output::{NAME, OK, Printer, WARN};
use crate::text::shell_word;

use super::anchor_test::{candidates, unknown_words};

#[derive(Debug, Args)]
pub(crate) struct AnchorArgs {
    /// The memory, or a unique start of its id
    pub(crate) id: String,
    /// List this many candidates with reasons and store nothing
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "5", group = "choice")]
    pub(crate) candidates: Option<usize>,
    /// Keep the candidate of this rank
    #[arg(long, value_name = "K", group = "choice")]
    pub(crate) pick: Option<usize>,
    /// Keep FILE or FILE::SYMBOL
    #[arg(long, value_name = "PLACE", group = "choice")]
    pub(crate) to: Option<CodeLocation>,
    /// Take the anchor away
    #[arg(long, group = "choice")]
    pub(crate) clear: bool,
    /// Give a word that the example should hold (may be repeated, or several in one)
    #[arg(long = "hint", value_name = "WORD")]
    pub(crate) hints: Vec<String>,
    /// Keep an example from this quality on
    #[arg(long, value_name = "QUALITY", value_parser = quality)]
    pub(crate) min_quality: Option<f64>,
    /// Say what would be kept and store nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(args: &AnchorArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let choice = if args.clear {
        Choice::Clear
    } else if let Some(rank) = args.pick {
        Choice::Pick(rank)
    } else if let Some(limit) = args.candidates {
        Choice::List(limit)
    } else if let Some(place) = &args.to {
        Choice::To(place.clone())
    } else {
        Choice::Best
    };
    let request = Request {
        id: args.id.clone(),
        choice,
        hints: super::hints(&args.hints),
        min_quality: args.min_quality.unwrap_or(settings.project.min_quality),
        dry_run: args.dry_run,
    };
    let report = anchor::anchor(&settings.project, &request)?;
    out.warn(&report.warnings);
    if out.json {
        out.json(&report)?;
    } else {
        show(&report, &request, out);
    }
    let is_found = report.anchor.is_some() || !matches!(request.choice, Choice::Best);
    Ok(if is_found { ExitStatus::Done } else { ExitStatus::CheckFailed })
}

fn show(report: &Report, request: &Request, out: &mut Printer) {
    let id = out.style(NAME, &report.id);
    match (&report.anchor, &request.choice) {
        (Some(anchor), _) => {
            let verb = if request.dry_run { "would anchor" } else { "anchored" };
            let place = out.safe(&super::place(&anchor.file, anchor.symbol.as_deref()));
            let verb = out.paint(OK, verb);
            out.line(&format!(
                "{verb} {id} to {place} (quality {:.2}, {})",
                anchor.quality, anchor.chosen
            ));
        }
        (None, Choice::Clear) => {
            let verb = match (&report.previous, request.dry_run) {
                (None, _) => "has no anchor",
                (Some(_), true) => "would lose its anchor",
                (Some(_), false) => "has no anchor any more",
            };
            out.line(&format!("{id} {verb}"));
        }
        (None, Choice::List(_)) => out.line(&format!("{id}: {}", out.safe(&report.rule))),
        (None, _) => {
            let label = out.paint(WARN, "no example");
            out.line(&format!("{label} of {id} is over the gate {}", report.min_quality));
        }
    }
    let is_listing = matches!(request.choice, Choice::List(_));
    if is_listing || (report.anchor.is_none() && !matches!(request.choice, Choice::Clear)) {
        candidates(&report.candidates, is_listing, out);
        unknown_words(report.unknown_words.as_deref().unwrap_or_default(), out);
        if !report.candidates.is_empty() {
            let command = format!("cerberus memory anchor {}", out.safe(&report.id));
            // Ranks count from the list that these hints made.
            let hints = request.hints.iter().map(|hint| format!(" --hint {}", shell_word(hint)));
            let hints = out.safe(&hints.collect::<String>());
            out.line(&format!("keep one with: {command}{hints} --pick 1"));
            out.line(&format!("or look again with a word of its code: {command} --hint WORD"));
        }
    }
}
