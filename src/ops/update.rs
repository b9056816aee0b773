//! `update`: another text for a memory, or for one section of it, and other frontmatter.
//!
//! Frontmatter is kept but for the keys that are set; a memory that says all this
//! already is not written.

use anyhow::Result;

use crate::bank::MemoryFile;
use crate::error::UserError;
use crate::markdown::EditError;
use crate::markdown::edit::{self, EditMode};
use crate::markdown::frontmatter::{self, FieldValue};
use crate::model::{MemoryStatus, MemoryType, Scope};

use super::Project;
use super::document::{self, Edited};
use super::memories::Memories;

/// What a memory is to be.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) id: String,
    pub(crate) content: Option<String>,
    pub(crate) section: Option<String>,
    /// Whether the content brings frontmatter that takes the place of the memory's own.
    pub(crate) replace_frontmatter: bool,
    pub(crate) settings: Settings,
    pub(crate) allow_secret: bool,
}

/// The frontmatter to set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) memory_type: Option<MemoryType>,
    pub(crate) category: Option<String>,
    pub(crate) scope: Option<Scope>,
    pub(crate) status: Option<MemoryStatus>,
    /// An empty list takes the tags away.
    pub(crate) tags: Option<Vec<String>>,
    pub(crate) hints: Option<Vec<String>>,
}

/// Edits a memory.
pub(crate) fn update(project: &Project, request: &Request) -> Result<Edited> {
    if let Some(content) = &request.content {
        document::check_content(content)?;
    }
    if !request.allow_secret {
        let settings = &request.settings;
        let list = |list: &Option<Vec<String>>| list.as_deref().unwrap_or_default().join(" ");
        document::refuse_secrets(&[
            ("the content", request.content.as_deref().unwrap_or_default()),
            ("the category", settings.category.as_deref().unwrap_or_default()),
            ("the tags", &list(&settings.tags)),
            ("the hints", &list(&settings.hints)),
        ])?;
    }
    let _guard = project.bank.lock_for_writing()?;
    let memories = Memories::load(project)?;
    let stored = memories.find(&request.id)?;
    let file = stored.file.clone();
    let text = project.bank.read_utf8(&file)?;
    let said = |refusal: EditError| document::refused(&file, refusal);
    let mut warnings = Vec::new();
    let (section, edited) = match (&request.content, &request.section) {
        (None, _) => (None, text.clone()),
        (Some(content), Some(wanted)) => {
            let (id, edited) =
                edit::section(&text, wanted, content, EditMode::Replace).map_err(said)?;
            (Some(id), edited)
        }
        (Some(content), None) if request.replace_frontmatter => {
            (None, replaced_whole(stored, &text, content)?)
        }
        (Some(content), None) => {
            let body = &content[frontmatter::body_start(content)..];
            if frontmatter::span(content).is_some() {
                document::check_content(body)?;
                warnings.push(
                    "the content's own frontmatter is left out; `--replace-frontmatter` takes it"
                        .to_owned(),
                );
            }
            (None, edit::body(&text, body, EditMode::Replace).map_err(said)?)
        }
    };
    let edited = with_settings(stored, edited, &request.settings).map_err(said)?;
    let changed = edited != text;
    let edited = if changed {
        frontmatter::set_updated_at(&edited, &super::seconds(project.now).to_string())
    } else {
        edited
    };
    if changed {
        project.bank.rewrite(&file, &edited)?;
    }
    let id = stored.memory.id.clone();
    if request.settings.scope == Some(Scope::Universal) && memories.anchors.contains_key(&id) {
        warnings.push(format!(
            "a universal memory is never anchored; `cerberus memory anchor {id} --clear` takes its anchor away"
        ));
    }
    warnings.extend(document::remarks(&file, &edited));
    Ok(Edited { id, file, section, changed, warnings })
}

/// Returns the memory with the content's frontmatter and, where it has one, its text. The
/// id stays: it is what anchors and links know.
fn replaced_whole(stored: &MemoryFile, text: &str, content: &str) -> Result<String> {
    let content = content.trim_start_matches('\u{FEFF}');
    let said = |refusal: EditError| document::refused("the content", refusal);
    let Some((_, body_start)) = frontmatter::span(content) else {
        return Err(UserError::usage("the content has no frontmatter to replace the memory's own")
            .hint("begin it with a line `---`, or leave out `--replace-frontmatter`")
            .into());
    };
    let (id, new) = (&stored.memory.id, frontmatter::parse(content));
    let mut head = content[..body_start].trim_end().to_owned() + "\n";
    match new.frontmatter.id {
        Some(other) if other != *id => {
            return Err(UserError::usage(format!(
                "the content's frontmatter has the id `{other}`, the memory has `{id}`"
            ))
            .hint("make a memory of another id with `cerberus memory create`")
            .into());
        }
        None if stored.file.strip_suffix(".md") != Some(id) => {
            head = frontmatter::set(&head, "id", FieldValue::Scalar(id)).map_err(said)?;
        }
        _ => {}
    }
    if new.frontmatter.memory_type.is_none() {
        let memory_type = stored.memory.memory_type.as_str();
        head = frontmatter::set(&head, "type", FieldValue::Scalar(memory_type)).map_err(said)?;
    }
    let newline = edit::newline_of(text);
    let head = head.replace("\r\n", "\n").replace('\n', newline);
    let mark = if text.starts_with('\u{FEFF}') { "\u{FEFF}" } else { "" };
    let old_body = &text[frontmatter::body_start(text)..];
    let gap = if frontmatter::span(text).is_some() { "" } else { newline };
    let whole = format!("{mark}{head}{gap}{old_body}");
    let body = &content[body_start..];
    if body.trim().is_empty() {
        return Ok(whole);
    }
    Ok(edit::body(&whole, body, EditMode::Replace).map_err(said)?)
}

fn with_settings(
    stored: &MemoryFile,
    text: String,
    settings: &Settings,
) -> Result<String, EditError> {
    let front = frontmatter::parse(&text).frontmatter;
    let is_new = |given: &Option<String>, found: Option<String>| given.is_some() && *given != found;
    let words = [
        (
            "type",
            settings.memory_type.map(|it| it.to_string()),
            front.memory_type.map(|it| it.to_string()),
        ),
        ("category", settings.category.clone(), front.category),
        (
            "scope",
            settings.scope.as_ref().map(Scope::to_string),
            front.scope.map(|it| it.to_string()),
        ),
        ("status", settings.status.map(|it| it.to_string()), front.status.map(|it| it.to_string())),
    ];
    let lists = [("tags", &settings.tags, front.tags), ("hints", &settings.hints, front.hints)];
    let words: Vec<_> =
        words.into_iter().filter(|(_, given, found)| is_new(given, found.clone())).collect();
    let lists: Vec<_> = lists
        .into_iter()
        .filter_map(|(key, given, found)| {
            given.as_ref().filter(|given| **given != found).map(|given| (key, given))
        })
        .collect();
    let mut text = text;
    let is_bare = frontmatter::span(&text).is_none() && !(words.is_empty() && lists.is_empty());
    if is_bare && settings.memory_type.is_none() {
        // A file that cerberus gives frontmatter says what it is.
        let memory_type = stored.memory.memory_type.as_str();
        text = frontmatter::set(&text, "type", FieldValue::Scalar(memory_type))?;
    }
    for (key, given, _) in &words {
        if let Some(word) = given {
            text = frontmatter::set(&text, key, FieldValue::Scalar(word))?;
        }
    }
    for (key, list) in lists {
        text = frontmatter::set(&text, key, FieldValue::List(list))?;
    }
    Ok(text)
}
