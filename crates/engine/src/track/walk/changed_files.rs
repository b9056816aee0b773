//! The files that a commit changed, and the code that it removed from them.

use std::collections::{BTreeMap, BTreeSet};

use cerberus_model::{Anchor, text};
use memchr::memmem;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::is_other;
use super::callers::{self, Callers, NewNames};
use super::exchanges::Exchanges;
use super::versions::Versions;
use super::{MAX_COMPARED, MAX_REMOVED, flow, is_rewritten, likest_namesake, namesakes};
use crate::syntax::fingerprint::{name_hash, short_hash, split_name};
use crate::track::file_symbols::{ALL, FileSymbols, find_file};
use crate::track::in_place::in_place_match;
use crate::track::line_diff::LineDiff;
use crate::track::search::{MissingAnchor, Pair, Prefilter};
use crate::track::stayed;
use crate::track::walk::Walk;
use crate::tree::git;
use crate::tree::git::{Change, Objects};

/// The files that a commit changed, as far as they may contain removed or added code.
pub(super) struct ChangedFiles<'c> {
    pub(super) news: Vec<FileSymbols>,
    pub(super) olds: Vec<FileSymbols>,
    /// For each of the files before the commit, the one after it.
    pub(super) new_idxs: Vec<Option<usize>>,
    /// The paths of all files after the commit by those before it.
    pub(super) new_paths: FxHashMap<&'c str, &'c str>,
    /// How the files of anchors changed, by their new paths.
    diffs: FxHashMap<&'c str, LineDiff>,
    /// Both versions of the files that used the name of an anchor.
    texts: Vec<Texts<'c>>,
    /// Number of the versions that the clone lacks.
    pub(super) n_unread: usize,
}

/// A version of a file.
struct Content<'c> {
    path: &'c str,
    bytes: Vec<u8>,
}

/// Returns the symbols of files, sorted by path.
fn parse_all(mut files: Vec<Content<'_>>) -> Vec<FileSymbols> {
    files.sort_by(|a, b| a.path.cmp(b.path));
    files
        .par_iter()
        .map(|Content { path, bytes }| {
            let mut file = FileSymbols::parse(path, bytes, ALL);
            flow::set_bodies(&mut file, bytes);
            file
        })
        .collect()
}

/// Both versions of a file.
struct Texts<'c> {
    old_path: &'c str,
    new_path: &'c str,
    old: Vec<u8>,
    new: Vec<u8>,
}

/// Code that a commit removed.
pub(super) struct Removed {
    pub(super) anchor: Anchor,
    /// The walk whose anchor is on it.
    pub(super) walk_idx: Option<usize>,
    /// The indices of its old file and of its symbol there.
    pub(super) place: Option<(usize, usize)>,
    /// The new version of its file.
    pub(super) new_idx: Option<usize>,
    /// The symbol that has its name there.
    own: Option<OwnName>,
    /// That symbol, if it has other code than before.
    pub(super) rewritten: Option<(usize, usize)>,
}

impl Removed {
    /// Returns whether the code is under a new name in its file.
    pub(super) fn is_taken_over(&self) -> bool {
        self.own.is_some_and(|own| own.is_taken_over)
    }
}

/// The names that both versions of a file define.
#[derive(Default)]
pub(super) struct SameNames {
    /// The new symbols that are the old ones of their names.
    pub(super) claimed: FxHashSet<(usize, usize)>,
    /// The new symbols with other code than before, by the old ones.
    pub(super) rewritten: FxHashMap<(usize, usize), (usize, usize)>,
}

/// The symbol that has the name of removed code in the new version of its file.
#[derive(Clone, Copy)]
struct OwnName {
    symbol_idx: usize,
    /// Whether the code is under a new name.
    is_taken_over: bool,
}

