//! The prompts: texts that a person sends to the agent by name.

use anyhow::Result;
use rmcp::model::{JsonObject, Prompt, PromptArgument};

use crate::commands::inject;
use crate::commands::review::{self, ReviewArgs};
use cerberus_bank::ops::envelope;
use cerberus_model::error::UserError;

use super::tools::Call;

const CONTEXT: &str = "context";
const ANCHOR_RULES: &str = "anchor_rules";

/// The tool with which an agent answers [`ANCHOR_RULES`].
const ANCHOR_TOOL: &str = "anchor_memory";

/// Maximum number of rules in a prompt without an argument: an agent calls two tools for each.
const MAX_RULES: usize = 20;

const ANCHOR_RULES_INTRODUCTION: &str = "\
Choose the examples of the rules below: for each, the code of this project that shows it best. Take \
one rule after the other:
1. Think of 5-8 hints: identifiers, abbreviations or library calls that you expect in such code.
2. Call find_anchor with the text of the rule and the hints. Compare the five candidates; read a file \
if its excerpt does not suffice.
3. If one clearly follows the rule, store it: anchor_memory with the id and `to`.
4. Otherwise search once more with other hints. If the rule is about the work on the project, or no \
code can show it, refuse: anchor_memory with the id and `none: true`. If you are not sure, skip it.
A wrong example is worse than none. Finally tell the user what you stored, refused and skipped.
";

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
    let limit = match limit {
        Some(text) => text.trim().parse().map_err(|_| {
            UserError::usage(format!("`limit` is not a number: `{text}`"))
                .hint("pass a number, for example 10")
        })?,
        None => MAX_RULES,
    };
    let args = ReviewArgs { limit: Some(limit), ..ReviewArgs::default() };
    let report = review::list(&call.settings.project, &args, call.progress)?;
    if report.items.is_empty() {
        return Ok("No rule needs an example.".to_owned());
    }
    let mut list = String::new();
    for item in &report.items {
        let rule = item.rule.replace('\n', "\n  ");
        list.push_str(&format!(
            "- id: {}\n  rule: {rule}\n  state: {}\n",
            item.id, item.explanation
        ));
    }
    let list = envelope::wrapped(&list);
    let (n_listed, total) = (report.items.len(), report.total);
    Ok(format!("{ANCHOR_RULES_INTRODUCTION}\nThe rules, {n_listed} of {total}:\n{list}"))
}
