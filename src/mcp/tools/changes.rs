//! The tool `check_change`.

use anyhow::Result;
use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;

use crate::commands::review_diff::{self, ReviewDiffArgs};
use crate::mcp::tool_result::ToolResult;

use super::{Call, Effect, Tool};

pub(super) fn tools() -> Vec<Tool> {
    vec![Tool::new(
        ("check_change", "Check a change against the rules"),
        Effect::Reads,
        "After editing code: the added lines that hit the pattern of a rule, with the example to \
         imitate.",
        check_change,
    )]
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
#[serde(deny_unknown_fields)]
struct CheckChange {
    /// Default: HEAD
    since: Option<String>,
}

fn check_change(call: &Call<'_>, params: CheckChange) -> Result<ToolResult> {
    let args = ReviewDiffArgs { revision: params.since, ..ReviewDiffArgs::default() };
    let report = review_diff::review(call.project(), &args)?;
    ToolResult::of(&report, "fix these and call again")
}
