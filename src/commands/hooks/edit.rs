//! `cerberus hooks run … edit`: the rules for the file that an agent edits.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use anyhow::Result;

use super::payload::{self, Edit, Event};
use super::{HookTool, after_edit, answer};
use crate::commands::inject;
use crate::config::{GlobalArgs, Settings};
use crate::output::Printer;
use cerberus_bank::ops::Project;
use cerberus_store::{self as store, Store, given_rules};

pub(super) fn run(tool: HookTool, global: &GlobalArgs, out: &mut Printer) -> Result<()> {
    let Some(event) = payload::read(tool) else { return Ok(()) };
    // Without a session the same rules would come with every edit.
    let Some(session) = &event.session else { return Ok(()) };
    let Some((settings, written)) = written(&event, global)? else { return Ok(()) };
    let project = &settings.project;
    let mut text = store::with_repair(&project.store, |_| rules(project, session, &written))?;
    // The event of these agents comes after the edit.
    if !matches!(tool, HookTool::Claude | HookTool::Codex | HookTool::Git) {
        text.push_str(&findings(project, &written)?);
    }
    if !text.is_empty() {
        answer::print(tool, &text, out)?;
    }
    Ok(())
}

/// Answers an edit that was made.
pub(super) fn run_after(tool: HookTool, global: &GlobalArgs, out: &mut Printer) -> Result<()> {
    let Some(event) = payload::read(tool) else { return Ok(()) };
    let Some((settings, written)) = written(&event, global)? else { return Ok(()) };
    let text = findings(&settings.project, &written)?;
    if !text.is_empty() {
        answer::print_after(tool, &text, out)?;
    }
    Ok(())
}

/// What is written to a file.
#[derive(Debug, Default)]
struct Written {
    text: String,
    added: String,
}

fn findings(project: &Project, written: &BTreeMap<String, Written>) -> Result<String> {
    let texts = written.iter().map(|(file, written)| (file.as_str(), written.text.as_str()));
    after_edit::findings(project, texts)
}

/// Returns the settings of the project around the edited files, and the written texts by path.
/// Returns `None` if there are none, or if the project has no bank.
fn written(
    event: &Event,
    global: &GlobalArgs,
) -> Result<Option<(Settings, BTreeMap<String, Written>)>> {
    let edits = edits(event);
    let Some(folder) = edits.iter().find_map(|(path, _)| path.parent()) else { return Ok(None) };
    let settings = Settings::resolve_around(folder, global)?;
    if !settings.memory_enabled || !settings.project.bank.exists() {
        return Ok(None);
    }
    let root = settings.project.root.canonicalize()?;
    let mut written: BTreeMap<String, Written> = BTreeMap::new();
    for (path, edit) in &edits {
        let Some(path) = path.strip_prefix(&root).ok().and_then(slashed) else { continue };
        if !path.starts_with(".memories/") {
            let written = written.entry(path).or_default();
            written.text.push_str(&edit.text);
            written.added.push_str(&edit.added);
        }
    }
    Ok((!written.is_empty()).then_some((settings, written)))
}

/// Returns the edits with the absolute paths of their files, without links.
fn edits(event: &Event) -> Vec<(PathBuf, Edit)> {
    let folder = event.folder.as_deref().map(Path::new);
    let absolute = |edit: Edit| {
        let path = match folder {
            Some(folder) => folder.join(&edit.path),
            None => PathBuf::from(&edit.path),
        };
        Some((real_path(&path)?, edit))
    };
    event.edits().into_iter().filter_map(absolute).collect()
}

/// Returns a path without links, of a file that may not exist.
fn real_path(path: &Path) -> Option<PathBuf> {
    if !path.is_absolute() {
        return None;
    }
    let existing = path.ancestors().find(|folder| folder.exists())?;
    let rest = path.strip_prefix(existing).ok()?;
    let is_plain = rest.components().all(|part| matches!(part, Component::Normal(_)));
    is_plain.then(|| Some(existing.canonicalize().ok()?.join(rest)))?
}

/// Returns a relative path with `/` between its parts.
fn slashed(path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = path.iter().map(|part| part.to_str()).collect();
    parts.map(|parts| parts.join("/"))
}

/// Returns the text with the rules that the session does not have yet, and records them.
fn rules(project: &Project, session: &str, written: &BTreeMap<String, Written>) -> Result<String> {
    let added = written.iter().map(|(path, written)| (path.clone(), written.added.clone()));
    inject::rules_for_edit(project, added.collect(), |ids| {
        let seconds = project.now.as_second();
        Store::open(&project.store)?
            .transaction(|store| given_rules::claim(store, session, ids, seconds))
    })
}
