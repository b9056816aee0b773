//! The prompts: texts that a person sends to the agent by name.

use anyhow::Result;
use rmcp::model::{JsonObject, Prompt, PromptArgument};

use crate::commands::inject;
use crate::commands::review::ReviewArgs;
use crate::commands::review::reader;
use cerberus_bank::ops::memories::Memories;
use cerberus_model::{UserError, plural};

use super::tools::Call;

const CONTEXT: &str = "context";
const ANCHOR_RULES: &str = "anchor_rules";

/// The tool with which an agent answers [`ANCHOR_RULES`].
const ANCHOR_TOOL: &str = "settle_rules";

const ANCHOR_RULES_TEXT: &str = include_str!("anchor_rules.txt");

/// Returns the prompts that need only these tools.
pub(super) fn all(has_tool: impl Fn(&str) -> bool) -> Vec<Prompt> {
    let task = PromptArgument::new("task").with_description("The task");
    let file = PromptArgument::new("file").with_description("The file to change");
    let description = "The project's pins, rules and examples for a task";
    let context = Prompt::new(CONTEXT, Some(description), Some(vec![task, file]));
    let mut prompts = vec![context.with_title("Project context")];
    if has_tool(ANCHOR_TOOL) {
        let limit = PromptArgument::new("limit").with_description("The maximum number of rules");
        let description = "Choose the examples of the rules whose example is not sure";
        let prompt = Prompt::new(ANCHOR_RULES, Some(description), Some(vec![limit]));
        prompts.push(prompt.with_title("Anchor rules"));
    }
    prompts
}

/// Returns the text of a prompt.
pub(super) fn text(call: &Call<'_>, name: &str, arguments: &JsonObject) -> Result<String> {
    let argument = |key: &str| -> Result<Option<String>> {
        let Some(value) = arguments.get(key) else { return Ok(None) };
        let text = value.as_str().ok_or_else(|| {
            UserError::usage(format!("`{key}` is not a string: `{value}`"))
                .hint("pass the arguments of a prompt as strings")
        })?;
        Ok(Some(text.to_owned()).filter(|text| !text.trim().is_empty()))
    };
    if name == ANCHOR_RULES {
        return anchor_rules(call, argument("limit")?);
    }
    let request = inject::Request {
        query: argument("task")?,
        files: argument("file")?.into_iter().collect(),
        ..inject::Request::default()
    };
    let text = inject::inject(&call.settings.project, &request, Some(call.session))?.text;
    Ok(if text.is_empty() { "No memories match.".to_owned() } else { text })
}

fn anchor_rules(call: &Call<'_>, limit: Option<String>) -> Result<String> {
    let memories = Memories::load(&call.settings.project)?;
    let (open, _) = reader::open_rules(&memories, &ReviewArgs::default())?;
    let wanted = match limit {
        Some(text) => text.trim().parse().map_err(|_| {
            UserError::usage(format!("`limit` is not a number: `{text}`"))
                .hint("pass a number, for example 10")
        })?,
        None => open.len(),
    };
    if open.is_empty() {
        return Ok("No rule needs an example.".to_owned());
    }
    let n_rules = plural(open.len(), "rule");
    let wanted = wanted.min(open.len());
    Ok(format!(
        "{ANCHOR_RULES_TEXT}\n{n_rules} without an example; decide about {wanted} of them.\n"
    ))
}
