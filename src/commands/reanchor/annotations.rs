//! Findings of `reanchor` as annotations for GitHub and SARIF.
//!
//! Each finding annotates two places: the example and its memory.

use serde_json::{Value, json};

use super::{Finding, PatternFault, Report};
use crate::commands::findings::{Annotation, Place, Severity, sarif_log, sarif_rule};
use cerberus_model::State;

/// Returns the severity of a finding, or `None` if it needs no attention.
fn severity(finding: &Finding) -> Option<Severity> {
    match finding.state {
        _ if finding.drift => Some(Severity::Error),
        State::Fresh | State::Reformatted => None,
        _ if finding.written => Some(Severity::Warning),
        _ => Some(Severity::Note),
    }
}

/// Returns an annotation for each finding that needs attention, and for each wrong pattern.
pub(super) fn of(report: &Report) -> Vec<Annotation> {
    let findings = report.results.iter().filter_map(of_finding);
    findings.chain(report.patterns.iter().map(of_fault)).collect()
}

fn of_finding(finding: &Finding) -> Option<Annotation> {
    let Finding { id, state, reason, .. } = finding;
    Some(Annotation {
        rule: format!("anchor-{state}"),
        severity: severity(finding)?,
        title: format!("{id} {state}"),
        text: format!("`{id}`: {reason}"),
        places: places(finding),
        has_related: true,
        // The fingerprint does not depend on the location of the code.
        identity: ("cerberusAnchor/v1", format!("{id}\0{state}")),
    })
}

fn of_fault(fault: &PatternFault) -> Annotation {
    let PatternFault { id, memory, message } = fault;
    let (file, message) = (memory.clone(), message.clone());
    Annotation {
        rule: "pattern".to_owned(),
        severity: Severity::Error,
        title: format!("{id} pattern"),
        text: format!("`{id}`: {message}"),
        places: vec![Place { file, line: Some(1), message, ..Place::default() }],
        has_related: false,
        identity: ("cerberusPattern/v1", format!("{memory}\0pattern\0{id}")),
    }
}

/// Returns the places of a finding: its example, if it has one, and its memory.
fn places(finding: &Finding) -> Vec<Place> {
    let place = |file: &str, line: u32, end_line: u32, message: String| Place {
        file: file.to_owned(),
        line: usize::try_from(line).ok(),
        end_line: usize::try_from(end_line).ok(),
        message,
        ..Place::default()
    };
    let next = finding.next.as_ref().map(|next| format!(" Next: {next}")).unwrap_or_default();
    let example = finding.new.as_ref().map(|new| {
        // The changed line if git knows it, otherwise all lines of the example.
        let line = finding.changed_line.or(new.start_line).unwrap_or(1);
        let last = finding.changed_line.or(new.end_line).unwrap_or(line);
        let message = format!("this is the example of `{}`: {}.{next}", finding.id, finding.reason);
        place(&new.file, line, last, message)
    });
    let memory = place(&finding.memory, 1, 1, format!("{}.{next}", finding.reason));
    example.into_iter().chain([memory]).collect()
}

/// Returns the findings as a SARIF 2.1.0 log.
pub(super) fn sarif(report: &Report) -> Value {
    let states = State::ALL.iter().filter(|it| !matches!(it, State::Fresh | State::Reformatted));
    let states = states.map(|state| {
        let text = format!("the example of a rule is {state}");
        let mut rule = sarif_rule((&format!("anchor-{state}"), &text));
        rule["helpUri"] = json!("https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html");
        rule
    });
    let pattern = sarif_rule(("pattern", "the pattern of a rule contradicts its examples"));
    sarif_log(states.chain([pattern]), &of(report))
}
