//! Text that a command reads from its arguments, a file or standard input.

use std::io::{IsTerminal, Read};

use super::args::ContentArgs;
use crate::commands::prelude::*;
use cerberus_bank::memories::MAX_BYTES;

/// Path that means standard input.
const STDIN: &str = "-";

/// Hint for a command without content.
const HOW_TO_PASS: &str = "pass it with `--content TEXT`, `--file FILE` or standard input";

impl ContentArgs {
    /// Returns the text that was passed as an argument, or of the file that was.
    pub(super) fn read_if_passed(&self) -> Result<Option<String>> {
        match (self.text.as_ref().or(self.content.as_ref()), &self.file) {
            (Some(content), _) if content == STDIN => read_text(Path::new(STDIN)).map(Some),
            (Some(content), _) => Ok(Some(content.clone())),
            (None, Some(path)) => read_text(path).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// Returns the text of an argument, a file or standard input.
    pub(super) fn read(&self) -> Result<String> {
        if let Some(text) = self.read_if_passed()? {
            return Ok(text);
        }
        if std::io::stdin().is_terminal() {
            return Err(UserError::usage("content is missing").hint(HOW_TO_PASS).into());
        }
        read_text(Path::new(STDIN))
    }
}

/// Returns the bytes of a file, or of standard input for `-`.
pub(super) fn bytes(path: &Path, max_bytes: u64) -> Result<Vec<u8>> {
    let context = || format!("failed to read {}", shown(path));
    let mut bytes = Vec::new();
    if path == Path::new(STDIN) {
        std::io::stdin()
            .lock()
            .take(max_bytes + 1)
            .read_to_end(&mut bytes)
            .with_context(context)?;
    } else {
        #[expect(clippy::disallowed_methods, reason = "the user passes this path")]
        let file = std::fs::File::open(path).map_err(|error| {
            UserError::usage(format!("{}: {error}", context()))
                .hint("pass the path of a readable file, or `-`")
        })?;
        if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
            return Err(UserError::usage(format!("{}: it is a folder", context()))
                .hint("pass the path of a file in it, or `-`")
                .into());
        }
        file.take(max_bytes + 1).read_to_end(&mut bytes).with_context(context)?;
    }
    if bytes.len() as u64 > max_bytes {
        let (path, limit) = (shown(path), max_bytes / 1024);
        return Err(UserError::usage(format!("{path} is larger than {limit} KB"))
            .hint("split it into several memories")
            .into());
    }
    Ok(bytes)
}

pub(super) fn read_text(path: &Path) -> Result<String> {
    match text::decode(&bytes(path, MAX_BYTES)?) {
        (text, true) => Ok(text.into_owned()),
        (_, false) => Err(UserError::usage(format!("{} is not valid UTF-8", shown(path)))
            .hint("save it as UTF-8 first")
            .into()),
    }
}

/// Returns the path for messages.
pub(super) fn shown(path: &Path) -> String {
    if path == Path::new(STDIN) {
        "standard input".to_owned()
    } else {
        format!("`{}`", path.display())
    }
}
