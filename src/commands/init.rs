//! `cerberus memory init`.

use anyhow::Result;

use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::init;
use crate::output::{NAME, OK, Printer};

pub(crate) fn run(settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let report = init::init(&settings.project)?;
    if out.json {
        out.json(&report)?;
        return Ok(ExitStatus::Done);
    }
    if report.created.is_empty() {
        out.line(&format!("the bank is ready: {}", out.style(NAME, &report.bank)));
    }
    for path in &report.created {
        out.line(&format!("{} {}", out.paint(OK, "made"), out.safe(path)));
    }
    out.line(&format!("commit them: git add {}", report.commit.join(" ")));
    out.line("next: cerberus memory add \"…a rule of this project…\"");
    Ok(ExitStatus::Done)
}
