//! The documents that a person names: a file, or all that a folder holds.

use std::path::Path;

use anyhow::{Context, Result};
use ignore::WalkBuilder;

use super::walk::{check_ignore_files, has_plain_ignore_files};
use crate::error::UserError;

/// What documents for people and agents end with.
const EXTENSIONS: &[&str] = &["md", "mdc", "markdown", "txt"];

/// Returns the path below `root` of the file that `path` leads to, or of each document in
/// the folder that it leads to, in their order. Links inside a folder are not followed, nor
/// are a bank's own memories documents.
pub(crate) fn below(root: &Path, path: &Path) -> Result<Vec<String>> {
    let shown = path.display();
    let real = path.canonicalize().map_err(|error| {
        UserError::usage(format!("failed to read `{shown}`: {error}"))
            .hint("name a file of the project, such as `AGENTS.md`")
    })?;
    let root = root.canonicalize().context("failed to resolve the project's root")?;
    let inside = |path: &Path| {
        let relative = path.strip_prefix(&root).ok()?.to_str()?;
        Some(relative.replace(std::path::MAIN_SEPARATOR, "/"))
    };
    let outside = || {
        UserError::usage(format!("`{shown}` is not in the project `{}`", root.display()))
            .hint("copy it into the project, or name the one it belongs to with `--project DIR`")
    };
    let relative = inside(&real).ok_or_else(outside)?;
    if !real.is_dir() {
        return Ok(vec![relative]);
    }
    check_ignore_files(&real)?;
    let mut walker = WalkBuilder::new(&real);
    // What the folder itself ignores is left out; that it is ignored as a whole is no matter.
    walker.hidden(false).parents(false).require_git(false).git_global(false).follow_links(false);
    walker.filter_entry(|found| {
        let is_own = [".git", ".memories"].iter().any(|own| found.file_name() == *own);
        found.depth() == 0 || (!is_own && has_plain_ignore_files(found))
    });
    let files = walker.build().filter_map(Result::ok).filter(|found| {
        let extension = found.path().extension().and_then(|extension| extension.to_str());
        found.file_type().is_some_and(|kind| kind.is_file())
            && extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
    });
    let mut files: Vec<String> = files.filter_map(|found| inside(found.path())).collect();
    files.sort_unstable();
    if files.is_empty() {
        return Err(UserError::usage(format!("the folder `{shown}` holds no documents"))
            .hint(format!("name a file, or a folder with `.{}` files", EXTENSIONS.join("`, `.")))
            .into());
    }
    Ok(files)
}
