//! `cerberus check`: whether what the documents of a project say is still true.
//!
//! Needs no bank and no configuration, only a git repository. With a bank, the anchors, the links
//! of memories, the managed blocks and the imported rules are checked too, so that one command
//! with one exit status is enough for CI.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::config::Settings;
use crate::engine::claims::{self, NewPlace, Stale, Verdict};
use crate::error::{ExitStatus, UserError};
use crate::markdown::claims::{Claim, Target};
use crate::output::Printer;
use crate::text::{LineIndex, Span};
use crate::tree::git::past::{self, CommitSummary};

mod annotations;
mod bank;
mod baseline;
mod documents;
mod fix;
mod patterns;
mod print;

use baseline::Baseline;

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct CheckArgs {
    /// Documents or folders (default: instruction files, guides, memories, and the anchors)
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Show also what was never true here, and what cannot be known
    #[arg(long)]
    pub(crate) all: bool,
    /// Only what became false since this revision, in any document
    #[arg(long, value_name = "REV")]
    pub(crate) since: Option<String>,
    /// Output format (--json is the same as json)
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<CheckFormat>,
    /// Show the new names of moved files and renamed symbols as a diff, and write them
    #[arg(long)]
    pub(crate) fix: bool,
    /// Write without a question
    #[arg(long, requires = "fix")]
    pub(crate) yes: bool,
    /// File with accepted findings, which are not reported
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write the findings of now to the baseline
    #[arg(long, requires = "baseline", conflicts_with_all = ["fix", "since"])]
    pub(crate) update_baseline: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// Text for people
    Text,
    /// A JSON document
    Json,
    /// GitHub workflow commands, which annotate the documents
    Github,
    /// SARIF 2.1.0
    Sarif,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    /// Whether the check passes.
    pub(crate) ok: bool,
    pub(crate) summary: Summary,
    pub(crate) findings: Vec<Finding>,
    /// Accepted findings of the baseline that no longer exist.
    pub(crate) outdated: Vec<baseline::Accepted>,
    pub(crate) warnings: Vec<String>,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Summary {
    pub(crate) documents: usize,
    pub(crate) claims: usize,
    pub(crate) errors: usize,
    /// Errors that `--fix` can correct.
    pub(crate) fixable: usize,
    /// Errors that the baseline accepts.
    pub(crate) accepted: usize,
    /// Claims that a comment or the configuration excludes.
    pub(crate) ignored: usize,
    pub(crate) never_true: usize,
    pub(crate) unknown: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Severity {
    Error,
    Note,
}

/// A claim, or something in the bank, that is not true.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Finding {
    pub(crate) severity: Severity,
    /// What was checked: `path`, `symbol`, `anchor`…
    pub(crate) check: &'static str,
    pub(crate) file: String,
    /// From 1.
    pub(crate) line: usize,
    /// In characters, from 1.
    pub(crate) column: usize,
    pub(crate) claim: String,
    pub(crate) message: String,
    /// The commit in which it was true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) written: Option<CommitSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) removed: Option<CommitSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) now: Option<String>,
    /// The text that `--fix` writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replacement: Option<String>,
    pub(crate) next: String,
    /// The bytes that `--fix` replaces: several if a line names it several times.
    #[serde(skip)]
    spans: Vec<Span>,
}

pub(crate) fn run(args: &CheckArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let default = if out.json { CheckFormat::Json } else { CheckFormat::Text };
    let format = args.format.unwrap_or(default);
    if out.json && format != CheckFormat::Json {
        return Err(UserError::usage("--json and --format specify different formats")
            .hint("use only one of them")
            .into());
    }
    if args.fix && format != CheckFormat::Text {
        return Err(UserError::usage("--fix prints a diff, in no other format")
            .hint("run it without --format and --json")
            .into());
    }
    let mut report = check(args, settings)?;
    if args.update_baseline
        && let Some(path) = &args.baseline
    {
        return baseline::update(path, &report, &settings.project.root, out);
    }
    if args.fix {
        out.warn(&report.warnings);
        return fix::run(args, settings, &report, out);
    }
    if !args.all {
        report.findings.retain(|finding| finding.severity == Severity::Error);
    }
    let status = if report.ok { ExitStatus::Done } else { ExitStatus::CheckFailed };
    match format {
        CheckFormat::Json => out.json(&report)?,
        CheckFormat::Github => {
            out.warn(&report.warnings);
            for line in annotations::github(&report).lines() {
                out.line(&out.safe(line));
            }
        }
        CheckFormat::Sarif => out.json(&annotations::sarif(&report))?,
        CheckFormat::Text => {
            out.warn(&report.warnings);
            print::report(&report, args, out);
        }
    }
    Ok(status)
}

/// Checks the documents, and the bank unless files are named.
pub(crate) fn check(args: &CheckArgs, settings: &Settings) -> Result<Report> {
    let project = &settings.project;
    let since = match &args.since {
        None => None,
        Some(revision) => Some(past::fork_point(&project.root, revision).ok_or_else(|| {
            UserError::environment(format!("failed to find the revision `{revision}`")).hint(
                "name a commit of this clone; a shallow clone may need `git fetch --unshallow`",
            )
        })?),
    };
    let baseline = args.baseline.as_deref().filter(|_| !args.update_baseline);
    let baseline = baseline.map(Baseline::read).transpose()?;
    let mut found = documents::read(project, &args.files, &settings.check)?;
    let mut summary = Summary::default();
    let ignored = patterns::Patterns::new(&settings.check.ignore);
    for document in &mut found.documents {
        let n_all = document.claims.claims.len();
        document.claims.claims.retain(|claim| !ignored.matches(&claim.text));
        summary.ignored += n_all - document.claims.claims.len() + document.claims.n_ignored;
        summary.claims += document.claims.claims.len();
    }
    summary.documents = found.documents.len();
    let checked = claims::check(&project.root, &found.documents, since.as_deref());
    let checked = checked.ok_or_else(|| {
        UserError::environment("failed to list the files of a git repository")
            .hint("run it in the working tree of a git repository; check with `git status`")
    })?;
    let mut warnings = found.warnings;
    warnings.extend(checked.warnings);
    let mut findings = Vec::new();
    for finding in checked.findings {
        let document = &found.documents[finding.document_idx];
        let claim = &document.claims.claims[finding.claim_idx];
        match &finding.verdict {
            Verdict::Stale(_) => {}
            Verdict::Unknown(_) => summary.unknown += 1,
            Verdict::NeverTrue | Verdict::Fulfilled => summary.never_true += 1,
        }
        findings.push(of_claim(document, claim, &finding.verdict));
    }
    if args.files.is_empty() && project.bank.exists() && settings.memory_enabled {
        bank::check(project, since.as_deref(), &mut findings, &mut warnings)?;
    }
    findings.sort_by(|a, b| {
        let place = |it: &Finding| (it.file.clone(), it.line, it.claim.clone(), it.column);
        place(a).cmp(&place(b))
    });
    // A link whose text is its target, or a name that a line repeats.
    findings.dedup_by(|next, first| {
        let identity =
            |it: &Finding| (it.file.clone(), it.line, it.claim.clone(), it.message.clone());
        let is_same = identity(next) == identity(first) && next.replacement == first.replacement;
        if is_same {
            first.spans.append(&mut next.spans);
        }
        is_same
    });
    let mut outdated = Vec::new();
    if let Some(baseline) = baseline {
        let is_partial = since.is_some() || !args.files.is_empty();
        summary.accepted = baseline.accept(&mut findings);
        outdated = if is_partial { Vec::new() } else { baseline.outdated() };
    }
    let errors = || findings.iter().filter(|finding| finding.severity == Severity::Error);
    summary.errors = errors().count();
    summary.fixable = errors().filter(|finding| finding.replacement.is_some()).count();
    let ok = summary.errors == 0 && outdated.is_empty();
    Ok(Report { ok, summary, findings, outdated, warnings })
}

/// Returns the finding about a claim.
fn of_claim(document: &claims::Document, claim: &Claim, verdict: &Verdict) -> Finding {
    let index = LineIndex::new(&document.text);
    let (line, column) = index.line_column(claim.span.start);
    let before = document.text.get(index.start(line)..index.start(line) + column);
    let mut finding = Finding {
        severity: Severity::Note,
        check: kind(&claim.target),
        file: document.path.clone(),
        line: line + 1,
        column: before.map_or(column, |before| before.chars().count()) + 1,
        claim: claim.text.clone(),
        message: String::new(),
        written: None,
        removed: None,
        now: None,
        replacement: None,
        next: String::new(),
        spans: vec![claim.span],
    };
    let note = |mut finding: Finding, message: &str| {
        message.clone_into(&mut finding.message);
        "none, unless it is a mistake".clone_into(&mut finding.next);
        finding
    };
    match verdict {
        Verdict::NeverTrue => note(finding, "it was never true in this repository"),
        Verdict::Fulfilled => note(finding, "it does not exist, as the sentence says"),
        Verdict::Unknown(why) => note(finding, &format!("unknown: {why}")),
        Verdict::Stale(stale) => {
            let Stale { reason, written, removed, now } = stale.as_ref();
            finding.severity = Severity::Error;
            finding.message.clone_from(reason);
            finding.written.clone_from(written);
            finding.removed.clone_from(removed);
            finding.now = now.as_ref().map(|now| now.place.clone());
            finding.replacement =
                now.as_ref().filter(|now| now.is_certain).and_then(|now| now.replacement.clone());
            finding.next = next_step(finding.replacement.is_some(), now.as_ref());
            finding
        }
    }
}

/// What a person does about a stale claim whose new place is not certain.
const CORRECT: &str = "correct or remove it, or put `<!-- cerberus: ignore -->` above it";

/// Returns what a person does about a stale claim.
fn next_step(is_fixable: bool, now: Option<&NewPlace>) -> String {
    match now {
        _ if is_fixable => "cerberus check --fix".to_owned(),
        Some(now) if now.is_certain => format!("name `{}` instead", now.place),
        _ => CORRECT.to_owned(),
    }
}

/// Returns the name of a kind of claim.
fn kind(target: &Target) -> &'static str {
    match target {
        Target::Path { is_link: true, .. } => "link",
        Target::Path { .. } => "path",
        Target::Symbol { .. } => "symbol",
        Target::Task(_) => "command",
        Target::Variable(_) => "variable",
        Target::Package(_) => "dependency",
        Target::Version { .. } => "version",
    }
}
