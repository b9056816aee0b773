//! The arguments of `cerberus mcp`.

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// Offer all tools, or a minimal set
    #[arg(long, value_name = "SET", default_value = "all")]
    pub(crate) tools: ToolSet,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolSet {
    /// All tools, at most 3,000 tokens
    All,
    /// Search, anchor, inject, create and re-anchor, at most 1,200 tokens
    Core,
}
