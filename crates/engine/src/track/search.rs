//! Searches the tree for code that is no longer at the location of its anchor.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use cerberus_model::{Anchor, SymbolKind, split_number, text};
use memchr::memmem;
use rayon::iter::{IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};
use rustc_hash::{FxHashMap, FxHashSet};

use super::file_symbols::{self, ALL, FileSymbol, FileSymbols, split_path};
use super::rare_features::{self, RareFeatures};
use super::weights::WEIGHTS;
use super::{InPlaceMatch, Tree};
use crate::rank::similarity::{self, Features, Names};
use crate::syntax::fingerprint::{NO_NEIGHBOUR, is_word_byte, name_hash, split_name, word_hashes};
use crate::syntax::{language, minhash};
use crate::tree::{read, walk};

/// Up to this many missing anchors, files are searched for their words before parsing. With more,
/// nearly every file contains the words of one.
const MAX_PREFILTERED: usize = 32;

/// Number of symbols of a file that are compared together.
const N_SYMBOLS: usize = 128;

/// An anchor whose code must be searched for.
#[derive(Debug)]
pub(super) struct MissingAnchor<'a> {
    pub(super) anchor: &'a Anchor,
    /// The index of the comparison of commits after which it is not certain.
    pub(super) lost_in: Option<usize>,
    /// The symbol with the location and name of the anchor, if its code is too different.
    pub(super) in_place: Option<InPlaceMatch>,
    /// The qualified name of the container and the name, or the folder and the name of the file.
    pub(super) container: &'a str,
    pub(super) name: &'a str,
    pub(super) names: Names,
    /// Number of the anchor's identifiers that code must contain to be compared.
    n_needed: usize,
    n_beside: f64,
}

impl<'a> MissingAnchor<'a> {
    pub(super) fn new(anchor: &'a Anchor) -> Self {
        let (container, name) = match &anchor.symbol {
            Some(symbol) => split_name(split_number(symbol).0),
            None => split_path(&anchor.file),
        };
        Self {
            anchor,
            lost_in: None,
            in_place: None,
            container,
            name,
            names: file_symbols::names((container, name), &anchor.file),
            n_needed: anchor.fingerprint.names.len().div_ceil(3),
            n_beside: minhash::bloom_len(&anchor.fingerprint.beside),
        }
    }

    /// Returns the last known code of an anchor that the history did not lead to HEAD.
    pub(super) fn after(
        last_known: &'a Anchor,
        lost_in: Option<usize>,
        in_place: Option<InPlaceMatch>,
    ) -> Self {
        Self {
            lost_in,
            in_place,
            ..Self::new(last_known)
        }
    }

    /// Returns whether the kind and the language of a symbol are compatible with the anchor, and it is
    /// not another definition of its name.
    pub(super) fn is_compatible(&self, file: &FileSymbols, symbol: &FileSymbol) -> bool {
        super::are_compatible(self.anchor.language, file.language)
            && is_same_family(self.anchor.kind, symbol.kind)
            && !super::is_other(self.anchor, symbol)
    }

    fn is_same_code(&self, file: &FileSymbols, symbol: &FileSymbol) -> bool {
        self.anchor.fingerprint.name_independent_hash
            == symbol.features.fingerprint.name_independent_hash
            && self.is_compatible(file, symbol)
    }

    /// Returns how many names in the container of a symbol were beside the anchor.
    fn n_beside_in(&self, file: &FileSymbols, symbol: &FileSymbol) -> usize {
        let is_beside =
            |name: &&u64| minhash::bloom_contains(&self.anchor.fingerprint.beside, **name);
        file.member_names[symbol.container_idx]
            .iter()
            .filter(is_beside)
            .count()
    }

    pub(super) fn shares_identifiers(&self, n_shared: usize) -> bool {
        self.n_needed > 0 && n_shared >= self.n_needed
    }
}

