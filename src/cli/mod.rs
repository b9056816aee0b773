//! The command line: types and help text. Runs nothing.
//!
//! Help is imperative and without a final period; each command's help ends with an
//! example that works.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

mod documents;
mod memory;
mod pin;

pub(crate) use documents::{
    AppendArgs, CreateArgs, ExportArgs, ImportArgs, MergeArgs, ReadArgs, UpdateArgs,
};
pub(crate) use memory::{
    AddArgs, AnchorArgs, AnchorTestArgs, CommitHost, DeleteArgs, FeedbackArgs, FilterArgs,
    HostName, InjectArgs, InjectFormat, LinkedArgs, LinksArgs, LinksFormat, MemoryCommand,
    ReanchorArgs, ReportArgs, ReportFormat, RestoreArgs, SearchArgs, SectionsArgs, ShowArgs,
    StatsArgs,
};
pub(crate) use pin::{PinCommand, PinFilterArgs, SessionArgs};

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

/// What every command takes.
#[derive(Debug, Clone, Args)]
pub(crate) struct GlobalArgs {
    /// Work on the project in this folder instead of the one around the current folder
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        value_hint = clap::ValueHint::DirPath,
        help_heading = "Global options"
    )]
    pub(crate) project: Option<PathBuf>,
    /// Print one JSON document (JSON Lines where a command says so)
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,
    /// Colour the output
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Global options"
    )]
    pub(crate) color: ColorChoice,
    /// Print on stderr where the time went
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) timings: bool,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Keep, find and follow rules and their examples
    #[command(subcommand)]
    Memory(Box<MemoryCommand>),
    /// Bring the code index up to date and say what it holds
    #[command(after_help = "Example: cerberus index --full")]
    Index(IndexArgs),
    /// Have agents and git call cerberus at the right moments
    #[command(subcommand)]
    Hooks(HooksCommand),
    /// Serve the memory to an agent, by the Model Context Protocol on stdin and stdout
    #[command(after_help = "\
The settings that --print-config prints go to .mcp.json (claude), .codex/config.toml (codex),
.cursor/mcp.json (cursor), .vscode/mcp.json (vscode), .gemini/settings.json (gemini) or
opencode.json (opencode).

Examples:
  cerberus mcp --print-config claude > .mcp.json
  cerberus mcp --tools core --print-config codex")]
    Mcp(McpArgs),
    /// Print the completion script of a shell
    #[command(after_help = "\
Ids, scopes, tags, sections, files and their symbols are completed as they are at that moment, by
calling `cerberus`, which PATH must find. Load the script when the shell starts:

  bash        source <(cerberus completions bash)    in ~/.bashrc
  zsh         source <(cerberus completions zsh)     in ~/.zshrc, after compinit
  fish        cerberus completions fish | source     in ~/.config/fish/config.fish
  elvish      eval (cerberus completions elvish | slurp)    in ~/.config/elvish/rc.elv
  powershell  cerberus completions powershell | Out-String | Invoke-Expression    in $PROFILE

Example: cerberus completions bash > ~/.local/share/bash-completion/completions/cerberus")]
    Completions(CompletionsArgs),
    /// Say what is wrong with this bank, index, git and configuration, and what mends it
    #[command(after_help = "\
Nothing is changed. Each finding comes with its next step. What is wrong or could not be looked at
fails the check: the exit status is 1 if something needs mending, 3 if something could not be looked
at, and 0 if there are only remarks.

Examples:
  cerberus doctor
  cerberus doctor --json --project ../shop")]
    Doctor,
    /// Show the whole life cycle on a throw-away repository, each step checked
    #[command(after_help = "Example: cerberus demo")]
    Demo,
}

#[derive(Debug, Args)]
pub(crate) struct IndexArgs {
    /// Parse every file, not only those that a rule needs
    #[arg(long)]
    pub(crate) full: bool,
}

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

#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// Offer all tools, or the few that an agent gets by with
    #[arg(long, value_name = "SET", default_value = "all")]
    pub(crate) tools: ToolSet,
    /// Print the settings with which a client starts the server
    #[arg(long, value_name = "CLIENT")]
    pub(crate) print_config: Option<McpClient>,
}

/// Which tools are offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolSet {
    /// Every tool, for at most 3,000 tokens
    All,
    /// Searching, finding, injecting, creating and following, for at most 1,200
    Core,
}

/// What starts the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum McpClient {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
    /// Cursor
    Cursor,
    /// VS Code
    Vscode,
    /// Gemini CLI
    Gemini,
    /// opencode
    Opencode,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}
