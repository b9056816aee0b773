//! Findings of `reanchor` as GitHub workflow commands and as SARIF 2.1.0.
//!
//! Each finding annotates two locations: the example and its memory.

use std::fmt::Write;

use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use super::{Finding, Report};
use crate::commands::annotations::{
    self, SarifResult, command_data, command_property, sarif_log, uri,
};
use crate::model::State;

/// Returns the severity of a finding for GitHub and for SARIF, or `None` if it needs no attention.
fn severity(finding: &Finding) -> Option<(&'static str, &'static str)> {
    match finding.state {
        _ if finding.drift => Some(("error", "error")),
        State::Fresh | State::Reformatted => None,
        _ if finding.written => Some(("warning", "warning")),
        _ => Some(("notice", "note")),
    }
}

/// Returns the findings as GitHub workflow commands, one line per location.
pub(super) fn github(report: &Report) -> String {
    let mut text = String::new();
    for finding in &report.results {
        let Some((command, _)) = severity(finding) else { continue };
        for (file, first, last, message) in locations(finding) {
            let _ = writeln!(
                text,
                "::{command} file={},line={first},endLine={last},title={}::{}",
                command_property(&file),
                command_property(&format!("cerberus: {} {}", finding.id, finding.state)),
                command_data(&message)
            );
        }
    }
    for fault in &report.patterns {
        let _ = writeln!(
            text,
            "::error file={},line=1,title={}::{}",
            command_property(&fault.memory),
            command_property(&format!("cerberus: {} pattern", fault.id)),
            command_data(&fault.message)
        );
    }
    text
}

/// Returns the locations of a finding: file, first line, last line and message.
fn locations(finding: &Finding) -> Vec<(String, u32, u32, String)> {
    let mut locations = Vec::new();
    let next = finding.next.as_ref().map(|next| format!(" Next: {next}")).unwrap_or_default();
    if let Some(new) = &finding.new {
        // The changed line if git knows it, otherwise all lines of the example.
        let line = finding.changed_line.or(new.start_line).unwrap_or(1);
        let last = finding.changed_line.or(new.end_line).unwrap_or(line);
        let message = format!("this is the example of `{}`: {}.{next}", finding.id, finding.reason);
        locations.push((new.file.clone(), line, last, message));
    }
    locations.push((finding.memory.clone(), 1, 1, format!("{}.{next}", finding.reason)));
    locations
}

/// Returns the findings as a SARIF 2.1.0 log.
pub(super) fn sarif(report: &Report) -> Value {
    let rules: Vec<Value> = State::ALL
        .iter()
        .filter(|state| !matches!(state, State::Fresh | State::Reformatted))
        .map(|state| {
            json!({
                "id": format!("anchor-{state}"),
                "shortDescription": {"text": format!("the example of a rule is {state}")},
                "helpUri": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html",
            })
        })
        .chain([json!({
            "id": "pattern",
            "shortDescription": {"text": "the pattern of a rule contradicts its examples"},
        })])
        .collect();
    let faults = report.patterns.iter().map(|fault| {
        annotations::sarif_result(&SarifResult {
            rule: "pattern",
            level: "error",
            file: &fault.memory,
            place: None,
            text: &format!("`{}`: {}", fault.id, fault.message),
            identity: ("cerberusPattern/v1", &fault.id),
        })
    });
    let results: Vec<Value> =
        report.results.iter().filter_map(sarif_result).chain(faults).collect();
    sarif_log(&rules, &results)
}

fn sarif_result(finding: &Finding) -> Option<Value> {
    let (_, level) = severity(finding)?;
    let mut locations = locations(finding).into_iter().map(|(file, first, last, message)| {
        json!({
            "physicalLocation": {
                "artifactLocation": {"uri": uri(&file)},
                "region": {"startLine": first, "endLine": last},
            },
            "message": {"text": message},
        })
    });
    let first = locations.next()?;
    let related: Vec<Value> = locations.collect();
    // The fingerprint does not depend on the location of the code.
    let identity = xxh3_64(format!("{}\0{}", finding.id, finding.state).as_bytes());
    Some(json!({
        "ruleId": format!("anchor-{}", finding.state),
        "level": level,
        "message": {"text": format!("`{}`: {}", finding.id, finding.reason)},
        "locations": [first],
        "relatedLocations": related,
        "partialFingerprints": {"cerberusAnchor/v1": format!("{identity:016x}")},
    }))
}
