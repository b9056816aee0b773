//! `cerberus demo`.

use anyhow::Result;

use crate::config;
use crate::error::{ExitStatus, UserError};
use crate::ops::demo;
use crate::output::{DIM, ERROR, OK, Printer};

pub(crate) fn run(out: &mut Printer) -> Result<ExitStatus> {
    let report = demo::demo(config::now()?)?;
    if out.json {
        out.json(&report)?;
        return Ok(if report.ok { ExitStatus::Done } else { ExitStatus::CheckFailed });
    }
    for step in &report.steps {
        let mark = if step.ok { out.paint(OK, "ok  ") } else { out.paint(ERROR, "FAIL") };
        out.line(&format!("{mark} {}", step.command));
        out.line(&out.paint(DIM, &format!("     {}", step.shows)));
    }
    if report.ok {
        out.line(&format!("{} steps held, {:.0} ms", report.steps.len(), report.elapsed_ms));
        return Ok(ExitStatus::Done);
    }
    out.flush()?;
    Err(UserError::check("a step did not hold")
        .hint("please report it with the lines above")
        .into())
}