/// A missing anchor and code that may be its code.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    pub(super) missing_idx: usize,
    pub(super) file_idx: usize,
    pub(super) symbol_idx: usize,
    pub(super) evidence: Features,
    pub(super) odds: f64,
}

/// The missing anchors, and the files that may contain their code, sorted by path.
#[derive(Clone, Copy)]
pub(super) struct Candidates<'a> {
    pub(super) missing: &'a [MissingAnchor<'a>],
    pub(super) files: &'a [FileSymbols],
    /// The indices of the files and symbols that belong to other anchors.
    pub(super) claimed: &'a FxHashSet<(usize, usize)>,
}

impl<'a> Candidates<'a> {
    pub(super) fn old(&self, pair: &Pair) -> &'a MissingAnchor<'a> {
        &self.missing[pair.missing_idx]
    }

    pub(super) fn file(&self, pair: &Pair) -> &'a FileSymbols {
        &self.files[pair.file_idx]
    }

    pub(super) fn symbol(&self, pair: &Pair) -> &'a FileSymbol {
        &self.file(pair).symbols[pair.symbol_idx]
    }

    /// Returns the container and the name of the new code.
    pub(super) fn new_name(&self, pair: &Pair) -> (&'a str, &'a str) {
        self.file(pair).split_name(self.symbol(pair))
    }

    /// Returns the old and the new path.
    pub(super) fn paths(&self, pair: &Pair) -> (&'a str, &'a str) {
        (&self.old(pair).anchor.file, &self.file(pair).path)
    }
}

impl Pair {
    /// Returns the indices of the file and of the symbol in it.
    pub(super) fn symbol(&self) -> (usize, usize) {
        (self.file_idx, self.symbol_idx)
    }
}

/// Returns the files of the tree that may contain the code of `anchors`: those of supported
/// languages, and others only for anchors to other files.
pub(super) fn tree_paths<'a>(
    root: &Path,
    excludes: &[String],
    mut anchors: impl Iterator<Item = &'a Anchor>,
) -> Result<Vec<String>> {
    let entries = walk::walk(root, excludes)?.entries;
    let mut paths: Vec<String> = entries.into_iter().map(|entry| entry.path).collect();
    if anchors.any(|anchor| anchor.language.is_none()) {
        paths.extend(walk::walk_plain(root, excludes)?);
    }
    Ok(paths)
}

/// Returns the parsed files of the tree that may contain the code of missing anchors, sorted by
/// path. `parsed` are the files that are already parsed.
pub(super) fn read_tree(
    Tree {
        root,
        excludes,
        progress,
    }: Tree<'_>,
    missing: &[MissingAnchor<'_>],
    mut parsed: Vec<FileSymbols>,
) -> Result<Vec<FileSymbols>> {
    let mut paths = tree_paths(root, excludes, missing.iter().map(|missing| missing.anchor))?;
    let is_parsed: FxHashSet<&str> = parsed.iter().map(|file| file.path.as_str()).collect();
    paths.retain(|path| !is_parsed.contains(path.as_str()));
    let prefilter = Prefilter::new(missing);
    let n_done = AtomicUsize::new(0);
    let others: Vec<FileSymbols> = paths
        .par_iter()
        .filter_map(|path| {
            progress(n_done.fetch_add(1, Ordering::Relaxed), paths.len());
            // Unreadable files are skipped. Errors of the anchored files were reported before.
            let bytes = read::bytes(root, path).ok()?;
            if read::skip_reason(&bytes).is_some()
                || !prefilter.may_match(path, &text::decode(&bytes).0)
            {
                return None;
            }
            Some(FileSymbols::parse(path, &bytes, ALL))
        })
        .collect();
    parsed.extend(others);
    parsed.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(parsed)
}

/// Excludes files by their words, without parsing them.
pub(super) struct Prefilter<'a> {
    missing: Option<Vec<(&'a MissingAnchor<'a>, memmem::Finder<'a>)>>,
}

impl<'a> Prefilter<'a> {
    pub(super) fn new(missing: &'a [MissingAnchor<'a>]) -> Self {
        if missing.len() > MAX_PREFILTERED {
            return Self { missing: None };
        }
        let mut finders = Vec::with_capacity(missing.len());
        for missing in missing {
            finders.push((missing, memmem::Finder::new(missing.name)));
        }
        Self {
            missing: Some(finders),
        }
    }

    /// Returns whether [`pairs`] may compare code of the file with a missing anchor.
    pub(super) fn may_match(&self, path: &str, text: &str) -> bool {
        let Some(missing) = &self.missing else {
            return true;
        };
        let language = language::from_path(path);
        let mut all_words: Option<Vec<u16>> = None;
        for (missing, finder) in missing {
            let anchor = missing.anchor;
            if !super::are_compatible(anchor.language, language) {
                continue;
            }
            let is_same_file = anchor.symbol.is_none() && split_path(path).1 == missing.name;
            if is_same_file || contains_word(text.as_bytes(), finder) {
                return true;
            }
            let words = all_words.get_or_insert_with(|| word_hashes(text));
            if missing.shares_identifiers(n_shared(&anchor.fingerprint.names, words)) {
                return true;
            }
        }
        false
    }
}

