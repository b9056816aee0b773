//! `cerberus hooks print`.

use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

use crate::error::ExitStatus;
use crate::ops::hooks::{self, Tool};
use crate::output::{NAME, OK, Printer};

#[derive(Debug, Subcommand)]
pub(crate) enum HooksCommand {
    /// Print the settings that call cerberus, or merge them into a file
    #[command(
        arg_required_else_help = true,
        after_help = "\
The settings go to .claude/settings.json, .codex/hooks.json, .gemini/settings.json,
.cursor/hooks.json or .git/hooks/pre-commit. Nothing is written without --write, which keeps what
else is in the file; twice is once. Gemini CLI and Cursor offer no moment after a compaction or
before a command at which a hook may speak without deciding; there, and anywhere else, the hook of
git speaks before a commit. Codex runs hooks where its feature `codex_hooks` is on.

Examples:
  cerberus hooks print claude
  cerberus hooks print claude --write .claude/settings.json
  cerberus hooks print git --write .git/hooks/pre-commit"
    )]
    Print(HooksPrintArgs),
}

#[derive(Debug, Args)]
pub(crate) struct HooksPrintArgs {
    /// Whose settings
    pub(crate) tool: HookTool,
    /// Merge them into this file instead
    #[arg(long, value_name = "FILE")]
    pub(crate) write: Option<PathBuf>,
}

/// What calls cerberus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HookTool {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
    /// Gemini CLI
    Gemini,
    /// Cursor
    Cursor,
    /// git, before a commit
    Git,
}

pub(crate) fn run(command: &HooksCommand, out: &mut Printer) -> Result<ExitStatus> {
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
            out.json(&report)?;
        } else {
            out.line(report.text.trim_end());
        }
        return Ok(ExitStatus::Done);
    };
    let report = hooks::write(tool, path)?;
    if out.json {
        out.json(&report)?;
    } else if report.written {
        out.line(&format!("{} {}", out.paint(OK, "updated"), out.style(NAME, &report.file)));
    } else {
        out.line(&format!("{} has them already", out.style(NAME, &report.file)));
    }
    Ok(ExitStatus::Done)
}
