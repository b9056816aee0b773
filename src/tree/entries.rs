//! What one folder holds of code, as a shell completes it.

use std::path::Path;

use anyhow::Result;

use crate::syntax::language;

use super::walk;

/// Lists the source files and the folders, these with a `/`, that are in `folder` below
/// `root` and that its ignore rules leave; what leads out of the root holds nothing.
pub(crate) fn entries(root: &Path, folder: &str, excludes: &[String]) -> Result<Vec<String>> {
    if !folder.is_empty() && !super::read::is_there(root, folder) {
        return Ok(Vec::new());
    }
    let found = walk::builder(root, &root.join(folder), excludes)?.max_depth(Some(1)).build();
    let found = found.flatten().filter(|it| it.depth() == 1).filter_map(|it| {
        let path = walk::relative(root, &it)?;
        let kind = it.file_type()?;
        if kind.is_dir() {
            return Some(path + "/");
        }
        (kind.is_file() && language::from_path(&path).is_some()).then_some(path)
    });
    let mut found: Vec<String> = found.collect();
    found.sort_unstable();
    Ok(found)
}
