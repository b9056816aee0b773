//! The clients that read the injected text, and the size at which each truncates it.

use clap::ValueEnum;

use serde_json::{Value, json};

use super::pack::Cost;

/// The client that reads the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClientProfile {
    // https://code.claude.com/docs/en/hooks
    /// Hook of Claude Code: 10,000 characters
    ClaudeHook,
    // https://developers.openai.com/codex/hooks
    /// Hook of Codex: 2,500 tokens
    CodexHook,
    // https://geminicli.com/docs/hooks/reference documents no limit.
    /// Hook of Gemini CLI: JSON
    GeminiHook,
    // https://cursor.com/docs/agent/hooks documents no limit.
    /// Hook of Cursor: JSON
    CursorHook,
    // https://docs.github.com/en/copilot/reference/hooks-reference: 10 KB for the output of a tool.
    /// Hook of GitHub Copilot: JSON, 10 KB
    CopilotHook,
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
            Self::ClaudeHook => Cost { chars: 10_000, ..limit },
            Self::CodexHook => Cost { tokens: 2_500, ..limit },
            Self::GeminiHook | Self::CursorHook => limit,
            Self::CopilotHook => Cost { bytes: 10_000, ..limit },
            Self::AgentsMd => Cost { bytes: 32 * 1024, ..limit },
            Self::Cursor => Cost { lines: 500, ..limit },
            Self::Copilot => Cost { chars: 4_000, ..limit },
        }
    }

    /// Whether the client is a hook: a failing command would fail the hook's host.
    pub(crate) fn is_hook(self) -> bool {
        !matches!(self, Self::AgentsMd | Self::Cursor | Self::Copilot)
    }

    /// Returns the document in which the client reads a text at the start of a session; `None` if
    /// it reads plain text.
    pub(crate) fn document(self, text: &str) -> Option<Value> {
        match self {
            Self::GeminiHook => Some(hook_output("SessionStart", text)),
            Self::CursorHook => Some(json!({ "additional_context": text })),
            Self::CopilotHook => Some(json!({ "additionalContext": text })),
            _ => None,
        }
    }
}

/// Returns the document with a text for the model of Claude Code, Codex and Gemini CLI.
pub(crate) fn hook_output(event: &str, text: &str) -> Value {
    json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": text } })
}
