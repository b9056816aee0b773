//! Tracks anchors through changes of their code.
//!
//! An anchor whose code is still in place is verified with its own file alone. Only for the others
//! is the tree searched. The features of [`crate::rank::similarity`] give each possible
//! symbol its odds, and the symbols are assigned one to one; equal odds are reported as ambiguous.
//! Git is asked only for anchors that this does not resolve (see [`history`]). Needs no store and
//! writes nothing. The same anchors and tree give the same outcomes in any order.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::path::Path;

use anyhow::Result;
use cerberus_model::{Anchor, Fingerprint, Language, LookAlikes, State, SymbolKind, split_number};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use super::Progress;
use crate::syntax::fingerprint::bytes_hash;
use crate::track::arrival::{Arrival, Arrivals};
use crate::track::assign::Assignment;
use crate::track::file_symbols::{ALL, FileSymbols, Filter, find_file};
use crate::track::in_place::{in_place_match, plain_name, same_name, similarity};
use crate::track::search::{Candidates, MissingAnchor, Pair};
use crate::tree::git::Commits;
use crate::tree::{git, read};

mod arrival;
mod assign;
mod degree;
mod file_symbols;
mod history;
mod in_place;
mod line_diff;
mod locate;
mod look_alikes;
mod lost_words;
mod moved_files;
mod outcome;
mod rare_features;
mod rename_patterns;
mod search;
mod single;
mod stayed;
mod together;
mod veto;
mod walk;
mod weights;

pub use degree::Degree;
use history::History;
use in_place::{InPlaceMatch, is_other, same_code_under_name};
pub use locate::{Located, Version, limit_warnings, locate, locate_all};
pub use look_alikes::remember as remember_look_alikes;
pub use lost_words::LostWords;
pub use single::{follow_through, is_same_lineage};
use walk::{End, Past, Walk};

/// A symbol or a file in the tree, and its similarity to the anchored code.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundSymbol {
    pub file: String,
    /// The qualified name, with its number if its file has several of that name, or `None` for the
    /// whole file.
    pub symbol: Option<String>,
    pub kind: SymbolKind,
    pub language: Option<Language>,
    /// The first and the last line. `None` for fresh code, whose file is not parsed.
    pub lines: Option<(u32, u32)>,
    /// From 0 to 1.
    pub similarity: f64,
}

/// A commit on the way of anchored code from its old to its new location.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    pub commit: String,
    /// The location after the commit.
    pub file: String,
    pub symbol: Option<String>,
    /// The effect of the commit.
    pub reason: String,
}

/// The result of tracking an anchor.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    pub state: State,
    /// Whether more changed than the layout and the name of the code.
    pub edited: bool,
    /// How much of edited code changed.
    pub degree: Option<Degree>,
    pub new: Option<FoundSymbol>,
    pub similarity: f64,
    /// The equally likely symbols of an ambiguous anchor, the most similar symbols of a gone one.
    pub candidates: Vec<FoundSymbol>,
    /// The fingerprint of the new symbol.
    pub fingerprint: Option<Fingerprint>,
    /// The look-alikes of the new symbol, if the tree was searched and the anchor has some.
    pub look_alikes: Option<LookAlikes>,
    /// One sentence that explains the state.
    pub reason: String,
    /// The commits that changed the code, oldest first, if git was asked.
    pub steps: Vec<Step>,
}

impl Outcome {
    fn new(state: State, reason: String) -> Self {
        Self {
            state,
            reason,
            ..Self::default()
        }
    }
}

/// The symbol that has the location and name of an anchor.
#[derive(Debug, Clone)]
pub struct InPlaceSymbol {
    pub state: State,
    /// How much of edited code changed.
    pub degree: Option<Degree>,
    pub language: Option<Language>,
    /// The first and the last line.
    pub lines: (u32, u32),
    /// Whether the code is so different that it may be another symbol with the same name.
    pub is_ambiguous: bool,
}

/// Shorter bodies are too easily rewritten or similar to others to decide that.
const MIN_TOKENS: u32 = 20;

