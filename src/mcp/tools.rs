//! The tools: names, descriptions, parameters and handlers.
//!
//! Some parameters are in snake case for compatibility with an older server. Unknown parameters are
//! an error.

use std::sync::atomic::AtomicBool;

use anyhow::Result;
use cerberus_bank::Workspace;
use cerberus_bank::ops::Progress;
use cerberus_model::error::UserError;
use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use rmcp::schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::schema;
use super::tool_result::ToolResult;
use crate::config::Settings;
use crate::mcp::ToolSet;

/// Declares the parameters of tools: JSON objects without unknown fields. The documentation of a
/// type is the description of its tool.
macro_rules! params {
    ($($(#[$doc:meta])* struct $name:ident $fields:tt)*) => {$(
        $(#[$doc])*
        #[derive(serde::Deserialize, rmcp::schemars::JsonSchema)]
        #[schemars(crate = "rmcp::schemars")]
        #[serde(deny_unknown_fields)]
        pub(super) struct $name $fields
    )*};
}

mod anchors;
mod documents;
mod pins;
mod search;

/// The context of a call.
pub(super) struct Call<'a> {
    pub(super) settings: Settings,
    pub(super) session: &'a str,
    /// Whether the session has its pins.
    pub(super) has_pins: &'a AtomicBool,
    /// The name of the client, as it introduced itself.
    pub(super) client: &'a str,
    pub(super) progress: Progress<'a>,
}

impl Call<'_> {
    fn project(&self) -> &Workspace {
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
    /// Creates a tool that is described by the documentation of its parameters.
    fn new<P: DeserializeOwned + JsonSchema + 'static>(
        name: &'static str,
        title: &'static str,
        effect: Effect,
        handler: fn(&Call<'_>, P) -> Result<ToolResult>,
    ) -> Self {
        let (description, schema) = schema::of::<P>();
        let listed = Listed::new(name, description, schema)
            .with_title(title)
            .with_annotations(annotations(effect));
        let handler = move |call: &Call<'_>, arguments: JsonObject| {
            let params = serde_json::from_value(Value::Object(arguments)).map_err(|error| {
                UserError::usage(format!("the arguments of `{name}` are not valid: {error}"))
                    .hint(format!("see the input schema of `{name}`"))
            })?;
            handler(call, params)
        };
        Self {
            listed,
            handler: Box::new(handler),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.listed.name
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
const CORE: &[&str] = &[
    "search_memories",
    "find_anchor",
    "inject_context",
    "create_memory",
    "reanchor_memories",
];

/// Returns the tools of a set.
pub(super) fn all(set: ToolSet) -> Vec<Tool> {
    let mut tools = search::tools();
    tools.extend(anchors::tools());
    tools.extend(documents::tools());
    tools.extend(pins::tools());
    tools.retain(|tool| set == ToolSet::All || CORE.contains(&tool.name()));
    tools
}

#[cfg(test)]
mod tests {
    use cerberus_bank::tokens;
    use rmcp::model::ListToolsResult;

    use super::*;

    fn cost(set: ToolSet) -> usize {
        let listed = all(set).into_iter().map(|tool| tool.listed).collect();
        let mut result = ListToolsResult::with_all_items(listed);
        result.result_type = None;
        tokens::count(&serde_json::to_string(&result).expect("it is JSON"))
    }

    #[test]
    fn the_tools_stay_within_the_documented_token_counts() {
        let core = cost(ToolSet::Core);
        let all = cost(ToolSet::All);
        assert!(core <= 1200, "{core} tokens");
        assert!(all <= 3000, "{all} tokens");
    }

    #[test]
    fn each_tool_is_described_and_listed_once() {
        let tools = all(ToolSet::All);
        assert_eq!(tools.len(), 22);
        for tool in &tools {
            let listed = &tool.listed;
            assert!(
                listed.title.is_some() && listed.description.is_some(),
                "{}",
                tool.name()
            );
            assert_eq!(listed.input_schema["type"], "object", "{}", tool.name());
            assert_eq!(
                tools
                    .iter()
                    .filter(|other| other.name() == tool.name())
                    .count(),
                1
            );
        }
        assert_eq!(all(ToolSet::Core).len(), CORE.len());
    }
}
