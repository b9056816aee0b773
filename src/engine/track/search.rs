//! Looks for code that is no longer where its anchor says.

use std::path::Path;

use anyhow::Result;
use memchr::memmem;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::engine::rank::similarity::{self, Features};
use crate::model::{Anchor, SymbolKind};
use crate::syntax::fingerprint::{NO_NEIGHBOUR, is_word_byte, name_hash, split_name, word_hashes};
use crate::syntax::{language, minhash};
use crate::text;
use crate::tree::{read, walk};

use super::file_symbols::{Candidate, FileCode};

/// Up to this many lost anchors, files are looked through for their words before
/// any is parsed; with more, nearly every file holds the words of one.
const MAX_SIEVED: usize = 32;

/// Code that is less likely is not even listed as a look-alike.
const LISTED_ODDS: f64 = -4.0;

/// What is looked for: the code of one or more anchors.
pub(crate) struct Lost<'a> {
    pub(crate) anchor: &'a Anchor,
    /// The container's qualified name, and the name itself; for a file, its folder and its name.
    pub(crate) container: &'a str,
    pub(crate) name: &'a str,
    /// How many of the kept names code must have to be compared.
    n_needed: usize,
    n_beside: f64,
}

impl<'a> Lost<'a> {
    pub(crate) fn new(anchor: &'a Anchor) -> Self {
        let (container, name) = match &anchor.symbol {
            Some(symbol) => split_name(symbol),
            None => split_path(&anchor.file),
        };
        Self {
            anchor,
            container,
            name,
            n_needed: anchor.fingerprint.names.len().div_ceil(3),
            n_beside: minhash::bloom_len(&anchor.fingerprint.beside),
        }
    }

    fn may_be(&self, file: &FileCode, candidate: &Candidate) -> bool {
        super::are_kin(self.anchor.language, file.language)
            && is_of_kind(self.anchor.kind, candidate.kind)
    }

    fn is_same(&self, file: &FileCode, candidate: &Candidate) -> bool {
        self.anchor.fingerprint.name_independent_hash
            == candidate.features.fingerprint.name_independent_hash
            && self.may_be(file, candidate)
    }

    fn has_names(&self, n_shared: usize) -> bool {
        self.n_needed > 0 && n_shared >= self.n_needed
    }
}

pub(crate) fn split_path(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Returns the last folder and the file's stem, which name a module.
fn home_of(path: &str) -> &str {
    let from = path.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
    let home = &path[from..];
    home.rsplit_once('.').map_or(home, |(stem, _)| stem)
}

/// Returns the container and the name of a candidate; of a file, its folder and its name.
pub(super) fn name_of<'f>(file: &'f FileCode, candidate: &'f Candidate) -> (&'f str, &'f str) {
    match &candidate.symbol {
        Some(symbol) => split_name(symbol),
        None => split_path(&file.path),
    }
}

/// An anchor and code that may be what it was on.
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    pub(crate) lost: usize,
    pub(crate) file: usize,
    pub(crate) at: usize,
    pub(crate) evidence: Features,
    pub(crate) odds: f64,
}

