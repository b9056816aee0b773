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

use crate::engine::rank::document::Document;
use crate::engine::rank::path_class::PathClass;
use crate::engine::rank::postings;
use crate::engine::rank::score::ScorableFile;
use crate::file_stat::FileStat;
use crate::model::Language;
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

/// How many files a thread takes at once to bring them up to date; no other can help it
/// with these.
const TAKEN_AT_ONCE: usize = 16;

/// How many packed files are handed to the thread that writes, so that it is seldom woken,
/// how many such lots wait at most, and how many files are written at once.
const SENT_AT_ONCE: usize = 8;
const MAX_WAITING: usize = 8;
const MAX_WRITTEN: usize = 256;

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
    parsed: FxHashMap<usize, ScorableFile>,
    /// Whether the store's term ids are ours; not when another process wrote between.
    is_attached: bool,
}

/// The indexed files and the symbols that were gathered, without the store.
#[derive(Clone, Copy)]
pub(crate) struct Code<'a> {
    pub(crate) root: &'a Path,
    pub(crate) files: &'a [FileRow],
    parsed: &'a FxHashMap<usize, ScorableFile>,
}

impl<'a> Code<'a> {
    /// Returns the symbols of the file at a position, if they were gathered.
    pub(crate) fn parsed(self, at: usize) -> Option<&'a ScorableFile> {
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
        let vocabulary = Vocabulary::load(&store)?;
        // Both are ordered by path.
        let mut rows = rows.into_iter().peekable();
        let mut met = Vec::with_capacity(listing.entries.len());
        let mut removed = Vec::new();
        for entry in listing.entries {
            while let Some(row) = rows.next_if(|row| row.path < entry.path) {
                removed.push(row.path);
            }
            met.push((rows.next_if(|row| row.path == entry.path), entry));
        }
        removed.extend(rows.map(|row| row.path));
        drop(step);

        let step = timings::step("read what changed");
        let workers = PerThread::<Worker>::new();
        let up_to_date = |(old, entry)| up_to_date(root, &vocabulary, &workers, old, entry);
        let met = met.into_par_iter().with_max_len(TAKEN_AT_ONCE).map(up_to_date);
        let met: Vec<Met> = met.collect();
        drop(step);

