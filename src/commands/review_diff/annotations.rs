//! Findings of `review-diff` as GitHub workflow commands and as SARIF 2.1.0.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value, json};

use super::{Finding, Report, Severity};
use crate::commands::annotations::{
    SarifResult, command_data, command_property, sarif_log, sarif_result,
};

/// Returns the findings as GitHub workflow commands, one line each.
pub(super) fn github(report: &Report) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        let command = if finding.severity == Severity::Error { "error" } else { "notice" };
        let _ = writeln!(
            text,
            "::{command} file={},line={},endLine={},col={},title={}::{}",
            command_property(&finding.file),
            finding.line,
            finding.end_line,
            finding.column,
            command_property(&format!("cerberus: {}", finding.id)),
            command_data(&message(finding)),
        );
    }
    text
}

fn message(finding: &Finding) -> String {
    let example = finding.example.as_ref();
    let example = example.map(|it| format!(" Like this: {it}.")).unwrap_or_default();
    format!("{}{example} Or allow it: {}", finding.message, finding.allow)
}

/// Returns the findings as a SARIF 2.1.0 log.
pub(super) fn sarif(report: &Report) -> Value {
    let rules: BTreeMap<&str, &str> =
        report.findings.iter().map(|it| (it.id.as_str(), it.message.as_str())).collect();
    let rules: Vec<Value> = rules
        .iter()
        .map(|(id, text)| json!({"id": id, "shortDescription": {"text": text}}))
        .collect();
    let results = report.findings.iter().map(|finding| {
        sarif_result(&SarifResult {
            rule: &finding.id,
            level: if finding.severity == Severity::Error { "error" } else { "note" },
            file: &finding.file,
            place: Some((finding.line, finding.column)),
            text: &message(finding),
            identity: ("cerberusPattern/v1", &finding.code),
        })
    });
    sarif_log(&rules, &results.collect::<Vec<_>>())
}
