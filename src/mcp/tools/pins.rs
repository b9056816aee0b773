//! The tools for pins: `add_pin`, `list_pins` and `remove_pin`.

use anyhow::Result;
use cerberus_bank::ops::pins::{self, Filter, Request};
use cerberus_model::{PinScope, Priority};

use super::{Call, Effect, Tool};
use crate::mcp::schema;
use crate::mcp::tool_result::ToolResult;

params! {
    /// Add a short note to every context: for this session (scope session), permanently (persistent)
    /// or until it expires. Old info pins are removed when full.
    struct AddPin {
        content: String,
        #[serde(default)]
        #[schemars(schema_with = "schema::priority")]
        priority: Option<Priority>,
        #[serde(default)]
        #[schemars(schema_with = "schema::pin_scope")]
        scope: Option<PinScope>,
        /// E.g. 2h, 3d or a date
        expires: Option<String>,
        id: Option<String>,
        #[serde(default)]
        tags: Vec<String>,
    }

    /// List the pins and their token counts.
    struct ListPins {
        #[serde(default)]
        #[schemars(schema_with = "schema::priority")]
        priority: Option<Priority>,
        #[serde(default)]
        #[schemars(schema_with = "schema::pin_scope")]
        scope: Option<PinScope>,
        /// Only pins with all of them
        #[serde(default)]
        tags: Vec<String>,
    }

    /// Remove pins by id.
    struct RemovePin {
        ids: Vec<String>,
    }
}

/// Returns the tools, in the order in which they are listed.
pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new("add_pin", "Pin a note", Effect::Adds, add_pin),
        Tool::new("list_pins", "List pins", Effect::Reads, list_pins),
        Tool::new("remove_pin", "Remove pins", Effect::Replaces, remove_pin),
    ]
}

fn add_pin(call: &Call<'_>, params: AddPin) -> Result<ToolResult> {
    let request = Request {
        content: params.content,
        priority: params.priority.unwrap_or_default(),
        scope: params.scope,
        expires: params.expires,
        id: params.id,
        tags: params.tags,
        ..Request::default()
    };
    ToolResult::of(
        &pins::add(call.project(), &request, Some(call.session))?,
        "list_pins",
    )
}

fn list_pins(call: &Call<'_>, params: ListPins) -> Result<ToolResult> {
    let filter = Filter {
        priority: params.priority,
        scope: params.scope,
        tags: params.tags,
        ..Filter::default()
    };
    let report = pins::list(call.project(), &filter, false, Some(call.session))?;
    ToolResult::of(&report, "remove some with remove_pin")
}

fn remove_pin(call: &Call<'_>, params: RemovePin) -> Result<ToolResult> {
    ToolResult::of(
        &pins::remove(call.project(), &params.ids, Some(call.session))?,
        "list_pins",
    )
}
