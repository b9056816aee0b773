//! Updates the memories in the store from the files of the bank.
//!
//! The files are authoritative. A file is read if its size or modification time changed, and its
//! memory is written to the store if its text changed. Link targets are resolved on demand, so
//! that a changed memory affects no rows of other memories.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

use anyhow::Result;
use cerberus_engine::rank::{fusion, postings, tokenize};
use cerberus_markdown::links::{Kind, Target};
use cerberus_markdown::{frontmatter, links, sections};
use cerberus_model::file_stat::FileStat;
use cerberus_model::{Anchor, EdgeType, LineIndex};
use cerberus_store::links::{LinkRow, with_relation};
pub(crate) use cerberus_store::memories::IndexedMemory;
use cerberus_store::memories::{self as table, AnchorRow, FileRow, MemoryRow, SectionRow};
use cerberus_store::{Connection, Store};
use rayon::iter::{IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_128;

use crate::lockfile::Anchors;
use crate::lookup::find_named;
use crate::memories::{Memories, check_bank_size, duplicate_warning, in_file, orphan_warning};
use crate::project::Project;
use crate::supersession::{Graph, Supersession};
use crate::{Bank, MemoryFile, View};

/// Age below which a modification time is not stored: a later change of the file could have the
/// same time, because the clock of the file system is coarser than nanoseconds.
const RACY_NANOSECONDS: i128 = 2_000_000_000;

/// Weight of a term in the heading of a section.
const HEADING_COUNT: u32 = 2;

/// The store with the current memories of the bank.
#[derive(Clone)]
pub struct SyncedStore {
    pub store: Rc<Store>,
    bank: Bank,
    /// The memories, if they were read.
    loaded: Option<Rc<Memories>>,
    pub warnings: Vec<String>,
}

impl SyncedStore {
    /// Returns the memory in a file.
    pub fn read(&self, file: &str) -> Result<MemoryFile> {
        if let Some(loaded) = &self.loaded
            && let Some(stored) = loaded.at(file)
        {
            return Ok(stored.clone());
        }
        self.bank.read(file)
    }

    /// Returns all memories, in no particular order.
    pub fn memories(&self) -> Result<Vec<IndexedMemory>> {
        table::all(self.store.reader())
    }

    /// Returns the ids and files of the memories, sorted by id.
    pub(crate) fn ids(&self) -> Result<Vec<(String, String)>> {
        table::ids(self.store.reader())
    }

    /// Returns the id and file of the memory whose id is `typed` or has it as a unique prefix.
    pub fn find(&self, typed: &str) -> Result<(String, String)> {
        if let Some(file) = table::file_of(self.store.reader(), typed)? {
            return Ok((typed.to_owned(), file));
        }
        let mut ids = self.ids()?;
        let known: Vec<&str> = ids.iter().map(|(id, _)| id.as_str()).collect();
        let id_idx = find_named("memory", typed, &known)?;
        Ok(ids.swap_remove(id_idx))
    }

    /// Returns the file of the memory with this id.
    pub(crate) fn file_of(&self, id: &str) -> Result<Option<String>> {
        table::file_of(self.store.reader(), id)
    }

    /// Returns the id of the memory that a link target refers to, if it refers to one.
    fn memory_at(&self, target: &str) -> Result<Option<String>> {
        let Some(target) = Target::parse(target).filter(|target| target.kind != Kind::Url) else {
            return Ok(None);
        };
        Ok(self.file_of(&target.name)?.map(|_| target.name))
    }

    /// Returns the superseded memories. Search results omit them unless the user asks for them.
    pub fn supersession(&self) -> Result<Supersession> {
        let mut graph = Graph::new();
        for (source, target) in with_relation(self.store.reader(), EdgeType::Supersedes)? {
            if let Some(target) = self.memory_at(&target)? {
                graph.entry(source).or_default().insert(target);
            }
        }
        Ok(Supersession::of(&graph))
    }

    /// Returns the memory with this id and its anchor, reading only its own file. Returns `None` if
    /// the store does not contain the id or the file now has another one.
    pub(crate) fn one(
        bank: &Bank,
        store: Rc<Store>,
        id: &str,
    ) -> Result<Option<(MemoryFile, Option<Anchor>)>> {
        let Some(file) = table::file_of(store.reader(), id)? else {
            return Ok(None);
        };
        let Ok(stored) = bank.read(&file) else {
            return Ok(None);
        };
        if stored.memory.id != id {
            return Ok(None);
        }
        if table::lock_stat(store.reader())? != bank.lock_stat() {
            let anchor = bank.anchors()?.remove(id);
            return Ok(Some((stored, anchor)));
        }
        let synced = Self {
            store,
            bank: bank.clone(),
            loaded: None,
            warnings: Vec::new(),
        };
        Ok(Some((stored, synced.anchor(id)?)))
    }

    /// Returns the anchor of a memory from the store.
    pub fn anchor(&self, id: &str) -> Result<Option<Anchor>> {
        let Some(packed) = table::anchor(self.store.reader(), id)? else {
            return Ok(None);
        };
        match postcard::from_bytes(&packed) {
            Ok(anchor) => Ok(Some(anchor)),
            // Another version may have encoded the anchor.
            Err(_) => Ok(self.bank.anchors()?.remove(id)),
        }
    }

    /// Returns all anchors from the store.
    pub fn anchors(&self) -> Result<Anchors> {
        let mut anchors = Anchors::new();
        for (id, packed) in table::anchors(self.store.reader())? {
            let Ok(anchor) = postcard::from_bytes(&packed) else {
                return self.bank.anchors();
            };
            anchors.insert(id, anchor);
        }
        Ok(anchors)
    }
}

/// The files of the bank, from which the store is updated.
struct Files<'m> {
    /// Sorted.
    listed: Vec<(String, FileStat)>,
    lock_stat: Option<FileStat>,
    view: View,
    /// Memories and anchors that the caller has read.
    loaded: Option<&'m Memories>,
}

