//! Follows anchors through what happened to their code.
//!
//! An anchor that is where it was is verified from its own file alone. Only for
//! those that are not is the tree searched; what is found is scored by
//! [`crate::engine::rank::similarity`] and given out one to one, never by a guess between
//! equals. Knows the anchors and the tree; only for what those leave lost is git asked
//! (see [`history`]). Needs no store and writes nothing. The same anchors and tree give
//! the same answer, whatever the order.

use std::path::Path;

use anyhow::Result;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::{Anchor, Fingerprint, Language, State, SymbolKind};
use crate::syntax::fingerprint::{bytes_hash, name_hash, short_hash, split_name};
use crate::syntax::minhash;
use crate::timings;
use crate::tree::read;

mod assign;
mod file_symbols;
mod history;
mod locate;
mod moved_files;
mod outcome;
mod rename_patterns;
mod search;

pub(crate) use locate::{Located, locate, locate_in};

use file_symbols::{Candidate, FileCode};
use history::History;
use search::{Lost, Pair};

/// Somewhere in the tree.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    pub(crate) file: String,
    /// The qualified symbol, or none for the whole file.
    pub(crate) symbol: Option<String>,
    pub(crate) kind: SymbolKind,
    pub(crate) language: Option<Language>,
    /// The first and the last. Not known of code that is fresh, whose file need not be parsed.
    pub(crate) lines: Option<(u32, u32)>,
    /// How alike the code is to the anchored one, 0 to 1.
    pub(crate) similarity: f64,
}

/// What became of an anchor.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Followed {
    pub(crate) state: State,
    /// Whether the code was changed beyond its layout and its own name.
    pub(crate) edited: bool,
    pub(crate) new: Option<Place>,
    pub(crate) similarity: f64,
    /// For an ambiguous anchor its equals, for one that is gone what is most like it.
    pub(crate) candidates: Vec<Place>,
    /// The fingerprint of the new place.
    pub(crate) fingerprint: Option<Fingerprint>,
    /// What was compared and what decided, in one sentence.
    pub(crate) reason: String,
}

/// Under this likeness what has an anchor's name may be something else: at half the code
/// and more it is the same function edited, and a sketch's estimate is off by 0.06.
const TAKEN_OVER: f64 = 0.4;

/// Shorter bodies are too easily rewritten, or found elsewhere, to tell that.
const TELLING_TOKENS: u32 = 20;

/// How alike the code must be that a forwarder under the old name leads to.
const FORWARDED: f64 = 0.5;

