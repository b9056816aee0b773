//! A file outside the bank that a person asked cerberus to keep a part of.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};

use crate::error::UserError;

use super::files;

/// Larger files are nothing that an agent's host reads.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Somebody else's file, as it is now.
#[derive(Debug)]
pub(crate) struct Foreign {
    path: PathBuf,
    pub(crate) bytes: Vec<u8>,
}

impl Foreign {
    /// Reads the file at `path`; one that is not there is empty. Where `path` is a link,
    /// the file that it leads to is meant, which within a project is inside `root`.
    pub(crate) fn open(path: &Path, root: Option<&Path>) -> Result<Self> {
        let shown = path.display();
        let exists = path.symlink_metadata().is_ok();
        let real = if exists { path.canonicalize() } else { to_be(path) };
        let real = real.with_context(|| format!("failed to open `{shown}`"))?;
        if exists && !real.is_file() {
            return Err(UserError::usage(format!("`{shown}` is not a regular file"))
                .hint("name a file, such as `AGENTS.md`; one that is not there is made")
                .into());
        }
        if let Some(root) = root
            && !real.starts_with(root.canonicalize()?)
        {
            return Err(UserError::usage(format!("`{shown}` leads out of the project"))
                .hint("name a file inside it, as in `--into AGENTS.md`")
                .into());
        }
        let bytes = files::read(&real, MAX_BYTES)?.unwrap_or_default();
        Ok(Self { path: real, bytes })
    }

    /// Writes new content in one step, if it differs, and returns whether it did.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<bool> {
        if self.bytes == bytes {
            return Ok(false);
        }
        super::sweep_beside(&self.path);
        files::replace(&self.path, bytes)?;
        Ok(true)
    }

    /// Lets everybody who may read the file run it.
    pub(crate) fn make_executable(&self) -> Result<()> {
        files::make_executable(&self.path)
    }
}

/// Returns where a file that is not there yet will be: below the nearest folder that is.
fn to_be(path: &Path) -> std::io::Result<PathBuf> {
    let start = if path.is_absolute() { PathBuf::new() } else { PathBuf::from(".") };
    let path = start.join(path);
    let folder = path.ancestors().skip(1).find(|folder| folder.exists());
    let folder = folder.unwrap_or(Path::new("."));
    let rest = path.strip_prefix(folder).unwrap_or(&path);
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if path.file_name().is_none() || !rest.components().all(is_plain) {
        return Err(std::io::Error::new(ErrorKind::InvalidInput, "it names no file"));
    }
    Ok(folder.canonicalize()?.join(rest))
}
