//! The rules for the files that an agent edits.

use std::collections::BTreeMap;

use anyhow::Result;

use super::block::{Block, Item, Text, envelope_cost};
use super::pack::Cost;
use super::relevance::{self, Focus};
use super::with_place;
use crate::ops::Project;
use crate::ops::memories::Memories;
use crate::ops::pins::render;

/// Maximum number of rules. They come in the middle of the work, and more would not be read.
const MAX_RULES: usize = 3;

/// Maximum number of tokens of all of them.
const BUDGET: usize = 800;

/// Maximum number of tokens of a rule. A longer text is a document.
const MAX_RULE_TOKENS: usize = 200;

const HEADER: &str = "Rules of this project for this edit:\n";

/// Rules for an edit.
pub(crate) struct EditRules {
    pub(crate) ids: Vec<String>,
    pub(crate) text: String,
}

/// Returns the most relevant rules for texts that are written to files, given by path, with their
/// examples, among those for which `is_wanted` holds.
pub(crate) fn rules_for_edit(
    project: &Project,
    written: &BTreeMap<String, String>,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<EditRules> {
    let memories = Memories::load(project)?;
    let focus =
        Focus { query: None, files: written.keys().cloned().collect(), changed: written.clone() };
    let ranked = relevance::rank(project, &memories, &focus)?;
    let short = ranked.memories.into_iter().zip(ranked.reasons).filter_map(|(stored, reason)| {
        let text = with_place(stored, false);
        let item = Item::new(render::list_item(&text));
        (item.cost.tokens <= MAX_RULE_TOKENS).then_some((stored, reason, Text::alone(&text)))
    });
    let best = short.take(MAX_RULES);
    // Only now: rules that the session has must not make room for less relevant ones.
    let wanted = best.filter(|(stored, _, _)| is_wanted(&stored.memory.id));
    let (mut rules, mut reasons, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for (stored, reason, text) in wanted {
        rules.push(stored);
        reasons.push(reason);
        texts.push(text);
    }
    let mut block = Block {
        project,
        memories: &memories,
        with_examples: true,
        code_share: project.inject.code_share,
        pins: Vec::new(),
        is_builtin: Vec::new(),
        texts,
        examples: vec![None; rules.len()],
        ranked: &rules,
        reasons: &reasons,
        shows: &vec![true; rules.len()],
        header: HEADER,
        contents: String::new(),
    };
    let limit = Cost { tokens: BUDGET, ..Cost::UNLIMITED }.minus(envelope_cost());
    let (text, packed) = block.fill(limit, None);
    let ids = block.injected(&packed).into_iter().map(|it| it.id).collect();
    Ok(EditRules { ids, text })
}
