//! Follows anchors through what happened to their code.

use std::path::Path;

use anyhow::Result;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::{Anchor, Fingerprint, Language, State, SymbolKind};
use crate::syntax::fingerprint::split_name;
use crate::syntax::sketch;

mod assign;
mod code;
mod locate;
mod search;

pub(crate) use locate::{Located, locate};

use assign::Outcome;
use code::FileCode;
use search::{Lost, Pair};

/// Somewhere in the tree.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    pub(crate) file: String,
    pub(crate) symbol: Option<String>,
    pub(crate) kind: SymbolKind,
    pub(crate) language: Option<Language>,
    pub(crate) first_line: u32,
    pub(crate) last_line: u32,
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
    /// For an ambiguous anchor its equals, for a lost one what is most like it.
    pub(crate) candidates: Vec<Place>,
    /// The fingerprint of the new place.
    pub(crate) fingerprint: Option<Fingerprint>,
    pub(crate) reason: String,
}

/// How many look-alikes are listed.
const MAX_LISTED: usize = 5;

/// Returns what became of each of `anchors`, in their order.
pub(crate) fn follow(
    root: &Path,
    excludes: &[String],
    anchors: &[Anchor],
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Vec<Followed>> {
    let mut own_paths: Vec<&str> = anchors.iter().map(|anchor| anchor.file.as_str()).collect();
    own_paths.sort_unstable();
    own_paths.dedup();
    let own_files: Vec<FileCode> = own_paths.par_iter().filter_map(|path| FileCode::read(root, path).ok()).collect();
    let at_home: Vec<Option<Home>> = anchors.iter().map(|anchor| home(anchor, &own_files)).collect();

    let mut wanted: Vec<usize> = (0..anchors.len())
        .filter(|&n| at_home[n].is_none_or(|home| home.similarity < TAKEN_OVER && anchors[n].fingerprint.n_tokens >= TELLING))
        .collect();
    if wanted.is_empty() {
        return Ok(anchors
            .iter()
            .zip(&at_home)
            .filter_map(|(anchor, home)| Some(held(anchor, &own_files, (*home)?)))
            .collect());
    }
    wanted.sort_by(|&a, &b| identity(&anchors[a]).cmp(&identity(&anchors[b])));
    let groups: Vec<&[usize]> = wanted.chunk_by(|&a, &b| identity(&anchors[a]) == identity(&anchors[b])).collect();
    let lost: Vec<Lost<'_>> = groups.iter().map(|group| Lost::new(&anchors[group[0]])).collect();
    let home_of = |group: &[usize]| at_home[group[0]];
    let homes: Vec<Option<(String, usize, f64)>> = groups
        .iter()
        .map(|group| home_of(group).map(|home| (own_files[home.file].path.clone(), home.at, home.similarity)))
        .collect();
    let taken: Vec<(String, usize)> = (0..anchors.len())
        .filter(|n| !wanted.contains(n))
        .filter_map(|n| at_home[n].map(|home| (own_files[home.file].path.clone(), home.at)))
        .collect();
    let files = search::read_tree(root, excludes, &lost, own_files, progress)?;
    let find = |path: &str| files.binary_search_by(|file| file.path.as_str().cmp(path)).ok();
    let claimed: FxHashSet<(usize, usize)> = taken.iter().filter_map(|(path, at)| Some((find(path)?, *at))).collect();
    let mut pairs = search::pairs(&lost, &files, &claimed);
    // Code of another shape under the old name gives way only to the same code elsewhere.
    pairs.retain(|pair| homes[pair.lost].is_none() || (pair.evidence.masked || pair.evidence.likeness >= SAME_CODE) );
    let outcomes = assign::assign(lost.len(), &pairs);

    let mut followed: Vec<Option<Followed>> = vec![None; anchors.len()];
    for (n, (group, outcome)) in groups.iter().zip(outcomes).enumerate() {
        let stays = homes[n].as_ref().filter(|_| !matches!(outcome, Outcome::Found(_)));
        let one = match stays {
            Some((path, at, similarity)) => {
                let file = find(path).unwrap_or_default();
                held(lost[n].anchor, &files, Home { file, at: *at, similarity: *similarity })
            }
            None => verdict(&lost[n], &files, &pairs, n, &outcome),
        };
        for &anchor in *group {
            followed[anchor] = Some(one.clone());
        }
    }
    let rest = followed.iter_mut().enumerate().filter(|(_, followed)| followed.is_none());
    for (n, followed) in rest {
        let home = at_home[n].and_then(|home| Some((own_paths_of(&anchors[n], &find)?, home)));
        *followed = home.map(|(file, home)| held(&anchors[n], &files, Home { file, ..home }));
    }
    Ok(followed.into_iter().flatten().collect())
}

const TAKEN_OVER: f64 = 0.2;
const TELLING: u32 = 30;
const SAME_CODE: f64 = 0.7;

fn own_paths_of(anchor: &Anchor, find: &impl Fn(&str) -> Option<usize>) -> Option<usize> {
    find(&anchor.file)
}

/// What makes two anchors one: they are on the same code at the same place.
fn identity(anchor: &Anchor) -> (&str, Option<&str>, u64, u64) {
    let fingerprint = &anchor.fingerprint;
    (&anchor.file, anchor.symbol.as_deref(), fingerprint.body, fingerprint.bytes)
}

/// The symbol that is where an anchor was.
#[derive(Debug, Clone, Copy)]
struct Home {
    file: usize,
    at: usize,
    similarity: f64,
}

fn home(anchor: &Anchor, files: &[FileCode]) -> Option<Home> {
    let file = files.binary_search_by(|file| file.path.as_str().cmp(&anchor.file)).ok()?;
    let code = &files[file];
    if !are_kin(anchor.language, code.language) {
        return None;
    }
    let mut best: Option<(u8, Home)> = None;
    for (at, candidate) in code.candidates.iter().enumerate() {
        if candidate.symbol != anchor.symbol {
            continue;
        }
        let (old, new) = (&anchor.fingerprint, &candidate.print.kept);
        let similarity = similarity(old, new);
        let rank = if old.bytes == new.bytes && old.body == new.body { 3 } else { u8::from(old.body == new.body) * 2 };
        let is_better = best.is_none_or(|(most, home)| {
            rank.cmp(&most).then(similarity.total_cmp(&home.similarity)).is_gt()
        });
        if is_better {
            best = Some((rank, Home { file, at, similarity }));
        }
    }
    best.map(|(_, home)| home)
}

fn similarity(old: &Fingerprint, new: &Fingerprint) -> f64 {
    if old.masked == new.masked { 1.0 } else { body_likeness(old, new).min(0.99) }
}

pub(crate) fn body_likeness(old: &Fingerprint, new: &Fingerprint) -> f64 {
    sketch::likeness(&old.sketch, &new.sketch)
}

/// Returns what became of an anchor whose place still is.
fn held(anchor: &Anchor, files: &[FileCode], home: Home) -> Followed {
    let file = &files[home.file];
    let new = &file.candidates[home.at].print.kept;
    let (old, similarity) = (&anchor.fingerprint, home.similarity);
    let state = match (old.body == new.body, old.bytes == new.bytes) {
        (true, true) => State::Fresh,
        (true, false) => State::Reformatted,
        (false, _) => State::Edited,
    };
    Followed {
        state,
        edited: state == State::Edited,
        new: Some(file.place(home.at, similarity)),
        similarity,
        candidates: Vec::new(),
        fingerprint: Some(file.fingerprint(home.at)),
        reason: String::new(),
    }
}

fn verdict(lost: &Lost<'_>, files: &[FileCode], pairs: &[Pair], n: usize, outcome: &Outcome) -> Followed {
    let place = |pair: &Pair| files[pair.file].place(pair.at, pair_similarity(pair));
    match outcome {
        Outcome::Found(at) => {
            let pair = &pairs[*at];
            let new = place(pair);
            let old = lost.anchor;
            let (new_container, new_name) = match &new.symbol { Some(symbol) => split_name(symbol), None => search::split_path(&new.file) };
            let renamed = new_name != lost.name;
            let _ = (old, new_container);
            let edited = !pair.evidence.masked;
            Followed {
                state: if renamed { State::Renamed } else { State::Moved },
                edited,
                similarity: new.similarity,
                new: Some(new),
                candidates: Vec::new(),
                fingerprint: Some(files[pair.file].fingerprint(pair.at)),
                reason: String::new(),
            }
        }
        Outcome::Ambiguous(equals) => Followed {
            state: State::Ambiguous,
            edited: false,
            new: None,
            similarity: 0.0,
            candidates: equals.iter().map(|at| place(&pairs[*at])).collect(),
            fingerprint: None,
            reason: String::new(),
        },
        Outcome::Gone => {
            let mut near: Vec<&Pair> = pairs.iter().filter(|pair| pair.lost == n).collect();
            near.sort_by(|a, b| b.odds.total_cmp(&a.odds).then((a.file, a.at).cmp(&(b.file, b.at))));
            Followed {
                state: State::Gone,
                edited: false,
                new: None,
                similarity: 0.0,
                candidates: near.into_iter().take(MAX_LISTED).map(place).collect(),
                fingerprint: None,
                reason: String::new(),
            }
        }
    }
}

fn pair_similarity(pair: &Pair) -> f64 {
    if pair.evidence.masked { 1.0 } else { pair.evidence.likeness.min(0.99) }
}

/// Returns whether code of one language may stand for code of another.
fn are_kin(a: Option<Language>, b: Option<Language>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.is_kin(b),
        (None, None) => true,
        _ => false,
    }
}

