//! Compares the items of documents with the bank.

use std::collections::{BTreeMap, BTreeSet};

use cerberus_engine::tree::read;
use cerberus_markdown::links::normalize_path;
use cerberus_markdown::rules::{self, RuleItem};
use cerberus_markdown::secrets;
use cerberus_model::{Anchor, Scope};
use rustc_hash::FxHashSet;

use super::find::Found;
use super::place::{self, Place};
use super::sources::{self, Source, Sources};
use super::{Item, NewRule, Outcome, Report, samples};
use crate::ops::{Project, default_scope, document};
use crate::project::project_name;

/// Replaces a text that may contain a secret.
const HIDDEN: &str = "(not shown)";

/// A document to import.
pub(super) struct Document<'a> {
    found: &'a Found,
    /// The commit that is checked out, if it contains the document as it is.
    commit: Option<String>,
    paths: Vec<String>,
    /// The globs in its frontmatter that match nothing, each with its line and the reason.
    faults: Vec<(usize, String)>,
    items: Vec<ReadItem>,
}

/// An item of a document with paths from the root.
struct ReadItem {
    found: RuleItem,
    text: String,
    digest: String,
    scope: Scope,
    paths: Vec<String>,
    /// The anchor to the code that the document names as its sample.
    sample: Option<Anchor>,
}

/// What decides where the rules of all documents hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surroundings<'a> {
    /// The scope that the user names for all documents.
    pub(super) scope: Option<&'a Scope>,
    /// The files of the project.
    pub(super) files: &'a [String],
}

impl ReadItem {
    /// Returns the text that governs it.
    fn prefix(&self) -> &str {
        &self.text[..self.found.prefix_len]
    }
}

impl<'a> Document<'a> {
    pub(super) fn new(
        project: &Project,
        found: &'a Found,
        commit: Option<String>,
        surroundings: Surroundings,
    ) -> Self {
        let Place {
            scope,
            paths,
            faults,
        } = Place::of(&found.holds_at, &found.text);
        let own_scope = surroundings.scope.cloned().or(scope);
        let has_own_scope = own_scope.is_some();
        let scope = own_scope.unwrap_or_else(|| default_scope(project));
        let name = match project_name(project) {
            Some(name) => name,
            None => "",
        };
        let parsed = rules::parse(&found.text, name).into_iter();
        let mut items: Vec<ReadItem> = parsed.map(|item| read_item(project, found, item)).collect();
        for item in &mut items {
            let place = rules::Place::of(&item.found, surroundings.files);
            item.scope = match place.language {
                Some(language) if !has_own_scope => Scope::Language(language),
                _ => scope.clone(),
            };
            item.paths = match place.folder {
                Some(folder) if paths.is_empty() => vec![format!("{folder}/**")],
                _ => paths.clone(),
            };
        }
        Self {
            found,
            commit,
            paths,
            faults,
            items,
        }
    }

    pub(super) fn file(&self) -> &'a str {
        &self.found.file
    }

    /// Returns the source of an item as it is written in the frontmatter.
    fn source(&self, item: &Item, digest: &str) -> Source {
        Source::new(self.file(), item.line, self.commit.as_deref(), digest)
    }

    /// Returns the digests of its items.
    pub(super) fn digests(&self) -> impl Iterator<Item = &str> {
        self.items.iter().map(|item| item.digest.as_str())
    }
}

/// Returns an item with paths from the root.
fn read_item(project: &Project, document: &Found, mut item: RuleItem) -> ReadItem {
    let (prefix, own) = item.text.split_at(item.prefix_len);
    let mut text = String::new();
    let mut prefix_len = 0;
    for part in [prefix, own] {
        prefix_len = text.len();
        let from_root = |path: &str| path_from_root(project, &document.file, path);
        text.push_str(&rules::replace_paths(part, from_root));
    }
    item.prefix_len = prefix_len;
    let sample = samples::anchor(project, &item.samples, |path| {
        path_from_root(project, &document.file, path).unwrap_or_else(|| path.to_owned())
    });
    if sample.is_some() && item.skipped_because.is_none() {
        // A document that names its code is sure of it.
        item.doubt = None;
    } else if item.is_sample {
        item.skipped_because = Some("it names no code of the project");
    }
    ReadItem {
        digest: sources::digest(&text),
        sample,
        found: item,
        text,
        scope: Scope::Universal,
        paths: Vec::new(),
    }
}

