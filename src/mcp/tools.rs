//! The tools: names, descriptions, parameters and handlers.
//!
//! Some parameters are in snake case for compatibility with an older server. Unknown parameters are
//! an error.

use anyhow::Result;
use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use rmcp::schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::config::Settings;
use crate::error::UserError;
use crate::mcp::ToolSet;
use crate::ops::{Progress, Project};

use super::schema;
use super::tool_result::ToolResult;

mod anchors;
mod changes;
mod documents;
mod pins;
mod search;

/// The context of a call.
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

/// The effect of a call on the bank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    Reads,
    /// Adds data; a second call may add it again.
    Adds,
    /// Changes data; a second call has no further effect.
    Idempotent,
    /// Overwrites or removes data.
    Replaces,
}

type Handler = Box<dyn Fn(&Call<'_>, JsonObject) -> Result<ToolResult> + Send + Sync>;

pub(super) struct Tool {
    pub(super) listed: Listed,
    handler: Handler,
}

impl Tool {
    fn new<P: DeserializeOwned + JsonSchema + 'static>(
        (name, title): (&'static str, &'static str),
        effect: Effect,
        description: &'static str,
        handler: fn(&Call<'_>, P) -> Result<ToolResult>,
    ) -> Self {
        let listed = Listed::new(name, description, schema::of::<P>())
            .with_title(title)
            .with_annotations(annotations(effect));
        let handler = move |call: &Call<'_>, arguments: JsonObject| {
            let params = serde_json::from_value(Value::Object(arguments)).map_err(|error| {
                UserError::usage(format!("the arguments of `{name}` are not valid: {error}"))
                    .hint(format!("see the input schema of `{name}`"))
            })?;
            handler(call, params)
        };
        Self { listed, handler: Box::new(handler) }
    }

    pub(super) fn name(&self) -> &str {
        &self.listed.name
    }

    /// Whether `name` is the name of the tool, or an alias.
    pub(super) fn has_name(&self, name: &str) -> bool {
        self.name() == if name == OLD_SEARCH { "search_memories" } else { name }
    }

    pub(super) fn call(&self, call: &Call<'_>, arguments: JsonObject) -> Result<ToolResult> {
        (self.handler)(call, arguments)
    }
}

/// Returns the annotations that differ from the defaults of the protocol.
fn annotations(effect: Effect) -> ToolAnnotations {
    let annotations = ToolAnnotations::new().open_world(false);
    match effect {
        Effect::Reads => annotations.read_only(true),
        Effect::Adds => annotations.destructive(false),
        Effect::Idempotent => annotations.destructive(false).idempotent(true),
        Effect::Replaces => annotations.destructive(true).idempotent(true),
    }
}

/// The minimal set of tools.
const CORE: &[&str] =
    &["search_memories", "find_anchor", "inject_context", "create_memory", "reanchor_memories"];

/// Unlisted alias of `search_memories`.
const OLD_SEARCH: &str = "memory_search";

/// Returns the tools of a set.
pub(super) fn all(set: ToolSet) -> Vec<Tool> {
    let tools = search::tools()
        .into_iter()
        .chain(anchors::tools())
        .chain(changes::tools())
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
    fn the_tools_stay_within_the_documented_token_counts() {
        let (core, all) = (cost(ToolSet::Core), cost(ToolSet::All));
        assert!(core <= 1200, "{core} tokens");
        assert!(all <= 3000, "{all} tokens");
    }

    #[test]
    fn each_tool_is_described_and_listed_once() {
        let tools = all(ToolSet::All);
        assert_eq!(tools.len(), 17);
        for tool in &tools {
            let listed = &tool.listed;
            assert!(listed.title.is_some() && listed.description.is_some(), "{}", tool.name());
            assert_eq!(listed.input_schema["type"], "object", "{}", tool.name());
            assert_eq!(tools.iter().filter(|it| it.name() == tool.name()).count(), 1);
        }
        assert_eq!(all(ToolSet::Core).len(), CORE.len());
    }
}
