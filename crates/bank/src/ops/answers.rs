//! Records the answers of an agent about the rules of a bank: their kind, hints and examples.
//!
//! An answer is data from outside: each item is checked by itself, and what a person decided is never
//! replaced. An example is written to the lock file, everything else to the frontmatter of the memory.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, anyhow, bail};
use cerberus_engine::examples::RankedSymbol;
use cerberus_markdown::frontmatter;
use cerberus_markdown::frontmatter::FieldValue;
use cerberus_model::{
    AgentChoice, Anchor, CodeLocation, ExampleChoice, Origin, Outcome, RuleKind, UserError,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::memories::{self, Memories};
use super::{Project, anchors, document, patterns, seconds};
use crate::lockfile::Anchors;
use crate::{Bank, MemoryFile, Workspace};

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

/// The answer of an agent about a rule.
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
    pattern: Option<String>,
}

/// The recorded answer about a rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Decided {
    pub id: String,
    pub outcome: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
    /// A pattern that a person may accept. It is not stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Why the answer, or its pattern, was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The hints of the answer.
    #[serde(skip)]
    pub hints: Vec<String>,
}

impl Decided {
    /// Returns an outcome without details.
    pub fn new(id: &str, outcome: Outcome) -> Self {
        Self {
            id: id.to_owned(),
            outcome,
            example: None,
            pattern: None,
            reason: None,
            hints: Vec::new(),
        }
    }
}

/// A checked answer, which is not written yet.
struct Change<'a> {
    text: Option<TextChange<'a>>,
    anchor: Option<Anchor>,
    decided: Decided,
}

/// A file with its old and its new text.
struct TextChange<'a> {
    file: &'a str,
    old: String,
    new: String,
}

/// Checks each answer and records the valid ones.
pub fn record(project: &Workspace, answers: &Answers<'_>) -> Result<Vec<Decided>> {
    let bank = &project.bank;
    let lock = project.lock()?;
    // A person may have decided since the agent was asked.
    let memories = lock.memories()?;
    let mut decided = Vec::new();
    let mut changes = Vec::new();
    let mut seen = BTreeSet::new();
    for item in answers.items {
        let id = item_name(item);
        match check(project, &memories, answers, item) {
            Ok(_) if seen.contains(&id) => {
                decided.push(refused(&id, &anyhow!("its id is repeated")));
            }
            Ok(change) => {
                seen.insert(id);
                changes.push(change);
            }
            Err(error) => decided.push(refused(&id, &error)),
        }
    }
    let new = changes
        .iter_mut()
        .filter_map(|change| change.anchor.as_mut());
    anchors::remember_look_alikes(project, &mut new.collect::<Vec<_>>())?;
    let mut all = memories.anchors.clone();
    let mut texts = Vec::new();
    for change in changes {
        texts.extend(change.text);
        if let Some(anchor) = change.anchor {
            all.insert(change.decided.id.clone(), anchor);
        }
        decided.push(change.decided);
    }
    if let Err(error) = write(bank, &texts, &all, answers.continues) {
        for text in &texts {
            bank.rewrite(text.file, &text.old)?;
        }
        return Err(error);
    }
    Ok(decided)
}

fn write(bank: &Bank, texts: &[TextChange], all: &Anchors, continues: bool) -> Result<()> {
    for text in texts {
        bank.rewrite(text.file, &text.new)?;
    }
    bank.write_anchors_undoably(all, continues)?;
    Ok(())
}

/// Returns the id of an item, or its start if it has none.
fn item_name(item: &Value) -> String {
    match item["id"].as_str() {
        Some(id) => id.to_owned(),
        None => item.to_string().chars().take(MAX_HINT).collect(),
    }
}

fn refused(id: &str, error: &anyhow::Error) -> Decided {
    let mut reasons = vec![format!("{error:#}")];
    if let Some(error) = error.downcast_ref::<UserError>() {
        reasons.extend_from_slice(&error.hints);
    }
    Decided {
        reason: Some(reasons.join("; ")),
        ..Decided::new(id, Outcome::Refused)
    }
}

