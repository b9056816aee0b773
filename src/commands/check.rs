//! `cerberus check`: whether what the documents of a project say is still true.
//!
//! Needs no bank and no configuration, only a git repository. With a bank, the anchors, the links
//! of memories, the managed blocks and the imported rules are checked too, so that one command
//! with one exit status is enough for CI.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Result;
use cerberus_claims::parse::{Claim, Target};
use cerberus_claims::{self as claims, NewPlace, Stale, Verdict};
use cerberus_engine::tree::git;
use cerberus_engine::tree::git::past::CommitSummary;
use cerberus_model::error::{ExitStatus, UserError};
use cerberus_model::text::{consists_of, plural};
use cerberus_model::{Severity, Span};
use clap::Args;
use serde::Serialize;

use super::findings::{self, FindingsFormat, Unchecked};
use crate::config::Settings;
use crate::output::{CliResult, Printer};

mod annotations;
mod bank;
mod baseline;
mod documents;
mod fix;
mod print;
mod reader;

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
    /// Accept that a shallow clone cannot tell whether its older lines were ever true
    #[arg(long)]
    pub(crate) allow_shallow: bool,
    /// Output format (--json is the same as json)
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<FindingsFormat>,
    /// Show the new names of moved files and renamed symbols as a diff, and write them
    #[arg(long)]
    pub(crate) fix: bool,
    /// Write without a question
    #[arg(long, requires = "fix")]
    pub(crate) yes: bool,
    /// Let an agent read the errors, and dismiss those whose lines are right: claude, codex, gemini, copilot,
    /// opencode, or a shell command that reads a request on its input and prints the answer
    #[arg(long, value_name = "AGENT", conflicts_with = "fix")]
    pub(crate) with: Option<String>,
    /// File with accepted findings, which are not reported
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write the findings of now to the baseline, or with --with those that are dismissed
    #[arg(long, requires = "baseline", conflicts_with_all = ["fix", "since"])]
    pub(crate) update_baseline: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// Whether the check passes.
    pub(crate) ok: bool,
    pub(crate) summary: Summary,
    pub(crate) findings: Vec<Finding>,
    /// The parts of the request that could not be checked.
    pub(crate) unchecked: Vec<Unchecked>,
    /// Accepted findings of the baseline that no longer exist.
    pub(crate) outdated: BTreeSet<baseline::Accepted>,
    pub(crate) warnings: Vec<String>,
    /// The findings that the baseline accepts.
    #[serde(skip)]
    accepted: BTreeSet<baseline::Accepted>,
    /// The documents with errors, with the text that was checked.
    #[serde(skip)]
    texts: BTreeMap<String, String>,
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
    /// Errors that an agent dismissed.
    pub(crate) dismissed: usize,
    /// Claims that a comment or the configuration excludes.
    pub(crate) ignored: usize,
    pub(crate) never_true: usize,
    pub(crate) unknown: usize,
}

/// A claim, or something in the bank, that is not true.
#[derive(Debug, Clone, Default, Serialize)]
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
    /// The file that had it, if only one did and the claim does not name its path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) was: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) now: Option<String>,
    /// The text that `--fix` writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replacement: Option<String>,
    pub(crate) next: String,
    /// Why an agent dismissed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dismissed: Option<String>,
    /// The bytes that `--fix` replaces, and by what: several if a line names it several times.
    #[serde(skip)]
    spans: Vec<(Span, Option<String>)>,
}

