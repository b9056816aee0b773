//! `cerberus memory feedback`.

use anyhow::Result;

use crate::cli::FeedbackArgs;
use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::feedback;
use crate::output::{NAME, Printer};

pub(super) fn run(
    args: &FeedbackArgs,
    settings: &Settings,
    out: &mut Printer,
) -> Result<ExitStatus> {
    let report = feedback::feedback(&settings.project, &args.id, args.good)?;
    out.warn(&report.warnings);
    if out.json {
        out.document(&report)?;
        return Ok(ExitStatus::Done);
    }
    let verdict = if report.good { "has helped" } else { "has not helped" };
    out.line(&format!("noted that {} {verdict}", out.styled(NAME, &report.id)));
    Ok(ExitStatus::Done)
}
