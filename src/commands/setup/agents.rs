//! The agents, the files that show that a project uses them, and the files that `setup` writes.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;

use super::McpClient;
use crate::commands::hooks::HookTool;
use crate::tree::git;

/// A program that `setup` configures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Agent {
    /// Claude Code: .mcp.json, .claude/settings.json
    Claude,
    /// Codex: .codex/config.toml, .codex/hooks.json
    Codex,
    /// Cursor: .cursor/mcp.json, .cursor/hooks.json
    Cursor,
    /// Gemini CLI: .gemini/settings.json
    Gemini,
    /// GitHub Copilot CLI and cloud agent: .github/mcp.json, .github/hooks/cerberus.json
    Copilot,
    /// VS Code: .vscode/mcp.json
    Vscode,
    /// opencode: opencode.json, .opencode/plugins/cerberus.js
    Opencode,
    /// git: the pre-commit hook of this clone
    Git,
}

/// What a settings file contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Server(McpClient),
    Hooks(HookTool),
}

impl Agent {
    /// All agents.
    pub(super) const ALL: [Self; 8] = [
        Self::Claude,
        Self::Codex,
        Self::Cursor,
        Self::Gemini,
        Self::Copilot,
        Self::Vscode,
        Self::Opencode,
        Self::Git,
    ];

    /// Returns the name on the command line.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Gemini => "gemini",
            Self::Copilot => "copilot",
            Self::Vscode => "vscode",
            Self::Opencode => "opencode",
            Self::Git => "git",
        }
    }

    /// Whether the project has files of the agent. The hook of git belongs to a clone, not to the
    /// project, so it is set up by name only.
    pub(super) fn is_in(self, root: &Path) -> bool {
        let files: &[&str] = match self {
            Self::Claude => &[".claude", "CLAUDE.md", ".mcp.json"],
            Self::Codex => &[".codex"],
            Self::Cursor => &[".cursor", ".cursorrules"],
            Self::Gemini => &[".gemini", "GEMINI.md"],
            Self::Copilot => &[
                ".github/copilot-instructions.md",
                ".github/instructions",
                ".github/hooks",
                ".github/mcp.json",
            ],
            Self::Vscode => &[".vscode/mcp.json"],
            Self::Opencode => &[".opencode", "opencode.json", "opencode.jsonc"],
            Self::Git => &[],
        };
        files.iter().any(|file| root.join(file).exists())
    }

    /// Returns the files to write, with their contents. None outside a repository for git.
    pub(super) fn files(self, root: &Path) -> Vec<(PathBuf, Vec<Content>)> {
        use Content::{Hooks, Server};
        let both = |server: &str, client, hooks: &str, tool| {
            vec![(root.join(server), vec![Server(client)]), (root.join(hooks), vec![Hooks(tool)])]
        };
        match self {
            Self::Claude => {
                both(".mcp.json", McpClient::Claude, ".claude/settings.json", HookTool::Claude)
            }
            Self::Codex => {
                both(".codex/config.toml", McpClient::Codex, ".codex/hooks.json", HookTool::Codex)
            }
            Self::Cursor => {
                both(".cursor/mcp.json", McpClient::Cursor, ".cursor/hooks.json", HookTool::Cursor)
            }
            Self::Gemini => {
                let contents = vec![Server(McpClient::Gemini), Hooks(HookTool::Gemini)];
                vec![(root.join(".gemini/settings.json"), contents)]
            }
            Self::Copilot => both(
                ".github/mcp.json",
                McpClient::Copilot,
                ".github/hooks/cerberus.json",
                HookTool::Copilot,
            ),
            Self::Vscode => {
                vec![(root.join(".vscode/mcp.json"), vec![Server(McpClient::Vscode)])]
            }
            Self::Opencode => {
                let has_comments = root.join("opencode.jsonc").exists();
                let settings = if has_comments { "opencode.jsonc" } else { "opencode.json" };
                let plugin = ".opencode/plugins/cerberus.js";
                both(settings, McpClient::Opencode, plugin, HookTool::Opencode)
            }
            Self::Git => {
                let hook = git::hook(root, "pre-commit");
                hook.into_iter().map(|path| (path, vec![Hooks(HookTool::Git)])).collect()
            }
        }
    }
}
