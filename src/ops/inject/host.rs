//! What each host takes of a text before it cuts the rest off, often without a word.

use super::pack::Size;

/// Who the text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Host {
    /// A hook of Claude Code: what a hook adds to the context is cut at 10,000 characters
    /// (<https://code.claude.com/docs/en/hooks>).
    ClaudeHook,
    /// A hook of Codex: each hook's output is cut at about 2,500 tokens
    /// (<https://developers.openai.com/codex/hooks>).
    CodexHook,
    /// A hook of Gemini CLI, which takes JSON only and states no limit
    /// (<https://geminicli.com/docs/hooks/reference>).
    GeminiHook,
    /// A hook of Cursor, which takes JSON only and states no limit
    /// (<https://cursor.com/docs/agent/hooks>).
    CursorHook,
    /// `AGENTS.md`: Codex reads 32 KiB of it, `project_doc_max_bytes`
    /// (<https://developers.openai.com/codex/guides/agents-md>).
    AgentsMd,
    /// A rule of Cursor, which is to keep under 500 lines
    /// (<https://cursor.com/docs/context/rules>).
    Cursor,
    /// `.github/copilot-instructions.md`: a review reads the first 4,000 characters of it
    /// (<https://docs.github.com/en/copilot/tutorials/use-custom-instructions>).
    Copilot,
}

impl Host {
    /// Returns the most that the host takes.
    pub(crate) fn cap(self) -> Size {
        let cap = Size::UNLIMITED;
        match self {
            Self::ClaudeHook => Size { chars: 10_000, ..cap },
            Self::CodexHook => Size { tokens: 2_500, ..cap },
            Self::GeminiHook | Self::CursorHook => cap,
            Self::AgentsMd => Size { bytes: 32 * 1024, ..cap },
            Self::Cursor => Size { lines: 500, ..cap },
            Self::Copilot => Size { chars: 4_000, ..cap },
        }
    }

    /// Returns whether it is a hook, which is to fail in silence.
    pub(crate) fn is_hook(self) -> bool {
        matches!(self, Self::ClaudeHook | Self::CodexHook | Self::GeminiHook | Self::CursorHook)
    }
}
