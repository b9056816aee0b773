//! The files that git opens in a repository, which may be something else than regular files.

use std::io::Read;
use std::path::{Path, PathBuf};

use cerberus_model::regular_file;

/// Files that git opens in the folder of a working tree's repository, and in the one that linked
/// working trees share.
const OWN_FILES: &[&str] = &["HEAD", "index", "config.worktree", "commondir"];
const SHARED_FILES: &[&str] = &[
    "config",
    "packed-refs",
    "shallow",
    "info/attributes",
    "info/exclude",
    "info/grafts",
    "info/sparse-checkout",
    "objects/info/alternates",
    "objects/info/commit-graph",
];

/// Files that git opens in the root of the working tree.
const TREE_FILES: &[&str] = &[".gitattributes", ".gitignore", ".gitmodules", ".mailmap"];

/// Size limit of the file `.git` of a linked working tree.
const MAX_POINTER: u64 = 4096;

/// Returns the first of the files that git opens in the repository around `root` that is not a
/// regular file.
pub(super) fn irregular_file(root: &Path) -> Option<PathBuf> {
    let tree = root
        .ancestors()
        .find(|folder| folder.join(".git").symlink_metadata().is_ok())?;
    let tree_files = TREE_FILES.iter().map(|name| tree.join(name));
    let (shared, own) = match folder(tree).and_then(|own| Ok((shared_folder(&own)?, own))) {
        Ok(folders) => folders,
        Err(file) => return Some(file),
    };
    let own_files = OWN_FILES.iter().map(|name| own.join(name));
    let shared_files = SHARED_FILES.iter().map(|name| shared.join(name));
    let found = own_files.chain(shared_files).chain(tree_files);
    found
        .into_iter()
        .find(|path| regular_file::is_other(path))
        .or_else(|| {
            let head = pointer(&own.join("HEAD")).ok()??;
            let branch = head.strip_prefix("ref:")?.trim().to_owned();
            // A namespace of branches is a folder.
            let branch = shared.join(branch);
            Some(branch).filter(|path| regular_file::is_other(path) && !path.is_dir())
        })
}

/// Returns the file of the index of the repository around `root`.
pub(in super::super) fn index_file(root: &Path) -> Option<PathBuf> {
    let tree = root
        .ancestors()
        .find(|folder| folder.join(".git").symlink_metadata().is_ok())?;
    Some(folder(tree).ok()?.join("index"))
}

/// Returns a file that all working trees of the repository around `root` share.
pub(in super::super) fn shared_file(root: &Path, name: &str) -> Option<PathBuf> {
    let tree = root
        .ancestors()
        .find(|folder| folder.join(".git").symlink_metadata().is_ok())?;
    let shared = shared_folder(&folder(tree).ok()?).ok()?;
    Some(shared.join(name))
}

/// Returns the folder of the repository of a working tree. Fails with the file that cannot be read.
fn folder(tree: &Path) -> Result<PathBuf, PathBuf> {
    let link = tree.join(".git");
    if link.is_dir() {
        return Ok(link);
    }
    let target = pointer(&link)?.and_then(|text| Some(text.strip_prefix("gitdir:")?.to_owned()));
    Ok(target.map_or(link, |target| tree.join(target.trim())))
}

/// Returns the folder that linked working trees share. Fails with the file that cannot be read.
fn shared_folder(own: &Path) -> Result<PathBuf, PathBuf> {
    let target = pointer(&own.join("commondir"))?;
    Ok(target.map_or_else(|| own.to_owned(), |target| own.join(target.trim())))
}

/// Returns the text of a file that names another one, or `None` if it is missing. Fails with its
/// path if it is not a regular file.
fn pointer(path: &Path) -> Result<Option<String>, PathBuf> {
    if regular_file::is_other(path) {
        return Err(path.to_owned());
    }
    let mut text = Vec::new();
    let Ok(file) = regular_file::open(path) else {
        return Ok(None);
    };
    file.take(MAX_POINTER)
        .read_to_end(&mut text)
        .map_err(|_| path.to_owned())?;
    Ok(Some(String::from_utf8_lossy(&text).into_owned()))
}
