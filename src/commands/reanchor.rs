//! `cerberus memory reanchor`.

use anyhow::Result;

use crate::cli::ReanchorArgs;
use crate::config::Settings;
use crate::error::ExitStatus;
use crate::model::State;
use crate::ops::memories::Filter;
use crate::ops::reanchor::{self, Finding, Mode, Report, Request, Target};
use crate::output::{BAD, Bar, GOOD, NAME, ODD, Printer};

pub(super) fn run(args: &ReanchorArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let mode = match &args.accept {
        _ if args.check => Mode::Check,
        _ if args.dry_run => Mode::DryRun,
        Some(id) => Mode::Accept(Some(id.clone()).filter(|id| !id.is_empty())),
        None => Mode::Follow,
    };
    let request = Request {
        mode,
        filter: Filter {
            scope: Some(args.scope.clone()),
            ..Filter::default()
        },
        min_quality: args.min_quality.unwrap_or(settings.project.min_quality),
        strict: args.strict,
    };
    let bar = Bar::new(out.terminal, "following anchors");
    let report = reanchor::reanchor(&settings.project, &request, &|done, total| bar.step(done, total))?;
    drop(bar);
    out.warn(&report.warnings);
    if out.json {
        out.document(&report)?;
    } else {
        show(&report, &request, out);
    }
    let failed = request.mode == Mode::Check && !report.ok;
    Ok(if failed { ExitStatus::CheckFailed } else { ExitStatus::Done })
}

fn show(report: &Report, request: &Request, out: &mut Printer) {
    if report.summary.total == 0 {
        out.line("no anchors to follow; make some with `cerberus memory add` or `cerberus memory anchor`");
    }
    let states = report.summary.states.iter().filter(|(_, n)| **n > 0);
    let rows: Vec<Vec<String>> = states.map(|(state, n)| vec![state.to_string(), n.to_string()]).collect();
    out.rows(&["state", "anchors"], &rows);
    for finding in report.results.iter().filter(|it| it.state != State::Fresh) {
        self::finding(finding, request, out);
    }
    for id in &report.orphans {
        out.line(&format!("{} its memory is no more; its anchor is dropped", out.styled(NAME, id)));
    }
    if request.mode == Mode::Check {
        let (style, verdict) = if report.ok {
            (GOOD, "every anchor holds")
        } else {
            (BAD, "the anchors need work: run `cerberus memory reanchor`, then settle what it asks and commit the lock")
        };
        out.line(&out.painted(style, verdict));
    }
}

fn finding(finding: &Finding, request: &Request, out: &mut Printer) {
    let style = match finding.state {
        _ if finding.drift => BAD,
        State::Edited | State::Ambiguous | State::Gone => ODD,
        _ if finding.edited => ODD,
        _ => GOOD,
    };
    let mut state = finding.state.to_string();
    if finding.edited && finding.state != State::Edited {
        state += ", edited";
    }
    let old = out.safe(&target(&finding.old));
    let mut line = format!("{} {}: {old}", out.painted(style, &state), out.styled(NAME, &finding.id));
    if let Some(new) = &finding.new {
        let place = target(new);
        if place != target(&finding.old) {
            line += &format!(" → {}", out.safe(&place));
        }
    }
    out.line(&line);
    out.line(&format!("  {}", out.safe(&finding.reason)));
    if let Some(replacement) = &finding.replacement {
        let place = super::place(&replacement.file, replacement.symbol.as_deref());
        let verb = match (finding.recorded, &request.mode) {
            (true, Mode::Follow | Mode::Accept(_)) => "replaced by",
            (true, _) => "would be replaced by",
            (false, _) => "another example:",
        };
        out.line(&format!("  {verb} {} (quality {:.2})", out.safe(&place), replacement.quality));
    } else {
        for candidate in &finding.candidates {
            out.line(&format!("  perhaps {}", out.safe(&target(candidate))));
        }
    }
    if let Some(next) = &finding.next {
        out.line(&format!("  next: {}", out.safe(next)));
    }
}

fn target(target: &Target) -> String {
    super::place(&target.file, target.symbol.as_deref())
}