        let mut index = Self {
            root: root.to_owned(),
            files: Vec::new(),
            updated: Updated { n_removed: removed.len(), ..Updated::default() },
            warnings,
            vocabulary,
            workers,
            store,
            parsed: FxHashMap::default(),
            is_attached: true,
        };
        let new: Vec<&FileRow> = met.iter().filter(|it| it.is_new).map(|it| &it.row).collect();
        index.updated.n_changed = new.len();
        index.persist(&new, &removed, now);
        for it in met {
            index.warnings.extend(it.warning);
            index.files.extend(Some(it.row).filter(|row| row.vector.is_some()));
        }
        index.updated.n_files = index.files.len();
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
                code::upsert_file(connection, row, if is_racy { 0 } else { row.mtime })?;
            }
            for path in removed {
                code::remove_file(connection, path)?;
            }
            code::remove_unused_symbols(connection)?;
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
        postings::unpack(vector, |known, _, _| has_term |= known == id);
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
            postings::unpack(file.vector.as_deref().unwrap_or_default(), |id, _, _| {
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
        let _step = timings::step("get the symbols");
        let mut new = wanted.to_vec();
        new.sort_unstable();
        new.dedup();
        let n_new = new.iter().filter(|at| !self.parsed.contains_key(at)).count();
        if self.parsed.len() + n_new > MAX_CACHED_DOCUMENTS {
            self.parsed.clear();
        }
        new.retain(|at| !self.parsed.contains_key(at));
        let documents = self.read_documents(&new)?;
        let files = &self.files;
        let ready = new.into_par_iter().zip(documents).map(|(at, document)| {
            (at, ScorableFile::new(document, PathClass::from_path(&files[at].path)))
        });
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
        if self.is_attached && code::has_symbols(self.store.reader())? {
            for (packed, &at) in packed.iter_mut().zip(wanted) {
                let file = &self.files[at];
                *packed = code::symbols(self.store.reader(), &file.hash, file.language)?;
            }
        }
        let unpack = |bytes: Option<Vec<u8>>| Document::unpack(&bytes?);
        let mut found: Vec<Option<Document>> = packed.into_par_iter().map(unpack).collect();
        let missing: Vec<usize> = (0..wanted.len()).filter(|&n| found[n].is_none()).collect();
        let files: Vec<usize> = missing.iter().map(|&n| wanted[n]).collect();
        for (n, document) in missing.into_iter().zip(self.parse(&files, |document| document)) {
            found[n] = Some(document);
        }
        Ok(found.into_iter().flatten().collect())
    }

    /// Parses the files at the given positions, and returns what `take` makes of each. A
    /// thread of its own keeps their symbols, so that those that parse need not wait, and
    /// few are held at once.
    fn parse<T: Send>(&mut self, files: &[usize], take: impl Fn(Document) -> T + Sync) -> Vec<T> {
        if files.is_empty() {
            return Vec::new();
        }
        let (rows, vocabulary, workers) = (&self.files, &self.vocabulary, &self.workers);
        let (root, is_attached) = (&self.root, self.is_attached);
        let (sender, packed) = mpsc::sync_channel(MAX_WAITING);
        let parse = |&at: &usize| {
            let file = &rows[at];
            let text = read::listed_text(root, &file.path).unwrap_or_default();
            let document = parse::document(&mut workers.own(), vocabulary, file.language, &text);
            // A text that changed since the walk may have brought words that the store
            // does not know; such symbols are not kept.
            let is_kept = is_attached && !vocabulary.has_new();
            let bytes = is_kept.then(|| document.pack().ok()).flatten();
            (take(document), bytes.map(|bytes| (file.hash, file.language, bytes)))
        };
        let parse_and_send = |sender: &mut SyncSender<Vec<Packed>>, files: &[usize]| {
            let (taken, packed): (Vec<T>, Vec<_>) = files.iter().map(parse).unzip();
            let packed: Vec<Packed> = packed.into_iter().flatten().collect();
            if !packed.is_empty() {
                // Where nobody writes any more nothing is kept.
                let _ = sender.send(packed);
            }
            taken
        };
        let store = &mut self.store;
        let (parsed, kept) = std::thread::scope(|scope| {
            let writer = scope.spawn(move || keep_packed(store, &packed));
            let lots = files.par_chunks(SENT_AT_ONCE).with_max_len(1);
            let lots = lots.map_with(sender, parse_and_send);
            let parsed: Vec<Vec<T>> = lots.collect();
            (parsed, writer.join())
        });
        let kept = kept.unwrap_or_else(|_| Err(anyhow::anyhow!("the writing thread ended early")));
        self.is_attached &= self.is_kept(kept.map(|()| true));
        parsed.into_iter().flatten().collect()
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

    /// Parses every file that was not parsed before and keeps its symbols.
    pub(crate) fn parse_all(&mut self, progress: Progress<'_>) -> Result<()> {
        if !self.is_attached {
            return Ok(());
        }
        let _step = timings::step("parse every file");
        let mut known = code::parsed_contents(self.store.reader())?;
        let files = self.files.iter().enumerate();
        let missing = files.filter(|(_, file)| known.insert((file.hash, file.language)));
        let missing: Vec<usize> = missing.map(|(at, _)| at).collect();
        let n_done = AtomicUsize::new(0);
        self.parse(&missing, |_| {
            progress(n_done.fetch_add(1, Ordering::Relaxed) + 1, missing.len());
        });
        Ok(())
    }

    /// Returns the store, for what else is kept there.
    pub(crate) fn store(&mut self) -> &mut Store {
        &mut self.store
    }
}

/// Keeps packed symbols as they come, many in one transaction, which does not wait for more:
/// other processes may want to write too.
fn keep_packed(store: &mut Store, packed: &Receiver<Vec<Packed>>) -> Result<()> {
    while let Ok(first) = packed.recv() {
        let more = packed.iter().take(MAX_WRITTEN / SENT_AT_ONCE);
        let lots: Vec<Vec<Packed>> = std::iter::once(first).chain(more).collect();
        store.transaction(|connection| {
            for (hash, language, bytes) in lots.iter().flatten() {
                code::insert_symbols(connection, hash, *language, bytes)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// A file that the walk met, as it is now.
struct Met {
    row: FileRow,
    /// Whether the store has another row of it, or none.
    is_new: bool,
    warning: Option<String>,
}

/// Returns the row of a file: the `old` one, if the file has its stamp still.
fn up_to_date(
    root: &Path,
    vocabulary: &Vocabulary,
    workers: &PerThread<Worker>,
    old: Option<FileRow>,
    entry: walk::Entry,
) -> Met {
    let is_same = |row: &FileRow| {
        let known = FileStat { size: row.size, mtime: row.mtime };
        row.language == entry.language && read::stat(root, &row.path) == Some(known)
    };
    match old {
        Some(row) if is_same(&row) => Met { row, is_new: false, warning: None },
        old => index_file(root, vocabulary, &mut workers.own(), old, entry),
    }
}

fn index_file(
    root: &Path,
    vocabulary: &Vocabulary,
    worker: &mut Worker,
    old: Option<FileRow>,
    entry: walk::Entry,
) -> Met {
    let mut row = FileRow {
        path: entry.path,
        language: entry.language,
        size: 0,
        // One of no file, so that what cannot be read now is looked at again.
        mtime: 0,
        hash: ContentHash::default(),
        n_terms: 0,
        vector: None,
    };
    let mut bytes = std::mem::take(&mut worker.bytes);
    let stamp = match read::read_listed(root, &row.path, &mut bytes) {
        Ok(stamp) => stamp,
        Err(error) => return Met { row, is_new: true, warning: Some(format!("{error:#}")) },
    };
    (row.size, row.mtime) = (stamp.size, stamp.mtime);
    if row.size <= read::MAX_BYTES {
        row.hash = xxh3_128(&bytes).to_le_bytes();
        if let Some(old) = old.filter(|old| old.hash == row.hash && old.language == row.language) {
            row.n_terms = old.n_terms;
            row.vector = old.vector;
        } else if read::skip_reason(&bytes).is_none() {
            let (packed, n_terms) = worker.vector(vocabulary, &row.path, &text::decode(&bytes).0);
            row.vector = Some(packed);
            row.n_terms = n_terms;
        }
    }
    worker.bytes = bytes;
    Met { row, is_new: true, warning: None }
}
