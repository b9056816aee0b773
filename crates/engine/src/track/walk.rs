//! Follows missing anchors commit by commit, from the commit that recorded them to HEAD.
//!
//! While the file of an anchor and the name in it persist, nothing else is read. Where they end, the
//! symbols that the commit removed are compared with those that it added, and assigned one to one.
//! A step that is not certain ends the walk; the tree is then searched as without history, for code
//! that did not exist at the recorded commit (see [`super::veto`]).
//!
//! The work is bounded by the number of bytes that are parsed, not by time, so that every machine
//! gives the same answer.

use std::path::Path;

use cerberus_model::{Anchor, Fingerprint, format_location, sorted};
use memchr::memmem;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{outcome, rename_patterns, same_code_under_name};
use crate::syntax::language;
use crate::track::assign::Assignment;
use crate::track::file_symbols::{FileSymbol, FileSymbols, Filter};
use crate::track::in_place::{in_place_match, last_name, same_name, similarity};
use crate::track::line_diff::LineDiff;
use crate::track::search::{Candidates, MissingAnchor, Pair};
use crate::track::weights::WEIGHTS;
use crate::track::{MIN_TOKENS, Step, search, stayed};
use crate::tree::git;
use crate::tree::git::{Change, Commits, Comparison, Objects};

mod callers;
mod changed_files;
mod exchanges;
mod flow;
mod handover;
mod versions;

use changed_files::ChangedFiles;
use flow::Flow;
use handover::Handover;
use versions::Versions;

/// Maximum number of removed symbols of a commit that are compared with the added ones.
pub(super) const MAX_REMOVED: usize = 800;

/// Maximum number of pairs of removed code and code of the same file, and of statements, that are compared.
const MAX_COMPARED: usize = 2_000_000;

/// Maximum number of definitions of one name in a file that are compared with each of another version.
const MAX_NAMESAKES: usize = 200;

/// Shorter code may occur in a file by chance.
const MIN_TEXT: usize = 40;

/// Where the walk of an anchor ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    /// The code is known at HEAD.
    Head,
    /// The code is not certain after this comparison of commits.
    Lost(usize),
    /// There is no history of the anchor.
    Unknown,
}

/// The walk of an anchor.
#[derive(Debug, Clone)]
pub(super) struct Walk {
    /// The anchor with the last location and fingerprint that are certain.
    pub(super) anchor: Anchor,
    pub(super) steps: Vec<Step>,
    pub(super) end: End,
    /// Number of versions of files that the clone lacks.
    pub(super) n_unread: usize,
}

/// The walks of the missing anchors, and the commits on the way.
pub(super) struct Past {
    pub(super) commits: Commits,
    pub(super) walks: Vec<Walk>,
}

impl Past {
    /// Follows anchors to HEAD.
    pub(super) fn new(root: &Path, anchors: &[&Anchor]) -> Self {
        let old = sorted(anchors.iter().filter_map(|anchor| anchor.commit.as_deref()));
        let is_code = anchors.iter().all(|anchor| anchor.language.is_some());
        let extensions = if is_code {
            language::extensions()
        } else {
            Vec::new()
        };
        let mut walks: Vec<Walk> = anchors.iter().map(|anchor| Walk::new(anchor)).collect();
        if old.is_empty() {
            return Self {
                commits: Commits::default(),
                walks,
            };
        }
        let commits = git::commits_since(root, &old, &extensions).unwrap_or_default();
        let walked = git::with_objects(root, |objects| {
            let mut walks = walks.clone();
            run(objects, &commits, &mut walks);
            walks
        });
        // If git fails on the way, nothing of its answers is used.
        walks = walked.unwrap_or(walks);
        Self { commits, walks }
    }
}

/// Follows anchors along the comparisons of `commits`.
pub(super) fn run(objects: &mut Objects<'_>, commits: &Commits, walks: &mut [Walk]) {
    Walker {
        commits,
        objects,
        versions: Versions::new(walks.len()),
    }
    .run(walks);
}