/// Returns the outcome of each of `anchors`, in order. `progress` is called with the number of
/// searched files and of all files, from any thread.
pub fn follow(
    root: &Path,
    excludes: &[String],
    anchors: &[Anchor],
    progress: Progress<'_>,
) -> Result<Vec<Outcome>> {
    let tree = Tree {
        root,
        excludes,
        progress,
    };
    let anchors = &with_commits(root, anchors);
    let moved = moved_files::find(root, excludes, anchors)?;
    let applied = moved_files::apply_moves(anchors, &moved);
    let outcomes = follow_each(tree, &applied, &moved)?;
    Ok(moved_files::restore_paths(
        root, anchors, &applied, outcomes,
    ))
}

/// Returns the anchors with the commits from which their code is followed. One that was recorded before
/// the first commit is in it.
fn with_commits(root: &Path, anchors: &[Anchor]) -> Vec<Anchor> {
    let mut anchors = anchors.to_vec();
    if anchors.iter().all(|anchor| anchor.commit.is_some()) {
        return anchors;
    }
    let first = git::first_commit(root);
    for anchor in anchors.iter_mut().filter(|anchor| anchor.commit.is_none()) {
        anchor.commit.clone_from(&first);
    }
    anchors
}

/// The tree in which anchors are tracked.
#[derive(Clone, Copy)]
struct Tree<'t> {
    root: &'t Path,
    excludes: &'t [String],
    progress: Progress<'t>,
}

/// All anchors on the same code at the same location. They have the same outcome.
struct TrackedAnchor<'a> {
    anchor: &'a Anchor,
    /// The indices of these anchors.
    anchor_idxs: &'a [usize],
    state: TrackingState,
}

enum TrackingState {
    InPlace(InPlaceMatch),
    /// The code is not in place. A symbol with the location and name may be, with too different code.
    Missing(Option<InPlaceMatch>),
    /// Git shows how the code got where it is at HEAD.
    Arrived(Arrival),
    /// The code was searched for.
    Searched(Outcome),
}

impl<'a> TrackedAnchor<'a> {
    fn new(anchor: &'a Anchor, anchor_idxs: &'a [usize], own_files: &[FileSymbols]) -> Self {
        let own_file = find_file(own_files, &anchor.file).map(|file_idx| &own_files[file_idx]);
        let state = match own_file.and_then(|file| in_place_match(anchor, file)) {
            Some(found) if !found.is_ambiguous(anchor) => TrackingState::InPlace(found),
            found => TrackingState::Missing(found),
        };
        Self {
            anchor,
            anchor_idxs,
            state,
        }
    }

    fn is_missing(&self) -> bool {
        matches!(self.state, TrackingState::Missing(_))
    }

    /// Returns the indices of the file and the symbol that the anchor has for certain.
    fn claimed(&self, files: &[FileSymbols]) -> Option<(usize, usize)> {
        let (file, symbol_idx) = match &self.state {
            TrackingState::InPlace(found) => (&self.anchor.file, found.symbol_idx),
            TrackingState::Arrived(arrival) => (&arrival.file, arrival.symbol_idx),
            TrackingState::Missing(_) | TrackingState::Searched(_) => return None,
        };
        Some((find_file(files, file)?, symbol_idx))
    }
}

/// Tracks anchors whose files were not moved as a whole. `moved` has the new paths of those that were.
fn follow_each(
    tree: Tree<'_>,
    anchors: &[Anchor],
    moved: &FxHashMap<String, String>,
) -> Result<Vec<Outcome>> {
    let mut order: Vec<usize> = (0..anchors.len()).collect();
    order.sort_by_key(|&idx| identity(&anchors[idx]));
    let by_file: Vec<&[usize]> = order
        .chunk_by(|&a, &b| anchors[a].file == anchors[b].file)
        .collect();
    let in_place: Option<Vec<Vec<(usize, Outcome)>>> = by_file
        .par_iter()
        .map(|idxs| outcomes_in_place(tree.root, anchors, idxs))
        .collect();
    if let Some(by_file) = in_place {
        let mut outcomes: Vec<(usize, Outcome)> = by_file.into_iter().flatten().collect();
        outcomes.sort_unstable_by_key(|(idx, _)| *idx);
        return Ok(outcomes.into_iter().map(|(_, outcome)| outcome).collect());
    }
    let own_files: Vec<FileSymbols> = by_file
        .par_iter()
        .filter_map(|idxs| {
            let file = &anchors[idxs[0]].file;
            match FileSymbols::read(tree.root, file, ALL) {
                Ok(symbols) => Some(Ok(symbols)),
                Err(error) if read::unread(tree.root, file, &error).is_some() => Some(Err(error)),
                // The anchors in files that do not exist are missing.
                Err(_) => None,
            }
        })
        .collect::<Result<_>>()?;
    let mut tracked: Vec<TrackedAnchor<'_>> = order
        .chunk_by(|&a, &b| identity(&anchors[a]) == identity(&anchors[b]))
        .map(|idxs| TrackedAnchor::new(&anchors[idxs[0]], idxs, &own_files))
        .collect();
    settle_taken_names(tree.root, &own_files, &mut tracked);
    let files = find_missing(tree, &mut tracked, own_files, moved)?;
    let mut outcomes: Vec<Option<Outcome>> = vec![None; anchors.len()];
    for TrackedAnchor {
        anchor,
        anchor_idxs,
        state,
    } in tracked
    {
        let outcome = match state {
            TrackingState::InPlace(found) => outcome_in_place(&files, anchor, found),
            TrackingState::Arrived(arrival) => Some(arrival.outcome),
            TrackingState::Searched(outcome) => Some(outcome),
            TrackingState::Missing(_) => None,
        };
        for &idx in anchor_idxs {
            outcomes[idx].clone_from(&outcome);
        }
    }
    Ok(outcomes.into_iter().flatten().collect())
}

