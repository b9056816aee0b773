//! The files that a commit changed, and the code that it removed from them.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::Anchor;
use crate::syntax::fingerprint::{name_hash, short_hash, split_name};
use crate::text;
use crate::tree::git::{self, Change, Objects};

use super::super::file_symbols::{ALL, FileSymbols, find_file};
use super::super::in_place_match;
use super::super::line_diff::LineDiff;
use super::super::search::{MissingAnchor, Pair, Prefilter};
use super::versions::Versions;
use super::{MAX_REMOVED, Walk};

/// The files that a commit changed, as far as they may contain removed or added code.
pub(super) struct ChangedFiles {
    pub(super) news: Vec<FileSymbols>,
    pub(super) olds: Vec<FileSymbols>,
    /// How the files of anchors changed, by their new paths.
    pub(super) diffs: FxHashMap<String, LineDiff>,
    /// Number of the versions that the clone lacks.
    pub(super) n_unread: usize,
}

/// Code that a commit removed.
pub(super) struct Removed {
    pub(super) anchor: Anchor,
    /// The walk whose anchor is on it.
    pub(super) walk_idx: Option<usize>,
    /// The indices of its old file and of its symbol there.
    pub(super) place: Option<(usize, usize)>,
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
        for change in changes {
            let is_own = change.old.as_ref().is_some_and(|old| own.contains(old.path.as_str()));
            let mut read = |version: Option<&git::Version>| {
                let bytes = version.and_then(|version| objects.read(&version.object));
                n_unread += usize::from(version.is_some() && bytes.is_none());
                bytes.filter(|_| !versions.is_limit_exceeded())
            };
            let new = read(change.new.as_ref());
            let old = if is_own || new.is_none() { read(change.old.as_ref()) } else { None };
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
            let old = old.or_else(|| read(change.old.as_ref()));
            let n_bytes = |version: &Option<Vec<u8>>| version.as_ref().map_or(0, Vec::len);
            versions.count(n_bytes(&new) + n_bytes(&old));
            if let (Some(version), Some(new), Some(old), true) = (&change.new, &new, &old, is_own) {
                diffs.insert(version.path.clone(), LineDiff::new(old, new));
            }
            news.extend(change.new.as_ref().map(|it| it.path.as_str()).zip(new));
            olds.extend(change.old.as_ref().map(|it| it.path.as_str()).zip(old));
        }
        let parse = |files: Vec<(&str, Vec<u8>)>| {
            let parse = |(path, bytes): &(&str, Vec<u8>)| FileSymbols::parse(path, bytes, ALL);
            let mut files: Vec<FileSymbols> = files.par_iter().map(parse).collect();
            files.sort_by(|a, b| a.path.cmp(&b.path));
            files
        };
        Self { news: parse(news), olds: parse(olds), diffs, n_unread }
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