/// Returns the path from the root for one that is relative to a document, if the file exists.
fn path_from_root(project: &Project, document: &str, path: &str) -> Option<String> {
    let root = &project.root;
    if !path.contains(['/', '.']) || path.starts_with('/') || read::exists(root, path) {
        return None;
    }
    let (own_folder, _) = document.rsplit_once('/').unwrap_or_default();
    for folder in [own_folder, place::folder(document)] {
        if let Some(path) = normalize_path(&format!("{folder}/{path}"))
            && read::exists(root, &path)
        {
            return Some(path);
        }
    }
    None
}

/// The changes of one existing memory.
#[derive(Debug, Clone)]
pub(super) struct Update {
    /// The item with the new text and headings.
    pub(super) item_idx: Option<usize>,
    pub(super) paths: Vec<String>,
    pub(super) sources: Vec<String>,
    /// Whether an example that was chosen by itself may show the opposite of the new text.
    pub(super) drops_example: bool,
    /// The anchor to the code that the document names now.
    pub(super) sample: Option<Anchor>,
}

/// A rule that is not in the bank as it is.
struct Unknown<'a> {
    item_idx: usize,
    read: &'a ReadItem,
}

/// A memory of an earlier version of an item, with the document of its source.
struct Earlier {
    memory_idx: usize,
    file: String,
}

/// Compares items with the bank, and collects what is to be written.
pub(super) struct Classifier<'a> {
    pub(super) sources: &'a Sources<'a>,
    /// Documents of which memories were imported, and that no longer exist.
    pub(super) missing: &'a [&'a str],
    /// The memories of missing documents, with the document, whose item is in no other one.
    pub(super) lost: Vec<(usize, &'a str)>,
    /// Items whose memories were deleted.
    pub(super) deleted: BTreeSet<String>,
    /// The digests of those whose document no longer exists; it may have been moved.
    pub(super) deleted_with_document: BTreeSet<String>,
    pub(super) allow_secrets: bool,
    pub(super) report: Report,
    pub(super) new_rules: Vec<NewRule>,
    pub(super) updates: BTreeMap<usize, Update>,
    /// Memories whose item no longer exists.
    pub(super) removed: Vec<usize>,
    /// New rules by the digest of their text.
    pub(super) new_by_text: BTreeMap<String, usize>,
}

