//! The evidence of a commit about removed and added code, besides their similarity.
//!
//! Pure. Short code that is rewritten when it moves has little in common with its successor. The rest of
//! the commit still shows where it went: callers call the successor where they called it
//! ([`Callers`]), the successor alone got identifiers that it alone lost ([`Flow`]), or all
//! implementations of a method changed their names together.

use std::collections::{BTreeMap, BTreeSet};

use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::together;
use super::callers::{Callers, NewNames};
use super::changed_files::{ChangedFiles, Removed, SameNames};
use super::exchanges::MIN_EXCHANGED;
use super::flow::Flow;
use crate::syntax::fingerprint::split_name;
use crate::track::assign::Assignment;
use crate::track::search::{Candidates, Pair};
use crate::track::weights::WEIGHTS;
use crate::track::{search, stayed};

/// The removed code and the versions of the files of a commit.
pub(super) struct Handover<'s> {
    pub(super) changed: &'s ChangedFiles<'s>,
    /// In the order of the missing anchors of `candidates`.
    pub(super) removed: &'s [Removed],
    pub(super) candidates: Candidates<'s>,
    pub(super) flow: Flow<'s>,
}

impl<'s> Handover<'s> {
    /// Adds the pairs that only the commit suggests, and sets the odds of all pairs.
    pub(super) fn apply(&self, pairs: &mut Vec<Pair>) {
        self.compare_files(pairs);
        let callers = self.callers(pairs);
        self.add_pairs(pairs, &callers);
        let together = self.renamed_together(pairs);
        pairs
            .par_iter_mut()
            .zip(together)
            .for_each(|(pair, together)| {
                let (share, n) = callers.switched(self.candidates.old(pair).name, self.name(pair));
                let added = &WEIGHTS.added;
                // One caller is less certain than several.
                pair.odds += added.called * share.sqrt() * n / (n + 0.5);
                let [(n_names, names), (n_lines, lines)] = self.moved(pair);
                pair.odds += added.got * names * n_names as f64 / (n_names + 1) as f64;
                pair.odds += added.got_lines * lines * n_lines as f64 / (n_lines + 1) as f64;
                pair.odds += added.renamed_together * together;
            });
    }

    /// Sets the odds of pairs by their code, by the code that stayed in place, and by the renames of files in git.
    fn compare_files(&self, pairs: &mut [Pair]) {
        let Self {
            changed,
            removed,
            candidates,
            ..
        } = self;
        let is_taken_over = |missing_idx: usize| removed[missing_idx].is_taken_over();
        let stayed = stayed::odds(*candidates, pairs, &changed.new_paths, is_taken_over);
        for (pair, stayed) in pairs.iter_mut().zip(stayed) {
            // Code that the commit added was not beside the removed code before.
            pair.evidence.was_sibling = false;
            pair.odds = pair.evidence.log_odds() + stayed;
            let (old_path, path) = candidates.paths(pair);
            if changed.new_paths.get(old_path) == Some(&path) && old_path != path {
                pair.odds += WEIGHTS.added.file_renamed;
            }
            let removed = &removed[pair.missing_idx];
            pair.odds += WEIGHTS.added.same_lines * changed.shared_lines(removed, pair);
            if changed.is_inherited(removed, pair) {
                pair.odds += WEIGHTS.added.inherited;
            }
        }
    }

    /// Assigns the removed code to added code. Code whose name stayed, and that is found nowhere else, was
    /// not taken over.
    pub(super) fn assign(&self, pairs: &mut Vec<Pair>, names: &SameNames) -> Vec<Assignment> {
        let new_paths = &self.changed.new_paths;
        let assignments = together::assign(self.candidates, pairs, new_paths);
        let mut left: FxHashSet<(usize, usize)> = FxHashSet::default();
        for (assignment, removed) in assignments.iter().zip(self.removed) {
            if let Some(pair_idx) = assignment.found()
                && let Some(rewritten) = removed.rewritten
                && rewritten != pairs[pair_idx].symbol()
            {
                left.insert(rewritten);
            }
        }
        let rewritten: FxHashSet<(usize, usize)> = names.rewritten.values().copied().collect();
        let n_pairs = pairs.len();
        pairs.retain(|pair| {
            let symbol = pair.symbol();
            self.removed[pair.missing_idx].rewritten == Some(symbol)
                || !rewritten.contains(&symbol)
                || left.contains(&symbol)
                // The name has exactly this code, and had other code.
                || self.is_taken(pair)
        });
        if pairs.len() < n_pairs {
            together::assign(self.candidates, pairs, new_paths)
        } else {
            assignments
        }
    }

