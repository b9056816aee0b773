//! Prints the findings of `check` as text: the errors, and below them the warnings of each document.

use cerberus_engine::tree::git::past::CommitSummary;
use cerberus_model::Severity;
use cerberus_model::text::plural;

use super::finding::CORRECT;
use super::{CheckArgs, Finding, Report};
use crate::output::{DIM, ERROR, NAME, OK, Printer, WARN};

/// Number of digits of a commit.
const COMMIT_LEN: usize = 10;

/// Number of warnings of a document that are shown without `--all`.
const N_WARNINGS: usize = 3;

pub(super) fn report(report: &Report, args: &CheckArgs, out: &mut Printer) {
    // What is next for most findings is printed once, after them.
    let is_general =
        |finding: &&Finding| finding.severity == Severity::Error && finding.next == CORRECT;
    let is_shared = report.findings.iter().filter(is_general).count() > 1;
    for finding in &report.findings {
        if finding.severity != Severity::Warning {
            print_finding(finding, is_shared && is_general(&finding), out);
        }
    }
    for accepted in &report.outdated {
        let place = format!("{}: `{}`", accepted.file, accepted.claim);
        out.line(&format!(
            "{}: the baseline accepts it, but it is no longer found",
            out.safe(&place)
        ));
    }
    let n_warnings = report.summary.warnings;
    if args.quiet {
        return print_warnings(report, args, out);
    }
    if report.findings.len() > n_warnings || !report.outdated.is_empty() {
        out.line("");
    }
    if n_warnings > 0 {
        print_warnings(report, args, out);
        out.line("");
    }
    summary(report, args, out);
    if is_shared {
        out.line(&format!("next: {CORRECT}"));
    }
}

/// Returns the first digits of a commit.
pub(super) fn short_id(commit: &CommitSummary) -> &str {
    commit.id.get(..COMMIT_LEN).unwrap_or(&commit.id)
}

fn print_finding(finding: &Finding, is_next_below: bool, out: &mut Printer) {
    let place = format!("{}:{}:{}", finding.file, finding.line, finding.column);
    let style = if finding.severity == Severity::Error {
        ERROR
    } else {
        DIM
    };
    let place = out.style(NAME, &place);
    let claim = out.style(style, &format!("`{}`", finding.claim));
    out.line(&format!("{place}: {claim}: {}", out.safe(&finding.message)));
    if let Some(was) = &finding.was {
        let within = if finding.check.as_str() == "path" {
            ""
        } else {
            "in "
        };
        out.line(&format!("    was {within}`{}`", out.safe(was)));
    }
    if let Some(removed) = &finding.removed {
        let id = short_id(removed);
        let text = format!("    since {id} of {}: {}", removed.date, removed.subject);
        out.line(&out.safe(&text));
    }
    if let Some(now) = &finding.now {
        out.line(&format!("    now `{}`", out.safe(now)));
    }
    if finding.severity == Severity::Error && !is_next_below {
        out.line(&format!("    next: {}", out.safe(&finding.next)));
    }
}

/// Prints the warnings of each document, one a line, and how many more there are.
fn print_warnings(report: &Report, args: &CheckArgs, out: &mut Printer) {
    let mut warnings: Vec<&Finding> = report.findings.iter().collect();
    warnings.retain(|finding| finding.severity == Severity::Warning);
    let limit = if args.all || args.strict {
        usize::MAX
    } else {
        N_WARNINGS
    };
    for of_document in warnings.chunk_by(|a, b| a.file == b.file) {
        let n_all = of_document.len();
        let file = out.style(NAME, &of_document[0].file);
        out.line(&format!("{file}: {}", plural(n_all, "warning")));
        for warning in of_document.iter().take(limit) {
            print_warning(warning, out);
        }
        if n_all > limit {
            let more = format!("    and {} more (see --all)", n_all - limit);
            out.line(&out.paint(DIM, &more));
        }
    }
}

fn print_warning(finding: &Finding, out: &mut Printer) {
    let claim = out.style(WARN, &format!("`{}`", finding.claim));
    let mut rest = finding.message.clone();
    if let Some(removed) = &finding.removed {
        rest += &format!(", since {} of {}", short_id(removed), removed.date);
    }
    if let Some(now) = &finding.now {
        rest += &format!("; now `{now}`");
    }
    let place = format!("{}:{}", finding.line, finding.column);
    out.line(&format!("    {place}: {claim}: {}", out.safe(&rest)));
}

/// Prints the verdict and the next steps.
fn summary(report: &Report, args: &CheckArgs, out: &mut Printer) {
    let summary = &report.summary;
    let mut checked = format!(
        "{} in {}",
        plural(summary.claims, "claim"),
        plural(summary.documents, "document")
    );
    if summary.others > 0 {
        let others = plural(summary.others, "other");
        checked += &format!("; of {others} only the links: cerberus check .");
    }
    let warnings = plural(summary.warnings, "warning");
    if summary.documents == 0 && report.ok {
        out.line("no documents to check; name them: cerberus check FILE");
    } else if report.ok && summary.warnings == 0 {
        let verdict = out.paint(OK, "nothing is out of date");
        out.line(&format!("{verdict}; checked {checked}"));
    } else if report.ok {
        let verdict = out.paint(OK, "no errors");
        out.line(&format!("{verdict}, {warnings}; checked {checked}"));
    } else {
        let mut verdict = plural(summary.errors, "error");
        if summary.warnings > 0 {
            verdict += &format!(", {warnings}");
        }
        if !report.unchecked.is_empty() {
            verdict += ", and not all was checked";
        }
        let verdict = out.paint(ERROR, &verdict);
        out.line(&format!("{verdict}; checked {checked}"));
    }
    counts(report, args, out);
    next_steps(report, args, out);
}

/// Prints how many claims are neither errors nor warnings, and why.
fn counts(report: &Report, args: &CheckArgs, out: &mut Printer) {
    let summary = &report.summary;
    let on_request = if args.all { "" } else { " (see --all)" };
    let dismissed = format!("dismissed by the agent{on_request}");
    let never_true = format!("never true here{on_request}");
    let counts = [
        (summary.accepted, "accepted by the baseline"),
        (summary.dismissed, dismissed.as_str()),
        (summary.ignored, "ignored"),
        (summary.never_true, never_true.as_str()),
        (summary.unknown, "unknown"),
    ];
    let mut shown = Vec::new();
    for (n, what) in counts {
        if n > 0 {
            shown.push(format!("{n} {what}"));
        }
    }
    if !shown.is_empty() {
        out.line(&out.paint(DIM, &shown.join(", ")));
    }
}

fn next_steps(report: &Report, args: &CheckArgs, out: &mut Printer) {
    let summary = &report.summary;
    // It does not know what an agent dismissed.
    if summary.fixable > 0 && summary.dismissed == 0 && !args.fix {
        out.line(&format!(
            "to correct {} of them: cerberus check --fix",
            summary.fixable
        ));
    }
    if !report.outdated.is_empty()
        && let Some(path) = &args.baseline
    {
        let path = out.safe(&path.display().to_string());
        out.line(&format!(
            "to shrink the baseline: cerberus check --baseline {path} --update-baseline"
        ));
    }
}
