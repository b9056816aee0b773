//! `cerberus hooks run … edit`, `after-edit` and `after-command`: the rules for the files that an agent edits.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::Result;
use cerberus_bank::Workspace;
use cerberus_bank::ops::Project;
use cerberus_brief::{Occasion, Request};
use cerberus_engine::tree::{git, walk};
use xxhash_rust::xxh3::xxh3_128;

use super::command::{self, Runs};
use super::payload::{Edit, Event};
use super::{after_edit, in_session, session, shown};
use crate::agents::Agent;
use crate::commands::inject;
use crate::config::{GlobalArgs, Settings};

/// How long before its end a command may have written a file.
const RECENT: Duration = Duration::from_secs(120);

/// How much earlier than the clock the time of a file may be: Linux sets it by the last tick of its timer.
const FILE_TIME_PRECISION: Duration = Duration::from_millis(20);

/// Maximum number of tokens of the rules for an edit.
const EDIT_BUDGET: usize = 800;

/// Maximum number of files that a command edits.
const MAX_WRITTEN: usize = 20;

/// Answers an edit that is about to be made.
pub(super) fn before(agent: &Agent, event: &Event, global: &GlobalArgs) -> Result<String> {
    // Without a session the same rules would come with every edit.
    let Some(session) = &event.session else {
        return Ok(String::new());
    };
    let Some((settings, written)) = written(event, global)? else {
        return Ok(String::new());
    };
    let project = &settings.project;
    let mut text = project.with_repair(|_| rules(project, agent, session, &written))?;
    // The event of these agents comes after the edit.
    if !agent.adds_context_before() {
        text.push_str(&after_edit::findings(&settings, Some(session), &written)?);
    }
    Ok(text)
}

/// Answers an edit that was made.
pub(super) fn after(event: &Event, global: &GlobalArgs) -> Result<String> {
    let Some((settings, written)) = written(event, global)? else {
        return Ok(String::new());
    };
    after_edit::findings(&settings, event.session.as_deref(), &written)
}

/// Answers a shell command that edited files.
pub(super) fn after_command(agent: &Agent, event: &Event, global: &GlobalArgs) -> Result<String> {
    let mut text = String::new();
    let (Some(session), Some(line)) = (&event.session, event.command()) else {
        return Ok(text);
    };
    let Some(settings) = session::settings(Some(event), global)? else {
        return Ok(text);
    };
    let project = &settings.project;
    let started = in_session(project, session, |rules| rules.started())?;
    if !agent.adds_context_before() {
        let runs = Runs::of(project, event, &line);
        text = command::hints(project, &*project.memories()?, event, &runs)?;
    }
    let written = recently_written(project, started)?;
    if !written.is_empty() {
        text.push_str(&about(&settings, agent, session, &written)?);
    }
    let shown = shown(project, event);
    if !shown.is_empty() {
        text.push_str(&project.with_repair(|_| rules(project, agent, session, &shown))?);
    }
    Ok(text)
}

/// Returns the files whose changes a command printed, with their added lines.
fn shown(project: &Project, event: &Event) -> BTreeMap<String, Written> {
    let mut files = BTreeMap::new();
    let output = event.output.as_deref().unwrap_or_default();
    for (path, added) in shown::in_diff(output, &project.root) {
        let text = added.clone();
        files.insert(path, Written { text, added });
    }
    files
}

/// Returns the rules for the files that a command edited, and the findings in the edits.
fn about(
    settings: &Settings,
    agent: &Agent,
    session: &str,
    written: &BTreeMap<String, Written>,
) -> Result<String> {
    let project = &settings.project;
    let mut text = project.with_repair(|_| rules(project, agent, session, written))?;
    let found = after_edit::findings(settings, Some(session), written)?;
    let key = format!("{:032x}", xxh3_128(found.as_bytes()));
    if !found.is_empty() && in_session(project, session, |rules| rules.claim_findings(&key))? {
        text.push_str(&found);
    }
    Ok(text)
}

