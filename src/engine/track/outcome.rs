//! What was found about an anchor, as the answer that is reported.

use crate::model::{Anchor, State};
use crate::syntax::fingerprint::split_name;

use super::assign::Outcome;
use super::file_symbols::FileCode;
use super::history::History;
use super::search::{Lost, Pair, split_path};
use super::{Followed, Home, Place};

/// How many look-alikes are listed.
const MAX_LISTED: usize = 5;

/// The share of the neighbours that must have come along for a method's class to
/// count as renamed, and not the method as moved. One of one counts 0.5, less what
/// the filter's estimate is off.
const RENAMED_CONTAINER: f64 = 0.4;

/// Returns the answer for an anchor of which nothing changed.
pub(super) fn fresh(anchor: &Anchor) -> Followed {
    Followed {
        state: State::Fresh,
        edited: false,
        new: Some(Place {
            file: anchor.file.clone(),
            symbol: anchor.symbol.clone(),
            kind: anchor.kind,
            language: anchor.language,
            lines: None,
            similarity: 1.0,
        }),
        similarity: 1.0,
        candidates: Vec::new(),
        fingerprint: None,
        reason: "it is where it was, unchanged".to_owned(),
    }
}

/// Returns the answer for an anchor whose place and name still are.
pub(super) fn held(anchor: &Anchor, files: &[FileCode], home: Home) -> Followed {
    let file = &files[home.file];
    let (old, new) = (&anchor.fingerprint, &file.candidates[home.at].features.fingerprint);
    let state =
        match (old.name_independent_hash == new.name_independent_hash, old.bytes == new.bytes) {
            (true, true) => return fresh(anchor),
            (true, false) => State::Reformatted,
            (false, _) => State::Edited,
        };
    let reason = match state {
        State::Reformatted => "it is where it was; only its layout or comments changed".to_owned(),
        _ => {
            format!("it is where it was, and {} of its code is as before", percent(home.similarity))
        }
    };
    Followed {
        state,
        edited: state == State::Edited,
        new: Some(file.place(home.at, home.similarity)),
        similarity: home.similarity,
        candidates: Vec::new(),
        fingerprint: Some(file.fingerprint(home.at)),
        reason,
    }
}

/// Returns the answer for an anchor that was searched for.
pub(super) fn searched(
    lost: &Lost<'_>,
    n: usize,
    files: &[FileCode],
    pairs: &[Pair],
    outcome: &Outcome,
    history: &History<'_>,
) -> Followed {
    let mut followed = decided(lost, n, files, pairs, outcome);
    match followed.new {
        Some(_) if history.was_asked(n) => {
            followed.reason += &format!("; git saw `{}` renamed to it", lost.anchor.file);
        }
        None => {
            if let Some(commit) = history.unknown_commit(lost) {
                followed.reason += &format!(
                    "; where git saw its file go is not known: this clone lacks commit {commit}"
                );
            }
        }
        Some(_) => (),
    }
    followed
}

fn decided(
    lost: &Lost<'_>,
    n: usize,
    files: &[FileCode],
    pairs: &[Pair],
    outcome: &Outcome,
) -> Followed {
    let nothing = Followed {
        state: State::Gone,
        edited: false,
        new: None,
        similarity: 0.0,
        candidates: Vec::new(),
        fingerprint: None,
        reason: String::new(),
    };
    match outcome {
        Outcome::Found(at) => found(lost, files, &pairs[*at]),
        Outcome::Ambiguous(equals) => Followed {
            state: State::Ambiguous,
            candidates: listed(equals.iter().map(|at| &pairs[*at]), files),
            reason: format!("{} places are equally likely", equals.len()),
            ..nothing
        },
        Outcome::Gone => {
            let candidates = listed(pairs.iter().filter(|pair| pair.lost == n), files);
            let reason = match candidates.first() {
                Some(place) => {
                    format!("nothing is alike enough; the nearest is `{}`", spelled(place))
                }
                None => "nothing in the tree is like it".to_owned(),
            };
            Followed { candidates, reason, ..nothing }
        }
    }
}

fn found(lost: &Lost<'_>, files: &[FileCode], pair: &Pair) -> Followed {
    let file = &files[pair.file];
    let new = file.place(pair.at, similarity(pair));
    let evidence = &pair.evidence;
    let (container, name) = match &new.symbol {
        Some(symbol) => split_name(symbol),
        None => split_path(&new.file),
    };
    let is_container_renamed = new.symbol.is_some()
        && !container.is_empty()
        && !lost.container.is_empty()
        && container != lost.container
        && evidence.siblings >= RENAMED_CONTAINER
        && !file.has(lost.container);
    let state =
        if name != lost.name || is_container_renamed { State::Renamed } else { State::Moved };
    let reason = if evidence.is_same_code {
        format!("the same code is now at `{}`", spelled(&new))
    } else {
        format!(
            "`{}` is most like it: {} of the code, {} of the identifiers, {}",
            spelled(&new),
            percent(evidence.jaccard),
            percent(evidence.identifiers),
            if name == lost.name { "the same name" } else { "another name" },
        )
    };
    Followed {
        state,
        edited: !evidence.is_same_code,
        similarity: new.similarity,
        new: Some(new),
        candidates: Vec::new(),
        fingerprint: Some(file.fingerprint(pair.at)),
        reason,
    }
}

/// Returns the best of the places, in order.
fn listed<'a>(pairs: impl Iterator<Item = &'a Pair>, files: &[FileCode]) -> Vec<Place> {
    let mut pairs: Vec<&Pair> = pairs.collect();
    pairs.sort_by(|a, b| b.odds.total_cmp(&a.odds).then((a.file, a.at).cmp(&(b.file, b.at))));
    let best = pairs.into_iter().take(MAX_LISTED);
    best.map(|pair| files[pair.file].place(pair.at, similarity(pair))).collect()
}

fn similarity(pair: &Pair) -> f64 {
    if pair.evidence.is_same_code { 1.0 } else { pair.evidence.jaccard.min(0.99) }
}

fn spelled(place: &Place) -> String {
    match &place.symbol {
        Some(symbol) => format!("{}::{symbol}", place.file),
        None => place.file.clone(),
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}
