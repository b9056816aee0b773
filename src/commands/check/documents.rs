//! Which documents are checked: the named ones, or the instruction files and guides of the project,
//! the documents that instruction files name, and the memories.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Result;
use cerberus_bank::Workspace;
use cerberus_bank::ops::Project;
use cerberus_bank::ops::import::sources::{self, Source};
use cerberus_claims::addresses::Addresses;
use cerberus_claims::parse;
use cerberus_claims::report::Document;
use cerberus_engine::tree::{documents, read};
use cerberus_markdown::links::normalize_path;
use cerberus_model::text::conventions::CONVENTIONS;
use cerberus_model::{Globs, Memory, MemoryStatus, MemoryType};
use cerberus_prose::times::{self, Status};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde_json::Value;

use crate::commands::findings::Unchecked;
use crate::config::CheckConfig;

/// Folders of documents that describe another project: the one that is made from the template.
const TEMPLATE_FOLDERS: &[&str] = &["templates", "template"];

/// Lists of the skills that were installed from other projects: by name with their sources, and by name (of
/// Laravel Boost).
const SKILL_LISTS: [&str; 2] = ["skills-lock.json", "boost.json"];

/// Number of parts at the end of the path of a document that describes tests itself, with its name.
const N_OWN_FOLDERS: usize = 3;

/// The documents with their claims.
#[derive(Default)]
pub(super) struct Found {
    addresses: Addresses,
    pub(super) documents: Vec<Document>,
    /// The documents of which only the links are read, and all others that are not read.
    pub(super) others: BTreeSet<String>,
    pub(super) unread: Vec<Unchecked>,
}

/// Reads the documents of `files`, or of the project: with `is_any` all of them that are about now.
pub(super) fn read(
    workspace: &Workspace,
    files: &[PathBuf],
    is_any: bool,
    config: &CheckConfig,
) -> Result<Found> {
    let project: &Project = workspace;
    let root = &project.root;
    let mut selection = if files.is_empty() {
        Selection::of_project(root, is_any)?
    } else {
        Selection::named(root, files)?
    };
    let mut memories: BTreeMap<String, String> = BTreeMap::new();
    if files.is_empty() && project.bank.exists() {
        memories = current_memories(workspace, &selection.paths)?;
        selection.paths.retain(|path| !memories.contains_key(path));
    }
    let exclude = Globs::new(&config.exclude);
    let is_included = |path: &str| exclude.find(path).is_none();
    selection.paths.retain(|path| is_included(path));
    memories.retain(|path, _| is_included(path));
    let mut found = Found {
        addresses: Addresses::new(root),
        unread: std::mem::take(&mut selection.unread),
        ..Found::default()
    };
    found.add_memories(memories);
    found.add(project, &selection.paths, |path, text| {
        selection.is_about_now(path, text, !files.is_empty())
    });
    if files.is_empty() {
        let mut named = found.named(project);
        named.retain(|path| is_included(path));
        found.add(project, &named, |path, text| {
            selection.is_about_now(path, text, true)
        });
    }
    found.documents.retain(|document| {
        selection.exempt.contains(&document.path) || !document.claims.is_history
    });
    let mut others = std::mem::take(&mut selection.all);
    for document in &found.documents {
        others.remove(&document.path);
    }
    others.retain(|path| is_included(path));
    found.add_links(project, others);
    found.documents.sort_by(|a, b| a.path.cmp(&b.path));
    found.report_cut_documents();
    Ok(found)
}

/// The paths of the documents to read.
#[derive(Default)]
struct Selection {
    /// The documents that the command line names itself, which are read whatever they are about.
    exempt: BTreeSet<String>,
    /// All that are read as a whole.
    paths: BTreeSet<String>,
    /// All documents of the project, if the command line names none.
    all: BTreeSet<String>,
    unread: Vec<Unchecked>,
}

impl Selection {
    /// Selects files, and the documents of folders.
    fn named(root: &Path, files: &[PathBuf]) -> Result<Self> {
        let mut selection = Self::default();
        for file in files {
            let listed = documents::find_named(root, file)?;
            selection.add_unnamed(listed.unnamed);
            for path in listed.paths {
                let below = below(&path, file);
                if below.is_empty() {
                    selection.exempt.insert(path.clone());
                }
                if below.is_empty()
                    || documents::is_specification(&path)
                    || !times::is_of_other_time(below)
                {
                    selection.paths.insert(path);
                }
            }
        }
        Ok(selection)
    }

