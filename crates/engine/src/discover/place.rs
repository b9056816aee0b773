//! The places of the code base at which a rule points: the files that it applies to, and the files and folders that it names.
//!
//! A place ranks its code higher and excludes no other code, because a rule may name a file for another reason than its
//! example.

use cerberus_model::Globs;
use cerberus_store::code::FileRow;

use crate::index::Code;
use crate::rank::named_code::has_file_ending;
use crate::rank::query::ParsedQuery;
use crate::rank::weights::WEIGHTS;
use crate::search::Query;

/// The places of a rule.
#[derive(Debug, Default)]
pub(super) struct Place {
    /// The files that the rule applies to, if not all.
    globs: Option<Globs>,
    /// The indices of the files that the rule names.
    files: Vec<usize>,
    /// The folders that the rule names, with a slash before and behind.
    folders: Vec<String>,
    /// The ends of the names of files, for which the rule is: `_test.go`.
    endings: Vec<String>,
    /// The folders of the packages that the rule demands to use, with a slash before and behind.
    packages: Vec<String>,
}

impl Place {
    pub(super) fn new(code: Code<'_>, query: &Query, rule: &ParsedQuery) -> Self {
        let mut place = Self::default();
        if !query.paths.is_empty() {
            place.globs = Some(Globs::new(&query.paths));
        }
        for path in &rule.paths {
            let path = path.trim_matches(['.', '/', '*']);
            if path.is_empty() {
                continue;
            }
            if let Some(file_idx) = named_file(code.files, path) {
                place.files.push(file_idx);
            } else if has_file_ending(path) {
                place
                    .endings
                    .push(path.trim_start_matches("**/").to_owned());
            } else if !path.contains(['*', '{', '<']) {
                place.folders.push(format!("/{path}/"));
            }
        }
        for package in &rule.packages {
            place
                .packages
                .push(format!("/{}/", package.trim_matches('/')));
        }
        place
    }

    /// Returns the factor for the code of a file.
    pub(super) fn factor(&self, code: Code<'_>, file_idx: usize) -> f64 {
        let weights = &WEIGHTS.candidates;
        let path = &code.files[file_idx].path;
        let mut factor = match &self.globs {
            Some(globs) if globs.find(path).is_some() => weights.inside,
            _ => 1.0,
        };
        if self.files.contains(&file_idx) {
            factor *= weights.named_file;
        } else if self.endings.iter().any(|ending| has_ending(path, ending)) {
            factor *= weights.named_ending;
        } else if is_in_one_of(&self.folders, path) {
            factor *= weights.named_folder;
        }
        if is_in_one_of(&self.packages, path) {
            factor *= weights.used_package;
        }
        factor
    }
}

/// Returns whether a file is in one of these folders, which have a slash before and behind.
fn is_in_one_of(folders: &[String], path: &str) -> bool {
    if folders.is_empty() {
        return false;
    }
    let path = format!("/{path}");
    folders.iter().any(|folder| path.contains(folder))
}

/// Returns whether a path ends so, at the start of a word.
fn has_ending(path: &str, ending: &str) -> bool {
    let Some(rest) = path.strip_suffix(ending) else {
        return false;
    };
    !ending.starts_with(char::is_alphanumeric) || !rest.ends_with(char::is_alphanumeric)
}

/// Returns the index of the file with this path, or with a path that ends so if only one does.
fn named_file(files: &[FileRow], path: &str) -> Option<usize> {
    if let Ok(file_idx) = files.binary_search_by(|file| file.path.as_str().cmp(path)) {
        return Some(file_idx);
    }
    let mut found = None;
    for (file_idx, file) in files.iter().enumerate() {
        if let Some(folder) = file.path.strip_suffix(path)
            && folder.ends_with('/')
        {
            if found.is_some() {
                return None;
            }
            found = Some(file_idx);
        }
    }
    found
}
