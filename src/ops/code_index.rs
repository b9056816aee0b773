//! The code index: brings it up to date with the tree and answers from it.
//!
//! First stage: every file as counted terms, without parsing. Second stage: the
//! files that a question needs are parsed into symbols, once, and remembered by
//! content. Nothing that is asked depends on what happens to be parsed already.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use anyhow::Result;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_128;

use crate::model::Language;
use crate::rank::score::{Field, FileDoc, SymbolDoc};
use crate::rank::{tokenize, vector};
use crate::store::Store;
use crate::store::code::{self, ContentHash, FileRow};
use crate::syntax::{Leaf, Role, Source, Symbol};
use crate::text::{self, LineIndex};
use crate::tree::{read, walk};

/// From this many files on it is faster to load the whole vocabulary than to look words up.
const BULK_FILES: usize = 8;

/// How many raw words a thread remembers the terms of.
const MAX_CACHED_WORDS: usize = 200_000;

/// How many parsed files are remembered over the rules of one run, some 25 KB each.
const MAX_CACHED_DOCUMENTS: usize = 4_000;

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
    store: Store,
    /// Parsed files by their position in `files`.
    parsed: FxHashMap<usize, Arc<FileDoc>>,
    /// Whether the store's term ids are ours; not when another process wrote between.
    is_attached: bool,
}

/// Terms and their ids, as far as they were needed.
#[derive(Default)]
struct Vocabulary {
    ids: FxHashMap<String, u32>,
    is_complete: bool,
    last: u32,
    /// Up to here the store's ids are ours; another process may have added more since.
    shared: u32,
    fresh: Vec<(String, u32)>,
}

impl Vocabulary {
    fn load(&mut self, store: &Store) -> Result<()> {
        if !self.is_complete {
            code::each_term(store.reader(), |term, id| {
                if id <= self.shared {
                    self.ids.entry(term).or_insert(id);
                }
            })?;
            self.is_complete = true;
        }
        Ok(())
    }

    /// Looks the terms of `texts` up, so that interning them needs no store.
    fn prepare<'t>(&mut self, store: &Store, texts: impl Iterator<Item = &'t str>) -> Result<()> {
        if self.is_complete {
            return Ok(());
        }
        for text in texts {
            for term in tokenize::terms(text) {
                if self.ids.contains_key(&term) {
                    continue;
                }
                if let Some(id) = self.stored(store, &term)? {
                    self.ids.insert(term, id);
                }
            }
        }
        Ok(())
    }

    /// Returns the id that the store has for a term, as far as it means the same here.
    fn stored(&self, store: &Store, term: &str) -> Result<Option<u32>> {
        Ok(code::term_id(store.reader(), term)?.filter(|id| *id <= self.shared))
    }

    fn intern(&mut self, term: String) -> u32 {
        if let Some(&id) = self.ids.get(&term) {
            return id;
        }
        self.last += 1;
        self.fresh.push((term.clone(), self.last));
        self.ids.insert(term, self.last);
        self.last
    }
}

/// One thread's way from raw words to term ids.
struct Worker<'v> {
    vocabulary: &'v Mutex<Vocabulary>,
    known: FxHashMap<Box<str>, Box<[u32]>>,
}

impl<'v> Worker<'v> {
    fn new(vocabulary: &'v Mutex<Vocabulary>) -> Self {
        Self { vocabulary, known: FxHashMap::default() }
    }

    fn each_id(&mut self, text: &str, mut each: impl FnMut(u32)) {
        tokenize::words(text, |word| {
            if let Some(ids) = self.known.get(word) {
                ids.iter().copied().for_each(&mut each);
                return;
            }
            let mut terms = Vec::new();
            tokenize::parts(word, |part| terms.push(tokenize::term(part)));
            let mut shared =
                self.vocabulary.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            let ids: Box<[u32]> = terms.into_iter().map(|term| shared.intern(term)).collect();
            drop(shared);
            ids.iter().copied().for_each(&mut each);
            if self.known.len() >= MAX_CACHED_WORDS {
                self.known.clear();
            }
            self.known.insert(word.into(), ids);
        });
    }

    /// Returns a file's packed terms and their number.
    fn vector(&mut self, path: &str, text: &str) -> (Vec<u8>, u32) {
        let mut in_path = Vec::new();
        self.each_id(path, |id| in_path.push(id));
        in_path.sort_unstable();
        in_path.dedup();
        let mut ids = Vec::new();
        self.each_id(text, |id| ids.push(id));
        let n_terms = u32::try_from(ids.len()).unwrap_or(u32::MAX);
        (vector::pack(&in_path, &count(ids)), n_terms)
    }
}

fn count(mut ids: Vec<u32>) -> vector::Counts {
    ids.sort_unstable();
    let runs = ids.chunk_by(|a, b| a == b);
    runs.map(|run| (run[0], u32::try_from(run.len()).unwrap_or(u32::MAX))).collect()
}

