//! Finds the files of a project that a task names by words of their paths: not only code, which is found by its text, but also
//! pages, workflows and manifests.

use std::collections::BTreeSet;

use anyhow::Result;
use cerberus_bank::ops::Project;
use cerberus_engine::rank::query::ParsedQuery;
use cerberus_engine::rank::{fusion, tokenize};
use cerberus_engine::tree::{documents, walk};
use rustc_hash::{FxHashMap, FxHashSet};

/// The folder of memories.
const BANK: &str = ".memories/";

/// The most files that are found by their paths.
const MAX_FILES: usize = 2;

/// The weight of a word of a folder, relative to one of the name of the file.
const FOLDER_WEIGHT: f64 = 0.5;

/// The least score of a file, in rarities of the rarest word of a path.
const MIN_SCORE: f64 = 1.2;

/// Returns the files whose paths have the most words of a task.
pub(crate) fn files_of(project: &Project, task: &str) -> Result<BTreeSet<String>> {
    let mut words = FxHashMap::default();
    for term in ParsedQuery::search(task, &[]).terms {
        words.insert(term.term, term.weight);
    }
    let lower = task.to_lowercase();
    let named: FxHashSet<&str> = lower
        .split(|c: char| c.is_whitespace() || "`'\"()[]<>,;:/".contains(c))
        .map(|word| word.trim_end_matches(['.', '?', '!']))
        .filter(|word| word.contains('.'))
        .collect();
    let mut paths = walk::files(&project.root, &project.exclude)?;
    paths.retain(|path| !path.starts_with(BANK));
    let mut read = FxHashMap::default();
    for path in &paths {
        let (folders, stem) = parts(path);
        for part in [folders, stem] {
            read.entry(part).or_insert_with(|| terms_of(part));
        }
    }
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    for path in &paths {
        let (folders, stem) = parts(path);
        for term in read[folders].iter().chain(&read[stem]) {
            if words.contains_key(term) {
                *counts.entry(term).or_default() += 1;
            }
        }
    }
    let rarity = |term: &String| {
        let n_with = counts.get(term.as_str()).copied().unwrap_or_default();
        if n_with == 0 {
            return 0.0;
        }
        words[term] * fusion::idf(n_with, paths.len())
    };
    let mut scored = Vec::new();
    for path in &paths {
        let (folders, stem) = parts(path);
        let (of_folders, of_name) = (&read[folders], &read[stem]);
        let mut sum: f64 = of_name.iter().map(rarity).sum();
        let in_folders = of_folders.difference(of_name);
        sum += FOLDER_WEIGHT * in_folders.map(rarity).sum::<f64>();
        let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
        if named.contains(name.as_str()) {
            sum += 2.0 * MIN_SCORE * fusion::idf(1, paths.len());
        }
        let is_enough = sum >= MIN_SCORE * fusion::idf(1, paths.len());
        if is_enough && !documents::is_rule_file(path) {
            let n_terms = of_name.len() + of_folders.len();
            scored.push((sum / (n_terms as f64).ln_1p(), path));
        }
    }
    scored.sort_by(|(a, a_path), (b, b_path)| b.total_cmp(a).then_with(|| a_path.cmp(b_path)));
    scored.truncate(MAX_FILES);
    Ok(scored.into_iter().map(|(_, path)| path.clone()).collect())
}

/// Returns the folders of a path, and the name of its file without endings.
fn parts(path: &str) -> (&str, &str) {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    (folders, name.split('.').next().unwrap_or_default())
}

fn terms_of(part: &str) -> BTreeSet<String> {
    tokenize::terms(part).into_iter().collect()
}
