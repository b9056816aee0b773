//! `cerberus doctor`: diagnoses the files of the bank, the store, git, the settings of agents and the
//! configuration, and suggests fixes.
//!
//! Read-only. A failed check does not stop the others. `check` compares anchors, links and managed blocks
//! with the project.

use anyhow::Result;
use cerberus_bank::Workspace;
use cerberus_bank::ops::Project;
use cerberus_model::Severity;
use cerberus_model::error::ExitStatus;
use serde::Serialize;

use crate::config::{self, ConfigReport, Finding, GlobalArgs, Setting, failed_check, in_one_line};
use crate::output::{CliResult, DIM, ERROR, NAME, OK, Printer, WARN};

mod hosts;
mod instructions;
mod memories;
mod reach;
mod surroundings;

pub(crate) use hosts::stale_blocks;
pub(crate) use reach::{Arrival, Reach, next_for, reach};

/// The findings and the checks that ran.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// Whether all findings are of severity `info`.
    ok: bool,
    root: String,
    root_source: String,
    bank: String,
    /// The worst first.
    findings: Vec<Finding>,
    /// The checked items, with counts.
    checks: Vec<String>,
    settings: Vec<Setting>,
}

/// A check: whether it needs a readable bank, the name in its findings, and what runs.
type Check<'p> = (bool, &'static str, fn(&mut Doctor<'p>) -> Result<()>);

/// Runs all checks.
fn doctor<'p>(project: &'p Workspace, config: ConfigReport) -> Report {
    let mut doctor = Doctor {
        project,
        has_bank: false,
        check: "configuration",
        config,
        checks: vec!["configuration".to_owned()],
    };
    // In the order in which they run.
    let checks: [Check<'p>; 11] = [
        (false, "code", Doctor::code),
        (false, "bank", Doctor::bank),
        (true, "memories", Doctor::memories),
        (true, "pins", Doctor::pins),
        (false, "git", Doctor::git),
        (false, "hosts", Doctor::hooks),
        (false, "hosts", Doctor::instructions),
        (false, "hosts", Doctor::arriving),
        (false, "hosts", Doctor::codex_trust),
        (true, "hosts", Doctor::reach),
        (false, "hosts", Doctor::agent_memories),
    ];
    for (needs_bank, name, check) in checks {
        doctor.check = name;
        if (doctor.has_bank || !needs_bank)
            && let Err(error) = check(&mut doctor)
        {
            doctor.config.findings.push(failed_check(name, &error));
        }
    }
    let Doctor { config, checks, .. } = doctor;
    let mut findings = config.findings;
    findings.sort_by_key(|finding| finding.severity);
    Report {
        ok: findings
            .iter()
            .all(|finding| finding.severity == Severity::Info),
        root: project.root.display().to_string(),
        root_source: config.root_source,
        bank: shown(project, project.bank.folder()),
        findings,
        checks,
        settings: config.settings,
    }
}

pub(crate) fn run(global: &GlobalArgs, out: &mut Printer) -> CliResult {
    let (settings, config) = config::check(global)?;
    let report = doctor(&settings.project, config);
    out.report(&report, print)?;
    Ok(match report.findings.first().map(|worst| worst.severity) {
        Some(Severity::Unchecked) => ExitStatus::Environment,
        Some(Severity::Error) => ExitStatus::CheckFailed,
        _ => ExitStatus::Done,
    })
}

/// Prints each finding, on a terminal with its next step below it.
fn print(report: &Report, out: &mut Printer) {
    if report.findings.is_empty() {
        let checks = out.safe(&report.checks.join(", "));
        return out.line(&format!(
            "{}; checked {checks}",
            out.paint(OK, "no problems found")
        ));
    }
    if !out.terminal.out_is_terminal {
        let rows = report.findings.iter().map(|it| {
            let severity = it.severity.as_str().to_owned();
            let check = it.check.to_owned();
            [severity, check, it.message.clone(), it.next.clone()]
        });
        return out.rows(&["severity", "check", "finding", "next"], rows);
    }
    for finding in &report.findings {
        let style = match finding.severity {
            Severity::Unchecked => ERROR,
            Severity::Error => WARN,
            _ => DIM,
        };
        let severity = out.paint(style, &format!("{:<9}", finding.severity.as_str()));
        out.line(&format!(
            "{severity} {}: {}",
            finding.check,
            out.safe(&finding.message)
        ));
        out.line(&format!(
            "          next: {}",
            out.style(NAME, &finding.next)
        ));
    }
    let root = out.safe(&report.root);
    let checks = out.safe(&report.checks.join(", "));
    out.line(&out.paint(DIM, &format!("checked {checks}")));
    out.line(&out.paint(DIM, &format!("project {root}: {}", report.root_source)));
}

/// The state of a run.
struct Doctor<'a> {
    project: &'a Workspace,
    has_bank: bool,
    /// Name of the current check.
    check: &'static str,
    config: ConfigReport,
    checks: Vec<String>,
}

impl Doctor<'_> {
    fn error(&mut self, message: impl Into<String>, next: impl Into<String>) {
        self.put(Severity::Error, message.into(), next.into());
    }

    fn info(&mut self, message: impl Into<String>, next: impl Into<String>) {
        self.put(Severity::Info, message.into(), next.into());
    }

    fn put(&mut self, severity: Severity, message: String, next: String) {
        let message = in_one_line(&message);
        self.config.findings.push(Finding {
            severity,
            check: self.check,
            message,
            next,
        });
    }
}

/// Returns a path relative to the root of the project if it is inside.
fn shown(project: &Project, path: &std::path::Path) -> String {
    path.strip_prefix(&project.root)
        .unwrap_or(path)
        .display()
        .to_string()
}