impl Walk {
    pub(super) fn new(anchor: &Anchor) -> Self {
        Self {
            anchor: anchor.clone(),
            steps: Vec::new(),
            end: End::Unknown,
            n_unread: 0,
        }
    }

    /// Ends a walk that would take too long.
    fn give_up(&mut self) {
        if self.end == End::Head {
            self.end = End::Unknown;
        }
    }

    /// Moves the anchor to a symbol of a later version.
    fn advance(&mut self, file: &FileSymbols, symbol_idx: usize) {
        let symbol = &file.symbols[symbol_idx];
        self.anchor.file.clone_from(&file.path);
        self.anchor.symbol = file.unique_name(symbol_idx);
        self.anchor.kind = symbol.kind;
        self.anchor.language = file.language;
        self.anchor.fingerprint = file.fingerprint(symbol_idx);
    }

    /// Moves the anchor to the code of a pair, which replaced its code in a commit.
    fn replace(&mut self, old: &Anchor, changed: &ChangedFiles<'_>, pair: &Pair, commit: &str) {
        self.advance(&changed.news[pair.file_idx], pair.symbol_idx);
        let likeness = similarity(&old.fingerprint, &self.anchor.fingerprint);
        let is_same_file = changed.new_paths.get(old.file.as_str()) == Some(&&*self.anchor.file);
        let is_same_name = same_name(old.symbol.as_deref(), self.anchor.symbol.as_deref());
        if is_same_name && is_same_file {
            return self.note_edit(commit, likeness);
        }
        let how = if likeness >= 1.0 {
            "the same code".to_owned()
        } else {
            format!("{} of the code is unchanged", outcome::percent(likeness))
        };
        let from = format_location(&old.file, old.symbol.as_deref());
        self.note(commit, format!("`{from}` was replaced by it: {how}"));
    }

    fn note_edit(&mut self, commit: &str, similarity: f64) {
        let unchanged = outcome::percent(similarity);
        self.note(
            commit,
            format!("edited: {unchanged} of its code is unchanged"),
        );
    }

    fn note(&mut self, commit: &str, reason: String) {
        let commit = commit.chars().take(git::ABBREVIATED_LEN).collect();
        let (file, symbol) = (self.anchor.file.clone(), self.anchor.symbol.clone());
        self.steps.push(Step {
            commit,
            file,
            symbol,
            reason,
        });
    }
}

/// The effect of a commit on the code of an anchor.
enum Fate {
    Kept,
    Removed,
    /// The symbol with its name has other code, at this index of the new version.
    Rewritten,
}

/// The last version of an anchor's code.
#[derive(Default)]
struct LastSeen {
    is_seen: bool,
    text: Vec<u8>,
    /// Whether only the text was looked for since. Its container may have another name now.
    is_skimmed: bool,
}

struct Walker<'w, 'o> {
    commits: &'w Commits,
    objects: &'w mut Objects<'o>,
    versions: Versions,
}

