//! The tools that write and read memories, by the names that the seeds gave them.

use anyhow::Result;
use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;

use crate::error::UserError;
use crate::mcp::tool_result::ToolResult;
use crate::model::{MemoryType, Scope};
use crate::ops::{add, append, create, merge, read, trash, update};

use super::search::memory_type;
use super::{Call, Effect, Tool};

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            ("create_memory", "Create a memory"),
            Effect::Adds,
            "Keep a rule, decision, fact or note. Without filename: a short rule, named by its \
             text and anchored at once to the code that shows it; so give 5-8 hints: identifiers, \
             abbreviations or library calls of that code. With filename: a document \
             (default type journal). [[path::Symbol]] in the text links to code.",
            create_memory,
        ),
        Tool::new(
            ("append_memory", "Append to a memory"),
            Effect::Idempotent,
            "Add text at the end of a memory; the same text is not added twice.",
            append_memory,
        ),
        Tool::new(
            ("read_memory", "Read a memory"),
            Effect::Reads,
            "A memory's text and metadata, or just the sections named in anchors.",
            read_memory,
        ),
        Tool::new(
            ("update_memory", "Replace a memory's text"),
            Effect::Replaces,
            "Replace the text of a memory, or of one section. Frontmatter and links to it stay.",
            update_memory,
        ),
        Tool::new(
            ("delete_memory", "Delete a memory"),
            Effect::Replaces,
            "Move a memory to the trash.",
            delete_memory,
        ),
        Tool::new(
            ("merge_memories", "Merge memories"),
            Effect::Replaces,
            "Make one memory of several: sources go to the trash, links lead to the target. \
             Begin summary_content with new frontmatter to set any; that of sources is not kept.",
            merge_memories,
        ),
    ]
}

/// Returns the scope that is spelled so.
pub(super) fn scope(text: &str) -> Result<Scope> {
    text.parse().map_err(|error: String| UserError::usage(error).into())
}

/// Returns the id or name that a file name means.
fn stem(filename: &str) -> String {
    filename.strip_suffix(".md").unwrap_or(filename).to_owned()
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
#[serde(deny_unknown_fields)]
struct CreateMemory {
    content: String,
    filename: Option<String>,
    #[serde(default)]
    #[schemars(schema_with = "memory_type")]
    memory_type: Option<MemoryType>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    hints: Vec<String>,
    /// universal, language:go or project
    scope: Option<String>,
}

fn create_memory(call: &Call<'_>, params: CreateMemory) -> Result<ToolResult> {
    let scope = params.scope.as_deref().map(scope).transpose()?;
    let more = "read_memory shows it";
    let Some(filename) = params.filename else {
        let request = add::Request {
            text: params.content,
            id: None,
            memory_type: params.memory_type.unwrap_or(MemoryType::Rule),
            category: None,
            scope,
            tags: params.tags,
            hints: params.hints,
            anchor_to: None,
            no_anchor: false,
            min_quality: call.project().min_quality,
            allow_secret: false,
        };
        return ToolResult::of(&add::add(call.project(), &request)?, more);
    };
    let request = create::Request {
        name: stem(&filename),
        id: None,
        content: params.content,
        memory_type: params.memory_type,
        category: None,
        scope,
        tags: params.tags,
        hints: params.hints,
        allow_secret: false,
    };
    ToolResult::of(&create::create(call.project(), &request)?, more)
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
#[serde(deny_unknown_fields)]
struct AppendMemory {
    #[serde(alias = "id")]
    filename: String,
    content: String,
}

fn append_memory(call: &Call<'_>, params: AppendMemory) -> Result<ToolResult> {
    let request = append::Request {
        id: stem(&params.filename),
        content: params.content,
        section: None,
        allow_secret: false,
    };
    ToolResult::of(&append::append(call.project(), &request)?, "read_memory shows it")
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
#[serde(deny_unknown_fields)]
struct ReadMemory {
    /// Or id
    #[serde(alias = "id")]
    filename: String,
    #[serde(default)]
    anchors: Vec<String>,
}

fn read_memory(call: &Call<'_>, params: ReadMemory) -> Result<ToolResult> {
    let request =
        read::Request { id: stem(&params.filename), sections: params.anchors, raw: false };
    let report = read::read(call.project(), &request)?;
    ToolResult::of(&report, "name sections in `anchors`, or read the resource `memory://ID`")
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
#[serde(deny_unknown_fields)]
struct UpdateMemory {
    #[serde(alias = "id")]
    filename: String,
    content: String,
    section: Option<String>,
}

fn update_memory(call: &Call<'_>, params: UpdateMemory) -> Result<ToolResult> {
    let request = update::Request {
        id: stem(&params.filename),
        content: Some(params.content),
        section: params.section,
        replace_frontmatter: false,
        settings: update::Settings::default(),
        allow_secret: false,
    };
    ToolResult::of(&update::update(call.project(), &request)?, "read_memory shows it")
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
#[serde(deny_unknown_fields)]
struct DeleteMemory {
    #[serde(alias = "id")]
    filename: String,
}

fn delete_memory(call: &Call<'_>, params: DeleteMemory) -> Result<ToolResult> {
    ToolResult::of(&trash::delete(call.project(), &[stem(&params.filename)])?, "")
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
#[serde(deny_unknown_fields)]
struct MergeMemories {
    source_files: Vec<String>,
    target_file: String,
    /// Instead of the sources' texts
    summary_content: Option<String>,
}

fn merge_memories(call: &Call<'_>, params: MergeMemories) -> Result<ToolResult> {
    let request = merge::Request {
        sources: params.source_files.iter().map(|file| stem(file)).collect(),
        into: stem(&params.target_file),
        content: params.summary_content,
        allow_secret: false,
    };
    ToolResult::of(&merge::merge(call.project(), &request)?, "read_memory shows the target")
}
