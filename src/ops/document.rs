//! What the operations on documents share: what may be put in, and what is said after.

use anyhow::Result;
use serde::Serialize;

use crate::bank::memories::size_warning;
use crate::error::UserError;
use crate::markdown::{EditError, secrets, sections};

/// What became of a memory that was edited.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Edited {
    pub(crate) id: String,
    pub(crate) file: String,
    /// The section that was edited, where one was asked for.
    pub(crate) section: Option<String>,
    /// Whether the file is another one now; if all was so already, it was not written.
    pub(crate) changed: bool,
    pub(crate) warnings: Vec<String>,
}

/// Checks that a text may be put into a memory.
pub(crate) fn check_content(content: &str) -> Result<()> {
    if content.trim_start_matches('\u{FEFF}').trim().is_empty() {
        return Err(UserError::usage("the content is empty")
            .hint("give it with `--content TEXT`, `--file FILE`, or through a pipe")
            .into());
    }
    for (at, line) in content.split('\n').enumerate() {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if let Some(c) = line.chars().find(|c| c.is_control() && *c != '\t') {
            let shown = c.escape_unicode();
            return Err(UserError::usage(format!(
                "line {} of the content holds the control character `{shown}`",
                at + 1
            ))
            .hint("a memory is text: take what is no text out of it")
            .into());
        }
    }
    Ok(())
}

/// A text that is to be written, and what messages call it.
pub(crate) type Given<'a> = (&'static str, &'a str);

/// Checks that no text that is to be written holds a secret. The secret itself is not told.
pub(crate) fn refuse_secrets(given: &[Given]) -> Result<()> {
    let found =
        given.iter().find_map(|(name, text)| Some((name, text, secrets::find_secret(text)?)));
    let Some((name, text, secret)) = found else { return Ok(()) };
    let is_long = text.trim_end().contains('\n');
    let line = if is_long { format!("line {} of ", secret.line + 1) } else { String::new() };
    Err(UserError::usage(format!("there is {} in {line}{name}", secret.kind))
        .hint("say where it is kept instead; what is no secret, a person can write with `--allow-secret`")
        .into())
}

/// Returns the error for an edit that was refused.
pub(super) fn refused(file: &str, refusal: EditError) -> UserError {
    let line = refusal.line.map(|line| format!(":{}", line + 1)).unwrap_or_default();
    let failure = UserError::usage(format!("{file}{line}: {}", refusal.message));
    if refusal.hint.is_empty() { failure } else { failure.hint(refusal.hint) }
}

/// Returns what there is to say of a text that was written: its size and its wrong tags.
pub(super) fn remarks(file: &str, text: &str) -> Vec<String> {
    let found = sections::parse(text).diagnostics;
    let tags =
        found.iter().map(|it| format!("{file}:{}:{}: {}", it.line + 1, it.column + 1, it.message));
    size_warning(file, text.len()).into_iter().chain(tags).collect()
}
