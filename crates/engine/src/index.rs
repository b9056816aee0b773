//! The code index: updates it from the tree and answers from it.
//!
//! First stage: every file as counted terms, without parsing. Second stage: the files that a query
//! needs are parsed into symbols once, and their symbols are stored by content hash. No answer
//! depends on the files that are already parsed.

mod parse;
mod vocabulary;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};

use anyhow::{Context, Result};
use cerberus_model::file_stat::FileStat;
use cerberus_model::{Language, sorted, text};
use cerberus_store::Store;
use cerberus_store::code::{self, ContentHash, FileRow};
use rayon::iter::{
    IndexedParallelIterator, IntoParallelIterator, ParallelExtend, ParallelIterator,
};
use rayon::slice::ParallelSlice;
use rustc_hash::FxHashMap;
use thread_local::ThreadLocal;
use vocabulary::{Vocabulary, WordIds, Worker};
use xxhash_rust::xxh3::xxh3_128;

use super::{CodeBase, Progress};
use crate::rank::document::Document;
use crate::rank::path_class::PathClass;
use crate::rank::postings;
use crate::rank::score::ScorableFile;
use crate::syntax::language;
use crate::syntax::parse::limit_warning;
use crate::tree::{read, walk};

/// Files parsed for a rule. With 200, the first candidate was the same as with every file parsed
/// for 155 rules of 155; with 50, for 98 of 100.
pub(super) const PARSED_FILES: usize = 200;

/// Maximum number of parsed files in memory, about 25 KB each.
const MAX_CACHED_DOCUMENTS: usize = 4_000;

/// Files that a thread updates at once.
const CHUNK_SIZE: usize = 16;

/// Files per message to the thread that writes, so that it wakes rarely; messages that may wait; and
/// files per transaction.
const BATCH_SIZE: usize = 8;
const CHANNEL_CAPACITY: usize = 8;
const TRANSACTION_SIZE: usize = 256;

/// The packed symbols of a file with their key in the store.
type PackedSymbols = (ContentHash, Language, Vec<u8>);

/// A file that changes this soon after its indexing may get the same modification time again,
/// because clocks tick more coarsely than nanoseconds.
const RACY_NANOSECONDS: i64 = 2_000_000_000;

/// A snapshot of the index.
pub struct CodeIndex {
    pub(crate) root: PathBuf,
    /// The indexed files, ordered by path.
    pub files: Vec<FileRow>,
    /// Number of files that the update added or changed, and that it removed.
    pub n_changed: usize,
    pub n_removed: usize,
    /// Number of files in languages that this build lacks.
    pub lacking: BTreeMap<Language, usize>,
    pub warnings: Vec<String>,
    vocabulary: Vocabulary,
    workers: ThreadLocal<RefCell<Worker>>,
    store: Rc<Store>,
    /// Parsed files by their index in `files`.
    parsed: FxHashMap<usize, ScorableFile>,
    /// Whether the term ids of the store are those of this run. False if another process wrote in
    /// between.
    is_attached: bool,
}

/// The indexed files and the loaded symbols, without the store.
#[derive(Clone, Copy)]
pub(crate) struct Code<'a> {
    pub(crate) root: &'a Path,
    pub(crate) files: &'a [FileRow],
    parsed: &'a FxHashMap<usize, ScorableFile>,
}

impl<'a> Code<'a> {
    /// Returns the symbols of a file, if they are loaded.
    pub(crate) fn parsed(self, file_idx: usize) -> Option<&'a ScorableFile> {
        self.parsed.get(&file_idx)
    }
}

