//! Writes a new document. Does not anchor it.

use anyhow::Result;
use cerberus_markdown::frontmatter::{FieldValue, Frontmatter};
use cerberus_markdown::{EditError, edit, frontmatter};
use cerberus_model::{MemoryId, MemoryType, refuse};
use serde::Serialize;

use super::fields::Fields;
use crate::Workspace;
use crate::ops::{Project, document, seconds, similar};

/// A document to create. The fields override the frontmatter of its content.
#[derive(Debug, Default)]
pub struct Request {
    /// Path of the file in the bank, with or without `.md`.
    pub name: String,
    pub content: String,
    /// The id, unless it is the name.
    pub id: Option<String>,
    pub allow_secrets: bool,
    pub fields: Fields,
}

#[derive(Debug, Serialize)]
pub struct Report {
    pub id: MemoryId,
    pub file: String,
    pub warnings: Vec<String>,
}

/// Creates a document.
pub fn create(project: &Workspace, request: &Request) -> Result<Report> {
    let content = &*request.content;
    let name = request.name.strip_suffix(".md").unwrap_or(&request.name);
    let name: MemoryId = name.parse()?;
    if let Some(id) = &request.id {
        id.parse::<MemoryId>()?;
    }
    document::check_content(content)?;
    request
        .fields
        .check(("the content", content), request.allow_secrets)?;
    let text = compose(project, request, content)?;
    let front = frontmatter::parse(&text).frontmatter;
    let id = match front.id {
        Some(id) => id.parse()?,
        None => name.clone(),
    };
    let lock = project.lock()?;
    let memories = lock.memories()?;
    memories.check_free(&id)?;
    memories.check_free(&name)?;
    let file = project.bank.create_text(&name, &text)?;
    let mut warnings = document::text_warnings(&file, &text);
    let body = text[frontmatter::body_start(&text)..].trim();
    warnings.extend(similar::warnings(&memories, body));
    Ok(Report { id, file, warnings })
}

/// Returns the complete text of the new file.
fn compose(project: &Project, request: &Request, content: &str) -> Result<String> {
    let content = content.trim_start_matches('\u{FEFF}');
    if frontmatter::span(content).is_none() {
        let newline = edit::newline_of(content);
        let front = Frontmatter {
            id: request.id.clone(),
            ..request.fields.frontmatter(project, MemoryType::Journal)
        };
        let head = frontmatter::render(&front).replace('\n', newline);
        let body = edit::normalize(content, newline);
        return Ok(format!("{head}{body}{newline}"));
    }
    let parsed = frontmatter::parse(content);
    if content[parsed.body_start..].trim().is_empty() {
        return refuse(
            "the content has frontmatter but no text",
            "write the text below the second line `---`",
        );
    }
    let front = &parsed.frontmatter;
    let new = request.fields.frontmatter(project, MemoryType::Journal);
    let mut fields = request.fields.clone();
    if front.memory_type.is_none() {
        fields.memory_type = fields.memory_type.or(new.memory_type);
    }
    if front.scope.is_none() {
        fields.scope = fields.scope.or(new.scope);
    }
    let mut created_at = None;
    if front.created_at.is_none() {
        created_at = Some(seconds(project.now).to_string());
    }
    let text = set_fields(
        content,
        request.id.as_deref(),
        &fields,
        created_at.as_deref(),
    );
    Ok(text.map_err(|error| document::edit_error("the content", error))?)
}

/// Returns the content with the fields in its frontmatter.
fn set_fields(
    content: &str,
    id: Option<&str>,
    fields: &Fields,
    created_at: Option<&str>,
) -> Result<String, EditError> {
    let text = document::set_fields(content.to_owned(), [("id", id.map(FieldValue::Scalar))])?;
    let text = fields.set(text, MemoryType::Journal)?;
    document::set_fields(text, [("created_at", created_at.map(FieldValue::Scalar))])
}
