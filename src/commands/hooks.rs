//! `cerberus hooks`: the settings with which agents and git run cerberus, and the commands that they
//! run.

use clap::{Subcommand, ValueEnum};

use crate::commands::prelude::*;
use crate::config::GlobalArgs;

mod after_edit;
mod answer;
mod command;
mod commit;
mod edit;
mod git_command;
mod payload;
mod prompt;
mod session;
mod settings;
mod stop;

pub(crate) use settings::{merge, remove};

#[derive(Debug, Subcommand)]
pub(crate) enum HooksCommand {
    /// Print the settings that run cerberus
    #[command(arg_required_else_help = true)]
    Print(HooksPrintArgs),
    /// Run a hook: read the event of an agent from stdin and answer it
    Run(HooksRunArgs),
}

#[derive(Debug, Args)]
pub(crate) struct HooksPrintArgs {
    /// The tool to print the settings for
    pub(crate) tool: HookTool,
}

#[derive(Debug, Args)]
pub(crate) struct HooksRunArgs {
    /// The tool that runs the hook
    pub(crate) tool: HookTool,
    /// What happens
    pub(crate) event: HookEvent,
}

/// The program that runs the hook.
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
    /// GitHub Copilot CLI and cloud agent
    Copilot,
    /// opencode
    Opencode,
    /// git, before a commit
    Git,
}

/// What a hook reacts to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HookEvent {
    /// A session starts, is resumed, or was compacted
    SessionStart,
    /// A subagent starts
    SubagentStart,
    /// The user asks for something
    Prompt,
    /// The agent edits a file
    Edit,
    /// The agent edited a file
    AfterEdit,
    /// The agent is about to run a shell command, which may be forbidden or make a commit
    Command,
    /// The agent ran a shell command, which may have edited files
    AfterCommand,
    /// A commit
    Commit,
    /// The agent has finished
    Stop,
    /// The context of a session will be shortened
    Compact,
}

pub(crate) fn run(
    command: &HooksCommand,
    global: &GlobalArgs,
    out: &mut Printer,
) -> Result<ExitStatus> {
    match command {
        HooksCommand::Print(args) => settings::run(args, out),
        HooksCommand::Run(args) => {
            let HooksRunArgs { tool, event } = *args;
            match event {
                HookEvent::SessionStart | HookEvent::SubagentStart => {
                    session::run(tool, event, global, out)?;
                }
                HookEvent::Prompt => prompt::run(tool, global, out)?,
                HookEvent::Edit => edit::run(tool, global, out)?,
                HookEvent::AfterEdit => edit::run_after(tool, global, out)?,
                HookEvent::AfterCommand => edit::run_after_command(tool, global, out)?,
                HookEvent::Command => command::run(tool, global, out)?,
                HookEvent::Commit => commit::run(global, out)?,
                HookEvent::Stop => stop::run(tool, global, out)?,
                HookEvent::Compact => session::forget(global)?,
            }
            Ok(ExitStatus::Done)
        }
    }
}
