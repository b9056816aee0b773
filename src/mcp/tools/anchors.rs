//! Tools that compare memories with code: `find_anchor`, `anchor_memory`, `review_rules`,
//! `settle_rules`, `reanchor_memories`,
//! `set_pattern`, `check_change` and `check_documents`.

use std::path::PathBuf;

use anyhow::Result;
use cerberus_bank::ops::anchor::{self, Choice};
use cerberus_bank::ops::answers::{self, Answers, Decided};
use cerberus_bank::ops::memories::{self};
use cerberus_bank::ops::reanchor::{self, Finding, Mode};
use cerberus_bank::ops::{open_rules, review};
use cerberus_engine::examples::{self, Options, Query};
use cerberus_engine::excerpt;
use cerberus_engine::rank::rule_words::RuleWords;
use cerberus_model::{AgentChoice, CodeLocation, ExampleRole, Outcome, Scope, UserError};
use serde::Serialize;
use serde_json::Value;

use super::{Call, Effect, Tool};
use crate::commands::check::{self, CheckArgs};
use crate::commands::pattern;
use crate::commands::review_diff::{self, ReviewDiffArgs};
use crate::mcp::tool_result::ToolResult;

/// Number of candidates that an agent chooses from.
const N_CANDIDATES: usize = 5;

/// Number of rules that an agent reads at once.
const N_RULES: usize = 10;

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

    /// The next rules without an example, each with five candidates. Answer with settle_rules.
    struct ReviewRules {
        /// Default: 10
        limit: Option<usize>,
        /// Only these memories
        #[serde(default)]
        ids: Vec<String>,
    }

    /// Record for each rule of review_rules the `example` of the candidate that clearly shows it, `kind`
    /// process, `none`, or `hints` for other candidates, which the answer has.
    struct SettleRules {
        #[schemars(schema_with = "crate::mcp::schema::rule_answers")]
        rules: Vec<Value>,
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

    /// Propose the pattern of code or commands that break a rule, if it hits none of its examples and each
    /// counter-example; it has no effect before a person accepts it. Answers what it hits now and in the last commits.
    struct SetPattern {
        id: String,
        /// An ast-grep rule, or `command: [git push -f]` and `instead: TEXT`
        pattern: String,
        /// Do not store it
        #[serde(default)]
        dry_run: bool,
    }

    /// After changes: what documents say that these made false, or that their new lines say wrongly.
    struct CheckDocuments {
        /// Only these documents
        #[serde(default)]
        files: Vec<PathBuf>,
        /// Default: HEAD
        since: Option<String>,
    }

    /// After editing code: the added lines that hit the pattern of a rule, with the example to
    /// imitate.
    struct CheckChange {
        /// Default: HEAD
        since: Option<String>,
    }
}

/// Returns the tools, in the order in which they are listed.
pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "find_anchor",
            "Find examples of a rule",
            Effect::Reads,
            find_anchor,
        ),
        Tool::new(
            "anchor_memory",
            "Anchor a memory to code",
            Effect::Idempotent,
            anchor_memory,
        ),
        Tool::new(
            "reanchor_memories",
            "Follow anchors through changes",
            Effect::Idempotent,
            follow,
        ),
        Tool::new(
            "review_rules",
            "Rules without an example",
            Effect::Reads,
            review_rules,
        ),
        Tool::new(
            "settle_rules",
            "Decide about rules",
            Effect::Idempotent,
            settle_rules,
        ),
        Tool::new(
            "set_pattern",
            "Forbid code or commands",
            Effect::Idempotent,
            set_pattern,
        ),
        Tool::new(
            "check_change",
            "Check a change against the rules",
            Effect::Reads,
            check_diff,
        ),
        Tool::new(
            "check_documents",
            "Check documents against a change",
            Effect::Reads,
            check_documents,
        ),
    ]
}

fn find_anchor(call: &Call<'_>, params: FindAnchor) -> Result<ToolResult> {
    let languages = match params
        .scope
        .as_deref()
        .map(super::documents::scope)
        .transpose()?
    {
        Some(Scope::Universal) | None => None,
        Some(scope) => memories::languages(&scope).map_err(UserError::usage)?,
    };
    let query = Query {
        rule: params.rule,
        hints: params.hints,
        languages,
        ..Query::default()
    };
    let options = Options::distinct(N_CANDIDATES, call.project().min_quality);
    let options = Options {
        explain: true,
        ..options
    };
    let words = RuleWords::new(&query.rule, &query.hints);
    let mut reports = call.project().rank_with(&[query], options, call.progress)?;
    for report in &mut reports {
        let root = &call.project().root;
        let candidates = &mut report.candidates;
        examples::add_excerpts(root, &words, candidates, excerpt::CANDIDATE_LINES);
        report
            .candidates
            .iter_mut()
            .for_each(|candidate| candidate.reasons.clear());
    }
    let report = reports.pop();
    let more = "read the file, or search with more hints";
    Ok(ToolResult::of(&report, more)?.omit(&["evidence", "anchor", "elapsedMs"]))
}

