//! The answers to edits and commands in the formats of the agents.

use anyhow::Result;
use serde_json::json;

use super::HookTool;
use crate::commands::inject::hook_output;
use crate::output::Printer;
use cerberus_model::text::plural;

/// Maximum number of items of a list.
const MAX_ITEMS: usize = 8;

/// Returns items as a list, one line each.
pub(super) fn listed(items: &[String]) -> String {
    let mut list: String = items.iter().take(MAX_ITEMS).map(|item| format!("- {item}\n")).collect();
    if items.len() > MAX_ITEMS {
        list.push_str(&format!("- and {}\n", plural(items.len() - MAX_ITEMS, "other")));
    }
    list
}

/// Prints a text as context for the model. The name of the event is the one in the settings.
pub(super) fn print(tool: HookTool, text: &str, out: &mut Printer) -> Result<()> {
    match tool {
        HookTool::Claude | HookTool::Codex => out.json(&hook_output("PreToolUse", text)),
        HookTool::Gemini => out.json(&hook_output("AfterTool", text)),
        HookTool::Cursor => out.json(&json!({ "additional_context": text })),
        HookTool::Copilot => out.json(&json!({ "additionalContext": text })),
        // The plugin appends the text to the result of the tool.
        HookTool::Opencode | HookTool::Git => {
            out.line(text.trim_end_matches('\n'));
            Ok(())
        }
    }
}

/// Like [`print()`], after a tool has run.
pub(super) fn print_after(tool: HookTool, text: &str, out: &mut Printer) -> Result<()> {
    match tool {
        HookTool::Claude | HookTool::Codex => out.json(&hook_output("PostToolUse", text)),
        _ => print(tool, text, out),
    }
}