impl<'m> Files<'m> {
    fn read(&self, bank: &Bank, file: &str) -> Result<Cow<'m, MemoryFile>> {
        if let Some(memories) = self.loaded {
            for read in [&memories.all, &memories.duplicates] {
                if let Some(stored) = in_file(read, file) {
                    return Ok(Cow::Borrowed(stored));
                }
            }
        }
        bank.read_in(&self.view, file).map(Cow::Owned)
    }

    fn anchors(&self, bank: &Bank) -> Result<Cow<'m, Anchors>> {
        match self.loaded {
            Some(memories) => Ok(Cow::Borrowed(&memories.anchors)),
            None => bank.anchors().map(Cow::Owned),
        }
    }
}

/// Updates the store from the files that changed.
pub(crate) fn from_files(
    project: &Project,
    open: impl FnOnce() -> Result<Rc<Store>>,
) -> Result<SyncedStore> {
    let (files, warnings) = project.bank.list()?;
    let view = project.bank.view();
    let bank = &project.bank;
    let listed = files
        .into_par_iter()
        .filter_map(|file| bank.stat_in(&view, &file).map(|stat| (file, stat)))
        .collect();
    let files = Files {
        listed,
        lock_stat: project.bank.lock_stat(),
        view,
        loaded: None,
    };
    update(project, open()?, &files, warnings)
}

/// Like [`from_files`], but updates the store from memories that were read, and reads no files.
pub(crate) fn from_memories(
    project: &Project,
    store: Rc<Store>,
    memories: Rc<Memories>,
) -> Result<SyncedStore> {
    let all = memories.all.iter().chain(&memories.duplicates);
    let mut listed: Vec<_> = all
        .map(|stored| (stored.file.clone(), stored.stat))
        .collect();
    listed.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    let files = Files {
        listed,
        lock_stat: memories.lock_stat,
        view: View::default(),
        loaded: Some(&memories),
    };
    let synced = update(project, store, &files, Vec::new())?;
    Ok(SyncedStore {
        loaded: Some(memories),
        ..synced
    })
}

