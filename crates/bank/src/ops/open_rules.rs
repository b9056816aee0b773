//! The rules that an agent decides about, with their candidates.

use anyhow::Result;
use cerberus_engine::examples::{Options, Query, RankedSymbol};
use cerberus_engine::excerpt;
use cerberus_engine::rank::rule_words::RuleWords;
use cerberus_model::{RuleKind, UserError, format_location};
use serde_json::{Value, json};

use super::answers::Offered;
use super::memories::Memories;
use super::review::{N_CANDIDATES, Request, is_reviewed};
use super::{anchors, answers, memories};
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
        let (memory, Query { rule, hints, .. }) = (&self.stored.memory, &self.query);
        json!({ "id": memory.id, "heading": memory.heading, "rule": rule, "hints": hints })
    }
}

/// Returns the rules that no person and no agent decided about, or the requested ones that no person
/// decided about, and warnings about the others.
pub fn open_rules<'a>(
    memories: &'a Memories,
    request: &Request,
) -> Result<(Vec<OpenRule<'a>>, Vec<String>)> {
    let filter = request.filter();
    filter.check(memories.all.iter().map(|stored| &stored.memory))?;
    let is_open = |stored: &&MemoryFile| {
        let memory = &stored.memory;
        is_reviewed(stored, &filter, memories)
            && !memories.anchors.contains_key(&memory.id)
            && memory.kind != Some(RuleKind::Process)
            && (memory.reviewed_by.is_none())
    };
    if request.ids.is_empty() {
        let open = memories
            .all
            .iter()
            .filter(is_open)
            .filter_map(|it| open_rule(memories, it).ok());
        return Ok((open.collect(), Vec::new()));
    }
    for id in &request.ids {
        memories.find(id)?;
    }
    Ok(named_rules(memories, &request.ids))
}

/// Returns the rules with these ids that no person decided about, and warnings about the others.
pub fn named_rules<'a>(memories: &'a Memories, ids: &[String]) -> (Vec<OpenRule<'a>>, Vec<String>) {
    let (mut open, mut warnings) = (Vec::new(), Vec::new());
    for id in ids {
        match memories
            .find(id)
            .and_then(|stored| open_rule(memories, stored))
        {
            Ok(rule) => open.push(rule),
            Err(error) => warnings.push(format!("`{id}` is skipped: {error}")),
        }
    }
    (open, warnings)
}

fn open_rule<'a>(memories: &Memories, stored: &'a MemoryFile) -> Result<OpenRule<'a>> {
    answers::check_undecided(memories, stored)?;
    let languages = memories::languages(&stored.memory.scope).map_err(UserError::usage)?;
    let kind = Some(RuleKind::Code);
    let query = Query {
        languages,
        kind,
        ..anchors::query(stored, &[])
    };
    Ok(OpenRule {
        stored,
        query,
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
    let n_refused = rules
        .iter()
        .map(|rule| rule.refused.len())
        .max()
        .unwrap_or_default();
    let options = Options::distinct(N_CANDIDATES + n_refused, project.min_quality);
    let (mut items, mut offered) = (Vec::new(), Offered::new());
    for (rule, ranking) in rules.iter().zip(project.rank(&queries, options)?) {
        let mut found = ranking.candidates;
        let place = |it: &RankedSymbol| (it.file.clone(), it.symbol.clone());
        found.retain(|it| !rule.refused.iter().any(|seen| place(seen) == place(it)));
        found.truncate(N_CANDIDATES);
        let words = RuleWords::new(&rule.query.rule, &rule.query.hints);
        let candidates = found.iter().map(|it| {
            let place = (&*it.file, (it.start_line, it.end_line));
            json!({
                "example": format_location(&it.file, it.symbol.as_deref()),
                "kind": it.kind,
                "lines": format!("{}-{}", it.start_line, it.end_line),
                "code": excerpt::of_candidate(&project.root, &words, place, N_LINES).text,
            })
        });
        let mut item = rule.item();
        item["candidates"] = candidates.collect();
        items.push(item);
        offered.insert(rule.id().to_owned(), found);
    }
    Ok((items, offered))
}