impl CodeIndex {
    /// Updates the index in the store from the files of `code`.
    pub(crate) fn refresh(code: CodeBase<'_>) -> Result<Self> {
        let CodeBase {
            root,
            exclude,
            progress,
            ..
        } = code;
        let report = || progress(0, PARSED_FILES);
        let mut listing = None;
        // In parallel: the walk waits for the file system, the store decodes its rows.
        let rows = rayon::in_place_scope(|scope| {
            scope.spawn(|_| listing = Some(walk::walk_with(root, exclude, &report)));
            code::files(code.store.reader())
        });
        let listing = listing.context("the walk of the tree did not start")??;
        let lack_warning = listing.lack_warning();
        let mut warnings = listing.all_warnings();
        warnings.extend(lack_warning);
        warnings.append(&mut code.store.take_warnings());
        // Both are ordered by path.
        let mut rows = rows?.into_iter().peekable();
        let mut scanned = Vec::with_capacity(listing.entries.len());
        let mut removed = Vec::new();
        for entry in listing.entries {
            while let Some(row) = rows.next_if(|row| row.path < entry.path) {
                removed.push(row.path);
            }
            scanned.push((rows.next_if(|row| row.path == entry.path), entry));
        }
        removed.extend(rows.map(|row| row.path));
        let index = Self::update(code, scanned, &removed)?;
        let warnings = [warnings, index.warnings].concat();
        Ok(Self {
            warnings,
            lacking: listing.lacking,
            ..index
        })
    }

