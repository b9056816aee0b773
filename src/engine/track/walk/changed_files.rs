//! The files that a commit changed, and the code that it removed from them.

use std::collections::{BTreeMap, BTreeSet};

use memchr::memmem;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::Anchor;
use crate::syntax::fingerprint::{name_hash, short_hash, split_name};
use crate::text;
use crate::tree::git::{self, Change, Objects};

use super::super::file_symbols::{ALL, FileSymbol, FileSymbols, find_file};
use super::super::line_diff::LineDiff;
use super::super::search::{MissingAnchor, Pair, Prefilter};
use super::super::{in_place_match, same_name, stayed};
use super::callers::{self, Callers};
use super::flow::{self, Bodies};
use super::versions::Versions;
use super::{MAX_REMOVED, Walk, is_rewritten, likest_namesake};

/// The files that a commit changed, as far as they may contain removed or added code.
pub(super) struct ChangedFiles {
    pub(super) news: Vec<FileSymbols>,
    pub(super) olds: Vec<FileSymbols>,
    /// The lines of their symbols, in the order of `news` and `olds`.
    pub(super) new_bodies: Vec<Bodies>,
    pub(super) old_bodies: Vec<Bodies>,
    /// How the files of anchors changed, by their new paths.
    diffs: FxHashMap<String, LineDiff>,
    /// Both versions of the files that used the name of an anchor, by the old path and the new one.
    texts: Vec<Texts>,
    /// Number of the versions that the clone lacks.
    pub(super) n_unread: usize,
}

/// The old and the new path of a file, and its content.
type Texts = (String, String, Vec<u8>, Vec<u8>);

/// Code that a commit removed.
pub(super) struct Removed {
    pub(super) anchor: Anchor,
    /// The walk whose anchor is on it.
    pub(super) walk_idx: Option<usize>,
    /// The indices of its old file and of its symbol there.
    pub(super) place: Option<(usize, usize)>,
}

/// The names that both versions of a file define.
pub(super) struct SameNames {
    /// The new symbols that are the old ones of their names.
    pub(super) claimed: FxHashSet<(usize, usize)>,
    /// The new symbols with other code than before, by the old ones.
    pub(super) rewritten: FxHashMap<(usize, usize), (usize, usize)>,
}

/// The symbol that has the name of removed code in the new version of its file.
#[derive(Clone, Copy)]
pub(super) struct OwnName {
    symbol_idx: usize,
    /// Whether the code is under a new name.
    pub(super) is_taken_over: bool,
}