impl Walker<'_, '_> {
    fn run(mut self, walks: &mut [Walk]) {
        // The anchors of one commit share their path. The files of each path are looked up.
        let mut groups: Vec<FxHashMap<String, Vec<usize>>> = Vec::new();
        let mut groups_of: Vec<Vec<usize>> = vec![Vec::new(); self.commits.comparisons.len()];
        let mut group_idxs: FxHashMap<&str, usize> = FxHashMap::default();
        for (commit, (_, path)) in &self.commits.paths {
            group_idxs.insert(commit, groups.len());
            for &idx in path {
                groups_of[idx].push(groups.len());
            }
            groups.push(FxHashMap::default());
        }
        for (walk_idx, walk) in walks.iter_mut().enumerate() {
            let commit = walk.anchor.commit.as_deref();
            if let Some(&group_idx) = commit.and_then(|commit| group_idxs.get(commit)) {
                walk.end = End::Head;
                groups[group_idx]
                    .entry(walk.anchor.file.clone())
                    .or_default()
                    .push(walk_idx);
            }
        }
        let mut last: Vec<LastSeen> = walks.iter().map(|_| LastSeen::default()).collect();
        let commits = self.commits;
        for (comparison_idx, comparison) in commits.comparisons.iter().enumerate() {
            for &group_idx in &groups_of[comparison_idx] {
                let mut removed = Vec::new();
                let mut kept = Vec::new();
                for change in &comparison.changes {
                    let Some(version) = change.old.as_ref().or(change.new.as_ref()) else {
                        continue;
                    };
                    let Some(own) = groups[group_idx].remove(&version.path) else {
                        continue;
                    };
                    self.versions
                        .start_file(own.iter().map(|idx| &walks[*idx].anchor));
                    for walk_idx in own {
                        let walk = &mut walks[walk_idx];
                        match self.fate(walk, &mut last[walk_idx], change, &comparison.newer) {
                            Fate::Kept => kept.push(walk_idx),
                            Fate::Removed => removed.push((walk_idx, false)),
                            Fate::Rewritten => removed.push((walk_idx, true)),
                        }
                    }
                }
                if self.versions.is_limit_exceeded() {
                    walks.iter_mut().for_each(|walk| walk.give_up());
                    return;
                }
                if !removed.is_empty() {
                    let walk_idxs: Vec<usize> = removed.iter().map(|(idx, _)| *idx).collect();
                    let found = self.step(walks, &walk_idxs, comparison);
                    for &(walk_idx, is_rewritten) in &removed {
                        if found.contains(&walk_idx) || is_rewritten {
                            last[walk_idx] = LastSeen {
                                is_seen: true,
                                ..LastSeen::default()
                            };
                            kept.push(walk_idx);
                        } else {
                            walks[walk_idx].end = End::Lost(comparison_idx);
                        }
                    }
                }
                for walk_idx in kept {
                    let file = walks[walk_idx].anchor.file.clone();
                    groups[group_idx].entry(file).or_default().push(walk_idx);
                }
            }
        }
    }

    /// Returns the effect of a change of its file on the code of an anchor, and advances the anchor.
    fn fate(
        &mut self,
        walk: &mut Walk,
        last: &mut LastSeen,
        change: &Change,
        commit: &str,
    ) -> Fate {
        if !last.is_seen && !self.see(walk, last, change) {
            return Fate::Kept;
        }
        let Some(new) = &change.new else {
            self.correct_name(walk, last, change);
            return Fate::Removed;
        };
        let Some(bytes) = self.objects.read(&new.object) else {
            walk.n_unread += 1;
            walk.anchor.file.clone_from(&new.path);
            return Fate::Kept;
        };
        let is_moved = walk.anchor.file != new.path;
        if last.text.len() >= MIN_TEXT
            && language::from_path(&new.path) == walk.anchor.language
            && memmem::find(&bytes, &last.text).is_some()
        {
            last.is_skimmed = true;
            if is_moved {
                let old = std::mem::replace(&mut walk.anchor.file, new.path.clone());
                walk.note(commit, format!("`{old}` was renamed"));
            }
            return Fate::Kept;
        }
        let Some(mut file) = self.versions.parse(&walk.anchor, new, &bytes) else {
            return Fate::Removed;
        };
        if in_place_match(&walk.anchor, &file).is_none() && self.correct_name(walk, last, change) {
            let Some(renamed) = self.versions.parse(&walk.anchor, new, &bytes) else {
                return Fate::Removed;
            };
            file = renamed;
        }
        let Some(found) = in_place_match(&walk.anchor, &file) else {
            return Fate::Removed;
        };
        let symbol = &file.symbols[found.symbol_idx];
        if is_rewritten(&walk.anchor.fingerprint, symbol)
            || (found.similarity < 1.0
                && self.is_taken_over(&walk.anchor, last, change, (&bytes, &file, symbol)))
        {
            return Fate::Rewritten;
        }
        let old = walk.anchor.clone();
        walk.advance(&file, found.symbol_idx);
        last.text = lines_of(&bytes, file.symbols[found.symbol_idx].lines);
        last.is_skimmed = false;
        if is_moved {
            walk.note(commit, format!("`{}` was renamed", old.file));
        } else if found.similarity < 1.0 {
            walk.note_edit(commit, found.similarity);
        }
        Fate::Kept
    }

