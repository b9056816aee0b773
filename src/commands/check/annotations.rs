//! Findings of `check` as annotations for GitHub and SARIF.

use std::fmt::Write;

use super::print::short_id;
use super::{Finding, Report};
use crate::commands::findings::{Annotation, Place, sarif_log, sarif_rule};
use crate::commands::prelude::*;
use cerberus_model::text::word_list::lines;

/// Returns the findings as a SARIF 2.1.0 log.
pub(super) fn sarif(report: &Report) -> Value {
    let rules = lines(include_str!("rules.txt")).filter_map(|rule| rule.split_once('\t'));
    sarif_log(rules.map(sarif_rule), &of(report))
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
