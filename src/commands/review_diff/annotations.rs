//! Findings of `review-diff` as annotations for GitHub and SARIF.

use std::collections::BTreeMap;

use crate::commands::added_code::{Finding, Report};
use crate::commands::findings::{Annotation, FindingsReport, Unchecked};

impl FindingsReport for Report {
    fn state(&self) -> (bool, &[Unchecked], &[String]) {
        (self.ok, &self.unchecked, &self.warnings)
    }

    fn annotations(&self) -> Vec<Annotation> {
        self.findings.iter().map(annotation).collect()
    }

    fn rules(&self) -> BTreeMap<&str, &str> {
        let mut rules = BTreeMap::new();
        for finding in &self.findings {
            rules.insert(finding.id.as_str(), finding.message.as_str());
        }
        rules
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
    let example = match &finding.example {
        Some(example) => format!(" Like this: {example}."),
        None => String::new(),
    };
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