/// Scratch: all evidence, for fitting.
pub(crate) fn dump(root: &Path, anchors: &[Anchor]) -> Result<Vec<(usize, String, String, Pair)>> {
    let mut own_paths: Vec<&str> = anchors.iter().map(|anchor| anchor.file.as_str()).collect();
    own_paths.sort_unstable();
    own_paths.dedup();
    let own_files: Vec<FileCode> = own_paths.par_iter().filter_map(|path| FileCode::read(root, path).ok()).collect();
    let at_home: Vec<Option<Home>> = anchors.iter().map(|anchor| home(anchor, &own_files)).collect();
    let idx: Vec<usize> = (0..anchors.len()).filter(|&n| at_home[n].is_none()).collect();
    let lost: Vec<Lost<'_>> = idx.iter().map(|&n| Lost::new(&anchors[n])).collect();
    let files = search::read_tree(root, &[], &lost, own_files, &|_, _| ())?;
    let pairs = search::pairs(&lost, &files, &FxHashSet::default());
    Ok(pairs.into_iter().map(|pair| (idx[pair.lost], files[pair.file].path.clone(), files[pair.file].candidates[pair.at].symbol.clone().unwrap_or_default(), pair)).collect())
}

#[allow(unused)]
type Unused = FxHashMap<u8, u8>;
