//! The identifiers and the lines that a commit took out of one function and put into one other.
//!
//! Pure. A short body may have few tokens in common with its successor. If these are names or statements
//! that no other function lost or got in the commit, the body went there.

use std::collections::BTreeMap;
use std::hash::Hash;

use cerberus_model::SymbolKind;
use memchr::memmem;
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

use super::super::line_diff;
use super::super::search::is_same_family;
use super::changed_files::{ChangedFiles, SameNames};
use crate::syntax::fingerprint::split_name;
use crate::track::file_symbols::{FileSymbol, FileSymbols};

/// A definition: the index of its file and its qualified name. Overloads are one.
pub(super) type Place<'f> = (usize, &'f str);

/// For each identifier or line, the only function that lost or got it, or `None` if several did.
type Carriers<'f, K> = FxHashMap<K, Option<Place<'f>>>;

/// Sets the lines of the bodies of functions: those after the one with the name, without indentation.
pub(super) fn set_bodies(file: &mut FileSymbols, bytes: &[u8]) {
    let lines = line_diff::trimmed_lines(bytes);
    for symbol in &mut file.symbols {
        let Some(name) = function_name(symbol) else {
            continue;
        };
        let (_, last_name) = split_name(name);
        let (first, last) = symbol.lines;
        let own = lines.iter().take(last as usize + 1).skip(first as usize);
        let from_name = own.skip_while(|line| memmem::find(line, last_name.as_bytes()).is_none());
        let mut body = Vec::new();
        for line in from_name.skip(1) {
            if line_diff::weight(line) >= line_diff::MIN_LETTERS {
                body.push(xxh3_64(line));
            }
        }
        symbol.body = body;
    }
}

/// The functions that lost and those that got identifiers or lines.
#[derive(Debug)]
pub(super) struct Flow<'f> {
    pub(super) names: Exchange<'f, u16>,
    pub(super) lines: Exchange<'f, u64>,
}

/// The identifiers or lines that functions lost and got.
#[derive(Debug)]
pub(super) struct Exchange<'f, K> {
    lost: Carriers<'f, K>,
    got: Carriers<'f, K>,
}

impl<'f> Flow<'f> {
    /// Compares the functions of both versions of the changed files.
    pub(super) fn new(changed: &'f ChangedFiles<'_>, names: &SameNames) -> Self {
        Self {
            names: Exchange::new(changed, names, |symbol| &symbol.features.names),
            lines: Exchange::new(changed, names, |symbol| &symbol.body),
        }
    }
}

impl<'f, K: Copy + Eq + Hash + 'f> Exchange<'f, K> {
    fn new(
        changed: &'f ChangedFiles<'_>,
        names: &SameNames,
        contents: impl Fn(&'f FileSymbol) -> &'f [K],
    ) -> Self {
        let mut this = Self {
            lost: FxHashMap::default(),
            got: FxHashMap::default(),
        };
        let mut is_compared: FxHashSet<usize> = FxHashSet::default();
        for (old_idx, (old, new_idx)) in changed.olds.iter().zip(&changed.new_idxs).enumerate() {
            let before = functions(old, &contents, |symbol_idx| {
                names.rewritten.contains_key(&(old_idx, symbol_idx))
            });
            let Some(new_idx) = *new_idx else {
                note(&mut this.lost, old_idx, &before, &BTreeMap::new());
                continue;
            };
            is_compared.insert(new_idx);
            let after = functions(&changed.news[new_idx], &contents, |_| false);
            note(&mut this.lost, old_idx, &before, &after);
            note(&mut this.got, new_idx, &after, &before);
        }
        for (new_idx, new) in changed.news.iter().enumerate() {
            if !is_compared.contains(&new_idx) {
                let after = functions(new, &contents, |_| false);
                note(&mut this.got, new_idx, &after, &BTreeMap::new());
            }
        }
        this
    }

    /// Returns the functions that alone got one of `contents`.
    pub(super) fn got(&self, contents: &[K]) -> impl Iterator<Item = Place<'f>> {
        contents
            .iter()
            .filter_map(|content| *self.got.get(content)?)
    }

    /// Returns the number of identifiers or lines that one function alone lost and another alone got, and their
    /// share of those that it alone lost. `contents` has those of the old function.
    pub(super) fn moved(&self, old: Place<'_>, contents: &[K], new: Place<'_>) -> (usize, f64) {
        let mut n_own = 0;
        let mut n_moved = 0;
        for content in contents {
            if self.lost.get(content) != Some(&Some(old)) {
                continue;
            }
            n_own += 1;
            if self.got.get(content) == Some(&Some(new)) {
                n_moved += 1;
            }
        }
        (n_moved, n_moved as f64 / n_own.max(1) as f64)
    }
}

