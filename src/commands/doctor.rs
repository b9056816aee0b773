//! `cerberus doctor`.

use anyhow::Result;

use crate::config;
use crate::config::GlobalArgs;
use crate::error::ExitStatus;
use crate::ops::doctor::{self, Report, Severity};
use crate::output::{BAD, FAINT, GOOD, NAME, ODD, Printer};

pub(crate) fn run(global: &GlobalArgs, out: &mut Printer) -> Result<ExitStatus> {
    let (settings, request) = config::check(global)?;
    let report = doctor::doctor(&settings.project, request);
    if out.json {
        out.document(&report)?;
    } else if report.findings.is_empty() {
        let checks = out.safe(&report.checks.join(", "));
        out.line(&format!("{}; checked {checks}", out.painted(GOOD, "no problems found")));
    } else if out.terminal.out_is_terminal {
        print_findings(&report, out);
    } else {
        let findings = report.findings.iter();
        let rows: Vec<Vec<String>> = findings
            .map(|it| {
                let (severity, check) = (it.severity.as_str().to_owned(), it.check.to_owned());
                vec![severity, check, it.message.clone(), it.next.clone()]
            })
            .collect();
        out.rows(&["severity", "check", "finding", "next"], &rows);
    }
    Ok(match report.worst() {
        None | Some(Severity::Info) => ExitStatus::Done,
        Some(Severity::Error) => ExitStatus::CheckFailed,
        Some(Severity::Unchecked) => ExitStatus::Environment,
    })
}

/// Prints each finding with its next step below it.
fn print_findings(report: &Report, out: &mut Printer) {
    for finding in &report.findings {
        let style = match finding.severity {
            Severity::Unchecked => BAD,
            Severity::Error => ODD,
            Severity::Info => FAINT,
        };
        let severity = out.painted(style, &format!("{:<9}", finding.severity.as_str()));
        out.line(&format!("{severity} {}: {}", finding.check, out.safe(&finding.message)));
        out.line(&format!("          next: {}", out.styled(NAME, &finding.next)));
    }
    let root = out.safe(&report.root);
    let checks = out.safe(&report.checks.join(", "));
    out.line(&out.painted(FAINT, &format!("checked {checks}")));
    out.line(&out.painted(FAINT, &format!("project {root}: {}", report.root_source)));
}
