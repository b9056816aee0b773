//! Appends to the text of a memory, or replaces it and the fields of its frontmatter.

use anyhow::Result;
use cerberus_markdown::edit::EditMode;
use cerberus_markdown::frontmatter;
use cerberus_model::Scope;

use super::document::{self, Edit, EditReport};
use super::fields::Fields;
use crate::{MemoryFile, Workspace};

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
    document::check_content(content)?;
    if !request.allow_secrets {
        document::refuse_secrets(&[("the content", content)])?;
    }
    document::edit_memory(project, &request.id, |_, stored, text| {
        let wanted = request.section.as_deref();
        let (section, text) =
            document::edit_content(&stored.file, text, wanted, (content, EditMode::Append))?;
        Ok(Edit {
            text,
            section,
            warnings: Vec::new(),
        })
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
    document::edit_memory(project, &request.id, |memories, stored, text| {
        let Edit {
            text,
            section,
            mut warnings,
        } = match content {
            Some(content) => replace_content(request, stored, text, content)?,
            None => Edit {
                text: text.to_owned(),
                section: None,
                warnings: Vec::new(),
            },
        };
        let text = request.fields.set(text, stored.memory.memory_type);
        let text = text.map_err(|error| document::edit_error(&stored.file, error))?;
        let id = &stored.memory.id;
        if request.fields.scope == Some(Scope::Universal) && memories.anchors.contains_key(id) {
            warnings.push(format!(
                "a universal memory is never anchored; remove its anchor with `cerberus memory anchor {id} --clear`"
            ));
        }
        Ok(Edit {
            text,
            section,
            warnings,
        })
    })
}

fn replace_content(
    request: &Update,
    stored: &MemoryFile,
    text: &str,
    content: &str,
) -> Result<Edit> {
    let mut warnings = Vec::new();
    let mut content = content;
    if let (None, Some((_, body_start))) = (&request.section, frontmatter::span(content)) {
        content = &content[body_start..];
        document::check_content(content)?;
        let warning = "the frontmatter of the content is ignored: set its fields with options";
        warnings.push(warning.to_owned());
    }
    let wanted = request.section.as_deref();
    let (section, text) =
        document::edit_content(&stored.file, text, wanted, (content, EditMode::Replace))?;
    Ok(Edit {
        text,
        section,
        warnings,
    })
}
