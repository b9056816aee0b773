//! The agents, the files that show that a project uses them, and the files that `setup` writes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use cerberus_engine::tree::git;
use cerberus_model::text::word_list;
use clap::ValueEnum;
use serde::Serialize;

use crate::commands::hooks::HookTool;

/// A program that `setup` configures.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize
)]
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

impl Agent {
    /// Returns the name on the command line.
    pub(crate) fn name(self) -> String {
        self.to_possible_value()
            .map(|value| value.get_name().to_owned())
            .unwrap_or_default()
    }

    /// Returns the files of a kind that the agent has.
    pub(crate) fn files_of(self, kind: &str) -> Vec<&'static str> {
        let name = self.name();
        let files = word_list::section(include_str!("agents.txt"), &name);
        files
            .filter_map(|line| line.strip_prefix(kind)?.strip_prefix(' '))
            .collect()
    }

    /// Returns the files of all agents in which cerberus may be set up.
    pub(crate) fn all_settings() -> BTreeSet<&'static str> {
        let of = |it: &Self| {
            ["hooks", "own-hooks", "server"]
                .map(|kind| it.files_of(kind))
                .concat()
        };
        Self::value_variants().iter().flat_map(of).collect()
    }

    pub(super) fn file(self, kind: &str) -> Option<&'static str> {
        self.files_of(kind).pop()
    }

    /// Whether the project has files of the agent.
    pub(crate) fn is_in(self, root: &Path) -> bool {
        self.files_of("sign")
            .iter()
            .any(|file| root.join(file).exists())
    }

    /// Returns the settings with the hooks that the agent runs, if it has any.
    pub(crate) fn hooks(self) -> Option<&'static str> {
        let agent = if self == Self::Vscode {
            Self::Copilot
        } else {
            self
        };
        agent.file("hooks")
    }

    /// Returns the files to write, with their contents. None outside a repository for git.
    pub(super) fn files(self, root: &Path) -> Vec<(PathBuf, Vec<Content>)> {
        use Content::{Hooks, Server};
        if self == Self::Git {
            let hook = git::hook(root, "pre-commit");
            return hook
                .into_iter()
                .map(|path| (path, vec![Hooks(HookTool::Git)]))
                .collect();
        }
        let mut server = self.file("server").unwrap_or_default();
        if self == Self::Opencode && root.join("opencode.jsonc").exists() {
            server = "opencode.jsonc";
        }
        let mut files = vec![(root.join(server), vec![Server(self)])];
        match self
            .file("hooks")
            .zip(HookTool::from_str(&self.name(), false).ok())
        {
            Some((file, tool)) if file == server => files[0].1.push(Hooks(tool)),
            Some((file, tool)) => files.push((root.join(file), vec![Hooks(tool)])),
            None => {}
        }
        files
    }
}
