//! Findings of `review-diff` as annotations for GitHub and SARIF.

use std::collections::BTreeMap;

use super::{Finding, Report};
use crate::commands::findings::{Annotation, FindingsReport, Unchecked};

impl FindingsReport for Report {
    fn state(&self) -> (bool, &[Unchecked], &[String]) {
        (self.ok, &self.unchecked, &self.warnings)
    }

    fn annotations(&self) -> Vec<Annotation> {
        self.findings.iter().map(annotation).collect()
    }

    fn rules(&self) -> BTreeMap<&str, &str> {
        self.findings
            .iter()
            .map(|it| (it.id.as_str(), it.message.as_str()))
            .collect()
    }
}

fn annotation(finding: &Finding) -> Annotation {
    let Finding {
        id,
        file,
        message,
        code,
        allow,
        ..
    } = finding;
    let example = finding.example.as_ref();
    let example = example
        .map(|it| format!(" Like this: {it}."))
        .unwrap_or_default();
    Annotation {
        rule: id.clone(),
        severity: finding.severity,
        title: id.clone(),
        file: file.clone(),
        position: Some((finding.line, finding.column)),
        end_line: Some(finding.end_line),
        message: format!("{message}{example} Or allow it: {allow}"),
        identity: ("cerberusPattern/v1", format!("{file}\0{id}\0{code}")),
    }
}