fn update(
    project: &Project,
    store: Rc<Store>,
    files: &Files<'_>,
    mut warnings: Vec<String>,
) -> Result<SyncedStore> {
    let n_bytes = files.listed.iter().map(|(_, stat)| stat.size).sum();
    check_bank_size(n_bytes)?;
    warnings.append(&mut store.take_warnings());
    let changes = if is_up_to_date(&store, &files.listed)? {
        Changes::default()
    } else {
        Changes::find(&store, &project.bank, files, &mut warnings)?
    };
    let lock_changed = table::lock_stat(store.reader())? != files.lock_stat;
    if lock_changed || !changes.is_empty() {
        let mut anchors = Vec::new();
        for (id, anchor) in files.anchors(&project.bank)?.iter() {
            anchors.push(anchor_row(id, anchor)?);
        }
        let now = project.now.as_nanosecond();
        store.transaction(|connection| {
            changes.write(connection, now)?;
            if lock_changed {
                let lock = files.lock_stat.filter(|lock| !is_racy(lock.mtime, now));
                return table::replace_anchors(connection, lock, &anchors);
            }
            let written = changes.memories.iter();
            let fresh = written.map(|rows| rows.row.memory.id.as_str());
            let fresh: FxHashSet<&str> = fresh.collect();
            for anchor in &anchors {
                if fresh.contains(anchor.id.as_str()) {
                    table::update_anchor_columns(connection, anchor)?;
                }
            }
            Ok(())
        })?;
    }
    warnings.extend(table::file_warnings(store.reader())?);
    for (file, id, first) in table::duplicate_ids(store.reader())? {
        warnings.push(duplicate_warning(&file, &id, &first));
    }
    let orphans = table::orphaned_anchors(store.reader())?;
    warnings.extend(orphans.iter().map(|id| orphan_warning(id)));
    Ok(SyncedStore {
        store,
        bank: project.bank.clone(),
        loaded: None,
        warnings,
    })
}

/// Returns whether a file was changed so recently that a later change may get the same time.
fn is_racy(mtime: i64, now: i128) -> bool {
    (now - i128::from(mtime)).abs() < RACY_NANOSECONDS
}

/// Returns whether the store contains exactly these files, unchanged.
fn is_up_to_date(store: &Store, listed: &[(String, FileStat)]) -> Result<bool> {
    let mut stats: FxHashMap<&str, FileStat> = FxHashMap::default();
    for (file, stat) in listed {
        stats.insert(file, *stat);
    }
    let mut n_known = 0;
    let mut all_same = true;
    table::each_file(store.reader(), |file, stat| {
        n_known += 1;
        all_same &= stats.get(file) == Some(&stat);
    })?;
    Ok(all_same && n_known == listed.len())
}

/// Changes to write to the store.
#[derive(Default)]
struct Changes {
    files: Vec<FileRow>,
    removed_files: Vec<String>,
    memories: Vec<MemoryRows>,
    removed_ids: Vec<String>,
}

impl Changes {
    fn is_empty(&self) -> bool {
        self.files.is_empty()
            && self.removed_files.is_empty()
            && self.memories.is_empty()
            && self.removed_ids.is_empty()
    }