    /// Selects the guides and specifications of a project, or with `is_any` all of its documents.
    fn of_project(root: &Path, is_any: bool) -> Result<Self> {
        let mut selection = Self::default();
        let listed = documents::find_all(root)?;
        for reason in listed.warnings {
            selection.unread.push(Unchecked {
                file: ".".to_owned(),
                reason,
            });
        }
        let is_described =
            |path: &str| documents::is_guide(path) || documents::is_specification(path);
        let mut unnamed = listed.unnamed;
        unnamed.retain(|(path, _)| is_any || is_described(path));
        selection.add_unnamed(unnamed);
        for path in listed.paths {
            let is_wanted = documents::is_specification(&path) || !is_other(&path);
            if (is_any || is_described(&path)) && is_wanted && !is_installed(root, &path) {
                selection.paths.insert(path.clone());
            }
            selection.all.insert(path);
        }
        Ok(selection)
    }

    /// Adds the files whose names cannot be read, with the reasons.
    fn add_unnamed(&mut self, unnamed: Vec<(String, String)>) {
        for (file, reason) in unnamed {
            self.unread.push(Unchecked { file, reason });
        }
    }

    /// Returns whether a document is about the project as it is now. One that is listed needs no status.
    fn is_about_now(&self, path: &str, text: &str, is_listed: bool) -> bool {
        let is_specification = documents::is_specification(path);
        if self.exempt.contains(path) || documents::is_guide(path) && !is_specification {
            return true;
        }
        match times::status(text) {
            Some(status) => status == Status::Current,
            None => is_listed || !is_specification,
        }
    }
}

/// Returns the texts of the memories that are about now, by their paths in the project. Plans, journals and decisions are
/// about another time, and a copy of an item says no more than its document, which is in `paths`.
fn current_memories(
    project: &Workspace,
    paths: &BTreeSet<String>,
) -> Result<BTreeMap<String, String>> {
    let mut texts = BTreeMap::new();
    let Ok(folder) = project.bank.folder().strip_prefix(&project.root) else {
        return Ok(texts);
    };
    let folder = folder.display().to_string();
    let folder = folder.replace(std::path::MAIN_SEPARATOR, "/");
    for stored in &project.memories()?.all {
        let memory = &stored.memory;
        let is_current = matches!(memory.memory_type, MemoryType::Rule | MemoryType::Fact)
            && memory.status == MemoryStatus::Active;
        if is_current && !is_copy(memory, paths) {
            texts.insert(format!("{folder}/{}", stored.file), stored.text.clone());
        }
    }
    Ok(texts)
}

/// Returns whether a memory has the text that one of the documents had when it was imported.
fn is_copy(memory: &Memory, documents: &BTreeSet<String>) -> bool {
    let digest = sources::digest(&memory.body);
    let mut sources = Source::all(memory).into_iter();
    sources.any(|source| source.digest == digest && documents.contains(&source.file))
}

impl Found {
    /// Adds memories by their paths.
    fn add_memories(&mut self, memories: BTreeMap<String, String>) {
        for (path, text) in memories {
            let status = times::status(&text);
            if status.is_none_or(|status| status == Status::Current) {
                let claims = parse::read(&text, &self.addresses);
                self.documents.push(Document::new(path, text, claims));
            }
        }
    }

    /// Returns the documents that the files of rules name, without those that were read.
    fn named(&self, project: &Project) -> BTreeSet<String> {
        let mut rule_files = Vec::new();
        for document in &self.documents {
            if documents::is_rule_file(&document.path) {
                rule_files.push(document);
            }
        }
        let named = rule_files
            .par_iter()
            .flat_map_iter(|document| named_documents(project, document));
        let mut named: BTreeSet<String> = named.collect();
        for document in &self.documents {
            named.remove(&document.path);
        }
        named
    }

    /// Adds the documents with more claims than are checked.
    fn report_cut_documents(&mut self) {
        for document in &self.documents {
            if document.claims.is_cut {
                let reason = format!(
                    "it has more than {} claims, and the rest was not checked: split it, or exclude it in `[check]`",
                    parse::MAX_CLAIMS
                );
                self.unread.push(Unchecked {
                    file: document.path.clone(),
                    reason,
                });
            }
        }
    }

    /// Adds the documents of which a link may be unresolved, with their links only.
    fn add_links(&mut self, project: &Project, others: BTreeSet<String>) {
        let root = &project.root;
        let is_there = |path: &str| read::exists(root, path);
        let is_worth_reading = |path: &&String| {
            let is_about_now = !is_other(path) && !is_installed(root, path);
            let text = read::text(root, path).ok().filter(|_| is_about_now);
            text.is_some_and(|text| parse::links::may_be_broken(path, &text, &is_there))
        };
        let broken = others.par_iter().filter(is_worth_reading).cloned();
        let n_read = self.documents.len();
        self.add(project, &broken.collect(), |_, _| true);
        let mut added = self.documents.split_off(n_read);
        added.retain(|document| !document.claims.is_history);
        for document in &mut added {
            document.claims.retain_links();
        }
        self.documents.append(&mut added);
        self.others = others;
    }

