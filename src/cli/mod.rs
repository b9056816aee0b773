//! The command line: parses it, runs the command and turns its result into an exit status.
//!
//! Help is imperative and without a final period; each command's help ends with an example that
//! works. The arguments of a command are defined beside the command, in `commands`.

mod complete;
mod mcp;
mod memory;
mod usage;

use std::ffi::OsString;

use anyhow::Result;
use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

use crate::commands::check::CheckArgs;
use crate::commands::completions::CompletionsArgs;
use crate::commands::fleet::FleetCommand;
use crate::commands::hooks::HooksCommand;
use crate::commands::index::IndexArgs;
use crate::commands::inject::ClientProfile;
use crate::commands::setup::SetupArgs;
use crate::commands::trust::TrustArgs;
use crate::commands::{
    add, anchor, anchor_test, append, bank, check, completions, create, demo, doctor, export,
    feedback, fleet, hooks, import, index, init, inject, linked, links, merge, merge_lock, pattern,
    pin, read, reanchor, replay, report, review, review_diff, search, sections, setup, show, stats,
    trash, trust, update,
};
use crate::config::{self, ColorChoice, Folders, GlobalArgs, Settings, Terminal};
use crate::error::{ExitStatus, UserError};
use crate::mcp::McpArgs;
use crate::output::Printer;
use crate::{store, timings};

use memory::MemoryCommand;

/// Keep a project's rules anchored to the code that shows them
#[derive(Debug, Parser)]
#[command(name = "cerberus", version, max_term_width = 100, propagate_version = true)]
#[command(after_help = "\
Exit status: 0 done; 1 a check failed or nothing was found; 2 wrong usage or input; 3 the
environment failed (I/O, corrupt data, a lock held by another process).

Example: cerberus memory anchor-test \"close the session when the request ends\"")]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check that what documents say about the project is still true
    #[command(after_help = "\
Checks the links, paths, symbols, commands, variables, dependencies and versions that instruction
files (AGENTS.md, CLAUDE.md, CONTRIBUTING.md, ...), guides (README.md, ...), the documents that
instruction files name, and memories mention. An error is what was true in the commit that wrote its
line and is not true now; what was never true here (examples, placeholders, other projects) is shown
with --all only. With a bank, also its anchors, links, managed blocks and imported rules are checked.

A comment <!-- cerberus: ignore --> excludes its line, or the block after it if it is alone,
<!-- cerberus: ignore-file --> the document. `exclude` and `ignore` under [check] in cerberus.toml
exclude documents and claims.

Exit status: 0 nothing is out of date; 1 something is, or the baseline has findings that are gone.

Examples:
  cerberus check
  cerberus check --fix
  cerberus check AGENTS.md docs --all
  cerberus check --since origin/main --format github
  cerberus check --baseline .cerberus-baseline.json --update-baseline")]
    Check(CheckArgs),
    /// Manage memories, their anchors and their examples
    #[command(
        subcommand,
        after_help = "\
Terms:
  memory     a markdown file with a rule, a decision or a note
  bank       the folder of the memories, .memories/
  anchor     the link from a rule to the code that shows it, its example
  quality    how well code fits a rule, 0 to 1; an anchor is stored without asking only if the
             quality reaches the threshold (0.7 by default)
  hint       a keyword expected in the example, such as an identifier

Example: cerberus memory add \"Close the session when the request ends\" --hint close_db"
    )]
    Memory(Box<MemoryCommand>),
    /// Report the shared rules of many repositories
    #[command(subcommand)]
    Fleet(FleetCommand),
    /// Update the code index and print its statistics
    #[command(after_help = "Example: cerberus index --full")]
    Index(IndexArgs),
    /// Set up the agents of this project: the MCP server and the hooks
    #[command(after_help = "\
Without an agent, those are set up whose files the project has. The diff is shown, and written after
a question or with --yes. Comments, order and all other settings of a file are preserved, and entries
of cerberus that you edited stay as they are. --remove removes what was written, and the files and
folders in which nothing else remains. Without `cerberus` on PATH the hooks do nothing.

Codex reads `.codex` of trusted projects only; Codex, Copilot and Gemini CLI ask before they run the
hooks of a repository for the first time. For the cloud agent of Copilot add the server of
`.github/mcp.json` in the settings of the repository. The hook of git belongs to the clone, and is set
up by its name only.

Exit status of --check: 0 everything is up to date; 1 something is missing.