/// Returns whether `text` contains the word of `finder` as a whole word.
fn contains_word(text: &[u8], finder: &memmem::Finder<'_>) -> bool {
    let word = finder.needle();
    finder.find_iter(text).any(|start| {
        let before = text[..start].last();
        let after = text.get(start + word.len());
        !are_joined(before, word.first()) && !are_joined(word.last(), after)
    })
}

/// Returns whether two adjacent bytes are of one word.
fn are_joined(a: Option<&u8>, b: Option<&u8>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => is_word_byte(*a) && is_word_byte(*b),
        _ => false,
    }
}

/// Returns how many of `sample` are in the sorted `names`.
fn n_shared(sample: &[u16], names: &[u16]) -> usize {
    sample
        .iter()
        .filter(|name| names.binary_search(name).is_ok())
        .count()
}

/// Compares each missing anchor with all code that has its name, is in its file or shares a third of
/// its identifiers. The pairs are sorted by file and symbol.
pub(super) fn pairs(candidates: Candidates<'_>) -> Vec<Pair> {
    let index = Index::new(candidates);
    let Candidates {
        missing,
        files,
        claimed,
    } = candidates;
    let mut parts: Vec<(usize, Range<usize>)> = Vec::new();
    for (file_idx, file) in files.iter().enumerate() {
        let n_symbols = file.symbols.len();
        for start in (0..n_symbols).step_by(N_SYMBOLS) {
            parts.push((file_idx, start..n_symbols.min(start + N_SYMBOLS)));
        }
    }
    parts
        .into_par_iter()
        .flat_map_iter(|(file_idx, symbols)| {
            let mut found = Vec::new();
            let mut counts = Counts {
                shared: vec![0; missing.len()],
                around: FxHashMap::default(),
            };
            for symbol_idx in symbols {
                if !claimed.contains(&(file_idx, symbol_idx)) {
                    index.compare(file_idx, symbol_idx, &mut counts, &mut found);
                }
            }
            found
        })
        .collect()
}

/// Returns the pairs of each anchor.
pub(super) fn by_anchor(n_missing: usize, pairs: &[Pair]) -> Vec<Vec<&Pair>> {
    let mut by_anchor = vec![Vec::new(); n_missing];
    for pair in pairs {
        by_anchor[pair.missing_idx].push(pair);
    }
    by_anchor
}

/// Lowers the odds of code that has little of the old code, unless its name speaks for it: a similar name, or the same one in a
/// file of the same name. Many classes have a method of the same name.
pub(super) fn doubt_unlike(candidates: Candidates<'_>, pairs: &mut [Pair]) {
    for pair in pairs {
        let (old_path, new_path) = candidates.paths(pair);
        let evidence = &pair.evidence;
        let name_speaks = if evidence.name >= 1.0 {
            split_path(old_path).1 == split_path(new_path).1
        } else {
            evidence.name >= WEIGHTS.similar_name
        };
        if evidence.jaccard < WEIGHTS.unlike && !evidence.is_same_code && !name_speaks {
            pair.odds += WEIGHTS.unlike_odds;
        }
    }
}