fn outcome_in_place(
    files: &[FileSymbols],
    anchor: &Anchor,
    found: InPlaceMatch,
) -> Option<Outcome> {
    let file_idx = find_file(files, &anchor.file)?;
    Some(outcome::in_place(
        anchor,
        &files[file_idx],
        found.symbol_idx,
    ))
}

/// Finds the code of the missing anchors: along the history, and else in the tree. Returns the files
/// that were parsed, sorted by path.
fn find_missing(
    tree: Tree<'_>,
    tracked: &mut [TrackedAnchor<'_>],
    own_files: Vec<FileSymbols>,
    moved: &FxHashMap<String, String>,
) -> Result<Vec<FileSymbols>> {
    let mut open: Vec<&mut TrackedAnchor<'_>> = tracked
        .iter_mut()
        .filter(|tracked| tracked.is_missing())
        .collect();
    let recorded: Vec<&Anchor> = open.iter().map(|tracked| tracked.anchor).collect();
    let past = Past::new(tree.root, &recorded);
    let arrivals = Arrivals::new(tree.root, &past.walks);
    for (tracked, walk) in open.iter_mut().zip(&past.walks) {
        if let Some(arrival) = arrivals.arrival(tracked.anchor, walk) {
            tracked.state = TrackingState::Arrived(arrival);
        }
    }
    let mut missing: Vec<MissingAnchor<'_>> = Vec::new();
    let mut lost_walks: Vec<&Walk> = Vec::new();
    for (tracked, walk) in open.iter().zip(&past.walks) {
        let TrackingState::Missing(found) = tracked.state else {
            continue;
        };
        let in_place = found.filter(|_| is_same_location(tracked.anchor, &walk.anchor));
        let lost_in = match walk.end {
            End::Lost(comparison_idx) => Some(comparison_idx),
            End::Head | End::Unknown => None,
        };
        missing.push(MissingAnchor::after(&walk.anchor, lost_in, in_place));
        lost_walks.push(walk);
    }
    if missing.is_empty() {
        return Ok(own_files);
    }
    let files = search::read_tree(tree, &missing, own_files)?;
    let claimed = tracked
        .iter()
        .filter_map(|tracked| tracked.claimed(&files))
        .collect();
    let candidates = Candidates {
        missing: &missing,
        files: &files,
        claimed: &claimed,
    };
    let (pairs, assignments, history) = search(tree.root, &past.commits, candidates, moved);
    let by_anchor = search::by_anchor(missing.len(), &pairs);
    let lost = tracked.iter_mut().filter(|tracked| tracked.is_missing());
    for (idx, (tracked, missing)) in lost.zip(&missing).enumerate() {
        let outcome = match missing.in_place.filter(|_| !assignments[idx].is_found()) {
            Some(found) => outcome_in_place(&files, tracked.anchor, found),
            None => {
                let assignment = (idx, &by_anchor[idx][..], &assignments[idx]);
                Some(outcome::searched(candidates, &pairs, assignment, &history))
            }
        };
        if let Some(outcome) = outcome {
            let has_all_renames = past.commits.has_all_renames;
            let walk = lost_walks[idx];
            let outcome = outcome::restated(tracked.anchor, walk, has_all_renames, outcome);
            tracked.state = TrackingState::Searched(outcome);
        }
    }
    Ok(files)
}

/// Assigns the missing anchors to code of the tree. `moved` has the new paths of moved files.
fn search<'a>(
    root: &Path,
    commits: &Commits,
    candidates: Candidates<'a>,
    moved: &FxHashMap<String, String>,
) -> (Vec<Pair>, Vec<Assignment>, History<'a>) {
    let mut pairs = search::pairs(candidates);
    pairs.retain(|pair| match candidates.old(pair).in_place {
        Some(found) => found.is_outranked_by(candidates, pair),
        None => true,
    });
    search::doubt_unlike(candidates, &mut pairs);
    rename_patterns::raise_odds(candidates, &mut pairs);
    veto::apply(root, commits, candidates, &mut pairs);
    let moved_files = moved
        .iter()
        .map(|(old, new)| (old.as_str(), new.as_str()))
        .collect();
    let mut assignments = together::assign(candidates, &mut pairs, &moved_files);
    let history = History::read(root, candidates.missing, &assignments);
    history.resolve(candidates, &mut pairs, &mut assignments);
    (pairs, assignments, history)
}