pub(crate) fn run(args: &CheckArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let format = findings::format(args.format, out)?;
    if args.fix && format != FindingsFormat::Text {
        return Err(UserError::usage("--fix prints a diff, in no other format")
            .hint("run it without --format and --json")
            .into());
    }
    let mut report = check(args, settings)?;
    let is_read = match &args.with {
        Some(with) => reader::dismiss(with, &settings.project.root, &mut report, out)?,
        None => true,
    };
    if args.update_baseline
        && is_read
        && let Some(path) = &args.baseline
    {
        let message = baseline::write(path, report.take_accepted(args), &settings.project.root)?;
        if args.with.is_none() {
            out.line(&out.safe(&message));
            findings::print_unchecked(&report.unchecked, format, out);
            let is_complete = report.unchecked.is_empty();
            return Ok(if is_complete {
                ExitStatus::Done
            } else {
                ExitStatus::Environment
            });
        }
        out.note(&[message]);
    }
    if args.fix {
        out.warn(&report.warnings);
        return fix::run(args, settings, &report, out);
    }
    if !args.all {
        report
            .findings
            .retain(|finding| finding.severity == Severity::Error);
    }
    findings::print(&report, format, out, |out| {
        print::report(&report, args, out)
    })
}

/// Checks the documents, and the bank unless files are named.
pub(crate) fn check(args: &CheckArgs, settings: &Settings) -> Result<Report> {
    let project = &settings.project;
    let since = args
        .since
        .as_deref()
        .map(|it| findings::fork_point(&project.root, it));
    let since = since.transpose()?;
    // What an agent dismisses is added to the baseline.
    let is_read = |path: &&Path| !args.update_baseline || (args.with.is_some() && path.exists());
    let baseline = args.baseline.as_deref().filter(is_read);
    let accepted = baseline.map(baseline::read).transpose()?;
    let mut found = documents::read(project, &args.files, since.is_some(), &settings.check)?;
    let mut summary = Summary::default();
    // In the texts that are ignored, `*` matches any text.
    let ignored = settings
        .check
        .ignore
        .iter()
        .map(|it| it.split('*').collect::<Vec<_>>());
    let ignored: Vec<Vec<&str>> = ignored.collect();
    let is_ignored = |text: &str| ignored.iter().any(|pieces| consists_of(text, pieces));
    for document in &mut found.documents {
        let n_all = document.claims.claims.len();
        document
            .claims
            .claims
            .retain(|claim| !is_ignored(&claim.text));
        summary.ignored += n_all - document.claims.claims.len() + document.claims.n_ignored;
        summary.claims += document.claims.claims.len();
    }
    summary.documents = found.documents.len();
    let root = &project.root;
    let (checked, head) = rayon::join(
        || claims::check(root, &found.documents, since.as_deref()),
        || git::checked_head(root),
    );
    let Some(checked) = checked else {
        git::check_usable(&project.root)?;
        let error = UserError::environment("failed to list the files of a git repository");
        let hint = "run it in the working tree of a git repository; check with `git status`";
        return Err(error.hint(hint).into());
    };
    // Without it no claim that fails now is known to have been true.
    head?;
    let mut unchecked = found.unread;
    let unread = checked.unread.into_iter();
    unchecked.extend(unread.map(|(file, reason)| Unchecked { file, reason }));
    let mut warnings = checked.warnings;
    let mut unknown: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    let mut findings: Vec<Finding> = Vec::new();
    for finding in checked.findings {
        let document = &found.documents[finding.document_idx];
        let claim = &document.claims.claims[finding.claim_idx];
        match &finding.verdict {
            Verdict::Stale(_) => {}
            Verdict::Unknown(_) | Verdict::Likely(..) => summary.unknown += 1,
            Verdict::Unchecked(why) => {
                summary.unknown += 1;
                *unknown.entry((finding.document_idx, *why)).or_default() += 1;
            }
            // A word in the font of code, of which nothing was claimed.
            Verdict::NeverTrue if matches!(claim.target, Target::Package(_)) => {}
            Verdict::NeverTrue | Verdict::Fulfilled(_) => summary.never_true += 1,
        }
        findings.push(of_claim(document, claim, &finding.verdict));
    }
    for ((document_idx, why), n) in unknown {
        let file = found.documents[document_idx].path.clone();
        let reason = format!("{}: {why}", plural(n, "claim"));
        match args.allow_shallow && why == claims::SHALLOW {
            true => warnings.push(format!("`{file}`: {reason}")),
            false => unchecked.push(Unchecked { file, reason }),
        }
    }
    if args.files.is_empty() && project.bank.exists() && settings.memory_enabled {
        unchecked.extend(bank::check(
            project,
            since.as_deref(),
            &mut findings,
            &mut warnings,
        )?);
    }
    findings.sort_by(|a, b| {
        let place = |it: &Finding| (it.file.clone(), it.line, it.claim.clone(), it.column);
        place(a).cmp(&place(b))
    });
    let mut findings = merged(findings);
    let mut accepted = accepted.unwrap_or_default();
    let mut outdated;
    (summary.accepted, outdated) = baseline::accept(&accepted, &mut findings);
    if since.is_some() || !args.files.is_empty() {
        outdated.clear();
    }
    accepted.retain(|it| !outdated.contains(it));
    let errors = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error);
    let wrong: BTreeSet<&str> = errors.map(|finding| finding.file.as_str()).collect();
    let texts = found
        .documents
        .into_iter()
        .map(|document| (document.path, document.text));
    let texts = texts
        .filter(|(path, _)| wrong.contains(path.as_str()))
        .collect();
    let mut report = Report {
        ok: false,
        summary,
        findings,
        unchecked,
        outdated,
        warnings,
        accepted,
        texts,
    };
    report.count();
    Ok(report)
}

