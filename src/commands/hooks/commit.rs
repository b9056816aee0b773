//! `cerberus hooks run git commit`, and a shell command of an agent that commits: the rules that concern the changes of a commit, and the examples
//! that it edits or removes. It never blocks the commit; `cerberus memory reanchor --check` does.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use cerberus_bank::Workspace;
use cerberus_bank::ops::linked::{self, Linked};
use cerberus_bank::ops::memories::Memories;
use cerberus_bank::ops::{Project, envelope, links, memories};
use cerberus_engine::syntax::language;
use cerberus_engine::track;
use cerberus_engine::track::{Degree, Outcome};
use cerberus_engine::tree::git;
use cerberus_markdown::links::{Target, normalize_path};
use cerberus_model::{Anchor, State, escaped, format_location};

use super::answer;
use super::git_command::{self, Commit};
use super::payload::Event;
use crate::config::{GlobalArgs, Settings};

/// The changed files of a commit with their changed lines.
type Changes = BTreeMap<String, Vec<(u32, u32)>>;

/// Returns the text about the commit that a shell command makes, or an empty text.
pub(super) fn about(event: &Event, line: &str, global: &GlobalArgs) -> Result<String> {
    let folder = event.folder.as_deref().map(Path::new);
    let commit = folder.and_then(|folder| git_command::commit(line, folder));
    let Some(Commit {
        folder,
        has_unstaged,
    }) = commit
    else {
        return Ok(String::new());
    };
    let Ok(folder) = folder.canonicalize() else {
        return Ok(String::new());
    };
    of_project(&Settings::resolve_around(&folder, global)?, has_unstaged)
}

/// Returns the text about a commit in a project. Git passes the index of the commit, which also
/// contains the changes of `git commit -a`.
pub(super) fn of_project(settings: &Settings, has_unstaged: bool) -> Result<String> {
    let project = &settings.project;
    if !settings.memory_enabled || !project.bank.exists() {
        return Ok(String::new());
    }
    let text = project.with_repair(|_| text(project, has_unstaged))?;
    Ok(if text.is_empty() {
        text
    } else {
        envelope::wrapped(&escaped(&text))
    })
}

/// Returns the text about a commit.
fn text(project: &Workspace, has_unstaged: bool) -> Result<String> {
    let memories = project.memories()?;
    let changes = changes(project, &memories, has_unstaged)?;
    if changes.is_empty() {
        return Ok(String::new());
    }
    let broken = broken_examples(project, &memories, &changes)?;
    let mut about = Vec::new();
    for Linked { id, reasons, .. } in linked::of_changes(project, &changes)?.memories {
        if broken.iter().any(|example| example.id == id) {
            continue;
        }
        // The example was found in another file.
        let is_moved = match memories.anchors.get(&id) {
            Some(anchor) => changes.get(&anchor.file).is_some_and(Vec::is_empty),
            None => false,
        };
        // A part of the file that the commit does not change is of no concern.
        let reason = reasons.iter().find(|reason| {
            let is_moved_example = is_moved && reason.relation == linked::ANCHOR;
            reason.is_changed != Some(false) && !is_moved_example
        });
        if let Some(reason) = reason {
            about.push(format!("{}: {}", reason.target, rule(&memories, &id)));
        }
    }
    let mut text = String::new();
    if !broken.is_empty() {
        let mut items = Vec::new();
        for BrokenExample { id, place, what } in &broken {
            items.push(format!("{place} {what}: {}", rule(&memories, id)));
        }
        text.push_str("Examples of rules that this commit changes:\n");
        text.push_str(&answer::listed(&items));
    }
    if !about.is_empty() {
        text.push_str("Rules about the changed code:\n");
        text.push_str(&answer::listed(&about));
    }
    if !broken.is_empty() {
        text.push_str(
            "Choose other examples with `cerberus memory review`, or change the rules.\n",
        );
    }
    Ok(text)
}

