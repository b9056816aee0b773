//! `cerberus hooks`: the settings with which agents and git run cerberus, and the commands that they
//! run.

use anyhow::Result;
use cerberus_bank::Workspace;
use cerberus_model::error::{ExitStatus, UserError};
use cerberus_store::given_rules::Session;
use clap::{Subcommand, ValueEnum};
use serde_json::json;

use crate::agents::{Agent, Names};
use crate::commands::settings_file::{Content, Layout};
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
mod shown;

pub(crate) use session::give;

#[derive(Debug, Subcommand)]
pub(crate) enum HooksCommand {
    /// Print the settings that run cerberus
    #[command(arg_required_else_help = true)]
    Print {
        /// The tool to print the settings for
        #[arg(value_name = "TOOL", value_parser = Names::of_hooks())]
        agent: &'static Agent,
    },
    /// Run a hook: read the event of an agent from stdin and answer it
    Run {
        /// The tool that runs the hook
        #[arg(value_name = "TOOL", value_parser = Names::of_hooks())]
        agent: &'static Agent,
        /// What happens
        event: HookEvent,
    },
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

impl HookEvent {
    /// Returns its name on the command line.
    fn name(self) -> String {
        let value = self.to_possible_value();
        value
            .map(|value| value.get_name().to_owned())
            .unwrap_or_default()
    }
}

pub(crate) fn run(command: &HooksCommand, global: &GlobalArgs, out: &mut Printer) -> CliResult {
    match *command {
        HooksCommand::Print { agent } => print_settings(agent, out),
        HooksCommand::Run { agent, event } => {
            run_hook(agent, event, global, out)?;
            Ok(ExitStatus::Done)
        }
    }
}

/// Prints a new file with the hooks of an agent.
fn print_settings(agent: &'static Agent, out: &mut Printer) -> CliResult {
    let mut text = String::new();
    if let Some(hooks) = &agent.hooks {
        let content = Content::of_hooks(agent, hooks);
        let merged = content.merge(b"", Layout::Like).map_err(UserError::usage)?;
        text = String::from_utf8_lossy(&merged.text).into_owned();
    }
    out.report(&json!({ "text": text }), |_, out| out.code(text.trim_end()))
}

fn run_hook(
    agent: &'static Agent,
    moment: HookEvent,
    global: &GlobalArgs,
    out: &mut Printer,
) -> Result<()> {
    if moment == HookEvent::Commit {
        // An agent that commits reads the output of git's hook, too.
        let text = commit::of_project(&Settings::resolve(global)?, false)?;
        if !text.is_empty() {
            out.line(text.trim_end_matches('\n'));
        }
        return Ok(());
    }
    let mut event = payload::read();
    if let (Some(event), Some(hooks)) = (&mut event, &agent.hooks)
        && event.source.is_none()
    {
        event.source.clone_from(&hooks.usual_source);
    }
    let text = match (moment, &event) {
        (HookEvent::SessionStart | HookEvent::SubagentStart, event) => {
            session::start(agent, event.as_ref(), global, out)?
        }
        (_, None) | (HookEvent::Commit, _) => return Ok(()),
        (HookEvent::Prompt, Some(event)) => session::prompt(agent, event, global)?,
        (HookEvent::Edit, Some(event)) => edit::before(agent, event, global)?,
        (HookEvent::AfterEdit, Some(event)) => edit::after(event, global)?,
        (HookEvent::AfterCommand, Some(event)) => edit::after_command(agent, event, global)?,
        (HookEvent::Command, Some(event)) => command::about(agent, event, global, out)?,
        (HookEvent::Stop, Some(event)) => after_edit::at_stop(event, global)?,
        (HookEvent::Compact, Some(event)) => return session::forget(event, global),
    };
    answer::print(agent, moment, &text, out)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::WriteHooks;

    #[test]
    fn hooks_run_known_moments() {
        for agent in Agent::all() {
            if let Some(hooks) = &agent.hooks
                && let WriteHooks::Json(entries) = &hooks.write
            {
                for event in &entries.events {
                    let moment = HookEvent::from_str(&event.moment, false);
                    assert!(moment.is_ok(), "`{}` of {}", event.moment, agent.name);
                }
            }
        }
    }
}
