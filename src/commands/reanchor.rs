//! `cerberus memory reanchor`.

use super::args::quality;
use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::config::Settings;
use crate::error::{ExitStatus, UserError};
use crate::model::State;
use crate::ops::memories::Filter;
use crate::ops::reanchor::{self, Finding, Mode, Report, Request, Target};
use crate::output::{ERROR, NAME, OK, Printer, ProgressBar, WARN, annotations};
use crate::text::shell_word;

#[derive(Debug, Args)]
pub(crate) struct ReanchorArgs {
    /// Write nothing and fail if anything has to be done
    #[arg(long, group = "mode")]
    pub(crate) check: bool,
    /// Record the changed code of one memory, or of all, as approved
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "", group = "mode")]
    pub(crate) accept: Option<String>,
    /// Say what would be recorded and write nothing
    #[arg(long, group = "mode")]
    pub(crate) dry_run: bool,
    /// Take the last reanchor back
    #[arg(long, group = "mode")]
    pub(crate) undo: bool,
    /// Let any edit fail the check
    #[arg(long, requires = "check")]
    pub(crate) strict: bool,
    /// Look only at what changed since this revision; fail where git cannot tell
    #[arg(long, value_name = "REV")]
    pub(crate) since: Option<String>,
    /// Show what was compared and what decided for this memory
    #[arg(long, value_name = "ID")]
    pub(crate) explain: Option<String>,
    /// Print the findings in this form (--json is the same as json)
    #[arg(long, value_name = "FORM")]
    pub(crate) format: Option<ReportFormat>,
    /// Only memories of this scope; `all` takes every one
    #[arg(long, default_value = "all")]
    pub(crate) scope: String,
    /// Replace an example that is gone from this quality on
    #[arg(long, value_name = "QUALITY", value_parser = quality)]
    pub(crate) min_quality: Option<f64>,
}

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people
    Table,
    /// One document
    Json,
    /// GitHub workflow commands, shown beside the code
    Github,
    /// SARIF 2.1.0
    Sarif,
}

pub(crate) fn run(
    args: &ReanchorArgs,
    settings: &Settings,
    out: &mut Printer,
) -> Result<ExitStatus> {
    if out.json && args.format.is_some_and(|format| format != ReportFormat::Json) {
        return Err(UserError::usage("--json and --format ask for two forms at once")
            .hint("leave one of them out")
            .into());
    }
    let format =
        args.format.unwrap_or(if out.json { ReportFormat::Json } else { ReportFormat::Table });
    if args.undo {
        let undone = reanchor::undo(&settings.project)?;
        if format == ReportFormat::Json {
            out.json(&undone)?;
        } else {
            let n = undone.anchors;
            out.line(&format!(
                "the last reanchor is taken back; {n} anchors are as they were before it"
            ));
        }
        return Ok(ExitStatus::Done);
    }
    let mode = match &args.accept {
        _ if args.check => Mode::Check,
        _ if args.dry_run => Mode::DryRun,
        Some(id) => Mode::Accept(Some(id.clone()).filter(|id| !id.is_empty())),
        None => Mode::Follow,
    };
    let request = Request {
        mode,
        filter: Filter { scope: Some(args.scope.clone()), ..Filter::default() },
        min_quality: args.min_quality.unwrap_or(settings.project.min_quality),
        strict: args.strict,
        since: args.since.clone(),
    };
    let bar = ProgressBar::new(out.terminal, "following anchors");
    let report =
        reanchor::reanchor(&settings.project, &request, &|done, total| bar.step(done, total))?;
    drop(bar);
    out.warn(&report.warnings);
    match (format, &args.explain) {
        (ReportFormat::Json, _) => out.json(&report)?,
        (ReportFormat::Github, _) => {
            for line in annotations::github(&report).lines() {
                out.line(&out.safe(line));
            }
        }
        (ReportFormat::Sarif, _) => out.json(&annotations::sarif(&report))?,
        (ReportFormat::Table, Some(id)) => explain(&report, id, out)?,
        (ReportFormat::Table, None) => show(&report, &request, out),
    }
    let failed = request.mode == Mode::Check && !report.ok;
    Ok(if failed { ExitStatus::CheckFailed } else { ExitStatus::Done })
}