/// Returns what became of each of `anchors`, in their order. `progress` hears how
/// many files of how many were looked at, from any thread.
pub(crate) fn follow(
    root: &Path,
    excludes: &[String],
    anchors: &[Anchor],
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Vec<Followed>> {
    let _step = timings::step("follow the anchors");
    let moved = moved_files::moved_files(root, excludes, anchors)?;
    let placed: Vec<Anchor> =
        anchors.iter().map(|anchor| moved_files::placed(anchor, &moved)).collect();
    let followed = follow_each(root, excludes, &placed, progress)?;
    Ok(moved_files::told(root, anchors, &placed, followed))
}

/// Follows anchors whose files are where they say, or are no more in one piece.
fn follow_each(
    root: &Path,
    excludes: &[String],
    anchors: &[Anchor],
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Vec<Followed>> {
    let mut paths: Vec<&str> = anchors.iter().map(|anchor| anchor.file.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    if let Some(held) = all_held(root, &paths, anchors) {
        return Ok(held);
    }
    // A file that is gone or cannot be read holds no anchor.
    let own_files: Vec<FileCode> =
        paths.par_iter().filter_map(|path| FileCode::read(root, path).ok()).collect();
    let homes: Vec<Option<Home>> = anchors.iter().map(|anchor| home(anchor, &own_files)).collect();

    let is_wanted = |n: &usize| homes[*n].is_none_or(|home| home.is_doubtful(&anchors[*n]));
    let mut wanted: Vec<usize> = (0..anchors.len()).filter(is_wanted).collect();
    wanted.sort_by(|&a, &b| identity(&anchors[a]).cmp(&identity(&anchors[b])));
    let groups: Vec<&[usize]> =
        wanted.chunk_by(|&a, &b| identity(&anchors[a]) == identity(&anchors[b])).collect();
    let lost: Vec<Lost<'_>> = groups.iter().map(|group| Lost::new(&anchors[group[0]])).collect();

    let files = search::read_tree(root, excludes, &lost, own_files, progress)?;
    let find = |path: &str| files.binary_search_by(|file| file.path.as_str().cmp(path)).ok();
    let rehomed = |n: usize| Some(Home { file: find(&anchors[n].file)?, ..homes[n]? });
    let homes: Vec<Option<Home>> = (0..anchors.len()).map(rehomed).collect();
    let is_claimed = |n: &usize| homes[*n].is_some_and(|home| !home.is_doubtful(&anchors[*n]));
    let claimed: FxHashSet<(usize, usize)> = (0..anchors.len())
        .filter(is_claimed)
        .filter_map(|n| homes[n])
        .map(|home| (home.file, home.at))
        .collect();

    let mut pairs = search::pairs(&lost, &files, &claimed);
    pairs
        .retain(|pair| homes[groups[pair.lost][0]].is_none_or(|home| home.gives_way(&files, pair)));
    rename_patterns::raise(&lost, &files, &mut pairs);
    let mut outcomes = assign::assign(lost.len(), &pairs);
    let history = History::of(root, &lost, &outcomes);
    history.settle(&lost, &files, &mut pairs, &mut outcomes);

    let mut followed: Vec<Option<Followed>> = vec![None; anchors.len()];
    for (n, group) in groups.iter().enumerate() {
        let home = homes[group[0]].filter(|_| !matches!(outcomes[n], assign::Outcome::Found(_)));
        let one = match home {
            Some(home) => outcome::held(lost[n].anchor, &files, home),
            None => outcome::searched(&lost[n], n, &files, &pairs, &outcomes[n], &history),
        };
        for &anchor in *group {
            followed[anchor] = Some(one.clone());
        }
    }
    let all = followed
        .into_iter()
        .enumerate()
        .filter_map(|(n, one)| one.or_else(|| Some(outcome::held(&anchors[n], &files, homes[n]?))));
    Ok(all.collect())
}

/// Returns what became of an anchor if it is where it was, with its lines, from its own
/// file alone.
pub(crate) fn held(root: &Path, anchor: &Anchor) -> Option<Followed> {
    held_in(root, &anchor.file, &[anchor]).pop().flatten()
}

/// As [`held`], for anchors of one file, which is parsed once.
pub(crate) fn held_in(root: &Path, file: &str, anchors: &[&Anchor]) -> Vec<Option<Followed>> {
    let is_wanted =
        |symbol: Option<&str>| anchors.iter().any(|it| same_name(it.symbol.as_deref(), symbol));
    let files = Vec::from_iter(FileCode::read_only(root, file, Some(&is_wanted)));
    let held = |anchor: &&Anchor| {
        let home = home(anchor, &files).filter(|home| !home.is_doubtful(anchor))?;
        let new = Some(files[home.file].place(home.at, home.similarity));
        Some(Followed { new, ..outcome::held(anchor, &files, home) })
    };
    anchors.iter().map(held).collect()
}

/// Returns what became of the anchors if each is where it was, from the anchored
/// symbols alone. A file that is as it was when they were recorded is not even parsed.
fn all_held(root: &Path, paths: &[&str], anchors: &[Anchor]) -> Option<Vec<Followed>> {
    let mut by_file: FxHashMap<&str, Vec<&Anchor>> = FxHashMap::default();
    for anchor in anchors {
        by_file.entry(&anchor.file).or_default().push(anchor);
    }
    let read = |path: &&str| {
        let bytes = read::bytes(root, path).ok()?;
        let hash = bytes_hash(&bytes);
        let changed: Vec<Option<&str>> = by_file[path]
            .iter()
            .filter(|anchor| anchor.fingerprint.file != hash)
            .map(|anchor| anchor.symbol.as_deref())
            .collect();
        if changed.is_empty() {
            return Some(None);
        }
        let is_wanted = |symbol: Option<&str>| changed.iter().any(|it| same_name(*it, symbol));
        Some(Some((hash, FileCode::only(path, &bytes, Some(&is_wanted)))))
    };
    let read: Vec<Option<(u32, FileCode)>> = paths.par_iter().map(read).collect::<Option<_>>()?;
    let (hashes, files): (Vec<u32>, Vec<FileCode>) = read.into_iter().flatten().unzip();
    let held = |anchor: &Anchor| {
        let file = files.binary_search_by(|file| file.path.as_str().cmp(&anchor.file)).ok();
        if file.is_none_or(|file| hashes[file] == anchor.fingerprint.file) {
            return Some(outcome::fresh(anchor));
        }
        let home = home(anchor, &files).filter(|home| !home.is_doubtful(anchor))?;
        Some(outcome::held(anchor, &files, home))
    };
    anchors.iter().map(held).collect()
}

/// What makes two anchors one: they are on the same code at the same place.
fn identity(anchor: &Anchor) -> (&str, Option<&str>, u64, u32, u32) {
    let fingerprint = &anchor.fingerprint;
    let Fingerprint { name_independent_hash, bytes, signature, .. } = *fingerprint;
    (&anchor.file, anchor.symbol.as_deref(), name_independent_hash, bytes, signature)
}

/// The symbol that has an anchor's place and name.
#[derive(Debug, Clone, Copy)]
struct Home {
    file: usize,
    at: usize,
    similarity: f64,
}

impl Home {
    /// Returns whether the anchored code may have left its name to something else: to
    /// another body, or to one that forwards to it.
    fn is_doubtful(self, anchor: &Anchor) -> bool {
        self.similarity < TAKEN_OVER && anchor.fingerprint.n_tokens >= TELLING_TOKENS
    }

    /// Returns whether the anchor leaves a doubtful home for a candidate: for the
    /// same code, or for like code that the home itself names, as the wrapper does
    /// that is left behind for those who still use the old name.
    fn gives_way(self, files: &[FileCode], pair: &Pair) -> bool {
        let candidate = &files[pair.file].candidates[pair.at];
        let home = &files[self.file].candidates[self.at];
        let symbol = candidate.symbol.as_deref().unwrap_or_default();
        let forwards =
            home.features.names.binary_search(&short_hash(name_hash(split_name(symbol).1))).is_ok();
        pair.evidence.is_same_code || (forwards && pair.evidence.jaccard >= FORWARDED)
    }
}

/// Returns what has the anchor's place and name; of several, as overloads and
/// accessors are, the most alike.
fn home(anchor: &Anchor, files: &[FileCode]) -> Option<Home> {
    let file = files.binary_search_by(|file| file.path.as_str().cmp(&anchor.file)).ok()?;
    if !are_kin(anchor.language, files[file].language) {
        return None;
    }
    let is_named = |it: &Candidate| same_name(it.symbol.as_deref(), anchor.symbol.as_deref());
    let candidates = files[file].candidates.iter().enumerate();
    let homes = candidates
        .filter(|(_, it)| is_named(it) && search::is_of_kind(anchor.kind, it.kind))
        .map(|(at, it)| {
            let is_same = anchor.fingerprint.bytes == it.features.fingerprint.bytes;
            (
                is_same,
                Home {
                    file,
                    at,
                    similarity: similarity(&anchor.fingerprint, &it.features.fingerprint),
                },
            )
        });
    let best = homes.reduce(|best, next| {
        let order = next.1.similarity.total_cmp(&best.1.similarity).then(next.0.cmp(&best.0));
        if order.is_gt() { next } else { best }
    });
    best.map(|(_, home)| home)
}

/// Returns whether two names are one: Rust writes a name `r#gen` once it is a keyword.
fn same_name(a: Option<&str>, b: Option<&str>) -> bool {
    let parts = |name: Option<&str>| -> Vec<String> {
        let parts = name.unwrap_or_default().split('.');
        parts.map(|part| part.strip_prefix("r#").unwrap_or(part).to_owned()).collect()
    };
    a == b || (a.is_some() && b.is_some() && parts(a) == parts(b))
}

/// Returns how alike two codes are; 1 is kept for equal ones.
fn similarity(old: &Fingerprint, new: &Fingerprint) -> f64 {
    if old.name_independent_hash == new.name_independent_hash {
        1.0
    } else {
        minhash::jaccard(&old.sketch, &new.sketch).min(0.99)
    }
}

/// Returns whether code of one language may stand for code of another.
fn are_kin(a: Option<Language>, b: Option<Language>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.is_kin(b),
        (None, None) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
