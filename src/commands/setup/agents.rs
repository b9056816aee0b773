//! The agents, the files that show that a project uses them, and the files that `setup` writes.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;

use crate::commands::hooks::HookTool;
use cerberus_engine::tree::git;

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
    /// Antigravity: .agents/mcp_config.json
    Antigravity,
    /// opencode: opencode.json, .opencode/plugins/cerberus.js
    Opencode,
    /// git: the pre-commit hook of this clone
    Git,
}

/// What a settings file contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Server(Agent),
    Hooks(HookTool),
}

/// The files that show that a project uses an agent, the file with the server, and the one with the
/// hooks.
type AgentFiles = (&'static [&'static str], &'static str, Option<(&'static str, HookTool)>);

impl Agent {
    /// Returns the name on the command line.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Returns the files of an agent. The hook of git belongs to a clone, not to the project, so it
    /// is set up by name only.
    fn agent_files(self) -> AgentFiles {
        match self {
            Self::Claude => (
                &[".claude", "CLAUDE.md", ".mcp.json"],
                ".mcp.json",
                Some((".claude/settings.json", HookTool::Claude)),
            ),
            Self::Codex => {
                (&[".codex"], ".codex/config.toml", Some((".codex/hooks.json", HookTool::Codex)))
            }
            Self::Cursor => (
                &[".cursor", ".cursorrules"],
                ".cursor/mcp.json",
                Some((".cursor/hooks.json", HookTool::Cursor)),
            ),
            Self::Gemini => (
                &[".gemini", "GEMINI.md"],
                ".gemini/settings.json",
                Some((".gemini/settings.json", HookTool::Gemini)),
            ),
            Self::Copilot => (
                &[
                    ".github/copilot-instructions.md",
                    ".github/instructions",
                    ".github/hooks",
                    ".github/mcp.json",
                ],
                ".github/mcp.json",
                Some((".github/hooks/cerberus.json", HookTool::Copilot)),
            ),
            Self::Vscode => (&[".vscode/mcp.json"], ".vscode/mcp.json", None),
            Self::Antigravity => {
                (&[".agents/mcp_config.json", ".agents/rules"], ".agents/mcp_config.json", None)
            }
            Self::Opencode => (
                &[".opencode", "opencode.json", "opencode.jsonc"],
                "opencode.json",
                Some((".opencode/plugins/cerberus.js", HookTool::Opencode)),
            ),
            Self::Git => (&[], "", None),
        }
    }

    /// Whether the project has files of the agent.
    pub(crate) fn is_in(self, root: &Path) -> bool {
        self.agent_files().0.iter().any(|file| root.join(file).exists())
    }

    /// Returns the settings with the hooks that the agent runs, if it has any.
    pub(crate) fn hooks(self) -> Option<&'static str> {
        let agent = if self == Self::Vscode { Self::Copilot } else { self };
        agent.agent_files().2.map(|(file, _)| file)
    }

    /// Returns the files to write, with their contents. None outside a repository for git.
    pub(super) fn files(self, root: &Path) -> Vec<(PathBuf, Vec<Content>)> {
        use Content::{Hooks, Server};
        if self == Self::Git {
            let hook = git::hook(root, "pre-commit");
            return hook.into_iter().map(|path| (path, vec![Hooks(HookTool::Git)])).collect();
        }
        let (_, mut server, hooks) = self.agent_files();
        if self == Self::Opencode && root.join("opencode.jsonc").exists() {
            server = "opencode.jsonc";
        }
        let mut files = vec![(root.join(server), vec![Server(self)])];
        match hooks {
            Some((file, tool)) if file == server => files[0].1.push(Hooks(tool)),
            Some((file, tool)) => files.push((root.join(file), vec![Hooks(tool)])),
            None => {}
        }
        files
    }
}