/// Makes the anchors missing whose name other code took over, as git shows: the symbol with their name
/// is similar, but theirs went elsewhere.
fn settle_taken_names(root: &Path, own_files: &[FileSymbols], tracked: &mut [TrackedAnchor<'_>]) {
    let mut doubtful: Vec<&mut TrackedAnchor<'_>> = Vec::new();
    for tracked in tracked {
        if let TrackingState::InPlace(found) = &tracked.state
            && let Some(file_idx) = find_file(own_files, &tracked.anchor.file)
            && found.is_doubtful(tracked.anchor, &own_files[file_idx])
        {
            doubtful.push(tracked);
        }
    }
    if doubtful.is_empty() {
        return;
    }
    let anchors: Vec<&Anchor> = doubtful.iter().map(|tracked| tracked.anchor).collect();
    let past = Past::new(root, &anchors);
    let arrivals = Arrivals::new(root, &past.walks);
    for (tracked, walk) in doubtful.iter_mut().zip(&past.walks) {
        let is_elsewhere = !is_same_location(tracked.anchor, &walk.anchor);
        if is_elsewhere && arrivals.arrival(tracked.anchor, walk).is_some() {
            tracked.state = TrackingState::Missing(None);
        }
    }
}

/// Returns whether two anchors have the same file and name.
fn is_same_location(a: &Anchor, b: &Anchor) -> bool {
    a.file == b.file && same_name(a.symbol.as_deref(), b.symbol.as_deref())
}

/// Finds the symbols that have the locations and names of `anchors`, which are all in `file`. The
/// file is read once, and not compared with the anchors if it is unchanged.
pub fn verify_in_place(root: &Path, file: &str, anchors: &[&Anchor]) -> Vec<Option<InPlaceSymbol>> {
    match read::bytes(root, file) {
        Ok(bytes) => verify_content(file, &bytes, anchors),
        Err(_) => vec![None; anchors.len()],
    }
}

/// Like [`verify_in_place`], for anchors in any files.
pub fn verify_all(root: &Path, anchors: &[&Anchor]) -> Vec<Option<InPlaceSymbol>> {
    let mut by_file: Vec<usize> = (0..anchors.len()).collect();
    by_file.sort_by(|&a, &b| anchors[a].file.cmp(&anchors[b].file));
    let sorted: Vec<&Anchor> = by_file.iter().map(|&idx| anchors[idx]).collect();
    let files: Vec<&[&Anchor]> = sorted.chunk_by(|a, b| a.file == b.file).collect();
    let found: Vec<Option<InPlaceSymbol>> = match &files[..] {
        // The start of the threads takes longer than the work.
        [one] => verify_in_place(root, &one[0].file, one),
        several => several
            .par_iter()
            .flat_map_iter(|anchors| verify_in_place(root, &anchors[0].file, anchors))
            .collect(),
    };
    let mut in_order = vec![None; anchors.len()];
    for (idx, symbol) in by_file.into_iter().zip(found) {
        in_order[idx] = symbol;
    }
    in_order
}

/// Like [`verify_in_place`], for a file with this content.
pub fn verify_content(file: &str, bytes: &[u8], anchors: &[&Anchor]) -> Vec<Option<InPlaceSymbol>> {
    let hash = bytes_hash(bytes);
    let is_unchanged = anchors.iter().all(|anchor| anchor.fingerprint.file == hash);
    let mut names: FxHashSet<Cow<'_, str>> = FxHashSet::default();
    for anchor in anchors {
        names.insert(plain_name(anchor.symbol.as_deref()));
    }
    let is_anchored: Filter<'_> = &|name| names.contains(&plain_name(name));
    let mut code = FileSymbols::parse(file, bytes, (!is_unchanged).then_some(is_anchored));
    if is_unchanged && anchors.iter().any(|anchor| needs_features(anchor, &code)) {
        code = FileSymbols::parse(file, bytes, Some(is_anchored));
    }
    let mut verified = Vec::new();
    for anchor in anchors {
        let Some(found) = in_place_match(anchor, &code) else {
            verified.push(None);
            continue;
        };
        let symbol = &code.symbols[found.symbol_idx];
        let state = if is_unchanged {
            State::Fresh
        } else {
            outcome::state_in_place(anchor, symbol)
        };
        let is_edited = state == State::Edited;
        verified.push(Some(InPlaceSymbol {
            state,
            degree: is_edited.then(|| Degree::new(&anchor.fingerprint, &symbol.features)),
            language: code.language,
            lines: symbol.lines,
            is_ambiguous: !is_unchanged && found.is_ambiguous(anchor),
        }));
    }
    verified
}

/// Returns whether an anchor has no number, so that only the features distinguish several definitions
/// of its name.
fn needs_features(anchor: &Anchor, code: &FileSymbols) -> bool {
    let Some(name) = &anchor.symbol else {
        return false;
    };
    split_number(name).1.is_none() && code.named(Some(name)).nth(1).is_some()
}

/// Returns the outcomes of anchors of one file if the code of each is in place, from the anchored
/// symbols alone. A file that is unchanged since its anchors were recorded is not parsed.
fn outcomes_in_place(
    root: &Path,
    anchors: &[Anchor],
    idxs: &[usize],
) -> Option<Vec<(usize, Outcome)>> {
    let file = &anchors[idxs[0]].file;
    let bytes = read::bytes(root, file).ok()?;
    let hash = bytes_hash(&bytes);
    let mut outcomes = Vec::with_capacity(idxs.len());
    let mut changed: Vec<usize> = Vec::new();
    for &idx in idxs {
        if anchors[idx].fingerprint.file == hash {
            outcomes.push((idx, outcome::fresh(&anchors[idx])));
        } else {
            changed.push(idx);
        }
    }
    if changed.is_empty() {
        return Some(outcomes);
    }
    let is_changed: Filter<'_> = &|name| {
        changed
            .iter()
            .any(|idx| same_name(anchors[*idx].symbol.as_deref(), name))
    };
    let code = FileSymbols::parse(file, &bytes, Some(is_changed));
    // Edited code is compared with all symbols of its file.
    let all = OnceCell::new();
    for &idx in &changed {
        let anchor = &anchors[idx];
        let found = in_place_match(anchor, &code)?;
        let is_doubtful = if found.similarity < 1.0 {
            let all = all.get_or_init(|| FileSymbols::parse(file, &bytes, ALL));
            found.is_doubtful(anchor, all)
        } else {
            found.is_doubtful(anchor, &code)
        };
        if is_doubtful {
            return None;
        }
        outcomes.push((idx, outcome::in_place(anchor, &code, found.symbol_idx)));
    }
    Some(outcomes)
}

/// Returns the values that are equal for anchors on the same code at the same location.
fn identity(anchor: &Anchor) -> (&str, Option<&str>, u64, u32, u32) {
    let fingerprint = &anchor.fingerprint;
    (
        &anchor.file,
        anchor.symbol.as_deref(),
        fingerprint.name_independent_hash,
        fingerprint.bytes,
        fingerprint.signature,
    )
}

/// Returns whether code of one language may become code of another.
fn are_compatible(a: Option<Language>, b: Option<Language>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.is_kin(b),
        (None, None) => true,
        // Older records of components have no language.
        (Some(only), None) | (None, Some(only)) => only.is_component(),
    }
}

#[cfg(test)]
mod tests;