/// Returns the title of a rule with its id.
fn rule(memories: &Memories, id: &str) -> String {
    let stored = memories.all.iter().find(|stored| stored.memory.id == id);
    let title = match stored {
        Some(stored) => memories::title(&cerberus_brief::text(stored)),
        None => String::new(),
    };
    format!("{title} (`{id}`)")
}

/// Returns the changes of a commit. Of the files that are not staged, only those that a memory is
/// linked or anchored to are compared.
fn changes(project: &Workspace, memories: &Memories, has_unstaged: bool) -> Result<Changes> {
    let mut changes = git::staged(&project.root)?;
    if !has_unstaged {
        return Ok(changes);
    }
    let synced = project.synced()?;
    let mut files: BTreeSet<String> = memories
        .anchors
        .values()
        .map(|anchor| anchor.file.clone())
        .collect();
    for edge in links::edges(project, &synced)? {
        let target = Target::parse(edge.resolved_to.as_ref().unwrap_or(&edge.target));
        files.extend(target.and_then(|target| normalize_path(&target.name)));
    }
    changes.extend(git::uncommitted(
        &project.root,
        files.iter().map(String::as_str),
    ));
    Ok(changes)
}

/// An example that a commit changes so that it may no longer show its rule.
struct BrokenExample<'m> {
    id: &'m str,
    place: String,
    what: &'static str,
}

/// Returns the examples that are worse after the commit than in HEAD. The code after the commit is
/// that of the working tree, which differs if only a part of a file is staged.
fn broken_examples<'m>(
    project: &Project,
    memories: &'m Memories,
    changes: &Changes,
) -> Result<Vec<BrokenExample<'m>>> {
    let ids: BTreeSet<&str> = memories
        .all
        .iter()
        .map(|stored| stored.memory.id.as_str())
        .collect();
    let mut concerned = Vec::new();
    let mut anchors = Vec::new();
    for (id, anchor) in &memories.anchors {
        let is_changed = changes.contains_key(&anchor.file) && ids.contains(id.as_str());
        if is_changed && anchor.language.is_none_or(language::is_built) {
            concerned.push((id, anchor));
            anchors.push(anchor.clone());
        }
    }
    if concerned.is_empty() {
        return Ok(Vec::new());
    }
    let outcomes = track::follow(&project.root, &project.exclude, &anchors, &|_, _| {})?;
    let mut damaged = Vec::new();
    for ((id, anchor), outcome) in concerned.into_iter().zip(&outcomes) {
        if let Some(what) = damage(outcome) {
            let place = format_location(&anchor.file, anchor.symbol.as_deref());
            damaged.push((anchor, BrokenExample { id, place, what }));
        }
    }
    let files = damaged.iter().map(|(anchor, _)| anchor.file.as_str());
    let before = git::in_head(&project.root, files);
    let mut broken = Vec::new();
    for ((anchor, example), old) in damaged.into_iter().zip(before) {
        if let Some(old) = old
            && is_new(anchor, example.what, &old)
        {
            broken.push(example);
        }
    }
    Ok(broken)
}

/// Returns whether an example was not damaged in an old text of its file. Otherwise an earlier commit did it.
fn is_new(anchor: &Anchor, damage: &str, old: &[u8]) -> bool {
    let found = track::verify_content(&anchor.file, old, &[anchor]).pop();
    let Some(example) = found.flatten() else {
        return false;
    };
    match example.degree {
        Some(Degree::Gutted) => false,
        Some(Degree::Edited) => damage != EDITED,
        Some(Degree::Touched) | None => true,
    }
}

/// How an example is worse whose code is edited.
const EDITED: &str = "is edited, and may no longer show";

/// Returns how an example is worse, if a person has to decide about it.
fn damage(outcome: &Outcome) -> Option<&'static str> {
    match (outcome.state, outcome.degree) {
        (State::Gone, _) => Some("is removed; it showed"),
        (_, Some(Degree::Gutted)) => Some("is almost removed; it showed"),
        (_, Some(Degree::Edited)) => Some(EDITED),
        _ => None,
    }
}
