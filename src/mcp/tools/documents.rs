//! The tools that write and read memories.
#![cfg_attr(
    doc,
    expect(
        rustdoc::broken_intra_doc_links,
        reason = "a description shows a link of a memory"
    )
)]

use anyhow::Result;
use cerberus_model::{MemoryType, Scope, UserError};

use super::Call;
use crate::commands::add::{self, AddArgs};
use crate::commands::append::{self, AppendArgs};
use crate::commands::args::FieldArgs;
use crate::commands::create::{self, CreateArgs};
use crate::commands::merge::{self, MergeArgs};
use crate::commands::read::{self, ReadArgs};
use crate::commands::trash::{self, DeleteArgs};
use crate::commands::update::{self, UpdateArgs};
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

    #[doc = "Replace the text of a memory or of one section. Keeps the frontmatter and links to it."]
    struct UpdateMemory {
        #[serde(alias = "id")]
        filename: String,
        content: String,
        section: Option<String>,
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

pub(super) fn create_memory(call: &Call<'_>, params: CreateMemory) -> Result<ToolResult> {
    let given = |words: Vec<String>| Some(words).filter(|words| !words.is_empty());
    let fields = FieldArgs {
        memory_type: params.memory_type,
        scope: params.scope.as_deref().map(scope).transpose()?,
        paths: given(params.paths),
        tags: given(params.tags),
        hints: given(params.hints),
        ..FieldArgs::default()
    };
    let Some(name) = params.filename else {
        let args = AddArgs {
            text: params.content,
            fields,
            ..AddArgs::default()
        };
        return ToolResult::of(&add::add(call.project(), &args)?, MORE);
    };
    let args = CreateArgs {
        name,
        fields,
        ..CreateArgs::default()
    };
    ToolResult::of(
        &create::create(call.project(), &args, &params.content)?,
        MORE,
    )
}

pub(super) fn append_memory(call: &Call<'_>, params: AppendMemory) -> Result<ToolResult> {
    let args = AppendArgs {
        id: stem(&params.filename),
        ..AppendArgs::default()
    };
    ToolResult::of(
        &append::append(call.project(), &args, &params.content)?,
        MORE,
    )
}

pub(super) fn read_memory(call: &Call<'_>, params: ReadMemory) -> Result<ToolResult> {
    let args = ReadArgs {
        id: stem(&params.filename),
        sections: params.anchors,
        raw: false,
    };
    let report = read::read(call.project(), &args)?;
    ToolResult::of(
        &report,
        "list sections in `anchors`, or read its file in `.memories/`",
    )
}

pub(super) fn update_memory(call: &Call<'_>, params: UpdateMemory) -> Result<ToolResult> {
    let id = stem(&params.filename);
    let section = params.section;
    let args = UpdateArgs {
        id,
        section,
        ..UpdateArgs::default()
    };
    ToolResult::of(
        &update::update(call.project(), &args, Some(&params.content))?,
        MORE,
    )
}

pub(super) fn delete_memory(call: &Call<'_>, params: DeleteMemory) -> Result<ToolResult> {
    let args = DeleteArgs {
        ids: vec![stem(&params.filename)],
    };
    ToolResult::of(&trash::delete(call.project(), &args)?, "")
}

pub(super) fn merge_memories(call: &Call<'_>, params: MergeMemories) -> Result<ToolResult> {
    let args = MergeArgs {
        sources: params.source_files.iter().map(|file| stem(file)).collect(),
        into: params.target_file,
        ..MergeArgs::default()
    };
    let report = merge::merge(call.project(), &args, params.summary_content.as_deref())?;
    ToolResult::of(&report, "use read_memory to see the target")
}
