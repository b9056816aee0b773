//! `cerberus memory add`.

use cerberus_bank::ops::add::{self, Example, Report, Request};
use cerberus_bank::ops::anchors;
use cerberus_engine::rank::rule_words::RuleWords;
use cerberus_model::{CodeLocation, RuleKind, format_location};
use clap::Args;

use super::args::{FieldArgs, SecretArgs, quality, text};
use super::candidates;
use crate::config::Settings;
use crate::output::{CliResult, DIM, NAME, OK, Printer, WARN};

#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// Text of the memory
    #[arg(allow_hyphen_values = true, value_parser = text)]
    text: String,
    /// Id of the memory (default: derived from its text)
    #[arg(long)]
    id: Option<String>,
    /// Anchor the memory to this file or symbol
    #[arg(
        long,
        alias = "anchor-to",
        value_name = "FILE[::SYMBOL]",
        conflicts_with = "no_anchor"
    )]
    to: Option<CodeLocation>,
    /// Do not search for an example
    #[arg(long)]
    no_anchor: bool,
    /// Minimum quality for an anchor (0 to 1)
    #[arg(long, value_name = "QUALITY", value_parser = quality)]
    min_quality: Option<f64>,
    #[command(flatten)]
    secret: SecretArgs,
    #[command(flatten)]
    fields: FieldArgs,
}

impl AddArgs {
    fn request(&self) -> Request {
        let example = match &self.to {
            Some(location) => Example::At(location.clone()),
            None if self.no_anchor => Example::None,
            None => Example::Search {
                min_quality: self.min_quality,
            },
        };
        Request {
            text: self.text.clone(),
            id: self.id.clone(),
            example,
            allow_secrets: self.secret.allow_secret,
            fields: self.fields.fields(),
        }
    }
}

pub(crate) fn run(args: &AddArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let request = args.request();
    let report = add::add(&settings.project, &request)?;
    out.report(&report, |report, out| print_report(report, &request, out))
}

fn print_report(report: &Report, request: &Request, out: &mut Printer) {
    out.warn(&report.warnings);
    let id = out.style(NAME, &report.id);
    let file = out.paint(DIM, &format!("({})", report.file));
    out.line(&format!("{} {id} {file}", out.paint(OK, "added")));
    if let Some(anchor) = &report.anchor {
        let location = format_location(&anchor.file, anchor.symbol.as_deref());
        let location = out.style(NAME, &location);
        let origin = candidates::origin(anchor.chosen, anchor.quality);
        out.line(&format!("  example {location} ({origin})"));
    }
    if let Some(unanchored) = &report.unanchored {
        let reason = out.safe(&unanchored.reason);
        out.line(&format!("  {}: {reason}", out.paint(WARN, "not anchored")));
        let command = format!("cerberus memory anchor {}", report.id);
        if unanchored.kind == Some(RuleKind::Process) {
            out.line(&format!("  if it is about code: {command} --kind code"));
        } else if unanchored.can_be_anchored {
            let hints = request.fields.hints.as_deref().unwrap_or_default();
            let words = RuleWords::new(anchors::rule(&request.text), hints);
            candidates::print(unanchored.candidates.iter(), &words, out);
            let keyword = format!("with a keyword from its code: {command} --hint WORD");
            if unanchored.candidates.is_empty() {
                out.line(&format!("  next, {keyword}"));
                out.line(&format!("  or name it: {command} --to FILE::SYMBOL"));
            } else {
                out.line(&format!(
                    "  next: {command} --pick 1, or --candidates 5 for more"
                ));
                out.line(&format!("  or, {keyword}"));
            }
        }
    }
}
