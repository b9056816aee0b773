//! Which documents are imported: the named ones, or all files of rules that the project has, and
//! the documents that they import with `@path`.

use anyhow::Result;

use super::ImportArgs;
use crate::error::UserError;
use crate::markdown::links::normalize_path;
use crate::markdown::rules::{self, Import};
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

/// Returns the documents to import, each once, the named ones first, and warnings about imports
/// that are dropped.
pub(super) fn documents(project: &Project, args: &ImportArgs) -> Result<(Vec<Found>, Vec<String>)> {
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
    let mut warnings = Vec::new();
    let mut depth_start = 0;
    for _ in 0..MAX_DEPTH {
        let depth_end = found.len();
        for document_idx in depth_start..depth_end {
            let Found { file, holds_at } = found[document_idx].clone();
            let text = read::text(&project.root, &file)?;
            for Import { path, line } in rules::imports(&text) {
                let imported = match imported_file(project, &file, &path) {
                    Ok(Some(imported)) => imported,
                    Ok(None) => continue,
                    Err(why) => {
                        let place = format!("{file}:{}", line + 1);
                        warnings.push(format!("{place}: `@{path}` is not imported: {why}"));
                        continue;
                    }
                };
                if !found.iter().any(|known| known.file == imported) {
                    found.push(Found { file: imported, holds_at: holds_at.clone() });
                }
            }
        }
        depth_start = depth_end;
    }
    Ok((found, warnings))
}

/// Returns the document of the project at a path that is relative to the importing one, `None` for
/// a word that names none, such as `@app.route`, or why the document is not imported.
fn imported_file(
    project: &Project,
    importing: &str,
    path: &str,
) -> Result<Option<String>, &'static str> {
    const OUTSIDE: &str = "it is outside the project";
    if path.starts_with(['/', '~']) {
        // `@/lib/a.ts` is the alias of a module.
        return if documents::is_document(path) { Err(OUTSIDE) } else { Ok(None) };
    }
    let folder = importing.rsplit_once('/').map_or("", |(folder, _)| folder);
    let path = if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
    let file = normalize_path(&path).ok_or(OUTSIDE)?;
    let name = file.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    // A README describes the project; it is imported only if it is named.
    let (is_document, exists) =
        (documents::is_document(&file), read::is_file(&project.root, &file));
    match (is_document, exists) {
        (true, true) if name.starts_with("readme") => Ok(None),
        (true, true) => Ok(Some(file)),
        (true, false) => Err("no such file"),
        (false, true) => Err("its extension is not that of a document"),
        (false, false) => Ok(None),
    }
}
