//! `cerberus setup`: the MCP server and the hooks of the agents of a project.

use std::path::Path;

use anyhow::Result;
use cerberus_bank::external_file;
use cerberus_engine::tree::git;
use cerberus_model::error::{ExitStatus, UserError};
use cerberus_model::text::plural;
use clap::Args;
use serde::Serialize;

use crate::agents::{Agent, Names};
use crate::commands::confirm;
use crate::config::{Settings, in_one_line};
use crate::output::{CliResult, NAME, OK, Printer, WARN};

mod plan;

use plan::{Action, Change};

/// Parts of the commands in hooks, as one text and as a list.
const HOOKS: [&str; 2] = ["cerberus hooks run", r#""cerberus", ["hooks", "run""#];

#[derive(Debug, Args)]
pub(crate) struct SetupArgs {
    /// The agents to set up; by default those that the project has files for
    #[arg(value_name = "AGENT", value_parser = Names::of_agents())]
    agents: Vec<&'static Agent>,
    /// Only compare, and fail if something is missing or out of date
    #[arg(long, conflicts_with_all = ["remove", "yes"])]
    check: bool,
    /// Remove what setup wrote; without an agent, for all agents
    #[arg(long)]
    remove: bool,
    /// Write without a question
    #[arg(long, short)]
    yes: bool,
}

#[derive(Serialize)]
struct Report {
    agents: Vec<&'static Agent>,
    files: Vec<Change>,
    /// Whether the files were changed.
    written: bool,
}

/// Returns the name of the first agent that the project has files for and that `review --with` can start.
pub(crate) fn reader(root: &Path) -> Option<&'static str> {
    let mut agents = Agent::all();
    let agent = agents.find(|agent| agent.headless.is_some() && is_used(agent, root))?;
    Some(agent.name)
}

/// Whether a project has files of an agent.
pub(crate) fn is_used(agent: &Agent, root: &Path) -> bool {
    agent.signs.iter().any(|file| root.join(file).exists())
}

/// Returns whether the settings of an agent of the project run the hooks of cerberus.
pub(crate) fn has_hooks(root: &Path) -> bool {
    let mut files = Agent::all().flat_map(Agent::settings_files);
    files.any(|path| {
        let path = root.join(path);
        path.is_file()
            && external_file::read(&path).is_ok_and(|bytes| {
                let text = String::from_utf8_lossy(&bytes);
                HOOKS.iter().any(|part| text.contains(part))
            })
    })
}

pub(crate) fn run(args: &SetupArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let root = &settings.project.root;
    let agents = agents(args, root)?;
    let changes = plan::changes(&agents, args.remove, root)?;
    let is_complete = changes
        .iter()
        .all(|change| change.action == Action::Unchanged);
    let is_asked = !args.check && !args.yes && !is_complete;
    if !out.json {
        print_changes(&changes, args, out);
    }
    let is_written = match () {
        () if args.check || is_complete => false,
        () if !is_asked => true,
        () if out.json => false,
        () if confirm::is_possible(out) => {
            let verb = if args.remove { "remove from" } else { "write" };
            let n_files = changes
                .iter()
                .filter(|change| change.action != Action::Unchanged)
                .count();
            confirm::ask(&format!("{verb} {}?", plural(n_files, "file")), out)?
        }
        () => {
            out.flush()?;
            return Err(
                UserError::usage("nothing was written, because nobody can be asked")
                    .hint("write without a question: add --yes")
                    .into(),
            );
        }
    };
    if is_written {
        write(&changes)?;
    }
    if out.json {
        out.json(&Report {
            agents,
            files: changes,
            written: is_written,
        })?;
    } else if is_written {
        print_written(&changes, args, settings, out);
    } else if is_asked {
        out.line("nothing was written");
    }
    Ok(ExitStatus::of_check(is_complete || !args.check))
}

