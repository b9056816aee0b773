//! Findings of `check` as annotations for GitHub and SARIF.

use std::collections::BTreeMap;
use std::fmt::Write;

use cerberus_model::Severity;
use cerberus_model::text::word_list::lines;

use super::finding::Class;
use super::print::short_id;
use super::{Finding, Report};
use crate::commands::findings::{Annotation, FindingsReport, Unchecked};

impl FindingsReport for Report {
    fn state(&self) -> (bool, &[Unchecked], &[String]) {
        (self.ok, &self.unchecked, &self.warnings)
    }

    fn annotations(&self) -> Vec<Annotation> {
        let findings = self.findings.iter().map(|it| Annotation {
            severity: it.severity,
            title: title(it),
            position: Some((it.line, it.column)),
            message: message(it),
            ..annotation(it.check.as_str(), &it.file, &it.claim)
        });
        let outdated = self.outdated.iter().map(|it| Annotation {
            title: "baseline".to_owned(),
            message: format!(
                "`{}` is accepted by the baseline, but no longer found",
                it.claim
            ),
            ..annotation("baseline", &it.file, &it.claim)
        });
        findings.chain(outdated).collect()
    }

    fn rules(&self) -> BTreeMap<&str, &str> {
        lines(include_str!("rules.txt"))
            .filter_map(|rule| rule.split_once('\t'))
            .collect()
    }
}

fn annotation(rule: &str, file: &str, claim: &str) -> Annotation {
    Annotation {
        rule: rule.to_owned(),
        file: file.to_owned(),
        identity: ("cerberusClaim/v1", format!("{file}\0{rule}\0{claim}")),
        ..Annotation::default()
    }
}

/// Returns the title of a finding.
fn title(finding: &Finding) -> String {
    let check = finding.check.as_str();
    match (finding.severity, finding.class) {
        (_, Class::Mistaken) => format!("{check} was never there"),
        (Severity::Warning, _) => format!("{check} may be out of date"),
        _ => format!("{check} is out of date"),
    }
}

/// Returns a finding in one line.
fn message(finding: &Finding) -> String {
    let mut message = format!("`{}`: {}", finding.claim, finding.message);
    if let Some(removed) = &finding.removed {
        let id = short_id(removed);
        let _ = write!(
            message,
            ", since {id} of {}: {}",
            removed.date, removed.subject
        );
    }
    if let Some(now) = &finding.now {
        let _ = write!(message, ". Now `{now}`");
    }
    if let Some(doubt) = finding.doubt {
        let _ = write!(message, ". Only likely: {doubt}");
    }
    let _ = write!(message, ". Next: {}", finding.next);
    message
}
