//! Tools that compare memories with code: `find_anchor`, `anchor_memory`, `reanchor_memories` and
//! `check_change`.

use anyhow::Result;

use crate::commands::anchor::{self, AnchorArgs};
use crate::commands::reanchor::{self, Finding, ReanchorArgs};
use crate::commands::review_diff::{self, ReviewDiffArgs};
use crate::mcp::tool_result::ToolResult;
use cerberus_bank::ops::memories;
use cerberus_engine::CodeBase;
use cerberus_engine::examples::{self, Options, Query};
use cerberus_engine::rank::rule_words::RuleWords;
use cerberus_model::error::UserError;
use cerberus_model::{CodeLocation, Scope};

use super::Call;

/// Number of candidates that an agent chooses from.
const N_CANDIDATES: usize = 5;

params! {
    /// Five candidates for a rule in the code, in different files, each with the lines that match.
    /// Choose one and store it with anchor_memory. Pass 5-8 hints: identifiers, abbreviations or
    /// library calls expected in such code; they matter most.
    struct FindAnchor {
        rule: String,
        /// Keywords expected in the code
        #[serde(default)]
        hints: Vec<String>,
        /// Search only this language, as in language:go
        scope: Option<String>,
    }

    /// Store the example of a memory: the location in `to`, or the best candidate above the quality
    /// threshold. `none` records that the code has no example. `also` adds a further example, `not`
    /// code that breaks the rule. Pass hints as for find_anchor.
    struct AnchorMemory {
        #[serde(alias = "filename")]
        id: String,
        /// `FILE` or `FILE::SYMBOL`; of several definitions `SYMBOL#2` or `SYMBOL(String,int)`
        to: Option<String>,
        /// The code has no example: search no more
        #[serde(default)]
        none: bool,
        /// A further example, for a memory that has one
        also: Option<String>,
        /// Code that breaks the rule
        not: Option<String>,
        #[serde(default)]
        hints: Vec<String>,
    }

    /// After a refactoring: follow each anchor, record exact matches, and report what needs a
    /// decision.
    struct ReanchorMemories {
        /// Only report, do not write
        #[serde(default)]
        check: bool,
        /// Id of the memory whose changed example is approved
        accept: Option<String>,
        /// Only memories of this scope, for example project or language:go
        scope: Option<String>,
    }

    /// After editing code: the added lines that hit the pattern of a rule, with the example to
    /// imitate.
    struct CheckChange {
        /// Default: HEAD
        since: Option<String>,
    }
}

pub(super) fn find_anchor(call: &Call<'_>, params: FindAnchor) -> Result<ToolResult> {
    let languages = match params.scope.as_deref().map(super::documents::scope).transpose()? {
        Some(Scope::Universal) | None => None,
        Some(scope) => memories::languages(&scope).map_err(UserError::usage)?,
    };
    let query = Query { rule: params.rule, hints: params.hints, languages, ..Query::default() };
    let options = Options {
        limit: N_CANDIDATES,
        distinct_files: true,
        min_quality: call.project().min_quality,
        explain: true,
    };
    let words = RuleWords::new(&query.rule, &query.hints);
    let code = CodeBase { progress: call.progress, ..call.project().code() };
    let mut reports = examples::find(code, &[query], options)?;
    for report in &mut reports {
        examples::add_excerpts(&call.project().root, &words, &mut report.candidates);
        report.candidates.iter_mut().for_each(|candidate| candidate.reasons.clear());
    }
    let report = reports.pop();
    let more = "read the file, or search with more hints";
    Ok(ToolResult::of(&report, more)?.omit(&["evidence", "anchor", "elapsedMs"]))
}

pub(super) fn anchor_memory(call: &Call<'_>, params: AnchorMemory) -> Result<ToolResult> {
    let location = |text: Option<String>| {
        text.map(|text| text.parse::<CodeLocation>()).transpose().map_err(UserError::usage)
    };
    let (to, also, not) = (location(params.to)?, location(params.also)?, location(params.not)?);
    let is_given = [to.is_some(), params.none, also.is_some(), not.is_some()];
    if is_given.into_iter().filter(|is_given| *is_given).count() > 1 {
        return Err(UserError::usage("`to`, `none`, `also` and `not` exclude each other").into());
    }
    let args = AnchorArgs {
        id: params.id,
        to,
        none: params.none,
        also,
        not,
        hints: params.hints,
        ..AnchorArgs::default()
    };
    let report = anchor::anchor(call.project(), &args)?;
    let answer = ToolResult::of(&report, "find_anchor lists the candidates")?;
    Ok(match report.reason {
        None => answer,
        Some(_) => answer.failed(
            "not anchored, see `reason`: choose one of the candidates with `to`, call again with \
             hints from the code, or refuse with `none`",
        ),
    })
}

pub(super) fn follow(call: &Call<'_>, params: ReanchorMemories) -> Result<ToolResult> {
    let args = ReanchorArgs {
        check: params.check,
        accept: params.accept.filter(|_| !params.check).map(Some),
        scope: params.scope,
        ..ReanchorArgs::default()
    };
    // Progress is only reported by the search for missing anchors; report the start to the client.
    (call.progress)(0, 1);
    let mut report = reanchor::reanchor(call.project(), &args, call.progress)?;
    // Like the printed report, the answer only counts unchanged anchors.
    report.results.retain(Finding::is_notable);
    ToolResult::of(&report, "narrow it with `scope`, or resolve these and call again")
}

pub(super) fn check_diff(call: &Call<'_>, params: CheckChange) -> Result<ToolResult> {
    let args = ReviewDiffArgs { revision: params.since, ..ReviewDiffArgs::default() };
    let report = review_diff::review(call.project(), &args, call.progress)?;
    ToolResult::of(&report, "fix these and call again")
}
