//! Which documents are imported: the named ones, or all files of rules that the project has, and
//! the documents that they import with `@path`.

use anyhow::Result;
use cerberus_engine::tree::{documents, read};
use cerberus_markdown::links::normalize_path;
use cerberus_markdown::rules::{self, Import};
use cerberus_model::refuse;

use super::Request;
use crate::ops::Project;

/// Maximum depth of imports: that of Claude Code.
const MAX_DEPTH: usize = 5;

/// A document to import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) file: String,
    /// The document in whose folder its rules hold: itself, or the one that imports it.
    pub(super) holds_at: String,
    pub(super) text: String,
}

/// The documents to import.
#[derive(Debug, Default)]
pub(super) struct Documents {
    /// Each once, the named ones first.
    pub(super) found: Vec<Found>,
    /// The files that cannot be read, with the reason.
    pub(super) unreadable: Vec<(String, String)>,
    /// About imports that are dropped.
    pub(super) warnings: Vec<String>,
}

/// Returns the documents to import. A document that is named and cannot be read is an error.
pub(super) fn documents(project: &Project, request: &Request) -> Result<Documents> {
    let mut documents = Documents::default();
    for path in &request.files {
        let listed = documents::find_named(&project.root, path)?;
        documents.unreadable.extend(listed.unnamed);
        let is_named = !path.is_dir();
        for file in listed.paths {
            match documents::read(&project.root, &file) {
                Err(error) if is_named => return Err(error),
                text => documents.add(&file, &file, text),
            }
        }
    }
    if request.files.is_empty() {
        let listed = documents::find_rule_files(&project.root)?;
        documents.unreadable.extend(listed.unnamed);
        documents.warnings.extend(listed.warnings);
        if listed.paths.is_empty() && documents.unreadable.is_empty() {
            return refuse(
                "the project has no file of rules, such as `AGENTS.md`",
                "name the documents with rules: cerberus memory import FILE",
            );
        }
        for file in listed.paths {
            documents.add(&file, &file, documents::read(&project.root, &file));
        }
    }
    documents.follow_imports(project);
    Ok(documents)
}

impl Documents {
    fn add(&mut self, file: &str, holds_at: &str, text: Result<String>) {
        if self.contains(file) {
            return;
        }
        let file = file.to_owned();
        match text {
            Ok(text) => self.found.push(Found {
                file,
                holds_at: holds_at.to_owned(),
                text,
            }),
            Err(error) => self.unreadable.push((file, format!("{error:#}"))),
        }
    }

    fn contains(&self, file: &str) -> bool {
        self.found.iter().any(|known| known.file == file)
            || self.unreadable.iter().any(|(known, _)| known == file)
    }

    /// Adds the documents that others import.
    fn follow_imports(&mut self, project: &Project) {
        let mut depth_start = 0;
        for _ in 0..MAX_DEPTH {
            let depth_end = self.found.len();
            for document_idx in depth_start..depth_end {
                let Found {
                    file,
                    holds_at,
                    text,
                } = self.found[document_idx].clone();
                for Import { path, line } in rules::imports(&text) {
                    match imported_file(project, &file, &path) {
                        Ok(Some(imported)) if self.contains(&imported) => {}
                        Ok(Some(imported)) => {
                            let text = documents::read(&project.root, &imported);
                            self.add(&imported, &holds_at, text);
                        }
                        Ok(None) => {}
                        Err(why) => {
                            let place = format!("{file}:{}", line + 1);
                            let warning = format!("{place}: `@{path}` is not imported: {why}");
                            self.warnings.push(warning);
                        }
                    }
                }
            }
            depth_start = depth_end;
        }
    }
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
        return if documents::is_document(path) {
            Err(OUTSIDE)
        } else {
            Ok(None)
        };
    }
    let path = match importing.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{path}"),
        None => path.to_owned(),
    };
    let file = normalize_path(&path).ok_or(OUTSIDE)?;
    let name = file.rsplit('/').next().unwrap_or_default();
    let name = name.to_ascii_lowercase();
    let exists = read::is_file(&project.root, &file);
    match (documents::is_document(&file), exists) {
        // It describes the project, and is imported only if it is named.
        (true, true) if name.starts_with("readme") => Ok(None),
        (true, true) => Ok(Some(file)),
        (true, false) => Err("no such file"),
        (false, true) => Err("its extension is not that of a document"),
        (false, false) => Ok(None),
    }
}
