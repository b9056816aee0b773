//! Where the code of a removed name went, from commit to commit.
//!
//! A name that code arrived at may be given to other code later, and a name may have got other code
//! before it was removed. So the code is compared with that of the name at each end, and the commit at
//! which they part is looked for.

use cerberus_engine::track;
use cerberus_engine::tree::git::past::Node;
use cerberus_model::{Anchor, Fingerprint, split_number};
use rustc_hash::FxHashMap;

use super::new_name::replaced_name;
use super::qualifiers::Definition;
use super::{Fate, LIMITS, Likeness, MAX_RENAMES, Removed, Search, Test};
use crate::kinds::symbol::Symbol;
use crate::parse::{Claim, Target};
use crate::report::NewPlace;

/// Why `--fix` leaves the last part of a qualified name.
const MODULE: &str = "the parts before its last one do not name the new place";

/// Code that is followed for a claim.
pub(super) struct Followed {
    idx: usize,
    removed: Removed,
    likeness: Likeness,
}

/// The next end of code that was followed to a name.
enum Next {
    /// The file that has it now.
    Here(String),
    Removed(Box<Removed>),
    Lost,
}

/// A name that code arrived at after a commit.
struct Arrived<'a> {
    commit: &'a Node,
    anchor: &'a Anchor,
    symbol: &'a str,
    parts: Vec<String>,
}

impl Search<'_, '_> {
    /// Follows the code that was removed to the code that replaced it, from commit to commit until
    /// it is in the tree of now. Returns `None` if git fails.
    pub(super) fn follow_symbols(
        &mut self,
        claims: &[&Claim],
        fates: &mut [Option<Fate>],
    ) -> Option<()> {
        let mut open: Vec<Followed> = Vec::new();
        let mut first: FxHashMap<usize, Removed> = FxHashMap::default();
        for (idx, fate) in fates.iter_mut().enumerate() {
            if let Some(removed) = fate.as_mut().and_then(|it| it.code.take()) {
                first.insert(idx, removed.clone());
                open.push(Followed {
                    idx,
                    removed,
                    likeness: Likeness::default(),
                });
            }
        }
        for _ in 0..MAX_RENAMES {
            if open.is_empty() {
                break;
            }
            let arrived = self.follow_through(&open)?;
            let mut next = Vec::new();
            for (
                Followed {
                    idx,
                    removed,
                    likeness,
                },
                arrived,
            ) in open.into_iter().zip(arrived)
            {
                let Some((anchor, similarity)) = arrived else {
                    continue;
                };
                let Some(symbol) = anchor.symbol.as_deref() else {
                    continue;
                };
                let symbol = split_number(symbol).0;
                let likeness = Likeness {
                    similarity: likeness.similarity * similarity,
                    has_signature: likeness.has_signature
                        && removed.anchor.fingerprint.signature == anchor.fingerprint.signature,
                };
                let parts = symbol.split('.').map(str::to_owned).collect();
                let commit = &removed.commit;
                match self.next(&Arrived {
                    commit,
                    anchor: &anchor,
                    symbol,
                    parts,
                }) {
                    Next::Here(file) => {
                        let old = first.get(&idx);
                        let now = self.new_symbol(claims[idx], old, (&file, symbol), likeness);
                        if let Some(fate) = &mut fates[idx] {
                            fate.now = Some(now);
                        }
                    }
                    Next::Removed(removed) => {
                        next.push(Followed {
                            idx,
                            removed: *removed,
                            likeness,
                        });
                    }
                    Next::Lost => {}
                }
            }
            open = next;
        }
        Some(())
    }

    /// Returns the code that a claim means, where a commit removed it from its name: the removed code, or
    /// that of the name when the claim was written, if other code got the name since.
    pub(super) fn code_of_claim(
        &mut self,
        written: Option<(&str, &str)>,
        (node, files): (&Node, &[String]),
        parts: &[String],
    ) -> Option<Removed> {
        let removed = self.removed_code(node, files, parts)?;
        let Some((commit, file)) = written else {
            return Some(removed);
        };
        let Some(version) = self.stored.version(commit, file) else {
            return Some(removed);
        };
        let Some(symbol) = version.symbol(parts).map(str::to_owned) else {
            return Some(removed);
        };
        let Some(code) = version.locate(&symbol).map(|it| it.fingerprint) else {
            return Some(removed);
        };
        if track::is_same_lineage(&code, &removed.anchor.fingerprint) {
            return Some(removed);
        }
        let taken = self.end_of_code(commit, file, &symbol, &code);
        let taken = taken.and_then(|node| self.removed_code(&node, &[file.to_owned()], parts));
        Some(taken.unwrap_or(removed))
    }

    /// Follows each code through the commit that removed it.
    fn follow_through(&mut self, open: &[Followed]) -> Option<Vec<Option<(Anchor, f64)>>> {
        // Several claims name the same code.
        let mut known: FxHashMap<(&str, &str, Option<&str>), usize> = FxHashMap::default();
        let mut anchors: Vec<Anchor> = Vec::new();
        let mut idxs = Vec::new();
        for Followed {
            removed: Removed { commit, anchor },
            ..
        } in open
        {
            let key = (
                commit.id.as_str(),
                anchor.file.as_str(),
                anchor.symbol.as_deref(),
            );
            idxs.push(*known.entry(key).or_insert(anchors.len()));
            if idxs.last() == Some(&anchors.len()) {
                anchors.push(anchor.clone());
            }
        }
        let nodes = open.iter().map(|it| &it.removed.commit);
        let parents =
            nodes.filter_map(|node| Some((node.id.as_str(), node.parents.first()?.as_str())));
        let arrived = track::follow_through(self.root, &anchors, &parents.collect())?;
        Some(idxs.into_iter().map(|idx| arrived[idx].clone()).collect())
    }