Examples:
  cerberus setup
  cerberus setup claude git --yes
  cerberus setup --check
  cerberus setup cursor --remove")]
    Setup(SetupArgs),
    /// Install agent and git hooks
    #[command(subcommand)]
    Hooks(HooksCommand),
    /// Serve the memory to an agent over the Model Context Protocol on stdin and stdout
    #[command(after_help = "\
The settings of --print-config belong in .mcp.json (claude), .codex/config.toml (codex),
.cursor/mcp.json (cursor), .vscode/mcp.json (vscode), .gemini/settings.json (gemini),
.github/mcp.json (copilot) or opencode.json (opencode). `cerberus setup` writes them.

Examples:
  cerberus mcp --print-config claude > .mcp.json
  cerberus mcp --tools core --print-config codex")]
    Mcp(McpArgs),
    /// Print the completion script of a shell
    #[command(after_help = "\
The script runs `cerberus`, which must be on PATH, to complete ids, scopes, tags, sections, files and
their symbols. Load it when the shell starts:

  bash        source <(cerberus completions bash)    in ~/.bashrc
  zsh         source <(cerberus completions zsh)     in ~/.zshrc, after compinit
  fish        cerberus completions fish | source     in ~/.config/fish/config.fish
  elvish      eval (cerberus completions elvish | slurp)    in ~/.config/elvish/rc.elv
  powershell  cerberus completions powershell | Out-String | Invoke-Expression    in $PROFILE

Example: cerberus completions bash > ~/.local/share/bash-completion/completions/cerberus")]
    Completions(CompletionsArgs),
    /// Diagnose problems and suggest fixes
    #[command(after_help = "\
Checks the configuration, the bank, the store, git and the client settings, and changes nothing.
Severities: `error` needs fixing, `unchecked` is a check that could not run, `info` is a remark. The
exit status is 3 with an unchecked finding, else 1 with an error, else 0.

Examples:
  cerberus doctor
  cerberus doctor --json --project ../shop")]
    Doctor,
    /// Allow this project to open a user bank
    #[command(after_help = "\
With `storage_strategy = \"user\"` the bank is in the user's data folder, and the remote or the git
folder names it. A repository can name the bank of another project, so a user bank opens only for a
root folder that you trust with it. The records are in `cerberus/trust.toml` in the user's
configuration folder. If the remote changes, the project needs a new consent. A bank named by the
path of the project needs none if the user's own configuration sets that strategy.

Examples:
  cerberus trust
  cerberus trust --list
  cerberus trust --remove --project ../shop")]
    Trust(TrustArgs),
    /// Run the main commands in a temporary repository and check each step
    #[command(after_help = "Example: cerberus demo")]
    Demo,
}

/// Parses a command line, runs it and returns how it ended.
pub(crate) fn run(args: impl IntoIterator<Item = OsString>) -> ExitStatus {
    let args: Vec<OsString> = args.into_iter().collect();
    if let Some(request) = config::completion_request()
        && let Some(words) = complete::words(&args)
    {
        return complete::run(words, &request);
    }
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        // Help goes to stdout, and writing it may fail like any other output.
        Err(error) if !error.use_stderr() => {
            let mut out = Printer::new(Terminal::detect(ColorChoice::Auto), false);
            let text = error.render();
            let text = if out.terminal.color { text.ansi().to_string() } else { text.to_string() };
            out.line(text.trim_end());
            return out.flush().map_or_else(|error| out.failure(&error), |()| ExitStatus::Done);
        }
        Err(error) => {
            // Without a command, the help is more useful than an error.
            if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
                // Ignored: without stderr there is no other place to report it.
                let _ = error.print();
                return ExitStatus::Usage;
            }
            let out = Printer::new(Terminal::detect(ColorChoice::Auto), false);
            return out.failure(&usage::error(&error, &args).into());
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
            // A failing hook would fail the agent or git.
            if is_hook(&cli.command) { ExitStatus::Done } else { status }
        }
    }
}

