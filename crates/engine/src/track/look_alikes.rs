//! Remembers the code that is similar to an anchored example when the anchor is recorded.
//!
//! Such code existed beside the example. If the example is missing later, it was not moved there.
//! Without a history, only the lock file can tell this, so it stores short hashes of the locations.

use std::path::Path;

use anyhow::Result;
use cerberus_model::{Anchor, LookAlikes, sorted, text};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use crate::rank::similarity;
use crate::syntax::fingerprint::{name_hash, short_hash, word_hashes};
use crate::syntax::language;
use crate::track::file_symbols::{ALL, FileSymbol, FileSymbols, find_file};
use crate::track::in_place::same_name;
use crate::track::search::MissingAnchor;
use crate::track::weights::WEIGHTS;
use crate::track::{are_compatible, search};
use crate::tree::read;

/// Maximum number of files that are parsed for an anchor, besides its own.
const MAX_FILES: usize = 24;

/// Sets the look-alikes of `anchors` to those in the current tree. All files are read once.
pub fn remember(root: &Path, excludes: &[String], anchors: &mut [&mut Anchor]) -> Result<()> {
    anchors
        .iter_mut()
        .for_each(|anchor| anchor.look_alikes = Some(LookAlikes::default()));
    // Only code has look-alikes: another text file is not mistaken for a moved one.
    let mut anchors: Vec<&mut Anchor> = anchors
        .iter_mut()
        .map(|anchor| &mut **anchor)
        .filter(|anchor| anchor.language.is_some() && anchor.symbol.is_some())
        .collect();
    if anchors.is_empty() {
        return Ok(());
    }
    let paths = search::tree_paths(root, excludes, std::iter::empty())?;
    let files = similar_files(root, &paths, &anchors);
    let needed = sorted(files.iter().flatten().copied());
    let parse = |path: &&str| FileSymbols::read(root, path, ALL).ok();
    let parsed: Vec<FileSymbols> = needed.par_iter().filter_map(parse).collect();
    for (anchor, files) in anchors.iter_mut().zip(&files) {
        let files = files
            .iter()
            .filter_map(|path| Some(&parsed[find_file(&parsed, path)?]));
        anchor.look_alikes = Some(among(anchor, files));
    }
    Ok(())
}

/// Returns the look-alikes of an anchor that moved to `file`: those in that file, and those that are
/// known already. Others would need all files again.
pub(super) fn refreshed(anchor: &Anchor, file: &FileSymbols) -> Option<LookAlikes> {
    let known = anchor.look_alikes.as_ref()?;
    let new = among(anchor, std::iter::once(file));
    let known = known.hashes().iter().filter(|hash| !new.contains(**hash));
    Some(LookAlikes::new(new.hashes().iter().chain(known).copied()))
}

/// Returns the look-alikes of the code at the location of `anchor` among the code of `files`.
fn among<'f>(anchor: &Anchor, files: impl Iterator<Item = &'f FileSymbols>) -> LookAlikes {
    let missing = MissingAnchor::new(anchor);
    let mut found: Vec<(f64, u32)> = Vec::new();
    for file in files {
        for symbol in file.symbols.iter().filter(|symbol| symbol.name.is_some()) {
            let is_itself = file.path == anchor.file
                && same_name(symbol.name.as_deref(), anchor.symbol.as_deref());
            if is_itself || !missing.is_compatible(file, symbol) {
                continue;
            }
            let odds = search::evidence(&missing, file, symbol).log_odds();
            if odds >= WEIGHTS.listed_odds {
                found.push((odds, location_hash(&file.path, symbol)));
            }
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    LookAlikes::new(found.into_iter().map(|(_, hash)| hash))
}

/// Returns whether `anchor` remembers the location of a symbol as that of similar code, or the one
/// that it had before the folder of both was moved: the first folders of the anchor, and the last ones
/// of the symbol.
pub(super) fn contains(anchor: &Anchor, file: &FileSymbols, symbol: &FileSymbol) -> bool {
    let Some(known) = &anchor.look_alikes else {
        return false;
    };
    let ends = |path: &str| -> Vec<usize> {
        let slashes = path.match_indices('/').map(|(slash, _)| slash + 1);
        std::iter::once(0).chain(slashes).collect()
    };
    let starts = ends(&anchor.file);
    ends(&file.path).into_iter().any(|tail| {
        starts.iter().any(|&head| {
            let path = format!("{}{}", &anchor.file[..head], &file.path[tail..]);
            known.contains(location_hash(&path, symbol))
        })
    })
}

fn location_hash(path: &str, symbol: &FileSymbol) -> u32 {
    let name = symbol.name.as_deref().unwrap_or_default();
    let location = format!("{path}::{}", name.replace("r#", ""));
    (xxh3_64(location.as_bytes()) >> 40) as u32
}

/// Returns for each anchor its own file and the other files whose words are most similar to it, that
/// is, which contain its name or a third of its identifiers.
fn similar_files<'p>(
    root: &Path,
    paths: &'p [String],
    anchors: &[&mut Anchor],
) -> Vec<Vec<&'p str>> {
    let missing: Vec<MissingAnchor<'_>> = anchors
        .iter()
        .map(|anchor| MissingAnchor::new(anchor))
        .collect();
    let name_hashes: Vec<u16> = missing
        .iter()
        .map(|it| short_hash(name_hash(it.name)))
        .collect();
    let similarities = |path: &'p String| -> Vec<(usize, f64, &'p str)> {
        let language = language::from_path(path);
        let bytes = read::bytes(root, path).ok();
        let Some(bytes) = bytes.filter(|bytes| read::skip_reason(bytes).is_none()) else {
            return Vec::new();
        };
        let words = word_hashes(&text::decode(&bytes).0);
        let similarity = |(idx, missing): (usize, &MissingAnchor<'_>)| {
            if !are_compatible(missing.anchor.language, language) {
                return None;
            }
            let names = &missing.anchor.fingerprint.names;
            let share = search::share(names, &words);
            let has_name = words.binary_search(&name_hashes[idx]).is_ok();
            let n_shared = (share * names.len() as f64).round() as usize;
            (has_name || missing.shares_identifiers(n_shared)).then(|| {
                let near = similarity::path_similarity(&missing.anchor.file, path);
                (
                    idx,
                    share + f64::from(u8::from(has_name)) + near,
                    path.as_str(),
                )
            })
        };
        missing.iter().enumerate().filter_map(similarity).collect()
    };
    let mut by_anchor: FxHashMap<usize, Vec<(f64, &str)>> = FxHashMap::default();
    for (idx, similarity, path) in paths
        .par_iter()
        .flat_map_iter(similarities)
        .collect::<Vec<_>>()
    {
        by_anchor.entry(idx).or_default().push((similarity, path));
    }
    let best = |(idx, missing): (usize, &MissingAnchor<'_>)| {
        let mut found = by_anchor.remove(&idx).unwrap_or_default();
        let is_own = |path: &str| path == missing.anchor.file;
        found.sort_by(|a, b| {
            is_own(b.1)
                .cmp(&is_own(a.1))
                .then(b.0.total_cmp(&a.0))
                .then(a.1.cmp(b.1))
        });
        found
            .into_iter()
            .take(1 + MAX_FILES)
            .map(|(_, path)| path)
            .collect()
    };
    missing.iter().enumerate().map(best).collect()
}
