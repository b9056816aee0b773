//! The text that a command is given: on the command line, in a file, or through a pipe.

use std::io::{IsTerminal, Read};
use std::path::Path;

use anyhow::{Context, Result};

use crate::bank::memories::MAX_BYTES;
use crate::error::UserError;
use crate::text;

/// Returns the text that was given by `--content` or `--file`, if any.
pub(super) fn named(content: Option<&str>, file: Option<&Path>) -> Result<Option<String>> {
    match (content, file) {
        (Some("-"), _) => piped().map(Some),
        (Some(content), _) => Ok(Some(content.to_owned())),
        (None, Some(path)) => decoded(&bytes(path, MAX_BYTES)?, path).map(Some),
        (None, None) => Ok(None),
    }
}

/// Returns the text that was given in any way; without one, reads the pipe.
pub(super) fn required(content: Option<&str>, file: Option<&Path>) -> Result<String> {
    if let Some(text) = named(content, file)? {
        return Ok(text);
    }
    if std::io::stdin().is_terminal() {
        return Err(UserError::usage("there is no content")
            .hint("give it with `--content TEXT`, `--file FILE`, or through a pipe")
            .into());
    }
    piped()
}

fn piped() -> Result<String> {
    let path = Path::new("-");
    decoded(&bytes(path, MAX_BYTES)?, path)
}

/// Returns the bytes of a file that the user names, or of the standard input for `-`.
pub(super) fn bytes(path: &Path, max_bytes: u64) -> Result<Vec<u8>> {
    let said = || format!("failed to read {}", shown(path));
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        std::io::stdin().lock().take(max_bytes + 1).read_to_end(&mut bytes).with_context(said)?;
    } else {
        #[expect(
            clippy::disallowed_methods,
            reason = "a file that the user names, not the project's"
        )]
        let file = std::fs::File::open(path).map_err(|error| {
            UserError::usage(format!("{}: {error}", said()))
                .hint("name a file that can be read, or `-`")
        })?;
        if file.metadata().is_ok_and(|it| it.is_dir()) {
            return Err(UserError::usage(format!("{}: it is a folder", said()))
                .hint("name a file in it, or `-`")
                .into());
        }
        file.take(max_bytes + 1).read_to_end(&mut bytes).with_context(said)?;
    }
    if bytes.len() as u64 > max_bytes {
        return Err(UserError::usage(format!(
            "{} is larger than {} KB",
            shown(path),
            max_bytes / 1024
        ))
        .hint("split it into several memories")
        .into());
    }
    Ok(bytes)
}

fn decoded(bytes: &[u8], path: &Path) -> Result<String> {
    match text::decode(bytes) {
        (text, true) => Ok(text.into_owned()),
        (_, false) => Err(UserError::usage(format!("{} is no valid UTF-8", shown(path)))
            .hint("save it as UTF-8 first")
            .into()),
    }
}

/// Returns how messages call a file.
pub(super) fn shown(path: &Path) -> String {
    if path == Path::new("-") {
        "the standard input".to_owned()
    } else {
        format!("`{}`", path.display())
    }
}
