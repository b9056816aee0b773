//! The folder of a user bank.
//!
//! The path of the project names it. A remote or a git folder that a repository names itself could
//! be those of another project, so they do not.

use std::path::{Path, PathBuf};

use anyhow::Result;
use xxhash_rust::xxh3::xxh3_64;

use super::home;

/// Returns the folder of the memories. Working trees of a repository share it, and projects with
/// the same folder name do not.
pub(super) fn folder(root: &Path) -> Result<PathBuf> {
    let own = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let git = own.join(".git");
    let identity = match main_git_folder(&git) {
        Some(folder) => folder,
        None if git.is_dir() => git,
        None => own,
    };
    let data = home("XDG_DATA_HOME", ".local/share")?;
    Ok(data
        .join("cerberus")
        .join(folder_name(&identity))
        .join("memories"))
}

/// Returns the git folder of the repository that the file `.git` of a linked working tree names, if
/// that repository names this working tree too.
fn main_git_folder(git_file: &Path) -> Option<PathBuf> {
    let text = read(git_file)?;
    let named = text.strip_prefix("gitdir: ")?.trim();
    let folder = git_file.parent()?.join(named).canonicalize().ok()?;
    let listed = folder.join(read(&folder.join("gitdir"))?.trim());
    let all = folder.parent()?;
    if !all.ends_with("worktrees") || listed.canonicalize().ok()? != git_file {
        return None;
    }
    Some(all.parent()?.to_owned())
}

fn read(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    (path.is_file() && !path.is_symlink()).then_some(text)
}

/// Returns the name of the folder of a bank: readable, and different for each identity.
fn folder_name(identity: &Path) -> String {
    let text = identity.to_string_lossy();
    let text = text
        .trim_end_matches(".git")
        .trim_end_matches(std::path::is_separator);
    let name = text
        .rsplit(std::path::is_separator)
        .next()
        .unwrap_or_default();
    let name = name.replace(
        |c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_'),
        "",
    );
    let hash = xxh3_64(identity.as_os_str().as_encoded_bytes());
    format!("{name}-{hash:016x}")
}
