//! Records what an agent answers about the rules of a bank: their kind, hints and examples.
//!
//! An answer is data from outside: each item is checked by itself, and what a person decided is never
//! replaced. An example is written to the lock file, everything else to the frontmatter of the memory,
//! except for a memory of a shared bank, whose file belongs to another project.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::memories::{self, Memories};
use super::{Project, anchors, document, seconds};
use crate::{MemoryFile, shared};
use cerberus_engine::examples::RankedSymbol;
use cerberus_markdown::frontmatter::{self, FieldValue};
use cerberus_model::error::UserError;
use cerberus_model::{AgentChoice, Anchor, CodeLocation, ExampleChoice, Origin, RuleKind};

/// Maximum number of hints in an answer.
const MAX_HINTS: usize = 12;

/// Maximum number of characters of a hint.
const MAX_HINT: usize = 80;

/// The ranked candidates of the rules that an agent was asked about, by id. Other ids are refused.
pub type Offered = BTreeMap<String, Vec<RankedSymbol>>;

/// Answers of an agent.
pub struct Answers<'a> {
    pub choice: &'a AgentChoice,
    /// One JSON object for each rule, in the form of [`Answer`].
    pub items: &'a [Value],
    pub offered: &'a Offered,
    /// Whether `reanchor --undo` reverts the anchors together with those of the last call.
    pub continues: bool,
}

/// What an agent answers about a rule.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    id: String,
    kind: Option<RuleKind>,
    #[serde(default)]
    hints: Vec<String>,
    example: Option<String>,
    #[serde(default)]
    none: bool,
}

/// What was recorded about a rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Decided {
    pub id: String,
    pub outcome: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
    /// Why the answer was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The hints of the answer.
    #[serde(skip)]
    pub hints: Vec<String>,
}

impl Decided {
    pub fn new(id: &str, outcome: Outcome) -> Self {
        Self { id: id.to_owned(), outcome, example: None, reason: None, hints: Vec::new() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Anchored,
    /// No code shows the rule, because it is about the work on the project.
    Process,
    /// The agent found no example.
    None,
    /// It has a kind or hints, with which an example can be searched for.
    Described,
    /// The answer is not valid, or a person decided already.
    Refused,
    /// There is no answer.
    Left,
}

/// A checked answer, which is not written yet.
struct Change<'a> {
    stored: &'a MemoryFile,
    decided: Decided,
    /// The text of the memory, if it changes.
    text: Option<String>,
    anchor: Option<Anchor>,
}

/// Checks each answer and records the valid ones.
pub fn record(project: &Project, answers: &Answers<'_>) -> Result<Vec<Decided>> {
    let bank = &project.bank;
    let _guard = bank.lock_for_writing()?;
    // A person may have decided since the agent was asked.
    let memories = Memories::load(project)?;
    let (mut decided, mut changes) = (Vec::new(), Vec::new());
    let mut seen = BTreeSet::new();
    for item in answers.items {
        let id = item["id"].as_str().unwrap_or_default();
        let change = match seen.insert(id) {
            true => check(project, &memories, answers, item),
            false => Err(UserError::usage("the answer has the id twice").into()),
        };
        match change {
            Ok(change) => changes.push(change),
            Err(error) => decided.push(refused(id, &error)),
        }
    }
    let new = changes.iter_mut().filter_map(|change| change.anchor.as_mut());
    anchors::remember_look_alikes(project, &mut new.collect::<Vec<_>>())?;
    let mut all = memories.anchors.clone();
    for Change { stored, decided: item, text, anchor } in changes {
        if let Some(text) = text {
            let now = seconds(project.now).to_string();
            bank.rewrite(&stored.file, &frontmatter::set_updated_at(&text, &now))?;
        }
        all.extend(anchor.map(|anchor| (item.id.clone(), anchor)));
        decided.push(item);
    }
    bank.write_anchors_undoably(&all, answers.continues)?;
    Ok(decided)
}

fn refused(id: &str, error: &anyhow::Error) -> Decided {
    let hints = error.downcast_ref::<UserError>().map(|error| error.hints.join("; "));
    let hints = hints.filter(|hints| !hints.is_empty()).map(|hints| format!(": {hints}"));
    let reason = format!("{error:#}{}", hints.unwrap_or_default());
    Decided { reason: Some(reason), ..Decided::new(id, Outcome::Refused) }
}

fn check<'a>(
    project: &Project,
    memories: &'a Memories,
    answers: &Answers<'_>,
    item: &Value,
) -> Result<Change<'a>> {
    let answer = Answer::deserialize(item).map_err(|error| UserError::usage(error.to_string()))?;
    let candidates = answers.offered.get(&answer.id).ok_or_else(|| {
        UserError::usage(format!("`{}` is not the id of a requested rule", answer.id))
    })?;
    let stored = memories.find(&answer.id)?;
    check_undecided(memories, stored)?;
    memories::languages(&stored.memory.scope).map_err(UserError::usage)?;
    check_hints(&answer.hints)?;
    let memory = &stored.memory;
    let is_process = answer.kind == Some(RuleKind::Process) && memory.kind != Some(RuleKind::Code);
    let outcome = match (&answer.example, answer.none) {
        (Some(_), true) => return Err(UserError::usage("it has an example and `none`").into()),
        (Some(_), _) if is_process => {
            return Err(UserError::usage("it has an example, but `kind` is process").into());
        }
        (Some(_), _) => Outcome::Anchored,
        (None, _) if is_process => Outcome::Process,
        (None, true) => Outcome::None,
        (None, false) if answer.kind.is_none() && answer.hints.is_empty() => {
            return Err(UserError::usage("it has no kind, hints, example or `none`").into());
        }
        (None, false) => Outcome::Described,
    };
    let anchor = match &answer.example {
        Some(example) => Some(chosen(project, example, candidates).map(|anchor| Anchor {
            origin: Origin::Agent,
            chosen: Some(answers.choice.clone()),
            others: memories.anchors.get(&memory.id).map_or_else(Vec::new, |it| it.others.clone()),
            ..anchor
        })?),
        None => None,
    };
    let text = match shared::is_shared(&stored.file) {
        true => None,
        false => edited(project, stored, &answer, (outcome, &answers.choice.by))?,
    };
    let example = anchor
        .as_ref()
        .map(|it| CodeLocation { file: it.file.clone(), symbol: it.symbol.clone() }.to_string());
    let decided = Decided { example, hints: answer.hints, ..Decided::new(&memory.id, outcome) };
    Ok(Change { stored, decided, text, anchor })
}

