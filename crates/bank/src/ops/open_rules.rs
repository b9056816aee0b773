//! The rules that an agent decides about, with their candidates.

use anyhow::Result;
use cerberus_engine::examples::{Options, Query, RankedSymbol};
use cerberus_engine::excerpt;
use cerberus_engine::rank::rule_words::RuleWords;
use cerberus_model::{RuleKind, UserError, format_location};
use serde_json::{Value, json};

use super::answers::Offered;
use super::memories::Memories;
use super::review::{N_CANDIDATES, Request};
use super::{anchors, answers};
use crate::{MemoryFile, Workspace};

/// Number of lines of a candidate. The agent does not see the rest.
const N_LINES: usize = 25;

/// Tokens for a rule in the requests of `review --with` together. Twenty lines of code have about 200.
const TOKENS_PER_RULE: usize = 1000;

/// Returns the number of tokens of requests and answers for this number of rules.
pub fn estimated_tokens(n_rules: usize) -> usize {
    n_rules * TOKENS_PER_RULE
}

/// A rule without an example that a person chose.
pub struct OpenRule<'a> {
    stored: &'a MemoryFile,
    query: Query,
    /// Candidates that an agent has seen and not chosen.
    refused: Vec<RankedSymbol>,
}

impl OpenRule<'_> {
    pub fn id(&self) -> &str {
        &self.stored.memory.id
    }

    /// Takes other hints in place of the ones that found only candidates that an agent refused.
    pub fn search_again(&mut self, hints: Vec<String>, refused: Vec<RankedSymbol>) {
        self.refused = refused;
        if !hints.is_empty() {
            self.query.hints = hints;
        }
    }

    /// Adds hints to those of the rule.
    pub fn add_hints(&mut self, hints: Vec<String>) {
        self.query.hints.extend(hints);
    }

    /// Whether it is known what kind of rule it is and what to search for.
    pub fn is_described(&self) -> bool {
        self.stored.memory.kind.is_some() && !self.query.hints.is_empty()
    }

    /// Returns the rule as an agent reads it.
    pub fn item(&self) -> Value {
        json!({
            "id": self.id(),
            "heading": self.stored.memory.heading,
            "rule": self.query.rule,
            "hints": self.query.hints,
        })
    }
}

/// Returns the rules that no person and no agent decided about, or the requested ones that no person
/// decided about, and warnings about the others.
pub fn open_rules<'a>(
    memories: &'a Memories,
    request: &Request,
) -> Result<(Vec<OpenRule<'a>>, Vec<String>)> {
    let selected = request.active_rules(memories)?;
    if !request.ids.is_empty() {
        for id in &request.ids {
            memories.find(id)?;
        }
        return Ok(named_rules(memories, &request.ids));
    }
    let mut open = Vec::new();
    for stored in selected {
        let memory = &stored.memory;
        let is_decided = memories.anchors.contains_key(&memory.id)
            || memory.kind == Some(RuleKind::Process)
            || memory.reviewed_by.is_some();
        if !is_decided && let Ok(rule) = open_rule(memories, stored) {
            open.push(rule);
        }
    }
    Ok((open, Vec::new()))
}

/// Returns the rules with these ids that no person decided about, and warnings about the others.
pub fn named_rules<'a>(memories: &'a Memories, ids: &[String]) -> (Vec<OpenRule<'a>>, Vec<String>) {
    let mut open = Vec::new();
    let mut warnings = Vec::new();
    for id in ids {
        let found = memories.find(id);
        match found.and_then(|stored| open_rule(memories, stored)) {
            Ok(rule) => open.push(rule),
            Err(error) => warnings.push(format!("`{id}` is skipped: {error}")),
        }
    }
    (open, warnings)
}

fn open_rule<'a>(memories: &Memories, stored: &'a MemoryFile) -> Result<OpenRule<'a>> {
    answers::check_undecided(memories, stored)?;
    let query = anchors::scoped_query(stored).map_err(UserError::usage)?;
    Ok(OpenRule {
        stored,
        query: Query {
            kind: Some(RuleKind::Code),
            ..query
        },
        refused: Vec::new(),
    })
}

/// Returns rules with their ranked candidates, for an agent and for the check of its answer.
pub fn with_candidates(
    project: &Workspace,
    rules: &[OpenRule<'_>],
) -> Result<(Vec<Value>, Offered)> {
    if rules.is_empty() {
        return Ok((Vec::new(), Offered::new()));
    }
    let queries: Vec<Query> = rules.iter().map(|rule| rule.query.clone()).collect();
    let n_refused = rules.iter().map(|rule| rule.refused.len()).max();
    let limit = N_CANDIDATES + n_refused.unwrap_or_default();
    let options = Options::distinct(limit, project.min_quality);
    let mut items = Vec::new();
    let mut offered = Offered::new();
    for (rule, ranking) in rules.iter().zip(project.rank(&queries, options)?) {
        let mut found = ranking.candidates;
        for seen in &rule.refused {
            found.retain(|found| found.file != seen.file || found.symbol != seen.symbol);
        }
        found.truncate(N_CANDIDATES);
        let words = RuleWords::new(&rule.query.rule, &rule.query.hints);
        let mut candidates = Vec::new();
        for candidate in &found {
            let lines = (candidate.start_line, candidate.end_line);
            let place = (&*candidate.file, lines);
            candidates.push(json!({
                "example": format_location(&candidate.file, candidate.symbol.as_deref()),
                "kind": candidate.kind,
                "lines": format!("{}-{}", lines.0, lines.1),
                "code": excerpt::of_candidate(&project.root, &words, place, N_LINES).text,
            }));
        }
        let mut item = rule.item();
        item["candidates"] = candidates.into();
        items.push(item);
        offered.insert(rule.id().to_owned(), found);
    }
    Ok((items, offered))
}