    /// Compares the files with the store and reads those that changed. A file that cannot be read is
    /// removed from the store and causes a warning.
    fn find(
        store: &Store,
        bank: &Bank,
        files: &Files<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<Self> {
        let listed = &files.listed;
        let mut known = table::files(store.reader())?;
        let mut changed: Vec<&(String, FileStat)> = Vec::new();
        for entry in listed {
            let row = known.get(&entry.0);
            if row.map(|row| row.stat) != Some(entry.1) {
                changed.push(entry);
            }
        }
        let results: Vec<Result<Cow<MemoryFile>>> = changed
            .par_iter()
            .map(|(file, _)| files.read(bank, file))
            .collect();
        let mut changes = Self::default();
        let mut memories: FxHashMap<&str, Cow<MemoryFile>> = FxHashMap::default();
        for ((file, stat), result) in changed.into_iter().zip(results) {
            match result {
                Ok(stored) => {
                    let row = FileRow {
                        file: file.clone(),
                        stat: *stat,
                        memory: stored.memory.id.clone(),
                        warnings: stored.warnings.join("\n"),
                    };
                    known.insert(row.file.clone(), row.clone());
                    changes.files.push(row);
                    memories.insert(file, stored);
                }
                Err(error) => {
                    warnings.push(format!("{error:#}"));
                    if known.remove(file).is_some() {
                        changes.removed_files.push(file.clone());
                    }
                }
            }
        }
        let mut file_by_id: BTreeMap<&str, &str> = BTreeMap::new();
        for (file, _) in listed {
            if let Some(row) = known.get(file) {
                file_by_id.entry(&row.memory).or_insert(file);
            }
        }
        let present: FxHashSet<&str> = listed.iter().map(|(file, _)| file.as_str()).collect();
        let removed = known.keys().filter(|file| !present.contains(file.as_str()));
        changes.removed_files.extend(removed.cloned());
        changes.removed_files.sort_unstable();
        let stored_ids = table::ids(store.reader())?;
        let mut stored_files: FxHashMap<&str, &str> = FxHashMap::default();
        for (id, file) in &stored_ids {
            stored_files.insert(id, file);
            if !file_by_id.contains_key(id.as_str()) {
                changes.removed_ids.push(id.clone());
            }
        }
        for (id, file) in &file_by_id {
            // The id now belongs to another file, which is unchanged itself.
            if !memories.contains_key(file) && stored_files.get(id) != Some(file) {
                memories.insert(file, files.read(bank, file)?);
            }
        }
        let hashes = table::hashes(store.reader())?;
        let mut to_write: Vec<&MemoryFile> = Vec::new();
        for file in file_by_id.values() {
            if let Some(stored) = memories.get(file)
                && hashes.get(&stored.memory.id) != Some(&hash(stored))
            {
                to_write.push(stored);
            }
        }
        changes.memories = to_write
            .par_iter()
            .map(|stored| MemoryRows::new(stored))
            .collect();
        Ok(changes)
    }

    /// Writes the changes at the time `now`, in nanoseconds.
    fn write(&self, connection: &Connection, now: i128) -> Result<()> {
        for file in &self.removed_files {
            table::remove_file(connection, file)?;
        }
        for id in &self.removed_ids {
            table::remove(connection, id)?;
        }
        for row in &self.files {
            let mut row = row.clone();
            if is_racy(row.stat.mtime, now) {
                // The next command reads the file again.
                row.stat.mtime = 0;
            }
            table::upsert_file(connection, &row)?;
        }
        let mut terms: FxHashMap<&str, u32> = FxHashMap::default();
        for memory in &self.memories {
            let mut sections = Vec::with_capacity(memory.sections.len());
            for section in &memory.sections {
                let mut counts = Vec::with_capacity(section.counts.len());
                for (term, count) in &section.counts {
                    let id = match terms.get(term.as_str()) {
                        Some(id) => *id,
                        None => table::intern_term(connection, term)?,
                    };
                    terms.insert(term, id);
                    counts.push((id, *count));
                }
                counts.sort_unstable();
                let squares = counts.iter().map(|(_, count)| fusion::tf(*count).powi(2));
                sections.push(SectionRow {
                    section: section.id.clone(),
                    heading: section.heading.clone(),
                    body: section.body.clone(),
                    norm: squares.sum::<f64>().sqrt(),
                    vector: postings::pack(&[], &counts),
                });
            }
            table::upsert(connection, &memory.row, &sections, &memory.links)?;
        }
        Ok(())
    }
}

/// Rows of one memory.
struct MemoryRows {
    row: MemoryRow,
    sections: Vec<SectionTerms>,
    links: Vec<LinkRow>,
}

struct SectionTerms {
    id: String,
    heading: String,
    body: String,
    /// Number of occurrences of each term.
    counts: BTreeMap<String, u32>,
}

impl SectionTerms {
    fn new(id: &str, heading: String, body: &str) -> Self {
        // The prefix of a link is not a word of the text.
        let body = body.replace("[[memory:", "[[");
        let mut counts = BTreeMap::new();
        for (text, count) in [(&heading, HEADING_COUNT), (&body, 1)] {
            for term in tokenize::terms(text) {
                *counts.entry(term).or_insert(0) += count;
            }
        }
        Self {
            id: id.to_owned(),
            heading,
            body,
            counts,
        }
    }
}

impl MemoryRows {
    fn new(stored: &MemoryFile) -> Self {
        Self {
            row: MemoryRow {
                memory: stored.memory.clone(),
                file: stored.file.clone(),
                hash: hash(stored),
            },
            sections: searchable(stored),
            links: link_rows(stored),
        }
    }
}

fn hash(stored: &MemoryFile) -> [u8; 16] {
    let mut bytes = stored.text.clone().into_bytes();
    bytes.extend(stored.file.bytes());
    xxh3_128(&bytes).to_le_bytes()
}

fn anchor_row(id: &str, anchor: &Anchor) -> Result<AnchorRow> {
    Ok(AnchorRow {
        id: id.to_owned(),
        file: anchor.file.clone(),
        symbol: anchor.symbol.clone(),
        score: anchor.quality,
        metadata: format!(
            "{{\"kind\":\"{}\",\"matchScore\":{},\"chosen\":\"{}\"}}",
            anchor.kind, anchor.match_score, anchor.origin
        ),
        packed: postcard::to_stdvec(anchor)?,
    })
}

/// Returns the searchable parts: the complete memory with an empty section id, then each section
/// that is not the complete memory.
fn searchable(stored: &MemoryFile) -> Vec<SectionTerms> {
    let memory = &stored.memory;
    let id = words(&memory.id);
    let category = memory.category.as_deref().unwrap_or_default();
    let title = memory.heading.as_deref().unwrap_or_default();
    let tags = memory.tags.join(" ");
    let paths = words(&memory.paths.join(" "));
    let heading = format!("{id} {category} {title} {tags} {paths}");
    let parsed = sections::parse(&stored.text);
    let mut parts = vec![SectionTerms::new("", heading, &memory.body)];
    let body_start = stored.text.len() - memory.body.trim_start().len();
    let body_end = stored.text.trim_end().len();
    for section in &parsed.list {
        if section.outer.start > body_start || section.outer.end < body_end {
            let body = sections::content(&stored.text, section, &parsed, false);
            parts.push(SectionTerms::new(&section.id, words(&section.id), &body));
        }
    }
    parts
}

/// Returns the words of an id or a path.
fn words(id: &str) -> String {
    id.replace(['-', '_', '/', '.'], " ")
}

fn link_rows(stored: &MemoryFile) -> Vec<LinkRow> {
    let text = &stored.text;
    let lines = LineIndex::new(text);
    let mut rows = Vec::new();
    let entries = frontmatter::parse(text).frontmatter.links;
    for (position, entry) in entries.iter().enumerate() {
        if let Some((target, relation)) = links::parse_target(entry) {
            rows.push(LinkRow {
                memory: stored.memory.id.clone(),
                position,
                line: lines.line(position),
                target: target.to_string(),
                relation: relation.unwrap_or(EdgeType::RelatedTo),
                label: None,
                context: String::new(),
            });
        }
    }
    for link in links::parse(text) {
        rows.push(LinkRow {
            memory: stored.memory.id.clone(),
            position: link.span.start,
            line: lines.line(link.span.start),
            target: link.target.to_string(),
            relation: link.relation,
            label: link.label,
            context: link.context,
        });
    }
    rows
}
