//! Prints the findings of `reanchor` as text.

use cerberus_bank::ops::reanchor::{Added, Finding, Mode, Report, Request, TrackedLocation};
use cerberus_bank::ops::recorded::Versions;
use cerberus_model::text::shell_word;
use cerberus_model::{State, format_location};
use similar::{ChangeTag, TextDiff};

use crate::output::{DIM, ERROR, NAME, OK, Printer, WARN};

pub(super) fn report(report: &Report, request: &Request, out: &mut Printer) {
    match &request.since {
        _ if report.summary.total > 0 || !report.added.is_empty() => {}
        Some(revision) => {
            out.line(&format!("no anchor changed since `{}`", out.safe(revision)));
        }
        None => out
            .line("no anchors; create one with `cerberus memory add` or `cerberus memory anchor`"),
    }
    let states = report.summary.states.iter().filter(|(_, n)| **n > 0);
    out.rows(
        &["state", "anchors"],
        states.map(|(state, n)| [state.to_string(), n.to_string()]),
    );
    for finding in report.results.iter().filter(|finding| finding.is_notable()) {
        print_finding(finding, request, out);
    }
    for Added { id, anchor, .. } in &report.added {
        let location = format_location(&anchor.file, anchor.symbol.as_deref());
        let verb = if request.writes() {
            "anchored"
        } else {
            "would be anchored"
        };
        out.line(&format!(
            "{} {}: {} {:.2}",
            out.paint(OK, verb),
            out.style(NAME, id),
            out.safe(&location),
            anchor.quality
        ));
    }
    for fault in &report.patterns {
        let id = out.style(NAME, &fault.id);
        let error = out.paint(ERROR, "pattern");
        out.line(&format!("{error} {id}: {}", out.safe(&fault.message)));
        let command = format!("cerberus memory pattern {}", shell_word(&fault.id));
        out.line(&format!(
            "  next: correct it in {}, see {}",
            out.safe(&fault.memory),
            out.safe(&command)
        ));
    }
    for id in &report.orphans {
        let verb = if request.writes() {
            "is removed"
        } else {
            "would be removed"
        };
        out.line(&format!(
            "{}: memory not found; its anchor {verb}",
            out.style(NAME, id)
        ));
    }
    if request.mode == Mode::Check {
        let (style, verdict) = if report.ok {
            (OK, "all anchors are up to date")
        } else {
            (
                ERROR,
                "anchors are out of date: run `cerberus memory reanchor`, resolve the findings, commit anchors.lock",
            )
        };
        out.line(&out.paint(style, verdict));
    } else {
        print_totals(report, request, out);
    }
}

/// Prints how much was recorded, and how much a person has to decide.
fn print_totals(report: &Report, request: &Request, out: &mut Printer) {
    let mut n_recorded = report.added.len() + report.orphans.len();
    let mut n_open = report.undecided.len() + report.patterns.len();
    for finding in &report.results {
        n_recorded += usize::from(finding.written);
        n_open += usize::from(finding.drift);
    }
    if n_recorded + n_open == 0 {
        return;
    }
    let verb = if request.writes() {
        "recorded"
    } else {
        "would record"
    };
    let open = match n_open {
        0 => out.paint(OK, "nothing to decide"),
        _ => out.paint(WARN, &format!("{n_open} to decide")),
    };
    out.line(&format!("{verb} {n_recorded}, {open}"));
}

