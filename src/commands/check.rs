//! `cerberus check`: whether what the documents of a project say is still true.
//!
//! Needs no bank and no configuration, only a git repository. With a bank, the anchors, the links
//! of memories, the managed blocks and the imported rules are checked too, so that one command
//! with one exit status is enough for CI.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Result;
use cerberus_claims::parse::Claim;
use cerberus_claims::report::{self as claims, Document, Verdict};
use cerberus_engine::Progress;
use cerberus_engine::tree::{self, git};
use cerberus_model::Severity;
use cerberus_model::error::{ExitStatus, UserError};
use cerberus_model::text::{consists_of, plural};
use clap::Args;
use serde::Serialize;

use super::findings::{self, FindingsFormat, Unchecked};
use super::outside_documents;
use crate::config::Settings;
use crate::output::{CliResult, Printer, ProgressBar};

mod annotations;
mod bank;
mod baseline;
mod documents;
mod finding;
mod fix;
mod outside;
mod print;
mod proposed;
mod reader;

pub(crate) use finding::Finding;
use finding::{merged, of_claim};

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct CheckArgs {
    /// Documents or folders (default: instruction files, guides, memories, and the anchors)
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Show also what was never true here, and what cannot be known
    #[arg(long)]
    pub(crate) all: bool,
    /// Check the memories that agents store for this project, inside and outside of it
    #[arg(long, conflicts_with_all = ["since", "fix"])]
    pub(crate) memories: bool,
    /// Fail on warnings, too
    #[arg(long)]
    pub(crate) strict: bool,
    /// Print only the findings
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Only what became false since this revision, in any document
    #[arg(long, value_name = "REV")]
    pub(crate) since: Option<String>,
    /// Accept that a shallow clone cannot tell whether its older lines were ever true
    #[arg(long)]
    pub(crate) allow_shallow: bool,
    /// Output format (--json is the same as json)
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<FindingsFormat>,
    /// Show the corrections as a diff, and write them
    ///
    /// They are the new names of moved files and renamed symbols. Errors are asked about at once, warnings one by one.
    #[arg(long)]
    pub(crate) fix: bool,
    /// Write without a question
    #[arg(short, long, requires = "fix")]
    pub(crate) yes: bool,
    /// Let an agent read the findings, or rewrite lines with --fix
    ///
    /// The agent is claude, codex, gemini, copilot, opencode, or a shell command that reads a request on its input and
    /// prints the answer. It dismisses findings whose lines are right, and raises the other warnings. With --fix it
    /// writes the lines anew of errors without a certain new name.
    #[arg(long, value_name = "AGENT")]
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
    /// The documents of the project, with how much of them was read.
    pub(crate) documents: Vec<ReadDocument>,
    /// The parts of the request that could not be checked.
    pub(crate) unchecked: Vec<Unchecked>,
    /// Accepted findings of the baseline that no longer exist.
    pub(crate) outdated: BTreeSet<baseline::Accepted>,
    pub(crate) warnings: Vec<String>,
    /// The findings that the baseline accepts.
    #[serde(skip)]
    accepted: BTreeSet<baseline::Accepted>,
    /// Whether warnings fail.
    #[serde(skip)]
    is_strict: bool,
    /// The documents with errors or warnings, with the text that was checked.
    #[serde(skip)]
    texts: BTreeMap<String, String>,
}

/// A document of the project.
#[derive(Debug, Serialize)]
pub(crate) struct ReadDocument {
    pub(crate) path: String,
    pub(crate) read: Extent,
}

/// How much of a document was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Extent {
    All,
    Links,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Summary {
    pub(crate) documents: usize,
    /// Documents of which only the links are read.
    pub(crate) others: usize,
    pub(crate) claims: usize,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    /// Errors and warnings that `--fix` can correct.
    pub(crate) fixable: usize,
    /// Errors and warnings that the baseline accepts.
    pub(crate) accepted: usize,
    /// Errors and warnings that an agent dismissed.
    pub(crate) dismissed: usize,
    /// Claims that a comment or the configuration excludes.
    pub(crate) ignored: usize,
    pub(crate) never_true: usize,
    pub(crate) unknown: usize,
}

pub(crate) fn run(args: &CheckArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let format = findings::format(args.format, out)?;
    if args.fix && format != FindingsFormat::Text {
        return Err(UserError::usage("--fix prints a diff, in no other format")
            .hint("run it without --format and --json")
            .into());
    }
    let bar = ProgressBar::new(out.terminal, "comparing claims with the history");
    let mut report = check_with(args, settings, &|done, total| bar.step(done, total))?;
    drop(bar);
    let is_read = match &args.with {
        Some(with) if !args.fix => reader::dismiss(with, &settings.project.root, &mut report, out)?,
        _ => true,
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
        report.findings.retain(Finding::is_reported);
    }
    findings::print(&report, format, out, |out| {
        print::report(&report, args, out)
    })
}

/// Checks the documents, and the bank unless files are named.
pub(crate) fn check(args: &CheckArgs, settings: &Settings) -> Result<Report> {
    check_with(args, settings, &|_, _| {})
}

