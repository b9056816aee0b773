//! The code index: brings it up to date with the tree and answers from it.
//!
//! First stage: every file as counted terms, without parsing. Second stage: the
//! files that a question needs are parsed into symbols, once, and remembered by
//! content. Nothing that is asked depends on what happens to be parsed already.

mod parse;
mod vocabulary;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};

use anyhow::Result;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use crate::model::Language;
use crate::rank::document::Document;
use crate::rank::place::Place;
use crate::rank::score::Scorable;
use crate::rank::vector;
use crate::store::Store;
use crate::store::code::{self, ContentHash, FileRow};
use crate::text;
use crate::timings;
use crate::tree::{git, read, walk};

use super::Progress;
use super::per_thread::PerThread;
use vocabulary::{Vocabulary, Worker};

/// How many parsed files are remembered over the rules of one run, some 25 KB each.
const MAX_CACHED_DOCUMENTS: usize = 4_000;

/// How many packed files are handed to the thread that writes, so that it is seldom woken,
/// how many such lots wait at most, and how many files are written at once.
const SENT_AT_ONCE: usize = 8;
const MAX_WAITING: usize = 8;
const MAX_WRITTEN: usize = 2_000;

/// A file's packed symbols with what they are kept by.
type Packed = (ContentHash, Language, Vec<u8>);

/// A change of a file so soon after its indexing may keep its modification time: clocks
/// tick more coarsely than nanoseconds.
const RACY_NANOSECONDS: i64 = 2_000_000_000;

/// What an update of the index did.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Updated {
    pub(crate) n_files: usize,
    pub(crate) n_changed: usize,
    pub(crate) n_removed: usize,
}

/// The index as of one moment.
pub(crate) struct CodeIndex {
    pub(crate) root: PathBuf,
    /// The indexed files, ordered by path.
    pub(crate) files: Vec<FileRow>,
    pub(crate) updated: Updated,
    pub(crate) warnings: Vec<String>,
    vocabulary: Vocabulary,
    workers: PerThread<Worker>,
    store: Store,
    /// Parsed files by their position in `files`.
    parsed: FxHashMap<usize, Scorable>,
    /// Whether the store's term ids are ours; not when another process wrote between.
    is_attached: bool,
}

/// The indexed files and the symbols that were gathered, without the store.
#[derive(Clone, Copy)]
pub(crate) struct Code<'a> {
    pub(crate) root: &'a Path,
    pub(crate) files: &'a [FileRow],
    parsed: &'a FxHashMap<usize, Scorable>,
}

impl<'a> Code<'a> {
    /// Returns the symbols of the file at a position, if they were gathered.
    pub(crate) fn parsed(self, at: usize) -> Option<&'a Scorable> {
        self.parsed.get(&at)
    }
}