fn print_finding(finding: &Finding, request: &Request, out: &mut Printer) {
    out.line(&headline(finding, out));
    out.line(&format!("  {}", out.safe(&finding.reason)));
    let id = shell_word(&finding.id);
    if let Some(replacement) = &finding.replacement {
        let verb = match (finding.written, request.writes()) {
            (true, true) => "replaced by",
            (true, false) => "would be replaced by",
            (false, _) => "another example:",
        };
        let location = out.safe(&format_location(
            &replacement.file,
            replacement.symbol.as_deref(),
        ));
        out.line(&format!(
            "  {verb} {location} (quality {:.2})",
            replacement.quality
        ));
        if finding.written {
            let command = format!("cerberus memory anchor {id} --candidates 5");
            out.line(&format!(
                "  if it is not an example: {}",
                out.safe(&command)
            ));
        }
    } else {
        for candidate in &finding.candidates {
            out.line(&format!("  possibly {}", out.safe(&candidate.to_string())));
        }
    }
    if let Some(next) = &finding.next {
        out.line(&format!("  next: {}", out.safe(next)));
        if finding.edited && finding.new.is_some() && finding.role.is_none() {
            let other = format!("cerberus memory anchor {id} --candidates 5");
            if *next != other {
                out.line(&format!("  or, to choose another: {}", out.safe(&other)));
            }
            let file = out.safe(&finding.old.file);
            let see = out.safe(&format!("cerberus memory reanchor --explain {id}"));
            out.line(&format!(
                "  or, to keep the old code: undo the edit of {file}, see {see}"
            ));
        }
        if finding.state == State::Gone {
            let command = format!("cerberus memory anchor {id} --clear");
            out.line(&format!(
                "  or, if the rule has no example: {}",
                out.safe(&command)
            ));
        }
    }
}

fn headline(finding: &Finding, out: &Printer) -> String {
    let style = match finding.state {
        _ if finding.drift => ERROR,
        State::Edited | State::Ambiguous | State::Gone => WARN,
        _ if finding.edited => WARN,
        _ => OK,
    };
    let is_also_edited = finding.edited && finding.state != State::Edited;
    let state = format!(
        "{}{}",
        finding.state,
        if is_also_edited { ", edited" } else { "" }
    );
    let state = out.paint(style, &state);
    let id = out.style(NAME, &finding.id);
    let old = finding.old.to_string();
    let mut line = format!("{state} {id}: {}", out.safe(&old));
    if let Some(new) = finding
        .new
        .as_ref()
        .map(ToString::to_string)
        .filter(|new| *new != old)
    {
        line += &format!(" → {}", out.safe(&new));
    }
    line
}

/// Prints one finding with the code that was compared: then and now.
pub(super) fn explanation(finding: &Finding, versions: &Versions, out: &mut Printer) {
    out.line(&headline(finding, out));
    out.line(&format!("  {}", out.safe(&finding.reason)));
    for step in &finding.steps {
        let location = format_location(&step.file, step.symbol.as_deref());
        let line = format!("{} {location}: {}", step.commit, step.reason);
        out.line(&format!("  commit {}", out.safe(&line)));
    }
    let row = |location: &TrackedLocation| {
        let lines = location.start_line.zip(location.end_line);
        let lines = lines
            .map(|(first, last)| format!("{first}-{last}"))
            .unwrap_or_default();
        let similarity = format!("{:.2}", location.similarity.unwrap_or(0.0));
        [location.to_string(), lines, similarity]
    };
    let compared = finding.new.iter().chain(&finding.candidates);
    out.rows(&["compared with", "lines", "similarity"], compared.map(row));
    print_versions(versions, out);
    if let Some(next) = &finding.next {
        out.line(&format!("  next: {}", out.safe(next)));
    }
}

/// Prints the differences between the recorded code and the code of now, or the only one that is known.
fn print_versions(versions: &Versions, out: &mut Printer) {
    let commit = versions.commit.as_deref().unwrap_or_default();
    let title = match (&versions.then, &versions.now) {
        (Some(then), Some(now)) if then == now => {
            return out.line(&format!("  the code is the same as in commit {commit}"));
        }
        (Some(_), Some(_)) => format!("commit {commit} (-) and now (+):"),
        (Some(_), None) => format!("the code in commit {commit}:"),
        (None, Some(_)) => "the code now; git lacks the recorded code:".to_owned(),
        (None, None) => return,
    };
    out.line(&format!("  {}", out.paint(DIM, &title)));
    let then = versions.then.as_deref().unwrap_or_default();
    let now = versions.now.as_deref().unwrap_or_default();
    let diff = TextDiff::from_lines(then, now);
    let is_compared = versions.then.is_some() && versions.now.is_some();
    for change in diff.iter_all_changes() {
        let line = out.safe(change.value().trim_end());
        let line = match change.tag() {
            ChangeTag::Delete if is_compared => out.paint(ERROR, &format!("- {line}")),
            ChangeTag::Insert if is_compared => out.paint(OK, &format!("+ {line}")),
            _ => format!("  {line}"),
        };
        out.code(format!("    {line}").trim_end());
    }
}