/// Checks that no person decided about the example of a rule.
pub fn check_undecided(memories: &Memories, stored: &MemoryFile) -> Result<()> {
    let memory = &stored.memory;
    if let Some(ExampleChoice::None) = memory.example {
        return Err(UserError::usage("a person decided that it has no example")
            .hint("ask the user before you change that")
            .into());
    }
    match memories.anchors.get(&memory.id) {
        Some(Anchor { origin: Origin::Manual, .. }) => {
            Err(UserError::usage("a person chose its example")
                .hint("ask the user before you change that")
                .into())
        }
        _ => Ok(()),
    }
}

fn check_hints(hints: &[String]) -> Result<()> {
    document::check_words("hint", hints.iter().map(String::as_str))?;
    document::check_secrets(("", ""), None, &[], hints)?;
    let is_valid = |hint: &String| !hint.trim().is_empty() && hint.chars().count() <= MAX_HINT;
    if hints.len() > MAX_HINTS || !hints.iter().all(is_valid) {
        let limits = format!("at most {MAX_HINTS} hints of at most {MAX_HINT} characters");
        return Err(UserError::usage(format!("expected {limits}, none of them empty")).into());
    }
    Ok(())
}

/// Returns an anchor to code that was offered, with its quality, or that exists in the project.
fn chosen(project: &Project, example: &str, candidates: &[RankedSymbol]) -> Result<Anchor> {
    let location: CodeLocation = example.parse().map_err(UserError::usage)?;
    let offered =
        candidates.iter().find(|it| (&it.file, &it.symbol) == (&location.file, &location.symbol));
    match offered {
        Some(candidate) => anchors::of_candidate(project, candidate),
        None => anchors::named(project, &location),
    }
}

/// Returns the text of a memory with what the agent said, if it differs.
fn edited(
    project: &Project,
    stored: &MemoryFile,
    answer: &Answer,
    (outcome, by): (Outcome, &str),
) -> Result<Option<String>> {
    let (old, memory) = (project.bank.utf8_text(stored)?, &stored.memory);
    let mut hints = memory.hints.clone();
    if outcome != Outcome::Process {
        for hint in answer.hints.iter().map(|hint| hint.trim()) {
            if !hints.iter().any(|known| known == hint) {
                hints.push(hint.to_owned());
            }
        }
    }
    let kind = answer.kind.filter(|_| memory.kind.is_none());
    let is_over = matches!(outcome, Outcome::Process | Outcome::None);
    let fields = [
        ("kind", kind.map(|kind| FieldValue::Scalar(kind.as_str()))),
        ("hints", (hints != memory.hints).then_some(FieldValue::List(&hints))),
        ("reviewed_by", is_over.then_some(FieldValue::Scalar(by))),
    ];
    let text = document::set_fields(old.clone(), fields);
    let text = match outcome {
        Outcome::Anchored => text.and_then(|text| frontmatter::remove(&text, "reviewed_by")),
        _ => text,
    };
    let text = text.map_err(|error| document::edit_error(&stored.file, error))?;
    Ok((text != old).then_some(text))
}
