//! The tools: a table of names, words for the agent that chooses, and handlers.
//!
//! Each handler's parameters stand beside it. The seed tools keep the spelling of their
//! parameters; an unknown parameter is refused by its name.

use anyhow::Result;
use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use rmcp::schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::config::Settings;
use crate::error::UserError;
use crate::mcp::ToolSet;
use crate::ops::{Progress, Project};

use super::answer::Answer;
use super::schema;

mod anchors;
mod documents;
mod pins;
mod search;

/// What a call works with.
pub(super) struct Call<'a> {
    pub(super) settings: Settings,
    pub(super) session: &'a str,
    pub(super) progress: Progress<'a>,
}

impl Call<'_> {
    fn project(&self) -> &Project {
        &self.settings.project
    }
}

/// What calling a tool does to the bank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    Reads,
    /// Adds, and may add again.
    Adds,
    /// Changes what is there, to the same however often it is called.
    Settles,
    /// Takes the place of what was there.
    Replaces,
}

type Handler = Box<dyn Fn(&Call<'_>, JsonObject) -> Result<Answer> + Send + Sync>;

/// A tool.
pub(super) struct Tool {
    pub(super) listed: Listed,
    handler: Handler,
}

impl Tool {
    fn new<P: DeserializeOwned + JsonSchema + 'static>(
        (name, title): (&'static str, &'static str),
        effect: Effect,
        description: &'static str,
        handler: fn(&Call<'_>, P) -> Result<Answer>,
    ) -> Self {
        let listed = Listed::new(name, description, schema::of::<P>())
            .with_title(title)
            .with_annotations(annotations(effect));
        let handler = move |call: &Call<'_>, arguments: JsonObject| {
            let params = serde_json::from_value(Value::Object(arguments)).map_err(|error| {
                UserError::usage(format!("the arguments of `{name}` do not fit: {error}"))
                    .hint(format!("look at the input schema of `{name}`"))
            })?;
            handler(call, params)
        };
        Self { listed, handler: Box::new(handler) }
    }

    pub(super) fn name(&self) -> &str {
        &self.listed.name
    }

    /// Returns whether a client that calls the tool `name` means this one.
    pub(super) fn has_name(&self, name: &str) -> bool {
        self.name() == if name == OLD_SEARCH { "search_memories" } else { name }
    }

    pub(super) fn call(&self, call: &Call<'_>, arguments: JsonObject) -> Result<Answer> {
        (self.handler)(call, arguments)
    }
}

/// Returns the hints that are not their protocol's default.
fn annotations(effect: Effect) -> ToolAnnotations {
    let hints = ToolAnnotations::new().open_world(false);
    match effect {
        Effect::Reads => hints.read_only(true),
        Effect::Adds => hints.destructive(false),
        Effect::Settles => hints.destructive(false).idempotent(true),
        Effect::Replaces => hints.destructive(true).idempotent(true),
    }
}

/// The tools that an agent gets by with.
const CORE: &[&str] =
    &["search_memories", "find_anchor", "inject_context", "create_memory", "reanchor_memories"];

/// Unlisted alias of `search_memories`.
const OLD_SEARCH: &str = "memory_search";

/// Returns the tools of a set.
pub(super) fn all(set: ToolSet) -> Vec<Tool> {
    let tools = search::tools()
        .into_iter()
        .chain(anchors::tools())
        .chain(documents::tools())
        .chain(pins::tools());
    tools.filter(|tool| set == ToolSet::All || CORE.contains(&tool.name())).collect()
}

#[cfg(test)]
mod tests {
    use rmcp::model::ListToolsResult;

    use super::*;
    use crate::tokens;

    fn cost(set: ToolSet) -> usize {
        let listed = all(set).into_iter().map(|tool| tool.listed).collect();
        let mut result = ListToolsResult::with_all_items(listed);
        result.result_type = None;
        tokens::count(&serde_json::to_string(&result).expect("it is JSON"))
    }

    #[test]
    fn the_tools_cost_no_more_than_is_promised() {
        let (core, all) = (cost(ToolSet::Core), cost(ToolSet::All));
        assert!(core <= 1200, "{core} tokens");
        assert!(all <= 3000, "{all} tokens");
    }

    #[test]
    fn each_tool_can_be_chosen_and_is_there_once() {
        let tools = all(ToolSet::All);
        assert_eq!(tools.len(), 16);
        for tool in &tools {
            let listed = &tool.listed;
            assert!(listed.title.is_some() && listed.description.is_some(), "{}", tool.name());
            assert_eq!(listed.input_schema["type"], "object", "{}", tool.name());
            assert_eq!(tools.iter().filter(|it| it.name() == tool.name()).count(), 1);
        }
        assert_eq!(all(ToolSet::Core).len(), CORE.len());
    }
}
