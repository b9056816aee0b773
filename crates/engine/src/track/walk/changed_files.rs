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
        let mut news: Vec<(&str, Vec<u8>)> = Vec::new();
        let mut olds: Vec<(&str, Vec<u8>)> = Vec::new();
        let mut diffs = FxHashMap::default();
        let mut texts = Vec::new();
        let finders: Vec<memmem::Finder<'_>> = missing
            .iter()
            .map(|missing| memmem::Finder::new(missing.name))
            .collect();
        let path = |version: Option<&'c git::TreeEntry>| Some(version?.path.as_str());
        for change in changes {
            let is_own = change
                .old
                .as_ref()
                .is_some_and(|old| own.contains(old.path.as_str()));
            let mut read = |version: Option<&git::TreeEntry>| {
                let bytes = version.and_then(|version| objects.read(&version.object));
                n_unread += usize::from(version.is_some() && bytes.is_none());
                bytes.filter(|_| !versions.is_limit_exceeded())
            };
            let new = read(change.new.as_ref());
            let old = read(change.old.as_ref());
            let matches = |version: Option<&git::TreeEntry>, bytes: Option<&Vec<u8>>| {
                version.zip(bytes).is_some_and(|(version, bytes)| {
                    prefilter.may_match(&version.path, &text::decode(bytes).0)
                })
            };
            let is_match = is_own
                || matches(change.new.as_ref(), new.as_ref())
                || matches(change.old.as_ref(), old.as_ref());
            if !is_match {
                continue;
            }
            let n_bytes = |version: &Option<Vec<u8>>| version.as_ref().map_or(0, Vec::len);
            versions.count(n_bytes(&new) + n_bytes(&old));
            let (old_path, new_path) = (path(change.old.as_ref()), path(change.new.as_ref()));
            if let (Some(old_path), Some(new_path)) = (old_path, new_path)
                && let (Some(old), Some(new)) = (&old, &new)
            {
                if is_own {
                    diffs.insert(new_path, LineDiff::new(old, new));
                }
                if finders.iter().any(|it| it.find(old).is_some()) {
                    let (old, new) = (old.clone(), new.clone());
                    texts.push(Texts {
                        old_path,
                        new_path,
                        old,
                        new,
                    });
                }
            }
            news.extend(new_path.zip(new));
            olds.extend(old_path.zip(old));
        }
        let parse = |mut files: Vec<(&str, Vec<u8>)>| -> Vec<FileSymbols> {
            files.sort_by(|a, b| a.0.cmp(b.0));
            let parse = |(path, bytes): &(&str, Vec<u8>)| {
                let mut file = FileSymbols::parse(path, bytes, ALL);
                flow::set_bodies(&mut file, bytes);
                file
            };
            files.par_iter().map(parse).collect()
        };
        let (news, olds) = (parse(news), parse(olds));
        let paths = changes
            .iter()
            .map(|it| path(it.old.as_ref()).zip(path(it.new.as_ref())));
        let new_paths: FxHashMap<&str, &str> = paths.flatten().collect();
        let new_idx = |old: &FileSymbols| find_file(&news, new_paths.get(old.path.as_str())?);
        let new_idxs = olds.iter().map(new_idx).collect();
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
        let new_idxs = vec![Some(0)];
        let (new_paths, diffs) = (FxHashMap::default(), FxHashMap::default());
        Self {
            news,
            olds,
            new_idxs,
            new_paths,
            diffs,
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
        let versions = self.olds.iter().zip(&self.new_idxs).enumerate();
        for (old_idx, (old_file, file_idx)) in versions {
            let Some(file_idx) = *file_idx else { continue };
            let file = &self.news[file_idx];
            let diff = self.diffs.get(file.path.as_str());
            for (symbol_idx, symbol) in file.symbols.iter().enumerate() {
                let Some(before_idx) = likest_namesake(old_file, symbol) else {
                    continue;
                };
                let before = &old_file.symbols[before_idx];
                let is_taken_over =
                    |diff| stayed::is_taken_over(diff, (old_file, before.lines), (file, symbol));
                let (old, new) = (&before.features.fingerprint, &symbol.features.fingerprint);
                let (before_place, place) = ((old_idx, before_idx), (file_idx, symbol_idx));
                if is_rewritten(old, symbol)
                    || (old.bytes != new.bytes && diff.is_some_and(is_taken_over))
                    || exchanges.is_exchanged(before_place, place)
                {
                    names.rewritten.insert(before_place, place);
                } else {
                    names.claimed.insert((file_idx, symbol_idx));
                }
            }
        }
        names
    }

    /// Returns the symbol with the name of old code, which has an anchor, in the new version of its file.
    fn own_name(&self, anchor: &Anchor, (old_idx, symbol_idx): (usize, usize)) -> Option<OwnName> {
        let (old_file, new) = (&self.olds[old_idx], &self.news[self.new_idxs[old_idx]?]);
        let (diff, old) = (
            self.diffs.get(new.path.as_str())?,
            &old_file.symbols[symbol_idx],
        );
        let (symbol_idx, _) = new
            .named(old.name.as_deref())
            .find(|(_, it)| !is_other(anchor, it))?;
        let own = (new, &new.symbols[symbol_idx]);
        let is_taken_over = stayed::is_taken_over(diff, (old_file, old.lines), own);
        Some(OwnName {
            symbol_idx,
            is_taken_over,
        })
    }

    /// Returns the share of the lines that removed code and a symbol of the new version of its file have
    /// in common.
    pub(super) fn shared_lines(&self, removed: &Removed, pair: &Pair) -> f64 {
        let Some((old_idx, symbol_idx)) = removed.place else {
            return 0.0;
        };
        // Code that stayed under its name is not also elsewhere, not even in a part of it.
        let is_elsewhere = |own: OwnName| !own.is_taken_over && own.symbol_idx != pair.symbol_idx;
        if removed.new_idx != Some(pair.file_idx) || removed.own.is_some_and(is_elsewhere) {
            return 0.0;
        }
        let new = &self.news[pair.file_idx];
        let old = &self.olds[old_idx].symbols[symbol_idx];
        let diff = self.diffs.get(new.path.as_str());
        diff.map_or(0.0, |diff| {
            diff.shared(old.lines, new.symbols[pair.symbol_idx].lines)
        })
    }

    /// Returns the removed code, that of `walk_idxs` first. The rest competes for the added code.
    pub(super) fn removed(
        &self,
        walks: &[Walk],
        walk_idxs: &[usize],
        names: &SameNames,
    ) -> Vec<Removed> {
        let new =
            |anchor: Anchor, walk_idx: Option<usize>, place: Option<(usize, usize)>| Removed {
                own: place.and_then(|place| self.own_name(&anchor, place)),
                anchor,
                walk_idx,
                place,
                new_idx: place.and_then(|(old_idx, _)| self.new_idxs[old_idx]),
                rewritten: place.and_then(|place| names.rewritten.get(&place)).copied(),
            };
        // Each is compared with all code of the new version of its file.
        let mut n_compared = 0;
        let mut is_compared = |old_idx: usize| {
            let new_idx = self.new_idxs[old_idx];
            n_compared += new_idx.map_or(0, |new_idx| self.news[new_idx].symbols.len());
            n_compared <= MAX_COMPARED
        };
        let mut all: Vec<Removed> = Vec::new();
        let mut followed: FxHashSet<(usize, usize)> = FxHashSet::default();
        for &walk_idx in walk_idxs {
            let anchor = &walks[walk_idx].anchor;
            let place = find_file(&self.olds, &anchor.file).and_then(|old_idx| {
                Some((
                    old_idx,
                    in_place_match(anchor, &self.olds[old_idx])?.symbol_idx,
                ))
            });
            if place.is_some_and(|(old_idx, _)| !is_compared(old_idx)) {
                continue;
            }
            let fingerprint = match place {
                Some((old_idx, symbol_idx)) => self.olds[old_idx].fingerprint(symbol_idx),
                None => anchor.fingerprint.clone(),
            };
            followed.extend(place);
            all.push(new(
                Anchor {
                    fingerprint,
                    ..anchor.clone()
                },
                Some(walk_idx),
                place,
            ));
        }
        for (old_idx, file) in self.olds.iter().enumerate() {
            for (symbol_idx, symbol) in file.symbols.iter().enumerate() {
                let place = (old_idx, symbol_idx);
                let is_removed = || {
                    let new_file = self.new_idxs[old_idx].map(|new_idx| &self.news[new_idx]);
                    names.rewritten.contains_key(&place)
                        || new_file.is_none_or(|new| namesakes(new, symbol).next().is_none())
                };
                if all.len() < MAX_REMOVED
                    && !followed.contains(&place)
                    && is_removed()
                    && is_compared(old_idx)
                {
                    all.push(new(file.anchor(symbol_idx), None, Some(place)));
                }
            }
        }
        all
    }

    /// Returns whether a method moved, under its name, to a base of its class or to a class derived
    /// from it.
    pub(super) fn is_inherited(&self, removed: &Removed, pair: &Pair) -> bool {
        let Some((old_idx, symbol_idx)) = removed.place else {
            return false;
        };
        let (old_file, new_file) = (&self.olds[old_idx], &self.news[pair.file_idx]);
        let old_symbol = &old_file.symbols[symbol_idx];
        let old_class = old_file.split_name(old_symbol).0;
        let new_class = new_file.split_name(&new_file.symbols[pair.symbol_idx]).0;
        let name = |class: &str| name_hash(split_name(class).1);
        if pair.evidence.name < 1.0
            || old_symbol.name.is_none()
            || old_class.is_empty()
            || new_class.is_empty()
            || name(old_class) == name(new_class)
        {
            return false;
        }
        let has_base = |file: &FileSymbols, class: &str, base: &str| {
            let base = short_hash(name(base));
            let mut classes = file
                .symbols
                .iter()
                .filter(|it| it.name.as_deref() == Some(class));
            classes.any(|it| it.features.bases.binary_search(&base).is_ok())
        };
        has_base(old_file, old_class, new_class)
            || removed
                .new_idx
                .is_some_and(|idx| has_base(&self.news[idx], old_class, new_class))
            || has_base(new_file, new_class, old_class)
    }
}
