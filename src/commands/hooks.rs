//! `cerberus hooks print`.

use anyhow::Result;

use crate::cli::{HookTool, HooksCommand};
use crate::error::ExitStatus;
use crate::ops::hooks::{self, Tool};
use crate::output::{GOOD, NAME, Printer};

pub(super) fn run(command: &HooksCommand, out: &mut Printer) -> Result<ExitStatus> {
    let HooksCommand::Print(args) = command;
    let tool = match args.tool {
        HookTool::Claude => Tool::Claude,
        HookTool::Codex => Tool::Codex,
        HookTool::Gemini => Tool::Gemini,
        HookTool::Cursor => Tool::Cursor,
        HookTool::Git => Tool::Git,
    };
    let Some(path) = &args.write else {
        let report = hooks::print(tool)?;
        if out.json {
            out.document(&report)?;
        } else {
            out.line(report.text.trim_end());
        }
        return Ok(ExitStatus::Done);
    };
    let report = hooks::write(tool, path)?;
    if out.json {
        out.document(&report)?;
    } else if report.written {
        out.line(&format!("{} {}", out.painted(GOOD, "updated"), out.styled(NAME, &report.file)));
    } else {
        out.line(&format!("{} has them already", out.styled(NAME, &report.file)));
    }
    Ok(ExitStatus::Done)
}
