//! Recency of the files of candidates: by commit time in a git repository, so that it depends on
//! the commit alone, otherwise by modification time.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::index::CodeIndex;
use super::search::Ranking;
use crate::rank::calibrate;
use crate::tree::git;

const SECONDS_PER_DAY: f64 = 86_400.0;

/// Returns the recency of the file of each candidate, from 0 to 1.
pub(super) fn of_candidates(index: &mut CodeIndex, rankings: &[Ranking]) -> FxHashMap<String, f64> {
    let candidates = rankings.iter().flat_map(|ranking| &ranking.candidates);
    let paths: BTreeSet<&str> = candidates
        .map(|candidate| candidate.file.as_str())
        .collect();
    let head = git::checked_head(&index.root).unwrap_or_else(|error| {
        index.warnings.push(format!("{error:#}"));
        None
    });
    let Some(head) = head else {
        return by_modification(index, &paths);
    };
    let times = git::commit_times(&index.root, &head, paths.iter().copied());
    let recency = |path: &str| {
        // A file without a commit in the searched part of the history is old.
        let seconds = times.get(path)?;
        Some(calibrate::recency(
            (head.seconds - seconds) as f64 / SECONDS_PER_DAY,
        ))
    };
    paths
        .into_iter()
        .map(|path| (path.to_owned(), recency(path).unwrap_or(0.0)))
        .collect()
}

fn by_modification(index: &CodeIndex, paths: &BTreeSet<&str>) -> FxHashMap<String, f64> {
    let newest = index.files.iter().map(|file| file.mtime).max().unwrap_or(0);
    let files = index
        .files
        .iter()
        .filter(|file| paths.contains(file.path.as_str()));
    let days = |mtime: i64| (newest - mtime) as f64 / 1e9 / SECONDS_PER_DAY;
    files
        .map(|file| (file.path.clone(), calibrate::recency(days(file.mtime))))
        .collect()
}
