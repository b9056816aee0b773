//! Documents to import: a file, or all documents in a folder.

use std::path::Path;

use anyhow::{Context, Result};
use ignore::WalkBuilder;

use super::ignore_bytes::IgnoreBytes;
use super::walk::check_ignore_files;
use crate::error::UserError;

/// File extensions of documents.
const EXTENSIONS: &[&str] = &["md", "mdc", "markdown", "txt"];

/// Returns the paths, relative to `root`, of the file `path` or of the documents in the folder
/// `path`, sorted. Symbolic links in a folder are not followed, and memories of a bank are
/// skipped.
pub(crate) fn find(root: &Path, path: &Path) -> Result<Vec<String>> {
    let shown = path.display();
    let real = path.canonicalize().map_err(|error| {
        UserError::usage(format!("failed to read `{shown}`: {error}"))
            .hint("name a file of the project, such as `AGENTS.md`")
    })?;
    let root = root.canonicalize().context("failed to resolve the project's root")?;
    let relative_path = |path: &Path| {
        let relative = path.strip_prefix(&root).ok()?.to_str()?;
        Some(relative.replace(std::path::MAIN_SEPARATOR, "/"))
    };
    let outside = || {
        UserError::usage(format!("`{shown}` is outside the project `{}`", root.display()))
            .hint("copy it into the project, or name its project with `--project DIR`")
    };
    let relative = relative_path(&real).ok_or_else(outside)?;
    if !real.is_dir() {
        return Ok(vec![relative]);
    }
    check_ignore_files(&real)?;
    let ignore_bytes = IgnoreBytes::new(&real);
    let counted = ignore_bytes.clone();
    let mut walker = WalkBuilder::new(&real);
    // Ignore files inside the folder apply, but not those of its parents.
    walker.hidden(false).parents(false).require_git(false).git_global(false).follow_links(false);
    walker.filter_entry(move |found| {
        let is_skipped = [".git", ".memories"].iter().any(|name| found.file_name() == *name);
        found.depth() == 0 || (!is_skipped && counted.add(found))
    });
    let files = walker.build().filter_map(Result::ok).filter(|found| {
        let extension = found.path().extension().and_then(|extension| extension.to_str());
        found.file_type().is_some_and(|kind| kind.is_file())
            && extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
    });
    let mut files: Vec<String> = files.filter_map(|found| relative_path(found.path())).collect();
    ignore_bytes.check()?;
    files.sort_unstable();
    if files.is_empty() {
        return Err(UserError::usage(format!("no documents found in the folder `{shown}`"))
            .hint(format!("name a file, or a folder with `.{}` files", EXTENSIONS.join("`, `.")))
            .into());
    }
    Ok(files)
}
