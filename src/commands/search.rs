//! `cerberus memory search`.

use cerberus_bank::ops::search::{self, Hit, Report, Request};
use cerberus_model::error::{ExitStatus, UserError};

use crate::config::Settings;
use crate::output::{CliResult, DIM, NAME, Printer};

pub(crate) fn run(args: &Request, settings: &Settings, out: &mut Printer) -> CliResult {
    let sections = args
        .sections
        .iter()
        .map(|id| id.trim())
        .filter(|id| !id.is_empty());
    let request = Request {
        sections: sections.map(str::to_owned).collect(),
        ..args.clone()
    };
    let report = search::search(&settings.project, &request)?;
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
        let words: Vec<String> = report
            .did_you_mean
            .iter()
            .map(|word| format!("`{word}`"))
            .collect();
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
        let recency = (hit.recency > 1.0).then(|| format!(", recency × {:.4}", hit.recency));
        let recency = recency.unwrap_or_default();
        out.line(&format!(
            "  score {:.4}: {}{recency}",
            hit.score,
            signals.join(", ")
        ));
    }
    for section in &hit.sections {
        let lines = format!("{}-{}", section.start_line, section.end_line);
        out.line(&format!(
            "  {} {}:{lines}",
            out.safe(&section.id),
            out.safe(&hit.file)
        ));
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
