//! `cerberus hooks`: the settings with which agents and git run cerberus, and the commands that they
//! run.

use anyhow::Result;
use cerberus_bank::Workspace;
use cerberus_model::error::ExitStatus;
use cerberus_store::given_rules::Session;
use clap::{Subcommand, ValueEnum};

use crate::config::{GlobalArgs, Settings};
use crate::output::{CliResult, Printer};

mod after_edit;
mod answer;
mod command;
mod commit;
mod edit;
mod git_command;
mod payload;
mod session;
mod settings;

pub(crate) use session::give;
pub(crate) use settings::{merge, remove};

#[derive(Debug, Subcommand)]
pub(crate) enum HooksCommand {
    /// Print the settings that run cerberus
    #[command(arg_required_else_help = true)]
    Print {
        /// The tool to print the settings for
        tool: HookTool,
    },
    /// Run a hook: read the event of an agent from stdin and answer it
    Run {
        /// The tool that runs the hook
        tool: HookTool,
        /// What happens
        event: HookEvent,
    },
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

pub(crate) fn run(command: &HooksCommand, global: &GlobalArgs, out: &mut Printer) -> CliResult {
    match *command {
        HooksCommand::Print { tool } => settings::print(tool, out),
        HooksCommand::Run { tool, event } => {
            run_hook(tool, event, global, out)?;
            Ok(ExitStatus::Done)
        }
    }
}

fn run_hook(
    tool: HookTool,
    moment: HookEvent,
    global: &GlobalArgs,
    out: &mut Printer,
) -> Result<()> {
    if moment == HookEvent::Commit {
        // An agent that commits reads the output of git's hook, too.
        let text = commit::of_project(&Settings::resolve(global)?, false)?;
        return answer::print(HookTool::Git, moment, &text, out);
    }
    let event = payload::read();
    let text = match (moment, &event) {
        (HookEvent::SessionStart | HookEvent::SubagentStart, event) => {
            session::start(tool, event.as_ref(), global, out)?
        }
        (_, None) | (HookEvent::Commit, _) => return Ok(()),
        (HookEvent::Prompt, Some(event)) => session::prompt(tool, event, global)?,
        (HookEvent::Edit, Some(event)) => edit::before(tool, event, global)?,
        (HookEvent::AfterEdit, Some(event)) => edit::after(event, global)?,
        (HookEvent::AfterCommand, Some(event)) => edit::after_command(tool, event, global)?,
        (HookEvent::Command, Some(event)) => command::about(tool, event, global, out)?,
        (HookEvent::Stop, Some(event)) => after_edit::at_stop(event, global)?,
        (HookEvent::Compact, Some(event)) => return session::forget(event, global),
    };
    answer::print(tool, moment, &text, out)
}

/// Reads or changes what the store has about a session. Calls `work` again if the store was damaged.
pub(crate) fn in_session<T>(
    project: &Workspace,
    id: &str,
    work: impl Fn(Session<'_>) -> Result<T>,
) -> Result<T> {
    let millis = project.now.as_millisecond();
    project.with_repair(|_| {
        project.store()?.transaction(|connection| {
            work(Session {
                connection,
                id,
                millis,
            })
        })
    })
}
