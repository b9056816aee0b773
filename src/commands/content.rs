//! Text that a command reads from its arguments, a file or standard input.

use std::io::{IsTerminal, Read};
use std::path::Path;

use anyhow::{Context, Result};
use cerberus_bank::memories::MAX_BYTES;
use cerberus_model::{UserError, refuse, text};

use super::args::ContentArgs;

/// Path that means standard input.
const STDIN: &str = "-";

/// Hint for a command without content.
const HOW_TO_PASS: &str = "pass it with `--content TEXT`, `--from FILE` or standard input";

impl ContentArgs {
    /// Returns the text that was passed as an argument, or of the file that was.
    pub(super) fn read_if_passed(&self) -> Result<Option<String>> {
        match (self.text.as_ref().or(self.content.as_ref()), &self.from) {
            (Some(content), _) if content == STDIN => {
                read_text(Path::new(STDIN), MAX_BYTES).map(Some)
            }
            (Some(content), _) => Ok(Some(content.clone())),
            (None, Some(path)) => read_text(path, MAX_BYTES).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// Returns the text of an argument, a file or standard input.
    pub(super) fn read(&self) -> Result<String> {
        if let Some(text) = self.read_if_passed()? {
            return Ok(text);
        }
        if std::io::stdin().is_terminal() {
            return refuse("content is missing", HOW_TO_PASS);
        }
        read_text(Path::new(STDIN), MAX_BYTES)
    }
}

/// Returns the text of a file, or of standard input for `-`.
pub(super) fn read_text(path: &Path, max_bytes: u64) -> Result<String> {
    let is_stdin = path == Path::new(STDIN);
    let shown = if is_stdin {
        "standard input".to_owned()
    } else {
        format!("`{}`", path.display())
    };
    let context = || format!("failed to read {shown}");
    let refused = |message: String, hint: &str| UserError::usage(message).hint(hint);
    let input: Box<dyn Read> = if is_stdin {
        Box::new(std::io::stdin().lock())
    } else {
        #[expect(clippy::disallowed_methods, reason = "the user passes this path")]
        let file = std::fs::File::open(path).map_err(|error| {
            refused(
                format!("{}: {error}", context()),
                "pass the path of a readable file, or `-`",
            )
        })?;
        if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
            let message = format!("{}: it is a folder", context());
            return Err(refused(message, "pass the path of a file in it, or `-`").into());
        }
        Box::new(file)
    };
    let mut bytes = Vec::new();
    input
        .take(max_bytes + 1)
        .read_to_end(&mut bytes)
        .with_context(context)?;
    if bytes.len() as u64 > max_bytes {
        let message = format!("{shown} is larger than {} KB", max_bytes / 1024);
        return Err(refused(message, "split it into several parts").into());
    }
    match text::decode(&bytes) {
        (text, true) => Ok(text.into_owned()),
        _ => Err(refused(
            format!("{shown} is not valid UTF-8"),
            "save it as UTF-8 first",
        )
        .into()),
    }
}