/// Counts for the comparisons of symbols of one file.
struct Counts {
    /// The number of identifiers that a symbol shares with each missing anchor, or zero.
    shared: Vec<u8>,
    /// What is around a missing anchor and around the symbols of a container, compared, by both indices.
    around: FxHashMap<(usize, usize), Around>,
}

/// What the symbols of one container have in common with an anchor.
#[derive(Clone, Copy)]
struct Around {
    /// The number of names in the container that were beside the anchor.
    n_beside: usize,
    /// The similarity of the paths.
    path: f64,
}

impl Around {
    fn new(missing: &MissingAnchor<'_>, file: &FileSymbols, symbol: &FileSymbol) -> Self {
        Self {
            n_beside: missing.n_beside_in(file, symbol),
            path: similarity::path_similarity(&missing.anchor.file, &file.path),
        }
    }
}

/// The missing anchors by the features that code must share to be compared with them.
struct Index<'a> {
    candidates: Candidates<'a>,
    by_name: FxHashMap<&'a str, Vec<usize>>,
    by_file: FxHashMap<&'a str, Vec<usize>>,
    by_identifier: FxHashMap<u16, Vec<usize>>,
    rare_features: RareFeatures,
    /// Whether the same code with the same name exists somewhere. If so, only the same code is
    /// compared, because no similar code could have better odds.
    has_same_code: Vec<bool>,
}

impl<'a> Index<'a> {
    fn new(candidates: Candidates<'a>) -> Self {
        let Candidates {
            missing,
            files,
            claimed,
        } = candidates;
        let mut this = Self {
            candidates,
            by_name: FxHashMap::default(),
            by_file: FxHashMap::default(),
            by_identifier: FxHashMap::default(),
            rare_features: RareFeatures::new(missing.iter().map(rare_features::of_anchor)),
            has_same_code: vec![false; missing.len()],
        };
        for (missing_idx, missing) in missing.iter().enumerate() {
            this.by_name
                .entry(missing.name)
                .or_default()
                .push(missing_idx);
            this.by_file
                .entry(&missing.anchor.file)
                .or_default()
                .push(missing_idx);
            for identifier in &missing.anchor.fingerprint.names {
                this.by_identifier
                    .entry(*identifier)
                    .or_default()
                    .push(missing_idx);
            }
        }
        for (file_idx, file) in files.iter().enumerate() {
            for (symbol_idx, symbol) in file.symbols.iter().enumerate() {
                let namesakes = this
                    .by_name
                    .get(file.split_name(symbol).1)
                    .into_iter()
                    .flatten();
                let same = namesakes.filter(|idx| missing[**idx].is_same_code(file, symbol));
                for &idx in same.filter(|_| !claimed.contains(&(file_idx, symbol_idx))) {
                    this.has_same_code[idx] = true;
                }
            }
        }
        this
    }

