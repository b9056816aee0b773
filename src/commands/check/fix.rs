//! `check --fix`: writes the new names of targets that were followed with certainty: those of errors at once, those
//! of warnings one by one. Only the bytes of a
//! name change, and only in a document that still has the text that was checked. Each document is
//! handled alone: one that cannot be written does not stop the others.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use anyhow::Result;
use cerberus_bank::external_file::{self, ExternalFile};
use cerberus_model::Severity;
use cerberus_model::error::{ExitStatus, UserError};
use cerberus_model::text::{Span, decode, encode_like, plural};

use super::proposed::{self, Proposal};
use super::{CheckArgs, Finding, Report, print};
use crate::commands::confirm;
use crate::commands::findings::{self, FindingsFormat};
use crate::config::Settings;
use crate::output::{CliResult, Printer};

/// A document with its new text.
struct Fixed {
    path: String,
    file: ExternalFile,
    old_text: String,
    new_text: String,
    n_changes: usize,
}

/// A document that is not written, with the reason.
struct Unwritten {
    path: String,
    reason: String,
}

/// The documents that have new names.
#[derive(Default)]
struct Plan {
    fixed: Vec<Fixed>,
    unwritten: Vec<Unwritten>,
}

impl Plan {
    fn is_empty(&self) -> bool {
        self.fixed.is_empty() && self.unwritten.is_empty()
    }
}

pub(super) fn run(
    args: &CheckArgs,
    settings: &Settings,
    report: &Report,
    out: &mut Printer,
) -> CliResult {
    let has_new_name = |finding: &&Finding| finding.replacement.is_some();
    let fixable = report.findings.iter().filter(has_new_name);
    let (mut chosen, mut likely): (Vec<&Finding>, Vec<&Finding>) = fixable
        .filter(|finding| finding.is_reported())
        .partition(|finding| finding.severity == Severity::Error);
    let can_ask = !args.yes && confirm::is_possible(out);
    if !can_ask {
        likely.clear();
    }
    let proposals = match &args.with {
        Some(with) => proposed::propose(with, settings, report, out)?,
        None => Vec::new(),
    };
    let mut errors = plan(settings, report, &chosen, &proposals);
    if errors.is_empty() && likely.is_empty() {
        out.line("nothing can be corrected with certainty");
        out.line("");
    }
    if !errors.fixed.is_empty() && !confirms_errors(args, &errors.fixed, out)? {
        out.line("nothing was written");
        return Ok(ExitStatus::CheckFailed);
    }
    let n_errors = chosen.len();
    for finding in likely {
        if confirms_warning(settings, report, finding, out)? {
            chosen.push(finding);
        }
    }
    if chosen.len() > n_errors {
        errors = plan(settings, report, &chosen, &proposals);
    }
    let Plan {
        fixed,
        mut unwritten,
    } = errors;
    if fixed.is_empty() {
        return rest(args, settings, &unwritten, out);
    }
    let written = write(settings, fixed, &mut unwritten)?;
    let n_changes = plural(
        written.iter().map(|document| document.n_changes).sum(),
        unit(args),
    );
    out.line(&format!(
        "wrote {n_changes} in {}",
        plural(written.len(), "document")
    ));
    out.line("");
    rest(args, settings, &unwritten, out)
}

/// Shows the corrections of errors, and returns whether they are to be written.
fn confirms_errors(args: &CheckArgs, fixed: &[Fixed], out: &mut Printer) -> Result<bool> {
    fixed.iter().for_each(|document| print_diff(document, out));
    if args.yes {
        return Ok(true);
    }
    let n_changes = plural(
        fixed.iter().map(|document| document.n_changes).sum(),
        unit(args),
    );
    if !confirm::is_possible(out) {
        out.flush()?;
        return Err(UserError::check(format!(
            "{n_changes} not written, because nobody can be asked"
        ))
        .hint("write them: cerberus check --fix --yes")
        .into());
    }
    confirm::ask(&format!("write {n_changes}?"), out)
}

/// Shows the correction of a warning alone, and returns whether it is to be written.
fn confirms_warning(
    settings: &Settings,
    report: &Report,
    finding: &Finding,
    out: &mut Printer,
) -> Result<bool> {
    let alone = plan(settings, report, &[finding], &[]);
    let [document] = &alone.fixed[..] else {
        return Ok(false);
    };
    print_diff(document, out);
    let doubt = finding.doubt.unwrap_or("its document may mean another one");
    confirm::ask(&format!("this is only likely: {doubt}. Write it?"), out)
}

fn print_diff(document: &Fixed, out: &mut Printer) {
    let old = document.old_text.as_bytes();
    let new = document.new_text.as_bytes();
    for line in confirm::diff(&document.path, old, new).lines() {
        out.line(&out.safe(line));
    }
}