/// Like [`check`], and reports the progress.
fn check_with(args: &CheckArgs, settings: &Settings, progress: Progress<'_>) -> Result<Report> {
    let project = &settings.project;
    let since = args.since.as_deref();
    let since = since.map(|revision| findings::fork_point(&project.root, revision));
    let since = since.transpose()?;
    let mut accepted = accepted(args)?;
    let mut found = documents_of(args, settings, since.is_some())?;
    let mut summary = Summary::default();
    summary.add_documents(&mut found, &settings.check.ignore);
    let checked = compared(&project.root, &found.documents, since.as_deref(), progress)?;
    let mut unchecked = std::mem::take(&mut found.unread);
    for (file, reason) in checked.unread {
        unchecked.push(Unchecked { file, reason });
    }
    let mut warnings = checked.warnings;
    let mut findings: Vec<Finding> = Vec::new();
    for finding in &checked.findings {
        let document = &found.documents[finding.document_idx];
        let claim = &document.claims.claims[finding.claim_idx];
        summary.add(claim, &finding.verdict);
        findings.push(of_claim(document, claim, &finding.verdict));
    }
    for (why, of_document) in undecided(&found.documents, &checked.findings) {
        match args.allow_shallow && why == claims::SHALLOW {
            true => warnings.push(format!("`{}`: {}", of_document.file, of_document.reason)),
            false => unchecked.push(of_document),
        }
    }
    findings.append(&mut outside::expired(&found.documents, project.now));
    let has_bank = project.bank.exists() && settings.memory_enabled;
    if args.files.is_empty() && !args.memories && has_bank {
        let since = since.as_deref();
        unchecked.extend(bank::check(project, since, &mut findings, &mut warnings)?);
    }
    findings.sort_by(|a, b| {
        let a_place = (&a.file, a.line, &a.claim, a.column);
        a_place.cmp(&(&b.file, b.line, &b.claim, b.column))
    });
    let mut findings = merged(findings);
    let outdated;
    (summary.accepted, outdated) = baseline::accept(&accepted, &mut findings);
    let is_whole = since.is_none() && args.files.is_empty() && !args.memories;
    let outdated = if is_whole { outdated } else { BTreeSet::new() };
    accepted.retain(|finding| !outdated.contains(finding));
    let mut report = Report {
        ok: false,
        is_strict: args.strict,
        summary,
        documents: read_documents(&found),
        texts: texts_with(&findings, found.documents),
        findings,
        unchecked,
        outdated,
        warnings,
        accepted,
    };
    report.count();
    Ok(report)
}

/// Returns the findings that the baseline accepts.
fn accepted(args: &CheckArgs) -> Result<BTreeSet<baseline::Accepted>> {
    let Some(path) = &args.baseline else {
        return Ok(BTreeSet::new());
    };
    // A new baseline has only what is found now, or what an agent dismisses as well.
    let is_read = !args.update_baseline || (args.with.is_some() && path.exists());
    if is_read {
        baseline::read(path)
    } else {
        Ok(BTreeSet::new())
    }
}

/// Returns the documents that the arguments name.
fn documents_of(args: &CheckArgs, settings: &Settings, is_any: bool) -> Result<documents::Found> {
    let project = &settings.project;
    let mut files = args.files.clone();
    let mut outside = Vec::new();
    if settings.is_project_named {
        (files, outside) = outside::divide(&project.root, &args.files)?;
    }
    if args.memories {
        outside.append(&mut outside_documents::memories(&project.root));
    }
    let mut found = documents::Found::default();
    // What is named outside of the project is checked alone.
    if outside.is_empty() && !args.memories || !files.is_empty() {
        found = documents::read(project, &files, is_any, &settings.check)?;
    }
    found.documents.append(&mut outside);
    Ok(found)
}

/// Compares the documents with the project.
fn compared(
    root: &Path,
    documents: &[Document],
    since: Option<&str>,
    progress: Progress<'_>,
) -> Result<claims::Report> {
    let (checked, head) = rayon::join(
        || cerberus_claims::check(root, documents, since, progress),
        || git::checked_head(root),
    );
    let Some(checked) = checked else {
        git::check_usable(root)?;
        let error = UserError::environment("failed to list the files of a git repository");
        let hint = "run it in the working tree of a git repository; check with `git status`";
        return Err(error.hint(hint).into());
    };
    // Without it no claim that fails now is known to have been true.
    head?;
    Ok(checked)
}

