//! Where a file went that a document names together with a symbol of it: "`load` in `a.py`".
//!
//! Git may know no new path of a small file, of which most lines changed. The symbols that the same
//! sentence names are followed by their code, and the file went where they all are.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::super::then::Truth;
use super::{Fate, Search, Test};
use crate::former::Former;
use crate::kinds::symbol::Symbol;
use crate::parse::{Claim, Target};
use crate::project::{Position, Project};
use crate::report::{Document, NewPlace};

/// Maximum number of claims before and after a path that are looked at.
const MAX_NEAR: usize = 12;

impl Search<'_, '_> {
    /// Finds the new places of paths by the symbols in their sentences.
    pub(super) fn follow_companions(
        &mut self,
        project: Project<'_>,
        former: &[Former],
        fates: &mut [Option<Fate>],
    ) {
        let known: FxHashMap<Position, usize> = former
            .iter()
            .enumerate()
            .map(|(idx, it)| (it.at, idx))
            .collect();
        for idx in 0..former.len() {
            let Truth::Paths(old) = &former[idx].truth else {
                continue;
            };
            let Some(Fate {
                removed: Some(removed),
                now,
                ..
            }) = &fates[idx]
            else {
                continue;
            };
            let (
                [old],
                None
                | Some(NewPlace {
                    is_certain: false, ..
                }),
            ) = (&old[..], now)
            else {
                continue;
            };
            let removed = removed.clone();
            let commit = former[idx].commit.as_str();
            let (document, claim) = project.claim(former[idx].at);
            let (document_idx, claim_idx) = former[idx].at;
            let mut places: BTreeSet<String> = BTreeSet::new();
            let near = claim_idx.saturating_sub(MAX_NEAR)..claim_idx + MAX_NEAR;
            for (near_idx, near) in document
                .claims
                .claims
                .iter()
                .enumerate()
                .take(near.end)
                .skip(near.start)
            {
                let Target::Symbol(Symbol { parts, .. }) = &near.target else {
                    continue;
                };
                if !are_in_sentence(document, claim, near) {
                    continue;
                }
                let at = (document_idx, near_idx);
                let place = match known.get(&at).copied() {
                    Some(known) => followed(&former[known], fates[known].as_ref(), old, &removed),
                    None => self.moved_definition(&removed, old, parts),
                };
                places.extend(place);
            }
            let mut places = places.into_iter();
            let (Some(place), None) = (places.next(), places.next()) else {
                continue;
            };
            let now = self.moved_path((document, claim), (commit, old), place);
            if let Some(fate) = &mut fates[idx] {
                fate.now = Some(now);
            }
        }
    }

    /// Returns the file to which a commit moved a definition from the file `old`, if there is one.
    fn moved_definition(&mut self, commit: &str, old: &str, parts: &[String]) -> Option<String> {
        let test = Test::Defines(parts.to_vec());
        let before = self.stored.version(&format!("{commit}^"), old)?;
        if !test.passes(&before) {
            return None;
        }
        let mut found = self.passing_after(commit, &test);
        let [new] = &mut found[..] else { return None };
        let is_there = self.now.tree.contains(new);
        let was_there = self
            .stored
            .objects
            .find(&format!("{commit}^:./{new}"))
            .is_some();
        (is_there && !was_there).then(|| std::mem::take(new))
    }
}

/// Returns the file to which a symbol of the file `old` was followed with certainty.
fn followed(it: &Former, fate: Option<&Fate>, old: &str, removed: &str) -> Option<String> {
    let Truth::Definitions(files) = &it.truth else {
        return None;
    };
    let Fate {
        removed: Some(own),
        now: Some(now),
        ..
    } = fate?
    else {
        return None;
    };
    let is_same = own == removed && now.is_certain && files.iter().any(|file| file == old);
    is_same
        .then(|| now.place.split_once("::").map(|(file, _)| file.to_owned()))
        .flatten()
}

/// Returns whether no sentence or item ends between two claims.
fn are_in_sentence(document: &Document, a: &Claim, b: &Claim) -> bool {
    let (first, second) = if a.span < b.span { (a, b) } else { (b, a) };
    let between = document
        .text
        .get(first.span.end..second.span.start)
        .unwrap_or_default();
    !["\n\n", ". ", ".\n", "\n- ", "\n* ", "|\n"]
        .iter()
        .any(|end| between.contains(end))
}
