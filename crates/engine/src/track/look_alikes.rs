//! Remembers the code that is similar to an anchored example when the anchor is recorded.
//!
//! Such code existed beside the example. If the example is missing later, it was not moved there.
//! Without a history, only the lock file can tell this, so it stores short hashes of the locations.

use std::path::Path;

use anyhow::Result;
use cerberus_model::{Anchor, LookAlikes, sorted, text};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use xxhash_rust::xxh3::xxh3_64;

use crate::rank::similarity;
use crate::syntax::fingerprint::{name_hash, short_hash, word_hashes};
use crate::syntax::language;
use crate::track::file_symbols::{ALL, FileSymbol, FileSymbols, find_file};
use crate::track::in_place::same_name;
use crate::track::search::MissingAnchor;
use crate::track::weights::WEIGHTS;
use crate::track::{are_compatible, rare_features, search};
use crate::tree::read;

/// Maximum number of files that are parsed for an anchor, besides its own.
const MAX_FILES: usize = 24;

/// Sets the look-alikes of `anchors` to those in the current tree. All files are read once.
pub fn remember(root: &Path, excludes: &[String], anchors: &mut [&mut Anchor]) -> Result<()> {
    // Only code has look-alikes: another text file is not mistaken for a moved one.
    let mut code_anchors: Vec<&mut Anchor> = Vec::new();
    for anchor in anchors {
        anchor.look_alikes = Some(LookAlikes::default());
        if anchor.language.is_some() && anchor.symbol.is_some() {
            code_anchors.push(anchor);
        }
    }
    if code_anchors.is_empty() {
        return Ok(());
    }
    let paths = search::tree_paths(root, excludes, std::iter::empty())?;
    let similar_files = similar_files(root, &paths, &code_anchors);
    let needed = sorted(similar_files.iter().flatten().copied());
    let parsed: Vec<FileSymbols> = needed
        .par_iter()
        .filter_map(|path| FileSymbols::read(root, path, ALL).ok())
        .collect();
    for (anchor, similar) in code_anchors.into_iter().zip(&similar_files) {
        let files = similar
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
        let mut symbol_idxs: Vec<usize> = (0..file.symbols.len()).collect();
        if symbol_idxs.len() > rare_features::MAX_COMPARED {
            let features = rare_features::of_anchor(&missing);
            symbol_idxs = file.rare_features().nearest(&features, &symbol_idxs);
        }
        for symbol_idx in symbol_idxs {
            let symbol = &file.symbols[symbol_idx];
            let is_itself = file.path == anchor.file
                && same_name(symbol.name.as_deref(), anchor.symbol.as_deref());
            if symbol.name.is_none() || is_itself || !missing.is_compatible(file, symbol) {
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
    let heads = part_starts(&anchor.file);
    for tail in part_starts(&file.path) {
        for &head in &heads {
            let path = format!("{}{}", &anchor.file[..head], &file.path[tail..]);
            if known.contains(location_hash(&path, symbol)) {
                return true;
            }
        }
    }
    false
}

/// Returns the offsets at which the folders and the file name of a path start.
fn part_starts(path: &str) -> Vec<usize> {
    let mut starts = vec![0];
    for (slash, _) in path.match_indices('/') {
        starts.push(slash + 1);
    }
    starts
}

fn location_hash(path: &str, symbol: &FileSymbol) -> u32 {
    let name = symbol.name.as_deref().unwrap_or_default();
    let location = format!("{path}::{}", name.replace("r#", ""));
    (xxh3_64(location.as_bytes()) >> 40) as u32
}

/// An anchor that a file may be similar to.
struct Wanted<'a> {
    missing: MissingAnchor<'a>,
    name_hash: u16,
}

impl<'a> Wanted<'a> {
    fn new(anchor: &'a Anchor) -> Self {
        let missing = MissingAnchor::new(anchor);
        let name_hash = short_hash(name_hash(missing.name));
        Self { missing, name_hash }
    }

    /// Returns how similar the words of a file are, if it contains the name or a third of the
    /// identifiers. `words` are sorted.
    fn similarity(&self, path: &str, words: &[u16]) -> Option<f64> {
        let anchor = self.missing.anchor;
        let names = &anchor.fingerprint.names;
        let share = search::share(names, words);
        let has_name = words.binary_search(&self.name_hash).is_ok();
        let n_shared = (share * names.len() as f64).round() as usize;
        if !has_name && !self.missing.shares_identifiers(n_shared) {
            return None;
        }
        let near = similarity::path_similarity(&anchor.file, path);
        Some(share + f64::from(u8::from(has_name)) + near)
    }
}

/// A file that is similar to an anchor.
struct SimilarFile<'p> {
    anchor_idx: usize,
    similarity: f64,
    path: &'p str,
}

/// Returns for each anchor its own file and the other files whose words are most similar to it, that
/// is, which contain its name or a third of its identifiers.
fn similar_files<'p>(
    root: &Path,
    paths: &'p [String],
    anchors: &[&mut Anchor],
) -> Vec<Vec<&'p str>> {
    let wanted: Vec<Wanted<'_>> = anchors.iter().map(|anchor| Wanted::new(anchor)).collect();
    let found: Vec<SimilarFile<'_>> = paths
        .par_iter()
        .flat_map_iter(|path| similar_anchors(root, path, &wanted))
        .collect();
    let mut by_anchor: Vec<Vec<SimilarFile<'_>>> = Vec::new();
    by_anchor.resize_with(anchors.len(), Vec::new);
    for file in found {
        by_anchor[file.anchor_idx].push(file);
    }
    let mut best = Vec::new();
    for (mut files, anchor) in by_anchor.into_iter().zip(anchors) {
        files.sort_by(|a, b| {
            let own_first = (b.path == anchor.file).cmp(&(a.path == anchor.file));
            own_first
                .then(b.similarity.total_cmp(&a.similarity))
                .then(a.path.cmp(b.path))
        });
        files.truncate(1 + MAX_FILES);
        best.push(files.into_iter().map(|file| file.path).collect());
    }
    best
}

/// Returns the anchors that a file is similar to.
fn similar_anchors<'p>(root: &Path, path: &'p str, wanted: &[Wanted<'_>]) -> Vec<SimilarFile<'p>> {
    let mut found = Vec::new();
    let Ok(bytes) = read::bytes(root, path) else {
        return found;
    };
    if read::skip_reason(&bytes).is_some() {
        return found;
    }
    let language = language::from_path(path);
    let words = word_hashes(&text::decode(&bytes).0);
    for (anchor_idx, wanted) in wanted.iter().enumerate() {
        if !are_compatible(wanted.missing.anchor.language, language) {
            continue;
        }
        if let Some(similarity) = wanted.similarity(path, &words) {
            found.push(SimilarFile {
                anchor_idx,
                similarity,
                path,
            });
        }
    }
    found
}