/// Returns how many claims of each document were not checked, with the reasons.
fn undecided(
    documents: &[Document],
    findings: &[claims::Finding],
) -> Vec<(&'static str, Unchecked)> {
    let mut counts: BTreeMap<(usize, &'static str), usize> = BTreeMap::new();
    for finding in findings {
        if let Verdict::Unchecked(why) = finding.verdict {
            *counts.entry((finding.document_idx, why)).or_default() += 1;
        }
    }
    let mut undecided = Vec::new();
    for ((document_idx, why), n_claims) in counts {
        let file = documents[document_idx].path.clone();
        let reason = format!("{}: {why}", plural(n_claims, "claim"));
        undecided.push((why, Unchecked { file, reason }));
    }
    undecided
}

/// Returns the texts of the documents with errors or warnings.
fn texts_with(findings: &[Finding], documents: Vec<Document>) -> BTreeMap<String, String> {
    let mut wrong: BTreeSet<&str> = BTreeSet::new();
    for finding in findings {
        if finding.is_reported() {
            wrong.insert(&finding.file);
        }
    }
    let mut texts = BTreeMap::new();
    for document in documents {
        if wrong.contains(document.path.as_str()) {
            texts.insert(document.path, document.text);
        }
    }
    texts
}

/// Returns what an edit of an instruction file makes wrong: the errors on the lines that HEAD lacks, and those of other
/// changes in the file.
pub(crate) fn of_edit(settings: &Settings, file: &str) -> Result<Vec<Finding>> {
    let root = &settings.project.root;
    let is_checked = tree::documents::is_rule_file(file) && git::head(root).is_some();
    if !is_checked || !root.join(file).is_file() {
        return Ok(Vec::new());
    }
    let args = CheckArgs {
        files: vec![root.join(file)],
        since: Some("HEAD".to_owned()),
        allow_shallow: true,
        ..CheckArgs::default()
    };
    let mut findings = check(&args, settings)?.findings;
    findings.retain(|finding| finding.severity == Severity::Error);
    Ok(findings)
}

/// Returns a finding as an agent reads it.
pub(crate) fn in_one_line(finding: &Finding) -> String {
    let Finding {
        file,
        line,
        claim,
        message,
        ..
    } = finding;
    let now = match &finding.now {
        Some(now) => format!("; now `{now}`"),
        None => String::new(),
    };
    format!("{file}:{line}: `{claim}`: {message}{now}")
}

/// Returns the documents that are read, and how much of each.
fn read_documents(found: &documents::Found) -> Vec<ReadDocument> {
    let mut documents = Vec::new();
    for document in &found.documents {
        if !found.others.contains(&document.path) {
            documents.push(ReadDocument {
                path: document.path.clone(),
                read: Extent::All,
            });
        }
    }
    for path in &found.others {
        documents.push(ReadDocument {
            path: path.clone(),
            read: Extent::Links,
        });
    }
    documents
}

impl Summary {
    /// Counts documents and their claims, and removes the claims whose text is ignored.
    fn add_documents(&mut self, found: &mut documents::Found, ignored: &[String]) {
        self.documents = found.documents.len();
        self.others = found.others.len();
        for document in &found.documents {
            self.documents -= usize::from(found.others.contains(&document.path));
        }
        // `*` matches any text.
        let mut patterns: Vec<Vec<&str>> = Vec::new();
        for pattern in ignored {
            patterns.push(pattern.split('*').collect());
        }
        let is_ignored = |text: &str| {
            let mut pieces = patterns.iter();
            pieces.any(|pieces| consists_of(text, pieces))
        };
        for document in &mut found.documents {
            let claims = &mut document.claims;
            let n_all = claims.claims.len();
            claims.claims.retain(|claim| !is_ignored(&claim.text));
            self.ignored += n_all - claims.claims.len() + claims.n_ignored;
            self.claims += claims.claims.len();
        }
    }

    /// Counts a claim that is neither an error nor a warning.
    fn add(&mut self, claim: &Claim, verdict: &Verdict) {
        match verdict {
            Verdict::Stale(_) | Verdict::Mistaken(_) => {}
            Verdict::Unknown(_) | Verdict::Unchecked(_) => self.unknown += 1,
            // A word in the font of code, of which nothing was claimed.
            Verdict::NeverTrue if claim.target.is_package() => {}
            Verdict::NeverTrue | Verdict::Fulfilled(_) => self.never_true += 1,
        }
    }
}

impl Report {
    /// Returns all that is accepted from now on: the errors, or what was accepted and what an agent dismissed.
    fn take_accepted(&mut self, args: &CheckArgs) -> BTreeSet<baseline::Accepted> {
        for finding in &self.findings {
            let is_new = match args.with {
                Some(_) => finding.dismissed.is_some(),
                None => finding.is_reported(),
            };
            if is_new {
                self.accepted.insert(baseline::Accepted::from(finding));
            }
        }
        self.outdated.clear();
        self.count();
        std::mem::take(&mut self.accepted)
    }

    /// Counts the errors and warnings, and decides whether the check passes.
    fn count(&mut self) {
        let summary = &mut self.summary;
        summary.errors = 0;
        summary.warnings = 0;
        summary.fixable = 0;
        summary.dismissed = 0;
        for finding in &self.findings {
            summary.errors += usize::from(finding.severity == Severity::Error);
            summary.warnings += usize::from(finding.severity == Severity::Warning);
            summary.fixable += usize::from(finding.is_reported() && finding.replacement.is_some());
            summary.dismissed += usize::from(finding.dismissed.is_some());
        }
        let n_failing = summary.errors + if self.is_strict { summary.warnings } else { 0 };
        self.ok = n_failing == 0 && self.outdated.is_empty() && self.unchecked.is_empty();
    }
}
