//! The tools that find what is known: `memory_search`, `search_memories`,
//! `search_linked_memories`, `inject_context` and `get_memory_stats`.

use anyhow::Result;
use rmcp::schemars::{self, JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use crate::commands::inject;
use crate::mcp::schema;
use crate::mcp::tool_result::ToolResult;
use crate::model::MemoryType;
use crate::ops::memories::Filter;
use crate::ops::{linked, search, stats};

use super::{Call, Effect, Tool};

const LIMIT: usize = 5;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            ("memory_search", "Search memory, by sections"),
            Effect::Reads,
            "Search the project's rules, decisions and notes by meaning and words. With \
             includeContent returns the texts; with anchors only those sections, with \
             actualTokens, fullFileTokens and savingsPercent.",
            memory_search,
        ),
        Tool::new(
            ("search_memories", "Search memories by type and tags"),
            Effect::Reads,
            "Which memories speak of something, filtered by type and tags; without their texts.",
            search_memories,
        ),
        Tool::new(
            ("search_linked_memories", "Memories about code"),
            Effect::Reads,
            "Memories that link to a file or symbol, or are anchored there, with the sentence \
             around each link. Ask before changing that code.",
            search_linked_memories,
        ),
        Tool::new(
            ("inject_context", "Context for a task"),
            Effect::Reads,
            "The pins, rules and live code examples that matter for a task or for files, within a \
             token budget. Call it first.",
            inject_context,
        ),
        Tool::new(
            ("get_memory_stats", "Memory statistics"),
            Effect::Reads,
            "Counts of memories by type, scope and status, state of the anchors, broken links.",
            get_memory_stats,
        ),
    ]
}

/// Returns the schema of a memory's type.
pub(super) fn memory_type(_: &mut SchemaGenerator) -> Schema {
    let spellings: Vec<&str> = MemoryType::ALL.iter().map(|it| it.as_str()).collect();
    schema::one_of(&spellings)
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct MemorySearch {
    query: String,
    #[serde(default)]
    include_content: bool,
    /// Section ids, e.g. summary
    #[serde(default)]
    anchors: Vec<String>,
    limit: Option<usize>,
}

fn memory_search(call: &Call<'_>, params: MemorySearch) -> Result<ToolResult> {
    let request = search::Request {
        sections: params.anchors,
        content: params.include_content,
        ..request(params.query, params.limit)
    };
    let report = search::search(call.project(), &request)?;
    ToolResult::of(
        &report,
        "lower `limit`, name sections in `anchors`, or read one with read_memory",
    )
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
#[serde(deny_unknown_fields)]
struct SearchMemories {
    query: String,
    limit: Option<usize>,
    /// All of them
    #[serde(default)]
    filter_tags: Vec<String>,
    #[serde(default)]
    #[schemars(schema_with = "memory_type")]
    filter_type: Option<MemoryType>,
}

fn search_memories(call: &Call<'_>, params: SearchMemories) -> Result<ToolResult> {
    let filter =
        Filter { tags: params.filter_tags, memory_type: params.filter_type, ..Filter::default() };
    let request = search::Request { filter, ..request(params.query, params.limit) };
    ToolResult::of(&search::search(call.project(), &request)?, "lower `limit`")
}

fn request(query: String, limit: Option<usize>) -> search::Request {
    search::Request {
        query,
        sections: Vec::new(),
        content: false,
        filter: Filter::default(),
        since: None,
        until: None,
        superseded: false,
        limit: limit.unwrap_or(LIMIT).max(1),
    }
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
#[serde(deny_unknown_fields)]
struct SearchLinkedMemories {
    /// Path, path::Symbol or memory:id
    target_document: String,
    query: Option<String>,
}

fn search_linked_memories(call: &Call<'_>, params: SearchLinkedMemories) -> Result<ToolResult> {
    let request = linked::Request {
        about: linked::About::Target(params.target_document),
        // An agent that has nothing to rank by leaves it empty.
        query: params.query.filter(|query| !query.trim().is_empty()),
        superseded: false,
    };
    ToolResult::of(&linked::linked(call.project(), &request)?, "add a `query`")
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
#[serde(deny_unknown_fields)]
struct InjectContext {
    /// The task at hand
    query: Option<String>,
    /// Paths you are about to change
    #[serde(default)]
    files: Vec<String>,
    /// Tokens, default 1500
    budget: Option<usize>,
}

fn inject_context(call: &Call<'_>, params: InjectContext) -> Result<ToolResult> {
    let request = inject::Request {
        budget: params.budget,
        query: params.query,
        files: params.files,
        ..inject::Request::default()
    };
    let report = inject::inject(call.project(), &request, Some(call.session))?;
    let text = report.text.clone();
    // The text says what the lists say: they would only cost the budget once more.
    let answer =
        ToolResult::of(&report, "ask with a higher `budget`, or read one with read_memory")?;
    Ok(answer.omit(&["pins", "memories"]).with_text(text).with_limit(params.budget))
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
#[serde(deny_unknown_fields)]
struct GetMemoryStats {}

fn get_memory_stats(call: &Call<'_>, _: GetMemoryStats) -> Result<ToolResult> {
    ToolResult::of(&stats::stats(call.project(), false)?, "search_memories lists memories")
}
