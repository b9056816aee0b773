//! `cerberus hooks`: the settings with which agents and git run cerberus, and the commands that they
//! run.

use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};

use crate::config::GlobalArgs;
use crate::output::Printer;
use cerberus_model::error::ExitStatus;

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
    #[command(
        arg_required_else_help = true,
        after_help = "\
The settings belong in .claude/settings.json, .codex/hooks.json, .gemini/settings.json,
.cursor/hooks.json, .github/hooks/cerberus.json (copilot), .opencode/plugins/cerberus.js or
.git/hooks/pre-commit; `cerberus setup` writes them there and preserves the rest of the file. Without
`cerberus` on PATH the hooks do nothing. Their commands are for a POSIX shell.

            start  subagent  prompt  edit                 command  shell  stop  commit
  claude    yes    yes       yes     before and after it  yes      yes    yes   yes
  codex     yes    yes       yes     before and after it  yes      yes    yes   yes
  copilot   yes    yes       yes     after it             yes      yes    yes   with git
  gemini    yes              yes     after it             yes      yes          with git
  opencode  yes              yes     after it             yes      yes          with git
  cursor    yes                      after it (*)         denied                with git
  git                                                                           yes

start, subagent  the rules that hold everywhere
prompt           the rules for the task
edit             the rules for the file; after it, the patterns that it hits
command          a shell command that a rule forbids: denied if its `command` says so, else a hint
shell            the rules for the files that a shell command changed, if they are few
stop             once in a session, the patterns that uncommitted changes hit
commit           the rules that concern the changes, and the examples that they change

Where no event before an edit can add context, the rules come with the result of the edit, before the
agent goes on. (*) Some versions of Cursor do not pass that text on to the model. \"With git\" is the
hook of `cerberus setup git`, whose output the agent sees. VS Code runs the hooks of copilot. Codex and
Copilot ask before they run the hooks of a repository for the first time; `codex exec` does not ask, and
runs none until they were allowed.

Example: cerberus hooks print claude"
    )]
    Print(HooksPrintArgs),
    /// Run a hook: read the event of an agent from stdin and answer it
    #[command(after_help = "\
The settings of `cerberus hooks print` run this command. It reads the JSON of the event and prints the
answer in the format of the agent. It is silent if there is nothing to say, if it does not understand
the event, or if the project has no bank, and its exit status is 0, so that it never blocks the agent.

A rule is given once in a session, whichever hook gives it; a compaction of the session starts anew.
The project is the one around the edited file or the folder of the agent.

Example: cerberus hooks run claude edit < event.json")]
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