    /// Adds documents, of which `is_wanted` has the paths and the texts.
    fn add(
        &mut self,
        project: &Project,
        paths: &BTreeSet<String>,
        is_wanted: impl Fn(&str, &str) -> bool + Sync,
    ) {
        let addresses = &self.addresses;
        let read = |path: &String| {
            let text = read::text(&project.root, path);
            let text = text
                .map(|text| is_wanted(path, &text).then_some(text))
                .transpose()?;
            let parsed = text.map(|text| {
                let claims = parse::read(&text, addresses);
                (text, claims)
            });
            Some((path.clone(), parsed))
        };
        let read: Vec<_> = paths.par_iter().filter_map(read).collect();
        for (path, content) in read {
            match content {
                Ok((text, claims)) => self.documents.push(Document::new(path, text, claims)),
                // A link to another document, as from `CLAUDE.md` to `AGENTS.md`.
                Err(error)
                    if !read::is_file(&project.root, &path)
                        && read::unread(&project.root, &path, &error).is_none() => {}
                Err(error) => {
                    self.unread.push(Unchecked {
                        file: path,
                        reason: format!("{error:#}"),
                    });
                }
            }
        }
    }
}

/// Returns the part of a path below the folder that the command line names: nothing for a file.
fn below<'p>(path: &'p str, argument: &Path) -> &'p str {
    let Some(name) = argument.file_name().and_then(|name| name.to_str()) else {
        return path;
    };
    let mut rest = path;
    while let Some((folder, below)) = rest.split_once('/') {
        if folder == name {
            return below;
        }
        rest = below;
    }
    if rest == name { "" } else { path }
}

/// Returns the documents of the project that an instruction file names.
fn named_documents(project: &Project, document: &Document) -> Vec<String> {
    let folder = document
        .path
        .rsplit_once('/')
        .map_or("", |(folder, _)| folder);
    let mut named: BTreeSet<&str> = BTreeSet::new();
    for claim in &document.claims.claims {
        if let Some(path) = claim.target.path()
            && path.ends_with(".md")
            && !path.contains('*')
        {
            named.insert(path);
        }
    }
    let mut found = Vec::new();
    for path in named {
        let relative = normalize_path(format!("{folder}/{path}").trim_start_matches('/'));
        let candidates = [relative, normalize_path(path.trim_start_matches('/'))];
        let file = candidates
            .into_iter()
            .flatten()
            .find(|path| read::is_file(&project.root, path));
        found.extend(file.filter(|file| !is_other(file) && !is_installed(&project.root, file)));
    }
    found
}

/// Returns whether a document is part of a skill that was installed from another project, which a
/// lock file in a folder around it lists.
fn is_installed(root: &Path, path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let is_listed = |base: &[&str], name: &str| {
        SKILL_LISTS.iter().any(|list| {
            let list = base
                .iter()
                .chain(&[*list])
                .copied()
                .collect::<Vec<_>>()
                .join("/");
            let list = read::text(root, &list).ok();
            let list: Value = list
                .and_then(|text| serde_json::from_str(&text).ok())
                .unwrap_or_default();
            let has_name = |names: &Vec<Value>| names.iter().any(|it| it == name);
            list["skills"].get(name).is_some() || list["skills"].as_array().is_some_and(has_name)
        })
    };
    let folders = parts
        .windows(2)
        .enumerate()
        .filter(|(_, pair)| pair[0] == "skills");
    let mut skills = folders.filter(|(idx, _)| idx + 2 < parts.len());
    skills.any(|(idx, pair)| (0..=idx).any(|n_parts| is_listed(&parts[..n_parts], pair[1])))
}

/// Returns whether a document is part of a project that tests read: it is two or more folders below a folder of
/// tests.
fn is_sample(path: &str) -> bool {
    let mut folders = path.rsplit('/').skip(N_OWN_FOLDERS);
    folders.any(|folder| CONVENTIONS.folders.tests.contains(folder))
}

/// Returns whether a document is not about this project as it is: it is part of a template, or of the documents
/// of a version or a day, as `docs/v1.20`, or its path says that it is about another time. The name of a guide or a rule
/// file, such as `plan` or `release`, is its subject.
fn is_other(path: &str) -> bool {
    let folders = || path.rsplit_once('/').unwrap_or_default().0.split('/');
    let mut documentation =
        folders().skip_while(|it| !matches!(*it, "doc" | "docs" | "versioned_docs"));
    folders().any(|it| TEMPLATE_FOLDERS.contains(&it))
        || folders().any(times::is_day)
        || documentation.any(times::is_version)
        || (!documents::is_guide(path) && times::is_of_other_time(path))
        || is_sample(path)
        || documents::is_foreign(path)
}