/// Writes the documents, each alone, and returns those that were written. Memories are written under
/// the write lock of the bank.
fn write(
    settings: &Settings,
    fixed: Vec<Fixed>,
    unwritten: &mut Vec<Unwritten>,
) -> Result<Vec<Fixed>> {
    let bank = &settings.project.bank;
    let folder = bank.folder().canonicalize().ok();
    let is_memory = |it: &Fixed| {
        folder
            .as_ref()
            .is_some_and(|bank| it.file.real_path().starts_with(bank))
    };
    let _guard = fixed
        .iter()
        .any(is_memory)
        .then(|| bank.lock_for_writing())
        .transpose()?;
    let mut written = Vec::new();
    for document in fixed {
        let bytes = encode_like(&document.file.bytes, &document.new_text);
        match external_file::write_all(&[(&document.file, Some(&bytes))]) {
            Ok(()) => written.push(document),
            Err(error) => {
                let reason = format!("{error:#}");
                unwritten.push(Unwritten {
                    path: document.path,
                    reason,
                });
            }
        }
    }
    Ok(written)
}

/// Reports the findings that remain, and the documents that were not written.
fn rest(
    args: &CheckArgs,
    settings: &Settings,
    unwritten: &[Unwritten],
    out: &mut Printer,
) -> CliResult {
    let args = CheckArgs {
        fix: false,
        format: Some(FindingsFormat::Text),
        ..args.clone()
    };
    let mut report = super::check(&args, settings)?;
    report
        .findings
        .retain(|finding| args.all || finding.is_reported());
    // They were printed before the correction.
    report.warnings.clear();
    let status = findings::print(&report, FindingsFormat::Text, out, |out| {
        print::report(&report, &args, out);
    })?;
    if unwritten.is_empty() {
        return Ok(status);
    }
    for Unwritten { path, reason } in unwritten {
        out.warn(&[format!("`{path}` was not corrected: {reason}")]);
    }
    Ok(ExitStatus::Environment)
}

/// Returns the documents that change by the new names of findings.
fn plan(
    settings: &Settings,
    report: &Report,
    findings: &[&Finding],
    proposals: &[Proposal],
) -> Plan {
    let mut by_file: BTreeMap<&str, Vec<(Span, &str)>> = BTreeMap::new();
    // A new line starts before the names in it, which are not written then.
    for Proposal { file, span, text } in proposals {
        by_file.entry(file).or_default().push((*span, text));
    }
    for finding in findings {
        for (span, new_name) in &finding.spans {
            if let Some(new_name) = new_name {
                let changes = by_file.entry(&finding.file).or_default();
                changes.push((*span, new_name.as_str()));
            }
        }
    }
    let mut plan = Plan::default();
    for (path, changes) in by_file {
        match corrected(settings, report, path, changes) {
            Ok(fixed) => plan.fixed.push(fixed),
            Err(error) => {
                let reason = format!("{error:#}");
                plan.unwritten.push(Unwritten {
                    path: path.to_owned(),
                    reason,
                });
            }
        }
    }
    plan
}

/// Returns a document with its new text. The spans are positions in its decoded text.
fn corrected(
    settings: &Settings,
    report: &Report,
    path: &str,
    mut changes: Vec<(Span, &str)>,
) -> Result<Fixed> {
    let root = &settings.project.root;
    let file = ExternalFile::open(&root.join(path), root)?;
    let (old, is_exact) = decode(&file.bytes);
    if !is_exact {
        let reason = "it has bytes that are not valid in its encoding; save it as UTF-8";
        return Err(UserError::usage(reason).into());
    }
    if report
        .texts
        .get(path)
        .is_some_and(|checked| *checked != old)
    {
        return Err(external_file::edited(file.real_path()).into());
    }
    changes.sort_by_key(|(span, _)| (span.start, Reverse(span.end)));
    let mut text = String::with_capacity(old.len());
    let (mut at, mut n_changes) = (0, 0);
    for (span, new) in changes {
        if let (true, Some(between)) = (span.start >= at, old.get(at..span.start)) {
            text.push_str(between);
            text.push_str(new);
            at = span.end;
            n_changes += 1;
        }
    }
    text.push_str(&old[at..]);
    let old_text = old.into_owned();
    Ok(Fixed {
        path: path.to_owned(),
        old_text,
        new_text: text,
        n_changes,
        file,
    })
}

/// Returns the noun for what is written.
fn unit(args: &CheckArgs) -> &'static str {
    match args.with {
        Some(_) => "correction",
        None => "name",
    }
}