impl ChangedFiles {
    /// Reads and parses both versions of the changed files that may contain code of `anchors`.
    pub(super) fn read(
        objects: &mut Objects<'_>,
        versions: &mut Versions,
        anchors: &[&Anchor],
        changes: &[Change],
    ) -> Self {
        let missing: Vec<MissingAnchor<'_>> =
            anchors.iter().map(|anchor| MissingAnchor::new(anchor, None)).collect();
        let missing: Vec<&MissingAnchor<'_>> = missing.iter().collect();
        let prefilter = Prefilter::new(&missing);
        let own: FxHashSet<&str> = anchors.iter().map(|anchor| anchor.file.as_str()).collect();
        let mut n_unread = 0;
        let mut news: Vec<(&str, Vec<u8>)> = Vec::new();
        let mut olds: Vec<(&str, Vec<u8>)> = Vec::new();
        let mut diffs = FxHashMap::default();
        let mut texts = Vec::new();
        let finders: Vec<memmem::Finder<'_>> =
            missing.iter().map(|missing| memmem::Finder::new(missing.name)).collect();
        for change in changes {
            let is_own = change.old.as_ref().is_some_and(|old| own.contains(old.path.as_str()));
            let mut read = |version: Option<&git::Version>| {
                let bytes = version.and_then(|version| objects.read(&version.object));
                n_unread += usize::from(version.is_some() && bytes.is_none());
                bytes.filter(|_| !versions.is_limit_exceeded())
            };
            let new = read(change.new.as_ref());
            let old = read(change.old.as_ref());
            let matches = |version: Option<&git::Version>, bytes: Option<&Vec<u8>>| {
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
            if let (Some(version), Some(new), Some(old), true) = (&change.new, &new, &old, is_own) {
                diffs.insert(version.path.clone(), LineDiff::new(old, new));
            }
            if let (Some(before), Some(after)) = (&change.old, &change.new)
                && let (Some(old), Some(new)) = (&old, &new)
                && finders.iter().any(|it| it.find(old).is_some())
            {
                texts.push((before.path.clone(), after.path.clone(), old.clone(), new.clone()));
            }
            news.extend(change.new.as_ref().map(|it| it.path.as_str()).zip(new));
            olds.extend(change.old.as_ref().map(|it| it.path.as_str()).zip(old));
        }
        let parse = |mut files: Vec<(&str, Vec<u8>)>| -> (Vec<FileSymbols>, Vec<Bodies>) {
            files.sort_by(|a, b| a.0.cmp(b.0));
            let parse = |(path, bytes): &(&str, Vec<u8>)| {
                let file = FileSymbols::parse(path, bytes, ALL);
                let bodies = flow::bodies(&file, bytes);
                (file, bodies)
            };
            files.par_iter().map(parse).unzip()
        };
        let ((news, new_bodies), (olds, old_bodies)) = (parse(news), parse(olds));
        Self { news, olds, new_bodies, old_bodies, diffs, texts, n_unread }
    }

    /// Returns which names the callers of the removed code use instead. `names` has the names that may
    /// replace each removed one.
    pub(super) fn callers<'c>(&self, names: &BTreeMap<&'c str, BTreeSet<&'c str>>) -> Callers<'c> {
        let versions = self.texts.iter().filter_map(|(old_path, new_path, old, new)| {
            Some(callers::Versions {
                old,
                new,
                old_file: &self.olds[find_file(&self.olds, old_path)?],
                new_file: &self.news[find_file(&self.news, new_path)?],
            })
        });
        Callers::new(&versions.collect::<Vec<_>>(), names)
    }

    /// Compares the symbols with the same names. `old_paths` are the paths of the files by the new ones.
    pub(super) fn same_names(&self, old_paths: &FxHashMap<&str, &str>) -> SameNames {
        let (mut claimed, mut rewritten) = (FxHashSet::default(), FxHashMap::default());
        for (file_idx, file) in self.news.iter().enumerate() {
            let old_path = old_paths.get(file.path.as_str());
            let Some(old_idx) = old_path.and_then(|path| find_file(&self.olds, path)) else {
                continue;
            };
            let diff = self.diffs.get(&file.path);
            for (symbol_idx, symbol) in file.symbols.iter().enumerate() {
                let old_file = &self.olds[old_idx];
                let Some(before_idx) = likest_namesake(old_file, symbol) else { continue };
                let before = &old_file.symbols[before_idx];
                let is_taken_over =
                    |diff| stayed::is_taken_over(diff, (old_file, before.lines), (file, symbol));
                let (old, new) = (&before.features.fingerprint, &symbol.features.fingerprint);
                if is_rewritten(old, symbol)
                    || (old.bytes != new.bytes && diff.is_some_and(is_taken_over))
                {
                    rewritten.insert((old_idx, before_idx), (file_idx, symbol_idx));
                } else {
                    claimed.insert((file_idx, symbol_idx));
                }
            }
        }
        SameNames { claimed, rewritten }
    }

    /// Returns the symbol with the name of old code in `after_idx`, the new version of its file.
    pub(super) fn own_name(
        &self,
        (old_idx, symbol_idx): (usize, usize),
        after_idx: usize,
    ) -> Option<OwnName> {
        let (old_file, new) = (&self.olds[old_idx], &self.news[after_idx]);
        let (diff, old) = (self.diffs.get(&new.path)?, &old_file.symbols[symbol_idx]);
        let is_own = |it: &FileSymbol| same_name(it.name.as_deref(), old.name.as_deref());
        let symbol_idx = new.symbols.iter().position(is_own)?;
        let own = (new, &new.symbols[symbol_idx]);
        let is_taken_over = stayed::is_taken_over(diff, (old_file, old.lines), own);
        Some(OwnName { symbol_idx, is_taken_over })
    }

    /// Returns the share of the lines that old code and a symbol of the new version of its file have in
    /// common.
    pub(super) fn shared_lines(
        &self,
        (old_idx, old_symbol_idx): (usize, usize),
        own: Option<OwnName>,
        (file_idx, symbol_idx): (usize, usize),
    ) -> f64 {
        // Code that stayed under its name is not also elsewhere, not even in a part of it.
        if own.is_some_and(|own| !own.is_taken_over && own.symbol_idx != symbol_idx) {
            return 0.0;
        }
        let new = &self.news[file_idx];
        let old = &self.olds[old_idx].symbols[old_symbol_idx];
        let diff = self.diffs.get(&new.path);
        diff.map_or(0.0, |diff| diff.shared(old.lines, new.symbols[symbol_idx].lines))
    }

    /// Returns the removed code, that of `walk_idxs` first. The rest, which `is_removed` selects,
    /// competes for the added code.
    pub(super) fn removed(
        &self,
        walks: &[Walk],
        walk_idxs: impl Iterator<Item = usize>,
        is_removed: impl Fn(usize, usize) -> bool,
    ) -> Vec<Removed> {
        let mut all: Vec<Removed> = Vec::new();
        let mut followed: FxHashSet<(usize, usize)> = FxHashSet::default();
        for walk_idx in walk_idxs {
            let anchor = &walks[walk_idx].anchor;
            let place = find_file(&self.olds, &anchor.file).and_then(|old_idx| {
                Some((old_idx, in_place_match(anchor, &self.olds[old_idx])?.symbol_idx))
            });
            let fingerprint = match place {
                Some((old_idx, symbol_idx)) => self.olds[old_idx].fingerprint(symbol_idx),
                None => anchor.fingerprint.clone(),
            };
            followed.extend(place);
            let anchor = Anchor { fingerprint, ..anchor.clone() };
            all.push(Removed { anchor, walk_idx: Some(walk_idx), place });
        }
        for (old_idx, file) in self.olds.iter().enumerate() {
            for symbol_idx in 0..file.symbols.len() {
                if all.len() < MAX_REMOVED
                    && !followed.contains(&(old_idx, symbol_idx))
                    && is_removed(old_idx, symbol_idx)
                {
                    let (anchor, place) = (file.anchor(symbol_idx), Some((old_idx, symbol_idx)));
                    all.push(Removed { anchor, walk_idx: None, place });
                }
            }
        }
        all
    }

    /// Returns whether a method moved, under its name, to a base of its class or to a class derived
    /// from it. `place` is that of the method before, `after_idx` the new version of its file.
    pub(super) fn is_inherited(
        &self,
        place: (usize, usize),
        after_idx: Option<usize>,
        pair: &Pair,
    ) -> bool {
        let (old_file, new_file) = (&self.olds[place.0], &self.news[pair.file_idx]);
        let old_symbol = &old_file.symbols[place.1];
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
            let mut classes = file.symbols.iter().filter(|it| it.name.as_deref() == Some(class));
            classes.any(|it| it.features.bases.binary_search(&base).is_ok())
        };
        has_base(old_file, old_class, new_class)
            || after_idx.is_some_and(|idx| has_base(&self.news[idx], old_class, new_class))
            || has_base(new_file, new_class, old_class)
    }
}