impl CodeIndex {
    /// Brings the index in the store that `open` opens up to date with the files below `root`.
    pub(crate) fn refresh(
        root: &Path,
        excludes: &[String],
        open: impl FnOnce() -> Result<Store> + Send,
        now: i64,
    ) -> Result<Self> {
        let step = timings::step("walk, and load the index");
        // The walk waits for the file system, the store for the decoding of its rows.
        let load = || -> Result<(Vec<FileRow>, Store)> {
            let store = open()?;
            Ok((code::files(store.reader())?, store))
        };
        let (listing, loaded) = rayon::join(|| walk::walk(root, excludes), load);
        let (listing, (rows, mut store)) = (listing?, loaded?);
        let mut warnings = listing.warnings;
        warnings.append(&mut store.warnings);
        let rows = rows.into_iter().map(|row| (row.path.clone(), row));
        let mut known: FxHashMap<String, FileRow> = rows.collect();
        let vocabulary = Vocabulary::load(&store)?;

        let mut files = Vec::with_capacity(listing.entries.len());
        let mut stale = Vec::new();
        for entry in listing.entries {
            match known.remove(&entry.path) {
                Some(row)
                    if row.size == entry.size
                        && row.mtime == entry.mtime
                        && row.language == entry.language =>
                {
                    files.push(row);
                }
                old => stale.push((entry, old)),
            }
        }
        let n_removed = known.len();
        let mut removed: Vec<String> = known.into_keys().collect();
        removed.sort_unstable();

        drop(step);

        let step = timings::step("read what changed");
        let workers = PerThread::<Worker>::new();
        let fresh: Vec<(FileRow, Option<String>)> = stale
            .into_par_iter()
            .map(|(entry, old)| index_file(root, &vocabulary, &mut workers.own(), entry, old))
            .collect();
        drop(step);

        let updated = Updated {
            n_files: files.len() + fresh.iter().filter(|(row, _)| row.vector.is_some()).count(),
            n_changed: fresh.len(),
            n_removed,
        };
        let mut index = Self {
            root: root.to_owned(),
            files: Vec::new(),
            updated,
            warnings,
            vocabulary,
            workers,
            store,
            parsed: FxHashMap::default(),
            is_attached: true,
        };
        let rows: Vec<&FileRow> = fresh.iter().map(|(row, _)| row).collect();
        index.persist(&rows, &removed, now);
        for (row, warning) in fresh {
            index.warnings.extend(warning);
            files.push(row);
        }
        files.retain(|row| row.vector.is_some());
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        index.updated.n_files = files.len();
        index.files = files;
        Ok(index)
    }

    /// Writes what is new, unless another process has written meanwhile: then this
    /// run's view stays its own, and the next run keeps its own.
    fn persist(&mut self, rows: &[&FileRow], removed: &[String], now: i64) {
        if rows.is_empty() && removed.is_empty() {
            return;
        }
        let _step = timings::step("keep the index");
        let vocabulary = &self.vocabulary;
        let kept = self.store.transaction(|connection| {
            if !vocabulary.persist(connection)? {
                return Ok(false);
            }
            for row in rows {
                // Under no time of its own a file is read again, and costs that once.
                let is_racy = (now - row.mtime).abs() < RACY_NANOSECONDS;
                code::put_file(connection, row, if is_racy { 0 } else { row.mtime })?;
            }
            for path in removed {
                code::remove_file(connection, path)?;
            }
            code::sweep_symbols(connection)?;
            Ok(true)
        });
        self.is_attached = self.is_kept(kept);
        if self.is_attached {
            self.vocabulary.note_persisted();
        }
    }

    /// A store that cannot be written costs the next run time, and this one nothing.
    fn is_kept(&mut self, kept: Result<bool>) -> bool {
        kept.unwrap_or_else(|error| {
            self.warnings.push(format!("the index cannot be kept: {error:#}"));
            false
        })
    }

    /// Returns the id of a term, if any file has it.
    pub(crate) fn term_id(&self, term: &str) -> Option<u32> {
        self.vocabulary.id(term)
    }

    /// Returns the known terms that start with `prefix`, in their order, with their ids.
    pub(crate) fn terms_with_prefix(&self, prefix: &str) -> Vec<(String, u32)> {
        self.vocabulary.with_prefix(prefix)
    }

    /// Returns whether the file at a position has a term, in its text or its path.
    pub(crate) fn has_term(&self, at: usize, id: u32) -> bool {
        let mut has_term = false;
        let vector = self.files[at].vector.as_deref().unwrap_or_default();
        vector::unpack(vector, |known, _, _| has_term |= known == id);
        has_term
    }

    /// Returns, for each list of terms, the files that have all of them, by position.
    pub(crate) fn files_with(&self, wanted: &[Vec<u32>]) -> Vec<Vec<usize>> {
        let of_interest: FxHashSet<u32> = wanted.iter().flatten().copied().collect();
        let mut found = vec![Vec::new(); wanted.len()];
        if of_interest.is_empty() {
            return found;
        }
        for (at, file) in self.files.iter().enumerate() {
            let mut has = FxHashSet::default();
            vector::unpack(file.vector.as_deref().unwrap_or_default(), |id, _, _| {
                if of_interest.contains(&id) {
                    has.insert(id);
                }
            });
            for (ids, files) in wanted.iter().zip(&mut found) {
                if !ids.is_empty() && ids.iter().all(|id| has.contains(id)) {
                    files.push(at);
                }
            }
        }
        found
    }

