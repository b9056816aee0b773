//! `check --fix`: writes the new names of what was followed with certainty. Only the bytes of a
//! name change, and only in a document that still has the text that was checked.

use super::{CheckArgs, Report, print};
use crate::commands::confirm;
use crate::commands::findings::{self, FindingsFormat};
use crate::commands::prelude::*;
use cerberus_bank::external_file::{self, ExternalFile};
use cerberus_model::text::Span;

/// A document with its new text.
struct Fixed {
    path: String,
    file: ExternalFile,
    text: String,
    n_changes: usize,
}

pub(super) fn run(
    args: &CheckArgs,
    settings: &Settings,
    report: &Report,
    out: &mut Printer,
) -> CliResult {
    let fixed = plan(settings, report)?;
    if fixed.is_empty() {
        out.line("nothing can be corrected with certainty");
        out.line("");
        return rest(args, settings, out);
    }
    for document in &fixed {
        let new = document.text.as_bytes();
        let text = confirm::diff(&document.path, &document.file.bytes, new);
        for line in text.lines() {
            out.line(&out.safe(line));
        }
    }
    let n_changes = plural(fixed.iter().map(|document| document.n_changes).sum(), "name");
    if !args.yes {
        if !confirm::is_possible(out) {
            out.flush()?;
            return Err(UserError::check(format!(
                "{n_changes} not written, because nobody can be asked"
            ))
            .hint("write them: cerberus check --fix --yes")
            .into());
        }
        if !confirm::ask(&format!("write {n_changes}?"), out)? {
            out.line("nothing was written");
            return Ok(ExitStatus::CheckFailed);
        }
    }
    write(settings, &fixed)?;
    out.line(&format!("wrote {n_changes} in {}", plural(fixed.len(), "document")));
    out.line("");
    rest(args, settings, out)
}

/// Writes the documents, or none if one was edited since it was checked. Memories are written under
/// the write lock of the bank.
fn write(settings: &Settings, fixed: &[Fixed]) -> Result<()> {
    let bank = &settings.project.bank;
    let folder = bank.folder().canonicalize().ok();
    let is_memory =
        |it: &Fixed| folder.as_ref().is_some_and(|bank| it.file.real_path().starts_with(bank));
    let _guard = fixed.iter().any(is_memory).then(|| bank.lock_for_writing()).transpose()?;
    let files = fixed.iter().map(|it| (&it.file, Some(it.text.as_bytes())));
    external_file::write_all(&files.collect::<Vec<_>>())
}

/// Reports what remains.
fn rest(args: &CheckArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let args = CheckArgs { fix: false, format: Some(FindingsFormat::Text), ..args.clone() };
    let mut report = super::check(&args, settings)?;
    report.findings.retain(|finding| args.all || finding.severity == Severity::Error);
    // They were printed before the correction.
    report.warnings.clear();
    findings::print(&report, FindingsFormat::Text, out, |out| print::report(&report, &args, out))
}

/// Returns the documents that change.
fn plan(settings: &Settings, report: &Report) -> Result<Vec<Fixed>> {
    let root = &settings.project.root;
    let mut by_file: BTreeMap<&str, Vec<(Span, &str)>> = BTreeMap::new();
    for finding in &report.findings {
        let changes = finding.spans.iter().filter_map(|(span, new)| Some((*span, new.as_deref()?)));
        let changes: Vec<_> = changes.collect();
        if !changes.is_empty() {
            by_file.entry(&finding.file).or_default().extend(changes);
        }
    }
    let mut fixed = Vec::new();
    for (path, mut changes) in by_file {
        let file = ExternalFile::open(&root.join(path), root)?;
        // The positions of another encoding are not those of the bytes.
        let Ok(old) = std::str::from_utf8(&file.bytes) else { continue };
        if report.texts.get(path).is_some_and(|checked| checked != old) {
            return Err(external_file::edited(file.real_path()).into());
        }
        changes.sort_by_key(|(span, _)| *span);
        let (mut text, mut at, mut n_changes) = (String::with_capacity(old.len()), 0, 0);
        for (span, new) in changes {
            if let (true, Some(between)) = (span.start >= at, old.get(at..span.start)) {
                text.push_str(between);
                text.push_str(new);
                at = span.end;
                n_changes += 1;
            }
        }
        text.push_str(&old[at..]);
        fixed.push(Fixed { path: path.to_owned(), text, n_changes, file });
    }
    Ok(fixed)
}
