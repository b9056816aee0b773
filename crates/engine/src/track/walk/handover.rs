//! What a commit shows about removed and added code besides their similarity.
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

    /// Sets the odds of pairs by their code, by what stayed in place, and by what git says about their files.
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
        let assign =
            |pairs: &mut [Pair]| together::assign(self.candidates, pairs, &self.changed.new_paths);
        let assignments = assign(pairs);
        let left: FxHashSet<(usize, usize)> = assignments
            .iter()
            .zip(self.removed)
            .filter_map(|(assignment, removed)| {
                let found = pairs[assignment.found()?].symbol();
                removed.rewritten.filter(|symbol| *symbol != found)
            })
            .collect();
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
            assign(pairs)
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
        if new_name
            .strip_prefix(old_name.as_str())
            .is_some_and(|rest| rest.starts_with('.'))
        {
            return [NOTHING; 2];
        }
        let (from, to) = (
            (old_idx, old_name.as_str()),
            (pair.file_idx, new_name.as_str()),
        );
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
        let Candidates { missing, files, .. } = self.candidates;
        let name = |(file_idx, symbol_idx): (usize, usize)| {
            files[file_idx]
                .split_name(&files[file_idx].symbols[symbol_idx])
                .1
        };
        let added: BTreeSet<&str> = self.added().map(name).collect();
        let mut names: BTreeMap<&str, NewNames<'_>> = BTreeMap::new();
        for (removed, missing) in self.removed.iter().zip(missing) {
            if removed.walk_idx.is_some() && missing.anchor.symbol.is_some() {
                names.insert(missing.name, None);
            }
        }
        let callers = self.changed.callers(&names, &added);
        // The other removed code competes for these names.
        let followed: BTreeSet<&str> = names.keys().copied().collect();
        for pair in pairs {
            let (old, new) = (self.candidates.old(pair).name, self.name(pair));
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
        let Candidates { missing, files, .. } = self.candidates;
        let mut named: FxHashMap<&str, Vec<(usize, usize)>> = FxHashMap::default();
        for (file_idx, symbol_idx) in self.added() {
            let name = files[file_idx]
                .split_name(&files[file_idx].symbols[symbol_idx])
                .1;
            named.entry(name).or_default().push((file_idx, symbol_idx));
        }
        let missing = missing.iter().enumerate();
        let followed = missing.filter(|(idx, _)| self.removed[*idx].walk_idx.is_some());
        for (missing_idx, missing) in followed {
            let mut names: BTreeSet<&str> = callers.instead(missing.name).collect();
            names.extend(self.receivers(missing_idx));
            let places: BTreeSet<_> = names
                .iter()
                .filter_map(|name| named.get(name))
                .flatten()
                .collect();
            for &&(file_idx, symbol_idx) in &places {
                let (file, symbol) = (&files[file_idx], &files[file_idx].symbols[symbol_idx]);
                if known.contains(&(missing_idx, (file_idx, symbol_idx)))
                    || !missing.is_compatible(file, symbol)
                {
                    continue;
                }
                let evidence = Default::default();
                let mut pair = Pair {
                    missing_idx,
                    file_idx,
                    symbol_idx,
                    evidence,
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
        type Names<'n> = (&'n str, &'n str);
        /// The files and containers of definitions before and after the commit.
        type OldPlaces<'n> = BTreeSet<(&'n str, &'n str)>;
        type NewPlaces<'n> = BTreeSet<(usize, &'n str)>;
        let Self {
            candidates,
            changed,
            ..
        } = self;
        let mut olds: FxHashMap<&str, OldPlaces<'_>> = FxHashMap::default();
        for missing in candidates.missing {
            let place = (missing.anchor.file.as_str(), missing.container);
            olds.entry(missing.name).or_default().insert(place);
        }
        let mut news: FxHashMap<&str, NewPlaces<'_>> = FxHashMap::default();
        for (file_idx, symbol_idx) in self.added() {
            let file = &candidates.files[file_idx];
            let (container, name) = file.split_name(&file.symbols[symbol_idx]);
            news.entry(name).or_default().insert((file_idx, container));
        }
        let names = |pair: &Pair| -> Option<Names<'_>> {
            let (old, new) = (candidates.old(pair), self.name(pair));
            let (old_path, path) = candidates.paths(pair);
            let is_same_file = changed.new_paths.get(old_path).copied().unwrap_or(old_path) == path;
            // Definitions at one place were not renamed together.
            let is_repeated = olds.get(old.name).is_some_and(|places| places.len() >= 2);
            (is_repeated && is_same_file && old.anchor.symbol.is_some() && old.name != new)
                .then_some((old.name, new))
        };
        let mut places: FxHashMap<Names<'_>, (OldPlaces<'_>, NewPlaces<'_>)> = FxHashMap::default();
        for pair in pairs {
            if let Some(key) = names(pair) {
                let (olds, news) = places.entry(key).or_default();
                olds.insert((candidates.paths(pair).0, candidates.old(pair).container));
                news.insert((pair.file_idx, candidates.new_name(pair).0));
            }
        }
        let share = |pair: &Pair| {
            let Some(key) = names(pair) else { return 0.0 };
            let Some((old_places, new_places)) = places.get(&key) else {
                return 0.0;
            };
            let n = old_places.len().min(new_places.len());
            let n_all = olds
                .get(key.0)
                .map_or(0, BTreeSet::len)
                .max(news.get(key.1).map_or(0, BTreeSet::len));
            if n >= 2 {
                n as f64 / n_all.max(1) as f64
            } else {
                0.0
            }
        };
        pairs.iter().map(share).collect()
    }
}