fn show(report: &Report, request: &Request, out: &mut Printer) {
    if report.summary.total == 0 && request.since.is_some() {
        out.line("no anchor's code, memory or record changed");
    } else if report.summary.total == 0 {
        out.line("no anchors to follow; make some with `cerberus memory add` or `cerberus memory anchor`");
    }
    let states = report.summary.states.iter().filter(|(_, n)| **n > 0);
    let rows: Vec<Vec<String>> =
        states.map(|(state, n)| vec![state.to_string(), n.to_string()]).collect();
    out.rows(&["state", "anchors"], &rows);
    let to_tell = |it: &&Finding| it.state != State::Fresh || it.better.is_some();
    for finding in report.results.iter().filter(to_tell) {
        self::finding(finding, request, out);
    }
    for id in &report.orphans {
        out.line(&format!("{} its memory is no more; its anchor is dropped", out.style(NAME, id)));
    }
    if request.mode == Mode::Check {
        let (style, verdict) = if report.ok {
            (OK, "every anchor holds")
        } else {
            (
                ERROR,
                "the anchors need work: run `cerberus memory reanchor`, settle what it asks, commit the lock",
            )
        };
        out.line(&out.paint(style, verdict));
    }
}

fn finding(finding: &Finding, request: &Request, out: &mut Printer) {
    out.line(&headline(finding, out));
    out.line(&format!("  {}", out.safe(&finding.reason)));
    if let Some(replacement) = &finding.replacement {
        let place = super::place(&replacement.file, replacement.symbol.as_deref());
        let verb = match (finding.recorded, &request.mode) {
            (true, Mode::Follow | Mode::Accept(_)) => "replaced by",
            (true, _) => "would be replaced by",
            (false, _) => "another example:",
        };
        out.line(&format!("  {verb} {} (quality {:.2})", out.safe(&place), replacement.quality));
        if finding.recorded {
            let anchor = format!("cerberus memory anchor {}", shell_word(&finding.id));
            out.line(&format!("  if that is no example: {} --candidates 5", out.safe(&anchor)));
        }
    } else {
        for candidate in &finding.candidates {
            out.line(&format!("  perhaps {}", out.safe(&target(candidate))));
        }
    }
    if let Some(better) = &finding.better {
        let place = super::place(&better.file, better.symbol.as_deref());
        let line = format!(
            "  a better example has appeared: {} (quality {:.2})",
            out.safe(&place),
            better.quality
        );
        out.line(&line);
        out.line(&format!("  take it with: cerberus memory anchor {}", out.safe(&finding.id)));
    }
    if let Some(next) = &finding.next {
        out.line(&format!("  next: {}", out.safe(next)));
        if finding.state == State::Gone {
            let clear = format!("cerberus memory anchor {} --clear", shell_word(&finding.id));
            out.line(&format!("  or, for a rule without an example: {}", out.safe(&clear)));
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
    let mut state = finding.state.to_string();
    if finding.edited && finding.state != State::Edited {
        state += ", edited";
    }
    let old = target(&finding.old);
    let mut line = format!(
        "{} {}: {}",
        out.paint(style, &state),
        out.style(NAME, &finding.id),
        out.safe(&old)
    );
    if let Some(new) = finding.new.as_ref().map(target).filter(|new| *new != old) {
        line += &format!(" → {}", out.safe(&new));
    }
    line
}

/// Shows all that is known of one finding.
fn explain(report: &Report, typed: &str, out: &mut Printer) -> Result<()> {
    let ids = report.results.iter().map(|finding| finding.id.as_str());
    let at = crate::ops::memories::find_id(typed, ids).map_err(|_| {
        UserError::usage(format!("`{typed}` has no anchor that was followed"))
            .hint("see all with `cerberus memory reanchor --dry-run`")
    })?;
    let finding = &report.results[at];
    out.line(&headline(finding, out));
    out.line(&format!("  {}", out.safe(&finding.reason)));
    let places: Vec<&Target> = finding.new.iter().chain(&finding.candidates).collect();
    let rows: Vec<Vec<String>> = places
        .iter()
        .map(|place| {
            let lines = place.start_line.zip(place.end_line);
            let lines = lines.map(|(first, last)| format!("{first}-{last}")).unwrap_or_default();
            vec![target(place), lines, format!("{:.2}", place.similarity.unwrap_or(0.0))]
        })
        .collect();
    out.rows(&["compared with", "lines", "alike"], &rows);
    if let Some(next) = &finding.next {
        out.line(&format!("  next: {}", out.safe(next)));
    }
    Ok(())
}

fn target(target: &Target) -> String {
    super::place(&target.file, target.symbol.as_deref())
}
