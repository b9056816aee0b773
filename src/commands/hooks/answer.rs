//! The answers to events in the formats of the agents.

use serde_json::{Value, json};

use super::{HookEvent, HookTool};
use crate::commands::prelude::*;
use cerberus_bank::ops::envelope;
use cerberus_model::escaped;

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

/// Returns items with a title in an envelope, or an empty text if there are none.
pub(super) fn about(title: &str, items: &[String]) -> String {
    if items.is_empty() {
        return String::new();
    }
    envelope::wrapped(&escaped(&format!("{title}\n{}", listed(items))))
}

/// Prints a text as context for the model, in the form that the agent reads at this moment. Prints nothing
/// if the text is empty.
pub(super) fn print(
    tool: HookTool,
    moment: HookEvent,
    text: &str,
    out: &mut Printer,
) -> Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let is_stop = moment == HookEvent::Stop;
    match tool {
        HookTool::Opencode | HookTool::Git => {
            // The plugin adds the text to the prompt or to the result of the tool.
            out.line(text.trim_end_matches('\n'));
            Ok(())
        }
        // Claude Code gives the reason of a block to the model twice, and goes on with a context, too.
        HookTool::Claude if is_stop => out.json(&hook_output("Stop", text)),
        _ if is_stop => out.json(&json!({ "decision": "block", "reason": text })),
        HookTool::Cursor => out.json(&json!({ "additional_context": text })),
        // The CLI reads the first field, VS Code the second one.
        HookTool::Copilot => {
            let mut document = hook_output(event_name(tool, moment), text);
            document["additionalContext"] = text.into();
            out.json(&document)
        }
        HookTool::Claude | HookTool::Codex | HookTool::Gemini => {
            out.json(&hook_output(event_name(tool, moment), text))
        }
    }
}

/// Prints that a shell command is denied, with the reason for the model.
pub(super) fn deny(tool: HookTool, reason: &str, out: &mut Printer) -> Result<()> {
    let decision = json!({ "permissionDecision": "deny", "permissionDecisionReason": reason });
    let mut inner = decision.clone();
    inner["hookEventName"] = "PreToolUse".into();
    let nested = json!({ "hookSpecificOutput": inner });
    match tool {
        // The plugin throws the text.
        HookTool::Opencode | HookTool::Git => {
            out.line(reason);
            Ok(())
        }
        HookTool::Claude | HookTool::Codex => out.json(&nested),
        HookTool::Gemini => out.json(&json!({ "decision": "deny", "reason": reason })),
        HookTool::Cursor => out.json(&json!({
            "permission": "deny", "user_message": reason, "agent_message": reason,
        })),
        // The CLI reads the fields at the top, VS Code the others.
        HookTool::Copilot => {
            let mut document = decision;
            document["hookSpecificOutput"] = nested["hookSpecificOutput"].clone();
            out.json(&document)
        }
    }
}

/// Returns the document with a text for the model of Claude Code, Codex and Gemini CLI.
fn hook_output(event: &str, text: &str) -> Value {
    json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": text } })
}

/// Returns the name of a moment in the settings of an agent.
fn event_name(tool: HookTool, moment: HookEvent) -> &'static str {
    use HookEvent as Moment;
    let is_gemini = tool == HookTool::Gemini;
    match moment {
        Moment::SessionStart => "SessionStart",
        Moment::SubagentStart => "SubagentStart",
        Moment::Prompt if is_gemini => "BeforeAgent",
        Moment::Prompt => "UserPromptSubmit",
        _ if is_gemini => "AfterTool",
        Moment::Edit | Moment::Command if tool != HookTool::Copilot => "PreToolUse",
        _ => "PostToolUse",
    }
}