    /// Appends the pairs of one symbol.
    fn compare(
        &self,
        file_idx: usize,
        symbol_idx: usize,
        Counts { shared, around }: &mut Counts,
        found: &mut Vec<Pair>,
    ) {
        let Candidates { missing, files, .. } = self.candidates;
        let file = &files[file_idx];
        let symbol = &file.symbols[symbol_idx];
        let (_, name) = file.split_name(symbol);
        let namesakes: &[usize] = match self.by_name.get(name) {
            Some(namesakes) => namesakes,
            None => &[],
        };
        let mut related = namesakes.to_vec();
        related.extend(self.by_file.get(file.path.as_str()).into_iter().flatten());
        let mut counted: Vec<usize> = Vec::new();
        for identifier in &symbol.features.names {
            for &missing_idx in self.by_identifier.get(identifier).into_iter().flatten() {
                counted.push(missing_idx);
                shared[missing_idx] += 1;
            }
        }
        let shares_identifiers =
            |idx: &usize| missing[*idx].shares_identifiers(usize::from(shared[*idx]));
        related.extend(counted.iter().copied().filter(shares_identifiers));
        for missing_idx in counted {
            shared[missing_idx] = 0;
        }
        related.sort_unstable();
        related.dedup();
        if related.len() > rare_features::MAX_COMPARED {
            let features = rare_features::of_symbol(file, symbol);
            related = self.rare_features.nearest(&features, &related);
            if namesakes.len() <= rare_features::MAX_COMPARED {
                related.extend(namesakes);
            }
            related.sort_unstable();
            related.dedup();
        }
        for missing_idx in related {
            let missing = &missing[missing_idx];
            let is_comparable = if self.has_same_code[missing_idx] {
                missing.is_same_code(file, symbol)
            } else {
                missing.is_compatible(file, symbol)
            };
            if !is_comparable {
                continue;
            }
            let around = around
                .entry((missing_idx, symbol.container_idx))
                .or_insert_with(|| Around::new(missing, file, symbol));
            let evidence = evidence_with(missing, (file, symbol), *around);
            let odds = evidence.log_odds();
            if odds >= WEIGHTS.listed_odds {
                found.push(Pair {
                    missing_idx,
                    file_idx,
                    symbol_idx,
                    evidence,
                    odds,
                });
            }
        }
    }
}

pub(super) fn evidence(
    missing: &MissingAnchor<'_>,
    file: &FileSymbols,
    symbol: &FileSymbol,
) -> Features {
    evidence_with(missing, (file, symbol), Around::new(missing, file, symbol))
}

/// Compares a missing anchor with a symbol.
fn evidence_with(
    missing: &MissingAnchor<'_>,
    (file, symbol): (&FileSymbols, &FileSymbol),
    around: Around,
) -> Features {
    let names = file.names(symbol);
    let (old, new) = (&missing.anchor.fingerprint, &symbol.features.fingerprint);
    let (container, name) = file.split_name(symbol);
    let n_least = missing
        .n_beside
        .min(file.member_names[symbol.container_idx].len() as f64);
    let likeness = minhash::jaccard(&old.sketch, &new.sketch);
    let n_between = old.between.iter().zip(symbol.between);
    let n_between = n_between
        .filter(|(a, b)| **a == *b && **a != NO_NEIGHBOUR)
        .count();
    Features {
        is_same_code: old.name_independent_hash == new.name_independent_hash,
        jaccard: likeness,
        containment: minhash::containment(likeness, old.n_tokens, new.n_tokens),
        identifiers: share(&old.names, &symbol.features.names),
        is_same_signature: old.signature == new.signature,
        n_tokens: old.n_tokens,
        name: missing.names.similarity(names),
        // The folder of a file is part of its path, not a container.
        has_container: symbol.name.is_some()
            && !(missing.container.is_empty() && container.is_empty()),
        container: missing.names.container_similarity(names),
        path: around.path,
        docs: share(&old.docs, &symbol.features.docs),
        // Plus one in the denominator: two of two is weaker evidence than ten of ten.
        siblings: (around.n_beside as f64 / (n_least + 1.0)).min(1.0),
        adjacent: n_between as f64 / old.between.len() as f64,
        was_sibling: name != missing.name && minhash::bloom_contains(&old.beside, name_hash(name)),
    }
}

pub(super) fn share(sample: &[u16], all: &[u16]) -> f64 {
    n_shared(sample, all) as f64 / sample.len().max(1) as f64
}

/// Returns whether a symbol of one kind may become one of another: a function a method, a struct an
/// enum, but not a function a class.
pub(super) fn is_same_family(old: SymbolKind, new: SymbolKind) -> bool {
    family(old) == family(new)
}

fn family(kind: SymbolKind) -> u8 {
    match kind {
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
    }
}