/// Returns the contents of each function of a file.
fn functions<'f, K: Copy + Eq + Hash + 'f>(
    file: &'f FileSymbols,
    contents: impl Fn(&'f FileSymbol) -> &'f [K],
    is_skipped: impl Fn(usize) -> bool,
) -> BTreeMap<&'f str, FxHashSet<K>> {
    let mut found: BTreeMap<&str, FxHashSet<K>> = BTreeMap::new();
    for (symbol_idx, symbol) in file.symbols.iter().enumerate() {
        if let Some(name) = function_name(symbol)
            && !is_skipped(symbol_idx)
        {
            found.entry(name).or_default().extend(contents(symbol));
        }
    }
    found
}

fn function_name(symbol: &FileSymbol) -> Option<&str> {
    if !is_same_family(symbol.kind, SymbolKind::Function) {
        return None;
    }
    symbol.name.as_deref()
}

/// Notes the contents of each function of a file that it does not have in the other version.
fn note<'f, K: Copy + Eq + Hash>(
    carriers: &mut Carriers<'f, K>,
    file_idx: usize,
    own: &BTreeMap<&'f str, FxHashSet<K>>,
    other: &BTreeMap<&'f str, FxHashSet<K>>,
) {
    for (name, contents) in own {
        let place = Some((file_idx, *name));
        let others = other.get(name);
        let new = contents.iter().filter(|content| match others {
            Some(others) => !others.contains(content),
            None => true,
        });
        for content in new {
            let carrier = carriers.entry(*content).or_insert(place);
            if *carrier != place {
                *carrier = None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::file_symbols::ALL;
    use super::*;

    /// Returns how many identifiers and lines moved from `stories` to `arguments` when a file changed.
    fn moved(old: &str, new: &str) -> [(usize, f64); 2] {
        let parse = |text: &str| {
            let mut file = FileSymbols::parse("a.py", text.as_bytes(), ALL);
            set_bodies(&mut file, text.as_bytes());
            file
        };
        let changed = ChangedFiles::of(vec![parse(old)], vec![parse(new)]);
        let flow = Flow::new(&changed, &SameNames::default());
        let lost = &changed.olds[0].symbols[0];
        let (old, new) = ((0, "stories"), (0, "Provider.arguments"));
        [
            flow.names.moved(old, &lost.features.names, new),
            flow.lines.moved(old, &lost.body, new),
        ]
    }

    const OLD: &str = "def stories():\n    return load(current_draft)\n\ndef run():\n    start()\n";

    #[test]
    fn identifiers_of_removed_code_are_in_new_code() {
        let new = "class Provider:\n    def arguments(self):\n        return load(current_draft)\n\ndef run():\n    start()\n";
        assert_eq!(moved(OLD, new), [(2, 1.0), (1, 1.0)]);
    }

    #[test]
    fn identifiers_that_several_functions_got_show_nothing() {
        let new = "class Provider:\n    def arguments(self):\n        return load(current_draft)\n\ndef run():\n    start(load(current_draft))\n";
        assert_eq!(moved(OLD, new), [(0, 0.0), (1, 1.0)]);
        let new = new.replace("start(load(current_draft))", "return load(current_draft)");
        assert_eq!(moved(OLD, &new)[1], (0, 0.0));
    }
}
