//! Brings the store's copy of the memories up to date with the files.
//!
//! Files are the truth. A file is read again when its size or its time is another, and
//! its memory written again when its text is; what a link points at is looked up when it
//! is asked for, so that a memory that changes touches no other's rows.

use std::collections::BTreeMap;

use anyhow::Result;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_128;

use crate::bank::lockfile::Anchors;
use crate::bank::{Bank, MemoryFile};
use crate::engine::rank::{fusion, postings, tokenize};
use crate::file_stat::FileStat;
use crate::markdown::{frontmatter, links, sections};
use crate::model::{Anchor, EdgeType};
use crate::store::links::LinkRow;
pub(crate) use crate::store::memories::IndexedMemory;
use crate::store::memories::{self as table, AnchorRow, FileRow, MemoryRow, SectionRow};
use crate::store::{Connection, Store};
use crate::text::LineIndex;
use crate::timings;

use super::Project;
use super::memories::{Memories, find_id};

/// A change of a file so soon after its reading may keep its time: clocks tick more
/// coarsely than nanoseconds.
const RACY_NANOSECONDS: i128 = 2_000_000_000;

/// How often a term of a section's heading counts.
const HEADING_COUNT: u32 = 2;

/// The store with the bank's memories as they are now.
pub(crate) struct Synced {
    pub(crate) store: Store,
    bank: Bank,
    pub(crate) warnings: Vec<String>,
}

impl Synced {
    /// Returns all memories, in no order.
    pub(crate) fn memories(&self) -> Result<Vec<IndexedMemory>> {
        table::all(self.store.reader())
    }

    /// Returns the ids of the memories with their files, ordered by id.
    pub(crate) fn ids(&self) -> Result<Vec<(String, String)>> {
        table::ids(self.store.reader())
    }

    /// Returns the id and the file of the memory that `typed` means.
    pub(crate) fn find(&self, typed: &str) -> Result<(String, String)> {
        if let Some(file) = table::file_of(self.store.reader(), typed)? {
            return Ok((typed.to_owned(), file));
        }
        let mut ids = self.ids()?;
        let at = find_id(typed, ids.iter().map(|(id, _)| id.as_str()))?;
        Ok(ids.swap_remove(at))
    }

    /// Returns the anchor of a memory.
    pub(crate) fn anchor(&self, id: &str) -> Result<Option<Anchor>> {
        match table::anchor(self.store.reader(), id)? {
            None => Ok(None),
            Some(packed) => match postcard::from_bytes(&packed) {
                Ok(anchor) => Ok(Some(anchor)),
                // Another version packed it; the file is the truth.
                Err(_) => Ok(self.bank.anchors()?.remove(id)),
            },
        }
    }

    /// Returns all anchors.
    pub(crate) fn anchors(&self) -> Result<Anchors> {
        let packed = table::anchors(self.store.reader())?.into_iter();
        let unpacked: Result<Anchors, postcard::Error> =
            packed.map(|(id, packed)| Ok((id, postcard::from_bytes(&packed)?))).collect();
        unpacked.or_else(|_| self.bank.anchors())
    }
}

/// Returns the memory of this id with its anchor, read from its own file alone; nothing
/// where the store does not know it, or its file says something else by now.
pub(crate) fn one(project: &Project, id: &str) -> Result<Option<(MemoryFile, Option<Anchor>)>> {
    if !project.bank.exists() {
        return Ok(None);
    }
    let store = Store::open(&project.store)?;
    let Some(file) = table::file_of(store.reader(), id)? else {
        return Ok(None);
    };
    let Some(stored) = project.bank.read(&file).ok().filter(|it| it.memory.id == id) else {
        return Ok(None);
    };
    let lock = project.bank.lock_stat();
    let anchor = if table::lock_stat(store.reader())? == lock {
        let bank = project.bank.clone();
        Synced { store, bank, warnings: Vec::new() }.anchor(id)?
    } else {
        project.bank.anchors()?.remove(id)
    };
    Ok(Some((stored, anchor)))
}

/// Opens the store and updates its memories. Reads changed files only.
pub(crate) fn open(project: &Project) -> Result<Synced> {
    let _step = timings::step("bring the memories up to date");
    let (files, warnings) = project.bank.list()?;
    let listed: Vec<(String, FileStat)> = files
        .into_par_iter()
        .filter_map(|file| project.bank.stat(&file).map(|stat| (file, stat)))
        .collect();
    let lock_stat = project.bank.lock_stat();
    let read = |file: &str| project.bank.read(file);
    update(project, &listed, lock_stat, read, || project.bank.anchors(), warnings)
}

/// Opens the store and updates its memories from files that were already read.
pub(crate) fn open_with(project: &Project, memories: &Memories) -> Result<Synced> {
    let _step = timings::step("bring the memories up to date");
    let files: BTreeMap<&str, &MemoryFile> = (memories.all.iter().chain(&memories.duplicates))
        .map(|found| (found.file.as_str(), found))
        .collect();
    let listed: Vec<(String, FileStat)> =
        files.values().map(|found| (found.file.clone(), found.stat)).collect();
    let read = |file: &str| Ok(files[file].clone());
    let anchors = || Ok(memories.anchors.clone());
    update(project, &listed, memories.lock_stat, read, anchors, Vec::new())
}