    /// Like [`Self::refresh`], but only for the files with these paths, in ascending order. Does not
    /// walk the tree: the snapshot contains those of them that can be indexed, and no other file.
    /// A path may be invalid or outside the root.
    pub(crate) fn refresh_files<'p>(
        code: CodeBase<'_>,
        paths: impl IntoIterator<Item = &'p str>,
    ) -> Result<Self> {
        let mut scanned = Vec::new();
        for path in paths {
            let Some(language) = language::from_path(path) else {
                continue;
            };
            let row = code::file(code.store.reader(), path)?;
            // A file that the index has was inside the root, and it is read again only if it
            // changed.
            if row.as_ref().is_some_and(|row| is_current(code.root, row))
                || read::is_file(code.root, path)
            {
                let Some(stat) = read::stat(code.root, path) else {
                    continue;
                };
                scanned.push((
                    row,
                    walk::Entry {
                        path: path.to_owned(),
                        language,
                        stat,
                    },
                ));
            }
        }
        Self::update(code, scanned, &[])
    }

    /// Reads the files that differ from their rows, and writes what changed.
    fn update(
        code: CodeBase<'_>,
        files: Vec<(Option<FileRow>, walk::Entry)>,
        removed: &[String],
    ) -> Result<Self> {
        let CodeBase {
            root,
            now,
            progress,
            ..
        } = code;
        let vocabulary = Vocabulary::load(code.store)?;
        let workers = ThreadLocal::new();
        let (n_scanned, n_files) = (AtomicUsize::new(0), files.len());
        let scan = |(old, entry)| {
            // The best files are parsed later.
            progress(
                n_scanned.fetch_add(1, Ordering::Relaxed),
                n_files + PARSED_FILES,
            );
            let worker: &RefCell<Worker> = workers.get_or_default();
            scan(root, &mut worker.borrow_mut().with(&vocabulary), old, entry)
        };
        let scanned: Vec<ScannedFile> = files
            .into_par_iter()
            .with_max_len(CHUNK_SIZE)
            .map(scan)
            .collect();

        let new: Vec<&FileRow> = scanned
            .iter()
            .filter(|file| file.is_new)
            .map(|file| &file.row)
            .collect();
        let mut index = Self {
            root: root.to_owned(),
            files: Vec::new(),
            n_changed: new.len(),
            n_removed: removed.len(),
            lacking: BTreeMap::new(),
            warnings: Vec::new(),
            vocabulary,
            workers,
            store: Rc::clone(code.store),
            parsed: FxHashMap::default(),
            is_attached: true,
        };
        // A caller may be cancelled while many rows are written.
        index.persist(&new, removed, now, &|| {
            progress(n_files, n_files + PARSED_FILES)
        });
        for file in scanned {
            index.warnings.extend(file.warning);
            index
                .files
                .extend(Some(file.row).filter(|row| row.vector.is_some()));
        }
        Ok(index)
    }

    /// Writes the changed rows, unless another process wrote in the meantime. In that case this run
    /// continues with its own snapshot, and the next run updates the index again.
    fn persist(
        &mut self,
        rows: &[&FileRow],
        removed: &[String],
        now: i64,
        report: &(dyn Fn() + Sync),
    ) {
        report();
        if rows.is_empty() && removed.is_empty() {
            return;
        }
        let vocabulary = &self.vocabulary;
        let written = self.store.transaction(|connection| {
            if !vocabulary.is_current(connection)? {
                return Ok(false);
            }
            // Packing the terms takes as long as writing the rows.
            let mut packed = Vec::new();
            rayon::in_place_scope(|scope| -> Result<()> {
                scope.spawn(|_| packed = vocabulary.pack());
                for row in rows {
                    // A file with modification time 0 is read again by the next run, once.
                    let is_racy = (now - row.mtime).abs() < RACY_NANOSECONDS;
                    code::upsert_file(connection, row, if is_racy { 0 } else { row.mtime })?;
                    report();
                }
                Ok(())
            })?;
            vocabulary.write(connection, &packed)?;
            for path in removed {
                code::remove_file(connection, path)?;
            }
            code::remove_unused_symbols(connection)?;
            Ok(true)
        });
        self.is_attached = self.warn_unless_written(written);
        if self.is_attached {
            self.vocabulary.mark_persisted();
        }
    }

    /// Turns an error into a warning: without a writable store, the next run only takes longer.
    fn warn_unless_written(&mut self, written: Result<bool>) -> bool {
        written.unwrap_or_else(|error| {
            self.warnings
                .push(format!("failed to store the index: {error:#}"));
            false
        })
    }

    /// Returns the id of a term, if any file has it.
    pub(crate) fn term_id(&self, term: &str) -> Option<u32> {
        self.vocabulary.id(term)
    }

    /// Returns the known terms that start with `prefix`, sorted, with their ids.
    pub(crate) fn terms_with_prefix(&self, prefix: &str) -> Vec<(String, u32)> {
        self.vocabulary.with_prefix(prefix)
    }

    /// Returns whether the text or the path of a file contains a term.
    pub(crate) fn has_term(&self, file_idx: usize, id: u32) -> bool {
        let mut has_term = false;
        let vector = self.files[file_idx].vector.as_deref().unwrap_or_default();
        postings::unpack(vector, |known, _, _| has_term |= known == id);
        has_term
    }

    /// Returns the largest term id in use.
    pub(crate) fn last_term_id(&self) -> u32 {
        self.vocabulary.last()
    }

    /// Loads the symbols of files, and parses the files whose symbols are not stored.
    pub(crate) fn load_symbols(
        &mut self,
        file_idxs: &[usize],
        progress: Progress<'_>,
    ) -> Result<()> {
        let mut new = sorted(file_idxs.iter().copied());
        let n_new = new
            .iter()
            .filter(|idx| !self.parsed.contains_key(idx))
            .count();
        if self.parsed.len() + n_new > MAX_CACHED_DOCUMENTS {
            self.parsed.clear();
        }
        new.retain(|idx| !self.parsed.contains_key(idx));
        let documents = self.read_documents(&new, progress)?;
        let files = &self.files;
        let loaded = new.into_par_iter().zip(documents).map(|(idx, document)| {
            (
                idx,
                ScorableFile::new(document, PathClass::from_path(&files[idx].path)),
            )
        });
        self.parsed.par_extend(loaded);
        Ok(())
    }

    /// Returns the part of the index that all threads can read at once.
    pub(crate) fn code(&self) -> Code<'_> {
        Code {
            root: &self.root,
            files: &self.files,
            parsed: &self.parsed,
        }
    }

    fn read_documents(
        &mut self,
        file_idxs: &[usize],
        progress: Progress<'_>,
    ) -> Result<Vec<Document>> {
        let mut packed = vec![None; file_idxs.len()];
        if self.is_attached && code::has_symbols(self.store.reader())? {
            for (packed, &file_idx) in packed.iter_mut().zip(file_idxs) {
                let file = &self.files[file_idx];
                *packed = code::symbols(self.store.reader(), &file.hash, file.language)?;
            }
        }
        let unpack = |bytes: Option<Vec<u8>>| Document::unpack(&bytes?);
        let mut documents: Vec<Option<Document>> = packed.into_par_iter().map(unpack).collect();
        let unread = documents
            .iter()
            .zip(file_idxs)
            .filter(|(document, _)| document.is_none());
        let unread: Vec<usize> = unread.map(|(_, file_idx)| *file_idx).collect();
        let (n_parsed, n_files) = (AtomicUsize::new(0), self.files.len());
        let take = |document| {
            let done = n_parsed.fetch_add(1, Ordering::Relaxed) + 1;
            progress(n_files + done.min(PARSED_FILES), n_files + PARSED_FILES);
            document
        };
        let mut parsed = self.parse(&unread, take).into_iter();
        for document in documents.iter_mut().filter(|document| document.is_none()) {
            *document = parsed.next();
        }
        Ok(documents.into_iter().flatten().collect())
    }

    /// Parses files and returns the result of `take` for each. This thread stores the symbols
    /// meanwhile, so that the parsing threads do not wait and few packed symbols are in memory.
    fn parse<T: Send>(
        &mut self,
        file_idxs: &[usize],
        take: impl Fn(Document) -> T + Sync,
    ) -> Vec<T> {
        if file_idxs.is_empty() {
            return Vec::new();
        }
        let (files, vocabulary, workers) = (&self.files, &self.vocabulary, &self.workers);
        let (root, is_attached) = (&self.root, self.is_attached);
        let (sender, receiver) = mpsc::sync_channel(CHANNEL_CAPACITY);
        let parse = |&file_idx: &usize| {
            let file = &files[file_idx];
            let text = read::listed_text(root, &file.path).unwrap_or_default();
            let mut worker = workers.get_or_default().borrow_mut();
            let (document, exceeds_limits) =
                parse::document(&mut worker.with(vocabulary), file.language, &text);
            let warning = exceeds_limits.then(|| limit_warning(&file.path));
            // A text that changed since the walk may contain words that the store does not have.
            // Its symbols are not stored.
            let is_storable = is_attached && !vocabulary.has_new();
            let bytes = is_storable.then(|| document.pack().ok()).flatten();
            (
                (take(document), warning),
                bytes.map(|bytes| (file.hash, file.language, bytes)),
            )
        };
        let parse_and_send = |sender: &mut SyncSender<Vec<PackedSymbols>>, file_idxs: &[usize]| {
            let (taken, packed): (Vec<(T, Option<String>)>, Vec<_>) =
                file_idxs.iter().map(parse).unzip();
            let packed: Vec<PackedSymbols> = packed.into_iter().flatten().collect();
            if !packed.is_empty() {
                // Fails if the writer stopped with an error, which is reported below.
                let _ = sender.send(packed);
            }
            taken
        };
        let mut parsed: Vec<Vec<_>> = Vec::new();
        // The index is on one thread, which is not one of the pool: it may wait for them.
        let written = rayon::in_place_scope(|scope| {
            let batches = file_idxs.par_chunks(BATCH_SIZE).with_max_len(1);
            scope.spawn(|_| parsed = batches.map_with(sender, parse_and_send).collect());
            write_symbols(&self.store, receiver)
        });
        self.is_attached &= self.warn_unless_written(written.map(|()| true));
        let (parsed, warnings): (Vec<T>, Vec<_>) = parsed.into_iter().flatten().unzip();
        self.warnings.extend(warnings.into_iter().flatten());
        parsed
    }

    /// Parses every file whose symbols are not stored, and stores them.
    pub fn parse_all(&mut self, progress: Progress<'_>) -> Result<()> {
        if !self.is_attached {
            return Ok(());
        }
        let mut known = code::parsed_contents(self.store.reader())?;
        let files = self.files.iter().enumerate();
        let missing = files.filter(|(_, file)| known.insert((file.hash, file.language)));
        let missing: Vec<usize> = missing.map(|(file_idx, _)| file_idx).collect();
        let n_done = AtomicUsize::new(0);
        self.parse(&missing, |_| {
            progress(n_done.fetch_add(1, Ordering::Relaxed) + 1, missing.len());
        });
        Ok(())
    }

    /// Returns the store, which also has tables of other modules.
    pub fn store(&self) -> &Store {
        &self.store
    }
}

