//! Candidates for the examples of rules that have none. They are found by the words of the rule and
//! marked as unverified: several short ones help an agent, one alone may mislead it.

use std::collections::BTreeSet;

use anyhow::Result;
use cerberus_bank::ops::pins::render::safe;
use cerberus_bank::ops::{anchors, memories, patterns};
use cerberus_bank::{MemoryFile, Workspace};
use cerberus_engine::examples::{Options, Query, RankedSymbol};
use cerberus_engine::excerpt;
use cerberus_model::{Confidence, MemoryType, RuleKind};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::GivenCandidate;
use super::block::{Candidate, Item, Slot};
use super::example::fenced;
use super::focus::Focus;

/// Maximum number of rules with candidates, which take about 250 tokens each.
const MAX_RULES: usize = 2;

/// Number of candidates among which those in the files of the focus are chosen.
const N_RANKED: usize = 200;

/// The most candidates of a rule.
const N_CANDIDATES: usize = 2;

/// Maximum number of lines of a candidate.
const MAX_LINES: usize = 8;

const HEADING: &str =
    "  Candidates (unverified, found by words, so that some may show what the rule forbids";

/// The candidates of a rule.
pub(crate) struct Unverified {
    pub(crate) found: Vec<GivenCandidate>,
    pub(crate) item: Item,
}

/// Adds candidates to the first rules about code for which no example is known: code in the files of the focus before other code.
pub(crate) fn add(
    project: &Workspace,
    focus: &Focus,
    candidates: &mut [Candidate<'_>],
) -> Result<()> {
    let mut rules = Vec::new();
    let mut queries = Vec::new();
    for candidate in candidates {
        if rules.len() < MAX_RULES
            && matches!(candidate.example, Slot::Absent)
            && let Some(query) = query(candidate.stored)
        {
            rules.push(candidate);
            queries.push(query);
        }
    }
    let anywhere = project.rank(&queries, Options::distinct(N_CANDIDATES, 0.0))?;
    let root = &project.root;
    let near = in_files(project, focus, queries)?;
    let mut shown = BTreeSet::new();
    for ((rule, anywhere), mut ranked) in rules.into_iter().zip(anywhere).zip(near) {
        if anywhere.confidence != Confidence::None {
            ranked.extend(anywhere.candidates);
        }
        // Another rule may have the same code.
        ranked.retain(|ranked| shown.insert((ranked.file.clone(), ranked.start_line)));
        ranked.truncate(N_CANDIDATES);
        let words = anchors::rule_words(rule.stored);
        let found = ranked.into_par_iter().map(|ranked| {
            let place = (&*ranked.file, (ranked.start_line, ranked.end_line));
            let excerpt = excerpt::of_candidate(root, &words, place, MAX_LINES);
            GivenCandidate {
                code: excerpt.text,
                file: ranked.file,
                symbol: ranked.symbol,
                start_line: ranked.start_line,
                language: ranked.language,
            }
        });
        let mut found: Vec<_> = found.collect();
        found.retain(|candidate| !candidate.code.trim().is_empty());
        if !found.is_empty() {
            let id = &rule.stored.memory.id;
            let settle = format!(
                "{HEADING}; record one that shows the rule: `anchor_memory` {id} FILE::SYMBOL):\n"
            );
            let item = Item::new(settle + &found.iter().map(text).collect::<String>());
            rule.example = Slot::Unverified(Unverified { found, item });
        }
    }
    Ok(())
}

/// Returns the code in the files of the focus that has most in common with each rule and the task.
fn in_files(
    project: &Workspace,
    focus: &Focus,
    mut queries: Vec<Query>,
) -> Result<Vec<Vec<RankedSymbol>>> {
    let mut found = Vec::with_capacity(queries.len());
    if focus.files.is_empty() {
        found.resize_with(queries.len(), Vec::new);
        return Ok(found);
    }
    for query in &mut queries {
        if let Some(task) = &focus.task {
            query.rule = format!("{}\n{task}", query.rule);
        }
    }
    for ranking in project.rank(&queries, Options::distinct(N_RANKED, 0.0))? {
        let mut ranked = ranking.candidates;
        ranked.retain(|ranked| focus.files.contains(&ranked.file) && ranked.is_likely());
        ranked.truncate(N_CANDIDATES);
        found.push(ranked);
    }
    Ok(found)
}

/// Returns the query for a rule that may have an example in the code. Words find code that a pattern forbids, too.
fn query(stored: &MemoryFile) -> Option<Query> {
    let memory = &stored.memory;
    let may_have_example = memory.memory_type == MemoryType::Rule
        && patterns::of_memory(stored).patterns.is_empty()
        && memory.example.is_none();
    if !may_have_example || anchors::kind(stored) != RuleKind::Code {
        return None;
    }
    Some(Query {
        languages: memories::languages(&memory.scope).ok()?,
        ..anchors::query(stored, &[])
    })
}

fn text(candidate: &GivenCandidate) -> String {
    let GivenCandidate {
        file,
        start_line,
        code,
        language,
        ..
    } = candidate;
    fenced(
        &format!("{}:{start_line}", safe(file)),
        language.as_str(),
        code.trim_end(),
    )
}
