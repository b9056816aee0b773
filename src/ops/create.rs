//! `create`: a new document, which is not anchored unless that is asked for later.

use anyhow::Result;
use serde::Serialize;

use crate::bank::names;
use crate::error::UserError;
use crate::markdown::edit;
use crate::markdown::frontmatter::{self, Frontmatter, Setting};
use crate::model::{MemoryType, Scope};

use super::memories::Memories;
use super::similar::SimilarMemories;
use super::{Project, document};

/// A document to be.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// The path of its file below the bank, without `.md`.
    pub(crate) name: String,
    /// Its id where that is not the name.
    pub(crate) id: Option<String>,
    /// May begin with frontmatter of its own, in which what else is given is set.
    pub(crate) content: String,
    pub(crate) memory_type: Option<MemoryType>,
    pub(crate) category: Option<String>,
    pub(crate) scope: Option<Scope>,
    pub(crate) tags: Vec<String>,
    pub(crate) hints: Vec<String>,
    pub(crate) allow_secret: bool,
}

/// The new document.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) id: String,
    pub(crate) file: String,
    pub(crate) warnings: Vec<String>,
}

/// Writes a new document.
pub(crate) fn create(project: &Project, request: &Request) -> Result<Report> {
    let name = request.name.strip_suffix(".md").unwrap_or(&request.name);
    names::check(name)?;
    if let Some(id) = &request.id {
        names::check(id)?;
    }
    document::check_content(&request.content)?;
    if !request.allow_secret {
        document::refuse_secrets(&[
            ("the content", &request.content),
            ("the category", request.category.as_deref().unwrap_or_default()),
            ("the tags", &request.tags.join(" ")),
            ("the hints", &request.hints.join(" ")),
        ])?;
    }
    let text = composed(project, request)?;
    let id = frontmatter::parse(&text).frontmatter.id.unwrap_or_else(|| name.to_owned());
    let _guard = project.bank.lock_for_writing()?;
    let memories = Memories::load(project)?;
    memories.check_free(&id)?;
    memories.check_free(name)?;
    let file = project.bank.create_text(name, &text)?;
    let mut warnings = document::remarks(&file, &text);
    let body = text[frontmatter::body_start(&text)..].trim();
    let scope = frontmatter::parse(&text).frontmatter.scope;
    let scope = scope.unwrap_or_else(|| super::default_scope(project));
    warnings.extend(SimilarMemories::new(&memories).warnings(body, &scope));
    Ok(Report { id, file, warnings })
}

/// Returns the whole text of the new file.
fn composed(project: &Project, request: &Request) -> Result<String> {
    let content = request.content.trim_start_matches('\u{FEFF}');
    let newline = edit::newline_of(content);
    let own = frontmatter::parse(content);
    if frontmatter::span(content).is_none() {
        let front = Frontmatter {
            id: request.id.clone(),
            memory_type: Some(request.memory_type.unwrap_or(MemoryType::Journal)),
            category: request.category.clone(),
            scope: Some(request.scope.clone().unwrap_or_else(|| super::default_scope(project))),
            tags: request.tags.clone(),
            hints: request.hints.clone(),
            created_at: Some(super::seconds(project.now)),
            ..Frontmatter::default()
        };
        let head = frontmatter::render(&front).replace('\n', newline);
        return Ok(format!("{head}{}{newline}", edit::fitted(content, newline)));
    }
    if content[own.body_start..].trim().is_empty() {
        return Err(UserError::usage("the content has frontmatter and no text below it")
            .hint("write the text below the second line `---`")
            .into());
    }
    let front = &own.frontmatter;
    let or_default = |given: Option<String>, is_there: bool, default: String| {
        given.or_else(|| (!is_there).then_some(default))
    };
    let now = super::seconds(project.now).to_string();
    let scope = super::default_scope(project).to_string();
    let memory_type = request.memory_type.map(|it| it.to_string());
    let journal = MemoryType::Journal.to_string();
    let words = [
        ("id", request.id.clone()),
        ("type", or_default(memory_type, front.memory_type.is_some(), journal)),
        ("category", request.category.clone()),
        (
            "scope",
            or_default(request.scope.as_ref().map(Scope::to_string), front.scope.is_some(), scope),
        ),
        ("created_at", or_default(None, front.created_at.is_some(), now)),
    ];
    let mut text = content.to_owned();
    for (key, word) in &words {
        if let Some(word) = word {
            text = set(&text, key, Setting::Word(word))?;
        }
    }
    for (key, list) in [("tags", &request.tags), ("hints", &request.hints)] {
        if !list.is_empty() {
            text = set(&text, key, Setting::List(list))?;
        }
    }
    Ok(text)
}

fn set(text: &str, key: &'static str, value: Setting) -> Result<String> {
    frontmatter::set(text, key, value)
        .map_err(|refusal| document::refused("the content", refusal).into())
}
