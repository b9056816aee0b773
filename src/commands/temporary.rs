//! Writes files into temporary folders.
#![expect(clippy::disallowed_methods, reason = "it writes to a temporary folder")]

use std::path::Path;

use anyhow::{Context, Result};

/// Writes a file and creates its folder.
pub(super) fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text).with_context(|| format!("failed to write `{}`", path.display()))
}
