//! Findings of `review-diff` as annotations for GitHub and SARIF.

use super::{Finding, Report};
use crate::commands::findings::{Annotation, Place, sarif_log, sarif_rule};
use crate::commands::prelude::*;

/// Returns an annotation for each finding.
pub(super) fn of(report: &Report) -> Vec<Annotation> {
    report.findings.iter().map(annotation).collect()
}

fn annotation(finding: &Finding) -> Annotation {
    let Finding { id, file, message, code, allow, .. } = finding;
    let example = finding.example.as_ref();
    let example = example.map(|it| format!(" Like this: {it}.")).unwrap_or_default();
    let message = format!("{message}{example} Or allow it: {allow}");
    Annotation {
        rule: id.clone(),
        severity: finding.severity,
        title: id.clone(),
        place: Place {
            file: file.clone(),
            line: Some(finding.line),
            end_line: Some(finding.end_line),
            column: Some(finding.column),
            message,
        },
        identity: ("cerberusPattern/v1", format!("{file}\0{id}\0{code}")),
    }
}

/// Returns the findings as a SARIF 2.1.0 log.
pub(super) fn sarif(report: &Report) -> Value {
    let rules: BTreeMap<&str, &str> =
        report.findings.iter().map(|it| (it.id.as_str(), it.message.as_str())).collect();
    sarif_log(rules.into_iter().map(sarif_rule), &of(report))
}
