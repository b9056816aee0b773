//! The clients that read the injected text, and the size at which each truncates it.

use cerberus_brief::Cost;
use clap::ValueEnum;

/// The client that reads the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClientProfile {
    // https://code.claude.com/docs/en/hooks
    /// Hook of Claude Code: 10,000 characters
    ClaudeHook,
    // https://developers.openai.com/codex/hooks
    /// Hook of Codex: 2,500 tokens
    CodexHook,
    // https://docs.github.com/en/copilot/reference/hooks-reference: 10 KB for the output of a tool.
    #[value(skip)]
    CopilotHook,
    /// A hook of an agent that documents no limit, such as Gemini CLI and Cursor.
    #[value(skip)]
    OtherHook,
    // `project_doc_max_bytes` of https://developers.openai.com/codex/guides/agents-md
    /// AGENTS.md: 32 KiB
    AgentsMd,
    // https://cursor.com/docs/context/rules
    /// Rule file of Cursor: 500 lines
    Cursor,
    // https://docs.github.com/en/copilot/tutorials/use-custom-instructions
    /// copilot-instructions.md: 4,000 characters
    Copilot,
}

impl ClientProfile {
    /// Returns the size limit of the client.
    pub(crate) fn limit(self) -> Cost {
        let limit = Cost::UNLIMITED;
        match self {
            Self::ClaudeHook => Cost {
                chars: 10_000,
                ..limit
            },
            Self::CodexHook => Cost {
                tokens: 2_500,
                ..limit
            },
            Self::CopilotHook => Cost {
                bytes: 10_000,
                ..limit
            },
            Self::OtherHook => limit,
            Self::AgentsMd => Cost {
                bytes: 32 * 1024,
                ..limit
            },
            Self::Cursor => Cost {
                lines: 500,
                ..limit
            },
            Self::Copilot => Cost {
                chars: 4_000,
                ..limit
            },
        }
    }

    /// Whether the client is a hook: a failing command would fail the hook's host.
    pub(crate) fn is_hook(self) -> bool {
        !matches!(self, Self::AgentsMd | Self::Cursor | Self::Copilot)
    }
}
