//! The names by which the callers of removed code call other code.
//!
//! Pure. If a commit replaces `close(conn)` by `conn.shut()` in the callers, `shut` has the role that
//! `close` had, however little their code has in common.

use std::collections::{BTreeMap, BTreeSet};

use cerberus_model::sorted;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::line_diff::trimmed_lines;
use super::MAX_COMPARED;
use crate::syntax::fingerprint::{hashed_words, name_hash, short_hash};
use crate::track::file_symbols::FileSymbols;
use crate::track::weights::WEIGHTS;

/// Maximum number of lines of a statement, and of statements of a file that call one name.
const MAX_LINES: usize = 5;
const MAX_STATEMENTS: usize = 50;

/// Both versions of a file that a commit changed.
pub(super) struct Versions<'v> {
    pub(super) old: &'v [u8],
    pub(super) new: &'v [u8],
    pub(super) old_file: &'v FileSymbols,
    pub(super) new_file: &'v FileSymbols,
}

/// The new names that may replace a removed one, unless all may that the commit added.
pub(super) type NewNames<'n> = Option<BTreeSet<&'n str>>;

/// A statement of a new version with an added name.
struct Added<'n> {
    name: &'n str,
    name_hash: u16,
    /// The hashes of its words, sorted.
    words: Vec<u16>,
}

/// For each removed name, how many statements used it and which new names they use instead.
#[derive(Debug, Default)]
pub(super) struct Callers<'c> {
    n_statements: FxHashMap<&'c str, usize>,
    n_switched: FxHashMap<&'c str, BTreeMap<&'c str, f64>>,
    used: FxHashSet<&'c str>,
    n_compared: usize,
}

impl<'c> Callers<'c> {
    /// Counts the statements of `files`. `names` are the removed names, and `added` are the names that
    /// the commit added.
    pub(super) fn new(
        files: &[Versions<'_>],
        names: &BTreeMap<&'c str, NewNames<'c>>,
        added: &BTreeSet<&'c str>,
    ) -> Self {
        let mut this = Self::default();
        let new_names = added
            .iter()
            .chain(names.values().flatten().flatten())
            .copied()
            .collect();
        for file in files {
            let old_lines = trimmed_lines(file.old);
            let new_lines = trimmed_lines(file.new);
            let stayed: FxHashSet<&[u8]> = new_lines.iter().copied().collect();
            let lines = by_word(&old_lines, |_| true);
            let definitions = definitions(file.old_file);
            let added = added_calls(file.new_file, (&old_lines, &new_lines), &new_names);
            for (old_name, new_names) in names {
                let mut n_calls = 0;
                for &line_idx in lines.get(&hash(old_name)).into_iter().flatten() {
                    if n_calls == MAX_STATEMENTS {
                        break;
                    }
                    if is_within(&definitions, old_name, line_idx) {
                        continue;
                    }
                    n_calls += 1;
                    if stayed.contains(old_lines[line_idx]) {
                        continue;
                    }
                    let before = statement(&old_lines, line_idx);
                    let new = added.iter().filter(|added| match new_names {
                        Some(names) => names.contains(added.name),
                        None => added.name != *old_name,
                    });
                    this.count(old_name, &before, new);
                }
                *this.n_statements.entry(old_name).or_default() += n_calls;
            }
        }
        this
    }

    /// Returns the share of the statements with the old name that use the new one instead, and their
    /// number.
    pub(super) fn switched(&self, old_name: &str, new_name: &str) -> (f64, f64) {
        let n = match self.n_switched.get(old_name) {
            Some(switched) => switched.get(new_name).copied().unwrap_or_default(),
            None => 0.0,
        };
        let n_all = self.n_statements.get(old_name).copied().unwrap_or_default();
        (n / n_all.max(1) as f64, n)
    }

    /// Returns the names that statements use instead of a removed one.
    pub(super) fn instead(&self, old_name: &str) -> impl Iterator<Item = &'c str> {
        self.n_switched
            .get(old_name)
            .into_iter()
            .flat_map(BTreeMap::keys)
            .copied()
    }

    /// Returns whether any statement uses a name instead of a removed one.
    pub(super) fn is_used(&self, new_name: &str) -> bool {
        self.used.contains(new_name)
    }

    /// Counts which of the added statements replaced one with the words `before`.
    fn count<'a>(
        &mut self,
        old_name: &'c str,
        before: &[u16],
        added: impl Iterator<Item = &'a Added<'c>>,
    ) where
        'c: 'a,
    {
        let old_hash = hash(old_name);
        let mut best_likeness = WEIGHTS.same_statement;
        let mut best: BTreeSet<&'c str> = BTreeSet::new();
        for added in added {
            self.n_compared += 1;
            if self.n_compared > MAX_COMPARED {
                return;
            }
            if before.binary_search(&added.name_hash).is_ok()
                || added.words.binary_search(&old_hash).is_ok()
            {
                continue;
            }
            let likeness = dice_without((before, old_hash), (&added.words, added.name_hash));
            if likeness > best_likeness {
                best_likeness = likeness;
                best.clear();
            }
            if likeness >= best_likeness {
                best.insert(added.name);
            }
        }
        let share = 1.0 / best.len().max(1) as f64;
        for name in best {
            let switched = self.n_switched.entry(old_name).or_default();
            *switched.entry(name).or_default() += share;
            self.used.insert(name);
        }
    }
}

