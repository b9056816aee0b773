//! Builds the reported outcome of an anchor.

use cerberus_model::{Anchor, Fingerprint, State, format_location, split_number};

use super::history::History;
use crate::syntax::fingerprint::split_name;
use crate::track::assign::Assignment;
use crate::track::file_symbols::{FileSymbol, FileSymbols};
use crate::track::search::{Candidates, MissingAnchor, Pair};
use crate::track::walk::{End, Walk};
use crate::track::weights::WEIGHTS;
use crate::track::{Degree, FoundSymbol, Outcome, Step, look_alikes};

/// Maximum number of similar symbols that are listed.
const MAX_LISTED: usize = 5;

/// Returns the outcome of an anchor whose code is unchanged.
pub(super) fn fresh(anchor: &Anchor) -> Outcome {
    let new = FoundSymbol {
        file: anchor.file.clone(),
        symbol: anchor.symbol.clone(),
        kind: anchor.kind,
        language: anchor.language,
        lines: None,
        similarity: 1.0,
    };
    let reason = "it is where it was, unchanged".to_owned();
    Outcome {
        new: Some(new),
        similarity: 1.0,
        ..Outcome::new(State::Fresh, reason)
    }
}

/// Returns the outcome of an anchor whose code is now a symbol of `file`.
fn found_at(anchor: &Anchor, file: &FileSymbols, symbol_idx: usize) -> Outcome {
    let (old, features) = (&anchor.fingerprint, &file.symbols[symbol_idx].features);
    let similarity = super::similarity(old, &features.fingerprint);
    let edited = old.name_independent_hash != features.fingerprint.name_independent_hash;
    Outcome {
        edited,
        degree: edited.then(|| Degree::new(old, features)),
        new: Some(file.found(symbol_idx, similarity)),
        similarity,
        fingerprint: Some(file.fingerprint(symbol_idx)),
        ..Outcome::new(State::Moved, String::new())
    }
}

/// Returns the state of an anchor whose symbol in place is `symbol`.
pub(super) fn state_in_place(anchor: &Anchor, symbol: &FileSymbol) -> State {
    let (old, new) = (&anchor.fingerprint, &symbol.features.fingerprint);
    match (
        old.name_independent_hash == new.name_independent_hash,
        old.bytes == new.bytes,
    ) {
        (true, true) => State::Fresh,
        (true, false) => State::Reformatted,
        (false, _) => State::Edited,
    }
}

/// Returns the outcome of an anchor whose location and name did not change.
pub(super) fn in_place(anchor: &Anchor, file: &FileSymbols, symbol_idx: usize) -> Outcome {
    let state = state_in_place(anchor, &file.symbols[symbol_idx]);
    if state == State::Fresh && file.unique_name(symbol_idx) == anchor.symbol {
        return fresh(anchor);
    }
    let outcome = found_at(anchor, file, symbol_idx);
    let reason = match state {
        // Its number among the definitions of its name changed.
        State::Fresh => "it is where it was, unchanged".to_owned(),
        State::Reformatted => "it is where it was; only its layout or comments changed".to_owned(),
        _ => {
            let unchanged = percent(outcome.similarity);
            format!("it is where it was; {unchanged} of its code is unchanged")
        }
    };
    Outcome {
        state,
        reason,
        ..outcome
    }
}

/// Returns the outcome of an anchor that was followed commit by commit to a symbol of `file`.
pub(super) fn walked(
    recorded: &Anchor,
    file: &FileSymbols,
    symbol_idx: usize,
    steps: Vec<Step>,
) -> Outcome {
    let symbol = &file.symbols[symbol_idx];
    let is_in_place = recorded.file == file.path
        && super::same_name(recorded.symbol.as_deref(), symbol.name.as_deref());
    if is_in_place {
        return Outcome {
            steps,
            ..in_place(recorded, file, symbol_idx)
        };
    }
    let mut moves = steps.iter().filter(|step| {
        step.file != recorded.file
            || !super::same_name(step.symbol.as_deref(), recorded.symbol.as_deref())
    });
    let reason = match moves.next_back() {
        Some(step) => format!("git shows how it got there, last in commit {}", step.commit),
        None => "git shows how it got there".to_owned(),
    };
    let (old_container, old_name) =
        split_name(split_number(recorded.symbol.as_deref().unwrap_or_default()).0);
    let (container, name) = split_name(symbol.name.as_deref().unwrap_or_default());
    let is_renamed = name != old_name || is_replaced(file, old_container, container);
    let outcome = found_at(recorded, file, symbol_idx);
    let unchanged = percent(outcome.similarity);
    Outcome {
        state: if is_renamed {
            State::Renamed
        } else {
            State::Moved
        },
        reason: format!("{reason}; {unchanged} of its code is unchanged"),
        steps,
        ..outcome
    }
}

