//! The tools around examples: `find_anchor`, `anchor_memory` and `reanchor_memories`.

use anyhow::Result;
use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;

use crate::engine::examples::{self, Options, Query};
use crate::error::UserError;
use crate::mcp::tool_result::ToolResult;
use crate::model::{Scope, State};
use crate::ops::anchor::{self, Choice};
use crate::ops::memories::{self, Filter};
use crate::ops::reanchor::{self, Mode};

use super::{Call, Effect, Tool};

/// How many candidates an agent chooses from.
const CANDIDATES: usize = 5;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            ("find_anchor", "Find the code that shows a rule"),
            Effect::Reads,
            "The five symbols of the project that show a rule best, each with its first lines. \
             Choose one and store it with anchor_memory. Give 5-8 hints: identifiers, \
             abbreviations or library calls you expect in such code; they decide most.",
            find_anchor,
        ),
        Tool::new(
            ("anchor_memory", "Anchor a memory to code"),
            Effect::Idempotent,
            "Store which code is a memory's example: your choice in `to`, or the best match over \
             the gate. Give hints as for find_anchor.",
            anchor_memory,
        ),
        Tool::new(
            ("reanchor_memories", "Follow anchors through changes"),
            Effect::Idempotent,
            "After a refactoring: find where each example went, record what is certain, and \
             report what needs a decision.",
            reanchor_memories,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
#[serde(deny_unknown_fields)]
struct FindAnchor {
    rule: String,
    /// Words you expect in the code
    #[serde(default)]
    hints: Vec<String>,
    /// Only this language, as language:go
    scope: Option<String>,
}

fn find_anchor(call: &Call<'_>, params: FindAnchor) -> Result<ToolResult> {
    let languages = match params.scope.as_deref().map(super::documents::scope).transpose()? {
        Some(Scope::Universal) | None => None,
        Some(scope) => memories::languages(&scope).map_err(UserError::usage)?,
    };
    let question = Query { rule: params.rule, hints: params.hints, languages };
    let options =
        Options { limit: CANDIDATES, min_quality: call.project().min_quality, explain: true };
    let mut reports = examples::find(call.project().code(), &[question], options)?;
    for report in &mut reports {
        examples::add_excerpts(&call.project().root, &mut report.candidates);
        report.candidates.iter_mut().for_each(|candidate| candidate.reasons.clear());
    }
    let report = reports.pop();
    let more = "read the file, or ask with more hints";
    Ok(ToolResult::of(&report, more)?.omit(&["evidence", "anchor", "elapsedMs"]))
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
#[serde(deny_unknown_fields)]
struct AnchorMemory {
    #[serde(alias = "filename")]
    id: String,
    /// FILE::Symbol
    to: Option<String>,
    #[serde(default)]
    hints: Vec<String>,
}

fn anchor_memory(call: &Call<'_>, params: AnchorMemory) -> Result<ToolResult> {
    let request = anchor::Request {
        id: params.id,
        choice: match params.to.as_deref() {
            Some(place) => Choice::To(place.parse().map_err(UserError::usage)?),
            None => Choice::Best,
        },
        hints: params.hints,
        min_quality: call.project().min_quality,
        dry_run: false,
    };
    let report = anchor::anchor(call.project(), &request)?;
    let is_found = report.anchor.is_some();
    let answer = ToolResult::of(&report, "find_anchor shows the candidates")?;
    Ok(if is_found {
        answer
    } else {
        answer.failed(
            "no example is over the gate: choose one of the candidates with `to`, or call again \
             with hints from the code",
        )
    })
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
#[serde(deny_unknown_fields)]
struct ReanchorMemories {
    /// Write nothing
    #[serde(default)]
    check: bool,
    /// Approve the changed example of this memory id
    accept: Option<String>,
    /// As project or language:go
    scope: Option<String>,
}

fn reanchor_memories(call: &Call<'_>, params: ReanchorMemories) -> Result<ToolResult> {
    let request = reanchor::Request {
        mode: match params.accept {
            _ if params.check => Mode::Check,
            Some(id) => Mode::Accept(Some(id)),
            None => Mode::Follow,
        },
        filter: Filter { scope: params.scope, ..Filter::default() },
        min_quality: call.project().min_quality,
        strict: false,
        since: None,
    };
    // Only the search for what is lost tells how far it is: the client hears of the start.
    (call.progress)(0, 1);
    let mut report = reanchor::reanchor(call.project(), &request, call.progress)?;
    // As in the command's own answer, what is as it was is counted and not told.
    report.results.retain(|it| it.state != State::Fresh || it.better.is_some());
    ToolResult::of(&report, "narrow it with `scope`, or settle these and call again")
}
