//! `cerberus doctor`.

use anyhow::Result;

use crate::config;
use crate::config::GlobalArgs;
use crate::error::ExitStatus;
use crate::ops::doctor::{self, Report, Severity};
use crate::output::{DIM, ERROR, NAME, OK, Printer, WARN};

pub(crate) fn run(global: &GlobalArgs, out: &mut Printer) -> Result<ExitStatus> {
    let (settings, request) = config::check(global)?;
    let report = doctor::doctor(&settings.project, request);
    if out.json {
        out.json(&report)?;
    } else if report.findings.is_empty() {
        let looked_at = format!("looked at {}", report.looked_at.join(", "));
        out.line(&format!("{}: {}", out.paint(OK, "all is well"), out.safe(&looked_at)));
    } else if out.terminal.out_is_terminal {
        for_people(&report, out);
    } else {
        let findings = report.findings.iter();
        let rows: Vec<Vec<String>> = findings
            .map(|it| {
                let (severity, check) = (it.severity.as_str().to_owned(), it.check.to_owned());
                vec![severity, check, it.message.clone(), it.next.clone()]
            })
            .collect();
        out.rows(&["severity", "about", "finding", "next"], &rows);
    }
    Ok(match report.worst() {
        None | Some(Severity::Remark) => ExitStatus::Done,
        Some(Severity::Wrong) => ExitStatus::CheckFailed,
        Some(Severity::Broken) => ExitStatus::Environment,
    })
}

/// Adds the findings, each with its next step below it.
fn for_people(report: &Report, out: &mut Printer) {
    for finding in &report.findings {
        let style = match finding.severity {
            Severity::Broken => ERROR,
            Severity::Wrong => WARN,
            Severity::Remark => DIM,
        };
        let severity = out.paint(style, &format!("{:<6}", finding.severity.as_str()));
        out.line(&format!("{severity} {}: {}", finding.check, out.safe(&finding.message)));
        out.line(&format!("       next: {}", out.style(NAME, &finding.next)));
    }
    let root = out.safe(&report.root);
    let looked_at = out.safe(&report.looked_at.join(", "));
    out.line(&out.paint(DIM, &format!("looked at {looked_at}")));
    out.line(&out.paint(DIM, &format!("project {root}: {}", report.root_by)));
}