/// Returns the lines that the files written in the last [`RECENT`] add to HEAD. A file that was written before
/// the start of the session or the subagent is the work of another one.
///
/// A command that writes more than [`MAX_WRITTEN`] files does not edit them: it generates code, or checks
/// out another commit.
fn recently_written(project: &Project, started: Option<i64>) -> Result<BTreeMap<String, Written>> {
    let root = &project.root;
    let now = SystemTime::from(project.now);
    let mut max_age = RECENT;
    if let Some(started) = started {
        let millis = project.now.as_millisecond().abs_diff(started);
        max_age = max_age.min(Duration::from_millis(millis) + FILE_TIME_PRECISION);
    }
    let mut files = Vec::new();
    for entry in walk::all_code(root)?.entries {
        let metadata = root.join(&entry.path).symlink_metadata();
        let Ok(time) = metadata.and_then(|metadata| metadata.modified()) else {
            continue;
        };
        if now.duration_since(time).unwrap_or_default() <= max_age {
            files.push(entry.path);
        }
    }
    if files.len() > MAX_WRITTEN {
        return Ok(BTreeMap::new());
    }
    let mut written = BTreeMap::new();
    for file in files {
        let Some(lines) = git::added_in(root, &file) else {
            continue;
        };
        let added = inject::added_text(&lines);
        if !added.is_empty() {
            let text = added.clone();
            written.insert(file, Written { text, added });
        }
    }
    Ok(written)
}

/// The texts that are written to a file.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) text: String,
    added: String,
}

/// Returns the settings of the project around the edited files, and the written texts by path.
/// Returns `None` if there are none, or if the project has no bank.
fn written(
    event: &Event,
    global: &GlobalArgs,
) -> Result<Option<(Settings, BTreeMap<String, Written>)>> {
    let edits = edits(event);
    let Some(folder) = edits.iter().find_map(|(path, _)| path.parent()) else {
        return Ok(None);
    };
    let settings = Settings::resolve_around(folder, global)?;
    if !settings.memory_enabled || !settings.project.bank.exists() {
        return Ok(None);
    }
    let root = settings.project.root.canonicalize()?;
    let mut written: BTreeMap<String, Written> = BTreeMap::new();
    for (path, edit) in &edits {
        let Some(path) = path.strip_prefix(&root).ok().and_then(slashed) else {
            continue;
        };
        if !path.starts_with(".memories/") {
            let written = written.entry(path).or_default();
            written.text.push_str(&edit.text);
            written.added.push_str(&edit.added);
        }
    }
    if written.is_empty() {
        return Ok(None);
    }
    Ok(Some((settings, written)))
}

/// Returns the edits with the absolute paths of their files, without links.
fn edits(event: &Event) -> Vec<(PathBuf, Edit)> {
    let folder = Path::new(event.folder.as_deref().unwrap_or_default());
    let mut edits = Vec::new();
    for edit in event.edits() {
        if let Some(path) = real_path(&folder.join(&edit.path)) {
            edits.push((path, edit));
        }
    }
    edits
}

/// Returns a path without links, of a file that may not exist.
fn real_path(path: &Path) -> Option<PathBuf> {
    if !path.is_absolute() {
        return None;
    }
    let existing = path.ancestors().find(|folder| folder.exists())?;
    let rest = path.strip_prefix(existing).ok()?;
    let is_plain = rest
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    if !is_plain {
        return None;
    }
    Some(existing.canonicalize().ok()?.join(rest))
}

/// Returns a relative path with `/` between its parts.
fn slashed(path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = path.iter().map(|part| part.to_str()).collect();
    parts.map(|parts| parts.join("/"))
}

/// Returns the text with the rules that the session does not have yet, and records them.
fn rules(
    project: &Workspace,
    agent: &Agent,
    session: &str,
    written: &BTreeMap<String, Written>,
) -> Result<String> {
    let mut added = BTreeMap::new();
    for (path, written) in written {
        added.insert(path.clone(), written.added.clone());
    }
    let request = Request::new(Occasion::Edit { added }, EDIT_BUDGET);
    Ok(session::give(project, agent.loads.as_ref(), Some(session), request)?.text)
}
