//! `cerberus memory search`.

use anyhow::Result;

use crate::cli::SearchArgs;
use crate::config::Settings;
use crate::error::{ExitStatus, Failure};
use crate::ops::search::{self, Hit, Request};
use crate::output::{FAINT, NAME, Printer};

pub(super) fn run(args: &SearchArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
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
        limit: args.limit.get(),
    };
    let report = search::search(&settings.project, &request)?;
    if out.json {
        out.document(&report)?;
        let is_empty = report.results.is_empty();
        return Ok(if is_empty { ExitStatus::CheckFailed } else { ExitStatus::Done });
    }
    out.warn(&report.warnings);
    if report.results.is_empty() {
        return Err(Failure::check(format!("no memory speaks of `{}`", request.query))
            .hint("try other words, or list all with `cerberus memory show`")
            .into());
    }
    for hit in &report.results {
        show(hit, out);
    }
    Ok(ExitStatus::Done)
}

fn show(hit: &Hit, out: &mut Printer) {
    let why = out.painted(FAINT, &hit.why.join(" "));
    out.line(&format!("{}  {why}", out.styled(NAME, &hit.id)));
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