impl Report {
    /// Returns all that is accepted from now on: the errors, or what was accepted and what an agent dismissed.
    fn take_accepted(&mut self, args: &CheckArgs) -> BTreeSet<baseline::Accepted> {
        let is_new = |it: &&Finding| match args.with {
            Some(_) => it.dismissed.is_some(),
            None => it.severity == Severity::Error,
        };
        self.accepted.extend(
            self.findings
                .iter()
                .filter(is_new)
                .map(baseline::Accepted::from),
        );
        self.outdated.clear();
        self.count();
        std::mem::take(&mut self.accepted)
    }

    /// Counts the errors, and decides whether the check passes.
    fn count(&mut self) {
        let errors = || {
            self.findings
                .iter()
                .filter(|it| it.severity == Severity::Error)
        };
        self.summary.errors = errors().count();
        self.summary.fixable = errors().filter(|it| it.replacement.is_some()).count();
        self.summary.dismissed = self
            .findings
            .iter()
            .filter(|it| it.dismissed.is_some())
            .count();
        self.ok = self.summary.errors == 0 && self.outdated.is_empty() && self.unchecked.is_empty();
    }
}

/// Makes one finding of a link and its text, of a name that a line repeats, and of a name that was true
/// in two ways, as that of a function and of a dependency.
fn merged(findings: Vec<Finding>) -> Vec<Finding> {
    let name = |claim: &str| claim.rsplit('/').next().unwrap_or_default().to_owned();
    let plain = |claim: &str| claim.trim_start_matches(['.', '/']).to_owned();
    let is_same = |a: &Finding, b: &Finding| {
        let (long, short) = (plain(&a.claim), plain(&b.claim));
        let is_text = matches!((a.check, b.check), ("link", "path") | ("path", "link"));
        let is_repeated = a.message == b.message || a.column == b.column;
        (a.claim == b.claim && a.replacement == b.replacement && is_repeated)
            || is_text
                && a.message == b.message
                && (long.ends_with(&short) || short.ends_with(&long))
    };
    let mut merged: Vec<Finding> = Vec::new();
    let mut known: BTreeMap<_, usize> = BTreeMap::new();
    for mut finding in findings {
        let key = (
            finding.file.clone(),
            finding.line,
            finding.now.clone(),
            name(&finding.claim),
        );
        match known
            .get(&key)
            .map(|idx| &mut merged[*idx])
            .filter(|first| is_same(first, &finding))
        {
            Some(first) if first.column == finding.column => {}
            Some(first) => first.spans.append(&mut finding.spans),
            None => {
                known.insert(key, merged.len());
                merged.push(finding);
            }
        }
    }
    merged
}