/// Returns the parsed files of the tree that may hold what was lost, ordered by path.
/// `known` are those parsed already.
pub(crate) fn read_tree(
    root: &Path,
    excludes: &[String],
    lost: &[Lost<'_>],
    mut known: Vec<FileCode>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Vec<FileCode>> {
    let seen: FxHashSet<&str> = known.iter().map(|file| file.path.as_str()).collect();
    let mut paths: Vec<String> =
        walk::walk(root, excludes)?.entries.into_iter().map(|entry| entry.path).collect();
    if lost.iter().any(|lost| lost.anchor.language.is_none()) {
        paths.extend(walk::walk_plain(root, excludes)?);
    }
    paths.retain(|path| !seen.contains(path.as_str()));
    let sieve = Sieve::new(lost);
    let n_done = std::sync::atomic::AtomicUsize::new(0);
    let n_all = paths.len();
    let parsed: Vec<FileCode> = paths
        .par_iter()
        .filter_map(|path| {
            progress(n_done.fetch_add(1, std::sync::atomic::Ordering::Relaxed), n_all);
            // What cannot be read cannot be followed into; the anchor's own file was
            // read before, and failed there if it had to.
            let bytes =
                read::bytes(root, path).ok().filter(|bytes| read::skip_reason(bytes).is_none())?;
            let text = text::decode(&bytes).0;
            sieve.passes(path, &text).then(|| FileCode::new(path, &bytes))
        })
        .collect();
    known.extend(parsed);
    known.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(known)
}

/// Tells files that can hold nothing that was lost from their words alone.
struct Sieve<'a> {
    lost: Option<Vec<(&'a Lost<'a>, memmem::Finder<'a>)>>,
}

impl<'a> Sieve<'a> {
    fn new(lost: &'a [Lost<'a>]) -> Self {
        let finders = || lost.iter().map(|lost| (lost, memmem::Finder::new(lost.name))).collect();
        Self { lost: (lost.len() <= MAX_SIEVED).then(finders) }
    }

    /// Returns whether the file may hold code that is compared with what was lost (see [`pairs`]).
    fn passes(&self, path: &str, text: &str) -> bool {
        let Some(lost) = &self.lost else {
            return true;
        };
        let language = language::from_path(path);
        let mut kin = lost
            .iter()
            .filter(|(lost, _)| super::are_kin(lost.anchor.language, language))
            .peekable();
        if kin.peek().is_none() {
            return false;
        }
        let mut all_words: Option<Vec<u16>> = None;
        kin.any(|(lost, name)| {
            has_word(text.as_bytes(), name)
                || (lost.anchor.symbol.is_none() && split_path(path).1 == lost.name)
                || lost.has_names(n_shared(
                    &lost.anchor.fingerprint.names,
                    all_words.get_or_insert_with(|| word_hashes(text)),
                ))
        })
    }
}

/// Returns whether `text` has the word that `finder` looks for, and not only as a part of others.
fn has_word(text: &[u8], finder: &memmem::Finder<'_>) -> bool {
    let word = finder.needle();
    let joins = |inner: Option<&u8>, outer: Option<&u8>| {
        inner.is_some_and(|byte| is_word_byte(*byte))
            && outer.is_some_and(|byte| is_word_byte(*byte))
    };
    finder.find_iter(text).any(|at| {
        let before = at.checked_sub(1).and_then(|at| text.get(at));
        !joins(word.first(), before) && !joins(word.last(), text.get(at + word.len()))
    })
}

/// Returns how many of `sample` are in the ordered `names`.
fn n_shared(sample: &[u16], names: &[u16]) -> usize {
    sample.iter().filter(|name| names.binary_search(name).is_ok()).count()
}

/// Compares what was lost with all code that has its name, is in its file or has a
/// third of its identifiers. The pairs are ordered by file and place.
pub(crate) fn pairs(
    lost: &[Lost<'_>],
    files: &[FileCode],
    claimed: &FxHashSet<(usize, usize)>,
) -> Vec<Pair> {
    let index = Index::new(lost, files, claimed);
    files
        .par_iter()
        .enumerate()
        .flat_map_iter(|(n, file)| {
            let mut found = Vec::new();
            let mut counts = vec![0u8; lost.len()];
            for at in 0..file.candidates.len() {
                if !claimed.contains(&(n, at)) {
                    index.compare(n, at, &mut counts, &mut found);
                }
            }
            found
        })
        .collect()
}

/// What was lost by what code must have to be compared with it.
struct Index<'a> {
    lost: &'a [Lost<'a>],
    files: &'a [FileCode],
    by_name: FxHashMap<&'a str, Vec<usize>>,
    by_file: FxHashMap<&'a str, Vec<usize>>,
    by_identifier: FxHashMap<u16, Vec<usize>>,
    /// Whether the same code under the same name is somewhere: then only the same
    /// code is compared, which no look-alike could beat.
    has_same: Vec<bool>,
}