/// Returns the named agents, or those of the project.
fn agents(args: &SetupArgs, root: &Path) -> Result<Vec<&'static Agent>> {
    let mut agents = Vec::new();
    for agent in Agent::all() {
        let is_named = args.agents.iter().any(|named| named.name == agent.name);
        let is_meant = args.agents.is_empty() && (args.remove || is_used(agent, root));
        if is_named || is_meant {
            agents.push(agent);
        }
    }
    if agents.is_empty() {
        let names: Vec<&str> = Agent::all().map(|agent| agent.name).collect();
        return Err(UserError::usage("this project has no files of an agent")
            .hint(format!("name one: {}", names.join(", ")))
            .hint("for example: cerberus setup claude")
            .into());
    }
    Ok(agents)
}

/// Whether what is written belongs to a clone, not to the project.
fn is_of_git(agent: &Agent) -> bool {
    agent.hooks.as_ref().is_some_and(|hooks| hooks.is_git_hook)
}

fn is_executable(change: &Change) -> bool {
    let hooks = change.agent.hooks.as_ref();
    hooks.is_some_and(|hooks| hooks.is_executable && change.path.ends_with(&hooks.file))
}

/// Writes all files, or none if one of them fails.
fn write(changes: &[Change]) -> Result<()> {
    let changed = changes
        .iter()
        .filter(|change| change.action != Action::Unchanged);
    let files: Vec<_> = changed
        .clone()
        .map(|change| (&change.file, change.content()))
        .collect();
    let written = external_file::write_all(&files);
    for change in changed {
        if change.action == Action::Remove || (written.is_err() && !change.file.exists) {
            change.file.remove_empty_folders(&change.within)?;
        } else if written.is_ok() && is_executable(change) {
            change.file.make_executable()?;
        }
    }
    written
}

fn print_changes(changes: &[Change], args: &SetupArgs, out: &mut Printer) {
    for change in changes {
        for line in change.diff.lines() {
            out.line(&out.safe(line));
        }
    }
    for change in changes {
        let file = out.style(NAME, &change.path);
        for entry in &change.edited {
            let entry = in_one_line(entry);
            let label = out.paint(WARN, "kept");
            out.line(&format!(
                "{label} an edited entry in {file}: {}",
                out.safe(&entry)
            ));
        }
        let state = match (change.action, args.check) {
            (Action::Unchanged, _) if change.edited.is_empty() && !args.remove => "up to date",
            (Action::Create, true) => "missing",
            (Action::Update, true) => "not complete",
            _ => continue,
        };
        out.line(&format!("{file}: {state} ({})", change.agent.name));
    }
    if args.remove
        && changes
            .iter()
            .all(|change| change.action == Action::Unchanged)
    {
        out.line("nothing to remove");
    }
}

fn print_written(changes: &[Change], args: &SetupArgs, settings: &Settings, out: &mut Printer) {
    let mut to_commit = Vec::new();
    for change in changes {
        let label = match change.action {
            Action::Unchanged => continue,
            Action::Create => "created",
            Action::Update => "updated",
            Action::Remove => "removed",
        };
        let file = out.style(NAME, &change.path);
        out.line(&format!(
            "{} {file} ({})",
            out.paint(OK, label),
            change.agent.name
        ));
        if !is_of_git(change.agent) {
            to_commit.push(change.path.as_str());
        }
    }
    if args.remove {
        return;
    }
    let paths: Vec<&Path> = to_commit.iter().map(Path::new).collect();
    let ignored = git::ignored(&settings.project.root, &paths);
    let ignored: Vec<String> = ignored.into_iter().map(|file| file.path).collect();
    to_commit.retain(|path| !ignored.iter().any(|file| file == path));
    if !to_commit.is_empty() {
        out.line(&format!("commit them: git add {}", to_commit.join(" ")));
    }
    if !ignored.is_empty() {
        out.line(&format!(
            "git ignores, so other clones do not have: {}",
            ignored.join(", ")
        ));
    }
    if !settings.project.bank.exists() {
        out.line("next: cerberus memory init, because the hooks are silent without a bank");
    }
}