    /// Returns the largest term id in use.
    pub(crate) fn last_term_id(&self) -> u32 {
        self.vocabulary.last()
    }

    /// Gets the symbols of the files at the given positions, parsing those that were not
    /// parsed before.
    pub(crate) fn gather(&mut self, wanted: &[usize]) -> Result<()> {
        if self.parsed.len() > MAX_CACHED_DOCUMENTS {
            self.parsed.clear();
        }
        let _step = timings::step("get the symbols");
        let mut new = wanted.to_vec();
        new.sort_unstable();
        new.dedup();
        new.retain(|at| !self.parsed.contains_key(at));
        let documents = self.read_documents(&new)?;
        let files = &self.files;
        let ready = new
            .into_par_iter()
            .zip(documents)
            .map(|(at, document)| (at, Scorable::new(document, Place::of(&files[at].path))));
        self.parsed.par_extend(ready);
        Ok(())
    }

    /// Returns the symbols of the file at a position, if they were gathered.
    pub(crate) fn document(&self, at: usize) -> Option<&Document> {
        self.parsed.get(&at).map(|file| &file.document)
    }

    /// Returns what all threads may read at once.
    pub(crate) fn code(&self) -> Code<'_> {
        Code { root: &self.root, files: &self.files, parsed: &self.parsed }
    }

    fn read_documents(&mut self, wanted: &[usize]) -> Result<Vec<Document>> {
        let mut packed = vec![None; wanted.len()];
        if self.is_attached {
            for (packed, &at) in packed.iter_mut().zip(wanted) {
                let file = &self.files[at];
                *packed = code::symbols(self.store.reader(), &file.hash, file.language)?;
            }
        }
        let unpack = |bytes: Option<Vec<u8>>| Document::unpack(&bytes?);
        let mut found: Vec<Option<Document>> = packed.into_par_iter().map(unpack).collect();
        let missing: Vec<usize> = (0..wanted.len()).filter(|&n| found[n].is_none()).collect();
        if missing.is_empty() {
            return Ok(found.into_iter().flatten().collect());
        }
        let root = &self.root;
        let files = &self.files;
        let (vocabulary, workers) = (&self.vocabulary, &self.workers);
        let parsed: Vec<Document> = missing
            .par_iter()
            .map(|&n| {
                let file = &files[wanted[n]];
                let text = read::walked_text(root, &file.path).unwrap_or_default();
                parse::document(&mut workers.own(), vocabulary, file.language, &text)
            })
            .collect();
        self.keep_documents(&missing, wanted, &parsed);
        for (n, document) in missing.into_iter().zip(parsed) {
            found[n] = Some(document);
        }
        Ok(found.into_iter().flatten().collect())
    }

    fn keep_documents(&mut self, missing: &[usize], wanted: &[usize], parsed: &[Document]) {
        // A text that changed since the walk may have brought words that the store
        // does not know; such symbols are not kept.
        if !self.is_attached || self.vocabulary.has_new() {
            return;
        }
        let _step = timings::step("keep the symbols");
        let files = &self.files;
        let kept = self.store.transaction(|connection| {
            for (&n, document) in missing.iter().zip(parsed) {
                let file = &files[wanted[n]];
                let bytes = document.pack()?;
                code::put_symbols(connection, &file.hash, file.language, &bytes)?;
            }
            Ok(true)
        });
        self.is_attached = self.is_kept(kept);
    }

    /// Returns what stands for all that an answer depends on in the tree: the same for the
    /// same files of the same age.
    pub(crate) fn digest(&self) -> u128 {
        let head = git::head(&self.root);
        let mut hasher = Xxh3::new();
        hasher.update(head.as_ref().map_or("", |head| head.id.as_str()).as_bytes());
        for file in &self.files {
            hasher.update(file.path.as_bytes());
            hasher.update(&[0]);
            hasher.update(&file.hash);
            if head.is_none() {
                hasher.update(&file.mtime.to_le_bytes());
            }
        }
        hasher.digest128()
    }

    /// Parses every file that was not parsed before and keeps its symbols. A thread of its
    /// own writes, so that those that parse need not wait, and few are held at once.
    pub(crate) fn parse_all(&mut self, progress: Progress<'_>) -> Result<()> {
        if !self.is_attached {
            return Ok(());
        }
        let _step = timings::step("parse every file");
        let mut known = code::parsed(self.store.reader())?;
        let missing: Vec<&FileRow> =
            self.files.iter().filter(|file| known.insert((file.hash, file.language))).collect();
        let (vocabulary, workers, root) = (&self.vocabulary, &self.workers, &self.root);
        let (sender, packed) = mpsc::sync_channel(MAX_WAITING);
        let (n_done, n_all) = (AtomicUsize::new(0), missing.len());
        let parse = |file: &&FileRow| {
            let text = read::walked_text(root, &file.path).unwrap_or_default();
            let document = parse::document(&mut workers.own(), vocabulary, file.language, &text);
            progress(n_done.fetch_add(1, Ordering::Relaxed) + 1, n_all);
            // As in `keep_documents`.
            let bytes = document.pack().ok().filter(|_| !vocabulary.has_new())?;
            Some((file.hash, file.language, bytes))
        };
        let send = |sender: &mut SyncSender<_>, files: &[&FileRow]| {
            // Where nobody writes any more nothing is kept.
            let _ = sender.send(files.iter().filter_map(parse).collect::<Vec<Packed>>());
        };
        let store = &mut self.store;
        let kept = std::thread::scope(|scope| {
            let writer = scope.spawn(move || keep_packed(store, &packed));
            missing.par_chunks(SENT_AT_ONCE).for_each_with(sender, send);
            writer.join()
        });
        let kept = kept.unwrap_or_else(|_| Err(anyhow::anyhow!("the writing thread ended early")));
        self.is_attached = self.is_kept(kept.map(|()| true));
        Ok(())
    }

    /// Returns the store, for what else is kept there.
    pub(crate) fn store(&mut self) -> &mut Store {
        &mut self.store
    }
}

