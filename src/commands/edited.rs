//! Prints the reports of the commands that edit a memory.

use cerberus_bank::ops::document::EditReport;

use crate::output::{CliResult, DIM, NAME, OK, Printer};

/// Prints the report of a command that edits a memory.
pub(super) fn print(report: &EditReport, verb: &str, out: &mut Printer) -> CliResult {
    out.report(report, |report, out| {
        out.warn(&report.warnings);
        let verb = if report.written {
            out.paint(OK, verb)
        } else {
            "unchanged".to_owned()
        };
        let id = out.style(NAME, &report.id);
        let section = report
            .section
            .as_ref()
            .map(|id| format!(" section {}", out.safe(id)));
        let file = out.paint(DIM, &format!("({})", out.safe(&report.file)));
        out.line(&format!(
            "{verb} {id}{} {file}",
            section.unwrap_or_default()
        ));
    })
}
