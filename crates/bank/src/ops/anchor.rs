//! Finds, replaces, lists or removes the anchor of a memory.

use anyhow::{Context, Result};
use cerberus_engine::examples::{Options, Query, RankedSymbol, UnknownWord};
use cerberus_engine::rank::rule_words::RuleWords;
use cerberus_engine::{examples, excerpt};
use cerberus_markdown::frontmatter::FieldValue;
use cerberus_model::error::UserError;
use cerberus_model::{
    AgentChoice, Anchor, CodeLocation, Confidence, ExampleChoice, ExampleRole, Origin, RuleKind,
    format_location, refuse,
};
use serde::Serialize;

use crate::ops::anchors::AnchorSummary;
use crate::ops::examples::{self as examples_beside, Change, OtherSummary};
use crate::ops::{anchors, answers, document, memories};
use crate::{MemoryFile, Workspace};

/// Number of candidates to list if the user does not specify one.
const DEFAULT_CANDIDATES: usize = 5;

/// The memory to anchor, and how.
#[derive(Debug, Default)]
pub struct Request {
    /// Id of the memory, or a unique prefix of it.
    pub id: String,
    pub choice: Choice,
    /// Kind of the rule, which is recorded in its frontmatter.
    pub kind: Option<RuleKind>,
    /// Keywords expected in the example.
    pub hints: Vec<String>,
    pub min_quality: Option<f64>,
    pub dry_run: bool,
    /// The agent that chooses, which may not replace what a person decided.
    pub agent: Option<String>,
}

/// The change of the examples of a memory.
#[derive(Debug, Default)]
pub enum Choice {
    /// The best candidate becomes the anchor if its quality is sufficient.
    #[default]
    Best,
    /// Nothing: this number of candidates is listed.
    List(usize),
    /// The candidate with this rank becomes the anchor.
    Pick(usize),
    /// This code becomes the anchor.
    To(CodeLocation),
    /// This code becomes a further example, or a counter-example.
    Add(ExampleRole, CodeLocation),
    /// This further example or counter-example is removed.
    Drop(CodeLocation),
    /// The anchor is removed with all examples, and the record that there is no example.
    Clear,
    /// It is recorded that the code has no example, and the anchor is removed.
    None,
}

impl Choice {
    /// Returns whether the best candidate becomes the anchor if its quality is sufficient.
    pub fn is_automatic(&self) -> bool {
        matches!(self, Self::Best)
    }

    /// Returns whether the candidates are only listed.
    pub fn is_list(&self) -> bool {
        matches!(self, Self::List(_))
    }

    /// Returns the change of the examples beside the main one.
    pub fn change(&self) -> Option<Change<'_>> {
        match self {
            Self::Add(role, location) => Some(Change::Add(*role, location)),
            Self::Drop(location) => Some(Change::Drop(location)),
            _ => None,
        }
    }
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    pub id: String,
    pub rule: String,
    pub hints: Vec<String>,
    pub min_quality: f64,
    /// The new anchor; in a dry run the one that would be stored.
    pub anchor: Option<AnchorSummary>,
    pub previous: Option<AnchorSummary>,
    /// The examples beside the main one, and the counter-examples.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherSummary>,
    /// What is decided about the example; in a dry run what would be.
    pub example: Option<ExampleChoice>,
    /// Why no candidate became the anchor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The kind of the rule and the confidence of the ranking, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<RuleKind>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kind_reasons: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    pub candidates: Vec<RankedSymbol>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown_words: Option<Vec<UnknownWord>>,
    /// The kind that was recorded in the frontmatter of the memory, if it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded_kind: Option<RuleKind>,
    /// Whether the lock file or the memory was changed.
    pub written: bool,
    pub warnings: Vec<String>,
}

/// Finds, replaces, lists or removes the anchor of a memory, as the request says.
pub fn anchor(project: &Workspace, request: &Request) -> Result<Report> {
    document::check_words("hint", request.hints.iter().map(String::as_str))?;
    let memories = project.memories()?;
    let stored = memories.find(&request.id)?;
    let id = &stored.memory.id;
    let previous = memories.anchors.get(id);
    let mut query = anchors::query(stored, &request.hints);
    query.kind = request.kind.or(query.kind);
    let mut report = Report {
        id: id.clone(),
        rule: query.rule.clone(),
        hints: query.hints.clone(),
        min_quality: request.min_quality.unwrap_or(project.min_quality),
        previous: previous.map(AnchorSummary::from),
        example: stored.memory.example,
        warnings: memories.warnings.clone(),
        ..Report::default()
    };
    if let Some(change) = request.choice.change() {
        let others = examples_beside::change(project, stored, change, request.dry_run)?;
        report.anchor = report.previous.clone();
        report.others = others.iter().map(OtherSummary::from).collect();
        report.written = !request.dry_run;
        return Ok(report);
    }
    let is_none = matches!(request.choice, Choice::None);
    if request.agent.is_some() && (is_none || matches!(request.choice, Choice::To(_))) {
        answers::check_undecided(&memories, stored)
            .with_context(|| format!("failed to anchor `{id}`"))?;
    }
    let is_removal = is_none || matches!(request.choice, Choice::Clear);
    let mut new = if is_removal {
        None
    } else if let Choice::To(location) = &request.choice {
        let new = anchors::at_location(project, location)?;
        Some(match &request.agent {
            None => new,
            Some(agent) => Anchor {
                origin: Origin::Agent,
                chosen: Some(AgentChoice::new(agent, project.now)),
                ..new
            },
        })
    } else {
        if request.choice.is_automatic()
            && let Some(chosen) = previous.filter(|anchor| anchor.origin != Origin::Auto)
        {
            return Err(has_chosen_anchor(id, chosen).into());
        }
        if request.choice.is_automatic() && stored.memory.example.is_some() {
            return Err(has_no_example(stored).into());
        }
        query.languages = memories::languages(&stored.memory.scope).map_err(|reason| {
            UserError::usage(format!("`{id}` cannot be anchored: {reason}"))
                .hint("set a scope like `project:<name>` in its frontmatter")
        })?;
        find(project, query, request, &mut report)?
    };
    if let (Some(new), Some(previous)) = (&mut new, previous) {
        new.others = previous.others.clone();
        let main = (&new.file, &new.symbol);
        new.others.retain(|other| other.place() != main);
        report.others = new.others.iter().map(OtherSummary::from).collect();
    }
    report.anchor = new.as_ref().map(AnchorSummary::from);
    // A list of candidates changes nothing.
    if let Some(kind) = request.kind
        && !request.choice.is_list()
        && !request.dry_run
        && stored.memory.kind != Some(kind)
    {
        record_kind(project, id, kind)?;
        report.recorded_kind = Some(kind);
        report.written = true;
    }
    if is_removal || new.is_some() {
        let decision = is_none.then_some(ExampleChoice::None);
        report.example = decision;
        if !request.dry_run {
            report.written |= anchors::store(project, stored, new, decision)?;
        }
    }
    Ok(report)
}

