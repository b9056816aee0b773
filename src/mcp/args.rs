//! The arguments of `cerberus mcp`.

use clap::{Args, ValueEnum};

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