    /// Returns whether new code is exactly the removed code, and too long to be so by chance.
    fn is_taken(&self, pair: &Pair) -> bool {
        let old = &self.candidates.old(pair).anchor.fingerprint;
        pair.evidence.is_same_code && old.n_tokens >= MIN_EXCHANGED
    }

    fn name(&self, pair: &Pair) -> &'s str {
        self.candidates.new_name(pair).1
    }

    /// Returns the definitions that are not the old ones of their names.
    fn added(&self) -> impl Iterator<Item = (usize, usize)> {
        let Candidates { files, claimed, .. } = self.candidates;
        files.iter().enumerate().flat_map(move |(file_idx, file)| {
            let symbols = file.symbols.iter().enumerate();
            let named = symbols.filter(|(_, symbol)| symbol.name.is_some());
            let places = named.map(move |(symbol_idx, _)| (file_idx, symbol_idx));
            places.filter(|place| !claimed.contains(place))
        })
    }

    /// Returns how many identifiers, and how many lines, only the old code lost and only the new code got,
    /// and their shares.
    fn moved(&self, pair: &Pair) -> [(usize, f64); 2] {
        const NOTHING: (usize, f64) = (0, 0.0);
        let Some((old_idx, symbol_idx)) = self.removed[pair.missing_idx].place else {
            return [NOTHING; 2];
        };
        let old = &self.changed.olds[old_idx].symbols[symbol_idx];
        let new = self.candidates.symbol(pair);
        let (Some(old_name), Some(new_name)) = (&old.name, &new.name) else {
            return [NOTHING; 2];
        };
        // A function whose body went into a method of a class with its name is that class now.
        if let Some(rest) = new_name.strip_prefix(old_name.as_str())
            && rest.starts_with('.')
        {
            return [NOTHING; 2];
        }
        let from = (old_idx, old_name.as_str());
        let to = (pair.file_idx, new_name.as_str());
        [
            self.flow.names.moved(from, &old.features.names, to),
            self.flow.lines.moved(from, &old.body, to),
        ]
    }

    /// Returns the names of the code that got identifiers or lines of removed code.
    fn receivers(&self, missing_idx: usize) -> impl Iterator<Item = &str> {
        let place = self.removed[missing_idx].place;
        let old = place.map(|(old_idx, idx)| &self.changed.olds[old_idx].symbols[idx]);
        let names = old
            .into_iter()
            .flat_map(|old| self.flow.names.got(&old.features.names));
        let lines = old
            .into_iter()
            .flat_map(|old| self.flow.lines.got(&old.body));
        names.chain(lines).map(|(_, name)| split_name(name).1)
    }

    /// Returns the names that the callers of the followed anchors, and of those that compete with them,
    /// use instead.
    fn callers(&self, pairs: &[Pair]) -> Callers<'s> {
        let added: BTreeSet<&str> = self.added().map(|place| self.split_name(place).1).collect();
        let mut names: BTreeMap<&str, NewNames<'_>> = BTreeMap::new();
        for (removed, missing) in self.removed.iter().zip(self.candidates.missing) {
            if removed.walk_idx.is_some() && missing.anchor.symbol.is_some() {
                names.insert(missing.name, None);
            }
        }
        let callers = self.changed.callers(&names, &added);
        // The other removed code competes for these names.
        let followed: BTreeSet<&str> = names.keys().copied().collect();
        for pair in pairs {
            let old = self.candidates.old(pair).name;
            let new = self.name(pair);
            if !followed.contains(old) && old != new && callers.is_used(new) {
                names
                    .entry(old)
                    .or_default()
                    .get_or_insert_default()
                    .insert(new);
            }
        }
        if names.len() > followed.len() {
            self.changed.callers(&names, &added)
        } else {
            callers
        }
    }

    /// Adds the pairs of followed anchors with code that shares too few identifiers to be compared.
    fn add_pairs(&self, pairs: &mut Vec<Pair>, callers: &Callers<'_>) {
        let known: FxHashSet<(usize, (usize, usize))> = pairs
            .iter()
            .map(|pair| (pair.missing_idx, pair.symbol()))
            .collect();
        let mut named: FxHashMap<&str, Vec<(usize, usize)>> = FxHashMap::default();
        for place in self.added() {
            let (_, name) = self.split_name(place);
            named.entry(name).or_default().push(place);
        }
        for (missing_idx, missing) in self.candidates.missing.iter().enumerate() {
            if self.removed[missing_idx].walk_idx.is_none() {
                continue;
            }
            let mut names: BTreeSet<&str> = callers.instead(missing.name).collect();
            names.extend(self.receivers(missing_idx));
            let mut places: BTreeSet<(usize, usize)> = BTreeSet::new();
            for name in names {
                places.extend(named.get(name).into_iter().flatten());
            }
            for (file_idx, symbol_idx) in places {
                let file = &self.candidates.files[file_idx];
                let symbol = &file.symbols[symbol_idx];
                if known.contains(&(missing_idx, (file_idx, symbol_idx)))
                    || !missing.is_compatible(file, symbol)
                {
                    continue;
                }
                let mut pair = Pair {
                    missing_idx,
                    file_idx,
                    symbol_idx,
                    evidence: Default::default(),
                    odds: 0.0,
                };
                let (share, _) = callers.switched(missing.name, self.name(&pair));
                if share >= WEIGHTS.compared || self.moved(&pair).iter().any(|(n, _)| *n > 0) {
                    pair.evidence = search::evidence(missing, file, symbol);
                    pair.odds = pair.evidence.log_odds();
                    pairs.push(pair);
                }
            }
        }
    }

    /// Returns for each pair whether definitions of the old name in several classes or files became
    /// definitions of the new one there, as a share of all definitions of both.
    fn renamed_together(&self, pairs: &[Pair]) -> Vec<f64> {
        /// The files and containers of definitions before and after the commit.
        type OldPlaces<'n> = BTreeSet<(&'n str, &'n str)>;
        type NewPlaces<'n> = BTreeSet<(usize, &'n str)>;
        let candidates = self.candidates;
        let mut olds: FxHashMap<&str, OldPlaces<'_>> = FxHashMap::default();
        for missing in candidates.missing {
            let place = (missing.anchor.file.as_str(), missing.container);
            olds.entry(missing.name).or_default().insert(place);
        }
        let mut news: FxHashMap<&str, NewPlaces<'_>> = FxHashMap::default();
        for (file_idx, symbol_idx) in self.added() {
            let (container, name) = self.split_name((file_idx, symbol_idx));
            news.entry(name).or_default().insert((file_idx, container));
        }
        let is_renamed = |pair: &Pair| {
            // Definitions at one place were not renamed together.
            self.is_renamed(pair) && olds[candidates.old(pair).name].len() >= 2
        };
        let mut places: FxHashMap<(&str, &str), (OldPlaces<'_>, NewPlaces<'_>)> =
            FxHashMap::default();
        for pair in pairs {
            if is_renamed(pair) {
                let old = candidates.old(pair);
                let (new_container, new_name) = candidates.new_name(pair);
                let (old_places, new_places) = places.entry((old.name, new_name)).or_default();
                old_places.insert((candidates.paths(pair).0, old.container));
                new_places.insert((pair.file_idx, new_container));
            }
        }
        let mut shares = Vec::with_capacity(pairs.len());
        for pair in pairs {
            let old_name = candidates.old(pair).name;
            let new_name = self.name(pair);
            let mut share = 0.0;
            if is_renamed(pair)
                && let Some((old_places, new_places)) = places.get(&(old_name, new_name))
            {
                let n = old_places.len().min(new_places.len());
                let n_new = news.get(new_name).map(BTreeSet::len).unwrap_or_default();
                let n_all = olds[old_name].len().max(n_new);
                if n >= 2 {
                    share = n as f64 / n_all.max(1) as f64;
                }
            }
            shares.push(share);
        }
        shares
    }

    /// Returns whether a pair is a symbol with another name in the file of the old one.
    fn is_renamed(&self, pair: &Pair) -> bool {
        let old = self.candidates.old(pair);
        let (old_path, path) = self.candidates.paths(pair);
        let new_path = self.changed.new_paths.get(old_path).unwrap_or(&old_path);
        *new_path == path && old.anchor.symbol.is_some() && old.name != self.name(pair)
    }

    /// Returns the container and the name of a definition.
    fn split_name(&self, (file_idx, symbol_idx): (usize, usize)) -> (&'s str, &'s str) {
        let file = &self.candidates.files[file_idx];
        file.split_name(&file.symbols[symbol_idx])
    }
}
