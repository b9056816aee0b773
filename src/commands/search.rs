//! `cerberus memory search`.

use std::num::NonZeroUsize;

use cerberus_bank::ops::search::{self, Hit, Report, Request};
use cerberus_model::error::{ExitStatus, UserError};
use clap::Args;

use super::args::{self, FilterArgs};
use crate::config::Settings;
use crate::output::{CliResult, DIM, NAME, Printer};

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// Words to search for
    #[arg(value_name = "WORDS", required = true)]
    query: Vec<String>,
    /// Return only these sections, and the tokens that this saves
    #[arg(
        long = "section",
        visible_alias = "anchors",
        value_name = "ID,…",
        value_delimiter = ','
    )]
    sections: Vec<String>,
    /// Print the text
    #[arg(long, alias = "content")]
    text: bool,
    /// Show the rank in each search signal and its score contribution
    #[arg(long, alias = "why")]
    explain: bool,
    /// Include superseded memories
    #[arg(long)]
    superseded: bool,
    /// Only memories created or changed at or after this date or time
    #[arg(long, alias = "since", value_name = "DATE", help_heading = "Filters")]
    changed_after: Option<String>,
    /// Only memories created or changed at or before this date or time
    #[arg(long, alias = "until", value_name = "DATE", help_heading = "Filters")]
    changed_before: Option<String>,
    /// Maximum number of memories
    #[arg(long, value_name = "N", default_value = "5")]
    limit: Option<NonZeroUsize>,
    #[command(flatten)]
    filter: FilterArgs,
}

impl SearchArgs {
    fn request(&self) -> Request {
        Request {
            query: self.query.clone(),
            sections: args::ids(&self.sections),
            content: self.text,
            superseded: self.superseded,
            since: self.changed_after.clone(),
            until: self.changed_before.clone(),
            limit: self.limit,
            filter: self.filter.filter(),
        }
    }
}

pub(crate) fn run(args: &SearchArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let report = search::search(&settings.project, &args.request())?;
    if out.json {
        out.json(&report)?;
        return Ok(ExitStatus::of_check(!report.results.is_empty()));
    }
    out.warn(&report.warnings);
    if report.results.is_empty() {
        return Err(no_results(&report).into());
    }
    for hit in &report.results {
        print_hit(hit, args.explain, out);
    }
    Ok(ExitStatus::Done)
}

fn no_results(report: &Report) -> UserError {
    let failure = UserError::check(format!("no memory matches `{}`", report.query));
    if report.skipped > 0 {
        let memories = match report.skipped {
            1 => "1 matching memory is".to_owned(),
            n => format!("{n} matching memories are"),
        };
        return failure.hint(format!(
            "{memories} archived, superseded or excluded by the filters: try `--superseded` or \
             `--status archived`"
        ));
    }
    if !report.did_you_mean.is_empty() {
        let words = report.did_you_mean.join("`, `");
        return failure.hint(format!("did you mean `{words}`?"));
    }
    failure.hint("try other words, or list all memories with `cerberus memory show`")
}

fn print_hit(hit: &Hit, explain: bool, out: &mut Printer) {
    let why = out.paint(DIM, &out.safe(&hit.why.join(" ")));
    out.line(&format!("{}  {why}", out.style(NAME, &hit.id)));
    if hit.content.is_none() && hit.sections.is_empty() && !hit.title.is_empty() {
        out.line(&format!("  {}", out.safe(&hit.title)));
    }
    if explain {
        let mut signals = Vec::new();
        for signal in &hit.signals {
            let share = signal.contribution;
            signals.push(format!("{} {} (+{share:.4})", signal.signal, signal.rank));
        }
        let mut line = format!("  score {:.4}: {}", hit.score, signals.join(", "));
        if hit.recency > 1.0 {
            line.push_str(&format!(", recency × {:.4}", hit.recency));
        }
        out.line(&line);
    }
    for section in &hit.sections {
        let id = out.safe(&section.id);
        let file = out.safe(&hit.file);
        let lines = format!("{}-{}", section.start_line, section.end_line);
        out.line(&format!("  {id} {file}:{lines}"));
    }
    if let Some(metrics) = &hit.token_metrics {
        let saved = match metrics.savings_percent {
            Some(saved) => format!(", {saved:.1} % saved"),
            None => String::new(),
        };
        out.line(&format!(
            "  {} of {} tokens{saved} ({})",
            metrics.actual_tokens, metrics.full_file_tokens, metrics.tokenizer
        ));
    }
    for line in hit.content.iter().flat_map(|content| content.lines()) {
        out.line(&out.safe(line));
    }
}
