//! Which documents are checked: the named ones, or the instruction files and guides of the project,
//! the documents that instruction files name, and the memories.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Result;
use rayon::prelude::*;
use serde_json::Value;

use crate::commands::findings::Unchecked;
use crate::config::CheckConfig;
use cerberus_bank::ops::Project;
use cerberus_claims::Document;
use cerberus_claims::parse::{self, Target};
use cerberus_engine::tree::{documents, read};
use cerberus_markdown::links::normalize_path;
use cerberus_model::text::Globs;
use cerberus_model::{MemoryStatus, MemoryType};

/// Folders of documents that describe another project: the one that is made from the template.
const TEMPLATE_FOLDERS: &[&str] = &["templates", "template"];

/// Words in the names of documents about the past or the future.
const OTHER_TIMES: &str = "changelog changes history release migrat upgrad roadmap todo plan \
    proposal rfc adr decisions journal archive postmortem news";

/// Lists the skills that were installed from other projects, with their sources.
const SKILLS_LOCK: &str = "skills-lock.json";

/// The documents with their claims.
pub(super) struct Found {
    pub(super) documents: Vec<Document>,
    pub(super) unread: Vec<Unchecked>,
}

pub(super) fn read(project: &Project, files: &[PathBuf], config: &CheckConfig) -> Result<Found> {
    let root = &project.root;
    let mut paths: BTreeSet<String> = BTreeSet::new();
    for file in files {
        paths.extend(documents::find(root, file)?);
    }
    if files.is_empty() {
        paths.extend(documents::find_guides(root)?);
        paths.retain(|path| !is_other(path) && !is_installed(root, path));
    }
    if files.is_empty()
        && project.bank.exists()
        && let Ok(folder) = project.bank.folder().strip_prefix(root)
    {
        let folder = folder.display().to_string().replace(std::path::MAIN_SEPARATOR, "/");
        let (memories, _) = project.bank.list_own()?;
        // Plans, journals and decisions are about another time.
        let is_current = |file: &&String| {
            project.bank.read(file).is_ok_and(|stored| {
                let memory = &stored.memory;
                matches!(memory.memory_type, MemoryType::Rule | MemoryType::Fact)
                    && memory.status == MemoryStatus::Active
            })
        };
        let current = memories.iter().filter(is_current);
        paths.extend(current.map(|file| format!("{folder}/{file}")));
    }
    let exclude = Globs::new(&config.exclude);
    let mut found = Found { documents: Vec::new(), unread: Vec::new() };
    paths.retain(|path| exclude.find(path).is_none());
    found.add(project, &paths);
    let is_rule_file = |it: &&Document| files.is_empty() && documents::is_rule_file(&it.path);
    let rule_files: Vec<&Document> = found.documents.iter().filter(is_rule_file).collect();
    let named = rule_files.par_iter().flat_map_iter(|it| named_documents(project, it));
    let mut named: BTreeSet<String> = named.collect();
    named.retain(|path| !paths.contains(path) && exclude.find(path).is_none());
    found.add(project, &named);
    found.documents.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

impl Found {
    fn add(&mut self, project: &Project, paths: &BTreeSet<String>) {
        let parse = |text: String| {
            let claims = parse::read(&text);
            (text, claims)
        };
        let read = |path: &String| (path.clone(), read::text(&project.root, path).map(parse));
        let read: Vec<_> = paths.par_iter().map(read).collect();
        for (path, content) in read {
            match content {
                Ok((text, claims)) => self.documents.push(Document { path, text, claims }),
                // A link to another document, as from `CLAUDE.md` to `AGENTS.md`.
                Err(_) if !read::is_file(&project.root, &path) => {}
                Err(error) => {
                    self.unread.push(Unchecked { file: path, reason: format!("{error:#}") });
                }
            }
        }
    }
}

/// Returns the documents of the project that an instruction file names.
fn named_documents(project: &Project, document: &Document) -> Vec<String> {
    let folder = document.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let named = document.claims.claims.iter().filter_map(|claim| match &claim.target {
        Target::Path { path, .. } if path.ends_with(".md") && !path.contains('*') => Some(path),
        _ => None,
    });
    let mut found = Vec::new();
    for path in named {
        let relative = normalize_path(format!("{folder}/{path}").trim_start_matches('/'));
        let candidates = [relative, normalize_path(path.trim_start_matches('/'))];
        let file = candidates.into_iter().flatten().find(|path| read::is_file(&project.root, path));
        found.extend(file.filter(|file| !is_other(file) && !is_installed(&project.root, file)));
    }
    found
}

/// Returns whether a document is part of a skill that was installed from another project, which a
/// lock file in a folder around it lists.
fn is_installed(root: &Path, path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let is_listed = |base: &[&str], name: &str| {
        let lock = base.iter().chain(&[SKILLS_LOCK]).copied().collect::<Vec<_>>().join("/");
        let lock = read::text(root, &lock).ok();
        let lock: Option<Value> = lock.and_then(|text| serde_json::from_str(&text).ok());
        lock.is_some_and(|lock| lock["skills"].get(name).is_some())
    };
    let folders = parts.windows(2).enumerate().filter(|(_, pair)| pair[0] == "skills");
    let mut skills = folders.filter(|(idx, _)| idx + 2 < parts.len());
    skills.any(|(idx, pair)| (0..=idx).any(|n_parts| is_listed(&parts[..n_parts], pair[1])))
}

/// Returns whether a document is not about this project as it is.
fn is_other(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let name = name.to_ascii_lowercase();
    let is_of_other_time = |part: &str| {
        part.split(['-', '_', '.'])
            .any(|word| OTHER_TIMES.split(' ').any(|it| word.starts_with(it)))
    };
    folders.split('/').any(|folder| {
        TEMPLATE_FOLDERS.contains(&folder) || is_of_other_time(&folder.to_ascii_lowercase())
    }) || is_of_other_time(&name)
        || documents::is_foreign(path)
}
