//! Findings of `check` as annotations for GitHub and SARIF.

use std::fmt::Write;

use serde_json::Value;

use super::print::short_id;
use super::{Finding, Report};
use crate::commands::findings::{Annotation, Place, sarif_log, sarif_rule};
use cerberus_model::Severity;

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

/// Returns the findings as a SARIF 2.1.0 log.
pub(super) fn sarif(report: &Report) -> Value {
    sarif_log(RULES.iter().copied().map(sarif_rule), &of(report))
}

/// Returns an annotation for each finding, and for each outdated entry of the baseline.
pub(super) fn of(report: &Report) -> Vec<Annotation> {
    let findings = report.findings.iter().map(|finding| {
        let place = Place {
            file: finding.file.clone(),
            line: Some(finding.line),
            column: Some(finding.column),
            message: message(finding),
            ..Place::default()
        };
        let title = format!("{} is out of date", finding.check);
        Annotation {
            severity: finding.severity,
            title,
            ..annotation(finding.check, &finding.claim, place)
        }
    });
    let outdated = report.outdated.iter().map(|accepted| {
        let message =
            format!("`{}` is accepted by the baseline, but no longer found", accepted.claim);
        let place = Place { file: accepted.file.clone(), message, ..Place::default() };
        annotation("baseline", &accepted.claim, place)
    });
    findings.chain(outdated).collect()
}

fn annotation(rule: &str, claim: &str, place: Place) -> Annotation {
    Annotation {
        rule: rule.to_owned(),
        severity: Severity::Error,
        title: rule.to_owned(),
        identity: ("cerberusClaim/v1", format!("{}\0{rule}\0{claim}", place.file)),
        place,
    }
}

/// Returns a finding in one line.
fn message(finding: &Finding) -> String {
    let mut message = format!("`{}`: {}", finding.claim, finding.message);
    if let Some(removed) = &finding.removed {
        let id = short_id(removed);
        let _ = write!(message, ", since {id} of {}: {}", removed.date, removed.subject);
    }
    if let Some(now) = &finding.now {
        let _ = write!(message, ". Now `{now}`");
    }
    let _ = write!(message, ". Next: {}", finding.next);
    message
}
