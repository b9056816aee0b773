//! Gives a memory another id. Its anchor and the links to it follow.

use anyhow::Result;
use cerberus_markdown::frontmatter;
use cerberus_model::MemoryId;
use serde::Serialize;

use super::document;
use super::merge::{Redirect, Redirected};
use crate::{ImportChanges, Workspace};

#[derive(Debug, Serialize)]
pub struct Report {
    /// The new id.
    pub id: String,
    pub file: String,
    pub old_id: String,
    pub old_file: String,
    /// Whether an anchor moved with the memory.
    pub anchored: bool,
    /// Memories whose links now have the new id.
    pub redirected: Vec<Redirected>,
    pub warnings: Vec<String>,
}

/// Renames the memory whose id is `typed` or has it as a unique prefix.
///
/// Both files, the links and the anchor change together: after a kill all is as before.
pub fn rename(project: &Workspace, typed: &str, new_id: &str) -> Result<Report> {
    let lock = project.lock()?;
    let memories = lock.memories()?;
    let stored = memories.find(typed)?;
    let old_id = stored.memory.id.clone();
    let new_id: MemoryId = new_id.strip_suffix(".md").unwrap_or(new_id).parse()?;
    memories.check_free(&new_id)?;
    project.bank.check_pattern_is_free(&old_id, &stored.text)?;
    let file = new_id.file();
    let redirect = Redirect {
        sources: vec![stored],
        id: &new_id,
        file: file.clone(),
    };
    let mut warnings = memories.warnings.clone();
    let (mut text, _) = redirect.in_memory(project, stored)?;
    if frontmatter::parse(&text).frontmatter.id.is_some() {
        // The name of the file is the id.
        text = frontmatter::remove(&text, "id")
            .map_err(|error| document::edit_error(&stored.file, error))?;
    }
    let mut changes = ImportChanges {
        created: vec![(new_id.clone(), text)],
        removed: vec![stored.file.clone()],
        before: memories.anchors.clone(),
        after: memories.anchors.clone(),
        ..ImportChanges::default()
    };
    let redirected = redirect.others(project, &memories, &mut changes, &mut warnings);
    changes.check_sizes()?;
    let anchor = changes.after.remove(&old_id);
    let anchored = anchor.is_some();
    if let Some(anchor) = anchor {
        changes.after.insert(new_id.to_string(), anchor);
    }
    project.bank.import(&changes)?;
    Ok(Report {
        id: new_id.to_string(),
        file,
        old_id,
        old_file: stored.file.clone(),
        anchored,
        redirected,
        warnings,
    })
}
