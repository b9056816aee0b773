//! The rules for the files that an agent edits.

use std::collections::BTreeMap;

use anyhow::Result;
use cerberus_bank::Workspace;
use cerberus_store::given_rules::Given;

use super::block::{Block, Candidate, Slot, Text, envelope_cost};
use super::pack::Cost;
use super::relevance::{self, Focus};
use super::{unverified, with_place};

/// Maximum number of rules. They come in the middle of the work, and more would not be read.
const MAX_RULES: usize = 3;

/// Maximum number of tokens of all of them.
const BUDGET: usize = 800;

/// Maximum number of tokens of a rule. A longer text is a document.
const MAX_RULE_TOKENS: usize = 200;

const HEADER: &str = "Rules of this project for this edit:\n";

/// Returns the text with the most relevant rules for texts that are written to files, given by path, with their
/// examples. `claim` records the rules, and returns which of them to give.
pub(crate) fn rules_for_edit(
    project: &Workspace,
    written: BTreeMap<String, String>,
    claim: impl FnOnce(&[Given]) -> Result<Vec<bool>>,
) -> Result<String> {
    let Some(focus) = Focus::of_edit(written) else {
        return Ok(String::new());
    };
    let memories = project.memories()?;
    let mut candidates = Vec::new();
    for relevant in relevance::rank(project, &memories, &focus)?.relevant {
        let stored = relevant.stored;
        let text = Text::alone(&with_place(stored));
        if text.cost().tokens > MAX_RULE_TOKENS {
            continue;
        }
        let example = match memories.anchors.get(&stored.memory.id) {
            Some(anchor) if relevant.shows_example => Slot::Unread(anchor),
            Some(_) => Slot::Hidden,
            None => Slot::Absent,
        };
        candidates.push(Candidate {
            stored,
            text,
            example,
            why: relevant.why,
        });
        if candidates.len() == MAX_RULES {
            break;
        }
    }
    if candidates.is_empty() {
        return Ok(String::new());
    }
    // Only now: rules that the session has must not make room for less relevant ones.
    let all: Vec<Given> = candidates.iter().map(given).collect();
    let mut is_wanted = claim(&all)?.into_iter();
    candidates.retain(|_| is_wanted.next() == Some(true));
    unverified::add(project, &mut candidates)?;
    let mut block = Block {
        project,
        code_share: project.inject.code_share,
        pins: &[],
        candidates,
        header: HEADER,
        contents: String::new(),
    };
    let limit = Cost {
        tokens: BUDGET,
        ..Cost::UNLIMITED
    }
    .minus(envelope_cost());
    Ok(block.fill(limit, None).0)
}

fn given<'a>(candidate: &Candidate<'a>) -> Given<'a> {
    let with_code =
        matches!(candidate.example, Slot::Unread(_)) || unverified::is_wanted(candidate);
    Given {
        memory: &candidate.stored.memory.id,
        with_code,
    }
}
