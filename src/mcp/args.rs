//! The arguments of `cerberus mcp`.

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// Offer all tools, or a minimal set
    #[arg(long, value_name = "SET", default_value = "all")]
    pub(crate) tools: ToolSet,
    /// Print the settings with which a client starts the server, and exit
    #[arg(long, value_name = "CLIENT")]
    pub(crate) print_config: Option<McpClient>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolSet {
    /// All tools, at most 3,000 tokens
    All,
    /// Search, anchor, inject, create and re-anchor, at most 1,200 tokens
    Core,
}

/// The client that starts the server.
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
