//! Names that a commit gave to the code of other names.
//!
//! Pure. If the code of `a` is exactly under the name `b` after a commit, and `b` had other code before
//! it, then `b` is not the old `b`, edited: the names were swapped, moved on, or used again. Only code
//! that occurs once before and once after the commit decides, since short code may be equal by chance.

use rustc_hash::FxHashMap;

use super::namesakes;
use crate::track::file_symbols::{FileSymbol, FileSymbols};
use crate::track::in_place::similarity;
use crate::track::search;
use crate::track::weights::WEIGHTS;

/// Shorter code is too often written twice, such as a getter or an empty method.
pub(super) const MIN_EXCHANGED: u32 = 12;

/// A file and a symbol in it.
type Place = (usize, usize);

/// The code before and after a commit.
pub(super) struct Exchanges<'f> {
    olds: &'f [FileSymbols],
    news: &'f [FileSymbols],
    new_idxs: &'f [Option<usize>],
    /// The places of each code that occurs once.
    old_places: FxHashMap<u64, Place>,
    new_places: FxHashMap<u64, Place>,
}

impl<'f> Exchanges<'f> {
    pub(super) fn new(
        olds: &'f [FileSymbols],
        news: &'f [FileSymbols],
        new_idxs: &'f [Option<usize>],
    ) -> Self {
        Self {
            olds,
            news,
            new_idxs,
            old_places: unique(olds),
            new_places: unique(news),
        }
    }

    /// Returns whether the symbol of a name after the commit has the code of another name before it, or
    /// has lost its own to a new name and is more like removed code.
    pub(super) fn is_exchanged(&self, before: Place, after: Place) -> bool {
        let (old, new) = (symbol(self.olds, before), symbol(self.news, after));
        if hash(old) == hash(new) {
            return false;
        }
        let got = self.old_places.get(&hash(new)).copied();
        if let Some(source) = got.filter(|source| *source != before) {
            return is_same_kind(symbol(self.olds, source), new) && self.has_left(source);
        }
        let lost = self
            .new_places
            .get(&hash(old))
            .copied()
            .filter(|place| *place != after);
        lost.is_some_and(|target| {
            is_same_kind(old, symbol(self.news, target))
                && self.is_new_name(target)
                && self.is_more_like_removed(old, new)
        })
    }

    /// Returns whether the name of old code has other code after the commit, or is gone. An edit beside a
    /// copy of the old code leaves the name with its code.
    fn has_left(&self, source: Place) -> bool {
        let old = symbol(self.olds, source);
        let Some(new_idx) = self.new_idxs[source.0] else {
            return true;
        };
        let mut own = namesakes(&self.news[new_idx], old).map(|(_, symbol)| symbol);
        own.all(|symbol| {
            likeness(old, symbol) < WEIGHTS.rewritten
                || self
                    .old_places
                    .get(&hash(symbol))
                    .is_some_and(|place| *place != source)
        })
    }

    /// Returns whether the file of a new symbol had no symbol of its name.
    fn is_new_name(&self, target: Place) -> bool {
        let mut new_idxs = self.new_idxs.iter();
        let Some(old_idx) = new_idxs.position(|new_idx| *new_idx == Some(target.0)) else {
            return true;
        };
        let new = symbol(self.news, target);
        namesakes(&self.olds[old_idx], new).next().is_none()
    }

    /// Returns whether the code that a name has now is more like code whose name is gone than like its own
    /// before.
    fn is_more_like_removed(&self, old: &FileSymbol, new: &FileSymbol) -> bool {
        let own = likeness(old, new);
        for (file, new_idx) in self.olds.iter().zip(self.new_idxs) {
            for symbol in &file.symbols {
                if symbol.name.is_none()
                    || !is_same_kind(symbol, new)
                    || likeness(symbol, new) <= own
                {
                    continue;
                }
                let is_gone = match *new_idx {
                    Some(new_idx) => namesakes(&self.news[new_idx], symbol).next().is_none(),
                    None => true,
                };
                if is_gone {
                    return true;
                }
            }
        }
        false
    }
}

