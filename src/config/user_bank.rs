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
    let identity = main_git_folder(&git).unwrap_or_else(|| if git.is_dir() { git } else { own });
    let data = home("XDG_DATA_HOME", ".local/share")?;
    Ok(data
        .join("cerberus")
        .join(folder_name(&identity))
        .join("memories"))
}

/// Returns the git folder of the repository that the file `.git` of a linked working tree names, if
/// that repository names this working tree too.
fn main_git_folder(git_file: &Path) -> Option<PathBuf> {
    let read = |path: &Path| {
        std::fs::read_to_string(path)
            .ok()
            .filter(|_| path.is_file() && !path.is_symlink())
    };
    let text = read(git_file)?;
    let folder = git_file
        .parent()?
        .join(text.strip_prefix("gitdir: ")?.trim());
    let folder = folder.canonicalize().ok()?;
    let listed = folder.join(read(&folder.join("gitdir"))?.trim());
    let all = folder.parent().filter(|all| all.ends_with("worktrees"))?;
    let is_listed = listed.canonicalize().is_ok_and(|listed| listed == git_file);
    all.parent().filter(|_| is_listed).map(Path::to_owned)
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
    let is_part = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let name: String = name.chars().filter(is_part).collect();
    format!(
        "{name}-{:016x}",
        xxh3_64(identity.as_os_str().as_encoded_bytes())
    )
}