impl CodeIndex {
    /// Brings the index in `store` up to date with the files below `root`.
    pub(crate) fn refresh(
        root: &Path,
        excludes: &[String],
        store: Store,
        now: i64,
    ) -> Result<Self> {
        // The walk waits for the file system, the store for the decoding of its rows.
        let read_rows = move || (code::files(store.reader()), store);
        let (listing, (rows, mut store)) = rayon::join(|| walk::walk(root, excludes), read_rows);
        let listing = listing?;
        let mut warnings = listing.warnings;
        warnings.append(&mut store.warnings);
        let rows = rows?.into_iter().map(|row| (row.path.clone(), row));
        let mut known: FxHashMap<String, FileRow> = rows.collect();
        let last = code::last_term_id(store.reader())?;
        let mut vocabulary = Vocabulary { last, shared: last, ..Vocabulary::default() };
        vocabulary.is_complete = vocabulary.last == 0;

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

        let contents: Vec<Result<Vec<u8>>> = if stale.len() < BULK_FILES {
            stale.iter().map(|(entry, _)| read::bytes(root, &entry.path)).collect()
        } else {
            Vec::new()
        };
        if stale.len() >= BULK_FILES {
            vocabulary.load(&store)?;
        } else {
            for ((entry, _), bytes) in stale.iter().zip(&contents) {
                if let Ok(bytes) = bytes {
                    let text = text::decode(bytes).0;
                    vocabulary.prepare(&store, [entry.path.as_str(), &text].into_iter())?;
                }
            }
        }
        drop(contents);
        let shared = Mutex::new(vocabulary);
        let fresh: Vec<(FileRow, Option<String>)> = stale
            .into_par_iter()
            .map_init(
                || Worker::new(&shared),
                |worker, (entry, old)| index_file(root, worker, entry, old),
            )
            .collect();
        let vocabulary = shared.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());

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
        let fresh = std::mem::take(&mut self.vocabulary.fresh);
        let expected = self.vocabulary.shared;
        let kept = self.store.transaction(|connection| {
            if code::last_term_id(connection)? != expected {
                return Ok(false);
            }
            for (term, id) in &fresh {
                code::put_term(connection, term, *id)?;
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
            self.vocabulary.shared = self.vocabulary.last;
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
    pub(crate) fn term_id(&self, term: &str) -> Result<Option<u32>> {
        match self.vocabulary.ids.get(term) {
            Some(&id) => Ok(Some(id)),
            None if self.vocabulary.is_complete => Ok(None),
            None => self.vocabulary.stored(&self.store, term),
        }
    }

    /// Returns the known terms that start with `prefix`, in their order, with their ids.
    pub(crate) fn terms_with_prefix(&self, prefix: &str) -> Result<Vec<(String, u32)>> {
        if !self.vocabulary.is_complete {
            let mut found = code::terms_with_prefix(self.store.reader(), prefix)?;
            found.retain(|(_, id)| *id <= self.vocabulary.shared);
            return Ok(found);
        }
        let known = self.vocabulary.ids.iter();
        let mut found: Vec<(String, u32)> = known
            .filter(|(term, _)| term.starts_with(prefix))
            .map(|(term, &id)| (term.clone(), id))
            .collect();
        found.sort_unstable();
        Ok(found)
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
        self.vocabulary.last
    }

    /// Returns the symbols of the files at the given positions, parsing those that
    /// were not parsed before.
    pub(crate) fn documents(&mut self, wanted: &[usize]) -> Result<Vec<Arc<FileDoc>>> {
        if self.parsed.len() > MAX_CACHED_DOCUMENTS {
            self.parsed.clear();
        }
        let new: Vec<usize> =
            wanted.iter().copied().filter(|at| !self.parsed.contains_key(at)).collect();
        let documents = self.read_documents(&new)?;
        self.parsed.extend(new.into_iter().zip(documents.into_iter().map(Arc::new)));
        Ok(wanted.iter().filter_map(|at| self.parsed.get(at).cloned()).collect())
    }

    fn read_documents(&mut self, wanted: &[usize]) -> Result<Vec<FileDoc>> {
        let mut found: Vec<Option<FileDoc>> = Vec::with_capacity(wanted.len());
        for &at in wanted {
            let file = &self.files[at];
            let bytes = if self.is_attached {
                code::symbols(self.store.reader(), &file.hash, file.language)?
            } else {
                None
            };
            found.push(bytes.and_then(|bytes| postcard::from_bytes(&bytes).ok()));
        }
        let missing: Vec<usize> = (0..wanted.len()).filter(|&n| found[n].is_none()).collect();
        if missing.is_empty() {
            return Ok(found.into_iter().flatten().collect());
        }
        let root = &self.root;
        let files = &self.files;
        let texts: Vec<String> = missing
            .par_iter()
            .map(|&n| read::text(root, &files[wanted[n]].path).unwrap_or_default())
            .collect();
        if missing.len() < BULK_FILES {
            self.vocabulary.prepare(&self.store, texts.iter().map(String::as_str))?;
        } else {
            self.vocabulary.load(&self.store)?;
        }
        let shared = Mutex::new(std::mem::take(&mut self.vocabulary));
        let parsed: Vec<FileDoc> = missing
            .par_iter()
            .zip(&texts)
            .map_init(
                || Worker::new(&shared),
                |worker, (&n, text)| document(worker, files[wanted[n]].language, text),
            )
            .collect();
        self.vocabulary = shared.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        self.keep_documents(&missing, wanted, &parsed);
        for (n, document) in missing.into_iter().zip(parsed) {
            found[n] = Some(document);
        }
        Ok(found.into_iter().flatten().collect())
    }

    fn keep_documents(&mut self, missing: &[usize], wanted: &[usize], parsed: &[FileDoc]) {
        // A text that changed since the walk may have brought words that the store
        // does not know; such symbols are not kept.
        if !self.is_attached || !self.vocabulary.fresh.is_empty() {
            return;
        }
        let files = &self.files;
        let kept = self.store.transaction(|connection| {
            for (&n, document) in missing.iter().zip(parsed) {
                let file = &files[wanted[n]];
                let bytes = postcard::to_stdvec(document)?;
                code::put_symbols(connection, &file.hash, file.language, &bytes)?;
            }
            Ok(true)
        });
        self.is_attached = self.is_kept(kept);
    }

    /// Returns the store, for what else is kept there.
    pub(crate) fn store(&mut self) -> &mut Store {
        &mut self.store
    }
}

fn index_file(
    root: &Path,
    worker: &mut Worker<'_>,
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
    let bytes = match read::bytes(root, &row.path) {
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
        let (packed, n_terms) = worker.vector(&row.path, &text::decode(&bytes).0);
        row.vector = Some(packed);
        row.n_terms = n_terms;
    }
    (row, None)
}

fn document(worker: &mut Worker<'_>, language: Language, text: &str) -> FileDoc {
    let source = Source::parse(language, text);
    let lines = LineIndex::new(text);
    let mut gathered: Vec<Vec<(u32, u8)>> = vec![Vec::new(); source.symbols.len()];
    let mut module = Vec::new();
    for_each_owned_leaf(&source, |leaf, owner| {
        let piece = leaf.span.of(text);
        match owner {
            Some((at, field)) => worker.each_id(piece, |id| gathered[at].push((id, field as u8))),
            None if matches!(leaf.role, Role::Doc | Role::Comment) => {
                worker.each_id(piece, |id| module.push(id));
            }
            None => {}
        }
    });
    module.sort_unstable();
    module.dedup();
    let symbols = source.symbols.iter().zip(gathered).map(|(symbol, mut terms)| {
        terms.sort_unstable();
        let runs = terms.chunk_by(|a, b| a == b);
        SymbolDoc {
            name: symbol.name.clone(),
            kind: symbol.kind,
            parent: symbol.parent.and_then(|at| u32::try_from(at).ok()),
            first_line: u32::try_from(lines.line(symbol.span.start)).unwrap_or(0),
            last_line: u32::try_from(lines.line(symbol.span.end.saturating_sub(1))).unwrap_or(0),
            terms: runs
                .map(|run| (run[0].0, run[0].1, u32::try_from(run.len()).unwrap_or(u32::MAX)))
                .collect(),
        }
    });
    FileDoc {
        n_lines: u32::try_from(text.lines().count()).unwrap_or(u32::MAX),
        module,
        symbols: symbols.collect(),
    }
}

/// Calls `each` with every leaf and the symbol and field it belongs to.
fn for_each_owned_leaf(source: &Source, mut each: impl FnMut(Leaf, Option<(usize, Field)>)) {
    let symbols = &source.symbols;
    // Comments above a definition lie outside its span.
    let mut above: Vec<(usize, usize, usize)> = symbols
        .iter()
        .enumerate()
        .filter_map(|(at, symbol)| symbol.above.map(|span| (span.start, span.end, at)))
        .collect();
    above.sort_unstable();
    let mut order: Vec<usize> = (0..symbols.len()).collect();
    order.sort_by_key(|&at| (symbols[at].span.start, std::cmp::Reverse(symbols[at].span.end), at));
    let (mut next, mut open): (usize, Vec<usize>) = (0, Vec::new());
    let mut doc = 0;
    for &leaf in &source.leaves {
        let start = leaf.span.start;
        while next < order.len() && symbols[order[next]].span.start <= start {
            open.push(order[next]);
            next += 1;
        }
        while open.last().is_some_and(|&at| symbols[at].span.end <= start) {
            open.pop();
        }
        while doc < above.len() && above[doc].1 <= start {
            doc += 1;
        }
        let documented = above.get(doc).filter(|run| run.0 <= start && leaf.role == Role::Comment);
        let owner = match documented {
            Some(&(_, _, at)) => Some((at, Field::Doc)),
            None => open.last().map(|&at| (at, field(&symbols[at], leaf))),
        };
        each(leaf, owner);
    }
}

fn field(symbol: &Symbol, leaf: Leaf) -> Field {
    match leaf.role {
        Role::Doc => Field::Doc,
        Role::Comment => Field::Comment,
        Role::Text => Field::Text,
        _ if symbol.name_span.start <= leaf.span.start && leaf.span.end <= symbol.name_span.end => {
            Field::Name
        }
        _ if leaf.span.start < symbol.body_start => Field::Signature,
        _ => Field::Body,
    }
}