/// Returns the places of the code that is long enough and occurs once.
fn unique(files: &[FileSymbols]) -> FxHashMap<u64, Place> {
    let mut places: FxHashMap<u64, Option<Place>> = FxHashMap::default();
    for (file_idx, file) in files.iter().enumerate() {
        for (symbol_idx, symbol) in file.symbols.iter().enumerate() {
            if symbol.name.is_some() && symbol.features.fingerprint.n_tokens >= MIN_EXCHANGED {
                let place = (file_idx, symbol_idx);
                places
                    .entry(hash(symbol))
                    .and_modify(|only| *only = None)
                    .or_insert(Some(place));
            }
        }
    }
    places
        .into_iter()
        .filter_map(|(hash, place)| Some((hash, place?)))
        .collect()
}

fn symbol(files: &[FileSymbols], (file_idx, symbol_idx): Place) -> &FileSymbol {
    &files[file_idx].symbols[symbol_idx]
}

fn hash(symbol: &FileSymbol) -> u64 {
    symbol.features.fingerprint.name_independent_hash
}

fn likeness(a: &FileSymbol, b: &FileSymbol) -> f64 {
    similarity(&a.features.fingerprint, &b.features.fingerprint)
}

fn is_same_kind(a: &FileSymbol, b: &FileSymbol) -> bool {
    search::is_same_family(a.kind, b.kind)
}

#[cfg(test)]
mod tests {
    use super::super::super::file_symbols::ALL;
    use super::*;

    const LIST: &str = "(depot, limit):\n    found = [shelf.label for shelf in depot.shelves if shelf.weight > limit]\n    return sorted(found)\n";
    const FLUSH: &str = "(depot, clock):\n    session = depot.open(clock.now())\n    session.save(timeout=30)\n    return session.close()\n";
    const SHORT: &str = "(depot):\n    return depot.size\n";

    fn file(path: &str, functions: &[(&str, &str)]) -> FileSymbols {
        let code: String = functions
            .iter()
            .map(|(name, body)| format!("def {name}{body}\n\n"))
            .collect();
        FileSymbols::parse(path, code.as_bytes(), ALL)
    }

    /// Checks whether the first function of a file has the code of another one after a commit.
    #[track_caller]
    fn check(old: &[(&str, &str)], new: &[(&str, &str)], expected: bool) {
        let (olds, news) = ([file("a.py", old)], [file("a.py", new)]);
        let new_idxs = [Some(0)];
        let exchanges = Exchanges::new(&olds, &news, &new_idxs);
        assert_eq!(exchanges.is_exchanged((0, 0), (0, 0)), expected, "{new:?}");
    }

    #[test]
    fn a_name_with_the_code_of_another_one_is_exchanged() {
        let old = [("flush", FLUSH), ("list", LIST)];
        check(&old, &[("flush", LIST), ("list", FLUSH)], true);
        check(&old, &[("flush", LIST), ("drain", FLUSH)], true);
        check(&old, &[("flush", LIST)], true);
        check(&old, &[("flush", FLUSH), ("list", LIST)], false);
    }

    #[test]
    fn a_name_whose_code_got_a_new_name_is_exchanged_for_removed_code() {
        let edited = LIST.replace("sorted(found)", "found");
        let old = [("flush", SHORT), ("drain", FLUSH), ("list", LIST)];
        check(
            &old,
            &[("flush", &edited), ("drain", FLUSH), ("size", SHORT)],
            false,
        );
        let old = [("flush", FLUSH), ("list", LIST)];
        check(&old, &[("flush", &edited), ("drain", FLUSH)], true);
        check(
            &old,
            &[("flush", &edited), ("list", LIST), ("drain", FLUSH)],
            false,
        );
    }

    #[test]
    fn copies_and_short_code_prove_nothing() {
        let old = [("flush", FLUSH), ("list", LIST)];
        check(&old, &[("flush", LIST), ("list", LIST)], false);
        check(
            &[("flush", FLUSH), ("size", SHORT)],
            &[("flush", SHORT)],
            false,
        );
        check(
            &[("flush", FLUSH), ("a", LIST), ("b", LIST)],
            &[("flush", LIST)],
            false,
        );
    }
}
