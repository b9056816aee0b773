//! The answers to events in the formats of the agents.

use anyhow::Result;
use cerberus_bank::ops::envelope;
use cerberus_model::escaped;
use cerberus_model::text::plural;
use serde_json::Value;

use super::HookEvent;
use crate::agents::Agent;
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

/// Prints a text for the model, in the form that the agent reads at this moment. Prints nothing if the text is
/// empty.
pub(super) fn print(agent: &Agent, moment: HookEvent, text: &str, out: &mut Printer) -> Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let answer = agent.hooks.as_ref().and_then(|hooks| match moment {
        HookEvent::Stop => hooks.stop(text),
        _ => hooks.context(&moment.name(), text),
    });
    write(answer, text, out)
}

/// Prints that a shell command is denied, with the reason for the model.
pub(super) fn deny(agent: &Agent, reason: &str, out: &mut Printer) -> Result<()> {
    let answer = agent.hooks.as_ref().and_then(|hooks| hooks.deny(reason));
    write(answer, reason, out)
}

/// Prints the JSON of an answer, or the text for an agent that reads plain text.
fn write(answer: Option<String>, text: &str, out: &mut Printer) -> Result<()> {
    let Some(answer) = answer else {
        out.line(text.trim_end_matches('\n'));
        return Ok(());
    };
    out.json(&serde_json::from_str::<Value>(&answer)?)
}
