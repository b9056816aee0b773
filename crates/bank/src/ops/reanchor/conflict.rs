//! Resolves a merge conflict in the lock file, anchor by anchor.
//!
//! Git merges lines, so the text with its markers can combine lines of different anchors. The
//! versions in the index of git are complete.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use cerberus_engine::track;
use cerberus_engine::tree::git;
use cerberus_model::error::UserError;
use cerberus_model::text::shell_word;
use cerberus_model::{Anchor, OtherExample, format_location};

use crate::lockfile;
use crate::lockfile::Anchors;
use crate::ops::Project;

/// Warnings by memory id about the anchors that a person has to choose. Both sides changed such an anchor to different
/// code, and ours remains; or one side removed it, and that of the other side remains.
pub(super) type Undecided = BTreeMap<String, String>;

/// Writes the lock file with the anchors of both sides of an unfinished merge.
pub(super) fn resolve(project: &Project) -> Result<Undecided> {
    let path = project.bank.shown_path(crate::LOCKFILE, &project.root);
    let Some(stages) = git::unmerged(&project.root, &path) else {
        let message = format!("git does not know the two sides of the conflict in `{path}`");
        return Err(UserError::environment(message)
            .hint(format!(
                "restore them with `git checkout --merge {}`",
                shell_word(&path)
            ))
            .hint("or restore the file of a commit with `git checkout COMMIT -- FILE`")
            .into());
    };
    let base = match stages.base {
        Some(bytes) => lockfile::decode(&bytes)?,
        None => Anchors::new(),
    };
    let ours = lockfile::decode(&stages.ours)?;
    let theirs = lockfile::decode(&stages.theirs)?;
    let (anchors, undecided) = merge(&base, &ours, &theirs, |anchor| {
        let found = track::verify_in_place(&project.root, &anchor.file, &[anchor]).pop();
        found.flatten().is_some()
    });
    project.bank.write_anchors(&anchors)?;
    Ok(undecided)
}

/// Merges two versions of the anchors. Anchors of the same code are equal: `reanchor` refreshes
/// their fingerprints.
fn merge(
    base: &Anchors,
    ours: &Anchors,
    theirs: &Anchors,
    exists: impl Fn(&Anchor) -> bool,
) -> (Anchors, Undecided) {
    let mut merged = Anchors::new();
    let mut undecided = Undecided::new();
    let ids: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    for id in ids {
        let base = base.get(id);
        let own = ours.get(id);
        let other = theirs.get(id);
        let chosen = match (own, other) {
            _ if is_same(own, other) && own == base => other,
            _ if is_same(own, other) => own,
            _ if is_same(own, base) => other,
            _ if is_same(other, base) => own,
            (Some(own), Some(other)) => match (exists(own), exists(other)) {
                (false, true) => Some(other),
                (true, false) => Some(own),
                (true, true) | (false, false) => {
                    undecided.insert(id.clone(), changed(id, own, other));
                    Some(own)
                }
            },
            (kept, None) | (None, kept) => {
                if let Some(kept) = kept {
                    undecided.insert(id.clone(), removed(id, kept));
                }
                kept
            }
        };
        if let Some(chosen) = chosen {
            let mut anchor = chosen.clone();
            anchor.others = merge_others(others(base), others(own), others(other));
            merged.insert(id.clone(), anchor);
        }
    }
    (merged, undecided)
}

/// Merges the other examples of an anchor, each by itself: an addition, a removal or a change of one
/// side is preserved. Of two changes ours is, and a changed example is not removed.
fn merge_others(
    base: &[OtherExample],
    own: &[OtherExample],
    other: &[OtherExample],
) -> Vec<OtherExample> {
    let added = other.iter().filter(|added| find(own, added).is_none());
    let mut merged = Vec::new();
    for example in own.iter().chain(added) {
        let base = find(base, example);
        let own = find(own, example);
        let other = find(other, example);
        let chosen = if own == base {
            other
        } else if other == base {
            own
        } else {
            own.or(other)
        };
        merged.extend(chosen.cloned());
    }
    merged.sort_by(|a, b| a.key().cmp(&b.key()));
    merged
}

fn others(anchor: Option<&Anchor>) -> &[OtherExample] {
    match anchor {
        Some(anchor) => &anchor.others,
        None => &[],
    }
}

/// Returns the version of an example in the lock file of one side.
fn find<'a>(side: &'a [OtherExample], example: &OtherExample) -> Option<&'a OtherExample> {
    side.iter().find(|found| found.key() == example.key())
}

