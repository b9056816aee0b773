//! Which documents are imported: the named ones, or all files of rules that the project has, and
//! the documents that they import with `@path`.

use anyhow::Result;

use super::ImportArgs;
use crate::error::UserError;
use crate::markdown::links::normalize_path;
use crate::markdown::rules;
use crate::ops::Project;
use crate::tree::{documents, read};

/// Maximum depth of imports: that of Claude Code.
const MAX_DEPTH: usize = 5;

/// A document to import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) file: String,
    /// The document in whose folder its rules hold: itself, or the one that imports it.
    pub(super) holds_at: String,
}

/// Returns the documents to import, each once, the named ones first.
pub(super) fn documents(project: &Project, args: &ImportArgs) -> Result<Vec<Found>> {
    let mut files = Vec::new();
    for path in &args.files {
        for file in documents::find(&project.root, path)? {
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    if args.files.is_empty() {
        files = documents::find_rule_files(&project.root)?;
        if files.is_empty() {
            return Err(UserError::usage("the project has no file of rules, such as `AGENTS.md`")
                .hint("name the documents with rules: cerberus memory import FILE")
                .into());
        }
    }
    let mut found: Vec<Found> =
        files.into_iter().map(|file| Found { holds_at: file.clone(), file }).collect();
    let mut depth_start = 0;
    for _ in 0..MAX_DEPTH {
        let depth_end = found.len();
        for document_idx in depth_start..depth_end {
            let Found { file, holds_at } = found[document_idx].clone();
            let text = read::text(&project.root, &file)?;
            for path in rules::imports(&text) {
                let Some(imported) = imported_file(project, &file, &path) else { continue };
                if !found.iter().any(|known| known.file == imported) {
                    found.push(Found { file: imported, holds_at: holds_at.clone() });
                }
            }
        }
        depth_start = depth_end;
    }
    Ok(found)
}

/// Returns the document of the project at a path that is relative to the importing one.
fn imported_file(project: &Project, importing: &str, path: &str) -> Option<String> {
    let folder = importing.rsplit_once('/').map_or("", |(folder, _)| folder);
    let path = if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
    let file = normalize_path(&path)?;
    let name = file.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    // A README describes the project; it is imported only if it is named.
    let is_document = documents::is_document(&file) && !name.starts_with("readme");
    (is_document && read::is_file(&project.root, &file)).then_some(file)
}
