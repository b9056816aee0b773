//! One file per subcommand: arguments to options, an operation, its report printed.
//!
//! No command decides anything about memories or code: that is `ops`.

use std::ffi::OsString;

use anyhow::Result;
use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser};

use crate::cli::{Cli, ColorChoice, Command, FilterArgs, MemoryCommand};
use crate::config::{self, Settings, Terminal};
use crate::error::{ExitStatus, UserError};
use crate::ops::memories::Filter;
use crate::output::Printer;
use crate::timings;

mod add;
mod anchor;
mod anchor_test;
mod append;
mod complete;
mod completions;
mod content;
mod create;
mod demo;
mod doctor;
mod export;
mod feedback;
mod hooks;
mod import;
mod index;
mod init;
mod inject;
mod linked;
mod links;
mod mcp;
mod merge;
mod pin;
mod read;
mod reanchor;
mod report;
mod search;
mod sections;
mod show;
mod stats;
mod trash;
mod update;

/// Parses a command line, runs it and returns how it ended.
pub(crate) fn run(args: impl IntoIterator<Item = OsString>) -> ExitStatus {
    let args: Vec<OsString> = args.into_iter().collect();
    if let Some(asking) = config::completion_request()
        && let Some(words) = complete::words(&args)
    {
        return complete::run(words, &asking);
    }
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        // Help is an answer, and may fail to be written like any other.
        Err(error) if !error.use_stderr() => {
            let mut out = Printer::new(Terminal::detect(ColorChoice::Auto), false);
            let text = error.render();
            let text = if out.terminal.color { text.ansi().to_string() } else { text.to_string() };
            out.line(text.trim_end());
            return out.flush().map_or_else(|error| out.failure(&error), |()| ExitStatus::Done);
        }
        Err(mut error) => {
            point_to_namesake(&mut error);
            // clap writes its own usage errors; where stderr is gone nobody reads them.
            let _ = error.print();
            return ExitStatus::Usage;
        }
    };
    if cli.global.timings {
        timings::start();
    }
    let mut out = Printer::new(Terminal::detect(cli.global.color), cli.global.json);
    let done = dispatch(&cli, &mut out).and_then(|status| out.flush().map(|()| status));
    if let Some((steps, total)) = timings::finish() {
        out.timings(&steps, total);
    }
    match done {
        Ok(status) => status,
        Err(error) => {
            let status = out.failure(&error);
            // A hook that fails would fail its host.
            if is_hook(&cli.command) { ExitStatus::Done } else { status }
        }
    }
}

/// Says where a subcommand is that was looked for in the wrong place, as `cerberus search` is.
fn point_to_namesake(error: &mut clap::Error) {
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    let cli = Cli::command();
    let group = cli.get_subcommands().find(|group| group.find_subcommand(name).is_some());
    let place = match group {
        Some(group) => format!("cerberus {} {name}", group.get_name()),
        None if cli.find_subcommand(name).is_some() => format!("cerberus {name}"),
        None => return,
    };
    let tip = format!("it is `{place}`").into();
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
}

fn dispatch(cli: &Cli, out: &mut Printer) -> Result<ExitStatus> {
    match &cli.command {
        Command::Completions(args) => completions::run(args, out),
        Command::Demo => demo::run(out),
        Command::Doctor => doctor::run(&cli.global, out),
        Command::Hooks(command) => hooks::run(command, out),
        Command::Index(args) => index::run(args, &Settings::resolve(&cli.global)?, out),
        Command::Mcp(args) => mcp::run(args, &cli.global, out),
        Command::Memory(command) => {
            let settings = {
                let _step = timings::step("read the settings");
                Settings::resolve(&cli.global)?
            };
            let is_silent = !settings.memory_enabled || !settings.project.bank.exists();
            if is_silent && is_hook(&cli.command) {
                return Ok(ExitStatus::Done);
            }
            if !settings.memory_enabled {
                return Err(UserError::usage("memory is switched off for this project")
                    .hint("set `enabled = true` under `[memory]` in `cerberus.toml`")
                    .into());
            }
            memory(command, &settings, out)
        }
    }
}

fn memory(command: &MemoryCommand, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    match command {
        MemoryCommand::Init => init::run(settings, out),
        MemoryCommand::Add(args) => add::run(args, settings, out),
        MemoryCommand::Anchor(args) => anchor::run(args, settings, out),
        MemoryCommand::AnchorTest(args) => anchor_test::run(args, settings, out),
        MemoryCommand::Show(args) => show::run(args, settings, out),
        MemoryCommand::Reanchor(args) => reanchor::run(args, settings, out),
        MemoryCommand::Report(args) => report::run(args, settings, out),
        MemoryCommand::Search(args) => search::run(args, settings, out),
        MemoryCommand::Linked(args) => linked::run(args, settings, out),
        MemoryCommand::Links(args) => links::run(args, settings, out),
        MemoryCommand::Sections(args) => sections::run(args, settings, out),
        MemoryCommand::Feedback(args) => feedback::run(args, settings, out),
        MemoryCommand::Inject(args) => inject::run(args, settings, out),
        MemoryCommand::Pin(command) => pin::run(command, settings, out),
        MemoryCommand::Stats(args) => stats::run(args, settings, out),
        MemoryCommand::Create(args) => create::run(args, settings, out),
        MemoryCommand::Append(args) => append::run(args, settings, out),
        MemoryCommand::Read(args) => read::run(args, settings, out),
        MemoryCommand::Update(args) => update::run(args, settings, out),
        MemoryCommand::Merge(args) => merge::run(args, settings, out),
        MemoryCommand::Export(args) => export::run(args, settings, out),
        MemoryCommand::Import(args) => import::run(args, settings, out),
        MemoryCommand::Delete(args) => trash::delete(args, settings, out),
        MemoryCommand::Restore(args) => trash::restore(args, settings, out),
    }
}

/// Returns whether a host calls the command at its own moments, where it has no bank to
/// expect and no reader for a failure.
fn is_hook(command: &Command) -> bool {
    let Command::Memory(command) = command else { return false };
    match command.as_ref() {
        MemoryCommand::Inject(args) => args.host.is_some_and(|name| inject::host(name).is_hook()),
        MemoryCommand::Linked(args) => args.host.is_some(),
        _ => false,
    }
}

fn filter(args: &FilterArgs) -> Filter {
    Filter {
        scope: args.scope.clone(),
        memory_type: args.memory_type,
        category: args.category.clone(),
        tags: args.tags.clone(),
        status: args.status,
        file: args.file.clone(),
    }
}

/// Several hints may be given in one argument, apart by white space or commas.
fn hints(given: &[String]) -> Vec<String> {
    let words = given.iter().flat_map(|hint| hint.split([' ', ',', '\t', '\n']));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Returns a place as people write it.
fn place(file: &str, symbol: Option<&str>) -> String {
    match symbol {
        Some(symbol) => format!("{file}::{symbol}"),
        None => file.to_owned(),
    }
}
