//! Source files and folders in one folder, for shell completion.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;

use super::excludes::Excludes;
use super::listed;
use crate::syntax::language;

/// Returns the source files in `folder`, and the folders with files in it, sorted. Folders end with
/// `/`. Returns an empty list if `folder` is outside `root`.
pub fn entries(root: &Path, folder: &str, excludes: &[String]) -> Result<Vec<String>> {
    if !folder.is_empty() && !super::read::exists(root, folder) {
        return Ok(Vec::new());
    }
    let root = &root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let found = listed::names(root, &Excludes::new(root, excludes)?, &|| {})?;
    let mut prefix = String::new();
    for part in folder.split('/').filter(|part| !matches!(*part, "" | ".")) {
        prefix += part;
        prefix.push('/');
    }
    let mut folders: BTreeSet<String> = BTreeSet::new();
    let mut files = Vec::new();
    for name in found.names {
        let Some(rest) = listed::path_of(&name).and_then(|path| path.strip_prefix(&prefix)) else {
            continue;
        };
        match rest.split_once('/') {
            Some((folder, _)) => _ = folders.insert(format!("{prefix}{folder}/")),
            None if language::from_path(rest).is_some() => files.push(name),
            None => {}
        }
    }
    let mut found: Vec<String> = folders.into_iter().collect();
    for file in listed::regular_files(root, files).files {
        found.extend(listed::path_of(&file.name).map(str::to_owned));
    }
    found.sort_unstable();
    Ok(found)
}
