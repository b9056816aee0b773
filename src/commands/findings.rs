//! The findings of `check` and `review-diff` as GitHub workflow commands and as SARIF
//! 2.1.0.

use std::fmt::Write;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use xxhash_rust::xxh3::xxh3_64;

use crate::commands::prelude::*;
use cerberus_engine::tree::git::past;

/// What is encoded in a path that is a relative URI reference (RFC 3986).
const ENCODED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

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
        return Err(UserError::usage("--json and --format specify different formats")
            .hint("use only one of them")
            .into());
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

/// Returns the exit status of a check. What was not checked is worse than a finding.
pub(super) fn status(is_passed: bool, unchecked: &[Unchecked]) -> ExitStatus {
    match unchecked {
        [] => ExitStatus::of_check(is_passed),
        _ => ExitStatus::Environment,
    }
}

/// Prints what was not checked, as warnings of the GitHub format or on stderr.
pub(super) fn print_unchecked(unchecked: &[Unchecked], format: FindingsFormat, out: &mut Printer) {
    for Unchecked { file, reason } in unchecked {
        match format {
            FindingsFormat::Json => {}
            FindingsFormat::Github => {
                let (file, reason) = (command_property(file), command_data(reason));
                out.line(&out.safe(&format!(
                    "::warning file={file},title=cerberus%3A not checked::{reason}"
                )));
            }
            FindingsFormat::Text | FindingsFormat::Sarif => {
                out.warn(&[format!("not checked in `{file}`: {reason}")]);
            }
        }
    }
}

/// A finding in the terms of GitHub and SARIF.
pub(super) struct Annotation {
    pub(super) rule: String,
    pub(super) severity: Severity,
    /// The title in GitHub, without the name of the program.
    pub(super) title: String,
    pub(super) place: Place,
    /// The name of the fingerprint, and what identifies the finding when lines above it change.
    pub(super) identity: (&'static str, String),
}

/// A place of a finding. Lines and columns are counted from 1.
#[derive(Default)]
pub(super) struct Place {
    pub(super) file: String,
    pub(super) line: Option<usize>,
    pub(super) end_line: Option<usize>,
    pub(super) column: Option<usize>,
    /// The message of the finding.
    pub(super) message: String,
}

impl Place {
    /// Returns the location in SARIF. Its region is a position, or whole lines.
    fn sarif(&self) -> Value {
        let uri = utf8_percent_encode(&self.file, ENCODED).to_string();
        let mut location = json!({"artifactLocation": {"uri": uri}});
        match (self.line, self.column, self.end_line) {
            (Some(line), Some(column), _) => {
                location["region"] = json!({"startLine": line, "startColumn": column});
            }
            (Some(line), None, Some(end)) => {
                location["region"] = json!({"startLine": line, "endLine": end});
            }
            _ => {}
        }
        json!({"physicalLocation": location})
    }
}

/// Prints annotations as GitHub workflow commands.
pub(super) fn print_github(annotations: &[Annotation], out: &mut Printer) {
    for annotation in annotations {
        let command = match annotation.severity {
            Severity::Hint | Severity::Note => "notice",
            severity => severity.as_str(),
        };
        let title = command_property(&format!("cerberus: {}", annotation.title));
        let place = &annotation.place;
        let mut line = format!("::{command} file={}", command_property(&place.file));
        let numbers = [("line", place.line), ("endLine", place.end_line), ("col", place.column)];
        for (name, number) in numbers {
            if let Some(number) = number {
                let _ = write!(line, ",{name}={number}");
            }
        }
        let _ = write!(line, ",title={title}::{}", command_data(&place.message));
        out.line(&out.safe(&line));
    }
}

/// Returns a rule of a SARIF log.
pub(super) fn sarif_rule((id, text): (&str, &str)) -> Value {
    json!({"id": id, "shortDescription": {"text": text}})
}

/// Returns a SARIF 2.1.0 log.
pub(super) fn sarif_log(rules: impl Iterator<Item = Value>, annotations: &[Annotation]) -> Value {
    let rules: Vec<Value> = rules.collect();
    let results: Vec<Value> = annotations.iter().map(sarif_result).collect();
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
    let (name, identity) = &annotation.identity;
    let hash = xxh3_64(identity.as_bytes());
    json!({
        "ruleId": annotation.rule,
        "level": level.as_str(),
        "message": {"text": annotation.place.message},
        "locations": [annotation.place.sarif()],
        "partialFingerprints": {*name: format!("{hash:016x}")},
    })
}

/// Escapes the message of a workflow command as GitHub's toolkit does, and control characters.
fn command_data(text: &str) -> String {
    one_line(&text::escaped(text))
}

fn one_line(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
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
