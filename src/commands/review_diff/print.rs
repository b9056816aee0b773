//! Prints the findings of `review-diff` as text.

use cerberus_model::Severity;
use cerberus_model::text::plural;

use crate::commands::added_code::Report;
use crate::output::{DIM, ERROR, NAME, OK, Printer, WARN};

/// Maximum number of rules that are listed.
const MAX_RULES: usize = 10;

pub(super) fn report(report: &Report, out: &mut Printer) {
    for finding in &report.findings {
        let style = if finding.severity == Severity::Error {
            ERROR
        } else {
            WARN
        };
        let place = format!("{}:{}:{}", finding.file, finding.line, finding.column);
        let (place, severity) = (
            out.safe(&place),
            out.paint(style, finding.severity.as_str()),
        );
        out.line(&format!(
            "{place}: {severity}: {} ({})",
            out.safe(&finding.message),
            out.style(NAME, &finding.id)
        ));
        out.line(&format!("  {}", out.safe(&finding.code)));
        if let Some(example) = &finding.example {
            out.line(&format!("  like this: {}", out.safe(example)));
        }
        let allow = format!("  or allow it: {}", finding.allow);
        out.line(&out.paint(DIM, &out.safe(&allow)));
    }
    let others: Vec<_> = report
        .rules
        .iter()
        .filter(|rule| !report.findings.iter().any(|finding| finding.id == rule.id))
        .collect();
    if !others.is_empty() {
        out.line("rules about the changed code:");
    }
    for rule in others.iter().take(MAX_RULES) {
        let state = rule.enforcement.as_str();
        let (id, text) = (out.style(NAME, &rule.id), out.safe(&rule.rule));
        out.line(&format!("  {id} ({state}): {text}"));
    }
    let n_more = others.len().saturating_sub(MAX_RULES);
    if n_more > 0 {
        out.line(&format!("  and {}", plural(n_more, "other")));
    }
    let summary = &report.summary;
    let n_lines = plural(summary.added_lines, "line");
    let n_files = plural(summary.files, "file");
    let mut line = match (summary.errors, summary.hints) {
        (0, 0) => format!("no pattern is hit in {n_lines} of {n_files}"),
        (errors, hints) => {
            format!(
                "{} and {} in {n_lines} of {n_files}",
                plural(errors, "error"),
                plural(hints, "hint")
            )
        }
    };
    if summary.allowed > 0 {
        line.push_str(&format!("; {} allowed", summary.allowed));
    }
    if !report.unchecked.is_empty() {
        line.push_str(&format!("; {} not checked", report.unchecked.len()));
    }
    let style = if report.ok { OK } else { ERROR };
    out.line(&out.paint(style, &line));
}
