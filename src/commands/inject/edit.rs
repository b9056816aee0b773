//! The rules for the files that an agent edits.

use std::collections::BTreeMap;

use anyhow::Result;

use super::block::{Block, Item, Text, envelope_cost};
use super::pack::Cost;
use super::relevance::{self, Focus};
use super::with_place;
use crate::bank::MemoryFile;
use crate::engine::rank::edit::{self, EditFeatures};
use crate::engine::rank::moment::{self, Moment};
use crate::engine::rank::rule_kind;
use crate::model::{Memory, Origin, RuleKind};
use crate::ops::memories::Memories;
use crate::ops::pins::render;
use crate::ops::{Project, sync};
use crate::tree::documents;

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
    let ranked = rank(project, &memories, written)?;
    let short = ranked.into_iter().filter_map(|(stored, shows)| {
        let text = with_place(stored, false);
        let item = Item::new(render::list_item(&text));
        (item.cost.tokens <= MAX_RULE_TOKENS).then_some((stored, (Text::alone(&text), shows)))
    });
    let best = short.take(MAX_RULES);
    // Only now: rules that the session has must not make room for less relevant ones.
    let wanted = best.filter(|(stored, _)| is_wanted(&stored.memory.id));
    let (rules, (texts, shows)): (Vec<_>, (Vec<_>, Vec<_>)) = wanted.unzip();
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
        reasons: &vec![None; rules.len()],
        shows: &shows,
        header: HEADER,
        contents: String::new(),
    };
    let limit = Cost { tokens: BUDGET, ..Cost::UNLIMITED }.minus(envelope_cost());
    let (text, packed) = block.fill(limit, None);
    let ids = block.injected(&packed).into_iter().map(|it| it.id).collect();
    Ok(EditRules { ids, text })
}

/// Returns the rules that the edits are about, the most likely first, and whether their examples are worth their room.
fn rank<'m>(
    project: &Project,
    memories: &'m Memories,
    written: &BTreeMap<String, String>,
) -> Result<Vec<(&'m MemoryFile, bool)>> {
    let has_lines = |(path, lines): &(&String, &String)| {
        // A rule has the words of the document that it was imported from.
        !documents::is_rule_file(path) && !lines.trim().is_empty()
    };
    let changed: BTreeMap<String, String> = (written.iter().filter(has_lines))
        .map(|(path, lines)| (path.clone(), lines.clone()))
        .collect();
    if changed.is_empty() {
        return Ok(Vec::new());
    }
    let focus = Focus { query: None, files: changed.keys().cloned().collect(), changed };
    let synced = sync::open_with(project, memories)?;
    let (applicable, _) = relevance::applicable(memories, &focus, &synced)?;
    let n_declared = applicable.iter().filter(|it| !it.memory.paths.is_empty()).count();
    let is_test = focus.files.iter().any(|file| relevance::is_test(file));
    let in_code = relevance::compare(project, memories, &focus, &applicable)?;
    let mut ranked = Vec::new();
    for (&stored, in_code) in applicable.iter().zip(in_code) {
        // Without files there is nothing to compare.
        let Some((code, floor)) = in_code else { continue };
        let Memory { body, heading, kind, paths, .. } = &stored.memory;
        let is_declared = !paths.is_empty();
        let anchor = memories.anchors.get(&stored.memory.id);
        let features = EditFeatures {
            code,
            floor,
            is_mentioned: focus.files.iter().any(|file| body.contains(file.as_str())),
            has_example: anchor.is_some_and(|anchor| focus.files.contains(&anchor.file)),
            is_test,
            n_rules: if is_declared { n_declared } else { applicable.len() - n_declared },
            ..EditFeatures::default()
        };
        let heading = heading.as_deref();
        // What the text says can only lower the score, and most rules need not be read for it.
        if features.score() < edit::MIN_SCORE
            || relevance::is_of_other_language(heading.unwrap_or_default(), &focus)
        {
            continue;
        }
        let features = EditFeatures {
            is_from_guide: relevance::is_from_guide(stored),
            is_process: kind.unwrap_or_else(|| rule_kind::classify(body).kind) == RuleKind::Process,
            is_about_tests: moment::moment(body, heading) == Moment::Testing,
            ..features
        };
        let score = features.score();
        if score >= edit::MIN_SCORE {
            let is_chosen = anchor.is_some_and(|anchor| anchor.origin == Origin::Manual);
            ranked.push((score, stored, is_chosen || features.shows_example()));
        }
    }
    ranked.sort_by(|(a_score, a, _), (b_score, b, _)| {
        b_score.total_cmp(a_score).then_with(|| a.memory.id.cmp(&b.memory.id))
    });
    Ok(ranked.into_iter().map(|(_, stored, shows)| (stored, shows)).collect())
}
