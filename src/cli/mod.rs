//! The command line: parses it, runs the command and turns its result into an exit status.
//!
//! Help is imperative and without a final period; each command's help ends with an example that
//! works, from `help.txt`. The arguments of a command are defined beside the command, in `commands`.

mod complete;
mod help;
mod memory;
mod usage;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::Path;

use cerberus_engine::threads;
use cerberus_engine::tree::git;
use cerberus_model::error::{ExitStatus, UserError};
use clap::error::ErrorKind;
use clap::{FromArgMatches, Parser, Subcommand};
pub(crate) use help::command;
use memory::MemoryCommand;

use crate::agents::Limit;
use crate::commands::{check, completions, demo, doctor, hooks, index, setup};
use crate::config::{self, ColorChoice, GlobalArgs, Settings, Terminal};
use crate::mcp::{self, McpArgs};
use crate::output::{CliResult, Printer};

/// Check what a project's documents say, and keep its rules with code that shows them
#[derive(Debug, Parser)]
#[command(name = "cerberus", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check that what documents say about the project is still true
    Check(check::CheckArgs),
    /// Manage memories, their anchors and their examples
    #[command(subcommand)]
    Memory(Box<MemoryCommand>),
    /// Set up the agents of this project: the MCP server and the hooks
    Setup(setup::SetupArgs),
    /// Diagnose problems and suggest fixes
    Doctor,
    /// Show the main commands in a new repository
    Demo(demo::DemoArgs),
    /// Print or run the hooks of agents and git
    #[command(subcommand)]
    Hooks(hooks::HooksCommand),
    /// Serve the memory to an agent over the Model Context Protocol on stdin and stdout
    Mcp(McpArgs),
    /// Print the completion script of a shell
    Completions(completions::CompletionsArgs),
    /// Update the code index and print its statistics
    Index(index::IndexArgs),
}

/// Parses a command line, runs it and returns how it ended.
pub(crate) fn run(args: impl IntoIterator<Item = OsString>) -> ExitStatus {
    let args: Vec<OsString> = args.into_iter().collect();
    if let Some(request) = config::completion_request()
        && let Some(words) = complete::words(&args)
    {
        return complete::run(words, &request);
    }
    let mut parsed = parse(&args);
    let refused = parsed.as_ref().err();
    // `cerberus docs` is `cerberus check docs`.
    if let Some(position) = refused.and_then(|error| position_of_path(error, &args)) {
        let mut of_check = args.clone();
        of_check.insert(position, "check".into());
        parsed = parse(&of_check);
    }
    let cli = match parsed {
        Ok(cli) => cli,
        // Help goes to stdout, and writing it may fail like any other output.
        Err(error) if !error.use_stderr() => {
            let mut out = Printer::new(Terminal::detect(ColorChoice::Auto), false);
            let text = error.render();
            let text = if out.terminal.color {
                text.ansi().to_string()
            } else {
                text.to_string()
            };
            out.line(text.trim_end());
            return out
                .flush()
                .map_or_else(|error| out.failure(&error), |()| ExitStatus::Done);
        }
        Err(error) => {
            // Without a command, the help is more useful than an error.
            if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
                // Ignored: without stderr there is no other place to report it.
                let _ = error.print();
                return ExitStatus::Usage;
            }
            let is_json = args.iter().any(|arg| arg == "--json");
            let out = Printer::new(Terminal::detect(ColorChoice::Auto), is_json);
            return out.failure(&usage::error(&error, &args).into());
        }
    };
    let mut out = Printer::new(Terminal::detect(cli.global.color), cli.global.json);
    let done = dispatch(&cli, &mut out).and_then(|status| out.flush().map(|()| status));
    out.warn(&git::failures());
    match done {
        Ok(status) => status,
        Err(error) => {
            let status = out.failure(&error);
            // A failing hook would fail the agent or git.
            if is_hook(&cli.command) {
                ExitStatus::Done
            } else {
                status
            }
        }
    }
}

fn parse(args: &[OsString]) -> Result<Cli, clap::Error> {
    let matches = command().try_get_matches_from(args)?;
    Cli::from_arg_matches(&matches)
}

/// Returns the position of a path in the place of a command.
fn position_of_path(error: &clap::Error, args: &[OsString]) -> Option<usize> {
    let name = usage::unknown_command(error)?;
    let position = args.iter().skip(1).position(|arg| arg == name)? + 1;
    let is_first = usage::command_of(&args[..position]) == "cerberus";
    (is_first && Path::new(name).exists()).then_some(position)
}

fn dispatch(cli: &Cli, out: &mut Printer) -> CliResult {
    threads::start_pool(config::n_threads()).map_err(|error| {
        let hint = "raise the limit of processes (`ulimit -u`), or end some";
        UserError::environment(format!("failed to start a thread: {error}")).hint(hint)
    })?;
    let global = &cli.global;
    match &cli.command {
        Command::Check(args) => {
            with_repair(global, out, |settings, out| check::run(args, settings, out))
        }
        Command::Completions(args) => completions::run(args, out),
        Command::Demo(args) => demo::run(args, out),
        Command::Doctor => doctor::run(global, out),
        Command::Hooks(command) => hooks::run(command, global, out),
        Command::Index(args) => {
            with_repair(global, out, |settings, out| index::run(args, settings, out))
        }
        Command::Setup(args) => setup::run(args, &Settings::resolve(global)?, out),
        Command::Mcp(args) => serve(args, global, out),
        Command::Memory(command) => with_repair(global, out, |settings, out| {
            let is_silent = !settings.memory_enabled || !settings.project.bank.exists();
            if is_silent && is_hook(&cli.command) {
                return Ok(ExitStatus::Done);
            }
            settings.check_enabled()?;
            command.run(settings, out)
        }),
    }
}

fn serve(args: &McpArgs, global: &GlobalArgs, out: &mut Printer) -> CliResult {
    if std::io::stdin().is_terminal() {
        out.note(&[
            "waiting for an MCP client on stdin; press Ctrl-D to stop".to_owned(),
            "write the settings of an agent: cerberus setup claude".to_owned(),
        ]);
    }
    mcp::serve(global, args.tools)?;
    Ok(ExitStatus::Done)
}

/// Runs a command, and repeats it if the store was damaged.
fn with_repair(
    global: &GlobalArgs,
    out: &mut Printer,
    run: impl Fn(&Settings, &mut Printer) -> CliResult,
) -> CliResult {
    let settings = Settings::resolve(global)?;
    settings.project.with_repair(|warning| {
        if let Some(warning) = warning {
            // The failed run may have printed.
            out.take();
            out.warn(&[warning]);
        }
        run(&settings, out)
    })
}

/// Whether the command runs as a hook. A hook may run without a bank, and its failure must not
/// stop the program that runs it.
fn is_hook(command: &Command) -> bool {
    match command {
        Command::Hooks(command) => matches!(command, hooks::HooksCommand::Run { .. }),
        Command::Memory(command) => match &**command {
            MemoryCommand::Inject(args) => args.client.is_some_and(Limit::is_of_hook),
            _ => false,
        },
        _ => false,
    }
}
