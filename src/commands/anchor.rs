//! `cerberus memory anchor`.

use cerberus_bank::ops::anchor::{self, Choice, Report, Request};
use cerberus_bank::ops::anchors;
use cerberus_bank::ops::examples::Change;
use cerberus_engine::examples::RankedSymbol;
use cerberus_engine::rank::rule_words::RuleWords;
use cerberus_model::error::ExitStatus;
use cerberus_model::text::shell_word;
use cerberus_model::{CodeLocation, ExampleRole, RuleKind, format_location};
use clap::Args;

use super::args::quality;
use super::candidates;
use crate::config::Settings;
use crate::output::{CliResult, NAME, OK, Printer, WARN};

#[derive(Debug, Args)]
pub(crate) struct AnchorArgs {
    /// Memory id or a unique prefix of it
    id: String,
    /// List N candidates with reasons, without storing an anchor
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "5", group = "choice")]
    candidates: Option<usize>,
    /// Store the candidate with this rank
    #[arg(long, value_name = "RANK", group = "choice")]
    pick: Option<usize>,
    /// Anchor the memory to this file or symbol
    #[arg(long, value_name = "FILE[::SYMBOL]", group = "choice")]
    to: Option<CodeLocation>,
    /// Add this file or symbol as a further example
    #[arg(long, value_name = "FILE[::SYMBOL]", group = "choice")]
    also: Option<CodeLocation>,
    /// Record this file or symbol as code that breaks the rule
    #[arg(long, value_name = "FILE[::SYMBOL]", group = "choice")]
    not: Option<CodeLocation>,
    /// Remove a further example or a counter-example
    #[arg(long, value_name = "FILE[::SYMBOL]", group = "choice")]
    drop: Option<CodeLocation>,
    /// Remove the anchor with all examples, and the record that there is no example
    #[arg(long, group = "choice")]
    clear: bool,
    /// Record that the code has no example, remove the anchor, and search no more
    #[arg(long, group = "choice")]
    none: bool,
    /// Kind of the rule, if its wording misleads: code or process. Recorded in its frontmatter
    #[arg(long, value_name = "KIND")]
    kind: Option<RuleKind>,
    /// Keyword expected in the example (repeatable)
    #[arg(
        long = "hint",
        visible_alias = "keyword",
        value_name = "WORD",
        conflicts_with_all = ["to", "clear", "none", "also", "not", "drop"]
    )]
    hints: Vec<String>,
    /// Minimum quality for an anchor (0 to 1)
    #[arg(long, value_name = "QUALITY", value_parser = quality)]
    min_quality: Option<f64>,
    /// Show the change without writing it
    #[arg(long)]
    dry_run: bool,
}

impl AnchorArgs {
    fn request(&self) -> Request {
        Request {
            id: self.id.clone(),
            choice: self.choice(),
            kind: self.kind,
            hints: super::hints(&self.hints),
            min_quality: self.min_quality,
            dry_run: self.dry_run,
            agent: None,
        }
    }

    /// Returns the choice; clap accepts one of them.
    fn choice(&self) -> Choice {
        if let Some(n) = self.candidates {
            return Choice::List(n);
        }
        if let Some(rank) = self.pick {
            return Choice::Pick(rank);
        }
        if let Some(location) = &self.to {
            return Choice::To(location.clone());
        }
        if let Some(location) = &self.also {
            return Choice::Add(ExampleRole::Also, location.clone());
        }
        if let Some(location) = &self.not {
            return Choice::Add(ExampleRole::Not, location.clone());
        }
        if let Some(location) = &self.drop {
            return Choice::Drop(location.clone());
        }
        if self.clear {
            Choice::Clear
        } else if self.none {
            Choice::None
        } else {
            Choice::Best
        }
    }
}