/// Writes packed symbols as they arrive. Collects the batches before each transaction, so that no
/// transaction is open while it waits: other processes may need to write.
///
/// The receiver is dropped with an error, which ends the attempts to send.
#[expect(clippy::needless_pass_by_value, reason = "it is dropped here")]
fn write_symbols(store: &Store, receiver: Receiver<Vec<PackedSymbols>>) -> Result<()> {
    while let Ok(first) = receiver.recv() {
        let more = receiver.iter().take(TRANSACTION_SIZE / BATCH_SIZE);
        let batches: Vec<Vec<PackedSymbols>> = std::iter::once(first).chain(more).collect();
        store.transaction(|connection| {
            for (hash, language, bytes) in batches.iter().flatten() {
                code::insert_symbols(connection, hash, *language, bytes)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// A file found by the walk, in its current state.
struct ScannedFile {
    row: FileRow,
    /// Whether the store has another row for it, or no row.
    is_new: bool,
    warning: Option<String>,
}

/// Returns whether a file still has the size and the modification time of its row.
fn is_current(root: &Path, row: &FileRow) -> bool {
    read::stat(root, &row.path) == Some(stat_of(row))
}

fn stat_of(row: &FileRow) -> FileStat {
    FileStat {
        size: row.size,
        mtime: row.mtime,
    }
}

/// Returns the row of a file: the `old` one if size, modification time and language are unchanged.
fn scan(
    root: &Path,
    words: &mut WordIds<'_>,
    old: Option<FileRow>,
    entry: walk::Entry,
) -> ScannedFile {
    let old = old.filter(|row| row.language == entry.language);
    let old = match old {
        Some(row) if entry.stat == stat_of(&row) => {
            return ScannedFile {
                row,
                is_new: false,
                warning: None,
            };
        }
        old => old,
    };
    let mut row = FileRow {
        path: entry.path,
        language: entry.language,
        size: 0,
        // Matches no file, so that a file that cannot be read is tried again by the next run.
        mtime: 0,
        hash: ContentHash::default(),
        n_terms: 0,
        vector: None,
    };
    let mut bytes = std::mem::take(&mut words.worker.bytes);
    let stamp = match read::read_listed(root, &row.path, &mut bytes) {
        Ok(stamp) => stamp,
        Err(error) => {
            return ScannedFile {
                row,
                is_new: true,
                warning: Some(format!("{error:#}")),
            };
        }
    };
    (row.size, row.mtime) = (stamp.size, stamp.mtime);
    if row.size <= read::MAX_BYTES {
        row.hash = xxh3_128(&bytes).to_le_bytes();
        if let Some(old) = old.filter(|old| old.hash == row.hash) {
            (row.n_terms, row.vector) = (old.n_terms, old.vector);
        } else if read::skip_reason(&bytes).is_none() {
            let (packed, n_terms) = words.vector(&row.path, &text::decode(&bytes).0);
            (row.n_terms, row.vector) = (n_terms, Some(packed));
        }
    }
    words.worker.bytes = bytes;
    ScannedFile {
        row,
        is_new: true,
        warning: None,
    }
}
