//! Functions that the commands that write memories share.

use anyhow::Result;
use cerberus_markdown::edit::{self, EditMode};
use cerberus_markdown::frontmatter::FieldValue;
use cerberus_markdown::{EditError, frontmatter, secrets, sections};
use cerberus_model::{UserError, glob_fault, refuse};
use serde::Serialize;

use super::memories::Memories;
use crate::memories::size_warning;
use crate::{MemoryFile, Workspace};

/// Report of a command that edits one memory.
#[derive(Debug, Serialize)]
pub struct EditReport {
    pub id: String,
    pub file: String,
    /// The edited section, if one was requested.
    pub section: Option<String>,
    /// Whether the file was written. An edit without effect does not write it.
    pub written: bool,
    pub warnings: Vec<String>,
}

/// Result of an edit that is not written yet.
#[derive(Default)]
pub struct Edit {
    /// Complete text of the memory.
    pub text: String,
    pub section: Option<String>,
    pub warnings: Vec<String>,
}

/// Edits a memory under the write lock: `edit` returns its new text from the old one. Sets
/// `updated_at` if the text changed.
pub fn edit_memory(
    project: &Workspace,
    typed_id: &str,
    edit: impl FnOnce(&Memories, &MemoryFile, &str) -> Result<Edit>,
) -> Result<EditReport> {
    let lock = project.lock()?;
    let memories = lock.memories()?;
    let stored = memories.find(typed_id)?;
    let file = &stored.file;
    let old = project.bank.utf8_text(stored)?;
    let Edit {
        mut text,
        section,
        mut warnings,
    } = edit(&memories, stored, &old)?;
    let written = text != old;
    if written {
        let body = |text: &str| text[frontmatter::body_start(text)..].trim().to_owned();
        if stored.memory.reviewed_by.is_some() && body(&text) != body(&old) {
            // An agent that read the old text found no example.
            text = frontmatter::remove(&text, "reviewed_by")
                .map_err(|error| edit_error(file, error))?;
        }
        text = frontmatter::set_updated_at(&text, &super::seconds(project.now).to_string());
        project.bank.rewrite(file, &text)?;
    }
    warnings.extend(text_warnings(file, &text));
    Ok(EditReport {
        id: stored.memory.id.clone(),
        file: file.clone(),
        section,
        written,
        warnings,
    })
}

/// Like [`edit_memory`], for an edit of the text alone.
pub fn edit_text(
    project: &Workspace,
    typed_id: &str,
    edit: impl FnOnce(&str) -> Result<String, EditError>,
) -> Result<EditReport> {
    edit_memory(project, typed_id, |_, stored, old| {
        let text = edit(old).map_err(|error| edit_error(&stored.file, error))?;
        Ok(Edit {
            text,
            ..Edit::default()
        })
    })
}

/// Replaces or extends a section of a memory with this text, or its body if `section` is `None`.
pub fn edit_content(
    text: &str,
    section: Option<&str>,
    content: &str,
    mode: EditMode,
) -> Result<Edit, EditError> {
    let mut edited = Edit::default();
    match section {
        Some(section) => {
            let (id, text) = edit::section(text, section, content, mode)?;
            edited.section = Some(id);
            edited.text = text;
        }
        None => edited.text = edit::body(text, content, mode)?,
    }
    Ok(edited)
}

/// Sets the frontmatter fields that have a value.
pub fn set_fields<'a>(
    mut text: String,
    fields: impl IntoIterator<Item = (&'static str, Option<FieldValue<'a>>)>,
) -> Result<String, EditError> {
    for (key, value) in fields {
        if let Some(value) = value {
            text = frontmatter::set(&text, key, value)?;
        }
    }
    Ok(text)
}

/// Checks that the globs of a memory can match files of the project.
pub fn check_globs(globs: &[String]) -> Result<()> {
    for glob in globs {
        let path = glob.trim().trim_start_matches('!');
        let fault = if path.starts_with('/') {
            Some("it is not relative to the project's root".to_owned())
        } else {
            glob_fault(glob)
        };
        if let Some(fault) = fault {
            return refuse(
                format!("`{glob}` is not a valid path: {fault}"),
                "pass a glob from the project's root, such as `src/**/*.py`",
            );
        }
    }
    Ok(())
}

/// Checks that a text is not empty and has no control characters.
pub fn check_content(content: &str) -> Result<()> {
    if content.trim_start_matches('\u{FEFF}').trim().is_empty() {
        return refuse(
            "the content is empty",
            "pass it with `--content TEXT`, `--file FILE` or standard input",
        );
    }
    for (line_idx, line) in content.split('\n').enumerate() {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if let Some(c) = line.chars().find(|c| c.is_control() && *c != '\t') {
            let (line, escaped) = (line_idx + 1, c.escape_unicode());
            return refuse(
                format!("line {line} of the content contains the control character `{escaped}`"),
                "remove it: a memory is plain text",
            );
        }
    }
    Ok(())
}

/// Checks a new text, given with its name for the message: it is plain and not empty, and contains no secrets unless
/// they are allowed.
pub fn check_text(text: (&str, &str), allow_secrets: bool) -> Result<()> {
    check_content(text.1)?;
    if allow_secrets {
        return Ok(());
    }
    refuse_secrets(&[text])
}

/// Checks that words, which the message calls `noun`, have no control characters, with which frontmatter would
/// be ignored when the memory is read.
pub fn check_words<'a>(noun: &str, words: impl IntoIterator<Item = &'a str>) -> Result<()> {
    for word in words {
        if let Some(c) = word.chars().find(|c| c.is_control()) {
            let (word, c) = (word.escape_debug(), c.escape_unicode());
            return refuse(
                format!("the {noun} `{word}` contains the control character `{c}`"),
                "remove it: it must be plain text in one line",
            );
        }
    }
    Ok(())
}

/// Checks that texts, each with its name for the message, contain no secrets. The error does not
/// contain the secret.
pub fn refuse_secrets(texts: &[(&str, &str)]) -> Result<()> {
    let mut found = texts
        .iter()
        .filter_map(|(name, text)| Some((name, text, secrets::find_secret(text)?)));
    let Some((name, text, secret)) = found.next() else {
        return Ok(());
    };
    let has_lines = text.trim_end().contains('\n');
    let line = if has_lines {
        format!("line {} of ", secret.line + 1)
    } else {
        String::new()
    };
    refuse(
        format!("found {} in {line}{name}", secret.kind),
        "write where the secret is stored instead; if it is not a secret, pass `--allow-secret`",
    )
}

/// Returns the error for an edit of `file` that failed.
pub fn edit_error(file: &str, error: EditError) -> UserError {
    let line = error
        .line
        .map(|line| format!(":{}", line + 1))
        .unwrap_or_default();
    let user_error = UserError::usage(format!("{file}{line}: {}", error.message));
    match &*error.hint {
        "" => user_error,
        hint => user_error.hint(hint),
    }
}

/// Returns warnings about the size and the section tags of a text that was written.
pub fn text_warnings(file: &str, text: &str) -> Vec<String> {
    let mut warnings = Vec::from_iter(size_warning(file, text.len()));
    for fault in sections::parse(text).diagnostics {
        warnings.push(fault.in_file(file));
    }
    warnings
}