/// Returns the outcome of a search for the last known code of an anchor, for the recorded code.
pub(super) fn restated(
    recorded: &Anchor,
    walk: &Walk,
    has_all_renames: bool,
    mut outcome: Outcome,
) -> Outcome {
    if let Some(fingerprint) = &outcome.fingerprint {
        outcome.similarity = super::similarity(&recorded.fingerprint, fingerprint);
        outcome.edited = outcome.similarity < 1.0;
        // The comparison was with the last known code, which may be edited already.
        if outcome.edited && walk.anchor.fingerprint != recorded.fingerprint {
            let n_tokens = |code: &Fingerprint| f64::from(code.n_tokens.max(1));
            let is_most = outcome.similarity >= WEIGHTS.replaced
                && n_tokens(fingerprint) / n_tokens(&recorded.fingerprint) >= WEIGHTS.replaced;
            let at_least = if is_most {
                Degree::Edited
            } else {
                Degree::Gutted
            };
            outcome.degree = Some(at_least);
        }
        if let Some(new) = &mut outcome.new {
            new.similarity = outcome.similarity;
        }
    }
    if outcome.new.is_none() && walk.n_unread > 0 {
        let n_unread = walk.n_unread;
        outcome.reason +=
            &format!("; {n_unread} versions of files on the way are not in this clone");
    }
    if outcome.new.is_none() && !has_all_renames && walk.end != End::Unknown {
        outcome.reason += "; git could not look for renamed files, because objects are missing";
    }
    outcome.steps.clone_from(&walk.steps);
    outcome
}

/// Returns the outcome of an anchor that was searched for, one of `candidates`.
pub(super) fn searched(
    Candidates { missing, files, .. }: Candidates<'_>,
    pairs: &[Pair],
    (missing_idx, own, assignment): (usize, &[&Pair], &Assignment),
    history: &History<'_>,
) -> Outcome {
    let missing = &missing[missing_idx];
    let (candidates, mut outcome) = match assignment {
        Assignment::Found(pair_idx) => return found(missing, files, &pairs[*pair_idx]),
        Assignment::FoundByGit(pair_idx) => {
            let mut outcome = found(missing, files, &pairs[*pair_idx]);
            outcome.reason += &format!("; git saw `{}` renamed to it", missing.anchor.file);
            return outcome;
        }
        Assignment::Ambiguous(pair_idxs) => {
            let reason = format!("{} symbols are equally likely", pair_idxs.len());
            let candidates = best(pair_idxs.iter().map(|idx| &pairs[*idx]), files);
            (candidates, Outcome::new(State::Ambiguous, reason))
        }
        Assignment::Gone => {
            let candidates = best(own.iter().copied(), files);
            let reason = match candidates.first().map(spell) {
                Some(best) => format!("no symbol is similar enough; the most similar is `{best}`"),
                None => "no symbol in the tree is similar".to_owned(),
            };
            (candidates, Outcome::new(State::Gone, reason))
        }
    };
    if let Some(commit) = history.unknown_commit(missing) {
        outcome.reason +=
            &format!("; renames of its file are unknown: this clone lacks commit {commit}");
    }
    Outcome {
        candidates,
        ..outcome
    }
}

fn found(missing: &MissingAnchor<'_>, files: &[FileSymbols], pair: &Pair) -> Outcome {
    let file = &files[pair.file_idx];
    let new = file.found(pair.symbol_idx, similarity(pair));
    let evidence = &pair.evidence;
    let (container, name) = file.split_name(&file.symbols[pair.symbol_idx]);
    let is_container_renamed = new.symbol.is_some()
        && evidence.siblings >= WEIGHTS.renamed_container
        && is_replaced(file, missing.container, container);
    let is_renamed = name != missing.name || is_container_renamed;
    let outcome = found_at(missing.anchor, file, pair.symbol_idx);
    let look_alikes = missing.anchor.look_alikes.clone();
    let anchor = Anchor {
        look_alikes,
        ..file.anchor(pair.symbol_idx)
    };
    let reason = if evidence.is_same_code {
        format!("the same code is now at `{}`", spell(&new))
    } else {
        format!(
            "`{}` is the most similar: {} of the code, {} of the identifiers, {}",
            spell(&new),
            percent(evidence.jaccard),
            percent(evidence.identifiers),
            if name == missing.name {
                "the same name"
            } else {
                "another name"
            },
        )
    };
    Outcome {
        state: if is_renamed {
            State::Renamed
        } else {
            State::Moved
        },
        reason,
        look_alikes: look_alikes::refreshed(&anchor, file),
        ..outcome
    }
}

/// Returns whether a class or module has another name in `file`, and the old name is gone.
fn is_replaced(file: &FileSymbols, old: &str, new: &str) -> bool {
    old != new && !old.is_empty() && !new.is_empty() && !file.defines(old)
}

/// Returns the symbols of the pairs with the best odds, in order.
fn best<'a>(pairs: impl Iterator<Item = &'a Pair>, files: &[FileSymbols]) -> Vec<FoundSymbol> {
    let mut pairs: Vec<&Pair> = pairs.collect();
    pairs.sort_by(|a, b| b.odds.total_cmp(&a.odds).then(a.symbol().cmp(&b.symbol())));
    let best = pairs.into_iter().take(MAX_LISTED);
    best.map(|pair| files[pair.file_idx].found(pair.symbol_idx, similarity(pair)))
        .collect()
}

fn similarity(pair: &Pair) -> f64 {
    if pair.evidence.is_same_code {
        1.0
    } else {
        pair.evidence.jaccard.min(0.99)
    }
}

fn spell(found: &FoundSymbol) -> String {
    format_location(&found.file, found.symbol.as_deref())
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}