/// Keeps packed symbols as they come, many in one transaction.
fn keep_packed(store: &mut Store, packed: &Receiver<Vec<Packed>>) -> Result<()> {
    while let Ok(first) = packed.recv() {
        store.transaction(|connection| {
            let more = packed.iter().take(MAX_WRITTEN / SENT_AT_ONCE);
            for (hash, language, bytes) in std::iter::once(first).chain(more).flatten() {
                code::put_symbols(connection, &hash, language, &bytes)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn index_file(
    root: &Path,
    vocabulary: &Vocabulary,
    worker: &mut Worker,
    entry: walk::Entry,
    old: Option<FileRow>,
) -> (FileRow, Option<String>) {
    let mut row = FileRow {
        path: entry.path,
        language: entry.language,
        size: entry.size,
        mtime: entry.mtime,
        hash: ContentHash::default(),
        n_terms: 0,
        vector: None,
    };
    if entry.size > read::MAX_BYTES {
        return (row, None);
    }
    let bytes = match read::walked(root, &row.path) {
        Ok(bytes) => bytes,
        Err(error) => {
            row.mtime = 0;
            return (row, Some(format!("{error:#}")));
        }
    };
    row.hash = xxh3_128(&bytes).to_le_bytes();
    if let Some(old) = old.filter(|old| old.hash == row.hash && old.language == row.language) {
        row.n_terms = old.n_terms;
        row.vector = old.vector;
    } else if read::unfit(&bytes).is_none() {
        let (packed, n_terms) = worker.vector(vocabulary, &row.path, &text::decode(&bytes).0);
        row.vector = Some(packed);
        row.n_terms = n_terms;
    }
    (row, None)
}
