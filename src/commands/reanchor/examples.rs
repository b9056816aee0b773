//! Follows the examples beside the main ones.
//!
//! A counter-example is a record of code that need not exist any more, so it is not followed.

use super::{Finding, ReanchorArgs, TrackedLocation};
use crate::bank::lockfile::Anchors;
use crate::engine::track::{Degree, Outcome};
use crate::model::{Anchor, ExampleRole, OtherExample, State};
use crate::ops::{Project, rounded};
use crate::text::shell_word;
use crate::tree::git;

/// An example beside the main one of a memory.
pub(super) struct Beside<'a> {
    id: &'a str,
    example: &'a OtherExample,
    pub(super) anchor: Anchor,
}

/// Returns the followed examples of the anchors, in their order.
pub(super) fn beside(selected: &Anchors) -> Vec<Beside<'_>> {
    let all = selected.iter().flat_map(|(id, anchor)| anchor.others.iter().map(move |it| (id, it)));
    let followed = all.filter(|(_, example)| example.role == ExampleRole::Also);
    followed.map(|(id, example)| Beside { id, example, anchor: example.to_anchor() }).collect()
}

/// Appends the findings about examples, and updates them in the anchors to write and in those that
/// a check expects, which lacks examples that were only touched.
pub(super) fn reconcile<'a>(
    project: &Project,
    args: &ReanchorArgs,
    followed: impl Iterator<Item = (&'a Beside<'a>, Outcome)>,
    (anchors, expected): (&mut Anchors, &mut Anchors),
    results: &mut Vec<Finding>,
) {
    let mut head = None;
    for (beside, outcome) in followed {
        let is_accepted = args.accept.is_some() || outcome.degree <= Some(Degree::Touched);
        let new = outcome.new.as_ref().filter(|_| !outcome.edited || is_accepted);
        let update = match (new, &outcome.fingerprint, outcome.state) {
            (_, _, State::Fresh) => None,
            (Some(new), Some(fingerprint), _) => {
                let head = head.get_or_insert_with(|| {
                    git::head(&project.root).map(|head| head.abbreviated_id())
                });
                Some(OtherExample {
                    file: new.file.clone(),
                    symbol: new.symbol.clone(),
                    kind: new.kind,
                    language: new.language,
                    commit: head.clone(),
                    fingerprint: fingerprint.clone(),
                    ..beside.example.clone()
                })
            }
            _ => None,
        };
        let drift = update.is_none() && outcome.state != State::Fresh;
        if let Some(update) = &update {
            let is_in_place =
                update.file == beside.example.file && update.symbol == beside.example.symbol;
            let is_touched = outcome.degree == Some(Degree::Touched) && is_in_place;
            let replace = |anchors: &mut Anchors| {
                let others = anchors.get_mut(beside.id).map(|anchor| &mut anchor.others);
                if let Some(old) =
                    others.and_then(|it| it.iter_mut().find(|it| *it == beside.example))
                {
                    old.clone_from(update);
                }
            };
            replace(anchors);
            if !is_touched {
                replace(expected);
            }
        }
        let main = results.iter().find(|it| it.id == beside.id);
        let memory = main.map(|it| it.memory.clone()).unwrap_or_default();
        results.push(finding(memory, beside, &outcome, update.is_some(), drift));
    }
}

fn finding(
    memory: String,
    beside: &Beside<'_>,
    outcome: &Outcome,
    written: bool,
    drift: bool,
) -> Finding {
    let id = shell_word(beside.id);
    let old = TrackedLocation::from(&beside.anchor);
    let next = match &outcome.new {
        _ if !drift => None,
        Some(_) => Some(format!("cerberus memory reanchor --accept {id}")),
        None => {
            Some(format!("cerberus memory anchor {id} --drop {}", shell_word(&old.to_string())))
        }
    };
    Finding {
        id: beside.id.to_owned(),
        memory,
        state: outcome.state,
        edited: outcome.edited,
        degree: outcome.degree,
        chosen: beside.anchor.origin,
        role: Some(beside.example.role),
        old,
        new: outcome.new.as_ref().map(TrackedLocation::from),
        similarity: rounded(outcome.similarity),
        changed_line: None,
        candidates: outcome.candidates.iter().map(TrackedLocation::from).collect(),
        replacement: None,
        better_candidate: None,
        drift,
        written,
        reason: outcome.reason.clone(),
        steps: outcome.steps.clone(),
        next,
    }
}
