//! Source files and folders in one folder, for shell completion.

use crate::prelude::*;
use crate::syntax::language;

use super::walk;

/// Returns the source files and folders in `folder` that are not ignored, sorted. Folders end with
/// `/`. Returns an empty list if `folder` is outside `root`.
pub fn entries(root: &Path, folder: &str, excludes: &[String]) -> Result<Vec<String>> {
    if !folder.is_empty() && !super::read::exists(root, folder) {
        return Ok(Vec::new());
    }
    let (mut builder, ignore_bytes) = walk::builder(root, &root.join(folder), excludes)?;
    let found = builder.max_depth(Some(1)).build().flatten();
    let found = found.filter(|entry| entry.depth() == 1).filter_map(|entry| {
        let path = walk::relative(root, entry.path())?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            return Some(path + "/");
        }
        (kind.is_file() && language::from_path(&path).is_some()).then_some(path)
    });
    let found = sorted(found);
    ignore_bytes.check()?;
    Ok(found)
}