impl<'c> ChangedFiles<'c> {
    /// Reads and parses both versions of the changed files that may contain code of `anchors`.
    pub(super) fn read(
        objects: &mut Objects<'_>,
        versions: &mut Versions,
        anchors: &[&Anchor],
        changes: &'c [Change],
    ) -> Self {
        let missing: Vec<MissingAnchor<'_>> = anchors
            .iter()
            .map(|anchor| MissingAnchor::new(anchor))
            .collect();
        let prefilter = Prefilter::new(&missing);
        let own: FxHashSet<&str> = anchors.iter().map(|anchor| anchor.file.as_str()).collect();
        let mut n_unread = 0;
        let mut news: Vec<Content<'_>> = Vec::new();
        let mut olds: Vec<Content<'_>> = Vec::new();
        let mut diffs = FxHashMap::default();
        let mut texts = Vec::new();
        let finders: Vec<memmem::Finder<'_>> = missing
            .iter()
            .map(|missing| memmem::Finder::new(missing.name))
            .collect();
        let mut new_paths: FxHashMap<&str, &str> = FxHashMap::default();
        for change in changes {
            if let (Some(old), Some(new)) = (&change.old, &change.new) {
                new_paths.insert(&old.path, &new.path);
            }
            let is_own = match &change.old {
                Some(old) => own.contains(old.path.as_str()),
                None => false,
            };
            let mut read = |entry: &'c Option<git::TreeEntry>| -> Option<Content<'c>> {
                let entry = entry.as_ref()?;
                let Some(bytes) = objects.read(&entry.object) else {
                    n_unread += 1;
                    return None;
                };
                if versions.is_limit_exceeded() {
                    return None;
                }
                let path = &entry.path;
                Some(Content { path, bytes })
            };
            let new = read(&change.new);
            let old = read(&change.old);
            let is_match = is_own
                || [&new, &old].into_iter().flatten().any(|version| {
                    prefilter.may_match(version.path, &text::decode(&version.bytes).0)
                });
            if !is_match {
                continue;
            }
            for version in [&new, &old].into_iter().flatten() {
                versions.count(version.bytes.len());
            }
            if let (Some(old), Some(new)) = (&old, &new) {
                if is_own {
                    diffs.insert(new.path, LineDiff::new(&old.bytes, &new.bytes));
                }
                if finders
                    .iter()
                    .any(|finder| finder.find(&old.bytes).is_some())
                {
                    texts.push(Texts {
                        old_path: old.path,
                        new_path: new.path,
                        old: old.bytes.clone(),
                        new: new.bytes.clone(),
                    });
                }
            }
            news.extend(new);
            olds.extend(old);
        }
        let news = parse_all(news);
        let olds = parse_all(olds);
        let mut new_idxs = Vec::new();
        for old in &olds {
            let new_path = new_paths.get(old.path.as_str());
            new_idxs.push(new_path.and_then(|path| find_file(&news, path)));
        }
        Self {
            news,
            olds,
            new_idxs,
            new_paths,
            diffs,
            texts,
            n_unread,
        }
    }

    /// Returns the only file of a commit, before and after it.
    #[cfg(test)]
    pub(super) fn of(olds: Vec<FileSymbols>, news: Vec<FileSymbols>) -> Self {
        Self {
            news,
            olds,
            new_idxs: vec![Some(0)],
            new_paths: FxHashMap::default(),
            diffs: FxHashMap::default(),
            texts: Vec::new(),
            n_unread: 0,
        }
    }

