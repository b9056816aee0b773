//! Prints the findings of `check` as text.

use cerberus_engine::tree::git::past::CommitSummary;
use cerberus_model::Severity;
use cerberus_model::text::plural;

use super::{CORRECT, CheckArgs, Finding, Report};
use crate::output::{DIM, ERROR, NAME, OK, Printer};

/// Number of digits of a commit.
const COMMIT_LEN: usize = 10;

pub(super) fn report(report: &Report, args: &CheckArgs, out: &mut Printer) {
    // What is next for most findings is printed once, after them.
    let is_general =
        |finding: &&Finding| finding.severity == Severity::Error && finding.next == CORRECT;
    let is_shared = report.findings.iter().filter(is_general).count() > 1;
    for finding in &report.findings {
        print_finding(finding, is_shared && is_general(&finding), out);
    }
    for accepted in &report.outdated {
        let place = format!("{}: `{}`", accepted.file, accepted.claim);
        out.line(&format!(
            "{}: the baseline accepts it, but it is no longer found",
            out.safe(&place)
        ));
    }
    if !(report.findings.is_empty() && report.outdated.is_empty()) {
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
    let (place, claim) = (
        out.style(NAME, &place),
        out.style(style, &format!("`{}`", finding.claim)),
    );
    out.line(&format!("{place}: {claim}: {}", out.safe(&finding.message)));
    if let Some(was) = &finding.was {
        let within = if finding.check == "path" { "" } else { "in " };
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

/// Prints the verdict and the next steps.
fn summary(report: &Report, args: &CheckArgs, out: &mut Printer) {
    let summary = &report.summary;
    let checked = format!(
        "{} in {}",
        plural(summary.claims, "claim"),
        plural(summary.documents, "document")
    );
    if summary.documents == 0 && report.ok {
        out.line("no documents to check; name them: cerberus check FILE");
    } else if report.ok {
        out.line(&format!(
            "{}; checked {checked}",
            out.paint(OK, "nothing is out of date")
        ));
    } else {
        let mut errors = plural(summary.errors, "error");
        if !report.unchecked.is_empty() {
            errors += ", and not all was checked";
        }
        out.line(&format!("{}; checked {checked}", out.paint(ERROR, &errors)));
    }
    let on_request = |what: &str| format!("{what}{}", if args.all { "" } else { " (see --all)" });
    let counts = [
        (summary.accepted, "accepted by the baseline".to_owned()),
        (summary.dismissed, on_request("dismissed by the agent")),
        (summary.ignored, "ignored".to_owned()),
        (summary.never_true, on_request("never true here")),
        (summary.unknown, "unknown".to_owned()),
    ];
    let rest = counts
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!("{n} {what}"));
    let rest: Vec<String> = rest.collect();
    if !rest.is_empty() {
        out.line(&out.paint(DIM, &rest.join(", ")));
    }
    // It does not know what an agent dismissed.
    if summary.fixable > 0 && summary.dismissed == 0 && !args.fix {
        let fix = format!(
            "to correct {} of them: cerberus check --fix",
            summary.fixable
        );
        out.line(&fix);
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
