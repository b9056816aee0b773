//! Lists the trash, and empties it.

use anyhow::Result;
use serde::Serialize;

use crate::{TRASH, Workspace, files};

#[derive(Debug, Serialize)]
pub struct Report {
    /// The names to pass to `restore`.
    pub memories: Vec<String>,
    /// Whether the files were removed for good.
    pub emptied: bool,
}

/// Returns what is in the trash.
pub fn list(project: &Workspace) -> Result<Report> {
    Ok(Report {
        memories: project.bank.trashed()?,
        emptied: false,
    })
}

/// Removes all memories in the trash with their anchors, for good.
pub fn empty(project: &Workspace) -> Result<Report> {
    let _guard = project.lock()?;
    let mut report = list(project)?;
    // Fails if the folder is a symbolic link to a place outside of the bank.
    let inside = project.bank.inside(&format!("{TRASH}/memory.md"))?;
    files::remove_folder(files::folder_of(&inside))?;
    files::sync_folders([project.bank.folder()])?;
    report.emptied = true;
    Ok(report)
}
