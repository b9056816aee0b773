//! The tools that write and read memories.
#![cfg_attr(
    doc,
    expect(
        rustdoc::broken_intra_doc_links,
        reason = "a description shows a link of a memory"
    )
)]

use anyhow::Result;
use cerberus_bank::ops::fields::Fields;
use cerberus_bank::ops::update::{self, Append, Update};
use cerberus_bank::ops::{add, create, merge, read, trash};
use cerberus_model::{MemoryStatus, MemoryType, Scope, UserError};

use super::{Call, Effect, Tool};
use crate::commands::args;
use crate::mcp::schema;
use crate::mcp::tool_result::ToolResult;

/// Hint for a truncated answer.
const MORE: &str = "use read_memory to see it";

pub(super) fn scope(text: &str) -> Result<Scope> {
    text.parse()
        .map_err(|error: String| UserError::usage(error).into())
}

/// Returns the id that belongs to a file name.
fn stem(filename: &str) -> String {
    filename.strip_suffix(".md").unwrap_or(filename).to_owned()
}

params! {
    /// Store a rule, decision, fact or note. Without filename: a short rule, named after its text and
    /// anchored to its best example in the code; pass 5-8 hints: identifiers, abbreviations or
    /// library calls of that code. With filename: a document (default type journal). [[path::Symbol]]
    /// in the text links to code.
    struct CreateMemory {
        content: String,
        filename: Option<String>,
        #[serde(default)]
        #[schemars(schema_with = "schema::memory_type")]
        memory_type: Option<MemoryType>,
        #[serde(default)]
        tags: Vec<String>,
        #[serde(default)]
        hints: Vec<String>,
        /// universal, language:go or project
        scope: Option<String>,
        /// Globs of the files it applies to
        #[serde(default)]
        paths: Vec<String>,
    }

    /// Append text to a memory, unless it already ends with it.
    struct AppendMemory {
        #[serde(alias = "id")]
        filename: String,
        content: String,
    }

    /// The text and metadata of a memory, or only the sections listed in anchors.
    struct ReadMemory {
        /// Or id
        #[serde(alias = "id")]
        filename: String,
        #[serde(default)]
        anchors: Vec<String>,
    }

    #[doc = "Replace the text of a memory or of one section, its tags or its status. Keeps the rest of the frontmatter and links to it."]
    struct UpdateMemory {
        #[serde(alias = "id")]
        filename: String,
        content: Option<String>,
        section: Option<String>,
        /// All tags
        tags: Option<Vec<String>>,
        #[serde(default)]
        #[schemars(schema_with = "schema::memory_status")]
        status: Option<MemoryStatus>,
    }

    /// Move a memory to the trash.
    struct DeleteMemory {
        #[serde(alias = "id")]
        filename: String,
    }

    /// Merge several memories into one: moves the sources to the trash and redirects links to the
    /// target. To set frontmatter, start summary_content with it; that of the sources is lost.
    struct MergeMemories {
        source_files: Vec<String>,
        target_file: String,
        /// Text of the target instead of the texts of the sources
        summary_content: Option<String>,
    }
}

/// Returns the tools, in the order in which they are listed.
pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "create_memory",
            "Create a memory",
            Effect::Adds,
            create_memory,
        ),
        Tool::new(
            "append_memory",
            "Append to a memory",
            Effect::Idempotent,
            append_memory,
        ),
        Tool::new("read_memory", "Read a memory", Effect::Reads, read_memory),
        Tool::new(
            "update_memory",
            "Replace a memory's text",
            Effect::Replaces,
            update_memory,
        ),
        Tool::new(
            "delete_memory",
            "Delete a memory",
            Effect::Replaces,
            delete_memory,
        ),
        Tool::new(
            "merge_memories",
            "Merge memories",
            Effect::Replaces,
            merge_memories,
        ),
    ]
}

fn create_memory(call: &Call<'_>, params: CreateMemory) -> Result<ToolResult> {
    let given = |words: Vec<String>| Some(words).filter(|words| !words.is_empty());
    let fields = Fields {
        memory_type: params.memory_type,
        scope: params.scope.as_deref().map(scope).transpose()?,
        paths: given(params.paths),
        tags: given(params.tags),
        hints: given(params.hints),
        ..Fields::default()
    };
    let Some(name) = params.filename else {
        let request = add::Request {
            text: params.content,
            fields,
            ..add::Request::default()
        };
        return ToolResult::of(&add::add(call.project(), &request)?, MORE);
    };
    let request = create::Request {
        name,
        content: params.content,
        fields,
        ..create::Request::default()
    };
    ToolResult::of(&create::create(call.project(), &request)?, MORE)
}

fn append_memory(call: &Call<'_>, params: AppendMemory) -> Result<ToolResult> {
    let request = Append {
        id: stem(&params.filename),
        content: params.content,
        ..Append::default()
    };
    ToolResult::of(&update::append(call.project(), &request)?, MORE)
}

fn read_memory(call: &Call<'_>, params: ReadMemory) -> Result<ToolResult> {
    let request = read::Request {
        id: stem(&params.filename),
        sections: args::ids(&params.anchors),
        raw: false,
    };
    let report = read::read(call.project(), &request)?;
    ToolResult::of(
        &report,
        "list sections in `anchors`, or read its file in `.memories/`",
    )
}

fn update_memory(call: &Call<'_>, params: UpdateMemory) -> Result<ToolResult> {
    let request = Update {
        id: stem(&params.filename),
        content: params.content,
        section: params.section,
        fields: Fields {
            tags: params.tags,
            status: params.status,
            ..Fields::default()
        },
        ..Update::default()
    };
    ToolResult::of(&update::update(call.project(), &request)?, MORE)
}

fn delete_memory(call: &Call<'_>, params: DeleteMemory) -> Result<ToolResult> {
    let ids = [stem(&params.filename)];
    ToolResult::of(&trash::delete(call.project(), &ids)?, "")
}

fn merge_memories(call: &Call<'_>, params: MergeMemories) -> Result<ToolResult> {
    let request = merge::Request {
        sources: params.source_files.iter().map(|file| stem(file)).collect(),
        into: params.target_file,
        content: params.summary_content,
        allow_secrets: false,
    };
    let report = merge::merge(call.project(), &request)?;
    ToolResult::of(&report, "use read_memory to see the target")
}