/// Returns the statements with one of `names` on a line that only the new version has.
fn added_calls<'c>(
    new_file: &FileSymbols,
    (old_lines, new_lines): (&[&[u8]], &[&[u8]]),
    names: &BTreeSet<&'c str>,
) -> Vec<Added<'c>> {
    let was_there: FxHashSet<&[u8]> = old_lines.iter().copied().collect();
    let lines = by_word(new_lines, |line| !was_there.contains(line));
    let definitions = definitions(new_file);
    let mut calls = Vec::new();
    for name in names {
        let name_hash = hash(name);
        for &line_idx in lines.get(&name_hash).into_iter().flatten() {
            if !is_within(&definitions, name, line_idx) {
                calls.push(Added {
                    name,
                    name_hash,
                    words: statement(new_lines, line_idx),
                });
            }
        }
    }
    calls
}

/// Returns the lines with each word.
fn by_word(lines: &[&[u8]], is_wanted: impl Fn(&[u8]) -> bool) -> FxHashMap<u16, Vec<usize>> {
    let mut idxs: FxHashMap<u16, Vec<usize>> = FxHashMap::default();
    for (idx, line) in lines.iter().enumerate() {
        if !is_wanted(line) {
            continue;
        }
        for word in words(line) {
            idxs.entry(word).or_default().push(idx);
        }
    }
    idxs
}

/// The first and last lines of the definitions of each name.
type Definitions<'f> = FxHashMap<&'f str, Vec<(u32, u32)>>;

fn definitions(file: &FileSymbols) -> Definitions<'_> {
    let mut found = Definitions::default();
    for symbol in &file.symbols {
        if symbol.name.is_some() {
            let (_, name) = file.split_name(symbol);
            found.entry(name).or_default().push(symbol.lines);
        }
    }
    found
}

/// Returns whether a line is inside a definition of this name.
fn is_within(definitions: &Definitions<'_>, name: &str, line_idx: usize) -> bool {
    let mut lines = definitions.get(name).into_iter().flatten();
    lines.any(|(first, last)| (*first as usize..=*last as usize).contains(&line_idx))
}

fn hash(name: &str) -> u16 {
    short_hash(name_hash(name))
}

/// Returns the distinct words from a line to the end of its brackets.
fn statement(lines: &[&[u8]], first: usize) -> Vec<u16> {
    let mut depth = 0i32;
    let mut text: Vec<u8> = Vec::new();
    for line in lines.iter().skip(first).take(MAX_LINES) {
        text.extend_from_slice(line);
        text.push(b'\n');
        for byte in *line {
            match byte {
                b'(' | b'[' => depth += 1,
                b')' | b']' => depth -= 1,
                _ => {}
            }
        }
        if depth <= 0 {
            break;
        }
    }
    words(&text)
}

/// Returns the hashes of the distinct words, sorted.
fn words(text: &[u8]) -> Vec<u16> {
    sorted(hashed_words(&String::from_utf8_lossy(text)))
}

/// Returns the Dice coefficient of two sorted sets, each without one word that it contains.
fn dice_without((a, a_word): (&[u16], u16), (b, b_word): (&[u16], u16)) -> f64 {
    let mut n_shared = 0;
    for word in a {
        if *word != a_word && *word != b_word && b.binary_search(word).is_ok() {
            n_shared += 1;
        }
    }
    (2 * n_shared) as f64 / (a.len() + b.len()).saturating_sub(2).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::super::super::file_symbols::ALL;
    use super::*;

    /// Returns the uses of `shut` and of `open` in place of `close`.
    fn switched(old: &str, new: &str) -> [(f64, f64); 2] {
        let parse = |text: &str| FileSymbols::parse("a.py", text.as_bytes(), ALL);
        let (old_file, new_file) = (parse(old), parse(new));
        let file = Versions {
            old: old.as_bytes(),
            new: new.as_bytes(),
            old_file: &old_file,
            new_file: &new_file,
        };
        let names = BTreeMap::from([("close", None)]);
        let callers = Callers::new(&[file], &names, &BTreeSet::from(["open", "shut"]));
        ["shut", "open"].map(|name| callers.switched("close", name))
    }

    #[test]
    fn the_same_statement_calls_another_name() {
        let old = "def run(conn):\n    done = close(conn, now())\n    return done\n";
        let new =
            "def run(conn):\n    done = conn.shut(now())\n    log(open(other))\n    return done\n";
        assert_eq!(switched(old, new), [(1.0, 1.0), (0.0, 0.0)]);
    }

    #[test]
    fn statements_may_have_several_lines() {
        let old = "close(\n    conn, now(),\n)\n";
        let new = "shut(conn, now())\n";
        assert_eq!(switched(old, new)[0], (1.0, 1.0));
    }

    #[test]
    fn a_caller_that_stays_counts_against_a_switch() {
        let old = "close(conn, now())\nclose(file)\n";
        let new = "shut(conn, now())\nclose(file)\n";
        assert_eq!(switched(old, new)[0], (0.5, 1.0));
    }

    #[test]
    fn neither_other_statements_nor_definitions_are_callers() {
        let old = "close(conn, now())\n";
        assert_eq!(switched(old, "shut(everything)\n")[0].0, 0.0);
        let definition = |name: &str| format!("def {name}(conn, clock):\n    pass\n");
        assert_eq!(
            switched(&definition("close"), &definition("shut"))[0].0,
            0.0
        );
    }
}
