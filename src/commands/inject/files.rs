//! The files that a request is about, and the lines that they add.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use cerberus_bank::ops::Project;
use cerberus_engine::tree::git::{self, AddedLines};

use super::Request;

/// Returns the files of the request as paths relative to the root of the project.
pub(super) fn files(project: &Project, request: &Request) -> Result<BTreeSet<String>> {
    let mut files = BTreeSet::new();
    let root = project.root.to_string_lossy();
    for file in &request.files {
        let path = match file.strip_prefix(&*root) {
            Some(rest) => rest.trim_start_matches('/'),
            None => file,
        };
        let path = path.replace('\\', "/");
        files.insert(path.trim_start_matches("./").to_owned());
    }
    if request.staged {
        files.extend(git::staged(&project.root)?.into_keys());
    }
    Ok(files)
}

/// Returns the lines that each staged file adds.
pub(super) fn staged_lines(project: &Project) -> Result<BTreeMap<String, String>> {
    let mut staged = BTreeMap::new();
    for file in git::added_in_index(&project.root)?.files {
        let text = added_text(&file);
        if !text.is_empty() {
            staged.insert(file.path, text);
        }
    }
    Ok(staged)
}

/// Returns the text of the added lines of a file.
pub(crate) fn added_text(file: &AddedLines) -> String {
    let mut text = String::new();
    for (line, is_added) in file.text.split_inclusive('\n').zip(&file.is_added) {
        if *is_added {
            text.push_str(line);
        }
    }
    text
}