fn anchor_memory(call: &Call<'_>, params: AnchorMemory) -> Result<ToolResult> {
    let mut choices = Vec::new();
    if let Some(to) = params.to {
        choices.push(Choice::To(location(&to)?));
    }
    if let Some(also) = params.also {
        choices.push(Choice::Add(ExampleRole::Also, location(&also)?));
    }
    if let Some(not) = params.not {
        choices.push(Choice::Add(ExampleRole::Not, location(&not)?));
    }
    if params.none {
        choices.push(Choice::None);
    }
    if choices.len() > 1 {
        return Err(UserError::usage("`to`, `none`, `also` and `not` exclude each other").into());
    }
    let request = anchor::Request {
        id: params.id,
        choice: choices.pop().unwrap_or_default(),
        hints: params.hints,
        agent: Some(call.client.to_owned()),
        ..anchor::Request::default()
    };
    let report = anchor::anchor(call.project(), &request)?;
    let answer = ToolResult::of(&report, "find_anchor lists the candidates")?;
    Ok(match report.reason {
        None => answer,
        Some(_) => answer.failed(
            "not anchored, see `reason`: choose one of the candidates with `to`, call again with \
             hints from the code, or refuse with `none`",
        ),
    })
}

fn location(text: &str) -> Result<CodeLocation, UserError> {
    text.parse().map_err(UserError::usage)
}

/// Rules that an agent decides about.
#[derive(Serialize)]
struct Rules {
    #[serde(skip_serializing_if = "Option::is_none")]
    decided: Option<Vec<Decided>>,
    /// Number of rules to decide about.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<usize>,
    /// The rules with their candidates.
    rules: Vec<Value>,
    warnings: Vec<String>,
}

fn review_rules(call: &Call<'_>, params: ReviewRules) -> Result<ToolResult> {
    let memories = call.project().memories()?;
    let request = review::Request {
        ids: params.ids,
        ..review::Request::default()
    };
    let (mut open, warnings) = open_rules::open_rules(&memories, &request)?;
    let total = Some(open.len());
    open.truncate(params.limit.unwrap_or(N_RULES));
    let (rules, _) = open_rules::with_candidates(call.project(), &open)?;
    let report = Rules {
        decided: None,
        total,
        rules,
        warnings,
    };
    ToolResult::of(&report, "decide about these, and call again")
}

fn settle_rules(call: &Call<'_>, params: SettleRules) -> Result<ToolResult> {
    let project = call.project();
    let id = |item: &Value| item["id"].as_str().map(str::to_owned);
    // A candidate is recorded with its quality, and one that is refused is not offered again.
    let compared = params
        .rules
        .iter()
        .filter(|rule| !rule["example"].is_null() || !rule["hints"].is_null());
    let compared: Vec<String> = compared.filter_map(id).collect();
    let memories = project.memories()?;
    let (ranked, _) = open_rules::named_rules(&memories, &compared);
    let (_, mut offered) = open_rules::with_candidates(project, &ranked)?;
    for id in params.rules.iter().filter_map(id) {
        offered.entry(id).or_default();
    }
    let choice = AgentChoice::new(call.client, project.now);
    let items = &*params.rules;
    let continues = false;
    let answers = Answers {
        choice: &choice,
        items,
        offered: &offered,
        continues,
    };
    let decided = answers::record(project, &answers)?;
    let again = decided
        .iter()
        .filter(|rule| rule.outcome == Outcome::Described);
    let (ids, hints): (Vec<_>, Vec<_>) = again
        .map(|rule| (rule.id.clone(), rule.hints.clone()))
        .unzip();
    let memories = project.memories()?;
    let (mut again, warnings) = open_rules::named_rules(&memories, &ids);
    for ((rule, id), hints) in again.iter_mut().zip(ids).zip(hints) {
        rule.search_again(hints, offered.remove(&id).unwrap_or_default());
    }
    let (rules, _) = open_rules::with_candidates(project, &again)?;
    let report = Rules {
        decided: Some(decided),
        total: None,
        rules,
        warnings,
    };
    ToolResult::of(&report, "decide about fewer rules at once")
}

fn follow(call: &Call<'_>, params: ReanchorMemories) -> Result<ToolResult> {
    let mode = if params.check {
        Mode::Check
    } else if let Some(id) = params.accept {
        Mode::Accept(Some(id))
    } else {
        Mode::Record
    };
    let request = reanchor::Request {
        mode,
        scope: params.scope,
        ..reanchor::Request::default()
    };
    // Progress is only reported by the search for missing anchors; report the start to the client.
    (call.progress)(0, 1);
    let mut report = reanchor::reanchor(call.project(), &request, call.progress)?;
    // Like the printed report, the answer only counts unchanged anchors.
    report.results.retain(Finding::is_notable);
    ToolResult::of(
        &report,
        "narrow it with `scope`, or resolve these and call again",
    )
}

fn set_pattern(call: &Call<'_>, params: SetPattern) -> Result<ToolResult> {
    let report = pattern::set(call.project(), &params.id, &params.pattern, params.dry_run)?;
    Ok(ToolResult::of(&report, "narrow the pattern")?.omit(&["pattern"]))
}

fn check_documents(call: &Call<'_>, params: CheckDocuments) -> Result<ToolResult> {
    let args = CheckArgs {
        files: params.files,
        since: Some(params.since.unwrap_or_else(|| "HEAD".to_owned())),
        ..CheckArgs::default()
    };
    let mut report = check::check(&args, &call.settings)?;
    report.findings.retain(check::Finding::is_reported);
    let answer = ToolResult::of(&report, "correct these and call again")?;
    Ok(answer.omit(&["documents", "outdated"]))
}

fn check_diff(call: &Call<'_>, params: CheckChange) -> Result<ToolResult> {
    let args = ReviewDiffArgs {
        revision: params.since,
        ..ReviewDiffArgs::default()
    };
    let report = review_diff::review(call.project(), &args, call.progress)?;
    ToolResult::of(&report, "fix these and call again")
}