fn dispatch(cli: &Cli, out: &mut Printer) -> Result<ExitStatus> {
    match &cli.command {
        Command::Check(args) => {
            let settings = Settings::resolve(&cli.global)?;
            with_repair(&settings, out, |out| check::run(args, &settings, out))
        }
        Command::Completions(args) => completions::run(args, out),
        Command::Demo => demo::run(out),
        Command::Doctor => doctor::run(&cli.global, out),
        Command::Fleet(command) => fleet::run(command, &Folders::resolve()?, out),
        Command::Hooks(command) => hooks::run(command, &cli.global, out),
        Command::Index(args) => {
            let settings = Settings::resolve(&cli.global)?;
            with_repair(&settings, out, |out| index::run(args, &settings, out))
        }
        Command::Setup(args) => setup::run(args, &Settings::resolve(&cli.global)?, out),
        Command::Mcp(args) => mcp::run(args, &cli.global, out),
        Command::Trust(args) => trust::run(args, &cli.global, out),
        Command::Memory(command) => {
            let settings = {
                let _step = timings::step("read the configuration");
                Settings::resolve(&cli.global)?
            };
            let is_silent = !settings.memory_enabled || !settings.project.bank.exists();
            if is_silent && is_hook(&cli.command) {
                return Ok(ExitStatus::Done);
            }
            if !settings.memory_enabled {
                return Err(UserError::usage("memory is disabled for this project")
                    .hint("set `enabled = true` under `[memory]` in `cerberus.toml`")
                    .into());
            }
            with_repair(&settings, out, |out| memory(command, &settings, out))
        }
    }
}

/// Runs a command, and repeats it if the store was damaged.
fn with_repair(
    settings: &Settings,
    out: &mut Printer,
    run: impl Fn(&mut Printer) -> Result<ExitStatus>,
) -> Result<ExitStatus> {
    store::with_repair(&settings.project.store, |warning| {
        if let Some(warning) = warning {
            // The failed run may have printed.
            out.take();
            out.warn(&[warning]);
        }
        run(out)
    })
}

fn memory(command: &MemoryCommand, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    match command {
        MemoryCommand::Init => init::run(settings, out),
        MemoryCommand::Add(args) => add::run(args, settings, out),
        MemoryCommand::Anchor(args) => anchor::run(args, settings, out),
        MemoryCommand::AnchorTest(args) => anchor_test::run(args, settings, out),
        MemoryCommand::Show(args) => show::run(args, settings, out),
        MemoryCommand::Reanchor(args) => reanchor::run(args, settings, out),
        MemoryCommand::Replay(args) => replay::run(args, settings, out),
        MemoryCommand::Review(args) => review::run(args, settings, out),
        MemoryCommand::Pattern(args) => pattern::run(args, settings, out),
        MemoryCommand::ReviewDiff(args) => review_diff::run(args, settings, out),
        MemoryCommand::Report(args) => report::run(args, settings, out),
        MemoryCommand::Search(args) => search::run(args, settings, out),
        MemoryCommand::Linked(args) => linked::run(args, settings, out),
        MemoryCommand::Links(args) => links::run(args, settings, out),
        MemoryCommand::Sections(args) => sections::run(args, settings, out),
        MemoryCommand::Feedback(args) => feedback::run(args, settings, out),
        MemoryCommand::Inject(args) => inject::run(args, settings, out),
        MemoryCommand::Bank(command) => bank::run(command, settings, out),
        MemoryCommand::Pin(command) => pin::run(command, settings, out),
        MemoryCommand::Stats(args) => stats::run(args, settings, out),
        MemoryCommand::Create(args) => create::run(args, settings, out),
        MemoryCommand::Append(args) => append::run(args, settings, out),
        MemoryCommand::Read(args) => read::run(args, settings, out),
        MemoryCommand::Update(args) => update::run(args, settings, out),
        MemoryCommand::Merge(args) => merge::run(args, settings, out),
        MemoryCommand::MergeLock(args) => merge_lock::run(args, settings, out),
        MemoryCommand::Export(args) => export::run(args, settings, out),
        MemoryCommand::Import(args) => import::run(args, settings, out),
        MemoryCommand::Delete(args) => trash::run_delete(args, settings, out),
        MemoryCommand::Restore(args) => trash::run_restore(args, settings, out),
    }
}

/// Whether the command runs as a hook. A hook may run without a bank, and its failure must not
/// stop the program that runs it.
fn is_hook(command: &Command) -> bool {
    let command = match command {
        Command::Memory(command) => command,
        Command::Hooks(command) => return matches!(command, HooksCommand::Run(_)),
        _ => return false,
    };
    match command.as_ref() {
        MemoryCommand::Inject(args) => args.request.client.is_some_and(ClientProfile::is_hook),
        _ => false,
    }
}
