//! The repositories that the command line names.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::external_file;
use cerberus_engine::tree::git::remote::url_fault;
use cerberus_model::error::UserError;

/// Maximum number of repositories.
const MAX_SOURCES: usize = 100_000;

/// A repository, and the branch to read.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Source {
    /// URL, or folder on this machine.
    pub(crate) place: String,
    /// `None` for the branch of its HEAD.
    pub(crate) branch: Option<String>,
}

impl Source {
    /// Returns its folder, if it is a repository on this machine that is not named by a URL.
    pub(super) fn folder(&self) -> Option<&Path> {
        let is_url = self.place.contains("://") || url_fault(&self.place).is_none();
        (!is_url).then(|| Path::new(&self.place))
    }
}

/// Returns the repositories that arguments name, each once: a URL, the folder of a repository, a
/// folder with repositories, or a file with one of these in each line, and a branch after it.
pub fn sources(args: &[String], branch: Option<&str>) -> Result<Vec<Source>> {
    let mut found = Vec::new();
    for arg in args {
        let path = Path::new(arg);
        if !path.is_file() {
            found.extend(named(arg, Path::new(""), branch, "the command line")?);
            continue;
        }
        let bytes = external_file::read(path)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.lines().map(str::trim).enumerate();
        for (line_idx, line) in lines.filter(|(_, it)| !it.is_empty() && !it.starts_with('#')) {
            let mut words = line.split_whitespace();
            let (place, of_line) = (words.next().unwrap_or_default(), words.next());
            let at = format!("{arg}:{}", line_idx + 1);
            if let Some(word) = words.next() {
                let message = format!("{at}: unexpected `{}`", word.escape_debug());
                let hint = "a line is a URL or a folder, and a branch after it";
                return Err(UserError::usage(message).hint(hint).into());
            }
            found.extend(named(place, folder, of_line.or(branch), &at)?);
        }
    }
    if found.is_empty() {
        return Err(UserError::usage("no repository is named")
            .hint("name URLs, folders, or a file with one of them in each line")
            .into());
    }
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|source: &Source| seen.insert(source.clone()));
    if found.len() > MAX_SOURCES {
        let n = found.len();
        return Err(UserError::usage(format!("{n} repositories; the limit is {MAX_SOURCES}"))
            .hint("report them in parts, with `--part`, and join the parts")
            .into());
    }
    Ok(found)
}

/// Returns the repositories that a word `at` a place names.
fn named(place: &str, base: &Path, branch: Option<&str>, at: &str) -> Result<Vec<Source>> {
    let refuse = |fault: String, hint: &str| {
        Err(UserError::usage(format!("{at}: {fault}")).hint(hint).into())
    };
    let is_odd = |c: char| c.is_control() || "^~:?*[\\ ".contains(c);
    if let Some(branch) = branch.filter(|it| it.starts_with('-') || it.contains(is_odd)) {
        let fault = format!("`{}` is not a branch", branch.escape_debug());
        return refuse(fault, "name it as `git branch` lists it");
    }
    let source = |place: String| Source { place, branch: branch.map(str::to_owned) };
    let folder = base.join(place);
    if folder.is_dir() {
        let folders = repositories(&folder)?;
        if folders.is_empty() {
            let fault = format!("`{}` contains no repository", folder.display());
            return refuse(
                fault,
                "name the folder of a repository, or one with repositories in it",
            );
        }
        return Ok(folders.iter().map(|folder| source(folder.display().to_string())).collect());
    }
    match url_fault(place) {
        None => Ok(vec![source(place.to_owned())]),
        Some(fault) if place.contains(':') => refuse(fault, "use https, ssh, git or file"),
        Some(_) => {
            let fault = format!("`{}` not found", place.escape_debug());
            refuse(fault, "name a URL, or an existing folder or file")
        }
    }
}

/// Returns the folder itself if it is a repository, else the repositories in it, sorted.
fn repositories(folder: &Path) -> Result<Vec<PathBuf>> {
    let is_repository = |folder: &Path| {
        folder.join(".git").exists()
            || (folder.join("HEAD").is_file() && folder.join("objects").is_dir())
    };
    let real = folder.canonicalize()?;
    if is_repository(&real) {
        return Ok(vec![real]);
    }
    let mut found = crate::folders_in(&real);
    found.retain(|folder| is_repository(folder));
    Ok(found)
}
