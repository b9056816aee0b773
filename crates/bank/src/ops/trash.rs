//! Moves memories with their anchors to the trash, and back.

use anyhow::Result;
use cerberus_model::Memory;
use serde::Serialize;

use super::import::sources::Source;
use super::merge::{Redirect, Redirected};
use crate::lockfile::Anchors;
use crate::lookup::find_named;
use crate::ops::Project;
use crate::{MemoryFile, Workspace};

#[derive(Debug, Serialize)]
pub struct Report {
    pub moved: Vec<MovedMemory>,
    /// Memories with links to those that were moved, which are broken now.
    #[serde(rename = "brokenLinks", skip_serializing_if = "Vec::is_empty")]
    pub broken_links: Vec<Redirected>,
    pub warnings: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct MovedMemory {
    pub id: String,
    /// Name to pass to `restore`.
    pub name: String,
    /// New path of the file in the bank.
    pub file: String,
    /// Whether an anchor was moved with the memory.
    pub anchored: bool,
}

/// Moves the memories to the trash whose ids are given, completely or by a unique prefix. If one is not found, moves none.
pub fn delete(project: &Workspace, ids: &[String]) -> Result<Report> {
    let lock = project.lock()?;
    let memories = lock.memories()?;
    let mut selected: Vec<&MemoryFile> = Vec::new();
    for typed in ids {
        let stored = memories.find(typed)?;
        if selected.iter().all(|other| other.file != stored.file) {
            selected.push(stored);
        }
    }
    let broken_links = links_to(&selected, &memories.all);
    let mut anchors = memories.anchors.clone();
    record_deletion(project, &selected)?;
    let moved = move_to_trash(project, &mut anchors, &selected)?;
    Ok(Report {
        moved,
        broken_links,
        warnings: memories.warnings.clone(),
    })
}

/// Returns the other memories that link to these, with the number of their links.
fn links_to(deleted: &[&MemoryFile], all: &[MemoryFile]) -> Vec<Redirected> {
    let links = Redirect {
        sources: deleted.to_vec(),
        id: "",
        file: String::new(),
    };
    let mut found = Vec::new();
    for stored in all {
        if deleted.iter().any(|other| other.file == stored.file) {
            continue;
        }
        if let Ok((_, links)) = links.in_text(&stored.text)
            && links > 0
        {
            let id = stored.memory.id.clone();
            found.push(Redirected { id, links });
        }
    }
    found
}

/// Records the items that memories were imported from, before the memories are moved: an item whose
/// memory still exists has no effect.
pub fn record_deletion(project: &Project, memories: &[&MemoryFile]) -> Result<()> {
    for stored in memories {
        project
            .bank
            .check_pattern_is_free(&stored.memory.id, &stored.text)?;
    }
    let mut deleted = Vec::new();
    for stored in memories {
        deleted.extend(items(&stored.memory));
    }
    project.bank.change_deleted_items(&deleted, &[])
}

/// Returns the items of documents that a memory was imported from.
fn items(memory: &Memory) -> Vec<String> {
    Source::all(memory).iter().map(Source::item).collect()
}

/// Moves the memories in these files to the trash, all or none.
pub(super) fn delete_files(project: &Workspace, files: &[String]) -> Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    let lock = project.lock()?;
    let memories = lock.memories()?;
    let selected: Vec<&MemoryFile> = files.iter().filter_map(|file| memories.at(file)).collect();
    let mut anchors = memories.anchors.clone();
    move_to_trash(project, &mut anchors, &selected).map(drop)
}

/// Moves memories with their anchors to the trash, all or none.
pub fn move_to_trash(
    project: &Project,
    anchors: &mut Anchors,
    memories: &[&MemoryFile],
) -> Result<Vec<MovedMemory>> {
    let mut deleted = Vec::new();
    let mut moved = Vec::new();
    for stored in memories {
        let (id, file) = (&stored.memory.id, stored.file.as_str());
        let anchor = Anchors::from_iter(anchors.remove_entry(id));
        moved.push(MovedMemory {
            id: id.clone(),
            name: file.strip_suffix(".md").unwrap_or(file).to_owned(),
            file: String::new(),
            anchored: !anchor.is_empty(),
        });
        deleted.push((file, anchor));
    }
    let trashed = project.bank.delete(&deleted, anchors)?;
    for (moved, to) in moved.iter_mut().zip(trashed) {
        moved.file = to;
    }
    Ok(moved)
}

/// Moves a memory back from the trash.
pub fn restore(project: &Workspace, typed: &str) -> Result<Report> {
    let _guard = project.lock()?;
    let trashed = project.bank.trashed()?;
    let names: Vec<&str> = trashed.iter().map(String::as_str).collect();
    let name_idx = find_named("trashed memory", typed, &names)?;
    let name = &trashed[name_idx];
    let memories = project.memories()?;
    let id = project.bank.trashed_id(name)?;
    memories.check_free(&id)?;
    let mut anchored = false;
    let restored = project.bank.restore(name, |anchor| {
        anchored = !anchor.is_empty();
        let mut anchors = memories.anchors.clone();
        anchors.extend(anchor);
        project.bank.write_anchors(&anchors).map(drop)
    });
    if restored.is_err() {
        project.bank.write_anchors(&memories.anchors)?;
    }
    let moved = MovedMemory {
        id,
        name: name.clone(),
        file: restored?,
        anchored,
    };
    project
        .bank
        .change_deleted_items(&[], &items(&project.bank.read(&moved.file)?.memory))?;
    Ok(Report {
        moved: vec![moved],
        broken_links: Vec::new(),
        warnings: memories.warnings.clone(),
    })
}
