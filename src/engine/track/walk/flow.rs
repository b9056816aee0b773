//! The identifiers that a commit took out of one function and put into one other.
//!
//! Pure. A short body may have few tokens in common with its successor. If these are names that no
//! other function lost or got in the commit, the body went there.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::file_symbols::{FileSymbol, FileSymbols};
use super::super::search::is_same_family;
use crate::model::SymbolKind;

/// A definition: the index of its file and its qualified name. Overloads are one.
type Place<'f> = (usize, &'f str);

/// For each identifier, the only function that lost or got it, or `None` if several did.
type Carriers<'f> = FxHashMap<u16, Option<Place<'f>>>;

/// The functions that lost and those that got identifiers.
#[derive(Debug, Default)]
pub(super) struct Flow<'f> {
    lost: Carriers<'f>,
    got: Carriers<'f>,
}

impl<'f> Flow<'f> {
    /// Compares the functions of both versions of the changed files. `version_idx` has the new version
    /// of an old file.
    pub(super) fn new(
        olds: &'f [FileSymbols],
        news: &'f [FileSymbols],
        version_idx: impl Fn(usize) -> Option<usize>,
        is_rewritten: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let mut this = Self::default();
        let mut is_compared: FxHashSet<usize> = FxHashSet::default();
        for (old_idx, old) in olds.iter().enumerate() {
            let new_idx = version_idx(old_idx);
            is_compared.extend(new_idx);
            let before = functions(old, |idx| is_rewritten(old_idx, idx));
            let after = new_idx.map(|idx| functions(&news[idx], |_| false)).unwrap_or_default();
            note(&mut this.lost, old_idx, &before, &after);
            if let Some(new_idx) = new_idx {
                note(&mut this.got, new_idx, &after, &before);
            }
        }
        for (new_idx, new) in news.iter().enumerate() {
            if !is_compared.contains(&new_idx) {
                note(&mut this.got, new_idx, &functions(new, |_| false), &BTreeMap::new());
            }
        }
        this
    }

    /// Returns the number of identifiers that one function alone lost and another alone got, and their
    /// share of those that it alone lost.
    pub(super) fn moved(&self, old: Place<'_>, names: &[u16], new: Place<'_>) -> (usize, f64) {
        let own = names.iter().filter(|name| self.lost.get(name) == Some(&Some(old)));
        let (mut n_own, mut n_moved) = (0, 0);
        for name in own {
            n_own += 1;
            n_moved += usize::from(self.got.get(name) == Some(&Some(new)));
        }
        (n_moved, n_moved as f64 / n_own.max(1) as f64)
    }
}

/// Returns the identifiers of each function of a file.
fn functions(
    file: &FileSymbols,
    is_skipped: impl Fn(usize) -> bool,
) -> BTreeMap<&str, FxHashSet<u16>> {
    let mut found: BTreeMap<&str, FxHashSet<u16>> = BTreeMap::new();
    for (symbol_idx, symbol) in file.symbols.iter().enumerate() {
        if let Some(name) = function_name(symbol).filter(|_| !is_skipped(symbol_idx)) {
            found.entry(name).or_default().extend(&symbol.features.names);
        }
    }
    found
}

fn function_name(symbol: &FileSymbol) -> Option<&str> {
    symbol.name.as_deref().filter(|_| is_same_family(symbol.kind, SymbolKind::Function))
}

/// Notes the identifiers of each function of a file that it does not have in the other version.
fn note<'f>(
    carriers: &mut Carriers<'f>,
    file_idx: usize,
    own: &BTreeMap<&'f str, FxHashSet<u16>>,
    other: &BTreeMap<&'f str, FxHashSet<u16>>,
) {
    for (name, identifiers) in own {
        let place = (file_idx, *name);
        let is_new = |it: &&u16| !other.get(name).is_some_and(|other| other.contains(it));
        for identifier in identifiers.iter().filter(is_new) {
            carriers
                .entry(*identifier)
                .and_modify(|carrier| {
                    if *carrier != Some(place) {
                        *carrier = None;
                    }
                })
                .or_insert(Some(place));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::file_symbols::ALL;
    use super::*;

    /// Returns what moved from `stories` to `arguments` when a file changed.
    fn moved(old: &str, new: &str) -> (usize, f64) {
        let parse = |text: &str| [FileSymbols::parse("a.py", text.as_bytes(), ALL)];
        let (olds, news) = (parse(old), parse(new));
        let flow = Flow::new(&olds, &news, Some, |_, _| false);
        flow.moved((0, "stories"), &olds[0].symbols[0].features.names, (0, "Provider.arguments"))
    }

    const OLD: &str = "def stories():\n    return load(current_draft)\n\ndef run():\n    start()\n";

    #[test]
    fn identifiers_of_removed_code_are_in_new_code() {
        let new = "class Provider:\n    def arguments(self):\n        return load(current_draft)\n\ndef run():\n    start()\n";
        let (n, share) = moved(OLD, new);
        assert!(n == 2 && share >= 1.0, "{n} {share}");
    }

    #[test]
    fn identifiers_that_several_functions_got_show_nothing() {
        let new = "class Provider:\n    def arguments(self):\n        return load(current_draft)\n\ndef run():\n    start(load(current_draft))\n";
        assert_eq!(moved(OLD, new).0, 0);
    }
}
