//! `cerberus memory search`.

use super::args::FilterArgs;
use anyhow::Result;
use clap::Args;
use std::num::NonZeroUsize;

use crate::config::Settings;
use crate::error::{ExitStatus, UserError};
use crate::ops::search::{self, Hit, Report, Request};
use crate::output::{DIM, NAME, Printer};

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// What to look for
    pub(crate) query: String,
    /// Return just these sections, with what that saves
    #[arg(long, value_name = "SECTION,…", value_delimiter = ',')]
    pub(crate) anchors: Vec<String>,
    /// Print the text too
    #[arg(long)]
    pub(crate) content: bool,
    /// Show the place of each memory in each lane, and what it adds to the score
    #[arg(long)]
    pub(crate) why: bool,
    /// Also memories that another one supersedes
    #[arg(long)]
    pub(crate) superseded: bool,
    /// Only memories written or changed from this date or time on
    #[arg(long, value_name = "DATE", help_heading = "Filters")]
    pub(crate) since: Option<String>,
    /// Only memories written or changed until this date or time
    #[arg(long, value_name = "DATE", help_heading = "Filters")]
    pub(crate) until: Option<String>,
    /// Show so many memories
    #[arg(long, value_name = "N", default_value = "5")]
    pub(crate) limit: NonZeroUsize,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
}

pub(crate) fn run(args: &SearchArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let request = Request {
        query: args.query.clone(),
        sections: args
            .anchors
            .iter()
            .map(|id| id.trim().to_owned())
            .filter(|id| !id.is_empty())
            .collect(),
        content: args.content,
        filter: super::filter(&args.filter),
        since: args.since.clone(),
        until: args.until.clone(),
        superseded: args.superseded,
        limit: args.limit.get(),
    };
    let report = search::search(&settings.project, &request)?;
    if out.json {
        out.json(&report)?;
        let is_empty = report.results.is_empty();
        return Ok(if is_empty { ExitStatus::CheckFailed } else { ExitStatus::Done });
    }
    out.warn(&report.warnings);
    if report.results.is_empty() {
        return Err(nothing(&report).into());
    }
    for hit in &report.results {
        show(hit, args.why, out);
    }
    Ok(ExitStatus::Done)
}

fn nothing(report: &Report) -> UserError {
    let failure = UserError::check(format!("no memory speaks of `{}`", report.query));
    if report.left_out > 0 {
        let n = report.left_out;
        let memories = if n == 1 { "1 memory does".to_owned() } else { format!("{n} memories do") };
        return failure.hint(format!(
            "{memories} that the filters leave out, or that are archived or superseded: try \
             `--superseded` or `--status archived`"
        ));
    }
    if !report.did_you_mean.is_empty() {
        let words: Vec<String> =
            report.did_you_mean.iter().map(|word| format!("`{word}`")).collect();
        return failure.hint(format!("did you mean {}?", words.join(", ")));
    }
    failure.hint("try other words, or list all with `cerberus memory show`")
}

fn show(hit: &Hit, with_lanes: bool, out: &mut Printer) {
    let why = out.paint(DIM, &out.safe(&hit.why.join(" ")));
    out.line(&format!("{}  {why}", out.style(NAME, &hit.id)));
    if hit.content.is_none() && hit.sections.is_empty() && !hit.title.is_empty() {
        out.line(&format!("  {}", out.safe(&hit.title)));
    }
    if with_lanes {
        let lanes =
            hit.lanes.iter().map(|it| format!("{} {} (+{:.4})", it.lane, it.rank, it.contribution));
        let lanes: Vec<String> = lanes.collect();
        let recency = if hit.recency > 1.0 {
            format!(", recency × {:.4}", hit.recency)
        } else {
            String::new()
        };
        out.line(&format!("  score {:.4}: {}{recency}", hit.score, lanes.join(", ")));
    }
    for section in &hit.sections {
        let lines = format!("{}-{}", section.start_line, section.end_line);
        out.line(&format!("  {} {}:{lines}", out.safe(&section.id), out.safe(&hit.file)));
    }
    if let Some(metrics) = &hit.token_metrics {
        let saved = metrics
            .savings_percent
            .map(|saved| format!(", {saved:.1} % saved"))
            .unwrap_or_default();
        out.line(&format!(
            "  {} of {} tokens{saved} ({})",
            metrics.actual_tokens, metrics.full_file_tokens, metrics.tokenizer
        ));
    }
    if let Some(content) = &hit.content {
        for line in content.lines() {
            out.line(&out.safe(line));
        }
    }
}