/// Records the kind of a rule in its frontmatter.
fn record_kind(project: &Workspace, id: &str, kind: RuleKind) -> Result<()> {
    let fields = [("kind", Some(FieldValue::Scalar(kind.as_str())))];
    document::edit_text(project, id, |text| {
        document::set_fields(text.to_owned(), fields)
    })
    .map(drop)
}

/// Ranks the candidates and returns the anchor to the selected one, if any.
fn find(
    project: &Workspace,
    query: Query,
    request: &Request,
    report: &mut Report,
) -> Result<Option<Anchor>> {
    let (limit, picked) = match request.choice {
        Choice::List(n) => (n, None),
        Choice::Pick(rank) => (rank.max(DEFAULT_CANDIDATES), Some(rank)),
        _ => (DEFAULT_CANDIDATES, None),
    };
    let options = Options {
        explain: true,
        ..Options::distinct(limit, report.min_quality)
    };
    let words = RuleWords::new(&query.rule, &query.hints);
    let Some(ranking) = project.rank(&[query], options)?.pop() else {
        return Ok(None);
    };
    let is_stored = picked.is_some() || (request.choice.is_automatic() && ranking.anchor.is_some());
    if is_stored {
        report.warnings.extend(anchors::hint_warnings(&ranking));
    } else if request.choice.is_automatic() {
        report.reason = Some(anchors::rejection(&ranking));
    }
    report.kind = Some(ranking.kind);
    report.kind_reasons = ranking.kind_reasons;
    report.confidence = Some(ranking.confidence);
    report.warnings.extend(ranking.warnings);
    report.candidates = ranking.candidates;
    report.unknown_words = ranking.unknown_words;
    if let Some(rank) = picked {
        let Some(candidate) = report.candidates.get(rank.wrapping_sub(1)) else {
            return candidate_not_found(&request.id, rank, report.candidates.len());
        };
        return Ok(Some(Anchor {
            origin: Origin::Manual,
            ..anchors::from_candidate(project, candidate)?
        }));
    }
    if let Some(best) = ranking.anchor
        && !request.choice.is_list()
    {
        return anchors::from_candidate(project, &best).map(Some);
    }
    let max_lines = excerpt::CANDIDATE_LINES;
    examples::add_excerpts(&project.root, &words, &mut report.candidates, max_lines);
    Ok(None)
}

fn candidate_not_found<T>(id: &str, rank: usize, n_candidates: usize) -> Result<T> {
    if n_candidates == 0 {
        let command = anchors::command(id, "--to FILE::SYMBOL");
        return refuse(
            format!("`{id}` has no candidates: no code contains its words"),
            format!("specify one with `{command}`"),
        );
    }
    let command = anchors::command(id, &format!("--candidates {n_candidates}"));
    refuse(
        format!("candidate {rank} not found: `{id}` has {n_candidates}"),
        format!("list them with `{command}`"),
    )
}

fn has_chosen_anchor(id: &str, anchor: &Anchor) -> UserError {
    let location = format_location(&anchor.file, anchor.symbol.as_deref());
    let how = match &anchor.chosen {
        Some(AgentChoice { by, .. }) => format!("by {by}"),
        None => "manually".to_owned(),
    };
    UserError::usage(format!("`{id}` is anchored {how}, to `{location}`"))
        .hint(format!(
            "list other candidates with `{}`",
            anchors::command(id, "--candidates 5")
        ))
        .hint(format!(
            "remove it with `{}`, then anchor again",
            anchors::command(id, "--clear")
        ))
}

fn has_no_example(stored: &MemoryFile) -> UserError {
    let id = &stored.memory.id;
    UserError::usage(format!(
        "`{id}` has `example: none` in its frontmatter: no example is searched for"
    ))
    .hint(format!(
        "specify its example with `{}`",
        anchors::command(id, "--to FILE::SYMBOL")
    ))
    .hint(format!(
        "or list candidates with `{}`, and store one with `--pick`",
        anchors::command(id, "--candidates 5")
    ))
}