impl<'a> Index<'a> {
    fn new(
        lost: &'a [Lost<'a>],
        files: &'a [FileCode],
        claimed: &FxHashSet<(usize, usize)>,
    ) -> Self {
        let mut this = Self {
            lost,
            files,
            by_name: FxHashMap::default(),
            by_file: FxHashMap::default(),
            by_identifier: FxHashMap::default(),
            has_same: vec![false; lost.len()],
        };
        for (n, one) in lost.iter().enumerate() {
            this.by_name.entry(one.name).or_default().push(n);
            this.by_file.entry(&one.anchor.file).or_default().push(n);
            for name in &one.anchor.fingerprint.names {
                this.by_identifier.entry(*name).or_default().push(n);
            }
        }
        for (file_idx, file) in files.iter().enumerate() {
            for (at, candidate) in file.candidates.iter().enumerate() {
                let same = this.by_name.get(name_of(file, candidate).1).into_iter().flatten();
                let same = same.filter(|n| lost[**n].is_same(file, candidate));
                for &n in same.filter(|_| !claimed.contains(&(file_idx, at))) {
                    this.has_same[n] = true;
                }
            }
        }
        this
    }

    fn compare(&self, file_idx: usize, at: usize, counts: &mut [u8], found: &mut Vec<Pair>) {
        let file = &self.files[file_idx];
        let candidate = &file.candidates[at];
        let (_, name) = name_of(file, candidate);
        let mut near: Vec<usize> = Vec::new();
        near.extend(self.by_name.get(name).into_iter().flatten());
        near.extend(self.by_file.get(file.path.as_str()).into_iter().flatten());
        let mut touched: Vec<usize> = Vec::new();
        for identifier in &candidate.features.names {
            for &lost in self.by_identifier.get(identifier).into_iter().flatten() {
                touched.push(lost);
                counts[lost] += 1;
            }
        }
        for &lost in &touched {
            if self.lost[lost].has_names(usize::from(counts[lost])) {
                near.push(lost);
            }
        }
        for lost in touched {
            counts[lost] = 0;
        }
        near.sort_unstable();
        near.dedup();
        for n in near {
            let lost = &self.lost[n];
            let is_fit = if self.has_same[n] {
                lost.is_same(file, candidate)
            } else {
                lost.may_be(file, candidate)
            };
            if !is_fit {
                continue;
            }
            let evidence = self.evidence(n, file, candidate);
            let odds = evidence.log_odds();
            if odds >= LISTED_ODDS {
                found.push(Pair { lost: n, file: file_idx, at, evidence, odds });
            }
        }
    }

    fn evidence(&self, n: usize, file: &FileCode, candidate: &Candidate) -> Features {
        let lost = &self.lost[n];
        let (old, new) = (&lost.anchor.fingerprint, &candidate.features.fingerprint);
        let (container, name) = name_of(file, candidate);
        let group = &file.groups[candidate.group].names;
        let n_beside =
            group.iter().filter(|hash| minhash::bloom_contains(&old.beside, **hash)).count();
        let n_least = lost.n_beside.min(group.len() as f64);
        let likeness = minhash::jaccard(&old.sketch, &new.sketch);
        let n_between = old.between.iter().zip(candidate.between);
        let n_between = n_between.filter(|(a, b)| **a == *b && **a != NO_NEIGHBOUR).count();
        Features {
            is_same_code: old.name_independent_hash == new.name_independent_hash,
            jaccard: likeness,
            containment: minhash::containment(likeness, old.n_tokens, new.n_tokens),
            identifiers: share(&old.names, &candidate.features.names),
            is_same_signature: old.signature == new.signature,
            n_tokens: old.n_tokens,
            name: similarity::qualified_name_similarity(
                (lost.name, &[split_name(lost.container).1, home_of(&lost.anchor.file)]),
                (name, &[split_name(container).1, home_of(&file.path)]),
            ),
            // A file's folder counts with its path.
            has_container: candidate.symbol.is_some()
                && !(lost.container.is_empty() && container.is_empty()),
            container: similarity::container_similarity(
                (split_name(lost.container).1, lost.name),
                (split_name(container).1, name),
            ),
            path: similarity::path_similarity(&lost.anchor.file, &file.path),
            docs: share(&old.docs, &candidate.features.docs),
            // One more on both sides of the ratio's bottom: two of two say less than ten of ten.
            siblings: (n_beside as f64 / (n_least + 1.0)).min(1.0),
            adjacent: n_between as f64 / old.between.len() as f64,
            was_sibling: name != lost.name && minhash::bloom_contains(&old.beside, name_hash(name)),
        }
    }
}

fn share(sample: &[u16], all: &[u16]) -> f64 {
    n_shared(sample, all) as f64 / sample.len().max(1) as f64
}

/// Returns whether a symbol of one kind may have become one of another: functions
/// become methods, structs become enums, but no function becomes a class.
pub(crate) fn is_of_kind(old: SymbolKind, new: SymbolKind) -> bool {
    let family = |kind: SymbolKind| match kind {
        SymbolKind::Function | SymbolKind::Method => 0,
        SymbolKind::Constant | SymbolKind::Variable => 1,
        SymbolKind::Class
        | SymbolKind::Struct
        | SymbolKind::Interface
        | SymbolKind::Trait
        | SymbolKind::Enum
        | SymbolKind::Type => 2,
        SymbolKind::Macro => 3,
        SymbolKind::Module => 4,
        SymbolKind::File => 5,
    };
    family(old) == family(new)
}
