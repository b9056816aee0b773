//! `cerberus memory search`.

use crate::commands::prelude::*;
use cerberus_bank::ops::memories::Filter;
use std::num::NonZeroUsize;

use cerberus_bank::ops::search::{self, Hit, Report, Request};

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// Words to search for
    #[arg(value_name = "WORDS", required = true)]
    pub(crate) query: Vec<String>,
    /// Return only these sections, and the tokens that this saves
    #[arg(long = "section", visible_alias = "anchors", value_name = "ID,…", value_delimiter = ',')]
    pub(crate) sections: Vec<String>,
    /// Print the text
    #[arg(long)]
    pub(crate) content: bool,
    /// Show the rank in each search signal and its score contribution
    #[arg(long, alias = "why")]
    pub(crate) explain: bool,
    /// Include superseded memories
    #[arg(long)]
    pub(crate) superseded: bool,
    /// Only memories created or changed at or after this date or time
    #[arg(long, value_name = "DATE", help_heading = "Filters")]
    pub(crate) since: Option<String>,
    /// Only memories created or changed at or before this date or time
    #[arg(long, value_name = "DATE", help_heading = "Filters")]
    pub(crate) until: Option<String>,
    /// Maximum number of memories
    #[arg(long, value_name = "N", default_value = "5")]
    pub(crate) limit: NonZeroUsize,
    #[command(flatten)]
    pub(crate) filter: Filter,
}

pub(crate) fn run(args: &SearchArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let sections = args.sections.iter().map(|id| id.trim()).filter(|id| !id.is_empty());
    let request = Request {
        query: args.query.join(" "),
        sections: sections.map(str::to_owned).collect(),
        content: args.content,
        filter: args.filter.clone(),
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
        let words: Vec<String> =
            report.did_you_mean.iter().map(|word| format!("`{word}`")).collect();
        return failure.hint(format!("did you mean {}?", words.join(", ")));
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
        let signals = hit
            .signals
            .iter()
            .map(|it| format!("{} {} (+{:.4})", it.signal, it.rank, it.contribution));
        let signals: Vec<String> = signals.collect();
        let recency = if hit.recency > 1.0 {
            format!(", recency × {:.4}", hit.recency)
        } else {
            String::new()
        };
        out.line(&format!("  score {:.4}: {}{recency}", hit.score, signals.join(", ")));
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
    for line in hit.content.iter().flat_map(|content| content.lines()) {
        out.line(&out.safe(line));
    }
}