    /// Returns which names the callers of the removed code use instead. `names` has the names that may
    /// replace each removed one, and `added` those that the commit added.
    pub(super) fn callers<'n>(
        &self,
        names: &BTreeMap<&'n str, NewNames<'n>>,
        added: &BTreeSet<&'n str>,
    ) -> Callers<'n> {
        let versions = self.texts.iter().filter_map(|texts| {
            Some(callers::Versions {
                old: &texts.old,
                new: &texts.new,
                old_file: &self.olds[find_file(&self.olds, texts.old_path)?],
                new_file: &self.news[find_file(&self.news, texts.new_path)?],
            })
        });
        Callers::new(&versions.collect::<Vec<_>>(), names, added)
    }

    /// Compares the symbols with the same names.
    pub(super) fn same_names(&self) -> SameNames {
        let mut names = SameNames::default();
        let exchanges = Exchanges::new(&self.olds, &self.news, &self.new_idxs);
        for (old_idx, old_file) in self.olds.iter().enumerate() {
            let Some(file_idx) = self.new_idxs[old_idx] else {
                continue;
            };
            let file = &self.news[file_idx];
            let diff = self.diffs.get(file.path.as_str());
            for (symbol_idx, symbol) in file.symbols.iter().enumerate() {
                let Some(before_idx) = likest_namesake(old_file, symbol) else {
                    continue;
                };
                let before = &old_file.symbols[before_idx];
                let old = &before.features.fingerprint;
                let is_edited = old.bytes != symbol.features.fingerprint.bytes;
                let is_taken_over = || match diff {
                    Some(diff) if is_edited => {
                        stayed::is_taken_over(diff, (old_file, before.lines), (file, symbol))
                    }
                    _ => false,
                };
                let before_place = (old_idx, before_idx);
                let place = (file_idx, symbol_idx);
                if is_rewritten(old, symbol)
                    || is_taken_over()
                    || exchanges.is_exchanged(before_place, place)
                {
                    names.rewritten.insert(before_place, place);
                } else {
                    names.claimed.insert(place);
                }
            }
        }
        names
    }

    /// Returns the symbol with the name of old code, which has an anchor, in the new version of its file.
    fn own_name(&self, anchor: &Anchor, (old_idx, symbol_idx): (usize, usize)) -> Option<OwnName> {
        let old_file = &self.olds[old_idx];
        let new_file = &self.news[self.new_idxs[old_idx]?];
        let diff = self.diffs.get(new_file.path.as_str())?;
        let old = &old_file.symbols[symbol_idx];
        let (own_idx, own) = new_file
            .named(old.name.as_deref())
            .find(|(_, namesake)| !is_other(anchor, namesake))?;
        Some(OwnName {
            symbol_idx: own_idx,
            is_taken_over: stayed::is_taken_over(diff, (old_file, old.lines), (new_file, own)),
        })
    }

    /// Returns the share of the lines that removed code and a symbol of the new version of its file have
    /// in common.
    pub(super) fn shared_lines(&self, removed: &Removed, pair: &Pair) -> f64 {
        let Some((old_idx, symbol_idx)) = removed.place else {
            return 0.0;
        };
        if removed.new_idx != Some(pair.file_idx) {
            return 0.0;
        }
        // Code that stayed under its name is not also elsewhere, not even in a part of it.
        if let Some(own) = removed.own
            && !own.is_taken_over
            && own.symbol_idx != pair.symbol_idx
        {
            return 0.0;
        }
        let new_file = &self.news[pair.file_idx];
        let Some(diff) = self.diffs.get(new_file.path.as_str()) else {
            return 0.0;
        };
        let old = &self.olds[old_idx].symbols[symbol_idx];
        diff.shared(old.lines, new_file.symbols[pair.symbol_idx].lines)
    }

    /// Returns the removed code, that of `walk_idxs` first. The rest competes for the added code.
    pub(super) fn removed(
        &self,
        walks: &[Walk],
        walk_idxs: &[usize],
        names: &SameNames,
    ) -> Vec<Removed> {
        // Each is compared with all code of the new version of its file.
        let mut n_compared = 0;
        let mut all: Vec<Removed> = Vec::new();
        let mut followed: FxHashSet<(usize, usize)> = FxHashSet::default();
        for &walk_idx in walk_idxs {
            let mut anchor = walks[walk_idx].anchor.clone();
            let Some(place) = self.place(&anchor) else {
                all.push(Removed {
                    anchor,
                    walk_idx: Some(walk_idx),
                    place: None,
                    new_idx: None,
                    own: None,
                    rewritten: None,
                });
                continue;
            };
            let (old_idx, symbol_idx) = place;
            n_compared += self.n_new_symbols(old_idx);
            if n_compared > MAX_COMPARED {
                continue;
            }
            anchor.fingerprint = self.olds[old_idx].fingerprint(symbol_idx);
            followed.insert(place);
            let removed = self.removed_at(anchor, place, names);
            all.push(Removed {
                walk_idx: Some(walk_idx),
                ..removed
            });
        }
        for (old_idx, file) in self.olds.iter().enumerate() {
            for (symbol_idx, symbol) in file.symbols.iter().enumerate() {
                let place = (old_idx, symbol_idx);
                if all.len() >= MAX_REMOVED || followed.contains(&place) {
                    continue;
                }
                let has_namesake = || match self.new_idxs[old_idx] {
                    Some(new_idx) => namesakes(&self.news[new_idx], symbol).next().is_some(),
                    None => false,
                };
                if !names.rewritten.contains_key(&place) && has_namesake() {
                    continue;
                }
                n_compared += self.n_new_symbols(old_idx);
                if n_compared <= MAX_COMPARED {
                    all.push(self.removed_at(file.anchor(symbol_idx), place, names));
                }
            }
        }
        all
    }

    /// Returns the indices of the old file of an anchor and of its symbol there.
    fn place(&self, anchor: &Anchor) -> Option<(usize, usize)> {
        let old_idx = find_file(&self.olds, &anchor.file)?;
        let found = in_place_match(anchor, &self.olds[old_idx])?;
        Some((old_idx, found.symbol_idx))
    }

    /// Returns the number of symbols in the new version of a file.
    fn n_new_symbols(&self, old_idx: usize) -> usize {
        match self.new_idxs[old_idx] {
            Some(new_idx) => self.news[new_idx].symbols.len(),
            None => 0,
        }
    }

    /// Returns the code at a place in an old file as removed code without a walk.
    fn removed_at(&self, anchor: Anchor, place: (usize, usize), names: &SameNames) -> Removed {
        Removed {
            own: self.own_name(&anchor, place),
            anchor,
            walk_idx: None,
            place: Some(place),
            new_idx: self.new_idxs[place.0],
            rewritten: names.rewritten.get(&place).copied(),
        }
    }

    /// Returns whether a method moved, under its name, to a base of its class or to a class derived
    /// from it.
    pub(super) fn is_inherited(&self, removed: &Removed, pair: &Pair) -> bool {
        let Some((old_idx, symbol_idx)) = removed.place else {
            return false;
        };
        let old_file = &self.olds[old_idx];
        let new_file = &self.news[pair.file_idx];
        let old_symbol = &old_file.symbols[symbol_idx];
        let (old_class, _) = old_file.split_name(old_symbol);
        let (new_class, _) = new_file.split_name(&new_file.symbols[pair.symbol_idx]);
        if pair.evidence.name < 1.0
            || old_symbol.name.is_none()
            || old_class.is_empty()
            || new_class.is_empty()
            || class_hash(old_class) == class_hash(new_class)
        {
            return false;
        }
        if has_base(old_file, old_class, new_class) || has_base(new_file, new_class, old_class) {
            return true;
        }
        match removed.new_idx {
            Some(new_idx) => has_base(&self.news[new_idx], old_class, new_class),
            None => false,
        }
    }
}

fn class_hash(class: &str) -> u64 {
    name_hash(split_name(class).1)
}

/// Returns whether a class of a file names another one as its base.
fn has_base(file: &FileSymbols, class: &str, base: &str) -> bool {
    let base = short_hash(class_hash(base));
    file.symbols.iter().any(|symbol| {
        symbol.name.as_deref() == Some(class) && symbol.features.bases.binary_search(&base).is_ok()
    })
}