fn update(
    project: &Project,
    listed: &[(String, FileStat)],
    lock: Option<FileStat>,
    read: impl Fn(&str) -> Result<MemoryFile> + Sync,
    anchors: impl FnOnce() -> Result<Anchors>,
    mut warnings: Vec<String>,
) -> Result<Synced> {
    let mut store = Store::open(&project.store)?;
    warnings.append(&mut store.warnings);
    let changes = if is_as_listed(&store, listed)? {
        Changes::default()
    } else {
        Changes::find(&store, listed, read, &mut warnings)?
    };
    let lock_changed = table::lock_stat(store.reader())? != lock;
    if lock_changed || !changes.is_empty() {
        let anchors: Vec<AnchorRow> =
            anchors()?.iter().map(|(id, it)| anchor_row(id, it)).collect::<Result<_>>()?;
        let now = project.now.as_nanosecond();
        let is_racy = |mtime: i64| (now - i128::from(mtime)).abs() < RACY_NANOSECONDS;
        store.transaction(|connection| {
            changes.write(connection, is_racy)?;
            if lock_changed {
                let lock = lock.filter(|lock| !is_racy(lock.mtime));
                return table::replace_anchors(connection, lock, &anchors);
            }
            let fresh: FxHashSet<&str> =
                changes.memories.iter().map(|it| it.row.memory.id.as_str()).collect();
            let mut fresh = anchors.iter().filter(|anchor| fresh.contains(anchor.id.as_str()));
            fresh.try_for_each(|anchor| table::update_anchor_columns(connection, anchor))
        })?;
    }
    warnings.extend(table::file_warnings(store.reader())?);
    for (file, id, first) in table::duplicate_ids(store.reader())? {
        warnings.push(format!("`{file}` is ignored: `{first}` already has the id `{id}`"));
    }
    for id in table::orphaned_anchors(store.reader())? {
        warnings.push(format!(
            "`anchors.lock` anchors `{id}`, which is no memory; `cerberus memory reanchor` drops it"
        ));
    }
    Ok(Synced { store, bank: project.bank.clone(), warnings })
}

/// Returns whether the store was made from just these files as they are.
fn is_as_listed(store: &Store, listed: &[(String, FileStat)]) -> Result<bool> {
    let stamps: FxHashMap<&str, FileStat> =
        listed.iter().map(|(file, stamp)| (file.as_str(), *stamp)).collect();
    let (mut n_known, mut all_same) = (0, true);
    table::each_file(store.reader(), |file, stat| {
        n_known += 1;
        all_same &= stamps.get(file) == Some(&stat);
    })?;
    Ok(all_same && n_known == listed.len())
}

/// What has to be written.
#[derive(Default)]
struct Changes {
    files: Vec<FileRow>,
    gone_files: Vec<String>,
    memories: Vec<Indexed>,
    gone: Vec<String>,
}

impl Changes {
    fn is_empty(&self) -> bool {
        self.files.is_empty()
            && self.gone_files.is_empty()
            && self.memories.is_empty()
            && self.gone.is_empty()
    }

    /// Reads the files that are not as the store knows them; one that cannot be read
    /// is a warning, and gone.
    fn find(
        store: &Store,
        listed: &[(String, FileStat)],
        read: impl Fn(&str) -> Result<MemoryFile> + Sync,
        warnings: &mut Vec<String>,
    ) -> Result<Self> {
        let mut known = table::files(store.reader())?;
        let is_same =
            |file: &str, stamp: &FileStat| known.get(file).is_some_and(|row| row.stat == *stamp);
        let changed: Vec<&(String, FileStat)> =
            listed.iter().filter(|(file, stamp)| !is_same(file, stamp)).collect();
        let results: Vec<(&str, FileStat, Result<MemoryFile>)> = changed
            .into_par_iter()
            .map(|(file, stat)| (file.as_str(), *stat, read(file)))
            .collect();
        let mut found = Self::default();
        let mut texts: FxHashMap<&str, MemoryFile> = FxHashMap::default();
        for (file, stat, stored) in results {
            match stored {
                Ok(stored) => {
                    let row = FileRow {
                        file: file.to_owned(),
                        stat,
                        memory: stored.memory.id.clone(),
                        warnings: stored.warnings.join("\n"),
                    };
                    known.insert(row.file.clone(), row.clone());
                    found.files.push(row);
                    texts.insert(file, stored);
                }
                Err(error) => {
                    warnings.push(format!("{error:#}"));
                    found.gone_files.extend(known.remove(file).map(|row| row.file));
                }
            }
        }
        let mut first: FxHashMap<&str, &str> = FxHashMap::default();
        for (file, _) in listed {
            if let Some(row) = known.get(file) {
                first.entry(row.memory.as_str()).or_insert(file);
            }
        }
        let present: FxHashSet<&str> = listed.iter().map(|(file, _)| file.as_str()).collect();
        found
            .gone_files
            .extend(known.keys().filter(|file| !present.contains(file.as_str())).cloned());
        found.gone_files.sort_unstable();
        let stored_ids = table::ids(store.reader())?;
        found.gone = stored_ids
            .iter()
            .filter(|(id, _)| !first.contains_key(id.as_str()))
            .map(|(id, _)| id.clone())
            .collect();
        let files: FxHashMap<&str, &str> =
            stored_ids.iter().map(|(id, file)| (id.as_str(), file.as_str())).collect();
        let mut to_index = Vec::new();
        let mut first: Vec<(&str, &str)> = first.into_iter().collect();
        first.sort_unstable();
        for (id, file) in first {
            match texts.remove(file) {
                Some(stored) => to_index.push(stored),
                None if files.get(id) != Some(&file) => to_index.push(read(file)?),
                None => {}
            }
        }
        let hashes = table::hashes(store.reader())?;
        to_index.retain(|stored| hashes.get(&stored.memory.id) != Some(&hash(stored)));
        found.memories = to_index.par_iter().map(Indexed::new).collect();
        Ok(found)
    }

