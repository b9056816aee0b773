//! The findings of `check` and `review-diff` as GitHub workflow commands and as SARIF
//! 2.1.0.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use anyhow::Result;
use cerberus_bank::ops::Project;
use cerberus_bank::ops::memories::Memories;
use cerberus_engine::tree::git::past;
use cerberus_model::error::{ExitStatus, UserError};
use cerberus_model::{Severity, text};
use clap::ValueEnum;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use crate::output::{CliResult, Printer};

/// What is encoded in a path that is a relative URI reference (RFC 3986).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// Output formats of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FindingsFormat {
    /// Text for people
    Text,
    /// A JSON document
    Json,
    /// GitHub workflow commands, which annotate the files
    Github,
    /// SARIF 2.1.0
    Sarif,
}

/// Returns the format that `--format` or `--json` selects.
pub(super) fn format(typed: Option<FindingsFormat>, out: &Printer) -> Result<FindingsFormat> {
    use FindingsFormat::{Json, Text};
    let format = typed.unwrap_or(if out.json { Json } else { Text });
    if out.json && format != Json {
        return Err(
            UserError::usage("--json and --format specify different formats")
                .hint("use only one of them")
                .into(),
        );
    }
    Ok(format)
}

/// Returns the last common commit of HEAD and a revision.
pub(super) fn fork_point(root: &Path, revision: &str) -> Result<String> {
    past::fork_point(root, revision).ok_or_else(|| {
        UserError::environment(format!("failed to find the revision `{revision}`"))
            .hint("name a commit of this clone; a shallow clone may need `git fetch --unshallow`")
            .into()
    })
}

/// The parts of a request that could not be checked.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Unchecked {
    pub(crate) file: String,
    pub(crate) reason: String,
}

/// A report of findings that all formats can show.
pub(super) trait FindingsReport: Serialize {
    /// Returns whether the check passed, what could not be checked, and the warnings.
    fn state(&self) -> (bool, &[Unchecked], &[String]);

    fn annotations(&self) -> Vec<Annotation>;

    /// Returns the ids of rules with their texts.
    fn rules(&self) -> BTreeMap<&str, &str>;
}

/// Prints a report in a format, where `text` prints the one for people. What was not checked is worse than a
/// finding.
pub(super) fn print(
    report: &impl FindingsReport,
    format: FindingsFormat,
    out: &mut Printer,
    text: impl FnOnce(&mut Printer),
) -> CliResult {
    let (is_passed, unchecked, warnings) = report.state();
    if matches!(format, FindingsFormat::Text | FindingsFormat::Github) {
        out.warn(warnings);
    }
    match format {
        FindingsFormat::Json => out.json(report)?,
        FindingsFormat::Github => print_github(&report.annotations(), out),
        FindingsFormat::Sarif => out.json(&sarif_log(report))?,
        FindingsFormat::Text => text(out),
    }
    print_unchecked(unchecked, format, out);
    Ok(match unchecked {
        [] => ExitStatus::of_check(is_passed),
        _ => ExitStatus::Environment,
    })
}

/// Returns the memories that could not be read.
pub(super) fn unread_memories(project: &Project, memories: &Memories) -> Vec<Unchecked> {
    let bank = project.bank.shown_path("", &project.root);
    let file = bank.trim_end_matches('/');
    let unread = memories.unread.iter().cloned();
    unread
        .map(|reason| Unchecked {
            file: file.to_owned(),
            reason,
        })
        .collect()
}

/// Prints what was not checked, as warnings of the GitHub format or on stderr.
pub(super) fn print_unchecked(unchecked: &[Unchecked], format: FindingsFormat, out: &mut Printer) {
    for Unchecked { file, reason } in unchecked {
        match format {
            FindingsFormat::Json => {}
            FindingsFormat::Github => {
                let file = command_property(file);
                let reason = command_data(reason);
                out.code(&out.safe(&format!(
                    "::warning file={file},title=cerberus%3A not checked::{reason}"
                )));
            }
            FindingsFormat::Text | FindingsFormat::Sarif => {
                out.warn(&[format!("not checked in `{file}`: {reason}")]);
            }
        }
    }
}

/// A finding in the terms of GitHub and SARIF. Lines and columns are counted from 1.
#[derive(Default)]
pub(super) struct Annotation {
    pub(super) rule: String,
    pub(super) severity: Severity,
    /// The title in GitHub, without the name of the program.
    pub(super) title: String,
    pub(super) file: String,
    /// Line and column.
    pub(super) position: Option<(usize, usize)>,
    pub(super) end_line: Option<usize>,
    pub(super) message: String,
    /// The name of the fingerprint, and what identifies the finding when lines above it change.
    pub(super) identity: (&'static str, String),
}

/// Prints annotations as GitHub workflow commands.
fn print_github(annotations: &[Annotation], out: &mut Printer) {
    for annotation in annotations {
        let command = match annotation.severity {
            Severity::Hint | Severity::Note => "notice",
            severity => severity.as_str(),
        };
        let title = command_property(&format!("cerberus: {}", annotation.title));
        let mut line = format!("::{command} file={}", command_property(&annotation.file));
        let (first, column) = annotation.position.unzip();
        let numbers = [
            ("line", first),
            ("endLine", annotation.end_line),
            ("col", column),
        ];
        for (name, number) in numbers {
            if let Some(number) = number {
                let _ = write!(line, ",{name}={number}");
            }
        }
        let _ = write!(
            line,
            ",title={title}::{}",
            command_data(&annotation.message)
        );
        out.code(&out.safe(&line));
    }
}

fn sarif_log(report: &impl FindingsReport) -> Value {
    let rule = |(id, text)| json!({"id": id, "shortDescription": {"text": text}});
    let rules: Vec<Value> = report.rules().into_iter().map(rule).collect();
    let results: Vec<Value> = report.annotations().iter().map(sarif_result).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "cerberus",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn sarif_result(annotation: &Annotation) -> Value {
    let level = match annotation.severity {
        Severity::Hint => Severity::Note,
        severity => severity,
    };
    let uri = utf8_percent_encode(&annotation.file, ENCODED).to_string();
    let mut location = json!({"artifactLocation": {"uri": uri}});
    if let Some((line, column)) = annotation.position {
        location["region"] = json!({"startLine": line, "startColumn": column});
    }
    let (name, identity) = &annotation.identity;
    let hash = xxh3_64(identity.as_bytes());
    json!({
        "ruleId": annotation.rule,
        "level": level.as_str(),
        "message": {"text": annotation.message},
        "locations": [{"physicalLocation": location}],
        "partialFingerprints": {*name: format!("{hash:016x}")},
    })
}

/// Escapes the message of a workflow command as GitHub's toolkit does, and control characters.
fn command_data(text: &str) -> String {
    one_line(&text::escaped(text))
}

fn one_line(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes a property of a workflow command. Control characters stay, because it may be a path.
fn command_property(text: &str) -> String {
    one_line(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_workflow_commands() {
        assert_eq!(command_data("50 %\nnext"), "50 %25%0Anext");
        assert_eq!(command_data("\u{1b}[2J\r::stop"), "\\u{1b}[2J\\u{d}::stop");
        assert_eq!(command_property("a:b,c"), "a%3Ab%2Cc");
    }

    #[test]
    fn percent_encodes_paths() {
        let uri = utf8_percent_encode("src/a b#1/ü.py", ENCODED).to_string();
        assert_eq!(uri, "src/a%20b%231/%C3%BC.py");
    }
}