    /// Returns whether a change put the code of an anchor under a new name in its file.
    fn is_taken_over(
        &mut self,
        anchor: &Anchor,
        last: &LastSeen,
        change: &Change,
        (new_bytes, new_file, own): (&[u8], &FileSymbols, &FileSymbol),
    ) -> bool {
        if last.text.len() < MIN_TEXT {
            return false;
        }
        let Some(old) = &change.old else { return false };
        let Some(bytes) = self.objects.read(&old.object) else {
            return false;
        };
        let Some(start) = memmem::find(&bytes, &last.text) else {
            return false;
        };
        let first = n_line_breaks(&bytes[..start]);
        let lines = (first, first + n_line_breaks(last.text.trim_ascii_end()));
        let Some(old_file) = self.versions.parse(anchor, old, &bytes) else {
            return false;
        };
        let diff = LineDiff::new(&bytes, new_bytes);
        stayed::is_taken_over(&diff, (&old_file, lines), (new_file, own))
    }

    /// Gives an anchor whose text was found, but not its name, the name that the code had before a
    /// change: its container was renamed, or the code moved to another one in its file. Returns whether
    /// the name is another one now.
    fn correct_name(&mut self, walk: &mut Walk, last: &mut LastSeen, change: &Change) -> bool {
        if !std::mem::take(&mut last.is_skimmed) {
            return false;
        }
        let Some(old) = &change.old else { return false };
        let Some(bytes) = self.objects.read(&old.object) else {
            return false;
        };
        self.versions.count(bytes.len());
        let name = last_name(walk.anchor.symbol.as_deref());
        let has_name: Filter<'_> = &|other| last_name(other) == name;
        let file = FileSymbols::parse(&old.path, &bytes, Some(has_name));
        let symbol_idx = same_code_under_name(&walk.anchor, &file);
        symbol_idx
            .inspect(|idx| walk.advance(&file, *idx))
            .is_some()
    }

    /// Reads the version of an anchor's code before a change, or after it if the code was recorded
    /// before it was committed. Returns whether there is one.
    fn see(&mut self, walk: &mut Walk, last: &mut LastSeen, change: &Change) -> bool {
        for version in [&change.old, &change.new].into_iter().flatten() {
            let Some(bytes) = self.objects.read(&version.object) else {
                walk.n_unread += 1;
                last.is_seen = true;
                return true;
            };
            let Some(file) = self.versions.parse(&walk.anchor, version, &bytes) else {
                continue;
            };
            let found = in_place_match(&walk.anchor, &file);
            if let Some(found) = found.filter(|found| !found.is_ambiguous(&walk.anchor)) {
                walk.advance(&file, found.symbol_idx);
                *last = LastSeen {
                    is_seen: true,
                    text: lines_of(&bytes, file.symbols[found.symbol_idx].lines),
                    is_skimmed: false,
                };
                return true;
            }
        }
        false
    }

    /// Looks for the code that a commit removed among the code that it added. Returns the walks whose
    /// code was found, and advances them.
    fn step(
        &mut self,
        walks: &mut [Walk],
        walk_idxs: &[usize],
        comparison: &Comparison,
    ) -> FxHashSet<usize> {
        let anchors: Vec<&Anchor> = walk_idxs.iter().map(|idx| &walks[*idx].anchor).collect();
        let changes = &comparison.changes;
        let changed = ChangedFiles::read(self.objects, &mut self.versions, &anchors, changes);
        let names = changed.same_names();
        let removed = changed.removed(walks, walk_idxs, &names);
        let missing: Vec<MissingAnchor<'_>> = removed
            .iter()
            .map(|removed| MissingAnchor::new(&removed.anchor))
            .collect();
        let candidates = Candidates {
            missing: &missing,
            files: &changed.news,
            claimed: &names.claimed,
        };
        let mut pairs = search::pairs(candidates);
        let handover = Handover {
            changed: &changed,
            removed: &removed,
            candidates,
            flow: Flow::new(&changed, &names),
        };
        handover.apply(&mut pairs);
        rename_patterns::raise_odds(candidates, &mut pairs);
        let assignments = handover.assign(&mut pairs, &names);
        let by_anchor = search::by_anchor(missing.len(), &pairs);
        let mut found = FxHashSet::default();
        for (missing_idx, (assignment, removed)) in assignments.iter().zip(&removed).enumerate() {
            let Some(walk_idx) = removed.walk_idx else {
                continue;
            };
            let pair = match assignment {
                Assignment::Found(pair_idx) => Some(&pairs[*pair_idx]),
                Assignment::Ambiguous(idxs) if !is_one_place(idxs, candidates, &pairs) => None,
                _ => merged(candidates, &by_anchor[missing_idx]),
            };
            let walk = &mut walks[walk_idx];
            match pair {
                Some(pair) => {
                    walk.replace(&removed.anchor, &changed, pair, &comparison.newer);
                    found.insert(walk_idx);
                }
                None => walk.n_unread += changed.n_unread,
            }
        }
        found
    }
}

