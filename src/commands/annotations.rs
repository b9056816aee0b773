//! The parts of GitHub workflow commands and of SARIF 2.1.0 that several commands share.

use std::fmt::Write;

use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use crate::text;

/// Escapes the message of a workflow command as GitHub's toolkit does, and control characters.
pub(super) fn command_data(text: &str) -> String {
    one_line(&text::escaped(text))
}

fn one_line(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a workflow command. Control characters stay, because it may be a path.
pub(super) fn command_property(text: &str) -> String {
    one_line(text).replace(':', "%3A").replace(',', "%2C")
}

/// Returns a SARIF 2.1.0 log.
pub(super) fn sarif_log(rules: &[Value], results: &[Value]) -> Value {
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

/// A result for SARIF.
pub(super) struct SarifResult<'a> {
    pub(super) rule: &'a str,
    pub(super) level: &'a str,
    pub(super) file: &'a str,
    /// Line and column, from 1.
    pub(super) place: Option<(usize, usize)>,
    pub(super) text: &'a str,
    /// The name of the fingerprint, and what identifies the result in its file.
    pub(super) identity: (&'a str, &'a str),
}

/// Returns a result of a SARIF log. Its fingerprint does not depend on the line.
pub(super) fn sarif_result(result: &SarifResult<'_>) -> Value {
    let SarifResult { rule, level, file, place, text, identity: (name, identity) } = result;
    let mut location = json!({"artifactLocation": {"uri": uri(file)}});
    if let Some((line, column)) = place {
        location["region"] = json!({"startLine": line, "startColumn": column});
    }
    let hash = xxh3_64(format!("{file}\0{rule}\0{identity}").as_bytes());
    json!({
        "ruleId": rule,
        "level": level,
        "message": {"text": text},
        "locations": [{"physicalLocation": location}],
        "partialFingerprints": {*name: format!("{hash:016x}")},
    })
}

/// Percent-encodes a path as a relative URI reference (RFC 3986).
pub(super) fn uri(path: &str) -> String {
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
    fn escapes_workflow_commands() {
        assert_eq!(command_data("50 %\nnext"), "50 %25%0Anext");
        assert_eq!(command_data("\u{1b}[2J\r::stop"), "\\u{1b}[2J\\u{d}::stop");
        assert_eq!(command_property("a:b,c"), "a%3Ab%2Cc");
    }

    #[test]
    fn percent_encodes_paths() {
        assert_eq!(uri("src/a b#1/ü.py"), "src/a%20b%231/%C3%BC.py");
    }
}
