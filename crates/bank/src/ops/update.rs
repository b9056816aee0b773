//! Appends to the text of a memory, or replaces it and the fields of its frontmatter.

use anyhow::Result;
use cerberus_markdown::edit::EditMode;
use cerberus_markdown::frontmatter;
use cerberus_model::Scope;

use super::document::{self, Edit, EditReport};
use super::fields::Fields;
use crate::Workspace;

/// A text to append to a memory, or to a section of it.
#[derive(Debug, Default)]
pub struct Append {
    /// Id of the memory, or a unique prefix of it.
    pub id: String,
    pub content: String,
    pub section: Option<String>,
    pub allow_secrets: bool,
}

/// A change of a memory.
#[derive(Debug, Default)]
pub struct Update {
    /// Id of the memory, or a unique prefix of it.
    pub id: String,
    /// The new text of the memory or the section, if it changes.
    pub content: Option<String>,
    pub section: Option<String>,
    pub allow_secrets: bool,
    pub fields: Fields,
}

/// Appends a text, unless the memory or section already ends with it.
pub fn append(project: &Workspace, request: &Append) -> Result<EditReport> {
    let content = &*request.content;
    document::check_text(("the content", content), request.allow_secrets)?;
    document::edit_memory(project, &request.id, |_, stored, text| {
        let section = request.section.as_deref();
        let edited = document::edit_content(text, section, content, EditMode::Append);
        Ok(edited.map_err(|error| document::edit_error(&stored.file, error))?)
    })
}

/// Replaces the text of a memory or section, if there is a new one, and sets frontmatter fields.
pub fn update(project: &Workspace, request: &Update) -> Result<EditReport> {
    let content = request.content.as_deref();
    if let Some(content) = content {
        document::check_content(content)?;
    }
    let content_text = ("the content", content.unwrap_or_default());
    request.fields.check(content_text, request.allow_secrets)?;
    let mut body = content;
    if let Some(content) = content
        && request.section.is_none()
        && let Some((_, body_start)) = frontmatter::span(content)
    {
        document::check_content(&content[body_start..])?;
        body = Some(&content[body_start..]);
    }
    document::edit_memory(project, &request.id, |memories, stored, text| {
        let failed = |error| document::edit_error(&stored.file, error);
        let mut edit = match body {
            Some(body) => {
                let section = request.section.as_deref();
                document::edit_content(text, section, body, EditMode::Replace).map_err(failed)?
            }
            None => Edit {
                text: text.to_owned(),
                ..Edit::default()
            },
        };
        let fields = &request.fields;
        edit.text = fields
            .set(edit.text, stored.memory.memory_type)
            .map_err(failed)?;
        if body != content {
            let warning = "the frontmatter of the content is ignored: set its fields with options";
            edit.warnings.push(warning.to_owned());
        }
        let id = &stored.memory.id;
        if fields.scope == Some(Scope::Universal) && memories.anchors.contains_key(id) {
            edit.warnings.push(format!(
                "a universal memory is never anchored; remove its anchor with `cerberus memory anchor {id} --clear`"
            ));
        }
        Ok(edit)
    })
}
