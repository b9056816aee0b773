//! Lists the code of a project among its files.
//!
//! Does not read source files.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use cerberus_model::Language;
use cerberus_model::file_stat::FileStat;
use cerberus_model::text::conventions;

use super::excludes::Excludes;
use super::listed::{self, ListedFile, Names};
use crate::syntax::language;

/// Listed source file.
#[derive(Debug, Clone)]
pub struct Entry {
    pub path: String,
    pub(crate) language: Language,
    pub(crate) stat: FileStat,
}

/// Source files of a project, ordered by path, and warnings about what is missing.
#[derive(Debug, Default)]
pub struct Listing {
    pub entries: Vec<Entry>,
    /// Number of files in languages that this build lacks.
    pub lacking: BTreeMap<Language, usize>,
    /// Files that are skipped because no path can name them, with the reasons.
    pub unnamed: Vec<(String, String)>,
    /// Why files and folders are missing.
    pub warnings: Vec<String>,
    /// Why git did not list the files, so that hidden ones are missing.
    pub failure: Option<String>,
}

impl Listing {
    /// Returns a warning for all that is missing.
    pub fn all_warnings(&self) -> Vec<String> {
        let mut warnings = self.warnings.clone();
        warnings.extend(self.failure.clone());
        for (file, why) in &self.unnamed {
            warnings.push(format!("skipped `{file}`: {why}"));
        }
        warnings
    }

    /// Returns a warning if this build lacks the languages of most source files.
    pub fn lack_warning(&self) -> Option<String> {
        let n_lacking: usize = self.lacking.values().sum();
        (n_lacking > self.entries.len()).then(|| language::lacks("file", &self.lacking))
    }
}

/// Lists the source files in `root` that are examples of the project: without those that match a glob in
/// `excludes`, those that bundlers write, and the untracked ones that belong to tools.
pub fn walk(root: &Path, excludes: &[String]) -> Result<Listing> {
    walk_with(root, excludes, &|| {})
}

/// Like [`walk`], and calls `report` at times. If it panics because the caller is cancelled, the walk
/// stops and the panic continues in this thread.
pub(crate) fn walk_with(
    root: &Path,
    excludes: &[String],
    report: &(dyn Fn() + Sync),
) -> Result<Listing> {
    let root = &root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let excludes = Excludes::new(root, excludes)?;
    let mut found = listed::names(root, &excludes, report)?;
    let folders = std::mem::take(&mut found.tool_folders);
    if !folders.is_empty() {
        let is_of_tool = |name: &Vec<u8>| folders.iter().any(|folder| name.starts_with(folder));
        found.names.retain(|name| !is_of_tool(name));
    }
    code(root, found, is_written)
}

/// Lists the source files in `root` that people write, also in the folders of tools.
pub fn written_code(root: &Path, excludes: &[String]) -> Result<Listing> {
    let root = &root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let excludes = Excludes::new(root, excludes)?;
    code(root, listed::names(root, &excludes, &|| {})?, is_written)
}

fn is_written(path: &str) -> bool {
    !conventions::is_bundle(path)
}

/// Lists all source files in `root`, also those that bundlers write.
pub fn all_code(root: &Path) -> Result<Listing> {
    let root = &root.canonicalize().unwrap_or_else(|_| root.to_owned());
    code(
        root,
        listed::names(root, &Excludes::none(), &|| {})?,
        |_| true,
    )
}

/// Returns the source files with wanted paths.
fn code(root: &Path, mut found: Names, is_wanted: impl Fn(&str) -> bool) -> Result<Listing> {
    let mut listing = Listing::default();
    found.names.retain(|name| {
        let path = String::from_utf8_lossy(name);
        if !is_wanted(&path) {
            return false;
        }
        let is_supported = language::from_path(&path).is_some();
        if let Some(lacking) = language::lacking(&path).filter(|_| !is_supported) {
            *listing.lacking.entry(lacking).or_default() += 1;
        }
        is_supported
    });
    let files = listed::regular_files(root, found.names);
    listing.failure = found.failure;
    listing.warnings = [found.warnings, files.warnings()].concat();
    for ListedFile { name, stat } in files.files {
        let Some(language) = language::from_path(&String::from_utf8_lossy(&name)) else {
            continue;
        };
        match listed::path_of(&name) {
            Some(path) => listing.entries.push(Entry {
                path: path.to_owned(),
                language,
                stat,
            }),
            None => {
                let why = listed::why_unnamed(&name).to_owned();
                listing.unnamed.push((listed::shown(&name), why));
            }
        }
    }
    listing.warnings.sort_unstable();
    Ok(listing)
}

/// Lists the files in `root` without a supported language, ordered by path.
pub(crate) fn walk_plain(root: &Path, excludes: &[String]) -> Result<Vec<String>> {
    let mut paths = files(root, excludes)?;
    paths.retain(|path| language::from_path(path).is_none());
    Ok(paths)
}

/// Lists all files in `root` that are neither ignored nor match `excludes`, ordered by path.
pub fn files(root: &Path, excludes: &[String]) -> Result<Vec<String>> {
    let root = &root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let found = listed::names(root, &Excludes::new(root, excludes)?, &|| {})?;
    let files = listed::regular_files(root, found.names).files;
    let paths = files.iter().filter_map(|file| listed::path_of(&file.name));
    Ok(paths.map(str::to_owned).collect())
}
