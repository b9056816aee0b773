//! Findings of `reanchor` for machines that show them beside the code: GitHub's
//! workflow commands and SARIF 2.1.0.
//!
//! Each finding points at both ends: the code that is the example, and the memory it
//! is the example of.

use std::fmt::Write;

use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use crate::model::State;
use crate::ops::reanchor::{Finding, Report};
use crate::text;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Error,
    Warning,
    Notice,
}

impl Level {
    /// Returns the level of a finding, none where all is well.
    fn of(finding: &Finding) -> Option<Self> {
        match finding.state {
            _ if finding.drift => Some(Self::Error),
            State::Fresh | State::Reformatted => None,
            _ if finding.recorded => Some(Self::Warning),
            _ => Some(Self::Notice),
        }
    }
}

/// Returns the findings as GitHub workflow commands, a line for each end of each finding.
pub(crate) fn github(report: &Report) -> String {
    let mut text = String::new();
    for finding in &report.results {
        let Some(level) = Level::of(finding) else { continue };
        let command = match level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Notice => "notice",
        };
        for (file, first, last, message) in ends(finding) {
            let _ = writeln!(
                text,
                "::{command} file={},line={first},endLine={last},title={}::{}",
                property(&file),
                property(&format!("cerberus: {} {}", finding.id, finding.state)),
                data(&message)
            );
        }
    }
    text
}

/// Returns the places a finding speaks of, with what is to be said there.
fn ends(finding: &Finding) -> Vec<(String, u32, u32, String)> {
    let mut ends = Vec::new();
    let next = finding.next.as_ref().map(|next| format!(" Next: {next}")).unwrap_or_default();
    if let Some(new) = &finding.new {
        // The line that was changed, or all of the example where git does not tell.
        let line = finding.changed_line.or(new.start_line).unwrap_or(1);
        let last = finding.changed_line.or(new.end_line).unwrap_or(line);
        let message = format!("this is the example of `{}`: {}.{next}", finding.id, finding.reason);
        ends.push((new.file.clone(), line, last, message));
    }
    ends.push((finding.memory.clone(), 1, 1, format!("{}.{next}", finding.reason)));
    ends
}

/// Escapes the text of a workflow command, as GitHub's toolkit does, and what a log would obey.
fn data(text: &str) -> String {
    one_line(&text::escaped(text))
}

fn one_line(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a workflow command, which names a file as it is.
fn property(text: &str) -> String {
    one_line(text).replace(':', "%3A").replace(',', "%2C")
}

/// Returns the findings as a SARIF 2.1.0 log.
pub(crate) fn sarif(report: &Report) -> Value {
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
        .collect();
    let results: Vec<Value> = report.results.iter().filter_map(sarif_result).collect();
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

fn sarif_result(finding: &Finding) -> Option<Value> {
    let level = match Level::of(finding)? {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Notice => "note",
    };
    let mut places = ends(finding).into_iter().map(|(file, first, last, message)| {
        json!({
            "physicalLocation": {
                "artifactLocation": {"uri": uri(&file)},
                "region": {"startLine": first, "endLine": last},
            },
            "message": {"text": message},
        })
    });
    let first = places.next()?;
    let related: Vec<Value> = places.collect();
    // The memory and the state are what a finding is about, wherever the code goes.
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

/// Percent-encodes what may not stand in a relative URI reference (RFC 3986).
fn uri(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_break_a_workflow_command_is_escaped() {
        assert_eq!(data("50 %\nnext"), "50 %25%0Anext");
        assert_eq!(data("\u{1b}[2J\r::stop"), "\\u{1b}[2J\\u{d}::stop");
        assert_eq!(property("a:b,c"), "a%3Ab%2Cc");
    }

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("src/a b#1/ü.py"), "src/a%20b%231/%C3%BC.py");
    }
}
