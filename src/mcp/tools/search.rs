//! Tools that read memories: `search_memories`, `search_linked_memories`, `inject_context` and
//! `get_memory_stats`.

use std::num::NonZeroUsize;
use std::sync::atomic::Ordering;

use anyhow::Result;
use cerberus_bank::ops::memories::Filter;
use cerberus_bank::ops::{envelope, linked, pins, search, stats};
use cerberus_brief::Request;
use cerberus_model::MemoryType;
use cerberus_store::given_rules;

use super::{Call, Effect, Tool};
use crate::agents::Agent;
use crate::commands::{hooks, inject};
use crate::mcp::schema;
use crate::mcp::tool_result::ToolResult;

const DEFAULT_LIMIT: usize = 5;

/// Age of the last rule that a hook gave from which its session is not that of a call.
const SESSION_MILLIS: i64 = 3600 * 1000;

/// Maximum number of warnings in the text of `inject_context`.
const MAX_WARNINGS: usize = 5;

params! {
    /// Search the project's rules, decisions and notes by their words (stems and parts of identifiers
    /// match, synonyms do not), optionally by type and tags. With includeContent returns the texts;
    /// with sections only those sections, with actualTokens, fullFileTokens and savingsPercent.
    struct SearchMemories {
        query: String,
        #[serde(default, rename = "includeContent")]
        include_content: bool,
        /// Section ids, e.g. summary
        #[serde(default)]
        sections: Vec<String>,
        limit: Option<usize>,
        /// Only memories with all of them
        #[serde(default)]
        filter_tags: Vec<String>,
        #[serde(default)]
        #[schemars(schema_with = "schema::memory_type")]
        filter_type: Option<MemoryType>,
        /// Only memories that apply to this file
        path: Option<String>,
    }

    /// search_memories by the ids of sections (anchors).
    struct SearchSections {
        query: String,
        #[serde(default)]
        anchors: Vec<String>,
        #[serde(default, rename = "includeContent")]
        include_content: bool,
        limit: Option<usize>,
    }

    /// Memories that link to a file or symbol, are anchored to it or apply to it by their paths, with
    /// the sentence around each link. Call before you change that code.
    struct SearchLinkedMemories {
        /// Path, path::Symbol or memory:id
        target_document: String,
        query: Option<String>,
        limit: Option<usize>,
    }

    /// The pins, rules and current code examples that are relevant for a task or for files, within a
    /// token budget. Call it first. The pins come with the first call, and with one without arguments.
    struct InjectContext {
        /// The task at hand
        query: Option<String>,
        /// Paths you are about to change
        #[serde(default)]
        files: Vec<String>,
        /// Tokens, default 1500
        budget: Option<usize>,
    }

    /// Counts of memories by type, scope and status, states of anchors, broken links.
    struct GetMemoryStats {}
}

/// Returns the tools, in the order in which they are listed.
pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "search_memories",
            "Search memories",
            Effect::Reads,
            search_memories,
        ),
        Tool::new(
            "memory_search",
            "Search sections",
            Effect::Reads,
            search_sections,
        ),
        Tool::new(
            "search_linked_memories",
            "Memories about code",
            Effect::Reads,
            search_linked,
        ),
        Tool::new(
            "inject_context",
            "Context for a task",
            Effect::Reads,
            inject_context,
        ),
        Tool::new(
            "get_memory_stats",
            "Memory statistics",
            Effect::Reads,
            get_stats,
        ),
    ]
}

fn search_memories(call: &Call<'_>, params: SearchMemories) -> Result<ToolResult> {
    let filter = Filter {
        tags: params.filter_tags,
        memory_type: params.filter_type,
        path: params.path,
        ..Filter::default()
    };
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT).max(1);
    let request = search::Request {
        query: vec![params.query],
        limit: NonZeroUsize::new(limit),
        sections: params.sections,
        content: params.include_content,
        filter,
        ..search::Request::default()
    };
    let report = search::search(call.project(), &request)?;
    ToolResult::of(
        &report,
        "lower `limit`, set `sections`, or read one with read_memory",
    )
}

fn search_sections(call: &Call<'_>, params: SearchSections) -> Result<ToolResult> {
    let SearchSections {
        query,
        anchors: sections,
        include_content,
        limit,
    } = params;
    let filter_tags = Vec::new();
    let filter_type = None;
    let path = None;
    let params = SearchMemories {
        query,
        include_content,
        sections,
        limit,
        filter_tags,
        filter_type,
        path,
    };
    let found = search_memories(call, params)?;
    Ok(found.also_named("results", "tokenMetrics", "token_metrics"))
}

fn search_linked(call: &Call<'_>, params: SearchLinkedMemories) -> Result<ToolResult> {
    // Agents pass an empty query to mean no query.
    let query = params.query.filter(|query| !query.trim().is_empty());
    // In the older server a target of links is a node of this name.
    let target = params.target_document.as_str();
    let target = target.strip_prefix("ghost:").unwrap_or(target);
    let mut report = linked::linked(call.project(), target, query.as_deref())?;
    if let Some(limit) = params.limit {
        report.memories.truncate(limit.max(1));
    }
    ToolResult::of(&report, "add a `query`")
}

fn inject_context(call: &Call<'_>, params: InjectContext) -> Result<ToolResult> {
    let is_general = params.query.is_none() && params.files.is_empty();
    let had_pins = call.has_pins.swap(true, Ordering::Relaxed);
    let project = call.project();
    let loaded = pins::load(project, Some(call.session))?;
    let occasion = inject::occasion(project, params.query, &params.files, false)?;
    let mut request = Request::new(occasion, params.budget.unwrap_or(project.inject.budget));
    if is_general || !had_pins {
        request.pins = loaded.injected(project);
    }
    let since = project.now.as_millisecond() - SESSION_MILLIS;
    let session = given_rules::only_session(project.store()?.reader(), since)?;
    let agent = Agent::of_client(call.client).filter(|_| session.is_some());
    let reader = agent.and_then(|agent| agent.loads.as_ref());
    let mut report = hooks::give(project, reader, session.as_deref(), request)?;
    report.warnings.splice(0..0, loaded.warnings);
    let mut text = match report.text.clone() {
        empty if empty.is_empty() && session.is_some() => {
            "No pins or memories are relevant that this session does not have already.\n".to_owned()
        }
        empty if empty.is_empty() => "No pins or memories are relevant.\n".to_owned(),
        text => text,
    };
    for warning in report.warnings.iter().take(MAX_WARNINGS) {
        text.push_str(&format!("warning: {}\n", envelope::escaped(warning)));
    }
    Ok(ToolResult::text(text))
}

fn get_stats(call: &Call<'_>, _: GetMemoryStats) -> Result<ToolResult> {
    ToolResult::of(
        &stats::stats(call.project(), &stats::Request::default())?,
        "search_memories lists memories",
    )
}
