//! Opens regular files. A repository may contain a named pipe or a link to a device under any
//! name, and opening or reading one can block for ever.
#![expect(
    clippy::disallowed_methods,
    reason = "the modules that own files open them here"
)]

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Result};
use std::path::Path;

/// Opens a file for reading. Fails if it is not a regular file, or a link to one.
pub fn open(path: &Path) -> Result<File> {
    open_with(OpenOptions::new().read(true), path)
}

/// Opens a file with `options`. Fails if it exists and is not a regular file, or a link to one.
pub fn open_with(options: &OpenOptions, path: &Path) -> Result<File> {
    // Opening a pipe blocks, so the check comes first.
    if is_other(path) {
        return Err(Error::new(
            ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    options.open(path)
}

/// Returns whether `path` is neither missing nor a regular file, or a link to one.
pub fn is_other(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_file())
}