fn is_same(a: Option<&Anchor>, b: Option<&Anchor>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.file == b.file && a.symbol == b.symbol,
        (a, b) => a.is_none() && b.is_none(),
    }
}

fn location(anchor: &Anchor) -> String {
    format_location(&anchor.file, anchor.symbol.as_deref())
}

fn changed(id: &str, own: &Anchor, other: &Anchor) -> String {
    let own = location(own);
    let other = location(other);
    let word = shell_word(id);
    let to = shell_word(&other);
    format!(
        "both sides of the merge changed the anchor of `{id}`: {own} is kept; \
         to take {other}, run `cerberus memory anchor {word} --to {to}`"
    )
}

fn removed(id: &str, kept: &Anchor) -> String {
    let word = shell_word(id);
    let kept = location(kept);
    format!(
        "one side of the merge removed the anchor of `{id}`, the other changed it to {kept}, which \
         is kept; to remove it, run `cerberus memory anchor {word} --clear`"
    )
}

#[cfg(test)]
mod tests {
    use cerberus_model::{ExampleRole, Fingerprint, Origin, SymbolKind};

    use super::*;

    fn anchor(symbol: u8) -> Anchor {
        Anchor {
            file: "a.py".to_owned(),
            symbol: Some(format!("f{symbol}")),
            kind: SymbolKind::Function,
            language: None,
            origin: Origin::Manual,
            quality: 1.0,
            match_score: 1.0,
            commit: None,
            fingerprint: Fingerprint::default(),
            others: Vec::new(),
            chosen: None,
            look_alikes: None,
        }
    }

    /// Each side has an example absent (0) or with one of two fingerprints.
    #[test]
    fn other_examples_are_merged_one_by_one() {
        let with = |side: usize| -> Option<Anchor> {
            let examples = (0..27usize).filter_map(|case| {
                let n_tokens = [case % 3, case / 3 % 3, case / 9][side];
                (n_tokens > 0).then(|| OtherExample {
                    role: ExampleRole::Also,
                    anchor: Anchor {
                        file: format!("{case}.py"),
                        fingerprint: Fingerprint {
                            n_tokens: n_tokens as u32,
                            ..Fingerprint::default()
                        },
                        ..Anchor::default()
                    },
                    code: None,
                })
            });
            Some(Anchor {
                others: examples.collect(),
                ..anchor(1)
            })
        };
        let [base, own, other] =
            [0, 1, 2].map(|side| Anchors::from([("a".to_owned(), with(side).expect("an anchor"))]));
        let (merged, undecided) = merge(&base, &own, &other, |_| true);
        assert!(undecided.is_empty());
        for case in 0..27usize {
            let [base, own, other] = [case % 3, case / 3 % 3, case / 9];
            let expected = if own == base {
                other
            } else if other == base || own > 0 {
                own
            } else {
                other
            };
            let found = merged["a"].others.iter().map(|it| &it.anchor);
            let found = found.into_iter().find(|it| it.file == format!("{case}.py"));
            let found = found.map_or(0, |it| it.fingerprint.n_tokens as usize);
            assert_eq!(found, expected, "{base} {own} {other}");
        }
    }

    /// Each anchor is absent (0) or on one of three functions, on each side: all 64 cases at once, so
    /// that no anchor can take what belongs to another.
    #[test]
    fn every_anchor_is_merged_by_itself_from_three_versions() {
        let cases: Vec<[u8; 3]> = (0..64u8)
            .map(|case| [case % 4, case / 4 % 4, case / 16])
            .collect();
        let id = |case: &[u8; 3]| format!("{}-{}-{}", case[0], case[1], case[2]);
        let version = |side: usize| -> Anchors {
            let present = cases.iter().filter(|case| case[side] > 0);
            present.map(|case| (id(case), anchor(case[side]))).collect()
        };
        let (merged, undecided) = merge(&version(0), &version(1), &version(2), |_| true);
        for case in &cases {
            let [base, own, other] = *case;
            let is_conflict = own != other && own != base && other != base;
            let expected = if own == other || other == base {
                own
            } else if own == base || own == 0 {
                other
            } else {
                own
            };
            let symbol = merged.get(&id(case)).and_then(|it| it.symbol.clone());
            assert_eq!(
                symbol,
                (expected > 0).then(|| format!("f{expected}")),
                "{case:?}"
            );
            assert_eq!(undecided.contains_key(&id(case)), is_conflict, "{case:?}");
        }
    }
}
