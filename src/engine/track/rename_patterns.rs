//! Names that were changed alike support each other.
//!
//! Pure. Who renames `Stream` to `ByteStream` renames `AsyncStream` to
//! `AsyncByteStream` with it: two anchors of one file, whose likeliest places are in
//! one file and differ from them in the same words, are likelier than either alone.

use std::collections::BTreeMap;

use crate::engine::rank::similarity;

use super::assign::LEAST_ODDS;
use super::file_symbols::FileCode;
use super::search::{Lost, Pair, name_of};

/// What a twin adds to the odds. Set by hand to about what sharing half of the code is
/// worth: too few of the labelled cases have twins to fit it.
const TWIN: f64 = 2.0;

/// The same change: the files it leads from and to, the words that went and that came.
type Change<'a> = (&'a str, usize, Vec<String>, Vec<String>);

/// Raises the odds of pairs whose anchors were renamed alike.
pub(super) fn raise(lost: &[Lost<'_>], files: &[FileCode], pairs: &mut [Pair]) {
    let mut best: Vec<Option<usize>> = vec![None; lost.len()];
    for (n, pair) in pairs.iter().enumerate() {
        let leads = best[pair.lost].is_none_or(|other| pair.odds > pairs[other].odds);
        // Neither carries the other: both must be found with it.
        if leads && pair.odds >= LEAST_ODDS - TWIN {
            best[pair.lost] = Some(n);
        }
    }
    let mut alike: BTreeMap<Change<'_>, Vec<usize>> = BTreeMap::new();
    for n in best.into_iter().flatten() {
        let pair = &pairs[n];
        let (file, one) = (&files[pair.file], &lost[pair.lost]);
        let name = name_of(file, &file.candidates[pair.at]).1;
        if let Some((gone, come)) = similarity::changed_words(one.name, name) {
            let change = (one.anchor.file.as_str(), pair.file, gone, come);
            alike.entry(change).or_default().push(n);
        }
    }
    let twins: Vec<usize> = alike
        .into_values()
        .filter(|twins| {
            let place = |n: usize| (pairs[n].at, lost[pairs[n].lost].name);
            twins.iter().any(|&n| {
                let (at, name) = place(n);
                let (other_at, other_name) = place(twins[0]);
                at != other_at && name != other_name
            })
        })
        .flatten()
        .collect();
    for n in twins {
        pairs[n].odds += TWIN;
    }
}