    fn write(&self, connection: &Connection, is_racy: impl Fn(i64) -> bool) -> Result<()> {
        for file in &self.gone_files {
            table::remove_file(connection, file)?;
        }
        for id in &self.gone {
            table::remove(connection, id)?;
        }
        for row in &self.files {
            // Under no time of its own a file is read again, and costs that once.
            let mtime = if is_racy(row.stat.mtime) { 0 } else { row.stat.mtime };
            let stat = FileStat { mtime, ..row.stat };
            table::upsert_file(connection, &FileRow { stat, ..row.clone() })?;
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
                let squares: f64 = counts.iter().map(|it| fusion::tf(it.1).powi(2)).sum();
                sections.push(SectionRow {
                    section: section.id.clone(),
                    heading: section.heading.clone(),
                    body: section.body.clone(),
                    norm: squares.sqrt(),
                    vector: postings::pack(&[], &counts),
                });
            }
            table::upsert(connection, &memory.row, &sections, &memory.links)?;
        }
        Ok(())
    }
}

/// A memory made ready for its tables.
struct Indexed {
    row: MemoryRow,
    sections: Vec<IndexedSection>,
    links: Vec<LinkRow>,
}

struct IndexedSection {
    id: String,
    heading: String,
    body: String,
    /// Its terms, each with how often it stands there.
    counts: BTreeMap<String, u32>,
}

impl IndexedSection {
    fn new(id: &str, heading: String, body: &str) -> Self {
        // The mark of a link to a memory is no word of the text.
        let body = body.replace("[[memory:", "[[");
        let mut counts = BTreeMap::new();
        for (text, count) in [(&heading, HEADING_COUNT), (&body, 1)] {
            for term in tokenize::terms(text) {
                *counts.entry(term).or_insert(0) += count;
            }
        }
        Self { id: id.to_owned(), heading, body, counts }
    }
}

impl Indexed {
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

/// Returns what search looks through: the memory as a whole under no section, then each
/// section that is less than the whole.
fn searchable(stored: &MemoryFile) -> Vec<IndexedSection> {
    let memory = &stored.memory;
    let spoken = |id: &str| id.replace(['-', '_', '/', '.'], " ");
    let category = memory.category.as_deref().unwrap_or_default();
    let heading = format!("{} {category} {}", spoken(&memory.id), memory.tags.join(" "));
    let parsed = sections::parse(&stored.text);
    let mut found = vec![IndexedSection::new("", heading, &memory.body)];
    let body_start = stored.text.len() - memory.body.trim_start().len();
    let is_part = |it: &&sections::Section| {
        it.outer.start > body_start || it.outer.end < stored.text.trim_end().len()
    };
    for section in parsed.list.iter().filter(is_part) {
        let body = sections::content(&stored.text, section, &parsed, false);
        found.push(IndexedSection::new(&section.id, spoken(&section.id), &body));
    }
    found
}

fn link_rows(stored: &MemoryFile) -> Vec<LinkRow> {
    let (text, id) = (&stored.text, &stored.memory.id);
    let lines = LineIndex::new(text);
    let row = |position: usize, target: String, edge: EdgeType, label, context| LinkRow {
        memory: id.clone(),
        position,
        line: lines.line(position),
        target,
        relation: edge,
        label,
        context,
    };
    let said = frontmatter::parse(text).frontmatter.links;
    let in_front = said.iter().enumerate().filter_map(|(position, said)| {
        let (target, stated) = links::parse_target(said)?;
        let edge = stated.unwrap_or(EdgeType::RelatedTo);
        Some(row(position, target.to_string(), edge, None, String::new()))
    });
    let in_text = links::parse(text).into_iter().map(|link| {
        row(link.span.start, link.target.to_string(), link.relation, link.label, link.context)
    });
    in_front.chain(in_text).collect()
}