impl Finding {
    /// Returns an error in the first line of a file, without a message.
    fn new(check: &'static str, (file, line): (String, usize), claim: &str) -> Self {
        let (column, claim) = (1, claim.to_owned());
        Self {
            check,
            file,
            line,
            column,
            claim,
            ..Self::default()
        }
    }

    fn with(self, message: impl Into<String>, next: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            next: next.into(),
            ..self
        }
    }
}

/// Returns the finding about a claim.
fn of_claim(document: &claims::Document, claim: &Claim, verdict: &Verdict) -> Finding {
    let index = &document.claims.lines;
    let (line, column) = index.line_column(claim.span.start);
    let before = document
        .text
        .get(index.start(line)..index.start(line) + column);
    let finding = Finding {
        column: before.map_or(column, |before| before.chars().count()) + 1,
        spans: vec![(claim.span, None)],
        ..Finding::new(
            kind(&claim.target),
            (document.path.clone(), line + 1),
            &claim.text,
        )
    };
    let note = |finding: Finding, message: &str| {
        let severity = Severity::Note;
        Finding {
            severity,
            ..finding.with(message, NOTHING)
        }
    };
    match verdict {
        Verdict::NeverTrue if matches!(claim.target, Target::Package(_)) => {
            note(finding, "not recognised: nothing here has this name")
        }
        Verdict::NeverTrue => note(finding, "it was never true in this repository"),
        Verdict::Fulfilled(why) => note(finding, why),
        Verdict::Unknown(why) | Verdict::Unchecked(why) => {
            note(finding, &format!("unknown: {why}"))
        }
        Verdict::Likely(stale, why) => {
            let message = format!("{}, but it may be no claim: {why}", stale.reason);
            let likely = of_claim(document, claim, &Verdict::Stale(stale.clone()));
            note(
                Finding {
                    replacement: None,
                    spans: finding.spans,
                    ..likely
                },
                &message,
            )
        }
        Verdict::Stale(stale) => {
            let Stale {
                reason,
                written,
                removed,
                was,
                now,
            } = stale.as_ref();
            let replacement = now.as_ref().filter(|now| now.is_certain);
            let replacement = replacement.and_then(|now| now.replacement.clone());
            // Only a replacement needs them.
            let renamed = || document.claims.renamed(&document.text, claim);
            let spans = replacement.as_ref().map(|_| renamed()).unwrap_or_default();
            let replacement = replacement.filter(|_| !spans.is_empty());
            Finding {
                message: reason.clone(),
                written: written.clone(),
                removed: removed.clone(),
                was: was.clone(),
                now: now.as_ref().map(|now| now.place.clone()),
                next: next_step(replacement.is_some(), now.as_ref()),
                spans: spans
                    .into_iter()
                    .map(|span| (span, replacement.clone()))
                    .collect(),
                replacement,
                ..finding
            }
        }
    }
}

/// What a person does about a note.
const NOTHING: &str = "none, unless it is a mistake";

/// What a person does about a stale claim whose new place is not certain.
const CORRECT: &str = "correct or remove it, or put `<!-- cerberus: ignore -->` above it";

/// Returns what a person does about a stale claim.
fn next_step(is_fixable: bool, now: Option<&NewPlace>) -> String {
    match now {
        _ if is_fixable => "cerberus check --fix".to_owned(),
        Some(NewPlace {
            place,
            is_certain: true,
            unwritten,
            ..
        }) => match unwritten {
            Some(why) => format!("name `{place}` instead, or remove it; --fix leaves it: {why}"),
            None => format!("name `{place}` instead"),
        },
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
        Target::Rule { .. } => "enforcement",
        Target::Version { .. } => "version",
    }
}