/// Returns the one of the pairs of an anchor with code that another anchor got, if that has its name: methods
/// of several classes were merged into one.
fn merged<'p>(candidates: Candidates<'_>, own: &[&'p Pair]) -> Option<&'p Pair> {
    let own = own.iter().copied();
    let best = own.max_by(|a, b| a.odds.total_cmp(&b.odds).then(b.symbol().cmp(&a.symbol())))?;
    let is_namesake = candidates.new_name(best).1 == candidates.old(best).name;
    (best.odds >= WEIGHTS.merged && is_namesake).then_some(best)
}

/// Returns whether pairs are all with definitions of one name in one file, such as overloads.
fn is_one_place(pair_idxs: &[usize], candidates: Candidates<'_>, pairs: &[Pair]) -> bool {
    let Some(first_idx) = pair_idxs.first() else {
        return true;
    };
    let first = &pairs[*first_idx];
    let first_name = &candidates.symbol(first).name;
    pair_idxs.iter().all(|idx| {
        let pair = &pairs[*idx];
        pair.file_idx == first.file_idx && candidates.symbol(pair).name == *first_name
    })
}

/// Returns the first symbols of `file` with the name and the kind of `symbol`: a field may have the name
/// of a method.
fn namesakes<'f>(
    file: &'f FileSymbols,
    symbol: &'f FileSymbol,
) -> impl Iterator<Item = (usize, &'f FileSymbol)> {
    let named = file.named(symbol.name.as_deref()).take(MAX_NAMESAKES);
    named.filter(|(_, other)| search::is_same_family(other.kind, symbol.kind))
}

/// Returns the symbol of `file` with the name and the kind of `symbol`; of several (overloads), the most
/// similar one.
fn likest_namesake(file: &FileSymbols, symbol: &FileSymbol) -> Option<usize> {
    let fingerprint = &symbol.features.fingerprint;
    let mut likest: Option<(usize, f64)> = None;
    for (idx, other) in namesakes(file, symbol) {
        let likeness = similarity(&other.features.fingerprint, fingerprint);
        // Of equally similar ones, the first.
        if likest.is_none_or(|(_, highest)| likeness > highest) {
            likest = Some((idx, likeness));
        }
    }
    likest.map(|(idx, _)| idx)
}

/// Returns whether a symbol has so much other code than before that another may have taken over its
/// name.
fn is_rewritten(old: &Fingerprint, new: &FileSymbol) -> bool {
    old.n_tokens >= MIN_TOKENS && similarity(old, &new.features.fingerprint) < WEIGHTS.rewritten
}

fn n_line_breaks(text: &[u8]) -> u32 {
    memchr::memchr_iter(b'\n', text).count() as u32
}

/// Returns the bytes of the lines from `first` to `last`.
fn lines_of(bytes: &[u8], (first, last): (u32, u32)) -> Vec<u8> {
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let n_lines = (last - first) as usize + 1;
    lines
        .skip(first as usize)
        .take(n_lines)
        .flatten()
        .copied()
        .collect()
}