pub(crate) fn run(args: &AnchorArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let request = args.request();
    let report = anchor::anchor(&settings.project, &request)?;
    out.warn(&report.warnings);
    out.report(&report, |report, out| print_report(report, &request, out))?;
    Ok(ExitStatus::of_check(
        report.anchor.is_some() || !request.choice.is_automatic(),
    ))
}

fn print_report(report: &Report, request: &Request, out: &mut Printer) {
    let id = out.style(NAME, &report.id);
    if let Some(kind) = report.recorded_kind {
        out.line(&format!("recorded that {id} is of the kind {kind}"));
    }
    if let Some(change) = request.choice.change() {
        let verb = match (change, request.dry_run) {
            (Change::Add(..), false) => "added",
            (Change::Add(..), true) => "would add",
            (Change::Drop(_), false) => "removed",
            (Change::Drop(_), true) => "would remove",
        };
        let (what, location) = match change {
            Change::Add(ExampleRole::Not, location) => ("a counter-example of", location),
            Change::Add(_, location) | Change::Drop(location) => ("an example of", location),
        };
        let location = out.safe(&location.to_string());
        return out.line(&format!("{} {what} {id}: {location}", out.paint(OK, verb)));
    }
    let is_list = request.choice.is_list();
    if let Some(anchor) = &report.anchor {
        let verb = out.paint(
            OK,
            if request.dry_run {
                "would anchor"
            } else {
                "anchored"
            },
        );
        let location = out.safe(&format_location(&anchor.file, anchor.symbol.as_deref()));
        let origin = candidates::origin(anchor.chosen, anchor.quality);
        return out.line(&format!("{verb} {id} to {location} ({origin})"));
    }
    if matches!(request.choice, Choice::None) {
        let verb = if request.dry_run {
            "would record"
        } else {
            "recorded"
        };
        let verb = out.paint(OK, verb);
        let search = "no command searches for one";
        return out.line(&format!("{verb} that {id} has no example: {search}"));
    }
    if matches!(request.choice, Choice::Clear) {
        return out.line(&match (&report.previous, request.dry_run) {
            (None, false) if report.written => {
                format!("{id} may have an example again: find it with `cerberus memory anchor`")
            }
            (None, _) => format!("{id} has no anchor"),
            (Some(_), true) => format!("would remove the anchor of {id}"),
            (Some(_), false) => format!("removed the anchor of {id}"),
        });
    }
    if is_list {
        out.line(&format!("{id}: {}", out.safe(&report.rule)));
    } else {
        let reason = out.safe(report.reason.as_deref().unwrap_or_default());
        out.line(&format!(
            "{id} is {}: {reason}",
            out.paint(WARN, "not anchored")
        ));
    }
    let command = format!("cerberus memory anchor {}", out.safe(&report.id));
    if !is_list && request.kind == Some(RuleKind::Process) {
        // The user said that no code shows the rule.
        return out.line(&format!("if it is about code: {command} --kind code"));
    }
    let words = RuleWords::new(&report.rule, &report.hints);
    let mut shown: Vec<&RankedSymbol> = report.candidates.iter().collect();
    if !is_list {
        shown.retain(|candidate| candidate.is_likely());
        shown.truncate(anchors::N_INLINE);
    }
    let is_any_shown = !shown.is_empty();
    candidates::print(shown.into_iter(), &words, out);
    if is_list || report.kind != Some(RuleKind::Process) {
        candidates::print_unknown_words(report.unknown_words.as_deref().unwrap_or_default(), out);
    }
    if !report.candidates.is_empty() {
        // Ranks refer to the list for these hints.
        let hints = request
            .hints
            .iter()
            .map(|hint| format!(" --hint {}", shell_word(hint)));
        let hints = out.safe(&hints.collect::<String>());
        if is_any_shown {
            out.line(&format!("store one with: {command}{hints} --pick 1"));
        } else {
            out.line(&format!("to see them: {command}{hints} --candidates 5"));
        }
        out.line(&format!(
            "or search with a keyword from the code: {command} --hint WORD"
        ));
    }
}
