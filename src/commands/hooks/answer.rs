//! The answers to events in the formats of the agents.

use anyhow::Result;
use cerberus_bank::ops::envelope;
use cerberus_model::escaped;
use cerberus_model::text::{plural, word_list};
use serde_json::Value;

use super::settings::name;
use super::{HookEvent, HookTool};
use crate::output::Printer;

/// Maximum number of items of a list.
const MAX_ITEMS: usize = 8;

/// Returns items as a list, one line each.
pub(super) fn listed(items: &[String]) -> String {
    let mut list: String = items
        .iter()
        .take(MAX_ITEMS)
        .map(|item| format!("- {item}\n"))
        .collect();
    if items.len() > MAX_ITEMS {
        list.push_str(&format!(
            "- and {}\n",
            plural(items.len() - MAX_ITEMS, "other")
        ));
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
    let kind = if moment == HookEvent::Stop {
        "stop"
    } else {
        "context"
    };
    if text.is_empty() {
        Ok(())
    } else {
        write((tool, moment), kind, text, out)
    }
}

/// Prints that a shell command is denied, with the reason for the model.
pub(super) fn deny(tool: HookTool, reason: &str, out: &mut Printer) -> Result<()> {
    write((tool, HookEvent::Command), "deny", reason, out)
}

fn write(
    (tool, moment): (HookTool, HookEvent),
    kind: &str,
    text: &str,
    out: &mut Printer,
) -> Result<()> {
    let agent = name(&tool);
    let mut forms = word_list::section(include_str!("answers.txt"), &agent);
    let form = forms.find_map(|form| form.strip_prefix(kind)?.strip_prefix(' '));
    let Some(form) = form else {
        out.line(text.trim_end_matches('\n'));
        return Ok(());
    };
    let form = form.replace("{event}", event_name(tool, moment));
    let document = form.replace("\"{text}\"", &Value::from(text).to_string());
    out.json(&serde_json::from_str::<Value>(&document)?)
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
