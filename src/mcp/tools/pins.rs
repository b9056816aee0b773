//! The tools for pins: `add_pin`, `list_pins` and `remove_pin`.

use anyhow::Result;
use rmcp::schemars::{self, JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use crate::mcp::schema;
use crate::mcp::tool_result::ToolResult;
use crate::model::{PinScope, Priority};
use crate::ops::pins::{self, Filter, Request};

use super::{Call, Effect, Tool};

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            ("add_pin", "Pin a note"),
            Effect::Adds,
            "Add a short note to every context: for this session (scope session), permanently \
             (persistent) or until it expires. Old info pins are removed when full.",
            add_pin,
        ),
        Tool::new(
            ("list_pins", "List pins"),
            Effect::Reads,
            "List the pins and their token counts.",
            list_pins,
        ),
        Tool::new(
            ("remove_pin", "Remove pins"),
            Effect::Replaces,
            "Remove pins by id.",
            remove_pin,
        ),
    ]
}

fn priority(_: &mut SchemaGenerator) -> Schema {
    let spellings: Vec<&str> = Priority::ALL.iter().map(|it| it.as_str()).collect();
    schema::one_of(&spellings)
}

fn scope(_: &mut SchemaGenerator) -> Schema {
    let spellings: Vec<&str> = PinScope::ALL.iter().map(|it| it.as_str()).collect();
    schema::one_of(&spellings)
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
#[serde(deny_unknown_fields)]
struct AddPin {
    content: String,
    #[serde(default)]
    #[schemars(schema_with = "priority")]
    priority: Option<Priority>,
    #[serde(default)]
    #[schemars(schema_with = "scope")]
    scope: Option<PinScope>,
    /// E.g. 2h, 3d or a date
    expires: Option<String>,
}

fn add_pin(call: &Call<'_>, params: AddPin) -> Result<ToolResult> {
    let request = Request {
        content: params.content,
        priority: params.priority.unwrap_or_default(),
        scope: params.scope,
        expires: params.expires,
        ..Request::default()
    };
    ToolResult::of(&pins::add(call.project(), &request, Some(call.session))?, "list_pins")
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
#[serde(deny_unknown_fields)]
struct ListPins {}

fn list_pins(call: &Call<'_>, _: ListPins) -> Result<ToolResult> {
    let report = pins::list(call.project(), &Filter::default(), false, Some(call.session))?;
    ToolResult::of(&report, "remove some with remove_pin")
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
#[serde(deny_unknown_fields)]
struct RemovePin {
    ids: Vec<String>,
}

fn remove_pin(call: &Call<'_>, params: RemovePin) -> Result<ToolResult> {
    ToolResult::of(&pins::remove(call.project(), &params.ids, Some(call.session))?, "list_pins")
}
