//! A file outside the bank that the user asked cerberus to update, such as `AGENTS.md`.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};

use crate::error::UserError;

use super::files;

/// Size limit; agents do not read larger instruction files.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// File outside the bank with its current content.
#[derive(Debug)]
pub(crate) struct ExternalFile {
    path: PathBuf,
    pub(crate) bytes: Vec<u8>,
}

impl ExternalFile {
    /// Reads the file at `path`. A missing file is empty. Symbolic links are followed, but with a
    /// `root` the file must be inside of it.
    pub(crate) fn open(path: &Path, root: Option<&Path>) -> Result<Self> {
        let shown = path.display();
        let exists = path.symlink_metadata().is_ok();
        let real = if exists { path.canonicalize() } else { future_path(path) };
        let real = real.with_context(|| format!("failed to open `{shown}`"))?;
        if exists && !real.is_file() {
            return Err(UserError::usage(format!("`{shown}` is not a regular file"))
                .hint("name a file, such as `AGENTS.md`; a missing file is created")
                .into());
        }
        if let Some(root) = root
            && !real.starts_with(root.canonicalize()?)
        {
            return Err(UserError::usage(format!("`{shown}` is outside the project"))
                .hint("name a file inside the project, as in `--into AGENTS.md`")
                .into());
        }
        let bytes = files::read(&real, MAX_BYTES)?.unwrap_or_default();
        Ok(Self { path: real, bytes })
    }

    /// Atomically writes new content if it differs, and returns whether it did.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<bool> {
        if self.bytes == bytes {
            return Ok(false);
        }
        super::remove_stale_siblings(&self.path);
        files::replace(&self.path, bytes)?;
        Ok(true)
    }

    /// Adds the execute permission for everyone with read permission.
    pub(crate) fn make_executable(&self) -> Result<()> {
        files::make_executable(&self.path)
    }
}

/// Returns the real path that a missing file will have once it is created.
fn future_path(path: &Path) -> std::io::Result<PathBuf> {
    let start = if path.is_absolute() { PathBuf::new() } else { PathBuf::from(".") };
    let path = start.join(path);
    let folder = path.ancestors().skip(1).find(|folder| folder.exists());
    let folder = folder.unwrap_or(Path::new("."));
    let rest = path.strip_prefix(folder).unwrap_or(&path);
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if path.file_name().is_none() || !rest.components().all(is_plain) {
        return Err(std::io::Error::new(ErrorKind::InvalidInput, "it is not a file name"));
    }
    Ok(folder.canonicalize()?.join(rest))
}
