//! Resolves a merge conflict in the lock file, anchor by anchor.
//!
//! Git merges lines, so the text with its markers can combine lines of different anchors. The
//! versions in the index of git are complete.

use std::collections::BTreeSet;

use anyhow::Result;

use crate::bank::lockfile::{self, Anchors};
use crate::commands::format_location;
use crate::engine::track;
use crate::error::UserError;
use crate::model::Anchor;
use crate::ops::Project;
use crate::text::shell_word;
use crate::tree::git;

/// What a merge left to a person.
pub(super) struct Resolved {
    /// Ids of anchors that both sides changed to different code; the one of our side remains.
    pub(super) undecided: Vec<String>,
    /// By memory id.
    pub(super) warnings: Vec<(String, String)>,
}

/// Writes the lock file with the anchors of both sides of an unfinished merge.
pub(super) fn resolve(project: &Project) -> Result<Resolved> {
    let path = super::memory_path(project, crate::bank::LOCKFILE);
    let Some(stages) = git::unmerged(&project.root, &path) else {
        let message = format!("git does not know the two sides of the conflict in `{path}`");
        return Err(UserError::environment(message)
            .hint(format!("restore them with `git checkout --merge {}`", shell_word(&path)))
            .hint("or restore the file of a commit with `git checkout COMMIT -- FILE`")
            .into());
    };
    let base = stages.base.map(|bytes| lockfile::decode(&bytes)).transpose()?.unwrap_or_default();
    let (ours, theirs) = (lockfile::decode(&stages.ours)?, lockfile::decode(&stages.theirs)?);
    let exists = |anchor: &Anchor| {
        track::locate(&project.root, &anchor.file, anchor.symbol.as_deref()).is_ok()
    };
    let (anchors, resolved) = merge(&base, &ours, &theirs, exists);
    project.bank.write_anchors(&anchors)?;
    Ok(resolved)
}

/// Merges two versions of the anchors. Anchors of the same code are equal: `reanchor` refreshes
/// their fingerprints.
fn merge(
    base: &Anchors,
    ours: &Anchors,
    theirs: &Anchors,
    exists: impl Fn(&Anchor) -> bool,
) -> (Anchors, Resolved) {
    let mut merged = Anchors::new();
    let mut resolved = Resolved { undecided: Vec::new(), warnings: Vec::new() };
    let ids: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    for id in ids {
        let (base, own, other) = (base.get(id), ours.get(id), theirs.get(id));
        let chosen = match (own, other) {
            _ if is_same(own, other) => {
                if own == base {
                    other
                } else {
                    own
                }
            }
            _ if is_same(own, base) => other,
            _ if is_same(other, base) => own,
            (Some(own), Some(other)) => match (exists(own), exists(other)) {
                (false, true) => Some(other),
                (true, false) => Some(own),
                (true, true) | (false, false) => {
                    resolved.undecided.push(id.clone());
                    resolved.warnings.push((id.clone(), undecided(id, own, other)));
                    Some(own)
                }
            },
            (kept, None) | (None, kept) => {
                resolved.warnings.extend(kept.map(|kept| (id.clone(), removed(id, kept))));
                kept
            }
        };
        merged.extend(chosen.map(|anchor| (id.clone(), anchor.clone())));
    }
    (merged, resolved)
}

fn is_same(a: Option<&Anchor>, b: Option<&Anchor>) -> bool {
    let location = |anchor: &Anchor| (anchor.file.clone(), anchor.symbol.clone());
    a.map(location) == b.map(location)
}

fn location(anchor: &Anchor) -> String {
    format_location(&anchor.file, anchor.symbol.as_deref())
}

fn undecided(id: &str, own: &Anchor, other: &Anchor) -> String {
    let (own, other) = (location(own), location(other));
    let (word, to) = (shell_word(id), shell_word(&other));
    format!(
        "both sides of the merge changed the anchor of `{id}`: {own} is kept; \
         to take {other}, run `cerberus memory anchor {word} --to {to}`"
    )
}

fn removed(id: &str, kept: &Anchor) -> String {
    let (word, kept) = (shell_word(id), location(kept));
    format!(
        "one side of the merge removed the anchor of `{id}`, the other changed it to {kept}, which \
         is kept; to remove it, run `cerberus memory anchor {word} --clear`"
    )
}
