//! `cerberus hooks`: the settings with which agents and git run cerberus, and the commands that they
//! run.

use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};

use crate::config::GlobalArgs;
use crate::output::Printer;
use cerberus_model::error::ExitStatus;

mod after_edit;
mod answer;
mod commit;
mod edit;
mod git_command;
mod payload;
mod session;
mod settings;

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

                 rules at the start of  rules for the file      before a
                 a session              of an edit              commit
  claude, codex  yes                    before the edit         yes
  gemini         yes                    after the edit          with git
  cursor         yes                    after the edit (*)      with git
  copilot        yes                    after the edit          with git
  opencode       with AGENTS.md         after the edit          with git
  git                                                           yes

Where no event before an edit can add context, the rules come with the result of the edit, before the
agent goes on. (*) Some versions of Cursor do not pass that text on to the model. \"With git\" is the
hook of `cerberus setup git`, whose output the agent sees; \"with AGENTS.md\" is the block of
`cerberus memory inject --into AGENTS.md`. Codex and Copilot ask before they run the hooks of a
repository for the first time.

Example: cerberus hooks print claude"
    )]
    Print(HooksPrintArgs),
    /// Run a hook: read the event of an agent from stdin and answer it
    #[command(after_help = "\
The settings of `cerberus hooks print` run this command. It reads the JSON of the event and prints the
answer in the format of the agent. It is silent if there is nothing to say, if it does not understand
the event, or if the project has no bank, and its exit status is 0, so that it never blocks the agent.

A rule is given with an edit once in a session; a compaction of the session starts anew. With a
commit it says which rules concern the changed code, and which examples the commit edits or removes.
The project is the one around the edited file or the folder of the commit.

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
    /// The agent edits a file
    Edit,
    /// The agent edited a file
    AfterEdit,
    /// A commit, or a shell command that may make one
    Commit,
}

pub(crate) fn run(
    command: &HooksCommand,
    global: &GlobalArgs,
    out: &mut Printer,
) -> Result<ExitStatus> {
    match command {
        HooksCommand::Print(args) => settings::run(args, out),
        HooksCommand::Run(args) => {
            match args.event {
                HookEvent::SessionStart => session::run(args.tool, global, out)?,
                HookEvent::Edit => edit::run(args.tool, global, out)?,
                HookEvent::AfterEdit => edit::run_after(args.tool, global, out)?,
                HookEvent::Commit => commit::run(args.tool, global, out)?,
            }
            Ok(ExitStatus::Done)
        }
    }
}
