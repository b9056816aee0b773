//! Recency of the files of candidates: by commit time in a git repository, so that it depends on
//! the commit alone, otherwise by modification time.

use std::collections::BTreeSet;

use anyhow::Result;
use rustc_hash::FxHashMap;

use crate::rank::calibrate;
use crate::tree::git;
use cerberus_model::timings;
use cerberus_store::code;

use super::index::CodeIndex;
use super::search::Ranking;

const SECONDS_PER_DAY: f64 = 86_400.0;

/// Returns the recency of the file of each candidate, from 0 to 1.
pub(super) fn of_candidates(
    index: &mut CodeIndex,
    rankings: &[Ranking],
) -> Result<FxHashMap<String, f64>> {
    let candidates = rankings.iter().flat_map(|ranking| &ranking.candidates);
    let paths: BTreeSet<&str> = candidates.map(|candidate| candidate.file.as_str()).collect();
    let _step = timings::step("file ages");
    let Some(head) = git::head(&index.root) else {
        return Ok(by_modification(index, &paths));
    };
    let paths: Vec<&str> = paths.into_iter().collect();
    let mut times = code::commit_times(index.store().reader(), &head.id, &paths)?;
    let unknown: Vec<&str> = paths.into_iter().filter(|path| !times.contains_key(*path)).collect();
    if !unknown.is_empty() {
        let found = git::commit_times(&index.root, &head, unknown.iter().copied());
        let fresh: Vec<(&str, Option<i64>)> =
            unknown.into_iter().map(|path| (path, found.get(path).copied())).collect();
        // If they cannot be stored, the next run asks git again.
        let _ = index.store().transaction(|connection| {
            code::insert_commit_times(connection, &head.id, fresh.iter().copied())
        });
        times.extend(fresh.into_iter().map(|(path, seconds)| (path.to_owned(), seconds)));
    }
    let recency = |seconds: Option<i64>| match seconds {
        Some(seconds) => calibrate::recency((head.seconds - seconds) as f64 / SECONDS_PER_DAY),
        None => 0.0,
    };
    Ok(times.into_iter().map(|(path, seconds)| (path, recency(seconds))).collect())
}

fn by_modification(index: &CodeIndex, paths: &BTreeSet<&str>) -> FxHashMap<String, f64> {
    let newest = index.files.iter().map(|file| file.mtime).max().unwrap_or(0);
    let files = index.files.iter().filter(|file| paths.contains(file.path.as_str()));
    let days = |mtime: i64| (newest - mtime) as f64 / 1e9 / SECONDS_PER_DAY;
    files.map(|file| (file.path.clone(), calibrate::recency(days(file.mtime)))).collect()
}