impl Classifier<'_> {
    /// Adds the items of one document.
    pub(super) fn document(&mut self, document: &Document) {
        let file = document.file();
        for (line, fault) in &document.faults {
            let warning = format!("{file}:{line}: {fault}");
            self.report.warnings.push(warning);
        }
        let items = &document.items;
        let mut gone = Vec::new();
        for memory_idx in self.sources.removed(file, &document.digests().collect()) {
            gone.push((memory_idx, file));
        }
        let mut unknown = Vec::new();
        for read in items {
            let ReadItem { found, text, .. } = read;
            let mut item = Item::new(file, found, text.clone());
            let is_rule = found.skipped_because.is_none();
            if is_rule {
                item.scope = Some(read.scope.to_string());
                item.paths.clone_from(&read.paths);
            }
            let secret = if self.allow_secrets {
                None
            } else {
                secret(&item)
            };
            if let Some(kind) = secret {
                self.hide(&mut item, kind);
            } else if is_rule && let Err(error) = document::check_content(&item.text) {
                item.skip(format!("{error:#}"));
            } else if is_rule && !self.known(document, &mut item, read) {
                unknown.push(Unknown {
                    item_idx: self.report.items.len(),
                    read,
                });
            }
            self.report.items.push(item);
        }
        // Only after all known items are found may a rest be an earlier version of another one.
        for rule in unknown {
            self.unknown(document, &rule, &mut gone);
        }
        for (memory_idx, _) in gone {
            self.drop_source(memory_idx, file, &document.paths);
        }
        let has_rule = items
            .iter()
            .any(|item| item.found.skipped_because.is_none());
        if !has_rule && rules::imports(&document.found.text).is_empty() {
            let warning = format!("`{file}` contains no rules: nothing in it demands anything");
            self.report.warnings.push(warning);
        }
    }

    /// Drops the sources in a document that no longer exists.
    pub(super) fn missing_document(&mut self, file: &str) {
        for memory_idx in self.sources.removed(file, &FxHashSet::default()) {
            self.drop_source(memory_idx, file, &[]);
        }
    }

    /// Returns whether an item is in the bank, was deleted from it, or is a copy of an earlier item.
    fn known(&mut self, document: &Document, item: &mut Item, read: &ReadItem) -> bool {
        let sources = self.sources;
        let digest = read.digest.as_str();
        let (file, source) = (document.file(), document.source(item, digest));
        if let Some(memory_idx) = sources.imported(file, digest) {
            item.settle(Outcome::Duplicate, sources.id(memory_idx), None);
            return true;
        }
        for former in self.missing {
            if let Some(memory_idx) = sources.imported(former, digest) {
                let reason = format!("its document was moved from {former}");
                item.settle(Outcome::Changed, sources.id(memory_idx), Some(reason));
                self.replace_source((memory_idx, former), read, source.written);
                return true;
            }
        }
        if self.is_deleted(file, digest) {
            let reason = "its memory was deleted; bring it back with `cerberus memory restore`";
            item.skip(reason.to_owned());
            return true;
        }
        if let Some(memory_idx) = sources.same_text(digest) {
            item.settle(Outcome::Duplicate, sources.id(memory_idx), None);
            // A memory that a person wrote has no source to extend.
            let is_imported = !sources.sources[memory_idx].is_empty();
            if is_imported && sources.source_in(memory_idx, file).is_none() {
                item.outcome = Outcome::Changed;
                item.reason = Some("a further source of the same rule".to_owned());
                let update = self.update(memory_idx);
                update.sources.push(source.written);
                update.paths = joined(&update.paths, &item.paths);
            }
            return true;
        }
        self.is_copy(document, item, digest)
    }

    /// Returns whether the memory of an item was deleted.
    fn is_deleted(&self, file: &str, digest: &str) -> bool {
        self.deleted.contains(&sources::item(file, digest))
            || self.deleted_with_document.contains(digest)
    }

    /// Returns whether an item is a copy of a new rule, which gets its place as a further source.
    fn is_copy(&mut self, document: &Document, item: &mut Item, digest: &str) -> bool {
        let Some(rule_idx) = self.new_by_text.get(digest) else {
            return false;
        };
        let rule = &mut self.new_rules[*rule_idx];
        let first = &mut self.report.items[rule.item_idx];
        item.skip(format!("a duplicate of {}:{}", first.file, first.line));
        item.outcome = Outcome::Duplicate;
        if first.file != item.file {
            rule.sources.push(document.source(item, digest).written);
            first.paths = joined(&first.paths, &item.paths);
        }
        true
    }

    /// Adds an item that is not in the bank: a changed or a new one.
    fn unknown(&mut self, document: &Document, rule: &Unknown, gone: &mut Vec<(usize, &str)>) {
        let &Unknown { item_idx, read } = rule;
        let digest = read.digest.as_str();
        // The item is taken out of the report while it is compared with the others.
        let mut item = std::mem::take(&mut self.report.items[item_idx]);
        let written = document.source(&item, digest).written;
        let sources = self.sources;
        if let Some(Earlier { memory_idx, file }) = self.take_earlier(document, read, gone) {
            let file = &*file;
            let id = sources.id(memory_idx);
            let old = sources.source_in(memory_idx, file);
            let mut reason = format!("`{id}` was imported from an earlier version of this item");
            if let Some(old) = old
                && sources.is_edited(memory_idx, old)
            {
                reason.push_str(&format!(" and edited since; update it with `cerberus memory update {id} --content …`, or delete it and import again"));
                item.settle(Outcome::Conflict, id, Some(reason));
            } else {
                let drops_example = read.found.may_be_negated
                    && sources.is_chosen_without(memory_idx, read.prefix());
                if drops_example {
                    reason.push_str("; its example, which was chosen without the text that governs it, is removed: choose one with `cerberus memory review`");
                }
                item.settle(Outcome::Changed, id, Some(reason));
                self.replace_source((memory_idx, file), read, written);
                let update = self.update(memory_idx);
                update.item_idx = Some(item_idx);
                update.drops_example = drops_example;
                update.sample.clone_from(&read.sample);
            }
        // A copy in the same document comes after the first one.
        } else if !self.is_copy(document, &mut item, digest) {
            self.new_by_text
                .insert(digest.to_owned(), self.new_rules.len());
            self.new_rules.push(NewRule {
                item_idx,
                own_start: read.found.prefix_len,
                may_be_negated: read.found.may_be_negated,
                scope: read.scope.clone(),
                sources: vec![written],
                anchor: read.sample.clone(),
            });
        }
        self.report.items[item_idx] = item;
    }

    /// Removes and returns the memory of the most similar earlier version of an item.
    fn take_earlier(
        &mut self,
        document: &Document,
        read: &ReadItem,
        gone: &mut Vec<(usize, &str)>,
    ) -> Option<Earlier> {
        let sources = self.sources;
        let similar = sources.take_earlier(gone, &read.text);
        let similar = similar.or_else(|| sources.take_earlier(&mut self.lost, &read.text));
        let (memory_idx, file) = similar?;
        if self.is_of_another(memory_idx, file, read) {
            self.drop_source(memory_idx, file, &document.paths);
            return None;
        }
        Some(Earlier {
            memory_idx,
            file: file.to_owned(),
        })
    }

    /// Returns whether the memory of an item has the text of an item in another document, which changed otherwise or not
    /// at all.
    fn is_of_another(&self, memory_idx: usize, file: &str, read: &ReadItem) -> bool {
        if let Some(update) = self.updates.get(&memory_idx)
            && let Some(other_idx) = update.item_idx
        {
            return self.report.items[other_idx].text != read.text;
        }
        self.sources.has_text_of_another(memory_idx, file)
    }

    /// Replaces the source of a memory by an item of a document.
    fn replace_source(
        &mut self,
        (memory_idx, old_file): (usize, &str),
        read: &ReadItem,
        written: String,
    ) {
        let old = self.sources.source_in(memory_idx, old_file);
        let old = old.map(|old| old.written.clone());
        let has_one_source = self.sources.sources[memory_idx].len() == 1;
        let update = self.update(memory_idx);
        update.sources.retain(|known| Some(known) != old.as_ref());
        update.sources.push(written);
        if has_one_source {
            update.paths.clone_from(&read.paths);
        }
    }

    /// Drops the source of a memory in a file; without another one the memory is removed.
    fn drop_source(&mut self, memory_idx: usize, file: &str, paths: &[String]) {
        let id = self.sources.id(memory_idx).to_owned();
        let Some(source) = self.sources.source_in(memory_idx, file).cloned() else {
            return;
        };
        let update = self.update(memory_idx);
        if !update.sources.contains(&source.written) {
            return;
        }
        update.sources.retain(|written| *written != source.written);
        let is_removed = update.sources.is_empty();
        let mut rest = update.paths.clone();
        rest.retain(|path| !paths.contains(path));
        if !rest.is_empty() {
            update.paths = rest;
        }
        let stored = &self.sources.all[memory_idx];
        let mut item = Item::removed(&source, &id, &stored.memory.body);
        if is_removed {
            self.updates.remove(&memory_idx);
            self.removed.push(memory_idx);
        } else {
            item.outcome = Outcome::Changed;
            item.reason = Some("no longer a source of the rule".to_owned());
        }
        self.report.items.push(item);
    }

    /// Returns the update of a memory, which changes nothing at first.
    fn update(&mut self, memory_idx: usize) -> &mut Update {
        let sources = self.sources;
        self.updates.entry(memory_idx).or_insert_with(|| {
            let written = sources.sources[memory_idx].iter();
            Update {
                item_idx: None,
                paths: sources.all[memory_idx].memory.paths.clone(),
                sources: written.map(|source| source.written.clone()).collect(),
                drops_example: false,
                sample: None,
            }
        })
    }

    /// Hides the text of an item with a secret, and skips a rule.
    fn hide(&mut self, item: &mut Item, kind: &str) {
        let is_rule = item.outcome == Outcome::Added;
        item.text = HIDDEN.to_owned();
        item.category = None;
        item.heading = None;
        item.tags = Vec::new();
        if is_rule {
            item.scope = None;
            item.paths = Vec::new();
            item.skip(format!("contains {kind}"));
            self.report.warnings.push(format!(
                "`{}:{}` contains {kind} and is skipped; describe where the secret is stored instead, or use `--allow-secret` if it is not a secret",
                item.file, item.line
            ));
        }
    }
}

/// Returns the kind of the secret in an item.
fn secret(item: &Item) -> Option<&'static str> {
    let headings = item.tags.iter().chain(&item.category).chain(&item.heading);
    let mut texts = std::iter::once(item.text.as_str()).chain(headings.map(String::as_str));
    texts
        .find_map(secrets::find_secret)
        .map(|secret| secret.kind)
}

/// Returns the globs of both lists; none if one of them is for all files.
fn joined(paths: &[String], others: &[String]) -> Vec<String> {
    if paths.is_empty() || others.is_empty() {
        return Vec::new();
    }
    let new = others.iter().filter(|other| !paths.contains(other));
    paths.iter().chain(new).cloned().collect()
}