    /// Returns what became of code after it arrived at a name.
    fn next(&mut self, arrived: &Arrived<'_>) -> Next {
        let Arrived {
            commit,
            anchor,
            symbol,
            parts,
        } = arrived;
        let files = vec![anchor.file.clone()];
        let (node, files) = if self.defines_now(&anchor.file, parts, symbol) {
            (None, files)
        } else {
            self.follow_word(&commit.id, files, &Test::Defines(parts.clone()))
        };
        let removed = match node {
            Some(node) => {
                let Some(removed) = self.removed_code(&node, &files, parts) else {
                    return Next::Lost;
                };
                if track::is_same_lineage(&anchor.fingerprint, &removed.anchor.fingerprint) {
                    return Next::Removed(Box::new(removed));
                }
                Some(removed)
            }
            None => {
                let is_here = |file: &&String| self.defines_now(file, parts, symbol);
                let Some(file) = files.iter().find(is_here) else {
                    return Next::Lost;
                };
                let code = self
                    .stored
                    .version_now(self.root, file)
                    .and_then(|version| version.locate(symbol));
                let code = code.map(|it| it.fingerprint);
                if code.is_some_and(|it| track::is_same_lineage(&anchor.fingerprint, &it)) {
                    return Next::Here(file.clone());
                }
                None
            }
        };
        // The name has other code: since when?
        match self.taken_over(arrived) {
            Some(taken) => Next::Removed(Box::new(taken)),
            // It was edited step by step.
            None => removed.map_or(Next::Lost, |removed| Next::Removed(Box::new(removed))),
        }
    }

    /// Returns the code that had a name until a commit gave it to other code.
    fn taken_over(&mut self, arrived: &Arrived<'_>) -> Option<Removed> {
        let Arrived {
            commit,
            anchor,
            symbol,
            parts,
        } = arrived;
        let node = self.end_of_code(&commit.id, &anchor.file, symbol, &anchor.fingerprint)?;
        self.removed_code(&node, std::slice::from_ref(&anchor.file), parts)
    }

    /// Returns the commit after which a name has no longer the code that it had.
    pub(super) fn end_of_code(
        &mut self,
        since: &str,
        file: &str,
        symbol: &str,
        code: &Fingerprint,
    ) -> Option<Node> {
        let Self { ends, stored, .. } = self;
        ends.find(since, &mut |commit| {
            let version = stored.version(commit, file);
            let found = version.and_then(|version| version.locate(symbol));
            found.is_some_and(|it| track::is_same_lineage(code, &it.fingerprint))
        })
    }

    /// Returns the new place of the symbol of a claim, with the name to write.
    fn new_symbol(
        &mut self,
        claim: &Claim,
        old: Option<&Removed>,
        (file, symbol): (&str, &str),
        likeness: Likeness,
    ) -> NewPlace {
        let mut now = NewPlace {
            place: format!("{file}::{symbol}"),
            is_certain: likeness.similarity >= LIMITS.similarity,
            replacement: replaced_name(claim, symbol, likeness),
            unwritten: None,
            is_reused: false,
        };
        if now.replacement.is_none() {
            return now;
        }
        let Target::Symbol(Symbol { parts, .. }) = &claim.target else {
            return now;
        };
        let parent = old.and_then(|old| old.commit.parents.first());
        let before = parent.and_then(|parent| self.stored.version(parent, file));
        now.is_reused = before.is_some_and(|version| version.locate(symbol).is_some());
        let definitions = old.and_then(|old| self.definitions(old, (file, symbol)));
        let is_named_alike = definitions.is_some_and(|(old, new)| {
            self.are_qualifiers_kept(&parts[..parts.len() - 1], &old, &new)
        });
        if !is_named_alike {
            now.replacement = None;
            now.unwritten = Some(MODULE);
        }
        now
    }

    /// Returns the removed definition and the new one.
    fn definitions(
        &mut self,
        Removed { commit, anchor }: &Removed,
        (file, symbol): (&str, &str),
    ) -> Option<(Definition, Definition)> {
        let parent = commit.parents.first()?;
        let old_symbol = split_number(anchor.symbol.as_deref()?).0.to_owned();
        let before = self.stored.version(parent, &anchor.file)?;
        let after = self.stored.version_now(self.root, file)?;
        let old = Definition {
            commit: Some(parent.clone()),
            version: before,
            symbol: old_symbol,
        };
        let new = Definition {
            commit: None,
            version: after,
            symbol: symbol.to_owned(),
        };
        Some((old, new))
    }

    /// Returns whether a file of the working tree defines a symbol.
    fn defines_now(&mut self, file: &str, parts: &[String], symbol: &str) -> bool {
        self.stored
            .version_now(self.root, file)
            .is_some_and(|version| version.symbol(parts) == Some(symbol))
    }
}