fn check<'a>(
    project: &Project,
    memories: &'a Memories,
    answers: &Answers<'_>,
    item: &Value,
) -> Result<Change<'a>> {
    if !item.is_object() {
        bail!("it is not an object");
    }
    let answer = Answer::deserialize(item)?;
    let Some(candidates) = answers.offered.get(&answer.id) else {
        bail!("`{}` is not the id of a requested rule", answer.id);
    };
    let stored = memories.find(&answer.id)?;
    check_undecided(memories, stored)?;
    memories::languages(&stored.memory.scope).map_err(UserError::usage)?;
    check_hints(&answer.hints)?;
    let memory = &stored.memory;
    let is_process = answer.kind == Some(RuleKind::Process) && memory.kind != Some(RuleKind::Code);
    let outcome = match (&answer.example, answer.none) {
        (Some(_), true) => bail!("it has an example and `none`"),
        (Some(_), _) if is_process => bail!("it has an example, but `kind` is process"),
        (Some(_), _) => Outcome::Anchored,
        (None, _) if is_process => Outcome::Process,
        (None, true) => Outcome::None,
        (None, false) if answer.kind.is_none() && answer.hints.is_empty() => {
            bail!("it has no kind, hints, example or `none`")
        }
        (None, false) => Outcome::Described,
    };
    let previous = memories.anchors.get(&memory.id);
    let mut anchor = None;
    if let Some(example) = &answer.example {
        let others = previous.map(|previous| previous.others.clone());
        anchor = Some(Anchor {
            origin: Origin::Agent,
            chosen: Some(answers.choice.clone()),
            others: others.unwrap_or_default(),
            ..chosen(project, example, candidates)?
        });
    }
    let text = edited(project, stored, &answer, (outcome, &answers.choice.by))?;
    let mut decided = Decided::new(&memory.id, outcome);
    if let Some(pattern) = answer.pattern {
        match patterns::proved(project, stored, previous, &pattern) {
            Ok(_) => decided.pattern = Some(pattern),
            Err(why) => decided.reason = Some(format!("its pattern is refused: {why}")),
        }
    }
    decided.example = answer.example;
    decided.hints = answer.hints;
    Ok(Change {
        text,
        anchor,
        decided,
    })
}

/// Checks that no person decided about the example of a rule.
pub fn check_undecided(memories: &Memories, stored: &MemoryFile) -> Result<()> {
    let anchor = memories.anchors.get(&stored.memory.id);
    let decision = match (stored.memory.example, anchor.map(|anchor| anchor.origin)) {
        (Some(ExampleChoice::None), _) => "decided that it has no example",
        (_, Some(origin)) if origin.is_of_person() => "chose its example",
        _ => return Ok(()),
    };
    bail!("a person {decision}; ask before you change that")
}

fn check_hints(hints: &[String]) -> Result<()> {
    document::check_words("hint", hints.iter().map(String::as_str))?;
    document::refuse_secrets(&[("the hints", &hints.join(" "))])?;
    let mut are_valid = hints.len() <= MAX_HINTS;
    for hint in hints {
        are_valid &= !hint.trim().is_empty() && hint.chars().count() <= MAX_HINT;
    }
    if !are_valid {
        bail!("expected at most {MAX_HINTS} hints of 1 to {MAX_HINT} characters");
    }
    Ok(())
}

/// Returns an anchor to code that was offered, with its quality, or that exists in the project.
fn chosen(project: &Project, example: &str, candidates: &[RankedSymbol]) -> Result<Anchor> {
    let location: CodeLocation = example.parse().map_err(UserError::usage)?;
    for candidate in candidates {
        if candidate.file == location.file && candidate.symbol == location.symbol {
            return anchors::of_candidate(project, candidate);
        }
    }
    anchors::named(project, &location)
}

/// Returns the change of a memory's text by an answer, if there is one.
fn edited<'a>(
    project: &Project,
    stored: &'a MemoryFile,
    answer: &Answer,
    (outcome, by): (Outcome, &str),
) -> Result<Option<TextChange<'a>>> {
    let old = project.bank.utf8_text(stored)?;
    let memory = &stored.memory;
    let mut hints = memory.hints.clone();
    if outcome != Outcome::Process {
        for hint in &answer.hints {
            let hint = hint.trim();
            if !hints.iter().any(|known| known == hint) {
                hints.push(hint.to_owned());
            }
        }
    }
    let kind = answer.kind.filter(|_| memory.kind.is_none());
    let is_over = matches!(outcome, Outcome::Process | Outcome::None);
    let fields = [
        ("kind", kind.map(|kind| FieldValue::Scalar(kind.as_str()))),
        (
            "hints",
            (hints != memory.hints).then_some(FieldValue::List(&hints)),
        ),
        ("reviewed_by", is_over.then_some(FieldValue::Scalar(by))),
    ];
    let mut text = document::set_fields(old.clone(), fields);
    if outcome == Outcome::Anchored {
        text = text.and_then(|text| frontmatter::remove(&text, "reviewed_by"));
    }
    let text = text.map_err(|error| document::edit_error(&stored.file, error))?;
    if text == old {
        return Ok(None);
    }
    let now = seconds(project.now).to_string();
    Ok(Some(TextChange {
        file: &stored.file,
        old,
        new: frontmatter::set_updated_at(&text, &now),
    }))
}
