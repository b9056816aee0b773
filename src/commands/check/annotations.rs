//! Findings of `check` as GitHub workflow commands and as SARIF 2.1.0.

use std::fmt::Write;

use serde_json::{Value, json};

use super::{Finding, Report, Severity};
use crate::commands::annotations::{
    SarifResult, command_data, command_property, sarif_log, sarif_result,
};

/// The rules that results refer to, with what a finding means.
const RULES: &[(&str, &str)] = &[
    ("path", "a path that no longer exists"),
    ("link", "a link whose target no longer exists"),
    ("symbol", "a symbol that the code no longer has"),
    ("command", "a command that no manifest defines any more"),
    ("variable", "a variable that the code no longer uses"),
    ("dependency", "a package that is no longer a dependency"),
    ("version", "a version that the manifests no longer require"),
    ("anchor", "a rule whose example is out of date"),
    ("memoryLink", "a link of a memory whose target does not exist"),
    ("block", "a managed block that is out of date"),
    ("import", "a document whose rules differ from the bank"),
    ("baseline", "an accepted finding that no longer exists"),
];

/// Returns the findings as GitHub workflow commands, one line each.
pub(super) fn github(report: &Report) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        let command = if finding.severity == Severity::Error { "error" } else { "notice" };
        let _ = writeln!(
            text,
            "::{command} file={},line={},col={},title={}::{}",
            command_property(&finding.file),
            finding.line,
            finding.column,
            command_property(&format!("cerberus: {} is out of date", finding.check)),
            command_data(&message(finding)),
        );
    }
    for accepted in &report.outdated {
        let message =
            format!("`{}` is accepted by the baseline, but no longer found", accepted.claim);
        let file = command_property(&accepted.file);
        let _ = writeln!(
            text,
            "::error file={file},title=cerberus%3A baseline::{}",
            command_data(&message)
        );
    }
    text
}

/// Returns a finding in one line.
fn message(finding: &Finding) -> String {
    let mut message = format!("`{}`: {}", finding.claim, finding.message);
    if let Some(removed) = &finding.removed {
        let id: String = removed.id.chars().take(10).collect();
        let _ = write!(message, ", since {id} of {}: {}", removed.date, removed.subject);
    }
    if let Some(now) = &finding.now {
        let _ = write!(message, ". Now `{now}`");
    }
    let _ = write!(message, ". Next: {}", finding.next);
    message
}

/// Returns the findings as a SARIF 2.1.0 log.
pub(super) fn sarif(report: &Report) -> Value {
    let rules: Vec<Value> = RULES
        .iter()
        .map(|(id, text)| json!({"id": id, "shortDescription": {"text": text}}))
        .collect();
    let outdated = report.outdated.iter().map(|accepted| {
        let text = format!("`{}` is accepted by the baseline, but no longer found", accepted.claim);
        result("baseline", "error", &accepted.file, None, &text, &accepted.claim)
    });
    let results = report.findings.iter().map(|finding| {
        let level = if finding.severity == Severity::Error { "error" } else { "note" };
        let place = Some((finding.line, finding.column));
        result(finding.check, level, &finding.file, place, &message(finding), &finding.claim)
    });
    sarif_log(&rules, &results.chain(outdated).collect::<Vec<_>>())
}

fn result(
    rule: &str,
    level: &str,
    file: &str,
    place: Option<(usize, usize)>,
    text: &str,
    claim: &str,
) -> Value {
    let identity = ("cerberusClaim/v1", claim);
    sarif_result(&SarifResult { rule, level, file, place, text, identity })
}
